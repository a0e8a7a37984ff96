// A visitor of the page in a real browser. The browser tests share it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { inflateRawSync } from "node:zlib";
import { builtPage } from "../../scripts/page.mjs";
import { borrow, inFont, missingFont, serve, slowDown, until } from "../browser.mjs";

export { eventually, until } from "../browser.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Colour schemes and contrast settings that a user may prefer, besides the light look. */
const LOOKS = { dark: { colorScheme: "dark" }, contrast: { contrast: "more" }, forced: { forcedColors: "active" } };

/** Rules of axe that concern the page as a whole: names, landmarks, headings, ids, and content outside of landmarks. */
const WHOLE = [
  "accesskeys",
  "aria-hidden-body",
  "bypass",
  "document-title",
  "duplicate-id-aria",
  "empty-heading",
  "frame-title-unique",
  "heading-order",
  "html-has-lang",
  "html-lang-valid",
  "landmark-banner-is-top-level",
  "landmark-complementary-is-top-level",
  "landmark-contentinfo-is-top-level",
  "landmark-main-is-top-level",
  "landmark-no-duplicate-banner",
  "landmark-no-duplicate-contentinfo",
  "landmark-no-duplicate-main",
  "landmark-one-main",
  "landmark-unique",
  "page-has-heading-one",
  "region",
  "skip-link",
  "tabindex",
];

/** The groups of tabs. */
const GROUPS = {
  "Set-up": ["Input", "Tasks", "Mocks", "Config"],
  Run: ["Events", "Result", "Waiting tasks", "Timeline", "Breakpoints", "Watch", "Console"],
  History: ["Runs", "Executions", "Coverage"],
};

/** A machine with one task and a final state. */
export const GREETING = {
  StartAt: "Greet",
  States: {
    Greet: { Type: "Task", Resource: "arn:aws:lambda:us-east-1:123456789012:function:Greet", Next: "Done" },
    Done: { Type: "Succeed" },
  },
};

/**
 * Returns the link of the dialog as soon as its content satisfies `passes`. The one-letter members are defined in
 * www/src/model/share.ts.
 */
export function shared(page, passes) {
  return until(async () => {
    const link = await page.getByRole("textbox", { name: "Link" }).inputValue();
    const packed = JSON.parse(inflateRawSync(Buffer.from(link.slice(link.indexOf("#v1.") + 4), "base64url")).toString());
    assert.ok(passes(packed), Object.keys(packed).join());
    return link;
  });
}

/** Serves the built page and starts a browser. */
export async function begin() {
  const server = await serve(builtPage());
  const chrome = await borrow();
  return {
    url: server.url,
    /**
     * A visitor with an empty profile. `font` is the font of their page: "narrow", "wide" or "tall".
     * `problems` collects exceptions, violations of the page's policy and requests to other hosts. It must stay empty.
     */
    async visit({ width = 1440, height = 900, hash = "", before, font, ...options } = {}) {
      const context = await chrome.newContext({
        viewport: { width, height },
        reducedMotion: "reduce",
        permissions: ["clipboard-read", "clipboard-write"],
        serviceWorkers: "block",
        ...options,
      });
      const page = await context.newPage();
      await slowDown(page);
      if (font) await inFont(page, font);
      const problems = [];
      page.on("pageerror", (error) => problems.push(`exception: ${error.stack ?? error}`));
      page.on(
        "console",
        (message) =>
          ["error", "warning"].includes(message.type()) &&
          !/Service Worker registration blocked|willReadFrequently/.test(message.text()) &&
          problems.push(`console: ${message.text()}`),
      );
      page.on("request", (request) => {
        if (!request.url().startsWith(server.url) && !/^(blob|data):/.test(request.url()))
          problems.push(`a request elsewhere: ${request.url()}`);
      });
      await before?.(page);
      await page.goto(server.url + hash);
      return new Visitor(page, problems);
    },
    async end() {
      await chrome.close();
      await server.close();
    },
  };
}

/** Presses an entry of the header's menu, by the beginning of its name. */
export async function openFromMenu(page, name) {
  await page.getByRole("button", { name: "File", exact: true }).click();
  await page
    .getByRole("menu", { name: "File" })
    .getByRole("menuitem", { name: new RegExp(`^${name}`) })
    .click();
}

