// A gesture on the graph, from the key until the graph with what it made is painted.
import { cpuIn, visit } from "./browser.mjs";
import { linkTo, mixed } from "./machines.mjs";
import { calibrate } from "./rows.mjs";

/** The state that is duplicated, once in each round. */
const STATE = "/States/Step 4";
const ROUNDS = 10;

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
  // The editor comes with the first key, and what is loaded with the first gesture comes with that: neither is part of the figure.
  await page.keyboard.press("Control");
  await page.locator(".edit-bar").waitFor();
  await made(page);
  const factor = calibrate();
  const least = { wall: Infinity, main: Infinity, worker: Infinity };
  for (let round = 0; round < ROUNDS; round++) {
    least.wall = Math.min(least.wall, await made(page));
    const cpu = await cpuIn(chrome, () => made(page));
    least.main = Math.min(least.main, cpu.main);
    least.worker = Math.min(least.worker, cpu.worker);
  }
  const states = `${count.toLocaleString("en")} states`;
  rows.row(`gesture until its graph is painted, ${states}, wall`, least.wall * factor, "ms", { most });
  rows.row(`gesture until its graph is painted, ${states}, main thread's CPU`, least.main * factor, "ms");
  rows.row(`gesture until its graph is painted, ${states}, interpreter's CPU`, least.worker * factor, "ms");
  await visitor.leave();
}

/** Duplicates the state by its key; ms until the graph with one state more is on the screen, between the marks of `cpuIn`. */
async function made(page) {
  await page.evaluate((id) => document.querySelector(`[data-node="${id}"]`).focus(), STATE);
  await page.waitForTimeout(800);
  return page.evaluate(async () => {
    const canvas = document.querySelector(".canvas");
    const before = canvas.getAttribute("aria-label");
    const { promise, resolve } = Promise.withResolvers();
    performance.mark("measured-from");
    const begun = performance.now();
    const observer = new MutationObserver(() => {
      // The label says how many states there are.
      if (canvas.getAttribute("aria-label") === before) return;
      observer.disconnect();
      globalThis.told.whenPainted(() => {
        performance.mark("measured-to");
        resolve(performance.now() - begun);
      });
    });
    observer.observe(canvas, { attributes: true });
    document.activeElement.dispatchEvent(
      new KeyboardEvent("keydown", { key: "d", code: "KeyD", ctrlKey: true, bubbles: true, cancelable: true }),
    );
    return promise;
  });
}
