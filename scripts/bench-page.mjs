// What the page costs:   npm run bench:page [-- --json]     (npm run build first)
//
// Sizes are exact. Times of the main thread are CPU time, in units of a machine on which a loop of 1e8 rounds takes 730 ms,
// so that a slow or busy machine gives the same figures; wall-clock times say so and are of this machine.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { brotliCompressSync, deflateRawSync, gzipSync } from "node:zlib";
import { gallery } from "../pkg-tests/api/examples.mjs";
import { launch, skip } from "../pkg-tests/browser.mjs";
import { root } from "./steps.mjs";

if (skip) {
  console.error(`bench:page: ${skip}`);
  process.exit(1);
}
const dist = join(root, "www/dist");
if (!existsSync(join(root, "dist/stepglass.wasm"))) {
  console.error("bench:page: there is no dist/stepglass.wasm yet: npm run build");
  process.exit(1);
}
const json = process.argv.includes("--json");
const { profile } = JSON.parse(readFileSync(join(root, "dist/.built.json"), "utf8"));
execFileSync(process.execPath, [join(root, "node_modules/vite/bin/vite.js"), "build", "--config", join(root, "www/vite.config.js"), "--logLevel", "warn"], { stdio: "inherit" });
const { layout } = await import("../dist/node.js");

const rows = [];
const row = (what, value, unit, target) => {
  rows.push({ what, value, unit, target, met: target === undefined ? undefined : value <= target });
  if (!json) console.log(`${(target === undefined ? "   " : value <= target ? "ok " : "NO ")} ${what.padEnd(62)} ${value.toFixed(value < 10 ? 1 : 0).padStart(7)} ${unit}${target === undefined ? "" : `  (at most ${target})`}`);
};

const factor = 730 / Math.min(...Array.from({ length: 3 }, calibrate));
if (!json) console.log(`calibration ${factor.toFixed(2)}; WebAssembly of profile ${profile}\n`);

const server = await serveZipped();
const chrome = await launch();
try {
  await sizes();
  await paint();
  layouts();
  await large();
  await editing();
  await stepping();
  links();
} finally {
  await chrome.close();
  server.close();
}
if (json) console.log(JSON.stringify(rows, null, 2));

/** CPU milliseconds of 1e8 rounds, in a process of its own: what is compiled before must not matter. */
function calibrate() {
  const code = "const b = process.cpuUsage(); let x = 0; for (let i = 0; i < 1e8; i++) x = (x * 31 + i) | 0; const { user, system } = process.cpuUsage(b); console.log((user + system) / 1000, x);";
  return Number.parseFloat(execFileSync(process.execPath, ["-e", code], { encoding: "utf8" }));
}

async function visit({ throttle = 1, hash = "" } = {}) {
  const context = await chrome.newContext({ viewport: { width: 1440, height: 900 }, serviceWorkers: "block", reducedMotion: "reduce" });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await page.addInitScript(() => {
    // When the first state is on the screen.
    new MutationObserver((_, observer) => {
      if (!document.querySelector("[data-node]")) return;
      observer.disconnect();
      requestAnimationFrame(() => setTimeout(() => (globalThis.paintedAt = performance.now())));
    }).observe(document, { childList: true, subtree: true });
  });
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  if (throttle > 1) await session.send("Emulation.setCPUThrottlingRate", { rate: throttle });
  await page.goto(server.url + hash, { waitUntil: "load" });
  await page.waitForFunction(() => globalThis.paintedAt !== undefined, undefined, { timeout: 60_000 });
  return { context, page, session };
}

/** Main-thread CPU in ms so far. */
async function cpu(session) {
  const { metrics } = await session.send("Performance.getMetrics");
  return metrics.find(({ name }) => name === "TaskDuration").value * 1000;
}

async function sizes() {
  const { context, page } = await visit();
  const paintedAt = await page.evaluate(() => performance.timeOrigin + globalThis.paintedAt);
  await page.getByRole("textbox", { name: "Definition", exact: true }).waitFor();
  await page.waitForTimeout(1000);
  const seen = new Map(server.served);
  await context.close();
  const size = (name) => gzipSync(readFileSync(join(dist, name)), { level: 9 }).length / 1000;
  const of = (fits) => [...seen].filter(fits).reduce((sum, [name]) => sum + size(name), 0);
  row("first load until the graph is painted, gzip", of(([, at]) => at <= paintedAt), "kB", 600);
  row("first load in all, with the editor, which comes after it", of(() => true), "kB", 600);
  row("  the interpreter's first part, WebAssembly", of(([name]) => name.endsWith(".wasm")), "kB");
  row("  the same with brotli, as most hosts send it", [...seen.keys()].filter((name) => name.endsWith(".wasm")).reduce((sum, name) => sum + brotliCompressSync(readFileSync(join(dist, name))).length / 1000, 0), "kB");
  row("  scripts, styles, markup", of(([name]) => !name.endsWith(".wasm")), "kB");
  const rest = readdirSync(join(dist, "assets")).find((name) => /^rest-.*\.wasm$/.test(name));
  row("the rest of the interpreter, with the first deed", size(join("assets", rest)), "kB");
}

