// Measures the console with many executions in SQLite and PostgreSQL: lists, searches and counts over HTTP.
//
//   npm run bench:console                          100,000 executions in both; exits with 1 above the limits
//   npm run bench:console -- --executions 10000
//   npm run bench:console -- --pictures docs/images   takes the pictures of the documentation, too
//
// Build first: npm run build. SQLite is libsql, or node:sqlite if libsql is not installed. PostgreSQL is started in a temporary folder;
// without it, only SQLite is measured. Each request is made once before it is measured, and then ten times; the median counts.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { drivers } from "../pkg-tests/store/drivers.mjs";
import { pg, programs, startServer } from "../pkg-tests/store/postgres-server.mjs";
import { root } from "./steps.mjs";

const { values } = parseArgs({
  options: { executions: { type: "string", default: "100000" }, pictures: { type: "string" }, json: { type: "boolean" } },
});
const count = Number(values.executions);
const { Runtime } = await import("../dist/durable-node.js");
const { serveConsole } = await import("../dist/server.js");
const { postgres } = await import("../dist/postgres.js");

/** The limits of a list, of a search and of the counts, in milliseconds. */
const LIMITS = { list: 100, search: 200, counts: 200 };
const TIMES = 10;
const PIECE = 1000;
const HOUR = 3_600_000;

const pass = { StartAt: "Reserve", States: { Reserve: { Type: "Pass", Next: "Charge" }, Charge: { Type: "Pass", End: true } } };
const NAMES = ["orders-fulfil", "orders-refund", "billing-invoice", "billing-dunning", "stock-sync", "mail-campaign"];
const ARN = "arn:aws:states:us-east-1:123456789012";

