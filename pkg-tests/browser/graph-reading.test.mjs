// The graph is legible: at every scale, in every font, at any size, and while a run is played.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { FONTS } from "../../scripts/fonts.mjs";
import { link } from "../../scripts/bench-page/machines.mjs";
import { skip } from "../browser.mjs";
import { eventually, until, visits } from "./playground.mjs";

const pass = (next) => (next ? { Type: "Pass", Next: next } : { Type: "Pass", End: true });
const WORDS = ["Validate the order", "ReserveInventoryForCustomer", "Charge card", "SendConfirmationEmailToTheCustomerAndTheShop", "Ship"];
const nameOf = (i) => `${i} ${WORDS[i % WORDS.length]}`;
/** A chain of states with a given last state. */
const row = (count, last = { Type: "Succeed" }) => ({
  StartAt: nameOf(0),
  States: Object.fromEntries(Array.from({ length: count }, (_, i) => [nameOf(i), i + 1 < count ? pass(nameOf(i + 1)) : last])),
});
/** A loop of `rounds` iterations, then one branch that fails and one that succeeds. */
const FAILING = {
  StartAt: "Init",
  States: {
    Init: { Type: "Pass", Result: 0, ResultPath: "$.n", Next: "More?" },
    "More?": {
      Type: "Choice",
      Choices: [
        { Variable: "$.n", NumericLessThan: 1200, Next: "Count" },
        { Variable: "$.n", NumericEquals: -1, Next: "Never" },
      ],
      Default: "All of them",
    },
    Count: { Type: "Pass", Parameters: { "n.$": "States.MathAdd($.n, 1)" }, Next: "More?" },
    Never: { Type: "Succeed" },
    "All of them": {
      Type: "Parallel",
      Branches: [
        { StartAt: "Good", States: { Good: pass() } },
        { StartAt: "Bad", States: { Bad: pass("Fails here"), "Fails here": { Type: "Fail", Error: "Declined" } } },
      ],
      Next: "Never",
    },
  },
};

