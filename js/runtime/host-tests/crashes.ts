// Tests of the promises that a host keeps when its process ends without a warning.

import type { HostExecution, OpenHost } from "../../core/api/host-tests.d.ts";
import { holds, same } from "./checks.ts";
import { inOrder } from "./equality.ts";
import { between, endOf, typesOf } from "./promises.ts";
import { CALLBACK, machine } from "./scenarios.ts";
import { failure } from "./world.ts";
import type { Surroundings, Test } from "./world.ts";

const task = (Resource: string) => ({ Type: "Task", Resource });
const ASK = { ...task(CALLBACK), Parameters: { "Token.$": "$$.Task.Token" } };

/** Returns the handle of an execution after a crash. */
async function again(host: OpenHost, execution: HostExecution, around: Surroundings, name: string): Promise<HostExecution> {
  const found = await around.patience.until(() => host.get("Main", name), `the execution ${name}, after the crash,`);
  same(found.arn, execution.arn, "the ARN");
  return found;
}

export const crashes: readonly Test[] = [
  {
    name: "an execution resumes after a crash in each of its tasks; no task whose answer was kept is called again",
    async run(around) {
      const { world } = around;
      const Main = machine(["A", task("a")], ["B", task("b")], ["C", task("c")]);
      const host = await around.open({ machines: { Main }, tasks: world.handlers({ a: undefined, b: undefined, c: undefined }) });
      const name = around.name("crash");
      const execution = await host.start("Main", { name, input: {} });
      for (const each of ["a", "b", "c"]) {
        const before = await world.called(each);
        await host.crash!();
        // The host that would receive this answer is gone, so the answer must have no effect.
        before.answer({ from: "the past" });
        const now = await world.called(each, 1);
        same(
          { key: now.key, attempt: now.attempt },
          { key: before.key, attempt: before.attempt },
          "the key and the attempt of the second call",
        );
        now.answer({ from: each });
      }
      const found = await again(host, execution, around, name);
      same(await endOf(found, around), { status: "SUCCEEDED", output: { from: "c" } }, "the result");
      for (const each of ["a", "b", "c"]) same(world.of(each).length, 2, `the number of calls of ${each}`);
      const events = await found.history();
      inOrder(events);
      same(typesOf(events).filter((type) => type.endsWith("Scheduled")).length, 3, "the number of tasks in the history");
      same(typesOf(events).length, 17, "the number of events");
    },
  },
  {
    name: "a start, an answer by a token and a stop that were acknowledged are kept",
    async run(around) {
      const { world } = around;
      const Main = machine(["Ask", ASK], ["Work", task("work")]);
      const host = await around.open({ machines: { Main }, tasks: world.handlers({ [CALLBACK]: () => ({}), work: undefined }) });
      const name = around.name("crash");
      const execution = await host.start("Main", { name, input: { n: 1 } });
      await host.crash!();
      const { Token } = (await world.called(CALLBACK)).input as { Token: string };
      const tokens = () => new Set(world.of(CALLBACK).map(({ input }) => input.Token as string));
      same(await host.succeed(Token, { yes: true }), true, "the answer");
      await host.crash!();
      same(tokens().size, 1, "the number of tokens of one task");
      same(await host.succeed(Token, { no: true }), false, "an answer again, after the crash");
      const call = await world.called("work");
      same(call.input, { yes: true }, "what the next task gets");
      const found = await again(host, execution, around, name);
      await around.patience.of(found.stop("Enough", "for a test"), "stop()");
      await host.crash!();
      const end = await again(host, execution, around, name);
      same(await endOf(end, around), { status: "ABORTED", error: "Enough", cause: "for a test" }, "the result");
      const { input } = await end.describe();
      same(input, { n: 1 }, "the input");
    },
  },
  {
    name: "timers continue: what was due meanwhile happens at its own time",
    async run(around) {
      const { world } = around;
      const retried = { ...task("busy"), Retry: [{ ErrorEquals: ["Busy"], IntervalSeconds: 1 }] };
      const Main = machine(["Busy", retried], ["Wait", { Type: "Wait", Seconds: 1 }], ["Work", task("work")]);
      const busy = (_: unknown, { attempt }: { attempt: number }) => {
        if (attempt === 0) throw failure("Busy", "once");
        return 1;
      };
      const host = await around.open({ machines: { Main }, tasks: world.handlers({ busy, work: undefined }) });
      const name = around.name("crash");
      const execution = await host.start("Main", { name, input: {} });
      const has = (type: string) => async () => typesOf(await (await again(host, execution, around, name)).history()).includes(type);
      await around.patience.until(has("WaitStateEntered"), "the Wait state");
      const shown = await (await again(host, execution, around, name)).history();
      await host.crash!();
      const call = await world.called("work");
      await host.crash!();
      const second = await world.called("work", 1);
      same(second.key, call.key, "the key of the second call");
      second.answer("done");
      const found = await again(host, execution, around, name);
      same(await endOf(found, around), { status: "SUCCEEDED", output: "done" }, "the result");
      const events = await found.history();
      same(events.slice(0, shown.length), shown, "what was shown before the crash");
      same(between(events, "WaitStateEntered", "WaitStateExited"), 1000, "the milliseconds of a Wait state of a second");
    },
  },
  {
    name: "parallel tasks that were running are called again, those that have answered are not",
    // Only the history shows when an answer is stored.
    needs: "live-history",
    async run(around) {
      const { world } = around;
      const each = { StartAt: "In", States: { In: { ...task("work"), End: true } } };
      const Main = machine(["Each", { Type: "Map", ItemProcessor: each }]);
      const host = await around.open({ machines: { Main }, tasks: world.handlers({ work: undefined }) });
      const name = around.name("crash");
      const execution = await host.start("Main", { name, input: [0, 1, 2, 3] });
      await world.called("work", 3);
      const open = [...world.of("work")];
      for (const call of open) if (call.input < 2) call.answer(call.input);
      const ended = async () =>
        typesOf(await (await again(host, execution, around, name)).history()).filter((type) => type === "MapIterationSucceeded").length ===
        2;
      await around.patience.until(ended, "two iterations of four");
      await host.crash!();
      await world.called("work", 5);
      const later = world.of("work").slice(4);
      same(later.map(({ input }) => input).sort(), [2, 3], "the items that are called again");
      for (const call of later) {
        holds(
          open.some(({ key, input }) => key === call.key && input === call.input),
          `item ${call.input} has another key now`,
        );
        call.answer(call.input);
      }
      same(await endOf(await again(host, execution, around, name), around), { status: "SUCCEEDED", output: [0, 1, 2, 3] }, "the result");
      same(world.of("work").length, 6, "the number of calls");
    },
  },
];
