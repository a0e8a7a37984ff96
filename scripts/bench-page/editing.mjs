// Writing in a large definition.
import { forms } from "./forms.mjs";
import { gestures } from "./gestures.mjs";
import { painted, visit } from "./browser.mjs";
import { linkTo, mixed } from "./machines.mjs";
import { best, calibrate, quantile } from "./rows.mjs";

/** What passes on purpose until a changed text is read. */
const DEBOUNCE = 150;
/** Keys of a round. */
const KEYS = 40;

export async function editing({ rows, chrome, server }) {
  rows.part("Writing");
  await keys({ rows, chrome, server });
  for (const [count, most] of [
    [50, 30],
    [500, 100],
    [2000, 300],
  ])
    await changes({ rows, chrome, server }, count, most);
  await gestures({ rows, chrome, server });
  await forms({ rows, chrome, server });
}

async function open({ chrome, server }, text) {
  const visitor = await visit(chrome, server.url, { hash: linkTo(text), until: "ready" });
  await visitor.page.waitForTimeout(1500);
  await visitor.page.getByRole("textbox", { name: "Definition", exact: true }).focus();
  return visitor;
}

async function keys(site) {
  const text = mixed(2100);
  const visitor = await open(site, text);
  const { page } = visitor;
  // To a state in the middle.
  await page.keyboard.press("Control+Home");
  for (let i = 0; i < 40; i++) await page.keyboard.press("PageDown");
  await page.keyboard.press("End");
  const factor = calibrate();
  const cost = await best(4, async () => {
    const costs = [];
    for (let i = 0; i < KEYS; i++) {
      await page.waitForTimeout(90);
      costs.push(
        await visitor.costOf(async () => {
          await page.keyboard.press(i % 2 ? "Backspace" : " ");
          await painted(page);
        }),
      );
    }
    return quantile(costs, 0.95) * factor;
  });
  site.rows.row(
    `key until it is painted, ${text.split("\n").length.toLocaleString("en")} lines, main thread's CPU, 95 of 100`,
    cost,
    "ms",
    { most: 16 },
  );
  await visitor.leave();
}

/** Another name of the first state, and back. */
async function changes(site, count, most) {
  const visitor = await open(site, mixed(count));
  const { page } = visitor;
  const factor = calibrate();
  const took = await best(6, async (i) => {
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("End");
    for (let left = 0; left < 2; left++) await page.keyboard.press("ArrowLeft");
    await page.waitForTimeout(1000);
    await page.evaluate(() => {
      globalThis.redrawn = Promise.withResolvers();
      new MutationObserver((_, observer) => {
        observer.disconnect();
        requestAnimationFrame(() => globalThis.redrawn.resolve(performance.now()));
      }).observe(document.querySelector(".canvas"), { childList: true, subtree: true, attributes: true, characterData: true });
      addEventListener("keydown", () => (globalThis.pressed = performance.now()), { capture: true, once: true });
    });
    await page.keyboard.press(i % 2 ? "Backspace" : "x");
    return (await page.evaluate(async () => (await globalThis.redrawn.promise) - globalThis.pressed)) - DEBOUNCE;
  });
  site.rows.row(
    `text change until its graph, ${count.toLocaleString("en")} states, without the ${DEBOUNCE} ms of patience, wall`,
    took * factor,
    "ms",
    { most },
  );
  await visitor.leave();
}
