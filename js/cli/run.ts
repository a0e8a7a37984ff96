// The command `stepglass run` runs a definition and prints its output.

import type { Diagnostic, ExecutionResult, MachineOptions, StartOptions, TaskHandlers } from "../core/api/index.d.ts";
import { type Execution, driverOf } from "../core/execution/execution.ts";
import { StateMachine } from "../core/execution/machine.ts";
import { PAYLOAD_LIMIT } from "../core/execution/start.ts";
import { folder } from "../language/files/folder.ts";
import { Unusable } from "../language/files/problem.ts";
import { isFolder } from "../language/files/reading.ts";
import { Source, usable } from "../language/files/source.ts";
import { unhandledError } from "../language/files/unhandled.ts";
import { colorful, writeJson, writeJsonText } from "../language/files/terminal.ts";
import { detailsOf, isStateEntered } from "../core/history/events.ts";
import { membersText } from "../core/tasks/integration.ts";
import { KnownText } from "../core/tasks/known-text.ts";
import { s3Handlers } from "../core/tasks/objects.ts";
import { awsOptions, wantsAws } from "./aws-options.ts";
import { defineCommand, type Options, type Values } from "./command.ts";
import { Progress, eventLine } from "./progress.ts";
import { inputOf } from "./input.ts";
import { handlersOf } from "./tasks.ts";

const help = `stepglass run FILE [options]

Runs a definition and prints its output as JSON.

  stepglass run hello.asl.json
  stepglass run order.yaml --input '{"id": 7}'
  stepglass run order.yaml --input @order.json        reads the input from a file, or from standard input with @-
  stepglass run order.yaml --tasks tasks.mjs          uses functions for the Task states
  stepglass run slow.yaml --virtual-clock             waits and retries take no real time
  stepglass run order.yaml --events                   prints every event as it happens
  stepglass run order.yaml --json | jq .history       prints everything as one JSON object
  stepglass run template.yaml#OrderMachine            a machine in a template: CloudFormation, SAM, serverless.yml
  stepglass run cdk.out#Orders                        a machine that cdk synth wrote; main.tf#orders for Terraform
  stepglass run orders.yaml --objects ./data          ItemReader and ResultWriter use ./data/BUCKET/KEY
  stepglass run parent.yaml --machines child.yaml     a machine that states:startExecution can start
  stepglass run order.yaml --aws-endpoint http://localhost:4566  sends tasks to an emulator such as LocalStack

tasks.mjs exports functions named after Lambda functions, activities or states:

  export const ChargeCard = async ({ amount }) => ({ charged: amount });
  export default { "sqs:sendMessage": () => ({ MessageId: "1" }), "*": (input) => input };

An object of functions can be the default export or an export with the name tasks.

Options
  -i, --input JSON    the input, default {}; @FILE reads it from a file
  -t, --tasks MODULE  an ES module (or CommonJS module) with task handlers
      --objects DIR   a folder to use as S3, with a subfolder for each bucket
      --machines FILE a definition that tasks can start; its name is its logical id in a template, or
                      the file's name up to the first dot; can be repeated
      --aws           sends tasks without another handler to AWS, through this project's AWS SDK
      --aws-endpoint [SERVICE=]URL
                      sends them, or those of one service, to an emulator; can be repeated
      --aws-only PATTERN
                      sends only tasks of this name, such as "sqs:*"; can be repeated
      --aws-dry-run   prints what would be called, and exits
  -e, --events        prints every event of the history to standard error
      --virtual-clock jumps over waits, back-offs and timeouts
      --seed NUMBER   makes UUIDs, random numbers and jitter repeatable
      --name NAME     the name of the execution
      --type TYPE     STANDARD (default) or EXPRESS
      --define NAME=VALUE
                      the value of a placeholder \${NAME}; can be repeated
      --json          {name, status, output | error, cause, history, diagnostics?} as one JSON object

Without an --aws flag, no task leaves this machine, except to the endpoints in LAMBDA_ENDPOINT, SQS_ENDPOINT and the other
variables of Step Functions Local. docs/aws.md lists the integrations.

Ctrl+C aborts the execution and its tasks and prints how far it got. The command exits at most two seconds after the
execution ends, even if the module keeps a connection or a timer open.

Exit code: 0 the execution succeeded; 1 it did not, or the definition has errors; 2 wrong usage; 130 or 143 ended by
SIGINT or SIGTERM.
`;

