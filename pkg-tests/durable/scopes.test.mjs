// Cancellation of a part of an execution: from outside, and of the branches beside a state.
import assert from "node:assert/strict";
import { test } from "node:test";
import { atEveryWrite, execution, quiet, surroundings } from "./surroundings.mjs";

const never = () => new Promise(() => {});
const CAUGHT = [{ ErrorEquals: ["Stepglass.Cancelled"], ResultPath: "$.why", Next: "Clean" }];
const CLEAN = { Clean: { Type: "Task", Resource: "clean", ResultPath: "$.clean", End: true } };
const task = (more) => ({ Type: "Task", Resource: "work", ...more });

/** A branch whose task is cleaned up after when it is cancelled. */
const guarded = (name) => ({ StartAt: name, States: { [name]: task({ Catch: CAUGHT, End: true }), ...CLEAN } });
const renamed = (branch, to) => JSON.parse(JSON.stringify(branch).replaceAll('"Clean"', `"${to}"`));

const TWO = {
  StartAt: "Both",
  States: { Both: { Type: "Parallel", Branches: [guarded("Left"), renamed(guarded("Right"), "Clean 2")], End: true } },
};
const why = { Error: "Stepglass.Cancelled", Cause: "enough" };

test("cancelScope cancels one branch, whose clean-up runs, and the other branch goes on, whichever write the process dies at", async () => {
  await atEveryWrite(
    () => {
      let free;
      // The other branch ends only after the clean-up, so it must still be running then.
      const freed = new Promise((resolve) => (free = resolve));
      return {
        options: {
          machines: { M: TWO },
          tasks: {
            work: (_, { stateName }) => (stateName === "Right" ? freed.then(() => "done") : never()),
            clean: () => (free(), "cleaned"),
          },
        },
        check: async (runtime) => {
          const { status, output } = await (await runtime.get("M", "m")).result;
          assert.deepEqual([status, output], ["SUCCEEDED", [{ why, clean: "cleaned" }, "done"]]);
          assert.equal((await (await runtime.get("M", "m")).describe()).cancelRequested, undefined);
        },
      };
    },
    async (runtime) => {
      const one = await execution(runtime, "M", { name: "m" });
      await quiet();
      // After a restart, the branch may have been cancelled already.
      const isThere = (await one.frames()).some(({ state }) => state === "Left");
      assert.equal(await one.cancelScope("Both", { index: 0, details: "enough" }), isThere);
      await one.result;
    },
  );
});

test("cancelScope cancels an inner scope, whose Catch runs, and leaves the outer one alive", async () => {
  const branch = (name) => ({ StartAt: name, States: { [name]: task({ End: true }) } });
  const inner = { Type: "Parallel", Branches: [branch("A"), branch("B")], Catch: CAUGHT, End: true };
  const machine = {
    StartAt: "Outer",
    States: {
      Outer: {
        Type: "Parallel",
        Branches: [{ StartAt: "Inner", States: { Inner: inner, ...CLEAN } }, branch("Other")],
        End: true,
      },
    },
  };
  const ends = {};
  const work = (_, { stateName, signal }) =>
    new Promise((resolve) => ((ends[stateName] = resolve), signal.addEventListener("abort", () => (ends[`${stateName} aborted`] = true))));
  const place = surroundings({ machines: { M: machine }, tasks: { work, clean: () => "cleaned" } });
  const one = await (await place.restart()).start("M");
  await quiet();
  assert.equal(await one.cancelScope("Inner", { details: "enough" }), true);
  await quiet();
  assert.deepEqual([ends["A aborted"], ends["B aborted"], ends["Other aborted"]], [true, true, undefined]);
  ends.Other("other");
  assert.deepEqual(await one.result, { status: "SUCCEEDED", output: [{ why, clean: "cleaned" }, "other"] });
  await place.close();
});

