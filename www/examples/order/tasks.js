// One handler for each task, found by the state's or function's name or by the resource.
import { TaskError } from "stepglass";

let asked = 0;

export default {
  // The first answer is no: the machine waits two days and asks again.
  CheckStock: async ({ items }) => ({ available: ++asked > 1, checked: items.length }),

  ChargeCard: async ({ card, amount }, task) => {
    if (card === "0000") throw new TaskError("CardRefused", "The bank says no");
    // Busy twice, so that there is something to retry.
    if (task.attempt < 2) throw new TaskError("GatewayBusy", "Try again later");
    console.log("charged", amount, "at attempt", task.attempt + 1);
    return { receipt: "R-1001" };
  },

  PackParcel: async ({ items }) => ({ parcels: Math.ceil(items.length / 2) }),

  "sns:publish": async ({ Message }) => ({ MessageId: "m-" + String(Message).length }),
};
