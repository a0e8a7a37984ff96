// Compiled, but never run: correct code compiles, and wrong code does not.
import { DebugSession, measureCoverage } from "stepglass/debug";
import {
  Activity,
  DefinitionError,
  Engine,
  ExecutionError,
  StateMachine,
  TaskError,
  JsonText,
  TaskResponse,
  compare,
  complete,
  init,
  replayHistory,
  layout,
  language,
  renderMermaid,
  renderSvg,
  s3Handlers,
  simulate,
  validate,
  version,
} from "stepglass";
import aslValidator, { type AslValidatorResult } from "stepglass/asl-validator";
import { folder } from "stepglass/node";
import type {
  ChildExecution,
  Command,
  Diagnostic,
  Execution,
  ExecutionSnapshot,
  HistoryEvent,
  Step,
  TaskHandler,
  TaskHandlers,
} from "stepglass";

const machine = new StateMachine({ StartAt: "A", States: {} }, { name: "M", type: "EXPRESS" });
new StateMachine("{}");

// @ts-expect-error a machine has one of two types
new StateMachine("{}", { type: "FAST" });
// @ts-expect-error a definition is text or an object
new StateMachine(5);

const add: TaskHandler<{ x: number; y: number }, number> = async ({ x, y }, task) => {
  task.signal.addEventListener("abort", () => {});
  task.heartbeat();
  const attempt: number = task.attempt;
  const token: string | undefined = task.token;
  if (token) task.execution.succeed(token, { attempt });
  // @ts-expect-error tasks are read-only
  task.attempt = 5;
  return x + y;
};
const handlers: TaskHandlers = { add, other: () => undefined, raw: () => new TaskResponse({ a: 1 }) };
const digits: string = new JsonText("1.0").text;
handlers["text"] = () => new JsonText(digits);
// @ts-expect-error the input is a text, not a value
new JsonText({ a: 1 });
const many: TaskHandlers = new Map([["add", add as TaskHandler]]);
const all: TaskHandlers = (input, { resource }) => [resource, input];
// @ts-expect-error a handler is a function
const wrong: TaskHandlers = { add: 5 };

export async function use(): Promise<void> {
  await init();
  const sum = await machine.run<number>({ x: 1 }, { tasks: handlers, clock: "virtual", seed: 5n });
  sum.toFixed();
  const execution: Execution<{ id: string }> = machine.start<{ id: string }>({}, { tasks: many, onEvent: (event) => void event.id });
  for await (const event of execution) tell(event);
  const result = await execution.result;
  switch (result.status) {
    case "SUCCEEDED":
      result.output.id.trim();
      break;
    case "FAILED":
    case "ABORTED":
      result.error?.trim();
      // @ts-expect-error a failure has no output
      void result.output;
      break;
    case "TIMED_OUT":
      break;
    default:
      result satisfies never;
  }
  const snapshot: ExecutionSnapshot = execution.snapshot();
  machine.restore(JSON.parse(JSON.stringify(snapshot)), { tasks: all });
  execution.abort("Error", "cause");
  execution.fail("token", { error: "E", cause: "c" });
  // @ts-expect-error the clock has a name or is a clock
  machine.start({}, { clock: "fast" });
  machine.start({}, { clock: { now: () => 0, setTimeout: (run, delay) => setTimeout(run, delay), clearTimeout } });

  try {
    await machine.run();
  } catch (error) {
    if (error instanceof ExecutionError)
      console.log(error.status, error.state, error.errorCause?.length, error.code, error.execution.history());
    if (error instanceof DefinitionError) error.diagnostics.map(({ range }) => range?.start.line);
    throw new TaskError("E", { any: "thing" });
  }
}

function tell(event: HistoryEvent): string {
  switch (event.type) {
    case "TaskScheduled":
      return event.taskScheduledEventDetails.parameters;
    case "PassStateEntered":
    case "MapStateEntered":
      return event.stateEnteredEventDetails.name;
    case "ExecutionFailed":
      return event.executionFailedEventDetails.error ?? "";
    case "LambdaFunctionStarted":
      // @ts-expect-error this event has no details
      return event.lambdaFunctionStartedEventDetails;
    // @ts-expect-error there is no such event
    case "FailStateExited":
      return "";
    default:
      return event.timestamp;
  }
}

function perform(command: Command): unknown {
  switch (command.type) {
    case "Invoke":
      return [command.task, command.input, command.resource];
    case "Cancel":
      return command.reason === "Timeout";
    case "ChildFinished":
      return command.history;
    case "Finish":
      return command.status === "SUCCEEDED" ? command.output : undefined;
    default:
      return command satisfies never;
  }
}

const engine = new Engine(machine, { history: "none" });
const step: Step = engine.start(Date.now(), {}, { name: "n" }, 1);
step.commands.map(perform);
const deadline: number | undefined = engine.deadline;
Engine.restore(machine, engine.snapshot()).succeed(deadline ?? 0, 1, {});

