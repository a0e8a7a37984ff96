// The machines of the crash programme: one for each kind of wait, with what its tasks answer.

const task = (Resource, more) => ({ Type: "Task", Resource, ...more });
const machine = (StartAt, States) => ({ StartAt, States });
const items = { Type: "Map", ItemsPath: "$.items", MaxConcurrency: 3, End: true };
const one = (mode) => ({ ...(mode && { ProcessorConfig: mode }), ...machine("I", { I: task("echo", { End: true }) }) });
const echo = (Next) => task("echo", Next === undefined ? { End: true } : { Next });

export const machines = {
  Task: machine("A", { A: echo("B"), B: echo("C"), C: echo() }),
  Wait: machine("A", { A: echo("W"), W: { Type: "Wait", Seconds: 1, Next: "B" }, B: echo() }),
  Retry: machine("A", {
    A: task("flaky", { Retry: [{ ErrorEquals: ["Flaky"], IntervalSeconds: 1, BackoffRate: 1, MaxAttempts: 5 }], Next: "B" }),
    B: echo(),
  }),
  Token: machine("A", {
    A: task("arn:aws:states:::sqs:sendMessage.waitForTaskToken", {
      Parameters: { "token.$": "$$.Task.Token" },
      TimeoutSeconds: 3600,
      Next: "B",
    }),
    B: echo(),
  }),
  Activity: machine("A", {
    A: task("arn:aws:states:us-east-1:123456789012:activity:act", { HeartbeatSeconds: 3600, Next: "B" }),
    B: echo(),
  }),
  Parallel: machine("P", {
    P: {
      Type: "Parallel",
      Branches: [
        machine("X", { X: echo("Y"), Y: echo() }),
        machine("Z", { Z: echo() }),
        machine("W", { W: { Type: "Wait", Seconds: 1, End: true } }),
      ],
      Next: "B",
    },
    B: echo(),
  }),
  Map: machine("M", { M: { ...items, ItemProcessor: one() } }),
  DistributedMap: machine("M", { M: { ...items, ItemProcessor: one({ Mode: "DISTRIBUTED", ExecutionType: "STANDARD" }) } }),
  // Its task is an execution of another machine, which ends before it.
  Sync: machine("S", {
    S: task("arn:aws:states:::states:startExecution.sync:2", {
      Parameters: { StateMachineArn: "arn:aws:states:us-east-1:123456789012:stateMachine:Task", "Input.$": "$" },
      ResultSelector: { "output.$": "$.Output" },
      Next: "B",
    }),
    B: echo(),
  }),
  // It goes on with another definition while it waits.
  Migrate: machine("A", { A: echo("W"), W: { Type: "Wait", Seconds: 1, Next: "B" }, B: echo() }),
  // Their facts are long, and a snapshot takes their place.
  Large: machine("A", { A: task("large", { Next: "B" }), B: task("large", { Next: "C" }), C: task("large", { Next: "D" }), D: echo() }),
  // It fails until it is redriven.
  Redrive: machine("A", { A: echo("B"), B: task("broken", { Next: "C" }), C: echo() }),
  // It is stopped while its task is at work.
  Stop: machine("A", { A: echo("B"), B: task("never", { End: true }) }),
};

/** How an execution of each kind ends that nobody kills: its status, and its output. */
export function expected(kind, input) {
  const { items } = input;
  switch (kind) {
    case "Sync":
      return ["SUCCEEDED", { output: input }];
    case "Token":
      return ["SUCCEEDED", { answered: input.n }];
    case "Parallel":
      return ["SUCCEEDED", [input, input, input]];
    case "Map":
    case "DistributedMap":
      return ["SUCCEEDED", items];
    case "Large":
      return ["SUCCEEDED", { text: "x".repeat(LARGE) }];
    case "Stop":
      return ["ABORTED", undefined];
    default:
      return ["SUCCEEDED", input];
  }
}

/** The characters of a large answer. */
export const LARGE = 30_000;
