// A store whose process dies at one of its writes: nothing that it was asked before is answered after that.

const never = () => new Promise(() => {});
const WRITES = new Set(["write", "put", "remove", "putDefinition", "prune"]);

/**
 * The store of a process. `dies` is called before each write, with its number and its batches, and says whether the process dies
 * "before" it or "after" it, when it is stored and nobody has heard of it. `told` hears of all calls.
 */
export function dyingStore(inner, { dies, died, told, wrote }) {
  let dead = false;
  let writes = 0;
  const die = () => {
    dead = true;
    died();
    return never();
  };
  const call = async (name, args) => {
    told();
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