describe("the graph is legible", { skip }, () => {
  const { visit } = visits();
  const to = (definition, more = {}) => link({ t: "Measured", d: JSON.stringify(definition, null, 2), i: "{}", c: "skip", ...more });
  const scale = (page) =>
    page
      .locator("svg.canvas > g")
      .first()
      .evaluate((g) => g.transform.baseVal.consolidate().matrix.a);
  const zoomOut = (page) => page.getByRole("button", { name: "Zoom out" }).click();
  const fit = (page) => page.getByRole("button", { name: "Fit the graph" }).click();

  /** Returns faults of names and signs: too small, outside of their boxes, or below a sign. */
  const faults = (page) =>
    page.evaluate(() => {
      const found = [];
      const k = document.querySelector("svg.canvas > g").transform.baseVal.consolidate().matrix.a;
      for (const text of document.querySelectorAll("svg.canvas :is(.name, .names text)")) {
        const px = Number.parseFloat(getComputedStyle(text).fontSize) * k;
        if (px < 10.99) found.push(`${text.textContent}: ${px} px`);
      }
      const apart = (a, b) => a.right <= b.left + 0.5 || b.right <= a.left + 0.5 || a.bottom <= b.top + 0.5 || b.bottom <= a.top + 0.5;
      const names = [...document.querySelectorAll("svg.canvas .names text")].map((text) => [
        text.textContent,
        text.getBoundingClientRect(),
      ]);
      names.forEach(([name, box], i) =>
        names
          .slice(0, i)
          .forEach(
            ([other, with_]) =>
              !apart(
                { left: box.left, right: box.right, top: box.top + 2, bottom: box.bottom - 3 },
                { left: with_.left, right: with_.right, top: with_.top + 2, bottom: with_.bottom - 3 },
              ) && found.push(`${name} is on ${other}`),
          ),
      );
      for (const node of document.querySelectorAll("svg.canvas .node")) {
        const box = node.querySelector(".box").getBoundingClientRect();
        for (const text of node.querySelectorAll(":scope > .node-button > :is(.name, .caption)")) {
          const { left, right } = text.getBoundingClientRect();
          if (left < box.left || right > box.right) found.push(`${text.textContent} is wider than its box by ${right - box.right}`);
          // The height of the letters, without the space above and below.
          const size = Number.parseFloat(getComputedStyle(text).fontSize) * k;
          const lines = [...text.querySelectorAll("tspan")].map((line) => ({
            at: line.getStartPositionOfChar(0).y,
            from: line.getStartPositionOfChar(0).x,
            to: line.getEndPositionOfChar(line.getNumberOfChars() - 1).x,
          }));
          const matrix = text.getScreenCTM();
          for (const { at, from, to } of lines) {
            const letters = {
              left: from * matrix.a + matrix.e,
              right: to * matrix.a + matrix.e,
              top: at * matrix.a + matrix.f - size * 0.72,
              bottom: at * matrix.a + matrix.f,
            };
            for (const sign of node.querySelectorAll(":scope > .badges > *, :scope > .problem-badge, :scope > .fold path"))
              if (!apart(letters, sign.getBoundingClientRect())) found.push(`a sign is on ${text.textContent}`);
          }
        }
      }
      return found;
    });

  for (const font of [undefined, ...Object.keys(FONTS)]) {
    visit(
      `fits names into their boxes, never below 11 px, ${font ?? "in the system's font"}`,
      { hash: to(row(24)), ...(font && { font }) },
      async (visitor, page) => {
        await visitor.run();
        await visitor.result();
        for (let k = Infinity, steps = 0; steps < 16; steps++) {
          await until(async () => {
            const now = await scale(page);
            assert.ok(now < k || now <= 0.051);
            k = now;
          });
          await eventually(() => faults(page), [], `at ${k}`);
          await zoomOut(page);
        }
        assert.ok((await scale(page)) < 0.1);
      },
    );
  }

  // The name is too long for any font.
  const long = (i) => `${i} SendConfirmationEmailToTheCustomerAndTheShopAndWhoeverElseMayWaitForIt`;
  const LONG = {
    StartAt: long(0),
    States: Object.fromEntries(Array.from({ length: 24 }, (_, i) => [long(i), pass(i < 23 ? long(i + 1) : undefined)])),
  };
  visit("ends a shortened name with an ellipsis, and shows the whole name in its card", { hash: to(LONG) }, async (_, page) => {
    await until(async () => assert.match(await page.locator(".node .name", { hasText: "…" }).first().textContent(), /^\d+ \S/));
    const cut = page.locator(".node", { has: page.locator(".name", { hasText: "…" }) }).first();
    const id = await cut.locator("[data-node]").getAttribute("data-node");
    await cut.hover();
    await eventually(() => page.locator(".card b").textContent(), id.slice("/States/".length));
  });

  visit("fits 2,000 states into the pane and the minimap", { hash: to(row(2000)), height: 900 }, async (_, page) => {
    await page.locator("[data-node]").first().waitFor();
    await fit(page);
    await until(async () => {
      const seen = await page.evaluate(() => {
        const pane = document.querySelector("svg.canvas").getBoundingClientRect();
        const boxes = [...document.querySelectorAll("svg.canvas .box")].map((box) => box.getBoundingClientRect());
        const [left, right, top, bottom] = [
          Math.min(...boxes.map((box) => box.left)),
          Math.max(...boxes.map((box) => box.right)),
          Math.min(...boxes.map((box) => box.top)),
          Math.max(...boxes.map((box) => box.bottom)),
        ];
        return {
          count: boxes.length,
          inside: left >= pane.left && right <= pane.right && top >= pane.top && bottom <= pane.bottom,
          width: (right - left) / pane.width,
          height: (bottom - top) / pane.height,
        };
      });
      assert.equal(seen.count, 2000);
      assert.ok(seen.inside && seen.width > 0.5 && seen.height > 0.5, JSON.stringify(seen));
    });
    // The minimap is filled from side to side, not only by a line in its middle.
    await until(async () => {
      const covered = await page.locator(".minimap canvas").evaluate((canvas) => {
        const { width, height } = canvas;
        const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
        const columns = new Set();
        for (let i = 3; i < data.length; i += 4) if (data[i] > 0) columns.add(((i - 3) / 4) % width);
        return columns.size / width;
      });
      assert.ok(covered > 0.4, `${covered}`);
    });
  });

  visit("fits 60 states in a row to the width of the pane, large enough to read", { hash: to(row(60)) }, async (_, page) => {
    await page.locator("[data-node]").first().waitFor();
    await until(async () => {
      assert.ok((await scale(page)) > 0.3);
      const boxes = await page
        .locator("svg.canvas .box")
        .evaluateAll((all) => all.map((box) => box.getBoundingClientRect()).map(({ left, right }) => [left, right]));
      assert.equal(boxes.length, 60);
      const pane = await page.locator("svg.canvas").boundingBox();
      assert.ok(Math.max(...boxes.map(([, right]) => right)) - Math.min(...boxes.map(([left]) => left)) > pane.width * 0.6);
    });
  });

  visit(
    "shows the whole graph first; the dock opens with the first run, and keeps the tab that was selected",
    {},
    async (visitor, page) => {
      const dock = page.locator("#dock");
      await visitor.state("Done").waitFor();
      await eventually(async () => (await dock.boundingBox()).height < 60, true);
      await eventually(() => page.getByRole("separator", { name: "Height of the run" }).count(), 0);
      await until(async () => {
        const pane = await page.locator("svg.canvas").boundingBox();
        for (const box of await page.locator("svg.canvas .box").all()) {
          const { x, y, width, height } = await box.boundingBox();
          assert.ok(x >= pane.x && y >= pane.y && x + width <= pane.x + pane.width && y + height <= pane.y + pane.height);
        }
      });
      await visitor.run();
      await page.locator(".result").waitFor();
      await eventually(async () => (await dock.boundingBox()).height > 120, true);
      // Another run opens its result again, unless a tab was selected.
      await visitor.tab("Timeline");
      await visitor.run();
      await eventually(
        () =>
          page
            .getByRole("tab", { name: /^Result/ })
            .locator(".badge")
            .count(),
        1,
      );
      await visitor.waitUntilQuiet();
      await eventually(() => page.getByRole("tab", { name: /^Timeline/ }).getAttribute("aria-selected"), "true");
    },
  );

  for (const [width, height] of [
    [1280, 800],
    [1440, 900],
  ]) {
    for (const font of [undefined, "wide"]) {
      visit(
        `keeps names whole when the first run opens the dock, ${width} × ${height}, ${font ?? "in the system's font"}`,
        { width, height, ...(font && { font }) },
        async (visitor, page) => {
          const names = () =>
            page.locator(".node .name").evaluateAll((all) => all.map((name) => name.textContent.replaceAll(" ", "")).sort());
          const all = [
            "ChargeCard",
            "CheckStock",
            "Done",
            "Fulfil",
            "HandOver",
            "InStock?",
            "OutOfStock",
            "PackParcel",
            "Refused",
            "SendReceipt",
            "TellCustomer",
            "WaitForSupply",
          ];
          await eventually(names, all);
          await visitor.run();
          await page.locator(".result", { hasText: "SUCCEEDED" }).waitFor();
          await eventually(async () => (await page.locator("#dock").boundingBox()).height > 120, true);
          await eventually(names, all);
          await eventually(() => faults(page), []);
          // The graph needs a few more pixels than there are; nothing is cut off.
          const top = async (at) => (await page.locator(at).first().boundingBox()).y;
          await until(async () => assert.ok((await top('[data-node="/States/CheckStock"]')) > (await top("#graph-pane"))));
        },
      );
    }
  }

  visit(
    "covers no state with the bars at the bottom after a run has made the pane lower",
    { width: 1280, height: 800, reusePage: "Order processing" },
    async (visitor, page) => {
      const covered = () =>
        page.evaluate(() => {
          const boxes = (selector) => [...document.querySelectorAll(selector)].map((element) => [element, element.getBoundingClientRect()]);
          const bars = boxes(".edit-bar, .graph-foot > *");
          return boxes("svg.canvas .node > .node-button")
            .filter(([, a]) => bars.some(([, b]) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom))
            .map(([element]) => element.dataset.node);
        });
      await page.mouse.move(4, 4);
      await page.locator(".edit-bar").waitFor();
      const before = await page.locator(".graph-frame").evaluate((frame) => frame.clientHeight);
      await page.keyboard.press("F8");
      await eventually(() => page.locator(".graph-frame").evaluate((frame, height) => frame.clientHeight < height, before), true);
      await eventually(covered, []);
    },
  );

  visit("opens the dock by its tabs, too", { reusePage: "Order processing" }, async (visitor, page) => {
    await visitor.tab("Breakpoints");
    await eventually(async () => (await page.locator("#dock").boundingBox()).height > 120, true);
    await page.locator("#dock-breakpoints").waitFor();
  });

  visit(
    "keeps the current state in view until the user moves the view; Follow returns to it",
    {
      hash: to(
        {
          StartAt: nameOf(0),
          States: Object.fromEntries(
            Array.from({ length: 40 }, (_, i) => [
              nameOf(i),
              { Type: "Wait", Seconds: 1, ...(i < 39 ? { Next: nameOf(i + 1) } : { End: true }) },
            ]),
          ),
        },
        { c: "manual" },
      ),
    },
    async (visitor, page) => {
      const insight = async (pointer) => {
        const pane = await page.locator("svg.canvas").boundingBox();
        const box = await visitor.node(pointer).boundingBox();
        return (
          box !== null &&
          box.x >= pane.x &&
          box.y >= pane.y &&
          box.x + box.width <= pane.x + pane.width &&
          box.y + box.height <= pane.y + pane.height
        );
      };
      const waiting = (i) => eventually(() => visitor.node(`/States/${nameOf(i)}`).getAttribute("aria-label"), /, waiting/);
      await visitor.node(`/States/${nameOf(0)}`).waitFor();
      await page
        .getByRole("button", { name: /100 %|Zoom \d+/ })
        .first()
        .click();
      await visitor.run();
      await waiting(0);
      await until(async () => assert.ok(await insight(`/States/${nameOf(0)}`)));
      const next = page.getByRole("button", { name: "Next timer" });
      for (let i = 1; i < 12; i++) {
        await next.click();
        await waiting(i);
        await until(async () => assert.ok(await insight(`/States/${nameOf(i)}`), `state ${i}`));
      }
      const follow = page.getByRole("button", { name: "Follow", exact: true });
      await eventually(() => follow.count(), 0);
      // Moves the view manually.
      await page.mouse.move(720, 300);
      await page.mouse.wheel(0, -4000);
      await follow.waitFor();
      await eventually(() => insight(`/States/${nameOf(11)}`), false);
      await next.click();
      await waiting(12);
      await eventually(() => insight(`/States/${nameOf(12)}`), false);
      await follow.click();
      await until(async () => assert.ok(await insight(`/States/${nameOf(12)}`)));
      await follow.waitFor({ state: "detached" });
    },
  );

  visit("follows a run that is played again", { hash: to(row(60)), reducedMotion: "no-preference" }, async (visitor, page) => {
    await visitor.run();
    await visitor.result();
    await page
      .getByRole("button", { name: /100 %|Zoom \d+/ })
      .first()
      .click();
    await page.getByRole("button", { name: "Play again" }).click();
    // Checks every painted picture of the run: the last state is visible, or the view is moving towards it.
    await page.waitForFunction(() => {
      const pane = document.querySelector("svg.canvas").getBoundingClientRect();
      const last = [...document.querySelectorAll(".node.is-succeeded .box")].map((box) => box.getBoundingClientRect());
      globalThis.followed ??= new Set();
      for (const { left, right, top, bottom } of last)
        if (left >= pane.left && right <= pane.right && top >= pane.top && bottom <= pane.bottom) globalThis.followed.add(last.length);
      return globalThis.followed.size > 12;
    });
  });

  visit("marks the path to a failure red, at every scale and on the minimap", { hash: to(FAILING) }, async (visitor, page) => {
    await visitor.run();
    await visitor.result();
    const way = page.locator(".line.by-failed");
    // Start, Init, More?, and in the branch its start and the transition to the Fail state.
    await eventually(() => way.count(), 5);
    const red = await page.evaluate(() => getComputedStyle(document.querySelector(".line.by-failed")).stroke);
    await eventually(
      () =>
        page
          .locator(".node.is-failed > .node-button > .box")
          .first()
          .evaluate((box) => getComputedStyle(box).stroke),
      red,
    );
    await until(async () => assert.ok((await page.locator(".line.taken:not(.by-failed)").count()) > 2, "the rest keeps its own colour"));
    // Arrowheads have the colour of their lines.
    await eventually(
      () => page.locator(".head").evaluateAll((heads) => [...new Set(heads.map((head) => getComputedStyle(head).fill))]),
      ["context-stroke"],
    );
    await eventually(() => way.first().getAttribute("marker-end"), "url(#arrow-failed)");
    // The count is written beside its line.
    const counts = await page.locator(".line-count").evaluateAll((texts) =>
      texts.map((text) => {
        const box = text.getBBox();
        const path = text.parentElement.querySelectorAll(".line");
        const own = [...path].filter((line) => line.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING).at(-1);
        let least = Infinity;
        for (let at = 0; at <= own.getTotalLength(); at += 2) {
          const { x, y } = own.getPointAtLength(at);
          least = Math.min(
            least,
            Math.hypot(Math.max(box.x - x, 0, x - box.x - box.width), Math.max(box.y - y, 0, y - box.y - box.height)),
          );
        }
        return { text: text.textContent, least };
      }),
    );
    assert.ok(
      counts.some(({ text }) => text === "×1,200"),
      JSON.stringify(counts),
    );
    for (const { text, least } of counts) assert.ok(least < 12, `${text} is ${least} from its line`);
    for (let i = 0; i < 9; i++) await zoomOut(page);
    await page.locator("svg.canvas.far").waitFor();
    await eventually(() => page.locator(".pin-failed").textContent(), /^Fails here$/);
    await eventually(
      () =>
        page
          .locator(".line.by-failed")
          .first()
          .evaluate((line) => getComputedStyle(line).stroke),
      red,
    );
    await eventually(() => faults(page), []);
  });

  visit(
    "marks the failure of a large run on the minimap",
    { hash: to(row(300, { Type: "Fail", Error: "Late" })) },
    async (visitor, page) => {
      await visitor.run();
      await visitor.result();
      await until(async () => {
        const reds = await page.locator(".minimap canvas").evaluate((canvas) => {
          const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
          let reds = 0;
          for (let i = 0; i < data.length; i += 4)
            if (data[i] > 150 && data[i + 1] < 70 && data[i + 2] < 70 && data[i + 3] > 200) reds += 1;
          return reds;
        });
        assert.ok(reds > 20, `${reds} px`);
      });
    },
  );

  for (const font of Object.keys(FONTS)) {
    visit(`keeps names inside their boxes, and free of signs, in a saved picture, ${font}`, { font }, async (visitor, page) => {
      await visitor.run();
      await visitor.result();
      const { bytes } = await visitor.download(page.getByRole("button", { name: "Save the graph as SVG" }));
      // A new page, whose policy allows a string to be loaded as a picture.
      const blank = await page.context().newPage();
      await blank.route("**/*", (route) => route.fulfill({ contentType: "image/svg+xml", body: bytes }));
      await blank.goto("http://localhost/picture.svg");
      const found = await blank.evaluate((sans) => {
        const svg = document.documentElement;
        svg.style.fontFamily = `"${sans}"`;
        const found = [];
        for (const node of svg.querySelectorAll(".sg-node, .sg-container")) {
          const box = node.querySelector(":scope > .sg-box")?.getBBox();
          if (box)
            for (const text of node.querySelectorAll(":scope > text"))
              if (text.getBBox().x + text.getBBox().width > box.x + box.width) found.push(text.textContent);
        }
        const count = svg.querySelectorAll(".sg-name").length;
        const apart = (a, b) => a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height - 3 <= b.y || b.y + b.height <= a.y;
        for (const name of svg.querySelectorAll(".sg-name"))
          for (const sign of name.parentElement.querySelectorAll(":scope > .sg-sign, :scope > .sg-note"))
            if (!apart(name.getBBox(), sign.getBBox())) found.push(`a sign is on ${name.textContent}`);
        return { found, count };
      }, FONTS[font].sans);
      assert.deepEqual(found, { found: [], count: 12 });
    });
  }
});
