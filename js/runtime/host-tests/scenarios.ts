// Executions that must have the same result on a host as in memory: there is one for each feature of machines.

import type { HostExecution, HostFeature, HostProgram, OpenHost } from "../../core/api/host-tests.d.ts";
import type { Comparison } from "./equality.ts";
import { failure } from "./world.ts";
import type { World } from "./world.ts";

type Machine = Exclude<HostProgram["machines"][string], string>;

export interface Scenario extends Comparison {
  name: string;
  machines: HostProgram["machines"];
  /** The input of the machine `Main`. */
  input?: unknown;
  tasks?: (world: World) => HostProgram["tasks"];
  /** Acts as a caller outside the execution, for example by answering a task token. */
  drive?: (host: Pick<OpenHost, "succeed" | "fail">, execution: HostExecution, world: World) => Promise<unknown>;
  needs?: HostFeature;
}

export const CALLBACK = "arn:aws:states:::sqs:sendMessage.waitForTaskToken";
const INVOKE = "arn:aws:states:::states:startExecution.sync:2";

const task = (resource: string, more: object = {}): object => ({ Type: "Task", Resource: resource, ...more });

/** Returns a machine that runs the states one after the other. */
export function machine(...states: [name: string, state: object][]): Machine {
  const last = states.length - 1;
  return {
    StartAt: states[0]![0],
    States: Object.fromEntries(
      states.map(([name, state], i) => [name, { ...state, ...(i === last ? { End: true } : { Next: states[i + 1]![0] }) }]),
    ),
  } as Machine;
}

const echo = (world: World): HostProgram["tasks"] => world.handlers({ echo: (input) => input });
const one = (state: object, name = "One"): object => ({ StartAt: name, States: { [name]: { ...state, End: true } } });
const flow = (StartAt: string, States: object): Machine => ({ StartAt, States }) as Machine;

const data: Scenario[] = [
  {
    name: "paths, templates, intrinsic functions and variables",
    input: { items: [3, 1, 2], name: "Ann", nested: { deep: [{ x: 1 }, { x: 2 }] } },
    machines: {
      Main: machine(
        [
          "Shape",
          { Type: "Pass", Parameters: { "xs.$": "$.nested.deep[*].x", "text.$": "States.Format('to {}', $.name)" }, ResultPath: "$.made" },
        ],
        ["Note", { Type: "Pass", Assign: { "kept.$": "$.made", n: 4 }, InputPath: "$.items" }],
        ["Use", { Type: "Pass", Parameters: { "kept.$": "$kept", "sum.$": "States.MathAdd($n, 1)", "id.$": "States.UUID()" } }],
      ),
    },
  },
  {
    name: "the Context Object",
    machines: {
      Main: machine([
        "Show",
        {
          Type: "Pass",
          Parameters: {
            "execution.$": "$$.Execution.Id",
            "name.$": "$$.Execution.Name",
            "machine.$": "$$.StateMachine.Id",
            "machineName.$": "$$.StateMachine.Name",
            "input.$": "$$.Execution.Input",
            "state.$": "$$.State.Name",
          },
        },
      ]),
    },
  },
  {
    name: "JSONata",
    input: { n: 20, words: ["a", "b"] },
    machines: {
      Main: {
        QueryLanguage: "JSONata",
        ...flow("Compute", {
          Compute: {
            Type: "Pass",
            Assign: { twice: "{% $states.input.n * 2 %}" },
            Output: "{% $join($states.input.words, '-') %}",
            Next: "Show",
          },
          Show: {
            Type: "Pass",
            Output: { text: "{% $states.input %}", twice: "{% $twice %}", name: "{% $states.context.Execution.Name %}" },
            End: true,
          },
        }),
      } as Machine,
    },
  },
  {
    name: "Choice and a loop",
    input: { n: 0 },
    machines: {
      Main: flow("Add", {
        Add: { Type: "Pass", Parameters: { "n.$": "States.MathAdd($.n, 1)" }, Next: "Enough" },
        Enough: { Type: "Choice", Choices: [{ Variable: "$.n", NumericLessThan: 40, Next: "Add" }], Default: "Done" },
        Done: { Type: "Succeed" },
      }),
    },
  },
  { name: "Fail", machines: { Main: flow("No", { No: { Type: "Fail", Error: "Refused", Cause: "for a reason" } }) } },
  {
    name: "an error of the data flow",
    input: { a: 1 },
    machines: { Main: machine(["Path", { Type: "Pass", InputPath: "$.missing" }]) },
  },
];

