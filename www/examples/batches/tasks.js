import { TaskError } from "stepglass";

// The "bucket" of this example: what S3 would answer.
const files = {
  "readings.csv": "sensor,celsius\n" + Array.from({ length: 12 }, (_, i) => `s${i},${18 + ((i * 7) % 11)}`).join("\n") + "\n",
};

export default {
  "s3:getObject": async ({ Key }) => {
    if (!(Key in files)) throw new TaskError("S3.NoSuchKeyException", `There is no ${Key}`);
    return { Body: files[Key] };
  },

  Check: async ({ Items, BatchInput }, task) => {
    // Every second batch is told to come again, once.
    if (task.attempt === 0 && Items[0].sensor === "s4") throw new TaskError("Busy", "Come again");
    return { high: Items.filter(({ celsius }) => Number(celsius) > BatchInput.limit).map(({ sensor }) => sensor) };
  },
};