const options = {
  define: { type: "string", multiple: true },
  input: { type: "string", short: "i", file: true },
  tasks: { type: "string", short: "t", file: true },
  objects: { type: "string", file: true },
  ...awsOptions,
  machines: { type: "string", multiple: true, file: true },
  events: { type: "boolean", short: "e" },
  "virtual-clock": { type: "boolean" },
  seed: { type: "string" },
  name: { type: "string" },
  type: { type: "string", values: ["STANDARD", "EXPRESS"] },
  json: { type: "boolean" },
} as const satisfies Options;

export const command = defineCommand({ name: "run", summary: "run a definition and print its output", help, options, run });

/** A warning of a definition, with its file. */
type Warning = Diagnostic & { file: string };

async function run([file, ...others]: string[], values: Values<typeof options>): Promise<number> {
  if (file === undefined || others.length > 0) throw new Unusable("run needs one file", { usage: true });
  if (file === "-" && values.input === "@-")
    throw new Unusable("the definition and the input cannot both come from standard input", { usage: true });
  // With --json, the warnings are a part of the one value that is printed.
  const warnings: Warning[] | undefined = values.json ? [] : undefined;
  const source = new Source(file);
  const machine = compile(source, values.type ? { type: values.type } : {}, warnings);
  const input = inputOf(values.input);
  const own = withObjects(await handlersOf(values.tasks), values.objects);
  const aws = wantsAws(values, process.env) ? await import("./aws.ts") : undefined;
  const requestedHandlers = aws?.requestedHandlers(values, process.env, { lambda: true });
  const start: StartOptions = {
    tasks: aws !== undefined && requestedHandlers !== undefined ? aws.withAws(own, requestedHandlers) : own,
    clock: values["virtual-clock"] ? "virtual" : "real",
  };
  if (values.seed !== undefined) start.seed = seedOf(values.seed);
  if (values.machines) start.machines = values.machines.map((one) => compile(new Source(one), {}, warnings));
  if (aws !== undefined && requestedHandlers?.isDry) {
    const calls = await aws.wouldCall(machine, start);
    if (values.json) writeJson(calls);
    else process.stdout.write(aws.callLines(calls));
    return 0;
  }
  if (values.name !== undefined) start.name = values.name;
  const began = Date.now();
  const progress = new Progress(process.stderr);
  if (values.events) {
    let first: number | undefined;
    start.onEvent = (event) => {
      first ??= Date.parse(event.timestamp);
      progress.write(eventLine(event, first));
    };
  }
  const execution = started(machine, input, start);
  progress.begin(execution, began);
  const { outcome, code } = await ended(execution);
  progress.end();
  if (warnings === undefined) {
    report(execution, outcome);
    if (outcome.status === "FAILED") reportUnhandled(execution, machine, source, start);
  } else {
    const end = outcome.status === "SUCCEEDED" ? { ...outcome, output: new KnownText(outputOf(execution)) } : outcome;
    const diagnostics = warnings.length > 0 ? warnings : undefined;
    writeJsonText(membersText({ name: execution.name, ...end, history: execution.history(), diagnostics }));
  }
  return code ?? (outcome.status === "SUCCEEDED" ? 0 : 1);
}

function started(machine: StateMachine, input: KnownText, start: StartOptions): Execution {
  try {
    return machine.start(input, start);
  } catch (error) {
    // AWS's messages for these two errors name neither the option nor the rule.
    const bytes = Buffer.byteLength(input.text);
    if (error instanceof RangeError && bytes > PAYLOAD_LIMIT) {
      throw new Unusable(`the input has ${bytes.toLocaleString("en")} bytes; AWS takes at most ${PAYLOAD_LIMIT.toLocaleString("en")}`);
    }
    if (error instanceof RangeError && start.name !== undefined) {
      const rule = 'a name has 1 to 80 characters, no spaces, and none of < > { } [ ] ? * " # % \\ ^ | ~ ` $ & , ; : /';
      throw new Unusable(`--name ${JSON.stringify(start.name)} is refused by AWS: ${rule}`, { usage: true });
    }
    throw error;
  }
}

