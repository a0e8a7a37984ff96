// Tests of the promises that a host keeps while it runs: starts, keys, answers, stops, timers, concurrent executions, histories.

import type { HostExecution, HostPromise, OpenHost } from "../../core/api/host-tests.d.ts";
import type { HistoryEvent } from "../../core/api/index.d.ts";
import { holds, refusal, same } from "./checks.ts";
import { inOrder, timeOf } from "./equality.ts";
import { CALLBACK, machine } from "./scenarios.ts";
import { failure } from "./world.ts";
import type { Surroundings, Test } from "./world.ts";

const TASK = { Type: "Task", Resource: "work" };
const ASK = { Type: "Task", Resource: CALLBACK, Parameters: { "Token.$": "$$.Task.Token" } };
const WORK = machine(["Work", TASK]);

/** Returns the types of a history's events. */
export const typesOf = (events: readonly HistoryEvent[]): string[] => events.map(({ type }) => type);

/** Resolves to the result of an execution. */
export const endOf = (execution: HostExecution, { patience }: Surroundings) => patience.of(execution.result, "the execution's end");

const starts: Test[] = [
  {
    name: "starts with the same name and input, even at the same time, give one execution",
    async run(around) {
      const host = await around.open({ machines: { Main: WORK }, tasks: around.world.handlers({ work: undefined }) });
      const name = around.name("start");
      const start = () => host.start("Main", { name, input: { n: 1 } });
      const executions = await Promise.all([start(), start(), start()]);
      const call = await around.world.called("work");
      executions.push(await start());
      same(new Set(executions.map(({ arn }) => arn)).size, 1, "the number of ARNs");
      call.answer({ done: true });
      for (const execution of executions)
        same(await endOf(execution, around), { status: "SUCCEEDED", output: { done: true } }, "the result");
      same(new Set(around.world.calls.map(({ key }) => key)).size, 1, "the number of tasks");
    },
  },
  {
    name: "another input, or a name whose execution has ended, is refused with EXECUTION_EXISTS",
    async run(around) {
      const host = await around.open({ machines: { Main: WORK }, tasks: around.world.handlers({ work: undefined }) });
      const name = around.name("start");
      const first = await host.start("Main", { name, input: { n: 1 } });
      same((await refusal(host.start("Main", { name, input: { n: 2 } }), "another input")).code, "EXECUTION_EXISTS", "the code");
      (await around.world.called("work")).answer("first");
      await endOf(first, around);
      same((await refusal(host.start("Main", { name, input: { n: 1 } }), "a name that was used")).code, "EXECUTION_EXISTS", "the code");
      same((await first.describe()).input, { n: 1 }, "the input");
    },
  },
  {
    name: "an execution is found by its name, and described",
    async run(around) {
      const host = await around.open({ machines: { Main: WORK }, tasks: around.world.handlers({ work: undefined }) });
      const name = around.name("start");
      same(await host.get("Main", name), undefined, "an execution that was never started");
      const { arn } = await host.start("Main", { name, input: { n: 1 } });
      const found = (await host.get("Main", name))!;
      const { status, name: describedName, machine, input } = await found.describe();
      same(
        { arn: found.arn, status, name: describedName, machine, input },
        { arn, status: "RUNNING", name, machine: "Main", input: { n: 1 } },
        "it",
      );
      (await around.world.called("work")).answer("done");
      await endOf(found, around);
      const { status: then, output } = await found.describe();
      same({ then, output }, { then: "SUCCEEDED", output: "done" }, "its end");
    },
  },
];

const keys: Test[] = [
  {
    name: "a task's key is the same for its retries, and for nothing else",
    async run(around) {
      const { world } = around;
      const retried = { ...TASK, Retry: [{ ErrorEquals: ["Busy"], IntervalSeconds: 1, MaxAttempts: 3, BackoffRate: 1 }] };
      const each = { StartAt: "In", States: { In: { ...retried, End: true } } };
      const Main = machine(
        ["Once", { ...retried, ResultPath: null }],
        ["Each", { Type: "Map", ItemsPath: "$.items", ItemProcessor: each, ResultPath: null }],
        ["Last", retried],
      );
      const work = (_: unknown, { attempt }: { attempt: number }) => {
        if (attempt < 1) throw failure("Busy", "once");
        return 1;
      };
      const host = await around.open({ machines: { Main }, tasks: world.handlers({ work }) });
      const both = await Promise.all(["a", "b"].map((one) => host.start("Main", { name: around.name(one), input: { items: [1, 2, 3] } })));
      for (const execution of both) same((await endOf(execution, around)).status, "SUCCEEDED", "the status");
      const attempts = new Map<string, Set<number>>();
      for (const { key, attempt } of world.calls) attempts.set(key, (attempts.get(key) ?? new Set()).add(attempt));
      same(attempts.size, 10, "the number of keys of two executions with five tasks each");
      for (const [key, seen] of attempts) same([...seen].sort(), [0, 1], `the attempts of ${key}`);
    },
  },
];

