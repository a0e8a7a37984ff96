// The room of the graph: its cards at Fit, the layouts of the panes, and movements that do not touch the states.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { skip } from "../browser.mjs";
import { link } from "../../scripts/bench-page/machines.mjs";
import { eventually, until, visits } from "./playground.mjs";

const pass = (next) => (next ? { Type: "Pass", Next: next } : { Type: "Pass", End: true });
const chain = (names) => ({ StartAt: names[0], States: Object.fromEntries(names.map((name, i) => [name, pass(names[i + 1])])) });
const ORDERS = {
  StartAt: "Each",
  States: {
    Each: { Type: "Map", ItemProcessor: chain(["Reserve", "Charge"]), Next: "TellCustomer" },
    TellCustomer: pass("SendReceipt"),
    SendReceipt: pass(),
  },
};
const STEPS = chain(
  Array.from({ length: 40 }, (_, i) => `${["Send the receipt to", "ReserveStockForTheOrderOf", "Tell"][i % 3]} customer ${i}`),
);

describe("the room of the graph", { skip }, () => {
  const { visit } = visits();
  const to = (definition, input = "{}") => link({ t: "Room", d: JSON.stringify(definition, null, 2), i: input, c: "skip" });
  const width = (page) => page.locator("#graph-pane").evaluate((pane) => pane.clientWidth);
  const layer = (page) => page.locator(".canvas-layer").evaluate((element) => element.style.transform);

  /** Returns the states without an icon or with a cut name. */
  const poor = (page) =>
    page.locator(".node").evaluateAll((nodes) =>
      nodes.flatMap((node) => {
        const name = node.querySelector(".name")?.textContent ?? "";
        return name === "" || name.includes("…") || !node.querySelector(".glyph") ? [node.querySelector("[data-node]").dataset.node] : [];
      }),
    );

  for (const [device, size] of Object.entries({ window: { width: 1280, height: 800 }, phone: { width: 360, height: 740 } })) {
    visit(`shows the icon and the whole name of each of 40 states at Fit, ${device}`, { hash: to(STEPS), ...size }, async (_, page) => {
      if (device === "phone") await page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name: "Graph" }).click();
      await eventually(() => page.locator(".node .name").count(), 40);
      await eventually(() => poor(page), []);
    });
  }

  visit("leaves no empty band in a Map before a run", { hash: to(ORDERS, "[1,2]") }, async (visitor, page) => {
    const band = () =>
      page.evaluate(() => {
        const map = document.querySelector('[data-node="/States/Each"] .box').getBoundingClientRect();
        const scope = document.querySelector(".scope").getBoundingClientRect();
        return (scope.top - map.top) / map.height;
      });
    const before = await band();
    await visitor.run();
    await visitor.result();
    await page.getByRole("group", { name: "Iterations of Each" }).first().waitFor({ state: "attached" });
    await until(async () => assert.ok((await band()) > before + 0.1));
    assert.ok(before < 0.35, String(before));
  });

  visit(
    "gives the graph the window with one key, remembers it, and brings all panes back",
    { hash: to(ORDERS, "[1]") },
    async (visitor, page) => {
      const narrow = await width(page);
      await visitor.state("Each").focus();
      await page.keyboard.press("F7");
      await until(async () => assert.ok((await width(page)) > 1.7 * narrow));
      await page.reload();
      await page.locator("[data-node]").first().waitFor();
      assert.ok((await width(page)) > 1.7 * narrow);
      // What was written stays, and a rail opens its pane.
      await page.getByRole("button", { name: "Code", exact: true }).click();
      await visitor.editor("Definition").waitFor();
      assert.match(await visitor.editor("Definition").innerText(), /TellCustomer/);
      await page.getByRole("button", { name: "Room for the graph" }).click();
      await eventually(() => width(page), narrow);
    },
  );

  visit("moves and scales the painted drawing as one layer, and paints it when the movement ends", { hash: to(STEPS) }, async (_, page) => {
    await page.locator(".node .name").first().waitFor();
    const seen = await page.locator(".canvas").evaluate(async (canvas) => {
      const changed = [];
      const watch = new MutationObserver((all) => changed.push(...all.map(({ target }) => target.className?.baseVal ?? target.className)));
      watch.observe(document.querySelector(".drawing"), { attributes: true, childList: true, characterData: true, subtree: true });
      const transforms = new Set();
      for (let i = 0; i < 8; i++) {
        for (const ctrlKey of [true, false])
          canvas.dispatchEvent(
            new WheelEvent("wheel", { deltaY: 6, clientX: 600, clientY: 400, bubbles: true, cancelable: true, ctrlKey }),
          );
        transforms.add(document.querySelector(".canvas-layer").style.transform);
      }
      changed.push(...watch.takeRecords().map(({ target }) => target.tagName));
      watch.disconnect();
      return { changed, transforms: transforms.size };
    });
    assert.deepEqual(seen, { changed: [], transforms: 8 });
    await eventually(() => layer(page), "");
  });
});
