// The blocks of docs/restate.md, run with a real server.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { importSource } from "../../scripts/sources.mjs";
import { sdk, startServer, unavailable } from "./server.mjs";

const page = readFileSync(join(import.meta.dirname, "../../docs/restate.md"), "utf8");
const block = (name) => new RegExp(`\`\`\`js\n// ${name}\n([^]*?)\`\`\``).exec(page)[1];
const AsyncFunction = (async () => {}).constructor;

/** Runs a module of the page, with what it imports and what it prints. */
async function run(name, given) {
  const [names, values] = [Object.keys(given), Object.values(given)];
  const text = block(name)
    .replace(/^import .*$/gm, "")
    .replace("export const worker =", "return");
  return new AsyncFunction(...names, text)(...values);
}

test("the worker and the client of docs/restate.md print what the page says", { skip: unavailable }, async () => {
  const { RestateClient, serveOnRestate } = await importSource("js/entries/restate.ts");
  const server = await startServer();
  const process = { env: { RESTATE_ADMIN: server.admin, RESTATE_INGRESS: server.ingress } };
  const serve = async (options) => serveOnRestate({ ...options, sdk: await sdk(), port: 0 });
  const worker = await run("worker.mjs", { serveOnRestate: serve, process });
  try {
    const printed = [];
    await run("start.mjs", { RestateClient, process, console: { log: (value) => printed.push(value) } });
    const told = [...block("start.mjs").matchAll(/\/\/ → (.*)/g)].map(([, text]) => new Function(`return (${text})`)());
    assert.deepEqual(printed, told);
  } finally {
    await worker.close();
    await server.stop();
  }
});
