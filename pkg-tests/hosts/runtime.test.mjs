// A Runtime keeps every promise of a host, in memory and with SQLite, also if its process dies before it learns the result of a write.
import { test } from "node:test";
import { drivers, folder } from "../store/drivers.mjs";

const { hostTests } = await import("../../dist/host-tests.js");
const { MemoryStore, Runtime } = await import("../../dist/durable-node.js");

/** A clock whose timers do not fire after the process has died. */
function mortalClock() {
  const timers = new Set();
  let dead = false;
  return {
    now: () => Date.now(),
    setTimeout: (run, delay) => {
      if (dead) return undefined;
      const timer = setTimeout(() => (timers.delete(timer), run()), Math.min(delay, 2 ** 31 - 1));
      timers.add(timer);
      return timer;
    },
    clearTimeout: (timer) => (timers.delete(timer), clearTimeout(timer)),
    die: () => {
      dead = true;
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

/** A process with a runtime. After it has died, the store does not answer its calls. */
async function live(inner, program) {
  const clock = mortalClock();
  let dead = false;
  const never = new Promise(() => {});
  const call = (name) =>
    async function (...given) {
      if (dead) return never;
      const answer = await inner[name](...given);
      return dead ? never : answer;
    };
  const store = new Proxy(inner, {
    get: (_, name) => (typeof inner[name] !== "function" ? inner[name] : name === "all" ? (...given) => inner.all(...given) : call(name)),
  });
  const runtime = await new Runtime({ store, clock, ...program }).open();
  return {
    runtime,
    async die() {
      dead = true;
      clock.die();
      // The operating system releases the store's lock when its process dies.
      await inner.close();
    },
  };
}

/** Returns `open` of an adapter for a Runtime on a store. */
function host(store) {
  return async (program) => {
    const inner = await store();
    let now = await live(inner, program);
    return {
      start: (...given) => now.runtime.start(...given),
      get: (...given) => now.runtime.get(...given),
      succeed: (...given) => now.runtime.succeed(...given),
      fail: (...given) => now.runtime.fail(...given),
      async crash() {
        await now.die();
        now = await live(inner, program);
      },
      close: () => now.runtime.close(),
    };
  };
}

const adapters = { memory: host(async () => new MemoryStore()) };
const { file, done } = folder();
let files = 0;
for (const [name, { store }] of Object.entries(drivers)) adapters[name] = host(async () => store(`${file}-${files++}`));

for (const [name, open] of Object.entries(adapters))
  test(`a Runtime on ${name} keeps the promises of a host`, { concurrency: 8 }, async (t) => {
    await Promise.all(hostTests({ name, open }).map(({ name, skip, run }) => t.test(name, { skip }, run)));
  });
process.on("exit", done);
