// A worker for scripts/bench-restate.mjs: `node side.mjs ours|by-hand PORT ADMIN`. Both do the same three tasks: ours as a state machine,
// the other as a handler with three steps on an object of its own, which keeps its result.
import { sdk } from "../../pkg-tests/restate/server.mjs";

const [side, port, admin] = process.argv.slice(2);
const restate = await sdk();
const add = ({ n }) => ({ n: n + 1 });

if (side === "ours") {
  const { serveOnRestate } = await import("../../dist/restate.js");
  const task = (more) => ({ Type: "Task", Resource: "add", ...more });
  const Three = { StartAt: "A", States: { A: task({ Next: "B" }), B: task({ Next: "C" }), C: task({ End: true }) } };
  await serveOnRestate({ machines: { Three }, tasks: { add }, port: Number(port), admin, sdk: restate });
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
