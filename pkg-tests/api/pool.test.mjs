// Executions over worker threads.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { DefinitionError, ExecutionError } from "stepglass";
import { createPool } from "stepglass/pool";

const folder = mkdtempSync(join(tmpdir(), "stepglass-pool-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const file = join(folder, "handlers.mjs");
writeFileSync(
  file,
  `import { existsSync, writeFileSync } from "node:fs";
import { threadId } from "node:worker_threads";
export const Add = ({ a, b }) => a + b;
export const Where = () => threadId;
export const Refuse = () => { throw Object.assign(new Error("not today"), { name: "Closed" }); };
export const Odd = () => { throw { name: "Odd", message: "not cloneable", run() {} }; };
export const Wait = (input, { signal }) => new Promise((resolve, reject) => {
  const timer = setTimeout(resolve, input.now ? 0 : 3_600_000);
  signal.addEventListener("abort", () => { clearTimeout(timer); reject(signal.reason); });
});
export const Die = () => process.exit(3);
export const DieOnce = ({ mark }) => {
  if (existsSync(mark)) return "alive";
  writeFileSync(mark, "");
  process.exit(4);
};
export const Break = () => new Promise(() => setTimeout(() => { throw new Error("nobody hears this"); }));
`,
);
const handlers = pathToFileURL(file);
const task = (name) => ({
  StartAt: "T",
  States: { T: { Type: "Task", Resource: `arn:aws:lambda:us-east-1:123456789012:function:${name}`, End: true } },
});

describe("a pool", () => {
  let pool;
  after(() => pool?.close());

  test("runs executions in its threads, with the handlers of a module", async () => {
    pool = await createPool({ handlers, threads: 2, concurrency: 8 });
    assert.equal(pool.threads, 2);
    const machine = pool.machine(task("Add"));
    assert.equal(await machine.run({ a: 1, b: 2 }), 3);
    const where = pool.machine(task("Where"));
    const threads = await Promise.all(Array.from({ length: 10 }, () => where.run()));
    assert.equal(new Set(threads).size, 2);
    assert.ok(!threads.includes(0));
    assert.deepEqual([pool.running, pool.waiting], [0, 0]);
  });

  test("returns numbers and large texts unchanged", async () => {
    const machine = pool.machine({ StartAt: "P", States: { P: { Type: "Pass", End: true } } });
    const input = { big: 2 ** 53, text: "ä€𝄞".repeat(10_000), none: null };
    assert.deepEqual(await machine.run(input), input);
    assert.deepEqual(await machine.run(), {});
  });

  test("returns histories on request", async () => {
    const machine = pool.machine(task("Add"));
    const execution = machine.start({ a: 1, b: 2 }, { history: "full", name: "one" });
    assert.deepEqual(await execution.result, { status: "SUCCEEDED", output: 3 });
    assert.deepEqual(
      (await execution.history()).map(({ type }) => type),
      [
        "ExecutionStarted",
        "TaskStateEntered",
        "LambdaFunctionScheduled",
        "LambdaFunctionStarted",
        "LambdaFunctionSucceeded",
        "TaskStateExited",
        "ExecutionSucceeded",
      ],
    );
    assert.deepEqual(await machine.start({ a: 1, b: 2 }).history(), []);
  });

  test("reports the error, the state and the cause of an execution that fails", async () => {
    const failing = pool.machine(task("Refuse"));
    await assert.rejects(failing.run({}, { history: "full" }), (error) => {
      assert.ok(error instanceof ExecutionError);
      assert.equal(error.cause.message, "not today");
      const { code, status, error: name, state } = error;
      assert.deepEqual({ code, status, name, state }, { code: "EXECUTION_FAILED", status: "FAILED", name: "Closed", state: "T" });
      return true;
    });
    assert.equal((await failing.start().result).error, "Closed");
    await assert.rejects(pool.machine(task("Odd")).run(), (error) => error.error === "Error" && /not cloneable/.test(error.cause.message));
    assert.equal((await pool.machine(task("Nobody")).start().result).status, "FAILED");
  });

  test("runs executions with the clock, the seed and the names from the options", async () => {
    const machine = pool.machine(
      {
        QueryLanguage: "JSONata",
        StartAt: "W",
        States: {
          W: {
            Type: "Wait",
            Seconds: 86_400,
            Output: "{% [$states.context.Execution.Name, $uuid(), $states.context.State.EnteredTime] %}",
            End: true,
          },
        },
      },
      { name: "Waiting" },
    );
    const options = { clock: "virtual", startTime: Date.UTC(2030, 0, 1), seed: 7, name: "n-1" };
    const [first, second] = await Promise.all([machine.run({}, options), machine.run({}, options)]);
    assert.deepEqual(first, second);
    assert.equal(first[0], "n-1");
    assert.match(first[2], /^2030-01-01/);
  });

  test("aborts running and queued executions", async () => {
    const waiting = pool.machine(task("Wait"));
    const running = Array.from({ length: 16 }, () => waiting.start());
    const last = waiting.start();
    assert.deepEqual([pool.running, pool.waiting], [16, 1]);
    last.abort("Mine", "why");
    assert.deepEqual(await last.result, { status: "ABORTED", error: "Mine", cause: "why" });
    assert.equal(pool.waiting, 0);
    running.forEach((execution) => execution.abort());
    const ends = await Promise.all(running.map(({ result }) => result));
    assert.deepEqual(new Set(ends.map(({ status }) => status)), new Set(["ABORTED"]));
    // Aborting an execution that has ended has no effect.
    last.abort();
    assert.throws(() => last.abort(7), { code: "INVALID_ARGUMENT" });
  });

  test("aborts an execution by the option signal, also if the signal is aborted already", async () => {
    const waiting = pool.machine(task("Wait"));
    const controller = new AbortController();
    const { result } = waiting.start({}, { signal: controller.signal });
    controller.abort(new Error("enough"));
    assert.deepEqual(await result, { status: "ABORTED", cause: "enough" });
    assert.equal((await waiting.start({}, { signal: AbortSignal.abort("before") }).result).cause, "before");
  });

  test("each() returns results in the order of the inputs, and reads ahead no more inputs than run at once", async () => {
    const machine = pool.machine(task("Add"));
    let read = 0;
    let most = 0;
    let seen = 0;
    async function* inputs() {
      for (; read < 500; read++) {
        most = Math.max(most, read - seen);
        yield { a: read, b: 1 };
      }
    }
    for await (const { output } of machine.each(inputs())) assert.equal(output, ++seen);
    assert.equal(seen, 500);
    assert.ok(most <= 16, `${most} were read ahead`);
  });

  test("each() aborts its executions when the caller leaves the loop", async () => {
    const slow = pool.machine(task("Wait"));
    for await (const { status } of slow.each([{ now: true }, ...Array.from({ length: 20 }, () => ({}))])) {
      assert.equal(status, "SUCCEEDED");
      break;
    }
    const all = slow.each(
      (function* () {
        yield 1;
        throw new Error("no more");
      })(),
    );
    await assert.rejects(all.next(), /no more/);
    // The aborted executions leave the pool.
    while (pool.running > 0) await new Promise((resolve) => setImmediate(resolve));
  });

  test("room() bounds the queue by the number of executions that run at once", async () => {
    const machine = pool.machine(task("Add"));
    const results = [];
    let most = 0;
    for (let i = 0; i < 300; i++) {
      await pool.room();
      results.push(machine.run({ a: i, b: 0 }));
      most = Math.max(most, pool.waiting);
    }
    assert.deepEqual(
      await Promise.all(results),
      results.map((_, i) => i),
    );
    assert.ok(most <= 16, `${most} waited`);
  });

  test("replaces a thread that ends, and rejects the execution that ran in it with THREAD_ENDED", async () => {
    await assert.rejects(pool.machine(task("Die")).run(), { code: "THREAD_ENDED", message: /exited with code 3/ });
    await assert.rejects(pool.machine(task("Break")).run(), { code: "THREAD_ENDED", message: /nobody hears this/ });
    assert.equal(await pool.machine(task("Add")).run({ a: 2, b: 2 }), 4);
    // A lost execution whose result nobody reads causes no unhandled rejection.
    pool.machine(task("Die")).start();
    assert.equal(await pool.machine(task("Add")).run({ a: 2, b: 3 }), 5);
  });

  test("refuses options, names, inputs and definitions that a thread cannot use", async () => {
    const machine = pool.machine(task("Add"));
    assert.throws(() => machine.start({}, { tasks: {} }), { code: "INVALID_OPTION", message: /no option "tasks"/ });
    assert.throws(() => machine.start({}, { clock: { now: () => 0 } }), { code: "INVALID_OPTION", message: /"real" or "virtual"/ });
    assert.throws(() => machine.start({}, { name: "a b" }), { code: "InvalidName" });
    assert.throws(() => machine.start(1n), { code: "INVALID_ARGUMENT" });
    assert.throws(() => pool.machine({ StartAt: "A" }), DefinitionError);
    await assert.rejects(createPool({ threads: 0 }), { code: "INVALID_OPTION" });
    await assert.rejects(createPool({ lost: "maybe" }), { code: "INVALID_OPTION" });
    await assert.rejects(createPool({ tasks: {} }), { code: "INVALID_OPTION" });
  });
});

test('lost: "restart" starts lost executions again, but not without end', async () => {
  const pool = await createPool({ handlers: file, threads: 1, lost: "restart" });
  try {
    const once = pool.machine(task("DieOnce")).run({ mark: join(folder, "mark") });
    assert.equal(await once, "alive");
    await assert.rejects(pool.machine(task("Die")).run(), { code: "THREAD_ENDED" });
    assert.equal(await pool.machine(task("Add")).run({ a: 1, b: 1 }), 2);
  } finally {
    await pool.close();
  }
});

test("a pool whose threads end one after the other gives up", async () => {
  const pool = await createPool({ handlers, threads: 1, concurrency: 1 });
  const dying = pool.machine(task("Die"));
  const ends = await Promise.allSettled(Array.from({ length: 30 }, () => dying.run()));
  assert.deepEqual(new Set(ends.map(({ reason }) => reason.code)), new Set(["THREAD_ENDED"]));
  assert.match(ends.at(-1).reason.message, /in a row/);
  assert.throws(() => dying.start(), { code: "THREAD_ENDED" });
  await pool.close();
});

test("a pool that cannot be started says why", async () => {
  await assert.rejects(createPool({ handlers: join(folder, "none.mjs"), threads: 2 }), { code: "LOAD_FAILED", message: /none\.mjs/ });
  const empty = join(folder, "empty.mjs");
  writeFileSync(empty, "export const nothing = 1;");
  await assert.rejects(createPool({ handlers: empty, threads: 1 }), { code: "LOAD_FAILED", message: /exports no handlers/ });
});

test("close() waits for started executions, for at most `grace`, and refuses new ones", async () => {
  const pool = await createPool({ handlers, threads: 1 });
  const machine = pool.machine(task("Add"));
  const all = Array.from({ length: 200 }, (_, i) => machine.run({ a: i, b: 0 }));
  const closed = pool.close();
  assert.throws(() => machine.start(), { code: "POOL_CLOSED" });
  await closed;
  assert.equal((await Promise.all(all)).length, 200);
  await pool.close();

  const other = await createPool({ handlers, threads: 1 });
  const endless = other.machine(task("Wait")).run();
  const refused = assert.rejects(endless, { code: "POOL_CLOSED" });
  await other.close({ grace: 1 });
  await refused;
});

test("a pool does not keep a process alive", () => {
  const program = join(folder, "program.mjs");
  writeFileSync(
    program,
    `import { createPool } from ${JSON.stringify(pathToFileURL(resolve(import.meta.dirname, "../../dist/pool.js")).href)};
const pool = await createPool({ handlers: ${JSON.stringify(handlers.href)}, threads: 2 });
console.log(await pool.machine(${JSON.stringify(task("Add"))}).run({ a: 20, b: 22 }));
`,
  );
  const { stdout, status, stderr } = spawnSync(process.execPath, [program], { encoding: "utf8", timeout: 60_000 });
  assert.deepEqual([stdout.trim(), status], ["42", 0], stderr);
});
