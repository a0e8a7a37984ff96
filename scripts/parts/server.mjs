// What servers do, for the first file of the module that is made for speed: what programs do, and every function of the expressions.
// Nobody waits for a network here, but the second part takes a while to check, and the event loop waits for that in the middle of an
// execution. So expressions that use up all that they may, as a stranger's do, find everything in the first part.
import { INPUT, expressions } from "../../benches/bomb-expressions.mjs";
import { open as runMachines } from "./package.mjs";

export async function open(stepglass) {
  await runMachines(stepglass);
  for (const { definition } of expressions) {
    if (stepglass.validate(definition).some(({ severity }) => severity === "error")) continue;
    await new stepglass.StateMachine(definition).run(INPUT, { clock: "virtual" }).catch(() => {});
  }
}