const answers: Test[] = [
  {
    name: "a token is good for one answer",
    async run(around) {
      const { world } = around;
      const tasks = { ...world.handlers({ [CALLBACK]: () => ({}), work: undefined }) };
      const host = await around.open({ machines: { Main: machine(["Ask", ASK], ["Work", TASK]) }, tasks });
      const execution = await host.start("Main", { name: around.name("token"), input: {} });
      const { Token } = (await world.called(CALLBACK)).input as { Token: string };
      const both = await Promise.all([host.succeed(Token, { n: 1 }), host.succeed(Token, { n: 1 })]);
      same(both.sort(), [false, true], "two answers at the same time");
      const call = await world.called("work");
      same(await host.fail(Token, { error: "Late" }), false, "a failure after the answer");
      same(await host.succeed(Token, { n: 2 }), false, "another answer");
      same(call.input, { n: 1 }, "what the next task gets");
      call.answer("end");
      same(await endOf(execution, around), { status: "SUCCEEDED", output: "end" }, "the result");
      same(await host.succeed(Token, { n: 3 }), false, "an answer after the execution's end");
    },
  },
  {
    name: "a token that was never issued is refused",
    async run(around) {
      const host = await around.open({
        machines: { Main: machine(["Ask", ASK]) },
        tasks: around.world.handlers({ [CALLBACK]: () => ({}) }),
      });
      const execution = await host.start("Main", { name: around.name("token"), input: {} });
      const { Token } = (await around.world.called(CALLBACK)).input as { Token: string };
      // This character is part of the token's authentication code.
      const changed = `${Token.slice(0, 20)}${Token[20] === "A" ? "B" : "A"}${Token.slice(21)}`;
      const accepted = (token: string) => host.succeed(token, "forged").catch(() => false);
      same(await accepted(changed), false, "an answer with a changed token");
      same(await accepted("nonsense"), false, "an answer with nonsense");
      same((await execution.describe()).status, "RUNNING", "the status");
      same(await host.succeed(Token, "real"), true, "the answer");
      same(await endOf(execution, around), { status: "SUCCEEDED", output: "real" }, "the result");
    },
  },
  {
    name: "what comes after a timeout changes nothing",
    async run(around) {
      const { world } = around;
      const caught = (Next: string) => ({ TimeoutSeconds: 1, Catch: [{ ErrorEquals: ["States.Timeout"], Next }] });
      const Main = {
        StartAt: "Ask",
        States: {
          Ask: { ...ASK, ...caught("Work"), End: true },
          Work: { ...TASK, ...caught("Rest"), End: true },
          Rest: { Type: "Task", Resource: "rest", End: true },
        },
      };
      const host = await around.open({
        machines: { Main },
        tasks: world.handlers({ [CALLBACK]: () => ({}), work: undefined, rest: undefined }),
      });
      const execution = await host.start("Main", { name: around.name("late"), input: {} });
      const { Token } = (await world.called(CALLBACK)).input as { Token: string };
      const work = await world.called("work");
      same(await host.succeed(Token, "late"), false, "an answer by a token after the timeout");
      const rest = await world.called("rest");
      await around.patience.until(() => work.aborted, "the signal of a task that has timed out");
      work.answer("late");
      rest.answer("in time");
      same(await endOf(execution, around), { status: "SUCCEEDED", output: "in time" }, "the result");
      const ends = typesOf(await execution.history()).filter((type) => /^(Task|LambdaFunction|Activity)(Succeeded|TimedOut)$/.test(type));
      same(
        ends.map((type) => type.replace(/^(Task|LambdaFunction|Activity)/, "")),
        ["TimedOut", "TimedOut", "Succeeded"],
        "the ends of the tasks",
      );
    },
  },
];

