// A worker in a separate process: `node worker.mjs PORT ADMIN FILE`. Its tasks append a line to FILE when they begin and when they end.
import { appendFileSync } from "node:fs";
import { importSource } from "../../scripts/sources.mjs";
import { machines } from "./machines.mjs";
import { sdk } from "./server.mjs";

const [port, admin, file] = process.argv.slice(2);
const { serveOnRestate } = await importSource("js/entries/restate.ts");
const note = (...words) => appendFileSync(file, `${words.join(" ")}\n`);

/** A task that takes `input.milliseconds`, or 100 ms. */
const step = (name) => async (input, task) => {
  note("begins", name, task.idempotencyKey);
  task.signal.addEventListener("abort", () => note("aborted", name, task.idempotencyKey));
  await new Promise((resolve) => setTimeout(resolve, input.milliseconds ?? 100));
  note("ends", name, task.idempotencyKey);
  return input;
};

await serveOnRestate({
  machines: machines(process.env.VERSION),
  tasks: { one: step("one"), two: step("two"), three: step("three"), ask: ({ token }) => note("token", token) },
  longTasks: ["Long"],
  port: Number(port),
  admin,
  sdk: await sdk(),
});
console.log("ready");
