// Work that must not be done for many executions at once, because the event loop would stand still. `npm run bench -- --bombs`
// measures the times.
import assert from "node:assert/strict";
import { test } from "node:test";
import { StateMachine, TaskCancelled } from "stepglass";

const late = {
  StartAt: "M",
  States: {
    M: {
      Type: "Map",
      ItemProcessor: { ProcessorConfig: { Mode: "INLINE" }, StartAt: "T", States: { T: { Type: "Task", Resource: "Late", End: true } } },
      End: true,
    },
  },
};

test("the error of a cancelled task is created when its signal is read", async (context) => {
  let made = 0;
  Object.defineProperty(TaskCancelled.prototype, "code", {
    configurable: true,
    set(code) {
      made += 1;
      Object.defineProperty(this, "code", { value: code });
    },
  });
  context.after(() => delete TaskCancelled.prototype.code);
  const tasks = [];
  const looked = [];
  const Late = (item, task) => {
    tasks.push(task);
    if (item === 1) looked.push(task.signal);
    return new Promise(() => {});
  };
  const execution = new StateMachine(late).start([0, 1, 2, 3], { tasks: { Late } });
  while (tasks.length < 4) await new Promise(setImmediate);
  execution.abort();
  assert.equal((await execution.result).status, "ABORTED");
  assert.deepEqual([made, looked[0].aborted, looked[0].reason.code], [1, true, "TASK_CANCELLED"]);
  const { signal } = tasks[3];
  assert.deepEqual([made, signal.aborted, signal.reason instanceof TaskCancelled, signal.reason.reason], [2, true, true, "Stopped"]);
});

/** A Map over the lines of a file. Its items go to a handler `work` by name. */
const reading = (work) => ({
  Type: "Map",
  ItemReader: { Resource: "arn:aws:states:::s3:getObject", ReaderConfig: { InputType: "JSONL" }, Parameters: { Bucket: "b", Key: "k" } },
  ItemProcessor: {
    ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "EXPRESS" },
    StartAt: work,
    States: { [work]: { Type: "Task", Resource: `arn:aws:lambda:us-east-1:123456789012:function:${work}`, End: true } },
  },
  ResultPath: null,
  End: true,
});
// Characters with surrogate pairs, at even positions in some lines and at odd ones in others, so that chunks of the text start
// between the halves.
const lines = Array.from({ length: 140 }, (_, n) => "a".repeat(n % 7) + "😀".repeat(50_000));
const Body = lines.map((line) => JSON.stringify(line)).join("\n");

test("a long file is read completely, over several turns of the event loop", async (context) => {
  // The number of characters that were written into the module in this turn.
  let [written, most, over] = [0, 0, false];
  const { encodeInto, encode } = TextEncoder.prototype;
  const counting = (method) =>
    function (text, ...rest) {
      written += text.length;
      most = Math.max(most, written);
      return method.call(this, text, ...rest);
    };
  Object.assign(TextEncoder.prototype, { encodeInto: counting(encodeInto), encode: counting(encode) });
  const turn = () => {
    written = 0;
    if (!over) setImmediate(turn);
  };
  setImmediate(turn);
  context.after(() => {
    over = true;
    Object.assign(TextEncoder.prototype, { encodeInto, encode });
  });
  const got = [];
  const tasks = { Each: () => ({ Body }), Work: (item) => got.push(item) };
  const { status } = await new StateMachine({ StartAt: "Each", States: { Each: reading("Work") } }).start({}, { tasks }).result;
  assert.equal(status, "SUCCEEDED");
  assert.deepEqual(got, lines);
  assert.ok(most < Body.length, `${most} characters of ${Body.length} in one turn`);
});

test("long files that are read at the same time do not disturb each other", async () => {
  const got = { First: [], Second: [], Third: [] };
  const tasks = { Each: async () => ({ Body }), Other: () => ({ Body: `${Body}` }) };
  for (const name in got) tasks[name] = (item) => got[name].push(item);
  const each = (name, work) => ({ StartAt: name, States: { [name]: reading(work) } });
  const both = { Type: "Parallel", Branches: [each("Each", "First"), each("Other", "Second")], ResultPath: null, End: true };
  const executions = [{ StartAt: "Both", States: { Both: both } }, each("Each", "Third")].map((definition) =>
    new StateMachine(definition).start({}, { tasks }),
  );
  for (const { result } of executions) assert.equal((await result).status, "SUCCEEDED");
  assert.deepEqual(got, { First: lines, Second: lines, Third: lines });
});

test("an execution that is aborted while it reads a long file ends immediately", async () => {
  let asked = false;
  const tasks = {
    Each: () => {
      asked = true;
      return { Body };
    },
  };
  const execution = new StateMachine({ StartAt: "Each", States: { Each: reading("Work") } }).start({}, { tasks });
  while (!asked) await new Promise(setImmediate);
  execution.abort();
  assert.equal((await execution.result).status, "ABORTED");
});
