// A visitor of the page, in a real browser: what tests of it share.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { inflateRawSync } from "node:zlib";
import { builtPage } from "../../scripts/page.mjs";
import { borrow, inFont, missingFont, serve, slowDown, until } from "../browser.mjs";

export { comes, until } from "../browser.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** How the page looks where somebody wishes, besides light. */
const LOOKS = { dark: { colorScheme: "dark" }, contrast: { contrast: "more" }, forced: { forcedColors: "active" } };

/** Rules of axe about the parts of a page beside each other: names, landmarks, headings, ids and what is in none of them. */
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

/** A machine of one task and an end. */
export const GREETING = {
  StartAt: "Greet",
  States: {
    Greet: { Type: "Task", Resource: "arn:aws:lambda:us-east-1:123456789012:function:Greet", Next: "Done" },
    Done: { Type: "Succeed" },
  },
};

/** The link in the dialog, once what is in it passes; the letters of its members are those of www/src/model/share.ts. */
export function shared(page, passes) {
  return until(async () => {
    const link = await page.getByRole("textbox", { name: "Link" }).inputValue();
    const packed = JSON.parse(inflateRawSync(Buffer.from(link.slice(link.indexOf("#v1.") + 4), "base64url")).toString());
    assert.ok(passes(packed), Object.keys(packed).join());
    return link;
  });
}

