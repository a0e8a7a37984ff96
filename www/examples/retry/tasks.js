import { TaskError } from "stepglass";

export default {
  QuoteService: async ({ failures = 99 }, task) => {
    if (task.attempt < failures) throw new TaskError("ServiceDown", `No answer at attempt ${task.attempt + 1}`);
    return { quote: { price: 42, fresh: true } };
  },
};
