import { TaskError } from "stepglass";

export default {
  Send: async ({ to }, task) => {
    if (!to.includes("@")) throw new TaskError("BadAddress", `${to} is no address`);
    if (to.startsWith("busy") && task.attempt < 1) throw new TaskError("Busy", "The server asks for patience");
    return { sent: to };
  },
};
