// A worker for scripts/bench-restate.mjs: `node side.mjs ours|by-hand PORT ADMIN [AT_ONCE MILLISECONDS]`; "-" for ADMIN registers nothing. With
// the last two a task takes so long, and the worker does so many at once. Both do the same three tasks: ours as a state machine,
// the other as a handler with three steps on an object of its own, which keeps its result.
import { sdk } from "../../pkg-tests/restate/server.mjs";

const [side, port, admin, atOnce, milliseconds] = process.argv.slice(2);
const restate = await sdk();
let free = Number(atOnce ?? Infinity);
const waiting = [];

/** Waits until the worker has room for a task; resolves to a function that makes room for the next one. */
async function turn() {
  if (free > 0) free -= 1;
  else await new Promise((resolve) => waiting.push(resolve));
  return () => (waiting.length > 0 ? waiting.shift()() : (free += 1));
}

const plain = ({ n }) => ({ n: n + 1 });
const add =
  milliseconds === undefined
    ? plain
    : async (input) => {
        const leave = await turn();
        await new Promise((resolve) => setTimeout(resolve, Number(milliseconds)));
        leave();
        return plain(input);
      };

if (side === "ours") {
  const { serveOnRestate } = await import("../../dist/restate.js");
  const task = (more) => ({ Type: "Task", Resource: "add", ...more });
  const Three = { StartAt: "A", States: { A: task({ Next: "B" }), B: task({ Next: "C" }), C: task({ End: true }) } };
  await serveOnRestate({ machines: { Three }, tasks: { add }, port: Number(port), sdk: restate, ...(admin !== "-" && { admin }) });
} else {
  const byHand = restate.object({
    name: "ByHand",
    handlers: {
      run: async (context, input) => {
        let value = input;
        for (const step of ["A", "B", "C"]) value = await context.run(step, () => add(value));
        context.set("result", value);
        return value;
      },
    },
  });
  await restate.serve({ services: [byHand], port: Number(port) });
  const body = JSON.stringify({ uri: `http://127.0.0.1:${port}`, force: true });
  const answer = await fetch(`${admin}/deployments`, { method: "POST", headers: { "content-type": "application/json" }, body });
  if (!answer.ok) throw new Error(await answer.text());
}
console.log("ready");
