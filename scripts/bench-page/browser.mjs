// A visitor with an empty browser, and what the visit costs.
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";

/** Serves the page zipped, as hosts do; `served` says when each file was asked for first. */
export async function serveZipped(folder) {
  const types = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".wasm": "application/wasm",
  };
  const zipped = new Map();
  const served = new Map();
  const http = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname).slice(1) || "index.html";
    const file = join(folder, path);
    if (path.includes("..") || !existsSync(file)) return response.writeHead(404).end();
    if (!zipped.has(path)) zipped.set(path, gzipSync(readFileSync(file)));
    if (!served.has(path)) served.set(path, Date.now());
    response
      .writeHead(200, {
        "content-type": types[extname(path)] ?? "application/octet-stream",
        "content-encoding": "gzip",
        "cache-control": "no-store",
      })
      .end(zipped.get(path));
  });
  await new Promise((resolve) => http.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${http.address().port}/`, served, close: () => http.close().closeAllConnections() };
}

/** Notes when the first state is on the screen, when the editor has taken its place, and what has moved under somebody's eyes. */
function watch() {
  const told = { painted: undefined, ready: undefined, shift: 0 };
  globalThis.told = told;
  const tell = {
    painted: () => document.querySelector("[data-node]"),
    ready: () =>
      document
        .querySelector("#editor-definition .code-host:not([hidden]), .editor .code-host:not([hidden])")
        ?.shadowRoot?.querySelector(".cm-line"),
  };
  const when = { painted: Promise.withResolvers(), ready: Promise.withResolvers() };
  told.until = (what) => when[what].promise;
  // In the first task after the painting, before those that the page has put off until then.
  told.whenPainted = (act) => requestAnimationFrame(() => scheduler.postTask(act, { priority: "user-blocking" }));
  const observer = new MutationObserver(() => {
    for (const what of Object.keys(tell)) {
      if (!tell[what]()) continue;
      delete tell[what];
      requestAnimationFrame(() => setTimeout(() => when[what].resolve((told[what] = performance.now()))));
    }
    if (Object.keys(tell).length === 0) observer.disconnect();
  });
  observer.observe(document, { childList: true, subtree: true, attributes: true, attributeFilter: ["hidden"] });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) told.shift += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
}

/** Opens the page; the visit has the CPU of its main thread counted. */
export async function visit(chrome, url, { throttle = 1, hash = "", motion = false, until = "painted" } = {}) {
  const context = await chrome.newContext({
    viewport: { width: 1440, height: 900 },
    serviceWorkers: "block",
    reducedMotion: motion ? "no-preference" : "reduce",
  });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await page.addInitScript(watch);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  if (throttle > 1) await session.send("Emulation.setCPUThrottlingRate", { rate: throttle });
  await page.goto(url + hash, { waitUntil: "commit" });
  await page.evaluate((what) => globalThis.told.until(what), until);
  return {
    page,
    session,
    /** ms since the navigation. */
    at: (what) => page.evaluate((name) => globalThis.told[name], what),
    /** CPU ms of the main thread so far. */
    async cpu() {
      const { metrics } = await session.send("Performance.getMetrics");
      return metrics.find(({ name }) => name === "TaskDuration").value * 1000;
    },
    /** CPU ms of the main thread for what is done. */
    async costOf(act) {
      const before = await this.cpu();
      await act();
      return (await this.cpu()) - before;
    },
    shift: () => page.evaluate(() => globalThis.told.shift),
    /** Bytes that scripts of the main thread hold. */
    async heap() {
      await session.send("HeapProfiler.collectGarbage");
      return (await session.send("Runtime.getHeapUsage")).usedSize;
    },
    leave: () => context.close(),
  };
}

/** Resolves when what was changed in the page is painted. */
export const painted = (page) => page.evaluate(() => new Promise((resolve) => globalThis.told.whenPainted(() => resolve())));

/** CPU ms of the page's main thread and of its workers between the marks `measured-from` and `measured-to`, which an act sets. */
export async function cpuIn(chrome, act) {
  const session = await chrome.newBrowserCDPSession();
  const events = [];
  session.on("Tracing.dataCollected", ({ value }) => events.push(...value));
  const complete = new Promise((resolve) => session.once("Tracing.tracingComplete", resolve));
  await session.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: { includedCategories: ["toplevel", "blink.user_timing"] },
  });
  await act();
  await session.send("Tracing.end");
  await complete;
  await session.detach();
  const [from, to] = ["measured-from", "measured-to"].map((mark) => events.find(({ name }) => name === mark));
  const names = new Map(events.filter(({ name }) => name === "thread_name").map(({ pid, tid, args }) => [`${pid} ${tid}`, args.name]));
  const spent = { main: 0, worker: 0 };
  const until = new Map();
  const tasks = events.filter(({ ph, pid, ts, tdur }) => ph === "X" && pid === from.pid && ts < to.ts && tdur > 0);
  for (const { tid, ts, dur, tdur } of tasks.sort((a, b) => a.ts - b.ts || b.dur - a.dur)) {
    const thread = tid === from.tid ? "main" : /Worker/.test(names.get(`${from.pid} ${tid}`) ?? "") ? "worker" : undefined;
    // What began before, and what is a part of another task.
    if (thread === undefined || ts + dur <= from.ts || ts < (until.get(tid) ?? 0)) continue;
    until.set(tid, ts + dur);
    spent[thread] += tdur / 1000;
  }
  return spent;
}
