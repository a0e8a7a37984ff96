// Shared set-up for tests of executions that outlive their runtime.
import { importSource } from "../../scripts/sources.mjs";
import { TestClock, quiet } from "./clock.mjs";

export { TestClock, quiet };
export const { MemoryStore, Runtime } = await importSource("js/entries/durable-node.ts");

/** A store and a clock, and `restart`, which closes the runtime and opens another one with them. */
export function surroundings(options) {
  const store = new MemoryStore();
  const clock = new TestClock();
  let now;
  const restart = async (more = {}) => {
    await quiet();
    await now?.close();
    now = await new Runtime({ store, clock, ...options, ...more }).open();
    await quiet();
    return now;
  };
  return { store, clock, restart, close: () => now.close() };
}

/** A store whose process dies at its write number `writes`: that write is stored but not answered, and no later call has an effect. */
function mortal(store, writes) {
  let left = writes;
  let die;
  const died = new Promise((resolve) => (die = resolve));
  const never = new Promise(() => {});
  const call = (target, name) =>
    function (...given) {
      if (left <= 0) return never;
      const answer = target[name](...given);
      if (name !== "write" || --left > 0) return answer;
      return Promise.resolve(answer).then(() => (die("died"), never));
    };
  const proxy = new Proxy(store, {
    get: (target, name) => (typeof target[name] === "function" ? call(target, name) : target[name]),
  });
  return { proxy, died, disarm: () => void (left = Infinity) };
}

/**
 * Runs a scenario again and again, each time with a process that dies one write later, and then once more with another runtime on the
 * same store. So everything that the scenario does must be repeatable. Returns the number of writes at which the process has died.
 */
export async function atEveryWrite(world, scenario) {
  for (let writes = 1; ; writes += 1) {
    const { options, check } = world();
    const store = new MemoryStore();
    const clock = new TestClock();
    const { proxy, died, disarm } = mortal(store, writes);
    const first = await new Runtime({ store: proxy, clock, ...options }).open();
    const done = scenario(first, clock).then(() => "done");
    done.catch(() => {});
    if ((await Promise.race([done, died])) === "done") {
      disarm();
      await check(first);
      await first.close();
      return writes - 1;
    }
    await store.close();
    const second = await new Runtime({ store, clock, ...options }).open();
    await scenario(second, clock);
    await check(second);
    await second.close();
  }
}

/** Returns the execution with this name, and starts it if there is none. */
export async function execution(runtime, machine, options) {
  return (await runtime.get(machine, options.name)) ?? (await runtime.start(machine, options));
}