/** Exit codes by signal. As in shells, they are 128 plus the number of the signal. */
const SIGNALS = [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const;

/**
 * Waits for the end of an execution: by itself, by a signal, which has its own exit code, or because nothing in this process can
 * continue it.
 */
async function ended(execution: Execution): Promise<{ outcome: ExecutionResult; code: number | undefined }> {
  let given: number | undefined;
  for (const [signal, code] of SIGNALS) {
    process.on(signal, () => {
      // A second signal does not wait for tasks.
      if (given !== undefined) process.exit(code);
      given = code;
      execution.abort("Interrupted", signal === "SIGINT" ? "by the keyboard" : `by ${signal}`);
    });
  }
  const idle = () =>
    execution.abort("WaitsForEver", "nothing is left to do: a handler's promise never settles, or nobody answers a task token");
  process.on("beforeExit", idle);
  const outcome = await execution.result;
  process.off("beforeExit", idle);
  return { outcome, code: given };
}

/** Compiles the machine. Its warnings are printed, or added to `collected`. Throws Invalid if there are errors. */
function compile(source: Source, settings: MachineOptions, collected: Warning[] | undefined): StateMachine {
  const { json } = usable(source, settings);
  const warnings = source.diagnostics(settings);
  if (collected !== undefined) collected.push(...warnings.map((warning) => ({ file: source.name, ...warning })));
  else if (warnings.length > 0) process.stderr.write(source.render(settings, colorful(process.stderr)));
  return new StateMachine(json, { ...source.options(settings), name: source.machine });
}

/** Adds handlers that use a folder as S3. The user's own handlers for S3 take precedence. */
function withObjects(tasks: TaskHandlers, directory: string | undefined): TaskHandlers {
  if (directory === undefined) return tasks;
  if (!isFolder(directory)) throw new Unusable(`--objects ${directory}: there is no such folder`);
  if (typeof tasks === "function")
    throw new Unusable("--objects needs named task handlers, but the module exports one function for all tasks");
  return new Map([...Object.entries(s3Handlers(folder(directory))), ...(tasks instanceof Map ? tasks : Object.entries(tasks))]);
}

function seedOf(option: string): bigint {
  if (!/^-?\d+$/.test(option)) throw new Unusable("--seed must be a whole number", { usage: true });
  return BigInt(option);
}

/** Returns the output of an execution that succeeded as JSON text. Its parsed value would have rounded numbers. */
function outputOf(execution: Execution): string {
  const driver = driverOf(execution);
  const [end] = driver.history(driver.events - 1);
  return String(detailsOf(end!).output);
}

/** Prints the field where the error arose, and why no retrier and no catcher handled it. */
function reportUnhandled(execution: Execution, { definition, type }: StateMachine, source: Source, { seed, name }: StartOptions): void {
  const names = { type, ...(seed !== undefined && { seed }), ...(name !== undefined && { name }) };
  const lines = unhandledError({ definition, place: (pointer) => source.place(pointer) }, execution.history(), names);
  for (const line of lines) process.stderr.write(`  ${line}\n`);
}

/** Prints the output, or how the execution has ended instead. */
function report(execution: Execution, outcome: ExecutionResult): void {
  if (outcome.status === "SUCCEEDED") return writeJsonText(outputOf(execution));
  const { status, error, cause }: { status: string; error?: string | undefined; cause?: string | undefined } = outcome;
  const entered = execution.history().filter(isStateEntered).at(-1);
  const state = entered === undefined ? "" : ` in state ${JSON.stringify(detailsOf(entered).name)}`;
  const why = [error, cause].filter(Boolean).join(": ");
  const hint = driverOf(execution).failedWithoutHandler ? "\nPass a module with task handlers: stepglass run FILE --tasks tasks.mjs" : "";
  process.stderr.write(`${status}${state}${why ? `: ${why}` : ""}${hint}\n`);
}
