// A newcomer's first hour with the page:   npm run test:hour [-- --minutes N] [-- --seed N] [-- --url URL]
//
// Starts `npm start`, opens it in a browser and does at random what people do: opens examples, runs and steps through them,
// chooses commands of the palette, types into the definition, turns the phone, reloads. Fails on the first error or warning of
// the console, refused style, failed request, dialog that does not close or page that no longer answers, and prints the seed
// and the last actions. Every five minutes it prints how many actions were done and what the page holds of memory.
//
// The page is given time to think between two actions, as a person would, so that the walk leaves most of a core to others.
import assert from "node:assert/strict";
import { performance } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { launch, until } from "../pkg-tests/browser.mjs";
import { closeDialogs, refused, started, visit } from "../pkg-tests/browser/newcomer.mjs";
import { generator } from "./random.mjs";
import { npm } from "./setup.mjs";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "60" },
    seed: { type: "string", default: "1" },
    url: { type: "string" },
  },
});
const minutes = Number(values.minutes);
const seed = Number(values.seed);
if (!(minutes > 0) || !Number.isSafeInteger(seed)) {
  console.error("first-hour: --minutes takes a number above 0, and --seed an integer");
  process.exit(2);
}

const SIZES = [
  { width: 1280, height: 800 },
  { width: 1440, height: 900 },
  { width: 768, height: 1024 },
  { width: 360, height: 740 },
];
/** Keys of the debugger, of the graph and of the text editor. */
const KEYS = [
  "F10",
  "F11",
  "Shift+F11",
  "F8",
  "Alt+[",
  "Alt+]",
  "F4",
  "ArrowDown",
  "ArrowRight",
  "Enter",
  "Escape",
  "Tab",
  "Control+z",
  "?",
];
/** Texts that people type or paste into the definition: a mistake, a valid ending and something unrelated. */
const TYPED = ["{", '"', ",", "}", '"Comment": "x",', "\n", "[1, 2"];
/** Commands that leave the page, or that wait for a file of the visitor. */
const LEAVING = /^(Open a file|Save|Open in|Print|Take the tour)/;
/** How long an action may take before the page counts as hung, in milliseconds. */
const HUNG = 120_000;

const random = generator(seed);
const one = (list) => list[Math.floor(random() * list.length)];
const done = [];

/** Waits until the page handles keys. In a narrow window the graph may be in a pane that is not visible. */
const ready = (page) => page.locator("[aria-keyshortcuts]").first().waitFor({ state: "attached" });

const ACTIONS = {
  async example({ page }) {
    await page.getByTitle("Examples and recent drafts").click({ timeout: 3_000 });
    const buttons = page.locator(".gallery button");
    await buttons.first().waitFor();
    const index = Math.floor(random() * (await buttons.count()));
    await buttons.nth(index).click();
    await ready(page);
    return `${index}`;
  },
  async run({ page }) {
    await page.keyboard.press("Control+Enter");
  },
  async key({ page }) {
    const key = one(KEYS);
    await page.keyboard.press(key);
    return key;
  },
  async command({ page }) {
    // A dialog that is loaded on demand may have opened after the last action closed all dialogs.
    await closeDialogs(page);
    await page.keyboard.press("F1");
    await page.getByRole("combobox", { name: "Command or state" }).waitFor();
    const options = page.getByRole("dialog").getByRole("option");
    const titles = (await options.allInnerTexts()).map((text) => text.split("\n")[0].trim());
    const title = one(titles.filter((title) => title !== "" && !LEAVING.test(title)));
    await page.getByRole("combobox", { name: "Command or state" }).fill(title);
    await page.keyboard.press("Enter");
    return title;
  },
  async state({ page }) {
    const nodes = page.locator("[data-node]:visible");
    const count = await nodes.count();
    if (count === 0) return "none";
    await nodes.nth(Math.floor(random() * count)).click({ timeout: 3_000, force: true, noWaitAfter: true });
  },
  async tab({ page }) {
    const tabs = page.getByRole("tab").and(page.locator(":visible"));
    const count = await tabs.count();
    if (count > 0) await tabs.nth(Math.floor(random() * count)).click({ timeout: 3_000, force: true });
  },
  async type({ page }) {
    const editor = page.getByRole("textbox", { name: "Definition", exact: true }).and(page.locator(":visible"));
    if ((await editor.count()) === 0) return "no editor in view";
    await editor.click({ timeout: 3_000, force: true });
    await page.keyboard.type(one(TYPED), { delay: 20 });
    if (random() < 0.7) for (let i = 0; i < 5; i++) await page.keyboard.press("Control+z");
  },
  async resize({ page }) {
    const size = one(SIZES);
    await page.setViewportSize(size);
    return `${size.width}`;
  },
  async colours({ page }) {
    const colorScheme = one(["light", "dark"]);
    await page.emulateMedia({ colorScheme, reducedMotion: one(["reduce", "no-preference"]) });
    return colorScheme;
  },
  async reload({ page }) {
    await page.reload();
    await ready(page);
  },
};
/** The relative frequency of each action. */
const WEIGHTS = { example: 3, run: 4, key: 10, command: 8, state: 6, tab: 5, type: 4, resize: 1, colours: 1, reload: 1 };
const BAG = Object.entries(WEIGHTS).flatMap(([name, weight]) => Array.from({ length: weight }, () => name));