const stops: Test[] = [
  {
    name: "a stop does not wait for a running task",
    async run(around) {
      const { world } = around;
      const Main = machine(["Work", TASK], ["After", { ...TASK, Resource: "after" }]);
      const host = await around.open({ machines: { Main }, tasks: world.handlers({ work: undefined, after: undefined }) });
      const execution = await host.start("Main", { name: around.name("stop"), input: {} });
      const call = await world.called("work");
      await around.patience.of(execution.stop("Enough", "for a test"), "stop()");
      same(await endOf(execution, around), { status: "ABORTED", error: "Enough", cause: "for a test" }, "the result");
      await around.patience.until(() => call.aborted, "the signal of the task");
      call.answer("late");
      await execution.stop("Again", "too late");
      const { status, error } = await execution.describe();
      same({ status, error }, { status: "ABORTED", error: "Enough" }, "the description");
      same(typesOf(await execution.history()).at(-1), "ExecutionAborted", "the last event");
      same(world.of("after").length, 0, "the number of tasks that were called afterwards");
    },
  },
  {
    name: "what waits is stopped",
    async run(around) {
      const { world } = around;
      const Main = machine(["Wait", { Type: "Wait", Seconds: 3600 }], ["After", TASK]);
      const Asks = machine(["Ask", ASK], ["After", TASK]);
      const host = await around.open({ machines: { Main, Asks }, tasks: world.handlers({ [CALLBACK]: () => ({}), work: undefined }) });
      const waits = await host.start("Main", { name: around.name("stop"), input: {} });
      const asks = await host.start("Asks", { name: around.name("stop"), input: {} });
      const { Token } = (await world.called(CALLBACK)).input as { Token: string };
      for (const execution of [waits, asks]) {
        await around.patience.of(execution.stop(), "stop()");
        same((await endOf(execution, around)).status, "ABORTED", "the status");
      }
      same(await host.succeed(Token, "late"), false, "an answer after the stop");
      same(world.of("work").length, 0, "the number of tasks that were called afterwards");
    },
  },
];

/** Returns the time between the first events of two types, in milliseconds. */
export function between(events: readonly HistoryEvent[], from: string, to: string): number {
  const [start, end] = [from, to].map((type) => events.find((event) => event.type === type));
  holds(start !== undefined && end !== undefined, `the history has no ${start === undefined ? from : to}`);
  return timeOf(end.timestamp) - timeOf(start.timestamp);
}

const timers: Test[] = [
  {
    name: "Wait states, timeouts and retry delays happen on time",
    async run(around) {
      const { world } = around;
      const Waits = machine(["Wait", { Type: "Wait", Seconds: 1 }]);
      const Slow = machine(["Work", { ...TASK, TimeoutSeconds: 1 }]);
      const Retries = machine(["Busy", { ...TASK, Resource: "busy", Retry: [{ ErrorEquals: ["Busy"], IntervalSeconds: 1 }] }]);
      const busy = (_: unknown, { attempt }: { attempt: number }) => {
        if (attempt === 0) throw failure("Busy", "once");
        return 1;
      };
      const host = await around.open({ machines: { Waits, Slow, Retries }, tasks: world.handlers({ work: undefined, busy }) });
      const history = async (machine: string) => {
        const begun = performance.now();
        const execution = await host.start(machine, { name: around.name("timers"), input: {} });
        await endOf(execution, around);
        holds(performance.now() - begun > 990, `${machine} has ended before its second was over`);
        return execution.history();
      };
      const [waits, slow, retries] = await Promise.all(["Waits", "Slow", "Retries"].map(history));
      same(between(waits!, "WaitStateEntered", "WaitStateExited"), 1000, "the milliseconds of a Wait state of a second");
      const begun = typesOf(slow!).find((type) => /(Task|Function|Activity)Started$/.test(type))!;
      const ended = typesOf(slow!).find((type) => type.endsWith("TimedOut") && !type.startsWith("Execution"))!;
      same(between(slow!, begun, ended), 1000, "the milliseconds to a timeout of a second");
      const scheduled = retries!.filter(({ type }) => type.endsWith("Scheduled")).map(({ timestamp }) => timeOf(timestamp));
      const failed = timeOf(retries!.find(({ type }) => type.endsWith("Failed"))!.timestamp);
      same(scheduled[1]! - failed, 1000, "the milliseconds of a delay of a second");
    },
  },
  {
    name: "a time that has passed, and times of many executions",
    async run(around) {
      const Main = machine(["Until", { Type: "Wait", TimestampPath: "$.until" }]);
      const host = await around.open({ machines: { Main }, tasks: {} });
      const now = 1000 * Math.ceil(Date.now() / 1000);
      const times = [-3_600_000, ...Array.from({ length: 20 }, (_, i) => 1000 * (i % 2))].map((after) =>
        new Date(now + after).toISOString(),
      );
      const executions = await Promise.all(times.map((until) => host.start("Main", { name: around.name("until"), input: { until } })));
      for (const [i, execution] of executions.entries()) {
        same(await endOf(execution, around), { status: "SUCCEEDED", output: { until: times[i] } }, "the result");
        const left = (await execution.history()).find(({ type }) => type === "WaitStateExited")!;
        const until = Date.parse(times[i]!);
        holds(timeOf(left.timestamp) >= until && Date.now() > until - 10, `a Wait state until ${times[i]} has ended early`);
      }
    },
  },
];

