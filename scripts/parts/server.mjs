// What servers do, for the first file of the module that is made for speed: what programs do, and every function of the expressions.
// Nobody waits for a network here, but the second part takes a while to check, and the event loop waits for that in the middle of an
// execution. So expressions that use up all that they may, as a stranger's do, find everything in the first part.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../steps.mjs";
import { open as runMachines } from "./package.mjs";

export async function open(stepglass) {
  await runMachines(stepglass);
  for (const entry of JSON.parse(readFileSync(join(root, "tests/corpus/bombs.json"), "utf8"))) {
    const text =
      typeof entry === "string" ? entry : entry.map((part) => (typeof part === "string" ? part : part[0].repeat(part[1]))).join("");
    const definition = { QueryLanguage: "JSONata", StartAt: "P", States: { P: { Type: "Pass", Output: `{% ${text} %}`, End: true } } };
    if (stepglass.validate(definition).some(({ severity }) => severity === "error")) continue;
    await new stepglass.StateMachine(definition)
      .run({ a: [1, 2, 3], s: "a".repeat(32), o: { x: { y: 1 } } }, { clock: "virtual" })
      .catch(() => {});
  }
}
