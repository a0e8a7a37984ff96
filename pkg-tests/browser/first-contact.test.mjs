// What a newcomer sees: the servers that the README and CONTRIBUTING name, started by their own commands and opened in a real browser.
//
// Each walk opens every pane and dialog that is loaded when it is needed. It fails on an error or a warning of the console, on a
// violation of the page's policy, on a failed request, and if a style sheet of the page was not loaded or was refused.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, readdirSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { npm } from "../../scripts/setup.mjs";
import { borrow, skip, until } from "../browser.mjs";
import { GREETING, Visitor } from "./playground.mjs";

const root = resolve(import.meta.dirname, "../..");

/** Starts a command that prints the address that it serves: `{ url, end() }`. */
async function started(command, args) {
  // A group of its own: npm does not hand a signal on to what it runs.
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

/** Does a command of the page by its title in the palette. */
async function command(page, title) {
  await page.keyboard.press("F1");
  await page.getByRole("combobox", { name: "Command or state" }).fill(title);
  await page.getByRole("option", { name: title }).first().waitFor();
  await page.keyboard.press("Enter");
}

async function inDialog(page, title, name, look = async () => {}) {
  await command(page, title);
  const dialog = page.getByRole("dialog", { name });
  await dialog.waitFor();
  await look(dialog);
  await until(async () => {
    if ((await page.getByRole("dialog").count()) > 0) await page.keyboard.press("Escape");
    assert.equal(await page.getByRole("dialog").count(), 0);
  });
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

/** Opens all that the page loads when it is needed. */
async function openEverything(visitor, narrow) {
  const { page } = visitor;
  const pane = async (name) => {
    if (narrow) await page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name }).click();
  };
  await visitor.run();
  await pane("Run");
  await visitor.result();
  for (const title of PANES) {
    await command(page, title);
    await visitor.still();
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
  // The fields of a JSONata machine have the editor of expressions.
  await visitor.example("JSONata and variables");
  await visitor.still();
  await command(page, "Take the tour of 30 seconds");
  await page.getByRole("region", { name: "Tour" }).getByRole("heading").first().waitFor();
  await page.keyboard.press("Escape");
  await visitor.still();
}

const SERVE = [process.execPath, [join(root, "dist/cli.js"), "serve", "--port", "0"]];

/** The style sheets of the page's sources. Those of the component are texts in its scripts. */
const SHEETS = readdirSync(join(root, "www/src"), { recursive: true })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => file.endsWith(".css") && !file.startsWith("embed/"));

describe("a newcomer's first page", { skip }, () => {
  let chrome;
  before(async () => (chrome = await borrow()));
  after(() => chrome?.close());

  /** A visitor whose page is at this address. `loaded` are the addresses of the style sheets that were loaded. */
  async function visit(url, size) {
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
    const visitor = new Visitor(page, problems);
    return { visitor, loaded };
  }

  const refused = (page) =>
    page.evaluate(() =>
      [...document.querySelectorAll("style, link[rel=stylesheet]")].filter(({ sheet }) => !sheet).map((one) => one.outerHTML),
    );

  const SIZES = [
    { width: 1280, height: 800 },
    { width: 360, height: 740 },
  ];
  for (const [name, command, sheets, path = ""] of [
    ["npm start", npm("start", "--", "--port", "0"), built],
    ["npm run dev", npm("run", "dev", "--", "--port", "0"), fromSources],
    ["stepglass serve", SERVE, built, "debugger/page/"],
  ]) {
    test(`${name} serves a page whose panes and dialogs are all styled`, async (t) => {
      const server = await started(...command);
      t.after(server.end);
      for (const size of SIZES) {
        const { visitor, loaded } = await visit(server.url + path, size);
        await visitor.ready();
        await openEverything(visitor, size.width < 640);
        assert.deepEqual(await refused(visitor.page), [], "style sheets that the page's policy refused");
        await sheets(visitor.page, loaded);
        await visitor.leave();
      }
    });
  }

  test("stepglass serve lists executions and shows one", async (t) => {
    const server = await started(...SERVE);
    t.after(server.end);
    const call = async (operation, body) => {
      const response = await fetch(server.url, {
        method: "POST",
        headers: { "content-type": "application/x-amz-json-1.0", "x-amz-target": `AWSStepFunctions.${operation}` },
        body: JSON.stringify(body),
      });
      return response.json();
    };
    const { stateMachineArn } = await call("CreateStateMachine", {
      name: "Greeting",
      definition: JSON.stringify(GREETING),
      roleArn: "arn:aws:iam::123456789012:role/StepFunctions",
    });
    await call("StartExecution", { stateMachineArn, name: "first" });
    for (const size of SIZES) {
      const { visitor } = await visit(`${server.url}debugger/`, size);
      const { page } = visitor;
      await page.getByRole("link", { name: "first" }).click();
      await page.locator("stepglass-debugger").getByText("Greet", { exact: true }).first().waitFor();
      await visitor.still();
      assert.deepEqual(await refused(page), []);
      await visitor.leave();
    }
  });

  /** Every style sheet of the build has been loaded. */
  function built(_, loaded) {
    const wanted = readdirSync(join(root, "www/dist/assets")).filter((file) => file.endsWith(".css"));
    assert.ok(wanted.length > 1);
    assert.deepEqual(
      wanted.filter((file) => !loaded.includes(file)),
      [],
      "openEverything() must open what loads these",
    );
  }

  /** Every style sheet of the sources is on the page. */
  async function fromSources(page) {
    const found = await page.evaluate(() => [...document.querySelectorAll("[data-vite-dev-id]")].map((one) => one.dataset.viteDevId));
    assert.ok(SHEETS.length > 10);
    // The first style sheet imports others, which Vite puts into one element.
    const imported = readFileSync(join(root, "www/src/styles/index.css"), "utf8");
    const lacking = SHEETS.filter((file) => !imported.includes(basename(file)) && !/index\.css$/.test(file));
    assert.deepEqual(
      lacking.filter((file) => !found.some((id) => id.replaceAll("\\", "/").endsWith(file))),
      [],
    );
  }
});