/** The built page, served, and a browser. */
export async function begin() {
  const server = await serve(builtPage());
  const chrome = await borrow();
  return {
    url: server.url,
    /**
     * A visitor with an empty browser, whose page is shown in `font` where one is wanted: "narrow", "wide" or "tall".
     * `problems` must stay empty: exceptions, refusals of the policy, requests elsewhere.
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

/**
 * Inside of a describe: a site for its tests, and `visit`, a test with a visitor who has the page before them, and leaves
 * it without a complaint. With `staying` they are who the test before had, if that stayed too and went well: for tests that
 * begin with a machine of their own, which opens as on a new page. With `staying: "Order processing"` that example is opened.
 */
export function visits() {
  const site = {};
  let stayed;
  const part = async () => {
    const one = stayed;
    stayed = undefined;
    await one?.leave();
  };
  before(async () => Object.assign(site, await begin()));
  after(async () => {
    await part();
    await site.end?.();
  });
  const visit = (name, { staying = false, ...options }, body) =>
    test(name, { skip: options.font ? (missingFont(options.font) ?? false) : false }, async () => {
      const again = staying && stayed !== undefined;
      if (!again) await part();
      const visitor = again ? stayed : await site.visit(options);
      stayed = undefined;
      try {
        if (again) await visitor.settle(staying);
        else await visitor.ready();
        await body(visitor, visitor.page);
        if (staying) assert.deepEqual(visitor.problems, []);
      } catch (error) {
        // What was on the screen then, and what the console said, tell more than where the test stood.
        const folder = process.env.STEPGLASS_SHOTS;
        if (folder) await visitor.page.screenshot({ path: join(folder, `${name.replaceAll(/\W+/g, "-")}.png`) });
        const words = (await visitor.page.locator("body").innerText()).replaceAll(/\s+/g, " ").slice(0, 2_000);
        error.stack += `\n    on screen: ${words}\n    problems: ${visitor.problems.join("; ")}`;
        throw error;
      }
      if (staying) stayed = visitor;
      else await visitor.leave();
    });
  return { site, visit };
}

export class Visitor {
  constructor(page, problems) {
    this.page = page;
    this.problems = problems;
  }

  /** Nothing went wrong that only the console tells. */
  async leave() {
    await this.page.context().close();
    assert.deepEqual(this.problems, []);
  }

  /** On a page that has been used before: no dialog is open, the window is as at first, the mouse is away, and an example is open if one is wanted. */
  async settle(example) {
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

  /** A state by its name, at the outermost level. */
  state(name) {
    return this.node(`/States/${name}`);
  }

  /** An editor that takes text: until it is loaded its text can only be read. */
  editor(label) {
    return this.page.getByRole("textbox", { name: label, exact: true }).and(this.page.locator(":not([readonly])"));
  }

  async ready() {
    await this.page.locator("[data-node]").first().waitFor();
    // The keys are a part of their own; who has them says so.
    await this.page.locator("[aria-keyshortcuts]").first().waitFor({ state: "attached" });
    // On a phone another pane comes first.
    if (this.page.viewportSize().width >= 640) await this.editor("Definition").waitFor();
  }

  /** Pastes a text in place of an editor's. */
  async write(label, text) {
    const editor = this.editor(label);
    await editor.click();
    await this.page.keyboard.press("ControlOrMeta+a");
    await this.page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
    await this.page.keyboard.press("ControlOrMeta+v");
  }

  /** A workspace of the tester's own. */
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

  /** Waits until a draft of this browser has it in its text. */
  async kept(text) {
    await this.page.waitForFunction(
      (wanted) => Object.entries(localStorage).some(([key, draft]) => key.startsWith("stepglass.draft.") && draft.includes(wanted)),
      text,
    );
  }

  /** Waits until what this browser keeps of its executions passes, the newest first. */
  executions(passes) {
    return until(async () => {
      const kept = await this.page.evaluate(async () => {
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
      assert.ok(passes(kept), JSON.stringify(kept));
      return kept;
    });
  }

  /** Answers the task of a state by hand, in the dock. */
  async answer(state, output) {
    const form = this.page.getByRole("form", { name: `Answer of ${state}` });
    await form.getByRole("textbox", { name: "Result (JSON)" }).fill(JSON.stringify(output));
    await form.getByRole("button", { name: "Answer", exact: true }).click();
  }

  /** What the page hands out as a file when that button is pressed: `{name, bytes}`. */
  async saved(button) {
    const coming = this.page.waitForEvent("download");
    await button.click();
    const download = await coming;
    return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
  }

  /** Imports a text by the dialog. */
  async bring(text, title) {
    await this.page.getByRole("button", { name: "Import", exact: true }).click();
    await this.page.getByLabel("Text", { exact: true }).fill(typeof text === "string" ? text : JSON.stringify(text));
    await this.page.getByRole("button", { name: "Open the text" }).click();
    if (title !== undefined) await this.page.locator(".document", { hasText: title }).waitFor();
  }

  /** Chooses what is chosen by a click, again where it was drawn anew just then, and waits until it is. */
  async choose(one) {
    await until(async () => {
      await one.click();
      await this.idle();
      assert.equal((await one.getAttribute("aria-checked")) ?? (await one.getAttribute("aria-pressed")), "true");
    });
  }

  /** The inspector shows the data of the visit and the attempt that are chosen. */
  async idle() {
    await this.page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
  }

  /** Nothing has been drawn for a moment: lazily loaded parts have come. What never rests is waited for no longer than two seconds. */
  async still() {
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

  tab(name) {
    return this.page.getByRole("tab", { name: new RegExp(`^${name}`) }).click();
  }

  /** By the keyboard, because a button that is held down runs past all breakpoints, and a busy machine holds it for long. */
  async run() {
    const button = this.page.getByRole("button", { name: "Run", exact: true }).first();
    await button.click({ trial: true });
    await button.press("Enter");
  }

  /** The result's pane, when the run has ended. */
  async result() {
    const tab = this.page.getByRole("tab", { name: /^Result/ });
    await tab.locator(".badge").waitFor({ state: "attached" });
    // A tab that was chosen before stays, also in front of the result.
    const result = this.page.locator(".result");
    if ((await tab.isVisible()) && (await tab.getAttribute("aria-selected")) === "false") {
      await this.still();
      if ((await tab.getAttribute("aria-selected")) === "false") await tab.click();
    }
    await result.waitFor();
    return result;
  }

  /** The output of the run, parsed. */
  async output() {
    const result = await this.result();
    const text = await result.locator('pre[aria-label="Output"]').innerText();
    return JSON.parse(text);
  }

  /**
   * Violations of WCAG and of good practice, or of these rules alone. Where all but one part of the page has been looked at
   * before, `within` is its selector: the rest is asked only for what parts are to each other.
   */
  async violations(rules, within) {
    // Another look is there a frame later.
    if (!rules) await this.still();
    else
      await this.page.evaluate(
        () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve)))),
      );
    if (!(await this.page.evaluate(() => "axe" in globalThis))) await this.page.evaluate(axe);
    return this.page.evaluate(
      async ({ rules, within, whole }) => {
        const look = async (place, only) =>
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
        const violations = await look(place, rules ?? tags);
        if (within && !rules) violations.push(...(await look(document, whole)));
        // Of a name in two lines at the edge of the view axe sees one, and takes it for a word of its own.
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
   * The same in each of these looks beside the light one, of LOOKS, in one visit: all rules once, and in the other looks what
   * depends on them, which are the colours.
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