async function paint() {
  const times = [];
  for (let i = 0; i < 3; i++) {
    const { context, page } = await visit({ throttle: 4 });
    times.push(await page.evaluate(() => globalThis.paintedAt));
    await context.close();
  }
  row("graph painted at 4x CPU throttle, wall, best of 3", Math.min(...times), "ms", 1000);
}

/** A machine of that many states with branches, choices, catchers and loops. */
function machine(count) {
  const States = {};
  const lambda = "arn:aws:lambda:us-east-1:123456789012:function:F";
  let made = 0;
  const name = (i) => `Step ${i}`;
  for (let i = 0; made < count; i++) {
    const next = made + 1 < count ? { Next: name(i + 1) } : { End: true };
    made += 1;
    if (made + 4 < count && i % 7 === 3) {
      const branch = (letter) => ({ StartAt: `${letter}${i}`, States: { [`${letter}${i}`]: { Type: "Task", Resource: lambda, Next: `${letter}${i} done` }, [`${letter}${i} done`]: { Type: "Pass", End: true } } });
      States[name(i)] = { Type: "Parallel", Branches: [branch("a"), branch("b")], ...next };
      made += 4;
    } else if (i % 7 === 5 && !next.End) {
      States[name(i)] = { Type: "Choice", Choices: [{ Variable: "$.again", IsPresent: true, Next: name(Math.max(0, i - 3)) }], Default: name(i + 1) };
    } else if (i % 7 === 1) States[name(i)] = { Type: "Task", Resource: lambda, Catch: [{ ErrorEquals: ["States.ALL"], Next: name(i + 1) }], ...next };
    else States[name(i)] = { Type: "Pass", ...next };
    if (States[name(i)].Catch && next.End) delete States[name(i)].Catch;
  }
  return JSON.stringify({ StartAt: name(0), States });
}

function layouts() {
  for (const [count, target] of [[50, 3], [500, 20], [2000, 80]]) {
    const text = machine(count);
    let least = Infinity;
    for (let i = 0; i < 12; i++) {
      const before = process.cpuUsage();
      layout(text);
      const { user, system } = process.cpuUsage(before);
      least = Math.min(least, (user + system) / 1000);
    }
    row(`layout of ${count} states, CPU`, least * factor, "ms", target);
  }
}

