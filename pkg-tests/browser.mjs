// Shared by the browser tests: headless Chromium, a static server on the loopback address, waiting, and the reason to skip if there
// is no browser.
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

/** The `skip` option of a test that needs a browser: `false`, or the reason why it cannot run. */
export const skip = browser.path ? false : browser.reason;

/**
 * With STEPGLASS_SLOW=4 pages compute four times slower, and each file is served with a delay. This finds tests that assert
 * something before the page shows it.
 */
export const slow = Number(process.env.STEPGLASS_SLOW ?? 1);

/** Slows a page down by the factor of STEPGLASS_SLOW. */
export async function slowDown(page) {
  if (slow <= 1) return;
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: slow });
}

/**
 * Sets the font of every page that a page or a context opens later: "narrow", "wide" or "tall", which has tall lines. It replaces
 * `--sans` and `--mono`, which all texts of the page and of the component use. `missingFont(name)` returns why a machine lacks the
 * font. A test gets it as an option: `visit("holds", { font: "wide" }, …)`, and is skipped if the font is missing. With
 * STEPGLASS_FONT=wide all browser tests run with that font.
 */
export async function inFont(page, name) {
  const reason = Object.hasOwn(FONTS, name) ? missingFont(name) : `known are ${Object.keys(FONTS).join(", ")}`;
  if (reason !== undefined) throw new Error(`the font ${name}: ${reason}`);
  const { sans, mono } = FONTS[name];
  // The page's policy allows constructed style sheets and forbids others.
  await page.addInitScript((rules) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(rules);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  }, `:root { --sans: "${sans}", sans-serif !important; --mono: "${mono}", monospace !important; }`);
}

/** Arguments with which Chromium is started. */
const ARGUMENTS = [
  // Tests in containers run as root, for which Chromium has no sandbox.
  ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** The pages of a test do not live long enough to profit from optimized code. Benchmarks use the defaults. */
const UNOPTIMIZED = "--js-flags=--no-opt,--liftoff-only";

/** Starts Chromium's headless shell, or with `whole` the complete Chromium with optimized code. Close it after the last test. */
export async function launch({ whole = false } = {}) {
  const started = await chromium.launch({
    executablePath: whole ? findBrowser().path : browser.path,
    env: { ...process.env, ...fontEnvironment(process.env.STEPGLASS_FONT) },
    args: whole ? ARGUMENTS : [...ARGUMENTS, UNOPTIMIZED],
  });
  // Every page of a context has the same timeout, including pages that a test opens later.
  const newContext = started.newContext.bind(started);
  started.newContext = async (options) => {
    const context = await newContext(options);
    context.setDefaultTimeout(PATIENCE);
    return context;
  };
  return started;
}

/**
 * Starts Chromium with a profile, so that what its pages store survives: `{context, kill()}`. `kill` ends all of its processes at
 * once, as a crash does.
 */
export async function launchStaying(profile) {
  const started = spawn(
    browser.path,
    ["--headless", "--remote-debugging-port=0", `--user-data-dir=${profile}`, ...ARGUMENTS, UNOPTIMIZED, "about:blank"],
    { env: { ...process.env, ...fontEnvironment(process.env.STEPGLASS_FONT) }, stdio: ["ignore", "ignore", "pipe"], detached: true },
  );
  const ended = once(started, "exit");
  const kill = async () => {
    // Killing the process group ends all processes. Windows has no process groups.
    if (process.platform === "win32") started.kill("SIGKILL");
    else process.kill(-started.pid, "SIGKILL");
    await ended;
  };
  try {
    const address = await new Promise((resolve, reject) => {
      let said = "";
      started.once("error", reject);
      started.once("exit", () => reject(new Error(`Chromium has not started: ${said}`)));
      // The output must be read until the process ends, because a full pipe would block it.
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

/** Starts one Chromium for all test files of this process. End it after the last file. */
export function share() {
  common = launch();
  return { end: async () => (await common).close() };
}

/** Returns Chromium for one test file: a new one, or the one that the process shares. Closing it closes the contexts of this file. */
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
 * Waits until a value that is read from the page matches a pattern, or is deeply equal to `expected`. A page shows a change a
 * moment after the action, so tests read the page with this function instead of asserting at once.
 */
export function eventually(read, expected, message) {
  return until(async () => {
    const found = await read();
    if (expected instanceof RegExp) assert.match(found, expected, message);
    else assert.deepEqual(found, expected, message);
  });
}

/** Repeats a check until it passes, and returns its result. After PATIENCE it throws the last error. */
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

/** Opens a page. `problems` collects exceptions, errors on the console and failed requests. */
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

/** Serves a folder as a static host does, with the given headers: `{url, close()}`. */
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
