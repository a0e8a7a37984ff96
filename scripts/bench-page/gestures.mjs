// A gesture on the graph, from the key until the graph with what it made is painted.
import { visit } from "./browser.mjs";
import { linkTo, mixed } from "./machines.mjs";
import { best, calibrate } from "./rows.mjs";

/** The state that is duplicated, once in each round. */
const STATE = "/States/Step 4";
const ROUNDS = 8;

export async function gestures(site) {
  for (const [count, most] of [
    [50, 60],
    [500, 60],
    [2000, 300],
  ])
    await duplicate(site, count, most);
}

async function duplicate({ rows, chrome, server }, count, most) {
  const visitor = await visit(chrome, server.url, { hash: linkTo(mixed(count)), until: "ready" });
  const { page } = visitor;
  await page.waitForTimeout(1500);
  await page.evaluate((id) => {
    document.querySelector(`[data-node="${id}"]`).dispatchEvent(new MouseEvent("click", { bubbles: true }));
  }, STATE);
  // What is loaded with the first gesture is no part of the figure; the pen comes with the first real key.
  const label = () => page.locator(".canvas").getAttribute("aria-label");
  const first = await label();
  await page.evaluate((id) => document.querySelector(`[data-node="${id}"]`).focus(), STATE);
  await page.keyboard.press("Control+d");
  await page.waitForFunction((before) => document.querySelector(".canvas").getAttribute("aria-label") !== before, first);
  const factor = calibrate();
  let cpu = Infinity;
  const took = await best(ROUNDS, async () => {
    let wall = 0;
    cpu = Math.min(
      cpu,
      await visitor.costOf(async () => {
        wall = await made(page);
      }),
    );
    return wall;
  });
  const states = `${count.toLocaleString("en")} states`;
  rows.row(`gesture until its graph is painted, ${states}, wall`, took * factor, "ms", { most });
  rows.row(`gesture until its graph is painted, ${states}, main thread's CPU`, cpu * factor, "ms");
  await visitor.leave();
}

/** Duplicates the state by its key; ms until the graph with one state more is on the screen. */
async function made(page) {
  await page.evaluate((id) => document.querySelector(`[data-node="${id}"]`).focus(), STATE);
  await page.waitForTimeout(800);
  return page.evaluate(async () => {
    const canvas = document.querySelector(".canvas");
    const before = canvas.getAttribute("aria-label");
    const { promise, resolve } = Promise.withResolvers();
    const begun = performance.now();
    const observer = new MutationObserver(() => {
      // The label says how many states there are.
      if (canvas.getAttribute("aria-label") === before) return;
      observer.disconnect();
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => resolve(performance.now() - begun);
      requestAnimationFrame(() => port2.postMessage(null));
    });
    observer.observe(canvas, { attributes: true });
    document.activeElement.dispatchEvent(
      new KeyboardEvent("keydown", { key: "d", code: "KeyD", ctrlKey: true, bubbles: true, cancelable: true }),
    );
    return promise;
  });
}