/**
 * Registers a site for the tests of a `describe`. `visit` declares a test whose visitor has opened the page; the test also fails if
 * the page reported a problem. With `reusePage` the visitor of the last test that allowed it too is used again, if that one passed:
 * for tests that open a machine of their own. With `reusePage: "Order processing"` that example is opened first. Tests in between
 * have pages of their own, and the reused one stays open meanwhile.
 */
export function visits() {
  const site = {};
  let stayed;
  before(async () => Object.assign(site, await begin()));
  after(async () => {
    try {
      await stayed?.leave();
    } finally {
      await site.end?.();
    }
  });
  const visit = (name, { reusePage = false, ...options }, body) =>
    test(name, { skip: options.font ? (missingFont(options.font) ?? false) : false }, async () => {
      const reused = reusePage && stayed !== undefined;
      const visitor = reused ? stayed : await site.visit(options);
      if (reusePage) stayed = undefined;
      try {
        if (reused) await visitor.reset(reusePage);
        else await visitor.ready();
        await body(visitor, visitor.page);
        if (reusePage) assert.deepEqual(visitor.problems, []);
      } catch (error) {
        // The text on the screen and the messages of the console explain a failure better than the stack alone.
        const folder = process.env.STEPGLASS_SHOTS;
        if (folder) await visitor.page.screenshot({ path: join(folder, `${name.replaceAll(/\W+/g, "-")}.png`) });
        const words = (await visitor.page.locator("body").innerText()).replaceAll(/\s+/g, " ").slice(0, 2_000);
        error.stack += `\n    on screen: ${words}\n    problems: ${visitor.problems.join("; ")}`;
        throw error;
      }
      if (reusePage) stayed = visitor;
      else await visitor.leave();
    });
  return { site, visit };
}

export class Visitor {
  constructor(page, problems) {
    this.page = page;
    this.problems = problems;
  }

  /** Closes the page, and fails if the page reported a problem. */
  async leave() {
    await this.page.context().close();
    assert.deepEqual(this.problems, []);
  }

  /**
   * Resets a page that an earlier test used: closes dialogs, restores the window's size, moves the mouse away, and opens `example`
   * if given.
   */
  async reset(example) {
    const dialogs = this.page.getByRole("dialog");
    await until(async () => {
      if ((await dialogs.count()) > 0) await this.page.keyboard.press("Escape");
      assert.equal(await dialogs.count(), 0);
    });
    await this.page.setViewportSize({ width: 1440, height: 900 });
    await this.page.mouse.move(0, 0);
    if (typeof example === "string") await this.example(example);
  }

  node(pointer) {
    return this.page.locator(`[data-node="${pointer}"]`);
  }

  /** A state of the outermost level by its name. */
  state(name) {
    return this.node(`/States/${name}`);
  }

  /** An editor that accepts text. Its text is read-only until the editor is loaded. */
  editor(label) {
    return this.page.getByRole("textbox", { name: label, exact: true }).and(this.page.locator(":not([readonly])"));
  }

  async ready() {
    await this.page.locator("[data-node]").first().waitFor();
    // The key commands are loaded separately. Controls have `aria-keyshortcuts` as soon as they are there.
    await this.page.locator("[aria-keyshortcuts]").first().waitFor({ state: "attached" });
    // A phone shows another pane first.
    if (this.page.viewportSize().width >= 640) await this.editor("Definition").waitFor();
  }

  /** Replaces the text of an editor by pasting. */
  async write(label, text) {
    const editor = this.editor(label);
    await editor.click();
    await this.page.keyboard.press("ControlOrMeta+a");
    await this.page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
    await this.page.keyboard.press("ControlOrMeta+v");
  }

  /** Opens an empty workspace and fills in the given texts. */
  async open({ definition, input = "{}", tasks = "" }) {
    await this.example("Empty");
    await this.editor("Definition").waitFor();
    await this.write("Definition", typeof definition === "string" ? definition : JSON.stringify(definition, null, 2));
    await this.tab("Input");
    await this.write("Input", typeof input === "string" ? input : JSON.stringify(input));
    if (tasks !== "") {
      await this.tab("Tasks");
      await this.write("Task handlers, JavaScript", tasks);
    }
    await this.tab("Definition");
  }

