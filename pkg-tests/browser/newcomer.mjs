// The first steps of a newcomer: start a command of the README, open the address in a browser, and go through the page.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { basename, resolve } from "node:path";
import { until } from "../browser.mjs";
import { Visitor } from "./playground.mjs";

export const root = resolve(import.meta.dirname, "../..");

/** Starts a command, and returns the address that it prints: `{ url, end() }`. */
export async function started(command, args) {
  // The command gets a process group, because npm does not forward signals to the process that it starts.
  const child = spawn(command, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"], detached: process.platform !== "win32" });
  const closed = once(child, "close");
  const end = async () => {
    if (child.exitCode === null && process.platform === "win32") child.kill();
    else if (child.exitCode === null) process.kill(-child.pid, "SIGTERM");
    await closed;
  };
  try {
    const url = await new Promise((found, fail) => {
      let printed = "";
      const read = (chunk) => {
        printed += chunk;
        const [address] = /http:\/\/[\w.:[\]-]+\d/.exec(printed) ?? [];
        if (address !== undefined) found(`${address}/`);
      };
      child.stdout.on("data", read);
      child.stderr.on("data", read);
      child.once("close", (code) => fail(new Error(`${args.join(" ")} ended with ${code} before it served anything:\n${printed}`)));
    });
    return { url, end };
  } catch (error) {
    await end();
    throw error;
  }
}

/**
 * Opens an address in a new browser context. `visitor.problems` collects errors and warnings of the console, and failed requests;
 * `loaded` has the names of the style sheets that were loaded.
 */
export async function visit(chrome, url, size) {
  const context = await chrome.newContext({
    viewport: size,
    reducedMotion: "reduce",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const page = await context.newPage();
  const [problems, loaded] = [[], []];
  page.on("pageerror", (error) => problems.push(`exception: ${error.stack ?? error}`));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) problems.push(`console: ${message.text()}`);
  });
  page.on("requestfailed", (request) => problems.push(`request: ${request.url()} ${request.failure()?.errorText}`));
  page.on("response", (response) => {
    if (!response.ok() && response.status() !== 304) problems.push(`${response.status()} ${response.url()}`);
    else if (/\.css($|\?)/.test(response.url())) loaded.push(basename(new URL(response.url()).pathname));
  });
  await page.goto(url);
  return { visitor: new Visitor(page, problems), loaded };
}

/** Returns the style elements and links that the page's policy blocked. */
export const refused = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll("style, link[rel=stylesheet]")].filter(({ sheet }) => !sheet).map((one) => one.outerHTML),
  );

/** Runs a command of the page by its title in the palette. */
export async function command(page, title) {
  await page.keyboard.press("F1");
  await page.getByRole("combobox", { name: "Command or state" }).fill(title);
  await page.getByRole("option", { name: title }).first().waitFor();
  await page.keyboard.press("Enter");
}

/** Closes every open dialog with Escape. */
export async function closeDialogs(page) {
  await until(async () => {
    if ((await page.getByRole("dialog").count()) > 0) await page.keyboard.press("Escape");
    const open = page.getByRole("dialog");
    assert.deepEqual(await open.evaluateAll((all) => all.map((one) => one.outerHTML.slice(0, 300))), []);
  });
}

async function inDialog(page, title, name, look = async () => {}) {
  await command(page, title);
  const dialog = page.getByRole("dialog", { name });
  await dialog.waitFor();
  await look(dialog);
  await closeDialogs(page);
}

const PANES = [
  "Mocks of the tasks",
  "Watch expressions",
  "List of breakpoints",
  "Timeline",
  "Runs and forks",
  "Executions kept in this browser",
  "Coverage of all runs",
];

/** Opens every part of the page that is loaded on demand. */
export async function openEverything(visitor, narrow) {
  const { page } = visitor;
  const pane = async (name) => {
    if (narrow) await page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name }).click();
  };
  await visitor.run();
  await pane("Run");
  await visitor.result();
  for (const title of PANES) {
    await command(page, title);
    await visitor.waitUntilQuiet();
  }
  await inDialog(page, "Examples and recent drafts", "Drafts and examples", (dialog) => dialog.locator(".gallery li").first().waitFor());
  await inDialog(page, "Import", "Import");
  await inDialog(page, "Export", "Export");
  await inDialog(page, "Make a link, and choose what is in it", "Share", async (dialog) => {
    await dialog.getByRole("tab", { name: "Embed this" }).click();
    await dialog.getByRole("button", { name: "Show a preview" }).click();
    await dialog.getByRole("group", { name: "Preview" }).locator("stepglass-debugger").waitFor();
  });
  await inDialog(page, "Settings", "Settings");
  await inDialog(page, "Change keys", "Keyboard");
  await inDialog(page, "Help and keyboard shortcuts", "Help");
  await inDialog(page, "Go to a state by its name", "Go to a state");
  await pane("Graph");
  await visitor.state("InStock?").click();
  await pane("Inspect");
  await page.getByRole("tab", { name: "Form" }).click();
  await page.locator("#inspect-form input, #inspect-form select").first().waitFor();
  // The fields of a JSONata machine use the expression editor.
  await visitor.example("JSONata and variables");
  await visitor.waitUntilQuiet();
  await command(page, "Take the tour of 30 seconds");
  await page.getByRole("region", { name: "Tour" }).getByRole("heading").first().waitFor();
  await page.keyboard.press("Escape");
  await visitor.waitUntilQuiet();
}
