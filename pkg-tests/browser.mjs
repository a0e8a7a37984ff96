// What the browser tests stand on: one headless Chromium a file, a static server on the loopback, and the reason to skip
// where there is no browser.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize, sep } from "node:path";
import { chromium } from "playwright-core";
import { findBrowser } from "../scripts/browser.mjs";

const browser = process.env.STEPGLASS_NO_BROWSER ? { reason: process.env.STEPGLASS_NO_BROWSER } : findBrowser();

/** The `skip` of a test that needs a browser: `false`, or why it cannot run. */
export const skip = browser.path ? false : browser.reason;

/** Starts Chromium; close it after the last test. */
export function launch() {
  return chromium.launch({
    executablePath: browser.path,
    args: [
      // Root, as which tests run in containers, has no sandbox.
      ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

/** A new page; `problems` collects what it reports as wrong: exceptions, errors on the console, failed requests. */
export async function open(chrome, url) {
  const page = await chrome.newPage();
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
