// A Runtime keeps every promise of a host, in memory and with SQLite; its process dies at a write that nobody hears of.
import { test } from "node:test";
import { drivers, folder } from "../store/drivers.mjs";

const { hostTests } = await import("../../dist/host-tests.js");
const { MemoryStore, Runtime } = await import("../../dist/durable-node.js");

/** The timers of a process, which end with it. */
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

/** A process with a store; when it has died, nothing that it asks of the store is answered. */
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
      // The system gives up what a process that is gone had.
      await inner.close();
    },
  };
}

/** A host on a store. */
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
  test(`a Runtime on ${name}`, { concurrency: 8 }, async (t) => {
    await Promise.all(hostTests({ name, open }).map(({ name, skip, run }) => t.test(name, { skip }, run)));
  });
process.on("exit", done);