async function large() {
  // A round of 2,000 states until AWS's limit of events.
  const count = 2000;
  const States = Object.fromEntries(Array.from({ length: count }, (_, i) => [`S${i}`, { Type: "Pass", Next: `S${(i + 1) % count}` }]));
  States.S0 = { Type: "Choice", Choices: [{ Variable: "$.stop", IsPresent: true, Next: "End" }], Default: "S1" };
  States.End = { Type: "Succeed" };
  const packed = deflateRawSync(Buffer.from(JSON.stringify({ t: "Large", d: JSON.stringify({ StartAt: "S0", States }, null, 2), i: "{}" }))).toString("base64url");
  const { context, page, session } = await visit({ hash: `#v1.${packed}` });
  const framed = async (frames, act) => {
    await page.waitForTimeout(400);
    const before = await cpu(session);
    await act(frames);
    return (((await cpu(session)) - before) / frames) * factor;
  };
  const graph = page.locator(".canvas").first();
  await graph.waitFor();
  const pan = await framed(60, (frames) =>
    graph.evaluate(async (element, n) => {
      for (let i = 0; i < n; i++) {
        element.dispatchEvent(new WheelEvent("wheel", { deltaY: i % 2 ? -6 : 9, bubbles: true, cancelable: true }));
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
    }, frames),
  );
  row("pan at 2,000 states, CPU a frame", pan, "ms", 4);

  await page.getByRole("button", { name: "Run", exact: true }).first().click();
  await page.locator(".result").waitFor({ timeout: 120_000 });
  const slider = page.getByRole("slider", { name: "Event shown" });
  const scrubTo = (values) =>
    slider.evaluate(async (element, to) => {
      for (const value of to) {
        element.value = String(value);
        element.dispatchEvent(new Event("input", { bubbles: true }));
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      }
    }, values);
  const events = Number(await slider.getAttribute("max"));
  await scrubTo([10, 20, 30]);
  const steps = Array.from({ length: 60 }, (_, i) => 40 + i);
  row("status change at 2,000 states, all panes, CPU a frame", await framed(steps.length, () => scrubTo(steps)), "ms", 16);
  let random = 7;
  const anywhere = Array.from({ length: 60 }, () => (random = (random * 48271) % 2147483647) % events);
  row(`scrub over ${events.toLocaleString("en")} events, all panes, CPU a place`, await framed(anywhere.length, () => scrubTo(anywhere)), "ms", 24);
  await context.close();
}

/** Writing in a definition of 2,000 states: what a key costs until it is painted, and when the graph has followed. */
async function editing() {
  const text = JSON.stringify(JSON.parse(machine(2000)), null, 2);
  const lines = text.split("\n").length;
  const packed = deflateRawSync(Buffer.from(JSON.stringify({ t: "Large", d: text, i: "{}" }))).toString("base64url");
  const { context, page, session } = await visit({ hash: `#v1.${packed}` });
  const editor = page.getByRole("textbox", { name: "Definition", exact: true });
  await editor.waitFor();
  await page.waitForTimeout(2_000);
  await editor.focus();
  // Into the comment of a state in the middle.
  await page.keyboard.press("Control+Home");
  for (let i = 0; i < 40; i++) await page.keyboard.press("PageDown");
  await page.keyboard.press("End");
  const costs = [];
  for (let i = 0; i < 60; i++) {
    await page.waitForTimeout(90);
    const before = await cpu(session);
    await page.keyboard.press(i % 2 ? "Backspace" : " ");
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
    costs.push((await cpu(session)) - before);
  }
  costs.sort((a, b) => a - b);
  row(`key until it is painted, ${lines.toLocaleString("en")} lines, CPU, 95th of 100`, costs[Math.floor(costs.length * 0.95)] * factor, "ms", 16);
  // Debounces are no work: the editor's, and the page's.
  const waits = 60 + 120;
  const times = [];
  for (let i = 0; i < 4; i++) {
    // Another name of the first state, and back.
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("End");
    for (let left = 0; left < 2; left++) await page.keyboard.press("ArrowLeft");
    await page.waitForTimeout(1_500);
    await page.evaluate(() => {
      globalThis.redrawn = undefined;
      const observer = new MutationObserver(() => (observer.disconnect(), (globalThis.redrawn = performance.now())));
      observer.observe(document.querySelector(".canvas"), { childList: true, subtree: true, attributes: true, characterData: true });
      addEventListener("keydown", () => (globalThis.pressed = performance.now()), { capture: true, once: true });
    });
    await page.keyboard.press(i % 2 ? "Backspace" : "x");
    await page.waitForFunction(() => globalThis.redrawn !== undefined, undefined, { timeout: 30_000 });
    times.push((await page.evaluate(() => globalThis.redrawn - globalThis.pressed)) - waits);
  }
  row("text change until the new graph, 2,000 states, wall without debounces, best", Math.min(...times), "ms", 300);
  await context.close();
}

/** From the click on a step until the frame that shows the pause after it. */
async function stepping() {
  const { context, page } = await visit();
  const over = page.getByRole("button", { name: "Over", exact: true });
  await over.click();
  await page.locator(".pause-where").waitFor();
  const times = await over.evaluate(async (button) => {
    const shown = () => document.querySelector(".pause-where")?.textContent;
    const took = [];
    for (let i = 0; i < 12 && !button.disabled; i++) {
      const before = shown();
      const started = performance.now();
      button.click();
      while (shown() === before || shown() === undefined) {
        if (document.querySelector(".result") || performance.now() - started > 5_000) return took;
        await new Promise((resolve) => setTimeout(resolve));
      }
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      took.push(performance.now() - started);
    }
    return took;
  });
  if (times.length < 2) throw new Error("the example takes no steps");
  times.sort((a, b) => a - b);
  row(`step command until the paused state is shown, wall, median of ${times.length}`, times[times.length >> 1], "ms", 50);
  await context.close();
}

function links() {
  const lengths = gallery()
    .map(({ title, format, definition }) => `#v1.${deflateRawSync(Buffer.from(JSON.stringify({ t: title, f: format, d: definition, i: "", k: "", c: "skip", s: 1 }))).toString("base64url")}`.length)
    .sort((a, b) => a - b);
  row("share link of a definition, median of the gallery", lengths[lengths.length >> 1], "characters", 1000);
  row("  the longest, of 54 states", lengths.at(-1), "characters");
}

/** Serves the page zipped, as hosts do; `served` says when each file was asked for first. */
async function serveZipped() {
  const types = { ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml", ".wasm": "application/wasm" };
  const zipped = new Map();
  const served = new Map();
  const http = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname).slice(1) || "index.html";
    const file = join(dist, path);
    if (path.includes("..") || !existsSync(file)) return response.writeHead(404).end();
    if (!zipped.has(path)) zipped.set(path, gzipSync(readFileSync(file)));
    if (!served.has(path)) served.set(path, Date.now());
    response.writeHead(200, { "content-type": types[extname(path)] ?? "application/octet-stream", "content-encoding": "gzip", "cache-control": "no-store" }).end(zipped.get(path));
  });
  await new Promise((resolve) => http.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${http.address().port}/`, served, close: () => http.close().closeAllConnections() };
}
