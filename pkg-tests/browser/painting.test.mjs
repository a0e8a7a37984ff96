// From an edit to the painted graph: what is done, in which order, and what is not redrawn. bench:page measures the time.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { skip } from "../browser.mjs";
import { eventually, visits } from "./playground.mjs";

const NAMES = ["First", "Second", "Third", "Fourth", "Fifth"];
const chain = (names) => ({
  StartAt: names[0],
  States: Object.fromEntries(
    names.map((name, i) => [name, i + 1 < names.length ? { Type: "Pass", Next: names[i + 1] } : { Type: "Succeed" }]),
  ),
});

/** Records the calls of the interpreter's worker, and the graphs that it sends. `holds` names a method whose calls are delayed. */
function listen() {
  globalThis.graphs = [];
  globalThis.Worker = class extends Worker {
    constructor(...given) {
      super(...given);
      this.addEventListener("message", ({ data }) => data?.value?.graph && globalThis.graphs.push(data.value.graph));
    }
  };
  globalThis.asked = [];
  const held = [];
  const { postMessage } = Worker.prototype;
  Worker.prototype.postMessage = function (message, ...rest) {
    if (message?.method) globalThis.asked.push(message.method);
    if (globalThis.holds !== undefined && message?.method === globalThis.holds) held.push(() => postMessage.call(this, message, ...rest));
    else postMessage.call(this, message, ...rest);
  };
  globalThis.go = () => {
    globalThis.holds = undefined;
    for (const send of held.splice(0)) send();
  };
}

