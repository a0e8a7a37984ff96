// What the browser tests stand on: headless Chromium, a static server on the loopback, patience, and the reason
// to skip where there is no browser.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { setTimeout } from "node:timers/promises";
import { extname, join, normalize, sep } from "node:path";
import { chromium } from "playwright-core";
import { findBrowser } from "../scripts/browser.mjs";
import { FONTS, fontEnvironment, missingFont } from "../scripts/fonts.mjs";

export { missingFont } from "../scripts/fonts.mjs";

const browser = process.env.STEPGLASS_NO_BROWSER ? { reason: process.env.STEPGLASS_NO_BROWSER } : findBrowser({ shell: true });

/** The `skip` of a test that needs a browser: `false`, or why it cannot run. */
export const skip = browser.path ? false : browser.reason;

/**
 * With STEPGLASS_SLOW=4 pages compute four times slower and each file that is served comes a moment late, which finds tests
 * that read at once what comes a moment later.
 */
export const slow = Number(process.env.STEPGLASS_SLOW ?? 1);

/** Makes a page as slow as wanted. */
export async function slowDown(page) {
  if (slow <= 1) return;
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: slow });
}

/**
 * Shows all that a page, or a context, opens from now on in a font: "narrow", "wide" or "tall", which has tall lines. It takes
 * the place of `--sans` and `--mono`, at which every text of the page and of the component looks. `missingFont(name)` tells
 * why a machine does not have it. A visitor of the page has it as an option: `visit("holds", { font: "wide" }, …)`, which is
 * skipped where the font is missing. With STEPGLASS_FONT=wide all browser tests run on a machine whose own font it is.
 */
export async function inFont(page, name) {
  const reason = Object.hasOwn(FONTS, name) ? missingFont(name) : `known are ${Object.keys(FONTS).join(", ")}`;
  if (reason !== undefined) throw new Error(`the font ${name}: ${reason}`);
  const { sans, mono } = FONTS[name];
  // A constructed style sheet, which the page's policy lets be: it forbids others.
  await page.addInitScript((rules) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(rules);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  }, `:root { --sans: "${sans}", sans-serif !important; --mono: "${mono}", monospace !important; }`);
}

/** How Chromium is started. */
const ARGUMENTS = [
  // Root, as which tests run in containers, has no sandbox.
  ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** No page of a test lives long enough for what code that is optimized at leisure would save. A bench is of what people have. */
const UNOPTIMIZED = "--js-flags=--no-opt,--liftoff-only";

/** Starts its headless shell, or with `whole` Chromium as people have it, with optimized code; close it after the last test. */
export async function launch({ whole = false } = {}) {
  const started = await chromium.launch({
    executablePath: whole ? findBrowser().path : browser.path,
    env: { ...process.env, ...fontEnvironment(process.env.STEPGLASS_FONT) },
    args: whole ? ARGUMENTS : [...ARGUMENTS, UNOPTIMIZED],
  });
  // Every page of a test waits for as long as the tests do, also a second page that it opens beside the first.
  const newContext = started.newContext.bind(started);
  started.newContext = async (options) => {
    const context = await newContext(options);
    context.setDefaultTimeout(PATIENCE);
    return context;
  };
  return started;
}

/**
 * Starts a Chromium of a profile, which keeps what its pages store: `{context, kill()}`. `kill` ends all of its processes at once, as a
 * crash does.
 */
export async function launchStaying(profile) {
  const started = spawn(
    browser.path,
    ["--headless", "--remote-debugging-port=0", `--user-data-dir=${profile}`, ...ARGUMENTS, UNOPTIMIZED, "about:blank"],
    { env: { ...process.env, ...fontEnvironment(process.env.STEPGLASS_FONT) }, stdio: ["ignore", "ignore", "pipe"], detached: true },
  );
  const ended = once(started, "exit");
  const kill = async () => {
    // The processes of a group end together, which Windows does not have.
    if (process.platform === "win32") started.kill("SIGKILL");
    else process.kill(-started.pid, "SIGKILL");
    await ended;
  };
  try {
    const address = await new Promise((resolve, reject) => {
      let said = "";
      started.once("error", reject);
      started.once("exit", () => reject(new Error(`Chromium has not started: ${said}`)));
      // It is listened to until its end: what it says must not wait for a reader.
      started.stderr.on("data", (text) => {
        said = (said + text).slice(-10_000);
        const [, found] = /DevTools listening on (ws:\S+)/.exec(said) ?? [];
        if (found !== undefined) resolve(found);
      });
    });
    const [context] = (await chromium.connectOverCDP(address)).contexts();
    context.setDefaultTimeout(PATIENCE);
    return { context, kill };
  } catch (error) {
    if (started.exitCode === null) await kill();
    throw error;
  }
}

let common;

/** One Chromium for all files of this process, from now on. End it after the last of them. */
export function share() {
  common = launch();
  return { end: async () => (await common).close() };
}

/** Chromium for the contexts of one file: one of its own, or the one that the process shares. Closing it closes its contexts. */
export async function borrow() {
  if (common === undefined) return launch();
  if (!(await common).isConnected()) common = launch();
  const chrome = await common;
  const contexts = new Set();
  return {
    async newContext(options) {
      const context = await chrome.newContext(options);
      contexts.add(context);
      context.once("close", () => contexts.delete(context));
      return context;
    },
    close: () => Promise.all([...contexts].map((context) => context.close())),
  };
}

/** How long a test waits for something to appear, in milliseconds. It is long because a busy machine is slow; a passing test never waits for it. */
export const PATIENCE = 60_000;

/**
 * Waits until what is read is as expected: it matches the pattern, or is deeply equal to the value. What a page shows comes
 * a moment after what is done to it, so that whatever is read from it is read by this, and not asserted at once.
 */
export function comes(read, expected, message) {
  return until(async () => {
    const found = await read();
    if (expected instanceof RegExp) assert.match(found, expected, message);
    else assert.deepEqual(found, expected, message);
  });
}

/** Waits until a check passes, and gives what it gives; throws what it threw last where it never does. */
export async function until(check) {
  const end = performance.now() + PATIENCE;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > end) throw error;
    }
    await setTimeout(30);
  }
}

/** A new page; `problems` collects what it reports as wrong: exceptions, errors on the console, failed requests. */
export async function open(chrome, url) {
  const page = await chrome.newPage();
  await slowDown(page);
  const problems = [];
  page.on("pageerror", (error) => problems.push(`exception: ${error.stack ?? error}`));
  page.on("console", (message) => message.type() === "error" && problems.push(`console: ${message.text()}`));
  page.on("requestfailed", (request) => problems.push(`request: ${request.url()} ${request.failure()?.errorText}`));
  await page.goto(url);
  return { page, problems };
}

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/** Serves a folder as any static host does, with these headers. `{url, close()}` */
export async function serve(folder, headers = {}) {
  const server = createServer(async (request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, "http://localhost").pathname));
    const file = join(folder, path.endsWith(sep) ? join(path, "index.html") : path);
    try {
      const body = await readFile(file);
      if (slow > 1) await setTimeout(Math.random() * 60 * slow);
      response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream", ...headers }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  };
}