const problems: Diagnostic[] = validate("{}", { type: "STANDARD" });
problems.map(({ severity, fix }) => [severity === "error", fix?.replacement]);
const report = simulate(
  "{}",
  {},
  { A: [{ output: 1, after: 5 }, { error: "E" }], B: (input, task) => ({ output: [input, task.attempt] }) },
);
report.duration.toFixed();
// @ts-expect-error a scripted result has no such member
simulate("{}", {}, { A: { outptu: 1 } });
layout({}).nodes.map(({ x, type }) => (type === "Task" ? x : 0));
const svg: string = renderSvg("{}", { theme: "dark", direction: "LR" });
renderMermaid({}, { direction: "LR" }) satisfies string;
renderSvg({}, { status: { A: "caught" }, taken: new Map([["/StartAt", 1]]), notes: { A: "×2" }, foldLarge: true });
// @ts-expect-error there is no such status
renderSvg({}, { status: { A: "great" } });
language.apply("{}", language.rename("{}", 1, "B")) satisfies string;
language.codeActions("{}").flatMap(({ problem, edits }) => (problem ? edits.map(({ text }) => text) : [])) satisfies string[];
language.hover("{}", 1)?.title satisfies string | undefined;
const label: string = complete("{", 1)
  .items.map(({ label }) => label)
  .join();
const references: string[] | undefined = machine.variableReferences.A;

const review = new Activity();
review.getTask({ workerName: "Ada", signal: AbortSignal.timeout(1) }).then(({ taskToken, input }) => review.succeed(taskToken, input));
const children: ChildExecution[] = [];
machine
  .start(
    {},
    {
      tasks: {
        review,
        ...s3Handlers({ "b/k": "text", "b/l": new Uint8Array(), "b/m": [{ n: 1 }], "b/n": new URL("https://example.org/") }),
        ...s3Handlers(folder("data")),
      },
      machines: [machine],
      onNested: (child, parent) => child.abort(parent.arn),
      onChild: (child) => children.push(child),
      onStage: ({ state, event, stage, value }) => `${state} ${event} ${stage} ${value}`,
    },
  )
  .frames()
  .map(({ mapRun }) => mapRun?.itemCounts.pending);
machine.start({}, { machines: { Child: machine }, tasks: s3Handlers({ get: async (bucket, key) => `${bucket}/${key}` }) });
// @ts-expect-error a machine is not a definition
machine.start({}, { machines: [{}] });
// @ts-expect-error a store must have get()
s3Handlers({ put: () => {} });

const debug = new DebugSession(machine, {
  input: {},
  seed: 1,
  ask: true,
  clock: 10,
  mocks: { A: { mode: "script", steps: [{ attempt: "0", error: "E" }, { result: 1 }] } },
});
debug.setBreakpoints([{ kind: "stage", state: "A", stage: "result", condition: "$.x > 1" }]).map(({ id, hits }) => id + hits);
debug.on("stopped", ({ reason, breakpoint }) => `${reason} ${breakpoint}`);
const { visits: compared, ways } = debug.compare(1, 2);
compared.map(
  ({ state, a, b, changes }) => `${state} ${a?.enter} ${b?.enter} ${changes.includes("output")} ${ways["/States/A"] === "both"}`,
);
measureCoverage({}, debug.coverage(debug.run, { whole: true })).places.map(({ count }) => count.toFixed());
debug.restart({}, { seed: 2, label: "again" });
debug.stackTrace().map(({ state, iterations }) => `${state} ${iterations.at(-1)}`);
debug.setBreakpoints([{ kind: "entry", state: "Charge", machine: "Payment" }]);
const inner: string | undefined = debug.stopped.execution?.machine;
for (const { id, parent, status } of debug.executions()) if (parent === 0 && status === "RUNNING" && inner) debug.selectExecution(id);
const edit = debug.applyDefinition({});
const told: string = edit.same ? "" : edit.now;
// @ts-expect-error there is no such mode
debug.setMocks({ A: { mode: "guess" } });

const { divergence, tasks: recorded } = replayHistory(
  {},
  { events: [{ id: 1, timestamp: new Date() }] },
  { type: "EXPRESS", name: "n", seed: 1 },
);
const parted: string = `${divergence?.event} ${divergence?.aspect} ${recorded.map(({ state, attempt, output }) => `${state}${attempt}${output}`)}`;
const broken: string[] = compare("{}", {})
  .running.filter(({ severity }) => severity === "breaks")
  .map(({ message }) => message);
// @ts-expect-error a number is not a history
replayHistory({}, 1);

const text: string = parted + broken.join() + told + version() + svg + label + references;
export { text, wrong };

const judged: AslValidatorResult = aslValidator({ StartAt: "A", States: {} });
const toldAs: string = judged.errorsText(", ");
void toldAs;