test("cancelScope returns false for a state in which the execution is not, and refuses other arguments", async () => {
  const place = surroundings({ machines: { M: TWO }, tasks: { work: never } });
  const one = await (await place.restart()).start("M");
  await quiet();
  assert.equal(await one.cancelScope("Clean"), false);
  assert.equal(await one.cancelScope("Both", { index: 2 }), false);
  await assert.rejects(one.cancelScope("Both", { index: -1 }), { code: "INVALID_OPTION" });
  await assert.rejects(one.cancelScope(7), { code: "INVALID_ARGUMENT" });
  assert.equal((await one.describe()).status, "RUNNING");
  await place.close();
});

/** A Parallel whose first branch works and then ends the others, which watch until they are cancelled and then clean up. */
const DAEMON = {
  StartAt: "Scope",
  States: {
    Scope: {
      Type: "Parallel",
      Branches: [
        {
          StartAt: "Main",
          States: {
            Main: task({ Next: "End daemons" }),
            "End daemons": {
              Type: "Task",
              Resource: "urn:stepglass:cancelBranches",
              Parameters: { Details: "enough" },
              ResultPath: null,
              End: true,
            },
          },
        },
        { StartAt: "Daemon", States: { Daemon: { Type: "Task", Resource: "watch", Catch: CAUGHT, End: true }, ...CLEAN } },
      ],
      Next: "After",
    },
    After: { Type: "Pass", End: true },
  },
};

test("a daemon branch ends with its scope: its clean-up runs and the main result counts, whichever write the process dies at", async () => {
  const cleaned = [];
  await atEveryWrite(
    () => ({
      options: {
        machines: { M: DAEMON },
        tasks: { work: () => "main", watch: never, clean: (_, { idempotencyKey }) => (cleaned.push(idempotencyKey), "cleaned") },
      },
      check: async (runtime) => {
        const { status, output } = await (await runtime.get("M", "m")).result;
        assert.deepEqual([status, output], ["SUCCEEDED", ["main", { why, clean: "cleaned" }]]);
      },
    }),
    async (runtime) => void (await (await execution(runtime, "M", { name: "m" })).result),
  );
  assert.equal(new Set(cleaned).size, 1);
});

test("a daemon branch belongs to the innermost scope, and outer branches go on", async () => {
  const other = { StartAt: "Other", States: { Other: { Type: "Task", Resource: "other", End: true } } };
  const inner = { StartAt: "Scope", States: { Scope: { ...DAEMON.States.Scope, Next: undefined, End: true } } };
  const machine = { StartAt: "Outer", States: { Outer: { Type: "Parallel", Branches: [inner, other], End: true } } };
  let end;
  const place = surroundings({
    machines: { M: machine },
    tasks: { work: () => "main", watch: never, clean: () => "cleaned", other: () => new Promise((resolve) => (end = resolve)) },
  });
  const one = await (await place.restart()).start("M");
  await quiet();
  assert.deepEqual(
    (await one.frames()).map(({ state }) => state),
    ["Outer", "Other"],
  );
  end("other");
  assert.deepEqual((await one.result).output, [["main", { why, clean: "cleaned" }], "other"]);
  await place.close();
});

test("the first branch that is ready gives the result, and the others are cancelled", async () => {
  const racer = (name) => ({
    StartAt: name,
    States: {
      [name]: task({ Catch: [{ ErrorEquals: ["Stepglass.Cancelled"], Next: `${name} lost` }], Next: `${name} won` }),
      [`${name} won`]: { Type: "Task", Resource: "urn:stepglass:cancelBranches", ResultPath: null, End: true },
      [`${name} lost`]: { Type: "Pass", Result: null, End: true },
    },
  });
  const machine = { StartAt: "Race", States: { Race: { Type: "Parallel", Branches: [racer("A"), racer("B"), racer("C")], End: true } } };
  const place = surroundings({
    machines: { M: machine },
    tasks: { work: (_, { stateName }) => (stateName === "B" ? { found: 7 } : never()) },
  });
  const one = await (await place.restart()).start("M");
  assert.deepEqual(await one.result, { status: "SUCCEEDED", output: [null, { found: 7 }, null] });
  await place.close();
});
