// Whether the graph can be read: at every scale, in every font, whatever its size, and while a run is played.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { FONTS } from "../../scripts/fonts.mjs";
import { link } from "../../scripts/bench-page/machines.mjs";
import { skip } from "../browser.mjs";
import { comes, until, visits } from "./playground.mjs";

const pass = (next) => (next ? { Type: "Pass", Next: next } : { Type: "Pass", End: true });
const WORDS = ["Validate the order", "ReserveInventoryForCustomer", "Charge card", "SendConfirmationEmailToTheCustomerAndTheShop", "Ship"];
const nameOf = (i) => `${i} ${WORDS[i % WORDS.length]}`;
/** States one after another, whose last one is this. */
const row = (count, last = { Type: "Succeed" }) => ({
  StartAt: nameOf(0),
  States: Object.fromEntries(Array.from({ length: count }, (_, i) => [nameOf(i), i + 1 < count ? pass(nameOf(i + 1)) : last])),
});
/** A loop of so many rounds, then a branch that fails and one that does not. */
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

describe("reading the graph", { skip }, () => {
  const { visit } = visits();
  const to = (definition, more = {}) => link({ t: "Measured", d: JSON.stringify(definition, null, 2), i: "{}", c: "skip", ...more });
  const scale = (page) =>
    page
      .locator("svg.canvas > g")
      .first()
      .evaluate((g) => g.transform.baseVal.consolidate().matrix.a);
  const zoomOut = (page) => page.getByRole("button", { name: "Zoom out" }).click();
  const fit = (page) => page.getByRole("button", { name: "Fit the graph" }).click();

  /** What is wrong with the names and signs that are drawn: too small, over their boxes, below a sign. */
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
          // The line of the letters, without the room above and below.
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
      `names fit their boxes and are never under 11 px, ${font ?? "in the system's font"}`,
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
          await comes(() => faults(page), [], `at ${k}`);
          await zoomOut(page);
        }
        assert.ok((await scale(page)) < 0.1);
      },
    );
  }

  // Too long for any font.
  const long = (i) => `${i} SendConfirmationEmailToTheCustomerAndTheShopAndWhoeverElseMayWaitForIt`;
  const LONG = {
    StartAt: long(0),
    States: Object.fromEntries(Array.from({ length: 24 }, (_, i) => [long(i), pass(i < 23 ? long(i + 1) : undefined)])),
  };
  visit("a name that is cut ends in an ellipsis, and the card has it whole", { hash: to(LONG) }, async (_, page) => {
    await until(async () => assert.match(await page.locator(".node .name", { hasText: "…" }).first().textContent(), /^\d+ \S/));
    const cut = page.locator(".node", { has: page.locator(".name", { hasText: "…" }) }).first();
    const id = await cut.locator("[data-node]").getAttribute("data-node");
    await cut.hover();
    await comes(() => page.locator(".card b").textContent(), id.slice("/States/".length));
  });

  visit(
    "Fit shows the whole of 2,000 states, which fill the pane, and the minimap too",
    { hash: to(row(2000)), height: 900 },
    async (_, page) => {
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
      // The minimap is covered from side to side, not a line in its middle.
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
    },
  );

  visit("60 states in a row take the width of the pane, near enough to read", { hash: to(row(60)) }, async (_, page) => {
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
    "the first screen shows the whole graph; the run's pane opens with the first run, and keeps the tab that was chosen",
    {},
    async (visitor, page) => {
      const dock = page.locator("#dock");
      await visitor.state("Done").waitFor();
      await comes(async () => (await dock.boundingBox()).height < 60, true);
      await comes(() => page.getByRole("separator", { name: "Height of the run" }).count(), 0);
      await until(async () => {
        const pane = await page.locator("svg.canvas").boundingBox();
        for (const box of await page.locator("svg.canvas .box").all()) {
          const { x, y, width, height } = await box.boundingBox();
          assert.ok(x >= pane.x && y >= pane.y && x + width <= pane.x + pane.width && y + height <= pane.y + pane.height);
        }
      });
      await visitor.run();
      await page.locator(".result").waitFor();
      await comes(async () => (await dock.boundingBox()).height > 120, true);
      // Another run goes to its result again; not where a tab was chosen.
      await visitor.tab("Timeline");
      await visitor.run();
      await comes(
        () =>
          page
            .getByRole("tab", { name: /^Result/ })
            .locator(".badge")
            .count(),
        1,
      );
      await visitor.still();
      await comes(() => page.getByRole("tab", { name: /^Timeline/ }).getAttribute("aria-selected"), "true");
    },
  );

  for (const [width, height] of [
    [1280, 800],
    [1440, 900],
  ]) {
    for (const font of [undefined, "wide"]) {
      visit(
        `names stay whole when the first run opens the dock, ${width} × ${height}, ${font ?? "in the system's font"}`,
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
          await comes(names, all);
          await visitor.run();
          await page.locator(".result", { hasText: "SUCCEEDED" }).waitFor();
          await comes(async () => (await page.locator("#dock").boundingBox()).height > 120, true);
          await comes(names, all);
          await comes(() => faults(page), []);
          // Nothing is cut for the few pixels that the whole graph lacks.
          const top = async (at) => (await page.locator(at).first().boundingBox()).y;
          await until(async () => assert.ok((await top('[data-node="/States/CheckStock"]')) > (await top("#graph-pane"))));
        },
      );
    }
  }

  visit(
    "the bars at the foot cover no state when a run has made the pane lower",
    { width: 1280, height: 800, staying: "Order processing" },
    async (visitor, page) => {
      const covered = () =>
        page.evaluate(() => {
          const boxes = (selector) => [...document.querySelectorAll(selector)].map((element) => [element, element.getBoundingClientRect()]);
          const bars = boxes(".pen-bar, .graph-foot > *");
          return boxes("svg.canvas .node > .node-button")
            .filter(([, a]) => bars.some(([, b]) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom))
            .map(([element]) => element.dataset.node);
        });
      await page.mouse.move(4, 4);
      await page.locator(".pen-bar").waitFor();
      const before = await page.locator(".graph-frame").evaluate((frame) => frame.clientHeight);
      await page.keyboard.press("F8");
      await comes(() => page.locator(".graph-frame").evaluate((frame, height) => frame.clientHeight < height, before), true);
      await comes(covered, []);
    },
  );

  visit("the dock opens with its tabs, too", { staying: "Order processing" }, async (visitor, page) => {
    await visitor.tab("Breakpoints");
    await comes(async () => (await page.locator("#dock").boundingBox()).height > 120, true);
    await page.locator("#dock-breakpoints").waitFor();
  });

  visit(
    "where the run is stays in sight until somebody moves the view, and Follow brings it back",
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
      const waiting = (i) => comes(() => visitor.node(`/States/${nameOf(i)}`).getAttribute("aria-label"), /, waiting/);
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
      await comes(() => follow.count(), 0);
      // By hand.
      await page.mouse.move(720, 300);
      await page.mouse.wheel(0, -4000);
      await follow.waitFor();
      await comes(() => insight(`/States/${nameOf(11)}`), false);
      await next.click();
      await waiting(12);
      await comes(() => insight(`/States/${nameOf(12)}`), false);
      await follow.click();
      await until(async () => assert.ok(await insight(`/States/${nameOf(12)}`)));
      await follow.waitFor({ state: "detached" });
    },
  );

  visit("a run that is played again is followed as well", { hash: to(row(60)), reducedMotion: "no-preference" }, async (visitor, page) => {
    await visitor.run();
    await visitor.result();
    await page
      .getByRole("button", { name: /100 %|Zoom \d+/ })
      .first()
      .click();
    await page.getByRole("button", { name: "Play again" }).click();
    // Looked at as it goes: whenever a picture is painted the last state is in sight, or the view is on its way to it.
    await page.waitForFunction(() => {
      const pane = document.querySelector("svg.canvas").getBoundingClientRect();
      const last = [...document.querySelectorAll(".node.is-succeeded .box")].map((box) => box.getBoundingClientRect());
      globalThis.followed ??= new Set();
      for (const { left, right, top, bottom } of last)
        if (left >= pane.left && right <= pane.right && top >= pane.top && bottom <= pane.bottom) globalThis.followed.add(last.length);
      return globalThis.followed.size > 12;
    });
  });

  visit(
    "a failed run shows where: the way to it is red, near, from afar and on the minimap",
    { hash: to(FAILING) },
    async (visitor, page) => {
      await visitor.run();
      await visitor.result();
      const way = page.locator(".line.by-failed");
      // Start, Init, More?, and within the branch its start and the way to the Fail state.
      await comes(() => way.count(), 5);
      const red = await page.evaluate(() => getComputedStyle(document.querySelector(".line.by-failed")).stroke);
      await comes(
        () =>
          page
            .locator(".node.is-failed > .node-button > .box")
            .first()
            .evaluate((box) => getComputedStyle(box).stroke),
        red,
      );
      await until(async () => assert.ok((await page.locator(".line.taken:not(.by-failed)").count()) > 2, "the rest keeps its own colour"));
      // Arrows have the colour of their lines, whatever that is.
      await comes(
        () => page.locator(".head").evaluateAll((heads) => [...new Set(heads.map((head) => getComputedStyle(head).fill))]),
        ["context-stroke"],
      );
      await comes(() => way.first().getAttribute("marker-end"), "url(#arrow-failed)");
      // How often is said beside the line that it is of.
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
      await comes(() => page.locator(".pin-failed").textContent(), /^Fails here$/);
      await comes(
        () =>
          page
            .locator(".line.by-failed")
            .first()
            .evaluate((line) => getComputedStyle(line).stroke),
        red,
      );
      await comes(() => faults(page), []);
    },
  );

  visit(
    "the minimap shows where a large run has failed",
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
    visit(`in a picture no name leaves its box, and no sign is on one, ${font}`, { font }, async (visitor, page) => {
      await visitor.run();
      await visitor.result();
      const { bytes } = await visitor.saved(page.getByRole("button", { name: "Save the graph as SVG" }));
      // A page of its own, whose policy lets a text become a drawing.
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
