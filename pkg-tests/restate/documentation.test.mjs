// The code blocks of docs/restate.md run with a real server, and those of docs/distributed.md are checked.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { importSource } from "../../scripts/sources.mjs";
import { sdk, startServer, unavailable } from "./server.mjs";

const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;
const page = readFileSync(join(import.meta.dirname, "../../docs/restate.md"), "utf8");
const block = (name) => new RegExp(`\`\`\`js\n// ${name}\n([^]*?)\`\`\``).exec(page)[1];
const AsyncFunction = (async () => {}).constructor;

/** Runs a code block of the page by its name. `given` has the values of the names that it imports. */
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
    const documented = [...block("start.mjs").matchAll(/\/\/ → (.*)/g)].map(([, text]) => new Function(`return (${text})`)());
    assert.deepEqual(printed, documented);
  } finally {
    await worker.close();
    await server.stop();
  }
});

test("the unit and the compose file of docs/distributed.md are well-formed", async () => {
  const distributed = readFileSync(join(import.meta.dirname, "../../docs/distributed.md"), "utf8");
  const text = (language) => new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(distributed)[1];
  const yaml = await import("yaml");
  const { services, volumes } = yaml.parse(text("yaml"));
  assert.deepEqual(Object.keys(services), ["restate", "worker"]);
  for (const { image, depends_on: after = [], volumes: mounted = [] } of Object.values(services)) {
    assert.match(image, /^[\w./-]+:[\w.]+$/);
    for (const name of after) assert.ok(services[name], name);
    for (const mount of mounted) {
      const [from] = mount.split(":");
      assert.ok(from.startsWith(".") || Object.hasOwn(volumes, from), mount);
    }
  }
  // The admin API can be reached only from the same machine.
  assert.ok(services.restate.ports.every((port) => !port.includes("9070") || port.startsWith("127.0.0.1:")));
  assert.equal(services.worker.environment.RESTATE_ADMIN, "http://restate:9070");
  const sections = text("ini")
    .split(/^(?=\[)/m)
    .slice(1);
  assert.deepEqual(
    sections.map((section) => section.split("\n")[0]),
    ["[Unit]", "[Service]", "[Install]"],
  );
});

test("systemd accepts the unit of docs/distributed.md", { skip: !hasSystemd && "systemd-analyze is not installed" }, () => {
  const folder = mkdtempSync(join(tmpdir(), "stepglass-unit-"));
  try {
    const distributed = readFileSync(join(import.meta.dirname, "../../docs/distributed.md"), "utf8");
    const unit = /```ini\n([^]*?)```/.exec(distributed)[1].replace("/usr/bin/node", process.execPath);
    const file = join(folder, "orders-worker.service");
    writeFileSync(file, unit);
    const { stdout, stderr } = spawnSync("systemd-analyze", ["verify", file], { encoding: "utf8" });
    // systemd-analyze also reports problems of other units on the machine.
    const about = `${stdout}${stderr}`.split("\n").filter((line) => line.includes("orders-worker"));
    assert.deepEqual(about, []);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("the example in the types does what its comments say", { skip: unavailable }, async () => {
  const types = readFileSync(join(import.meta.dirname, "../../js/core/api/restate.d.ts"), "utf8");
  const [, lines] = /@example\n \* ```js\n([^]*?)\n \* ```/.exec(types);
  const { RestateClient, serveOnRestate } = await importSource("js/entries/restate.ts");
  const server = await startServer();
  try {
    const text = lines
      .replaceAll(/^ \* ?/gm, "")
      .replace(/^import .*$/m, "")
      .replace('"http://127.0.0.1:9070"', "server.admin")
      .replace('"http://127.0.0.1:8080"', "server.ingress");
    const printed = [];
    const given = {
      server,
      RestateClient,
      serveOnRestate: async (options) => serveOnRestate({ ...options, sdk: await sdk(), port: 0 }),
      definition: { StartAt: "Charge", States: { Charge: { Type: "Task", Resource: "charge", End: true } } },
      pay: (paid, { key }) => ({ paid, ...(key === undefined && { key }) }),
      console: { log: (value) => printed.push(value) },
    };
    await new AsyncFunction(...Object.keys(given), text)(...Object.values(given));
    const [, documented] = /\/\/ (\{.*)$/m.exec(text);
    assert.deepEqual(printed, [new Function(`return (${documented})`)()]);
  } finally {
    await server.stop();
  }
});