describe("from an edit to the painted graph", { skip }, () => {
  const { visit } = visits();
  const options = { before: (page) => page.addInitScript(listen) };

  const begin = async (visitor, page) => {
    await visitor.open({ definition: chain(NAMES) });
    await visitor.state("Fifth").waitFor();
    await page.mouse.move(4, 4);
    // Everything that is loaded with the first edit is loaded now.
    await visitor.state("Fourth").focus();
    await page.keyboard.press("ControlOrMeta+d");
    await visitor.state("Fourth 2").waitFor();
  };

  visit("computes one layout and checks for problems once, in this order", options, async (visitor, page) => {
    await begin(visitor, page);
    await visitor.state("Fifth").focus();
    await page.evaluate(() => void (globalThis.asked.length = 0));
    await page.keyboard.press("Delete");
    await eventually(() => visitor.state("Fifth").count(), 0);
    await eventually(
      () => page.evaluate(() => globalThis.asked.filter((method) => ["edit", "draw", "analyze"].includes(method)).slice(0, 3)),
      ["edit", "draw", "analyze"],
    );
    await eventually(async () => /^Fifth deleted/.test(await page.locator('[role="status"][aria-live="polite"]').innerText()), true);
    const counts = await page.evaluate(() => globalThis.asked.filter((method) => method === "draw" || method === "analyze").length);
    assert.equal(counts, 2);
  });

  visit("draws the graph without waiting for the problems", options, async (visitor, page) => {
    await begin(visitor, page);
    await page.evaluate(() => (globalThis.holds = "analyze"));
    await visitor.state("Fourth").focus();
    await page.keyboard.press("ControlOrMeta+d");
    await visitor.state("Fourth 3").waitFor();
    // It is focused as well.
    await eventually(() => page.evaluate(() => document.activeElement?.dataset?.node), "/States/Fourth 3");
    await page.evaluate(() => globalThis.go());
  });

  visit("does not redraw states that stay where they were", options, async (visitor, page) => {
    await begin(visitor, page);
    await page.evaluate(() => {
      globalThis.before = new Map([...document.querySelectorAll("svg.canvas [data-node]")].map((node) => [node.dataset.node, node]));
    });
    await visitor.state("Fourth").focus();
    await page.keyboard.press("i");
    const picker = page.locator(".picker");
    await picker.getByRole("combobox").fill("wait");
    await page.keyboard.press("Enter");
    await visitor.state("Wait").waitFor();
    const { same, sent } = await page.evaluate(() => ({
      same: [...globalThis.before]
        .filter(([id, node]) => document.querySelector(`svg.canvas [data-node="${id}"]`) === node)
        .map(([id]) => id),
      sent: globalThis.graphs
        .at(-1)
        .nodes.filter((node) => typeof node !== "number")
        .map(({ name }) => name),
    }));
    assert.deepEqual(same.sort(), [...NAMES, "Fourth 2"].map((name) => `/States/${name}`).sort());
    // The other graphs only move to their positions.
    assert.ok(sent.includes("Wait"), `${sent}`);
    assert.deepEqual(
      ["First", "Second", "Third"].filter((name) => sent.includes(name)),
      [],
    );
  });

  visit("redraws only the affected states of 200", options, async (visitor, page) => {
    const name = (i) => `S${i}`;
    await visitor.open({ definition: chain(Array.from({ length: 200 }, (_, i) => name(i))) });
    await visitor.state(name(4)).waitFor();
    await page.mouse.move(4, 4);
    await page.locator(".edit-bar").waitFor();
    const duplicate = async () => {
      const states = () => page.locator(".canvas").getAttribute("aria-label");
      const before = await states();
      await visitor.state(name(4)).focus();
      await page.keyboard.press("ControlOrMeta+d");
      await eventually(async () => (await states()) !== before, true);
      // The marks beside the lines follow later.
      await eventually(() => page.evaluate(() => document.querySelectorAll(".canvas .selected").length), 1);
    };
    // The first duplicate makes room in the layout.
    await duplicate();
    await duplicate();
    await page.evaluate(() => {
      globalThis.again = new Set();
      new MutationObserver((changes) => {
        for (const { target } of changes) if (target.closest(".node")) globalThis.again.add(target.closest(".node").dataset.move);
      }).observe(document.querySelector("svg.canvas"), { subtree: true, attributes: true, childList: true });
    });
    await duplicate();
    const drawn = await page.evaluate(() => ({ all: document.querySelectorAll("[data-node]").length, again: [...globalThis.again] }));
    assert.ok(drawn.all > 200, `${drawn.all} states are drawn`);
    // The original loses the selection, and the new state has it. All others at most move.
    assert.deepEqual(
      drawn.again.filter((id) => !/^\/States\/S ?\d$/.test(id)),
      [],
    );
  });

  visit("keeps the columns of a machine while it is edited, and while its text is invalid", options, async (visitor, page) => {
    const name = (i) => `S${i}`;
    await visitor.open({ definition: chain(Array.from({ length: 60 }, (_, i) => name(i))) });
    await visitor.state(name(59)).waitFor();
    await page.mouse.move(4, 4);
    const last = () => page.evaluate(() => globalThis.graphs.at(-1));
    const { breaks } = await last();
    assert.ok(breaks.length >= 2, JSON.stringify(breaks));
    const places = () =>
      page.evaluate(() =>
        Object.fromEntries(
          [...document.querySelectorAll("svg.canvas [data-node]")].map((node) => {
            // Beside the last state: the view may move when the row of hints appears below the drawing.
            const last = document.querySelector('svg.canvas [data-node="/States/S59"]').getBoundingClientRect();
            const { x, y } = node.getBoundingClientRect();
            return [node.dataset.node, `${Math.round(x - last.x)} ${Math.round(y - last.y)}`];
          }),
        ),
      );
    const before = await places();
    await visitor.state(name(2)).focus();
    await page.keyboard.press("i");
    await page.locator(".picker").getByRole("combobox").fill("wait");
    await page.keyboard.press("Enter");
    await visitor.state("Wait").waitFor();
    await eventually(async () => (await last()).nodes.some((node) => node.name === "Wait"), true);
    const later = [...Array(60).keys()].slice(Number(breaks[0].before.replace("/States/S", "")));
    assert.ok(later.length > 25, `${later.length}`);
    // States glide to their positions.
    await eventually(async () => {
      const after = await places();
      return later.filter((i) => after[`/States/S${i}`] !== before[`/States/S${i}`]);
    }, []);
    // An invalid definition in between changes nothing either.
    const graphs = () => page.evaluate(() => globalThis.graphs.length);
    const count = await graphs();
    const stale = page.locator(".graph-frame.stale");
    await visitor.editor("Definition").focus();
    await page.keyboard.press("ControlOrMeta+Home");
    await page.keyboard.type("x");
    await stale.waitFor();
    await page.keyboard.press("Backspace");
    await stale.waitFor({ state: "detached" });
    assert.equal(await graphs(), count);
  });
});
