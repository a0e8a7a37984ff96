import { TaskError } from "stepglass";

export default {
  Throw: async () => {
    throw new TaskError("TooBusy", "Every time");
  },
  Large: async () => "x".repeat(300 * 1024),
};