const tasks: Scenario[] = [
  {
    name: "tasks one after the other",
    input: { n: 1 },
    machines: { Main: machine(["A", task("add")], ["B", task("add")], ["C", task("add")]) },
    tasks: (world) => world.handlers({ add: async ({ n }) => ({ n: n + 1 }) }),
  },
  {
    name: "Retry, and the error that is left",
    input: { n: 1 },
    machines: {
      Main: machine(
        ["Again", task("busy", { Retry: [{ ErrorEquals: ["Busy"], IntervalSeconds: 1, MaxAttempts: 2, BackoffRate: 1 }] })],
        ["Never", task("broken", { Retry: [{ ErrorEquals: ["Busy"], IntervalSeconds: 1 }] })],
      ),
    },
    tasks: (world) =>
      world.handlers({
        busy: (input, { attempt }) => {
          if (attempt < 2) throw failure("Busy", `attempt ${attempt}`);
          return input;
        },
        broken: () => Promise.reject(failure("Broken", "for good")),
      }),
  },
  {
    name: "Catch",
    input: { n: 1 },
    machines: {
      Main: flow("Try", {
        Try: task("refuse", { Catch: [{ ErrorEquals: ["Refused"], ResultPath: "$.error", Next: "Then" }], End: true }),
        Then: task("refuse", { Catch: [{ ErrorEquals: ["States.ALL"], Next: "Done" }], End: true }),
        Done: { Type: "Pass", End: true },
      }),
    },
    tasks: (world) =>
      world.handlers({
        refuse: () => {
          throw failure("Refused", '{"why":"a cause in JSON"}');
        },
      }),
  },
  {
    name: "TimeoutSeconds and HeartbeatSeconds of a silent task",
    machines: {
      Main: flow("Slow", {
        Slow: task("silent", { TimeoutSeconds: 1, Catch: [{ ErrorEquals: ["States.Timeout"], Next: "Quiet" }], End: true }),
        Quiet: task("silent", { TimeoutSeconds: 60, HeartbeatSeconds: 1, End: true }),
      }),
    },
    tasks: (world) => world.handlers({ silent: undefined }),
  },
  {
    name: "Wait, and TimeoutSeconds of the machine",
    machines: {
      Main: {
        ...flow("Short", { Short: { Type: "Wait", Seconds: 1, Next: "Long" }, Long: { Type: "Wait", Seconds: 60, End: true } }),
        TimeoutSeconds: 2,
      },
    },
  },
  {
    name: "an answer that is too large",
    machines: {
      Main: flow("Large", {
        Large: task("large", { Catch: [{ ErrorEquals: ["States.DataLimitExceeded"], Next: "Small" }], End: true }),
        Small: { Type: "Pass", Result: "small", End: true },
      }),
    },
    tasks: (world) => world.handlers({ large: () => "x".repeat(300_000) }),
  },
  {
    name: "payloads of 200,000 characters and of all of Unicode",
    input: { text: "x".repeat(200_000), more: 'ä€𝄞\u0000\u2028"\\' },
    machines: { Main: machine(["A", task("echo")], ["B", task("echo")]) },
    tasks: echo,
  },
  {
    name: "a task token",
    input: { to: "Ann" },
    machines: {
      Main: flow("Ask", {
        Ask: task(CALLBACK, { Parameters: { "Token.$": "$$.Task.Token", "To.$": "$.to" }, ResultPath: "$.answer", Next: "Again" }),
        Again: task(CALLBACK, { Parameters: { "Token.$": "$$.Task.Token" }, TimeoutSeconds: 60, End: true }),
      }),
    },
    tasks: (world) => world.handlers({ [CALLBACK]: () => ({ MessageId: "1" }) }),
    drive: async (host, _, world) => {
      await host.succeed((await world.called(CALLBACK)).input.Token, { yes: true });
      await host.fail((await world.called(CALLBACK, 1)).input.Token, { error: "Declined", cause: "no time" });
    },
  },
];
const several: Scenario[] = [
  {
    name: "Parallel",
    concurrent: true,
    input: { n: 1 },
    machines: {
      Main: machine(
        ["Both", { Type: "Parallel", Branches: [one(task("echo")), one({ Type: "Wait", Seconds: 1 }, "Two"), one(task("echo"), "Three")] }],
        ["After", task("echo")],
      ),
    },
    tasks: echo,
  },
  {
    name: "a branch that fails and ends the others",
    concurrent: true,
    machines: {
      Main: machine([
        "Both",
        { Type: "Parallel", Branches: [one(task("silent")), one(task("refuse"), "Two"), one({ Type: "Wait", Seconds: 60 }, "Three")] },
      ]),
    },
    tasks: (world) =>
      world.handlers({
        silent: undefined,
        // The other task has then started.
        refuse: async () => {
          await world.called("silent");
          throw failure("Refused", "all of it");
        },
      }),
  },
  {
    name: "Map, one item at a time",
    input: [1, 2, 3, 4],
    machines: { Main: machine(["Each", { Type: "Map", MaxConcurrency: 1, ItemProcessor: one(task("echo")) }]) },
    tasks: echo,
  },
  {
    name: "Map with Retry in it, ten items at once",
    concurrent: true,
    input: { items: Array.from({ length: 10 }, (_, n) => n) },
    machines: {
      Main: machine([
        "Each",
        {
          Type: "Map",
          ItemsPath: "$.items",
          ItemSelector: { "n.$": "$$.Map.Item.Value", "i.$": "$$.Map.Item.Index" },
          ItemProcessor: one(task("odd", { Retry: [{ ErrorEquals: ["Odd"], IntervalSeconds: 1, BackoffRate: 1 }] })),
          ResultPath: "$.results",
        },
      ]),
    },
    tasks: (world) =>
      world.handlers({
        odd: ({ n }, { attempt }) => {
          if (n % 2 === 1 && attempt === 0) throw failure("Odd", `${n}`);
          return { n };
        },
      }),
  },
  {
    name: "a Distributed Map with failures that it tolerates",
    needs: "distributed-map",
    concurrent: true,
    input: { items: Array.from({ length: 30 }, (_, n) => n) },
    machines: {
      Main: machine([
        "Each",
        {
          Type: "Map",
          ItemsPath: "$.items",
          MaxConcurrency: 8,
          ToleratedFailureCount: 3,
          ItemProcessor: { ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" }, ...one(task("tenth")) },
        },
      ]),
    },
    tasks: (world) =>
      world.handlers({
        tenth: (n) => {
          if (n % 10 === 9) throw failure("Tenth", `${n}`);
          return { n };
        },
      }),
  },
  {
    name: "a Distributed Map with more failures than it tolerates",
    needs: "distributed-map",
    concurrent: true,
    input: { items: [1, 2, 3] },
    machines: {
      Main: machine([
        "Each",
        {
          Type: "Map",
          ItemsPath: "$.items",
          MaxConcurrency: 1,
          ItemProcessor: { ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" }, ...one(task("refuse")) },
        },
      ]),
    },
    tasks: (world) => world.handlers({ refuse: () => Promise.reject(failure("Refused", "each")) }),
  },
  {
    name: "an execution that a task starts and waits for",
    needs: "children",
    children: true,
    input: { n: 5 },
    machines: {
      Main: machine([
        "Child",
        task(INVOKE, {
          Parameters: { StateMachineArn: "arn:aws:states:us-east-1:123456789012:stateMachine:Child", "Input.$": "$" },
          ResultSelector: { "status.$": "$.Status", "output.$": "$.Output" },
        }),
      ]),
      Child: machine(["A", task("echo")]),
    },
    tasks: echo,
  },
  {
    name: "signals",
    needs: "signals",
    machines: {
      Main: machine(
        ["First", task("urn:stepglass:waitForSignal", { Parameters: { Name: "go" }, ResultPath: "$.first" })],
        ["Second", task("urn:stepglass:waitForSignal", { Parameters: { Name: "go" }, ResultPath: "$.second" })],
      ),
    },
    drive: async (_, execution) => {
      await execution.signal!("go", { n: 1 });
      await execution.signal!("go", { n: 2 });
    },
  },
];

export const scenarios: readonly Scenario[] = [...data, ...tasks, ...several];