  async example(title) {
    await this.page.getByTitle("Examples and recent drafts").click();
    await this.page.locator(".gallery button", { hasText: title }).click();
    await this.page.locator(".document", { hasText: title === "Empty" ? "Untitled" : title }).waitFor();
  }

  /** Waits until a draft that this browser stores contains `text`. */
  async waitForDraft(text) {
    await this.page.waitForFunction(
      (wanted) => Object.entries(localStorage).some(([key, draft]) => key.startsWith("stepglass.draft.") && draft.includes(wanted)),
      text,
    );
  }

  /** Waits until the stored executions of this browser satisfy `passes`, and returns them, the newest first. */
  waitForExecutions(passes) {
    return until(async () => {
      const executions = await this.page.evaluate(async () => {
        const known = await indexedDB.databases();
        if (!known.some(({ name }) => name === "stepglass.executions")) return [];
        return new Promise((resolve, reject) => {
          const request = indexedDB.open("stepglass.executions");
          request.onerror = () => reject(request.error);
          request.onsuccess = () => {
            const all = request.result.transaction("about").objectStore("about").getAll();
            request.result.close();
            all.onsuccess = () => resolve(all.result.sort((a, b) => b.started - a.started));
          };
        });
      });
      assert.ok(passes(executions), JSON.stringify(executions));
      return executions;
    });
  }

  /** Answers the task of a state manually, in the dock. */
  async answer(state, output) {
    const form = this.page.getByRole("form", { name: `Answer of ${state}` });
    await form.getByRole("textbox", { name: "Result (JSON)" }).fill(JSON.stringify(output));
    await form.getByRole("button", { name: "Answer", exact: true }).click();
  }

  /** Presses a button and returns the file that the page offers as a download: `{name, bytes}`. */
  async download(button) {
    const coming = this.page.waitForEvent("download");
    await button.click();
    const download = await coming;
    return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
  }

  /** Imports a text with the Import dialog. */
  async importText(text, title) {
    await openFromMenu(this.page, "Import");
    await this.page.getByLabel("Text", { exact: true }).fill(typeof text === "string" ? text : JSON.stringify(text));
    await this.page.getByRole("button", { name: "Open the text" }).click();
    if (title !== undefined) await this.page.locator(".document", { hasText: title }).waitFor();
  }

  /** Clicks an option until it is selected. The click is repeated, because the page may redraw the option meanwhile. */
  async choose(one) {
    await until(async () => {
      await one.click();
      await this.waitForInspector();
      assert.equal((await one.getAttribute("aria-checked")) ?? (await one.getAttribute("aria-pressed")), "true");
    });
  }

  /** Waits until the inspector shows the data of the selected visit and attempt. */
  async waitForInspector() {
    await this.page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
  }

  /**
   * Waits until the page has not changed for 120 ms, so that lazily loaded parts are there; gives up after two seconds, because
   * some parts change all the time.
   */
  async waitUntilQuiet() {
    await this.page.evaluate(async () => {
      const begin = performance.now();
      let changed = begin;
      const watch = new MutationObserver(() => (changed = performance.now()));
      watch.observe(document.body, { childList: true, subtree: true, attributes: true });
      while (performance.now() - changed < 120 && performance.now() - begin < 2_000)
        await new Promise((resolve) => setTimeout(resolve, 20));
      watch.disconnect();
    });
  }

  /** Opens the group of a tab, so that its tab is on the page, and returns the tab. */
  async tabOf(name) {
    const [group] = Object.entries(GROUPS).find(([, names]) => names.some((one) => name.startsWith(one))) ?? [];
    if (group !== undefined) await this.page.getByRole("tab", { name: new RegExp(`^${group}(?!s)`) }).click();
    return this.page.getByRole("tab", { name: new RegExp(`^${name}`) });
  }

  async tab(name) {
    await (await this.tabOf(name)).click();
  }

