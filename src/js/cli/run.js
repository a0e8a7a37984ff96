// stepglass run

import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { StateMachine } from "../node.js";
import { Progress, eventLine } from "./progress.js";
import { Source, Unusable, read } from "./source.js";

export async function run(files, values) {
  if (files.length !== 1) throw new Unusable("run needs one file", { usage: true });
  if (files[0] === "-" && values.input === "@-") throw new Unusable("definition and input cannot both come from standard input", { usage: true });
  const source = new Source(files[0]);
  const options = values.type ? { type: values.type } : {};
  const machine = compile(source, options);
  if (machine === undefined) return 1;
  const input = inputOf(values.input);
  const start = { tasks: await handlersOf(values.tasks), clock: values["virtual-clock"] ? "virtual" : "real", seed: seedOf(values.seed) };
  if (values.name !== undefined) start.name = values.name;
  const began = Date.now();
  const progress = new Progress(process.stderr);
  if (values.events) {
    let first;
    start.onEvent = (event) => {
      first ??= Date.parse(event.timestamp);
      progress.write(eventLine(event, first));
    };
  }
  const execution = machine.start(input, start);
  progress.begin(execution, began);
  const interrupt = () => execution.abort("Interrupted", "by the keyboard");
  process.once("SIGINT", interrupt);
  const outcome = await execution.result;
  process.off("SIGINT", interrupt);
  progress.end();
  report(execution, outcome, values.json);
  return outcome.status === "SUCCEEDED" ? 0 : 1;
}

/** The machine, or undefined after its problems have been printed. */
function compile(source, options) {
  const diagnostics = source.diagnostics(options);
  if (diagnostics.length > 0) process.stderr.write(source.render(options, process.stderr.hasColors?.() ?? false));
  if (diagnostics.some(({ severity }) => severity === "error")) return undefined;
  return new StateMachine(source.json, options);
}

function inputOf(option = "{}") {
  const text = option.startsWith("@") ? read(option.slice(1)) : option;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Unusable(`the input is not JSON: ${error.message}`);
  }
}

function seedOf(option) {
  if (option === undefined) return undefined;
  if (!/^-?\d+$/.test(option)) throw new Unusable("--seed is a whole number", { usage: true });
  return BigInt(option);
}

/** The default export of a module, or all its exported functions. */
async function handlersOf(file) {
  if (file === undefined) return {};
  let module;
  try {
    module = await import(pathToFileURL(resolve(file)).href);
  } catch (error) {
    throw new Unusable(`cannot load the tasks of ${file}: ${error.message}`);
  }
  const functions = Object.entries(module).filter(([name, value]) => name !== "default" && typeof value === "function");
  const { default: main } = module;
  if (typeof main === "function" && functions.length === 0) return main;
  const named = main instanceof Map ? [...main] : typeof main === "object" && main !== null ? Object.entries(main) : [];
  const handlers = new Map([...named, ...functions].filter(([, value]) => typeof value === "function"));
  if (handlers.size === 0) throw new Unusable(`${file} exports no functions`);
  return handlers;
}

function report(execution, outcome, json) {
  const { status, error, cause } = outcome;
  if (json) {
    process.stdout.write(`${JSON.stringify({ name: execution.name, ...outcome, history: execution.history() }, null, 2)}\n`);
  } else if (status === "SUCCEEDED") {
    process.stdout.write(`${JSON.stringify(outcome.output, null, 2)}\n`);
  } else {
    const entered = execution.history().findLast?.((event) => event.stateEnteredEventDetails)?.stateEnteredEventDetails.name;
    const why = [error, cause].filter(Boolean).join(": ");
    const hint = cause?.startsWith("No task handler") ? "\nHandlers come from a module: stepglass run FILE --tasks tasks.mjs" : "";
    process.stderr.write(`${status}${entered ? ` in state ${JSON.stringify(entered)}` : ""}${why ? `: ${why}` : ""}${hint}\n`);
  }
}
