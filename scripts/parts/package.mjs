// What programs do that run machines, for the first file of the package: every rule of the language, and every fault that a definition
// can have. So a machine of somebody else calls little that the first file lacks.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { gallery, handlersOf } from "../../pkg-tests/api/examples.mjs";
import { root } from "../steps.mjs";

/** Compiles and runs the gallery's machines and those of tests/corpus with the package's copy `stepglass`. */
export async function open(stepglass) {
  for (const { definition, format, inputs, tasks } of gallery()) {
    const text = format === "yaml" ? JSON.stringify(parse(definition, { merge: true })) : definition;
    for (const { input } of inputs) await run(stepglass, text, { input, tasks: await handlersOf(tasks) });
  }
  for (const { definition, input = {}, tasks = {}, options = {} } of cases("executions")) {
    const answers = Object.entries(tasks).map(([name, given]) => [name, answering([...given])]);
    await run(stepglass, textOf(definition), { input, tasks: Object.fromEntries(answers), type: options.express ? "EXPRESS" : "STANDARD" });
  }
  for (const { definition, text = definition, kind } of cases("definitions")) {
    if (text !== undefined) stepglass.renderDiagnostics(textOf(text), { type: kind });
  }
}

const textOf = (definition) => (typeof definition === "string" ? definition : JSON.stringify(definition));

function cases(name) {
  const folder = join(root, "tests/corpus", name);
  return readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .flatMap((file) => JSON.parse(readFileSync(join(folder, file), "utf8")));
}

/** A handler that gives these answers, one after another. */
function answering(answers) {
  return () => {
    const { error, cause, output = {} } = answers.shift() ?? {};
    if (error !== undefined) throw Object.assign(new Error(cause), { name: error });
    return output;
  };
}

/** Runs a machine, if it is one, and looks at what has happened. */
async function run({ StateMachine, validate }, text, { input, tasks, type }) {
  if (validate(text, { type }).some(({ severity }) => severity === "error")) return;
  const execution = new StateMachine(text, { type }).start(input, { tasks, clock: "virtual" });
  // Some wait for an answer from outside.
  const idle = new Promise((resolve) => setTimeout(resolve, 100));
  await Promise.race([execution.result, idle]).catch(() => {});
  if (execution.status === "RUNNING") execution.abort();
  await execution.result.catch(() => {});
  if (type !== "EXPRESS") execution.history();
}