/** A generator of numbers from 0 to 1 that are the same in every run. */
function numbers(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Returns the record of an execution that started in the last 24 hours; more of them did by day. */
function recordOf(i, now, random) {
  const machine = NAMES[Math.floor(random() ** 1.6 * NAMES.length)];
  const name = `${machine.split("-")[0]}-${String(i).padStart(6, "0")}`;
  const part = (i + random()) / count;
  const startDate = Math.round(now - 24 * HOUR * (1 - part) + Math.sin(part * 2 * Math.PI) * 2.5 * HOUR * (part > 0.98 ? 0 : 1));
  const chance = random();
  const age = now - startDate;
  const runs = age < HOUR ? chance < 0.4 : chance < 0.02;
  const status = runs ? "RUNNING" : chance < 0.93 ? "SUCCEEDED" : chance < 0.97 ? "FAILED" : chance < 0.985 ? "TIMED_OUT" : "ABORTED";
  return {
    id: `${ARN}:execution:${machine}:${name}`,
    name,
    machineArn: `${ARN}:stateMachine:${machine}`,
    machine,
    type: "STANDARD",
    status,
    startDate: Math.min(startDate, now),
    input: JSON.stringify({ order: i, items: Array.from({ length: 8 }, (_, k) => ({ sku: `sku-${k}`, price: k * 100 })) }),
    attributes: { customer: `c-${Math.floor(random() * 5000)}`, amount: Math.floor(random() * 1000) },
    ...(status !== "RUNNING" && { stopDate: Math.min(startDate, now) + Math.round(random() * 90_000) }),
    ...(status === "FAILED" && { error: "Card.Declined", redrivable: true }),
    ...((status === "TIMED_OUT" || status === "ABORTED") && { redrivable: true }),
  };
}

async function fill(store) {
  const random = numbers(7);
  const now = Date.now();
  await store.open({ owner: "bench" });
  const records = Array.from({ length: count }, (_, i) => recordOf(i, now, random)).sort((a, b) => a.startDate - b.startDate);
  for (let at = 0; at < count; at += PIECE)
    await store.write(records.slice(at, at + PIECE).map((create) => ({ id: create.id, version: 0, create, wakeAt: null })));
  await store.close();
}

/** The requests, each with the limit that it has. */
const now = Date.now();
const machineArn = encodeURIComponent(`${ARN}:stateMachine:mail-campaign`);
const middle = String(Math.floor(count / 2)).padStart(6, "0");
const REQUESTS = [
  ["list", "first page", "executions?limit=100"],
  ["list", "of a status", "executions?limit=100&status=FAILED&status=TIMED_OUT"],
  ["list", "of a machine", `executions?limit=100&stateMachineArn=${machineArn}`],
  ["list", "of the last hour", `executions?limit=100&from=${now - HOUR}`],
  ["list", "of an hour yesterday", `executions?limit=100&from=${now - 23 * HOUR}&until=${now - 22 * HOUR}`],
  ["list", "page in the middle", `executions?limit=100&before=${Math.floor(count / 2)}`],
  ["search", "a whole name", `executions?limit=100&name=orders-${middle}`],
  ["search", "a name that nobody has", "executions?limit=100&name=nobody"],
  ["search", "a common beginning", "executions?limit=100&name=stock-"],
  ["search", "an attribute", "executions?limit=100&attribute=customer=c-77"],
  ["search", "a range of an attribute", "executions?limit=100&attribute=amount>=990"],
  ["search", "name, status and machine", `executions?limit=100&name=mail-0&status=FAILED&stateMachineArn=${machineArn}`],
  ["counts", "of all executions", "counts?"],
  ["counts", "of the last hour", "counts?hours=1&within=1"],
  ["counts", "of a name", "counts?name=stock-"],
];

async function measure(url) {
  const rows = [];
  for (const [kind, what, path] of REQUESTS) {
    const times = [];
    for (let i = 0; i <= TIMES; i++) {
      // Counts are used again for a second, so each request is another one.
      const begun = performance.now();
      const answer = await fetch(`${url}/debugger/api/${path}&run=${i}`);
      const body = await answer.text();
      if (!answer.ok) throw new Error(`${path}: ${body}`);
      if (i > 0) times.push(performance.now() - begun);
    }
    times.sort((a, b) => a - b);
    rows.push({ kind, what, median: times[TIMES / 2], most: times.at(-1), limit: LIMITS[kind] });
  }
  return rows;
}

async function pictures(url, folder) {
  const { launch } = await import("../pkg-tests/browser.mjs");
  const { shrink } = await import("./png.mjs");
  mkdirSync(folder, { recursive: true });
  const browser = await launch();
  const take = async (name, options, prepare = async () => {}) => {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    await page.goto(`${url}/debugger/`);
    await page.locator("table.list").waitFor();
    await page.locator(".bar rect").first().waitFor();
    await prepare(page);
    writeFileSync(join(folder, `${name}.png`), shrink(await page.screenshot()));
    await context.close();
  };
  const desktop = { width: 1280, height: 800 };
  await take("console-light", { viewport: desktop, colorScheme: "light" });
  await take("console-dark", { viewport: desktop, colorScheme: "dark" }, async (page) => {
    await page.getByRole("button", { name: "Failed", exact: true }).click();
    await page.locator(".status.running").first().waitFor({ state: "detached" });
    await page.getByLabel("Select all executions of the list").check();
    await page.getByRole("button", { name: /^Select all .* that match/ }).click();
    await page.getByRole("button", { name: "Redrive…" }).click();
    await page.getByRole("dialog").waitFor();
  });
  await take("console-phone", { viewport: { width: 360, height: 740 }, colorScheme: "light" });
  await browser.close();
}

const folder = mkdtempSync(join(tmpdir(), "stepglass-console-"));
const server = pg !== undefined && programs() !== undefined ? startServer() : undefined;
const stores = {
  SQLite: () => Object.values(drivers)[0].store(join(folder, "executions.db")),
  ...(server && { PostgreSQL: () => postgres({ client: () => new pg.Client(server.config), schema: "bench" }) }),
};
let isSlow = false;
const all = {};
try {
  for (const [name, store] of Object.entries(stores)) {
    const begun = performance.now();
    await fill(store());
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    const runtime = await new Runtime({ store: store(), machines: Object.fromEntries(NAMES.map((one) => [one, pass])) }).open();
    const board = await serveConsole(runtime, { port: 0 });
    if (!values.json) console.log(`${name}, ${count.toLocaleString("en")} executions (written in ${seconds} s)`);
    all[name] = await measure(board.url);
    for (const { kind, what, median, most, limit } of all[name]) {
      isSlow ||= median > limit;
      const text = `  ${kind.padEnd(8)}${what.padEnd(28)}${median.toFixed(1).padStart(8)} ms, at most ${most.toFixed(1).padStart(7)}`;
      if (!values.json) console.log(`${text}${median > limit ? `   above the limit of ${limit}` : ""}`);
    }
    if (values.pictures !== undefined && name === "SQLite") await pictures(board.url, join(root, values.pictures));
    await board.close();
    await runtime.close();
  }
} finally {
  server?.stop();
  rmSync(folder, { recursive: true, force: true });
}
if (values.json) console.log(JSON.stringify(all));
if (isSlow) process.exitCode = 1;
