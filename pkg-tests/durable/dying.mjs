// A store whose process dies at one of its writes. From then on no call is answered, including those that were made before.

const never = () => new Promise(() => {});
const WRITES = new Set(["write", "put", "remove", "putDefinition", "prune"]);

/**
 * The store of a process. `dies` is called before each write, with its number and its batches. It returns "before" if the process dies
 * before the write, and "after" if it dies after the write, which is then stored but not answered. `called` runs before every call of the
 * store.
 */
export function dyingStore(inner, { dies, died, called, wrote }) {
  let dead = false;
  let writes = 0;
  const die = () => {
    dead = true;
    died();
    return never();
  };
  const call = async (name, args) => {
    called();
    if (!WRITES.has(name)) {
      const answer = await inner[name](...args);
      return dead ? never() : answer;
    }
    writes += 1;
    const death = dies(writes, name, args);
    if (death === "before") return die();
    const answer = await inner[name](...args);
    if (dead) return never();
    if (name === "write") wrote?.(args[0], answer);
    return death === "after" ? die() : answer;
  };
  return new Proxy(inner, {
    get(target, name) {
      if (name === "writes") return writes;
      if (name === "all") return (...args) => (dead ? never() : target.all(...args));
      if (typeof target[name] !== "function") return target[name];
      return (...args) => (dead ? never() : call(name, args));
    },
  });
}