/** An action that a moving page makes impossible, such as a click on a state that no longer exists, is not a fault of the page. */
const isMissed = (error) => /Timeout 3000ms|outside of the viewport|not attached/.test(error.message);

async function act(visitor) {
  const name = one(BAG);
  const action = done.length + 1;
  let detail = "";
  try {
    const late = setTimeout(HUNG, undefined, { ref: false }).then(() => {
      throw new Error(`the page did not answer for ${HUNG / 1000} s`);
    });
    detail = (await Promise.race([ACTIONS[name](visitor), late])) ?? "";
  } catch (error) {
    if (!isMissed(error)) throw new Error(`action ${action}, ${name}: ${error.message}`, { cause: error });
    detail = "missed";
  } finally {
    done.push(`${name}${detail ? ` ${detail}` : ""}`);
  }
  if (random() < 0.6 || name === "command") await closeDialogs(visitor.page);
  assert.deepEqual(visitor.problems, []);
  // A style sheet that is still loading looks like one that was refused.
  await until(async () => assert.deepEqual(await refused(visitor.page), []));
}

/** Returns the memory of the page: heap in MB after a collection, and the number of elements. */
async function memory(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  await session.detach();
  const elements = await page.evaluate(() => document.querySelectorAll("*").length);
  return `${(usedSize / 1e6).toFixed(1)} MB, ${elements} elements`;
}

const server = values.url === undefined ? await started(...npm("start", "--", "--port", "0")) : { url: values.url, end: async () => {} };
const chrome = await launch();
const begin = performance.now();
const passed = () => (performance.now() - begin) / 60_000;
let visitor;
try {
  ({ visitor } = await visit(chrome, server.url, SIZES[0]));
  const { page } = visitor;
  page.on("dialog", (dialog) => dialog.accept());
  await visitor.ready();
  let next = 0;
  while (passed() < minutes) {
    if (passed() >= next) {
      console.log(`${passed().toFixed(1).padStart(5)} min  ${done.length} actions, ${await memory(page)}`);
      next += 5;
    }
    await act(visitor);
    await setTimeout(300 + random() * 1_200);
  }
  console.log(`${passed().toFixed(1).padStart(5)} min  ${done.length} actions, ${await memory(page)}: nothing went wrong (seed ${seed})`);
} catch (error) {
  console.error(error);
  console.error(
    `first-hour: failed after ${passed().toFixed(1)} min with --seed ${seed}. Its last actions:\n  ${done.slice(-15).join("\n  ")}`,
  );
  process.exitCode = 1;
} finally {
  await chrome.close();
  await server.end();
}
