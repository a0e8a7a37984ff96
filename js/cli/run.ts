// @ts-nocheck: has no types yet.
// stepglass run

import { folder } from "../entries/folder.ts";
import { StateMachine, s3Handlers } from "../entries/node.ts";
import { Progress, eventLine } from "./progress.ts";
import { Unusable } from "../files/problem.ts";
import { Source, isFolder, read, usable } from "../files/source.ts";
import { handlersOf } from "./tasks.ts";
import { colorful, writeJson } from "../files/terminal.ts";

const help = `stepglass run FILE [options]

Runs a definition and prints its output as JSON.

  stepglass run hello.asl.json
  stepglass run order.yaml --input '{"id": 7}'
  stepglass run order.yaml --input @order.json        reads the input from a file, or from standard input with @-
  stepglass run order.yaml --tasks tasks.mjs          uses functions for the Task states
  stepglass run slow.yaml --virtual-clock             waits and retries take no real time
  stepglass run order.yaml --events                   prints every event as it happens
  stepglass run order.yaml --json | jq .history       prints everything as one JSON object
  stepglass run template.yaml#OrderMachine            a machine of a CloudFormation, SAM or CDK template, or serverless.yml
  stepglass run orders.yaml --objects ./data          ItemReader and ResultWriter use ./data/BUCKET/KEY
  stepglass run parent.yaml --machines child.yaml     a machine that states:startExecution can start

tasks.mjs exports functions named after Lambda functions, activities or states:

  export const ChargeCard = async ({ amount }) => ({ charged: amount });
  export default { "sqs:sendMessage": () => ({ MessageId: "1" }), "*": (input) => input };

Options
  -i, --input JSON    the input, default {}; @FILE reads it from a file
  -t, --tasks MODULE  an ES module (or CommonJS module) with task handlers
      --objects DIR   a folder to use as S3, with a subfolder for each bucket
      --machines FILE a definition that tasks can start; its name is its logical id in a template, or
                      the file's name up to the first dot; can be repeated
  -e, --events        prints every event of the history to standard error
      --virtual-clock jumps over waits, back-offs and timeouts
      --seed NUMBER   makes UUIDs, random numbers and jitter repeatable
      --name NAME     the name of the execution
      --type TYPE     STANDARD (default) or EXPRESS
      --define NAME=VALUE
                      the value of a placeholder \${NAME}; can be repeated
      --json          {name, status, output | error, cause, history, diagnostics?} as one JSON object

Ctrl+C aborts the execution and its tasks and prints how far it came. The command ends at most two seconds after the
execution, even if the module keeps a connection or a timer open.

Exit code: 0 the execution succeeded; 1 it did not, or the definition has errors; 2 wrong usage; 130 or 143 ended by
SIGINT or SIGTERM.
`;

export const command = {
  name: "run",
  summary: "run a definition and print its output",
  help,
  options: {
    define: { type: "string", multiple: true },
    input: { type: "string", short: "i", file: true },
    tasks: { type: "string", short: "t", file: true },
    objects: { type: "string", file: true },
    machines: { type: "string", multiple: true, file: true },
    events: { type: "boolean", short: "e" },
    "virtual-clock": { type: "boolean" },
    seed: { type: "string" },
    name: { type: "string" },
    type: { type: "string", values: ["STANDARD", "EXPRESS"] },
    json: { type: "boolean" },
  },
  act: run,
};

async function run(files, values) {
  if (files.length !== 1) throw new Unusable("run needs one file", { usage: true });
  if (files[0] === "-" && values.input === "@-") throw new Unusable("the definition and the input cannot both come from standard input", { usage: true });
  const diagnostics = [];
  const machine = compile(new Source(files[0]), values.type ? { type: values.type } : {}, values.json && diagnostics);
  const input = inputOf(values.input);
  const tasks = withObjects(await handlersOf(values.tasks), values.objects);
  const start = { tasks, clock: values["virtual-clock"] ? "virtual" : "real", seed: seedOf(values.seed) };
  if (values.machines) start.machines = values.machines.map((file) => compile(new Source(file), {}, values.json && diagnostics));
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
  const execution = started(machine, input, start);
  progress.begin(execution, began);
  const { outcome, signal } = await ended(execution);
  progress.end();
  report(execution, outcome, { json: values.json, diagnostics });
  if (signal !== undefined) return SIGNALS[signal];
  return outcome.status === "SUCCEEDED" ? 0 : 1;
}