const separation: Test[] = [
  {
    name: "executions side by side have their own tasks, errors and histories",
    async run(around) {
      const { world } = around;
      const Main = machine(["A", TASK], ["B", TASK]);
      const work = async ({ n }: { n: number }) => {
        if (n % 5 === 4) throw failure("Fifth", `${n}`);
        return { n };
      };
      const host = await around.open({ machines: { Main }, tasks: world.handlers({ work }) });
      const started = await Promise.all(
        Array.from({ length: 25 }, (_, n) => host.start("Main", { name: around.name("apart"), input: { n } })),
      );
      for (const [n, execution] of started.entries()) {
        const fails = n % 5 === 4;
        const result = fails ? { status: "FAILED", error: "Fifth", cause: `${n}` } : { status: "SUCCEEDED", output: { n } };
        same(await endOf(execution, around), result, `the result of execution ${n}`);
        same((await execution.history()).length, fails ? 6 : 12, `the number of events of execution ${n}`);
      }
    },
  },
];

const histories: Test[] = [
  {
    name: "a history shows what has happened so far, and does not change what it has shown",
    // Other hosts show events later, for example when a part of the work is done.
    needs: "live-history",
    async run(around) {
      const { world } = around;
      const Main = machine(["A", TASK], ["B", TASK], ["C", TASK]);
      const host = await around.open({ machines: { Main }, tasks: world.handlers({ work: undefined }) });
      const execution = await host.start("Main", { name: around.name("history"), input: {} });
      const shown: HistoryEvent[][] = [];
      for (let i = 0; i < 3; i += 1) {
        const call = await world.called("work", i);
        shown.push(await execution.history());
        call.answer(i);
      }
      await endOf(execution, around);
      const all = await execution.history();
      for (const part of shown) same(all.slice(0, part.length), part, "what was shown while it ran");
      holds(shown[2]!.length > shown[0]!.length, "the history has to grow while it runs");
    },
  },
  {
    name: "pages of a history are parts of it",
    async run(around) {
      const Main = machine(["A", TASK], ["B", TASK], ["C", TASK]);
      const host = await around.open({ machines: { Main }, tasks: around.world.handlers({ work: (input) => input }) });
      const execution = await host.start("Main", { name: around.name("history"), input: {} });
      await endOf(execution, around);
      const all = await execution.history();
      inOrder(all);
      same(await execution.history({ from: 3, limit: 4 }), all.slice(3, 7), "a page");
      same(await execution.history({ from: 2, limit: 3, reverse: true }), all.toReversed().slice(2, 5), "a page from the end");
      same(await execution.history({ from: all.length }), [], "the page after the last one");
      same(await (await host.get("Main", (await execution.describe()).name))!.history(), all, "the history, asked for again");
    },
  },
];

/** Tests of redrives, for the hosts that support them. */
const redrives: Test[] = [
  {
    name: "an execution that failed is redriven once",
    async run(around) {
      const { world } = around;
      let broken = true;
      const work = (input: unknown) => {
        if (broken) throw failure("Broken", "for now");
        return input;
      };
      const Main = machine(["A", { ...TASK, Resource: "first" }], ["B", TASK]);
      const host: OpenHost = await around.open({ machines: { Main }, tasks: world.handlers({ first: (input) => input, work }) });
      const execution = await host.start("Main", { name: around.name("redrive"), input: { n: 1 } });
      same((await endOf(execution, around)).status, "FAILED", "the status");
      broken = false;
      await execution.redrive!();
      const again = (await host.get("Main", (await execution.describe()).name))!;
      same(await endOf(again, around), { status: "SUCCEEDED", output: { n: 1 } }, "the result");
      same(world.of("first").length, 1, "the number of calls of the task before the one that failed");
      inOrder(await again.history());
      await refusal(again.redrive!(), "a redrive of what has succeeded");
    },
  },
];

export const promises: ReadonlyMap<HostPromise, readonly Test[]> = new Map([
  ["start", starts],
  ["keys", keys],
  ["answers", answers],
  ["stop", stops],
  ["timers", timers],
  ["apart", separation],
  ["history", histories],
]);

export { redrives };
