// The graph and its table.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { skip } from "../browser.mjs";
import { eventually, until, visits } from "./playground.mjs";

const pass = (next) => (next ? { Type: "Pass", Next: next } : { Type: "Pass", End: true });
const NESTED = {
  StartAt: "Fetch",
  States: {
    Fetch: {
      Type: "Task",
      Resource: "arn:aws:states:::lambda:invoke",
      Comment: "Gets the order",
      Next: "Each",
      Catch: [{ ErrorEquals: ["States.ALL"], Next: "Sorry" }],
    },
    Each: { Type: "Map", ItemProcessor: { StartAt: "Inner", States: { Inner: pass("Leaf"), Leaf: pass() } }, Next: "Done" },
    Done: { Type: "Succeed" },
    Sorry: { Type: "Fail", Error: "Sorry" },
  },
};
/** A chain of states `S0`, `S1` … */
const chain = (count, name = "S") =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`${name}${i}`, pass(i + 1 < count ? `${name}${i + 1}` : "")]));

describe("the graph", { skip }, () => {
  const { visit } = visits();

  /** The centre of a state on the screen. */
  const middle = async (locator) => {
    const box = await locator.boundingBox();
    return [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)];
  };

  visit("searches by name and service, highlights the matches, and steps through them", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: NESTED });
    await visitor.state("Each").waitFor();
    await page.getByRole("button", { name: "Search the graph" }).click();
    await page.keyboard.type("e");
    await page.locator(".match").first().waitFor();
    const said = page.locator(".graph-search .hits");
    await eventually(() => said.innerText(), /^1 of \d$/);
    const first = await page.locator(".current-match [data-node]").getAttribute("data-node");
    await page.keyboard.press("Enter");
    await eventually(() => said.innerText(), /^2 of \d$/);
    await until(async () => assert.notEqual(await page.locator(".current-match [data-node]").getAttribute("data-node"), first));
    await page.keyboard.press("Shift+Enter");
    await eventually(() => page.locator(".current-match [data-node]").getAttribute("data-node"), first);
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("lambda");
    await page.locator(".hits", { hasText: "1 of 1" }).waitFor();
    await eventually(() => page.locator(".match [data-node]").getAttribute("data-node"), "/States/Fetch");
    await page.keyboard.press("Escape");
    await eventually(() => page.locator(".match").count(), 0);
  });

  visit("finds a state inside a folded state, and unfolds it", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: NESTED });
    const each = visitor.state("Each");
    await each.focus();
    await page.keyboard.press("-");
    await visitor.node("/States/Each/ItemProcessor/States/Leaf").waitFor({ state: "detached" });
    await page.keyboard.press("/");
    await page.keyboard.type("leaf");
    await visitor.node("/States/Each/ItemProcessor/States/Leaf").waitFor();
  });

  visit("starts folded with more than 5,000 states, and says so", { reusePage: true }, async (visitor, page) => {
    const inside = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`P${i}`, i < 39 ? pass(`P${i + 1}`) : pass()]));
    const group = (k, next) => ({
      Type: "Parallel",
      Branches: [
        {
          StartAt: `${k}.P0`,
          States: Object.fromEntries(
            Object.entries(inside).map(([name, body]) => [`${k}.${name}`, body.Next ? { ...body, Next: `${k}.${body.Next}` } : body]),
          ),
        },
      ],
      ...(next === undefined ? { End: true } : { Next: next }),
    });
    const States = Object.fromEntries(Array.from({ length: 130 }, (_, k) => [`G${k}`, group(k, k < 129 ? `G${k + 1}` : undefined)]));
    await visitor.open({ definition: { StartAt: "G0", States } });
    await page.getByText("5,330 states. Parallel and Map states begin folded.").waitFor();
    await eventually(() => visitor.state("G0").getAttribute("aria-label"), /folded/);
    await visitor.state("G0").focus();
    await page.keyboard.press("+");
    await visitor.node("/States/G0/Branches/0/States/0.P0").waitFor();
    await eventually(() => visitor.state("G1").getAttribute("aria-label"), /folded/);
    await page.getByRole("button", { name: "Dismiss" }).click();
    await page.getByText("begin folded").waitFor({ state: "detached" });
  });

  visit("does not focus an open search when another machine is drawn", {}, async (visitor, page) => {
    await visitor.open({ definition: NESTED });
    await visitor.state("Done").waitFor();
    await page.getByRole("button", { name: "Search the graph" }).click();
    const search = page.getByRole("textbox", { name: "Search the graph" });
    await until(async () => assert.ok(await search.evaluate((field) => field === document.activeElement)));
    await visitor.example("Empty");
    await search.waitFor({ state: "detached" });
    await visitor.write("Definition", JSON.stringify({ StartAt: "Only", States: { Only: pass() } }));
    await visitor.state("Only").waitFor();
    await search.waitFor();
    assert.equal(await search.evaluate((field) => field === document.activeElement), false);
    await page.getByRole("button", { name: "Close the search" }).click();
  });

  visit("keeps position and scale while the user types", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: NESTED });
    await visitor.state("Done").waitFor();
    await visitor.state("Done").click();
    for (let i = 0; i < 3; i++) await page.getByRole("button", { name: "Zoom out" }).click();
    const before = await middle(visitor.state("Done"));
    const more = structuredClone(NESTED);
    more.States.Fetch.Next = "Extra";
    more.States.Extra = pass("Each");
    await visitor.write("Definition", JSON.stringify(more, null, 2));
    await visitor.state("Extra").waitFor();
    await visitor.waitUntilQuiet();
    await until(async () => {
      const now = await middle(visitor.state("Done"));
      assert.ok(Math.abs(now[0] - before[0]) <= 1 && Math.abs(now[1] - before[1]) <= 1, `${before} became ${now}`);
    });
  });

  visit("has a sign and a spoken name for every status of a state", { reusePage: true }, async (visitor, page) => {
    const one = (name, state) => ({ StartAt: name, States: { [name]: { ...state, End: true } } });
    const bad = { Type: "Task", Resource: "arn:aws:lambda:us-east-1:123456789012:function:bad" };
    const Branches = [
      one("Nap", { Type: "Wait", Seconds: 100 }),
      one("Again", { ...bad, Retry: [{ ErrorEquals: ["States.ALL"], IntervalSeconds: 60, MaxAttempts: 3 }] }),
      one("Ask", {
        Type: "Task",
        Resource: "arn:aws:states:::sqs:sendMessage.waitForTaskToken",
        Parameters: { QueueUrl: "q", "MessageBody.$": "$$.Task.Token" },
        TimeoutSeconds: 50,
      }),
      {
        StartAt: "Caught",
        States: {
          Caught: { ...bad, Catch: [{ ErrorEquals: ["States.ALL"], Next: "Rest" }], End: true },
          Rest: { Type: "Pass", End: true },
        },
      },
      {
        StartAt: "Many",
        States: { Many: { Type: "Map", MaxConcurrency: 1, ItemProcessor: one("Each", { Type: "Wait", Seconds: 90 }), End: true } },
      },
      { StartAt: "Later", States: { Later: { Type: "Wait", Seconds: 200, Next: "Never" }, Never: { Type: "Pass", End: true } } },
    ];
    await visitor.open({
      definition: {
        StartAt: "All",
        States: {
          All: { Type: "Parallel", Branches, Catch: [{ ErrorEquals: ["States.Timeout"], Next: "Z" }], Next: "Z" },
          Z: { Type: "Succeed" },
        },
      },
      input: [1, 2],
      tasks: 'export default { bad: async () => { throw Object.assign(new Error("no"), { name: "Bad.Thing" }); } };',
    });
    await page.getByRole("combobox", { name: "Clock" }).selectOption("manual");
    // The whole graph is visible, and large enough to read.
    await page.setViewportSize({ width: 2600, height: 1200 });
    await page.getByRole("button", { name: "Fit the graph" }).click();
    const at = (branch, name) => `/States/All/Branches/${branch}/States/${name}`;
    const [nap, again, ask, caught, many, later] = ["Nap", "Again", "Ask", "Caught", "Many", "Later"].map((name, i) => at(i, name));
    const told = (pointer, pattern) =>
      page
        .waitForFunction(
          ([id, source]) => new RegExp(source).test(document.querySelector(`[data-node="${id}"]`)?.getAttribute("aria-label") ?? ""),
          [pointer, pattern.source],
          { timeout: 10_000 },
        )
        .catch(async () => assert.match(await visitor.node(pointer).getAttribute("aria-label"), pattern));
    /** What is drawn on a state besides its box and name. */
    const drawn = (pointer, selector) => page.locator(`.node[data-move="${pointer}"] > ${selector}`).first().waitFor({ state: "attached" });
    assert.match(await visitor.node(nap).getAttribute("aria-label"), /, not run,/);
    await visitor.run();
    await told(nap, /, waiting, 1 min 40 s left,/);
    await drawn(nap, ".remaining:has-text('1 min 40 s') .left");
    await told(again, /, failed with Bad\.Thing, will retry, attempt 2 of 4 in 1 min,/);
    await drawn(again, ".remaining:has([data-sign=retry]):has-text('1 of 3')");
    await told(ask, /, waits for your answer, times out in 50 s,/);
    await drawn(ask, ".badges:has([data-sign=pause]) .status");
    await told(caught, /, failed with Bad\.Thing, caught,/);
    await drawn(caught, ".caught-edge");
    await drawn(caught, ".badges:has-text('Bad.Thing') .status");
    await told(many, /, running, .*1 queued/);
    await told(at(4, "Many/ItemProcessor/States/Each"), /, waiting, .*1 queued/);
    await told(at(3, "Rest"), /, succeeded,/);
    await told("/States/All", /, running,/);
    await page.getByRole("button", { name: "Next timer" }).click();
    await told(ask, /, timed out with States\.Timeout,/);
    await drawn(ask, ".badges:has([data-sign=clock]) .status");
    await told(nap, /, cancelled,/);
    await drawn(nap, ".node-button .cancelled-hatch");
    await told(later, /, cancelled,/);
    await told(at(5, "Never"), /, not reached,/);
    await told("/States/All", /, failed with States\.Timeout, caught,/);
    await told("/States/Z", /, succeeded,/);

    // A paused state has a double border, and a pointer before it.
    await visitor.state("Z").click();
    await page.keyboard.press("F9");
    await visitor.run();
    await page.getByRole("button", { name: "Next timer" }).click();
    await told("/States/Z", /, paused before it,/);
    await drawn("/States/Z", ".pause-marks path");
  });

  visit("has a menu for every state, by mouse and by keyboard", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: NESTED });
    await visitor.state("Fetch").click({ button: "right" });
    const menu = page.getByRole("menu", { name: "Fetch" });
    await menu.waitFor();
    await page.keyboard.press("Escape");
    await menu.waitFor({ state: "detached" });
    await visitor.state("Each").focus();
    await page.keyboard.press("Shift+F10");
    await page.getByRole("menu", { name: "Each" }).waitFor();
    await page.keyboard.press("f");
    await page.keyboard.press("Enter");
    await visitor.node("/States/Each/ItemProcessor/States/Inner").waitFor({ state: "detached" });
    await eventually(() => visitor.state("Each").getAttribute("aria-label"), /folded/);
    await visitor.state("Fetch").focus();
    await page.keyboard.press("Shift+F10");
    await page.getByRole("menuitem", { name: "Copy the path" }).click();
    await eventually(() => page.evaluate(() => navigator.clipboard.readText()), "/States/Fetch");
  });

  visit("shows a card for the hovered or focused state until Escape", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: NESTED });
    await visitor.state("Fetch").hover();
    const card = page.locator(".card");
    await card.waitFor();
    await eventually(() => card.innerText(), /Fetch\s+Task · lambda invoke\s+Gets the order\s+goes to Each\s+on States.ALL to Sorry/);
    await card.hover();
    await page.waitForTimeout(400);
    await eventually(() => card.count(), 1, "it can be reached");
    await page.mouse.move(5, 5);
    await card.waitFor({ state: "detached" });
    await visitor.state("Fetch").focus();
    await page.keyboard.press("ArrowDown");
    await card.waitFor();
    await page.keyboard.press("Escape");
    await card.waitFor({ state: "detached" });
    await eventually(
      () => page.evaluate(() => document.activeElement.dataset.node),
      "/States/Each",
      "the first Escape only takes the card away",
    );
  });

  visit(
    "shows how often states and transitions were taken, and what was not reached",
    { reusePage: "Order processing" },
    async (visitor, page) => {
      await visitor.run();
      await visitor.result();
      await until(async () => assert.ok((await page.locator(".line.taken").count()) > 5));
      await eventually(() => page.locator(".line-count").first().textContent(), /^×2$/);
      await eventually(() => visitor.state("OutOfStock").getAttribute("aria-label"), /not reached/);
      const opacity = (selector) =>
        page
          .locator(selector)
          .first()
          .evaluate((element) => getComputedStyle(element).opacity);
      await eventually(() => opacity(".run-over .line:not(.taken)"), "0.35");
      await eventually(() => opacity(".is-skipped > .node-button"), "0.45");
    },
  );

  visit("has a table with the same states, statuses, keys and selection", {}, async (visitor, page) => {
    await visitor.run();
    await visitor.result();
    await page.getByRole("button", { name: "Table", exact: true }).click();
    const grid = page.getByRole("treegrid");
    await grid.waitFor();
    await eventually(() => grid.getAttribute("aria-rowcount"), "13");
    const row = (name) => grid.getByRole("row", { name: new RegExp(`^${name}`) });
    await eventually(() => row("ChargeCard").innerText(), /succeeded[\s\S]*2/);
    await eventually(() => row("OutOfStock").innerText(), /not reached/);
    await eventually(() => row("PackParcel").getAttribute("aria-level"), "2");
    await row("CheckStock").click();
    await page.keyboard.press("ArrowDown");
    await page.locator("#inspector-pane h3, #inspector-pane h2", { hasText: "InStock?" }).first().waitFor();
    await eventually(() => row("InStock").getAttribute("aria-selected"), "true");
    await row("Fulfil").click();
    await page.keyboard.press("ArrowLeft");
    await row("PackParcel").waitFor({ state: "detached" });
    await page.keyboard.press("ArrowRight");
    await row("PackParcel").waitFor();
    await page.keyboard.press("Shift+F10");
    await page.getByRole("menu", { name: "Fulfil" }).waitFor();
    await page.keyboard.press("Escape");
    await eventually(() => visitor.violations(), []);
    await page.reload();
    await grid.waitFor();
  });

  // With the dock of an earlier run the graph would have less room, and fewer names.
  visit("folds large states, shows a minimap, and keeps names at one size when zoomed out", {}, async (visitor, page) => {
    const large = {
      StartAt: "Big",
      States: { Big: { Type: "Map", ItemProcessor: { StartAt: "I0", States: chain(61, "I") }, Next: "S0" }, ...chain(90) },
    };
    await visitor.open({ definition: large });
    await visitor.state("Big").waitFor();
    await eventually(() => visitor.state("Big").getAttribute("aria-label"), /folded/);
    await page.locator(".minimap").waitFor();
    await visitor.state("Big").focus();
    await page.keyboard.press("+");
    await visitor.node("/States/Big/ItemProcessor/States/I0").waitFor();
    await page.getByRole("button", { name: "Fit the graph" }).click();
    await page.locator("svg.canvas.far").waitFor();
    // At a small scale, names are drawn beside the boxes, as on a map.
    await eventually(() => page.locator("svg.canvas .node text").count(), 0);
    await until(async () => assert.ok((await page.locator("svg.canvas .names text").count()) > 10));
    await until(async () => assert.ok((await page.locator("svg.canvas .line").count()) <= 4, "the lines of a scope are one path"));
    // A press on the minimap moves the view there.
    const before = await page.locator(".minimap .seen").getAttribute("d");
    await page
      .getByRole("button", { name: /100 %|Zoom \d+/ })
      .first()
      .click();
    await page.locator(".minimap").click({ position: { x: 84, y: 100 } });
    await until(async () => assert.notEqual(await page.locator(".minimap .seen").getAttribute("d"), before));
  });

  visit("draws the missing target of a transition", { reusePage: true }, async (visitor) => {
    await visitor.open({ definition: { StartAt: "One", States: { One: pass("Two") } } });
    const missing = visitor.node("#missing/Two");
    await missing.waitFor();
    await eventually(() => missing.getAttribute("aria-label"), /^Two not found, missing state/);
  });

  visit(
    "moves the view with the arrow keys while Space is held, and selects with Space alone",
    { reusePage: true },
    async (visitor, page) => {
      await visitor.open({ definition: NESTED });
      await visitor.state("Fetch").focus();
      const before = await middle(visitor.state("Fetch"));
      await page.keyboard.down(" ");
      await page.keyboard.press("ArrowRight");
      await page.keyboard.up(" ");
      await eventually(async () => (await middle(visitor.state("Fetch")))[0], before[0] - 60);
      await eventually(() => visitor.state("Fetch").getAttribute("aria-pressed"), "false");
      await page.keyboard.press(" ");
      await eventually(() => visitor.state("Fetch").getAttribute("aria-pressed"), "true");
    },
  );

  visit(
    "animates from one layout to the next unless the user prefers reduced motion",
    { reducedMotion: "no-preference" },
    async (visitor, page) => {
      await visitor.open({ definition: NESTED });
      await visitor.state("Done").waitFor();
      await page.evaluate(() => {
        globalThis.moves = 0;
        const animate = Element.prototype.animate;
        Element.prototype.animate = function (...given) {
          globalThis.moves += 1;
          return animate.apply(this, given);
        };
      });
      await visitor.state("Each").focus();
      await page.keyboard.press("-");
      await visitor.node("/States/Each/ItemProcessor/States/Leaf").waitFor({ state: "detached" });
      await until(async () => assert.ok((await page.evaluate(() => globalThis.moves)) > 0));
    },
  );

  visit("is accessible after a run, in the chosen theme", {}, async (visitor, page) => {
    await visitor.run();
    await visitor.result();
    for (const theme of ["contrast", "light"]) {
      await page.getByRole("button", { name: "Settings" }).click();
      await page.locator(".settings select").first().selectOption(theme);
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await eventually(() => page.evaluate(() => document.documentElement.dataset.theme), theme);
      await page.getByRole("button", { name: "Search the graph" }).click();
      await page.keyboard.type("c");
      await page.getByRole("button", { name: "Next match" }).waitFor();
      await eventually(() => visitor.violations(), [], theme);
      await page.keyboard.press("Escape");
    }
  });

  visit("keeps its shapes in forced colours", { forcedColors: "active" }, async (visitor, page) => {
    await visitor.run();
    await visitor.result();
    const box = page.locator(".node.is-succeeded .box").first();
    await until(async () => {
      const style = await box.evaluate((element) => [getComputedStyle(element).stroke, getComputedStyle(element).fill]);
      assert.notEqual(style[0], style[1], "the border stands out from the fill");
    });
    await eventually(
      () => page.locator(".node.is-succeeded .status path").first().isVisible(),
      true,
      "a sign says what the colour does not",
    );
  });

  visit(
    "animates at most 24 transitions together, however many are taken",
    { reducedMotion: "no-preference", width: 2600, height: 1500 },
    async (visitor, page) => {
      const branch = (i) => ({ StartAt: `B${i}x0`, States: chain(14, `B${i}x`) });
      await visitor.open({
        definition: {
          StartAt: "All",
          States: { All: { Type: "Parallel", Branches: Array.from({ length: 20 }, (_, i) => branch(i)), End: true } },
        },
      });
      // A state that contains more than 60 states is folded at first.
      await visitor.state("All").focus();
      await page.keyboard.press("+");
      await page.locator('[data-node^="/States/All/Branches/"]').first().waitFor({ state: "attached" });
      await page.keyboard.press("Shift+Digit1");
      await page.locator(".lines .line").nth(100).waitFor({ state: "attached" });
      await page.evaluate(() => {
        globalThis.most = globalThis.seen = 0;
        new MutationObserver((changes) => {
          for (const { addedNodes } of changes) for (const node of addedNodes) globalThis.seen += node.classList?.contains("token") ? 1 : 0;
          globalThis.most = Math.max(globalThis.most, document.querySelectorAll(".token").length);
        }).observe(document.querySelector("svg.canvas"), { childList: true, subtree: true });
      });
      // A busy machine may draw too few pictures on the way; then the test runs the machine once more.
      await until(async () => {
        await visitor.run();
        await visitor.result();
        await page.waitForFunction(() => document.querySelectorAll(".lines .line.taken").length > 200);
        const { most, seen } = await page.evaluate(() => ({ most: globalThis.most, seen: globalThis.seen }));
        assert.ok(seen > 24 && most > 8, `${seen} in all, ${most} at once`);
      });
      const most = await page.evaluate(() => globalThis.most);
      assert.ok(most <= 24, `${most} at once`);
    },
  );

  visit("keeps a state that is too large to show folded until a run stops in it", { reusePage: true }, async (visitor, page) => {
    const branches = Array.from({ length: 1001 }, (_, i) => ({ StartAt: `B${i}`, States: { [`B${i}`]: pass() } }));
    const definition = { StartAt: "Huge", States: { Huge: { Type: "Parallel", Branches: branches, End: true } } };
    await visitor.open({ definition });
    await eventually(() => visitor.state("Huge").getAttribute("aria-label"), /folded/);
    await visitor.run();
    await page.getByRole("region", { name: "Outcome of the run" }).getByText("SUCCEEDED").waitFor();
    await eventually(() => visitor.state("Huge").getAttribute("aria-label"), /folded/);
    const b = [{ kind: "entry", state: "B7" }];
    await visitor.importText(
      { kind: "stepglass/session/1", t: "Huge", f: "json", d: JSON.stringify(definition), i: "{}", k: "", s: 1, b },
      "Huge",
    );
    await eventually(() => visitor.state("Huge").getAttribute("aria-label"), /folded/);
    await visitor.run();
    await visitor.node("/States/Huge/Branches/7/States/B7").waitFor();
  });

  visit("folds large and deeply nested states, and unfolds them when the run enters", { reusePage: true }, async (visitor, page) => {
    const deep = (levels) =>
      levels === 0
        ? { StartAt: "Core", States: { Core: pass() } }
        : { StartAt: `L${levels}`, States: { [`L${levels}`]: { Type: "Parallel", Branches: [deep(levels - 1)], End: true } } };
    const definition = {
      StartAt: "Big",
      States: {
        Big: {
          Type: "Map",
          ItemsPath: "$.items",
          MaxConcurrency: 1,
          ItemProcessor: { StartAt: "Rest", States: { Rest: { Type: "Wait", Seconds: 5, Next: "S0" }, ...chain(64) } },
          Next: "Deep",
        },
        Deep: { Type: "Parallel", Branches: [deep(4)], End: true },
      },
    };
    await visitor.open({ definition, input: { items: [1] } });
    const rest = visitor.node("/States/Big/ItemProcessor/States/Rest");
    await visitor.state("Big").waitFor();
    await eventually(() => visitor.state("Big").getAttribute("aria-label"), /folded/);
    await eventually(() => rest.count(), 0);
    await eventually(() => page.locator('[data-node$="/States/Core"]').count(), 0);
    await page.getByRole("combobox", { name: "Clock" }).selectOption("manual");
    await visitor.run();
    await rest.waitFor();
    await eventually(() => rest.getAttribute("aria-label"), /waiting/);
    // The state is inside the view.
    await until(async () => {
      const [box, frame] = await Promise.all([rest.boundingBox(), page.locator("svg.canvas").boundingBox()]);
      assert.ok(box.x >= frame.x && box.y >= frame.y && box.y + box.height <= frame.y + frame.height, "in sight");
    });
    // A stop in a deeply nested state unfolds every state around it.
    const session = {
      kind: "stepglass/session/1",
      t: "Deep",
      f: "json",
      d: JSON.stringify(definition),
      i: '{"items": [1]}',
      k: "",
      s: 1,
      b: [{ kind: "entry", state: "Core" }],
    };
    await visitor.importText(session, "Deep");
    await visitor.node("/States/Deep/Branches/0/States/L4").waitFor();
    await eventually(() => page.locator('[data-node$="/States/Core"]').count(), 0);
    await visitor.run();
    await page.locator(".pause-where", { hasText: "before Core" }).first().waitFor();
    await page.locator('[data-node$="/States/Core"]').waitFor();
  });
});
