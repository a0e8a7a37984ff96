// The form of a state in a large machine: until it is there, and writing in it.
import { painted, visit } from "./browser.mjs";
import { linkTo, mixed } from "./machines.mjs";
import { best, calibrate, quantile } from "./rows.mjs";

const STATES = 500;
/** States that are selected in turn, and keys of a round. */
const TURNS = 12;
const KEYS = 40;

export async function forms({ rows, chrome, server }) {
  const visitor = await visit(chrome, server.url, { hash: linkTo(mixed(STATES)), until: "ready" });
  const { page } = visitor;
  await page.mouse.move(400, 300);
  await page.getByRole("tab", { name: "Form", exact: true }).click();
  await page.locator("#inspect-form .form-row").first().waitFor();
  // What is not loaded before the first form of a type is no part of the figure.
  const names = await page.evaluate(() =>
    [...document.querySelectorAll("[data-node^='/States/']")].map((node) => node.dataset.node).filter((id) => id.split("/").length === 3),
  );
  const chosen = names.slice(0, TURNS);
  const show = (id) =>
    page.evaluate(
      (pointer) =>
        new Promise((resolve) => {
          const panel = document.querySelector("#inspect-form");
          const begun = performance.now();
          const observer = new MutationObserver(() => {
            const name = panel.querySelector(".form-title");
            if (name?.value !== decodeURIComponent(pointer.slice("/States/".length))) return;
            observer.disconnect();
            globalThis.told.whenPainted(() => resolve(performance.now() - begun));
          });
          observer.observe(panel, { childList: true, subtree: true, attributes: true });
          document
            .querySelector(`[data-node="${CSS.escape(pointer)}"]`)
            .dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
        }),
      id,
    );
  const round = async () => {
    const took = [];
    for (const id of chosen) {
      took.push(await show(id));
      await page.waitForTimeout(120);
    }
    return quantile(took);
  };
  await round();
  const factor = calibrate();
  rows.row(`form of a selected state, ${STATES} states, wall`, (await best(3, round)) * factor, "ms", { most: 50 });
  const painting = await best(3, async () => {
    const costs = [];
    for (const id of chosen) costs.push(await visitor.costOf(() => show(id)));
    return quantile(costs) * factor;
  });
  rows.row(`form of a selected state, ${STATES} states, main thread's CPU`, painting, "ms", { most: 50 });
  await page.locator("#inspect-form textarea").first().focus();
  const cost = await best(4, async () => {
    const costs = [];
    for (let i = 0; i < KEYS; i++) {
      await page.waitForTimeout(60);
      costs.push(
        await visitor.costOf(async () => {
          await page.keyboard.press(i % 2 ? "Backspace" : "x");
          await painted(page);
        }),
      );
    }
    return quantile(costs, 0.95) * factor;
  });
  rows.row(`key in a field of it until it is painted, main thread's CPU, 95 of 100`, cost, "ms", { most: 16 });
  await visitor.leave();
}