  /** Opens each tab of the left pane or the dock in turn, in every group, and calls `each` with it. */
  async everyTab(place, each) {
    const groups = this.page.locator(`${place} .grouped-tabs > .tabs [role="tab"]`);
    await groups.first().waitFor();
    for (let i = 0; i < (await groups.count()); i++) {
      await groups.nth(i).click();
      const tabs = this.page.locator(`${place} .tab-group [role="tab"]`);
      if ((await tabs.count()) === 0) await each(groups.nth(i));
      for (let j = 0; j < (await tabs.count()); j++) {
        await tabs.nth(j).click();
        await each(tabs.nth(j));
      }
    }
  }

  /**
   * Starts a run with the keyboard: holding the button down means "run past all breakpoints", and a busy machine may release the
   * mouse late.
   */
  async run() {
    const button = this.page.getByRole("button", { name: "Run", exact: true }).first();
    await button.click({ trial: true });
    await button.press("Enter");
  }

  /** Waits for the end of the run, and returns the pane with its result. */
  async result() {
    // The result is among the tabs of the run.
    const group = this.page.getByRole("tab", { name: /^Run(?!s)/ });
    if ((await group.isVisible()) && (await group.getAttribute("aria-selected")) === "false") await group.click();
    const tab = this.page.getByRole("tab", { name: /^Result/ });
    await tab.locator(".badge").waitFor({ state: "attached" });
    // A tab that was selected before stays selected, also when the result arrives.
    const result = this.page.locator(".result");
    if ((await tab.isVisible()) && (await tab.getAttribute("aria-selected")) === "false") {
      await this.waitUntilQuiet();
      if ((await tab.getAttribute("aria-selected")) === "false") await tab.click();
    }
    await result.waitFor();
    return result;
  }

  /** Returns the output of the run, parsed. */
  async output() {
    const result = await this.result();
    const text = await result.locator('pre[aria-label="Output"]').innerText();
    return JSON.parse(text);
  }

  /**
   * Returns the violations of WCAG and of axe's best practices, or of `rules` alone. `within` is a selector: the other parts of the
   * page are then checked only for rules that concern the page as a whole, because they were checked before.
   */
  async violations(rules, within) {
    // A change of the look is painted one frame later.
    if (!rules) await this.waitUntilQuiet();
    else
      await this.page.evaluate(
        () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve)))),
      );
    if (!(await this.page.evaluate(() => "axe" in globalThis))) await this.page.evaluate(axe);
    return this.page.evaluate(
      async ({ rules, within, whole }) => {
        const check = async (place, only) =>
          (
            await globalThis.axe.run(place, {
              runOnly: only,
              resultTypes: ["violations"],
              preload: false,
              elementRef: true,
              selectors: false,
            })
          ).violations;
        const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
        const place = within ? { include: [...document.querySelectorAll(within)] } : document;
        if (within && place.include.length === 0) throw new Error(`nothing is ${within}`);
        const violations = await check(place, rules ?? tags);
        if (within && !rules) violations.push(...(await check(document, whole)));
        // axe reads only one line of a name that has two lines at the edge of the view, and reports it as a mismatch.
        const isNamed = ({ element }) =>
          element.getAttribute("aria-label")?.toLowerCase().includes(element.textContent.trim().toLowerCase());
        for (const one of violations) if (one.id === "label-content-name-mismatch") one.nodes = one.nodes.filter((node) => !isNamed(node));
        return violations
          .filter(({ nodes }) => nodes.length > 0)
          .map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes.map((node) => node.html.slice(0, 120)).join(" | ")}`);
      },
      { rules, within, whole: WHOLE },
    );
  }

  /**
   * Returns the violations in each of these looks of LOOKS besides the light one. The light look is checked with all rules, the
   * others only for the contrast of colours.
   */
  async violationsInEveryLook(looks = Object.keys(LOOKS), within = undefined) {
    const usual = { reducedMotion: "reduce", colorScheme: "light", contrast: null, forcedColors: null };
    const found = await this.violations(undefined, within);
    for (const look of looks) {
      await this.page.emulateMedia({ ...usual, ...LOOKS[look] });
      found.push(...(await this.violations(["color-contrast"], within)).map((one) => `${look}: ${one}`));
    }
    if (looks.length > 0) await this.page.emulateMedia(usual);
    return found;
  }
}
