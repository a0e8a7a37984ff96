import { TaskError } from "stepglass";

let next = 100;
const book =
  (kind) =>
  async ({ to, full = [] }) => {
    if (full.includes(kind)) throw new TaskError("BookedOut", `No ${kind} is left in ${to}`);
    return { booking: `${kind}-${++next}` };
  };

export default {
  BookHotel: book("hotel"),
  BookFlight: book("flight"),
  ReserveCar: book("car"),

  // The flight's cancellation works at the second attempt: an undo has to be tried until it is done.
  CancelFlight: async ({ booking }, task) => {
    if (task.attempt === 0) throw new TaskError("Busy", "Call again later");
    console.log("cancelled", booking);
    return {};
  },
  CancelHotel: async ({ booking }) => {
    console.log("cancelled", booking);
    return {};
  },
};