function started(machine, input, options) {
  try {
    return machine.start(input, options);
  } catch (error) {
    // In AWS's words these two say neither which option it was nor what would do.
    if (/'input'/.test(error.message) && error instanceof RangeError) throw new Unusable(`the input has ${Buffer.byteLength(JSON.stringify(input)).toLocaleString("en")} bytes; AWS takes at most 262,144`);
    if (options.name !== undefined && error instanceof RangeError) throw new Unusable(`--name ${JSON.stringify(options.name)} is refused by AWS: a name has 1 to 80 characters, no spaces, and none of < > { } [ ] ? * " # % \\ ^ | ~ \` $ & , ; : /`, { usage: true });
    throw error;
  }
}

/** Exit codes, as shells have them: 128 and the signal's number. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };

/** How an execution ends: by itself, by a signal, or because nothing is left in this process that could go on with it. */
async function ended(execution) {
  let signal;
  const listeners = Object.keys(SIGNALS).map((name) => [
    name,
    () => {
      // A second one does not wait for tasks.
      if (signal !== undefined) process.exit(SIGNALS[name]);
      signal = name;
      execution.abort("Interrupted", name === "SIGINT" ? "by the keyboard" : `by ${name}`);
    },
  ]);
  const idle = () => execution.abort("WaitsForEver", "nothing is left to do: a handler's promise never settles, or nobody answers a task token");
  listeners.push(["beforeExit", idle]);
  for (const [name, listener] of listeners) process.on(name, listener);
  const outcome = await execution.result;
  process.off("beforeExit", idle);
  return { outcome, signal };
}

/** The machine. Its warnings are printed, or put into `collected`; throws Invalid where there are errors. */
function compile(source, options, collected) {
  usable(source, options);
  const warnings = source.diagnostics(options);
  if (collected) collected.push(...warnings.map((warning) => ({ file: source.name, ...warning })));
  else if (warnings.length > 0) process.stderr.write(source.render(options, colorful(process.stderr)));
  return new StateMachine(source.json, { ...source.options(options), name: source.machine });
}

/** The handlers with a folder as S3; handlers of one's own for S3 come first. */
function withObjects(tasks, directory) {
  if (directory === undefined) return tasks;
  if (!isFolder(directory)) throw new Unusable(`--objects ${directory}: there is no such folder`);
  if (typeof tasks === "function") throw new Unusable("--objects needs named task handlers, but the module exports one function for all tasks");
  return new Map([...Object.entries(s3Handlers(folder(directory))), ...(tasks instanceof Map ? tasks : Object.entries(tasks))]);
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
  if (!/^-?\d+$/.test(option)) throw new Unusable("--seed must be a whole number", { usage: true });
  return BigInt(option);
}

function report(execution, outcome, { json, diagnostics }) {
  const { status, error, cause } = outcome;
  if (json) {
    writeJson({ name: execution.name, ...outcome, history: execution.history(), ...(diagnostics.length > 0 && { diagnostics }) });
  } else if (status === "SUCCEEDED") {
    process.stdout.write(`${JSON.stringify(outcome.output, null, 2)}\n`);
  } else {
    const entered = execution.history().findLast?.((event) => event.stateEnteredEventDetails)?.stateEnteredEventDetails.name;
    const why = [error, cause].filter(Boolean).join(": ");
    const hint = cause?.startsWith("No task handler") ? "\nPass a module with task handlers: stepglass run FILE --tasks tasks.mjs" : "";
    process.stderr.write(`${status}${entered ? ` in state ${JSON.stringify(entered)}` : ""}${why ? `: ${why}` : ""}${hint}\n`);
  }
}
