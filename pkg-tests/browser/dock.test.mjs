// The dock below the graph: the timeline, the list of events, the table, the console and the watches.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { skip } from "../browser.mjs";
import { eventually, until, visits } from "./playground.mjs";

const LAMBDA = "arn:aws:lambda:us-east-1:123456789012:function:";
const CHARGES = {
  StartAt: "Each",
  States: {
    Each: {
      Type: "Map",
      ItemsPath: "$.items",
      MaxConcurrency: 1,
      ItemProcessor: {
        StartAt: "Charge",
        States: {
          Charge: {
            Type: "Task",
            Resource: `${LAMBDA}charge`,
            ResultPath: "$.paid",
            Retry: [{ ErrorEquals: ["Busy"], IntervalSeconds: 2 }],
            Next: "Rest",
          },
          Rest: { Type: "Wait", Seconds: 3, End: true },
        },
      },
      Next: "Later",
    },
    Later: { Type: "Wait", Seconds: 172_800, Next: "Done" },
    Done: { Type: "Succeed" },
  },
};
const INPUT = { items: [{ n: 1 }, { n: 2 }, { n: 3 }] };
const CHARGE =
  "export default { charge: ({ n }, task) => { if (n === 2 && task.attempt === 0) { const e = new Error('try again'); e.name = 'Busy'; throw e; } return { ok: true, n }; } };";

describe("the timeline", { skip }, () => {
  const { visit } = visits();
  const run = async (visitor) => {
    await visitor.open({ definition: CHARGES, input: INPUT, tasks: CHARGE });
    await visitor.run();
    await visitor.result();
  };

  visit(
    "folds idle time, shows failed attempts and back-offs, and leaves space after the last bar",
    { reusePage: "Order processing" },
    async (visitor, page) => {
      await run(visitor);
      await visitor.tab("Timeline");
      await page.locator(".lane-gap", { hasText: "2 d" }).waitFor();
      const one = page.getByRole("group", { name: "Each #1" });
      await one.getByRole("button", { name: /^Charge, failed attempt/ }).waitFor();
      await one.getByRole("button", { name: /^Charge, back-off before the next attempt, 2\.0 s/ }).waitFor();
      await until(async () => {
        const [track, last] = await page
          .getByRole("group", { name: "Execution" })
          .evaluate((lane) =>
            [lane.querySelector(".lane-track"), [...lane.querySelectorAll(".lane-bar")].at(-1)].map(
              (element) => element.getBoundingClientRect().right,
            ),
          );
        assert.ok(track - last >= 6, `the last bar ends ${track - last} pixels before the edge`);
      });
    },
  );

  visit(
    "zooms by dragging, buttons and keys, and shows the whole run as a strip",
    { reusePage: "Order processing" },
    async (visitor, page) => {
      await run(visitor);
      await visitor.tab("Timeline");
      const view = page.locator("#lanes-view");
      await page.getByRole("group", { name: "Each #2" }).waitFor();
      await eventually(() => view.innerText(), "All events");
      await visitor.waitUntilQuiet();
      const box = await page.locator(".lane-track").first().boundingBox();
      await page.mouse.move(box.x + box.width * 0.1, box.y + 10);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * 0.3, box.y + 12, { steps: 4 });
      await page.locator(".lane-range").waitFor();
      await page.mouse.up();
      await page.waitForFunction(() => /^Events \d+ to \d+ of \d+$/.test(document.querySelector("#lanes-view").textContent));
      const [, from, to, of] = /Events (\d+) to (\d+) of (\d+)/.exec(await view.innerText()).map(Number);
      assert.ok(from > 1 && to < of && to - from < of / 2, `${from} to ${to} of ${of}`);
      await page.getByRole("img", { name: `Overview: events ${from} to ${to} of ${of} are in view` }).waitFor();
      // The gap of two days is out of view, and the visible part is stretched.
      await page.locator(".lane-gap", { hasText: "2 d" }).waitFor({ state: "detached" });
      await page.locator(".lanes-head").getByRole("button", { name: "Later", exact: true }).click();
      await page.waitForFunction(
        (before) => document.querySelector("#lanes-view").textContent !== before,
        `Events ${from} to ${to} of ${of}`,
      );
      await page.getByRole("button", { name: "All", exact: true }).last().click();
      await eventually(() => view.innerText(), "All events");
      // The keyboard: one tab stop, arrow keys between bars and lanes, plus, minus, zero.
      const bar = page.getByRole("group", { name: "Execution" }).getByRole("button").first();
      await bar.focus();
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("ArrowRight");
      await eventually(() => page.evaluate(() => document.activeElement.getAttribute("aria-label")), /^Rest, wait/);
      await eventually(() => page.locator('.lane-bar[tabindex="0"]').count(), 1);
      await page.keyboard.press("Enter");
      await page.locator('[data-node$="/States/Rest"][aria-pressed="true"]').waitFor();
      await page.keyboard.press("+");
      await page.waitForFunction(() => document.querySelector("#lanes-view").textContent.startsWith("Events"));
      await page.keyboard.press("0");
      await page.waitForFunction(() => document.querySelector("#lanes-view").textContent === "All events");
    },
  );

  visit("draws all of 25,000 events", { reusePage: true }, async (visitor, page) => {
    // A loop that ends only at the limit of the history.
    const definition = {
      StartAt: "Tick",
      States: {
        Tick: { Type: "Pass", Next: "Again" },
        Again: { Type: "Choice", Choices: [{ Variable: "$.stop", IsPresent: true, Next: "Done" }], Default: "Tick" },
        Done: { Type: "Succeed" },
      },
    };
    await visitor.open({ definition });
    await visitor.run();
    await visitor.result();
    await visitor.tab("Timeline");
    const lane = page.getByRole("group", { name: "Execution" });
    await lane
      .getByRole("button", { name: /visits of several states/ })
      .first()
      .waitFor();
    const drawn = await lane.evaluate((element) => {
      const track = element.querySelector(".lane-track").getBoundingClientRect();
      const bars = [...element.querySelectorAll(".lane-bar")];
      const places = bars.map((bar) => bar.getBoundingClientRect());
      return {
        visits: bars.map((bar) => Number(/^([\d,]+) visits/.exec(bar.title)?.[1].replaceAll(",", "") ?? 1)).reduce((sum, n) => sum + n, 0),
        gap: Math.max(...places.slice(1).map((place, i) => place.left - places[i].right)),
        free: track.right - places.at(-1).right,
        bars: bars.length,
      };
    });
    // Each visit has two events, and the execution has the first and the last event.
    assert.equal(drawn.visits, 12_499);
    assert.ok(drawn.bars <= 2_000, `${drawn.bars} bars`);
    assert.ok(drawn.gap < 8 && drawn.free < 60, JSON.stringify(drawn));
    const strip = await page.locator(".lanes-overview path.lane-run").evaluate((path) => path.getBBox().width);
    assert.ok(strip > 950, `the strip reaches to ${strip} of 1000`);
    // A bar that stands for many visits zooms in to show them.
    await lane
      .getByRole("button", { name: /visits of several states/ })
      .last()
      .click();
    await page.waitForFunction(() => /^Events \d{5} to \d{5} of 25000$/.test(document.querySelector("#lanes-view").textContent));
    await lane
      .getByRole("button", { name: /^(Tick|Again), \d/ })
      .first()
      .waitFor();
  });

  visit(
    "names the event, its type, the state and the time at the scrubber; a banner leads back from the past",
    { reusePage: "Order processing" },
    async (visitor, page) => {
      await run(visitor);
      const scrubber = page.getByRole("slider", { name: "Event shown" });
      await scrubber.focus();
      await page.keyboard.press("Home");
      await page.locator('[aria-valuetext^="Before event 1 of"]').waitFor();
      for (let i = 0; i < 6; i++) await page.keyboard.press("ArrowRight");
      await page.locator('[aria-valuetext^="Event 6 of "][aria-valuetext*="LambdaFunctionScheduled, Charge, 00:00:00"]').waitFor();
      await page
        .locator(".banner", { hasText: /Viewing event 6 of \d+/ })
        .getByRole("button", { name: "Return to live" })
        .click();
      await page.locator(".banner", { hasText: "Viewing event" }).waitFor({ state: "detached" });
      await page.locator('[aria-valuetext*="ExecutionSucceeded, Done, 2 days 00:00:"]').waitFor();
    },
  );
});

describe("the list of events and the table", { skip }, () => {
  const { visit } = visits();
  const types = (page) => page.locator(".event-row .event-type").allInnerTexts();

  visit("filters by type, iteration and text, and draws the path to the selected event", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: CHARGES, input: INPUT, tasks: CHARGE });
    await visitor.run();
    await visitor.result();
    await visitor.tab("Events");
    await page.getByLabel("Type of event").selectOption("LambdaFunctionFailed");
    await page.getByRole("listbox", { name: "History, 1 event" }).waitFor();
    await eventually(() => page.locator(".event-row").innerText(), /Charge[\s\S]*#1[\s\S]*Busy/);
    await page.getByLabel("Type of event").selectOption("Any type");
    await page.getByLabel("Branch or iteration").selectOption("Each #1");
    const rows = page.getByRole("listbox", { name: /^History/ });
    await page.waitForFunction(() => document.querySelector(".event-list").getAttribute("aria-label") === "History, 12 events");
    await until(async () => {
      const shown = await types(page);
      assert.deepEqual([shown[0], shown.at(-1)], ["MapIterationStarted", "MapIterationSucceeded"]);
      assert.equal(shown.filter((type) => type === "LambdaFunctionScheduled").length, 2);
    });
    await page.getByLabel("Search the events").fill("try again");
    await page.getByRole("listbox", { name: "History, 1 event" }).waitFor();
    await page.getByLabel("Search the events").fill("");
    await page.getByLabel("Branch or iteration").selectOption("Any branch");
    // The second event has no predecessor, as in AWS's histories; the third follows it.
    await rows.focus();
    await page.keyboard.press("Home");
    await page.locator(".event-row.chosen .event-link.on").waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.locator("#event-3.chosen").waitFor();
    await page.waitForFunction(() => document.querySelectorAll(".event-link.on").length === 2);
    await eventually(() => page.locator("#event-3").innerText(), /leads to the selected event, after event 2/);
  });

  visit("follows a run that is played again", { reducedMotion: "no-preference" }, async (visitor, page) => {
    await visitor.run();
    await visitor.result();
    await visitor.tab("Events");
    await page.locator(".event-row").first().waitFor();
    // Collects, after each painted change of the position, the events that were out of sight.
    await page.evaluate(() => {
      const [list, text] = ["[role=listbox].event-list", ".timeline-text"].map((one) => document.querySelector(one));
      const seen = (globalThis.seen = { missed: [], last: 0 });
      const look = () => {
        const id = Number(text.querySelector("b")?.textContent ?? 0);
        requestAnimationFrame(() => {
          const row = list.querySelector(".event-row").offsetHeight;
          if (id > 0 && ((id - 1) * row < list.scrollTop || id * row > list.scrollTop + list.clientHeight + 1)) seen.missed.push(id);
          seen.last = id;
        });
      };
      new MutationObserver(look).observe(text, { childList: true, subtree: true, characterData: true });
    });
    await page.getByRole("button", { name: "Play again" }).click();
    await page.waitForFunction(() => globalThis.seen.last === 47);
    await eventually(() => page.evaluate(() => globalThis.seen.missed), []);
  });

  visit("leaves events of parallel branches out of the path to an event", { reusePage: true }, async (visitor, page) => {
    const branch = (name) => ({ StartAt: name, States: { [name]: { Type: "Pass", End: true } } });
    await visitor.open({
      definition: { StartAt: "Both", States: { Both: { Type: "Parallel", Branches: [branch("Left"), branch("Right")], End: true } } },
    });
    await visitor.run();
    await visitor.result();
    await visitor.tab("Events");
    await page.getByRole("option").filter({ hasText: "PassStateExitedRight" }).click();
    await page.waitForFunction(() => document.querySelectorAll(".event-link.on").length === 4);
    const way = () =>
      page
        .locator(".event-row:has(.event-link.on)")
        .evaluateAll((rows) =>
          rows.map((row) => `${row.querySelector(".event-type").textContent} ${row.querySelector(".event-state").textContent}`.trim()),
        );
    await eventually(way, ["ParallelStateEntered Both", "ParallelStateStarted Both", "PassStateEntered Right", "PassStateExited Right"]);
    await page.getByLabel("Branch or iteration").selectOption("Both branch 1");
    await page.getByRole("listbox", { name: "History, 2 events" }).waitFor();
  });

  visit("lists attempts, iterations and sizes, and offers the graph's commands", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: CHARGES, input: INPUT, tasks: CHARGE });
    await visitor.run();
    await visitor.result();
    await page.getByRole("button", { name: "Table" }).click();
    const cells = (name) =>
      page
        .getByRole("row")
        .filter({ has: page.locator("b", { hasText: name }) })
        .getByRole("gridcell")
        .allInnerTexts();
    await page.waitForFunction(() =>
      [...document.querySelectorAll(".state-table .body .col-out")].some((cell) => cell.textContent === "32 B"),
    );
    const counted = async () => {
      const [, , visits, attempts, failures, iteration, , input, output] = await cells("Charge");
      return [visits, attempts, failures, iteration, input, output];
    };
    await eventually(counted, ["3", "1", "1", "#2", "7 B", "32 B"]);
    await eventually(
      () => page.getByRole("columnheader").allInnerTexts(),
      ["Name", "Type", "Status", "Visits", "Attempts", "Failures", "Iteration", "Items", "In", "Out", "Start", "Duration", "Time"],
    );
    await page.getByRole("row").nth(1).focus();
    await page.keyboard.press("ArrowDown");
    await page.waitForFunction(() => document.activeElement.textContent.includes("Charge"));
    await page.keyboard.press("F9");
    await visitor.tab("Breakpoints 1");
    await page
      .getByRole("row")
      .filter({ has: page.locator("b", { hasText: "Charge" }) })
      .focus();
    await page.keyboard.press("Shift+F10");
    await page.getByRole("menu").getByText("Run to here").waitFor();
  });

  visit(
    "scrolls a table of ten thousand states to its end, and draws only the visible rows",
    { reusePage: true },
    async (visitor, page) => {
      const n = 10_000;
      const States = Object.fromEntries(
        Array.from({ length: n }, (_, i) => [`S${i}`, i === n - 1 ? { Type: "Succeed" } : { Type: "Pass", Next: `S${i + 1}` }]),
      );
      await visitor.open({ definition: JSON.stringify({ StartAt: "S0", States }) });
      await page.getByRole("button", { name: "Table" }).click();
      await page
        .getByRole("treegrid")
        .and(page.locator(`[aria-rowcount="${n + 1}"]`))
        .waitFor();
      await page.getByRole("row").nth(1).focus();
      await page.keyboard.press("End");
      await page.locator(`[role="row"][aria-rowindex="${n + 1}"][aria-selected="true"]`).waitFor();
      await eventually(() => page.evaluate(() => document.activeElement.textContent), /^ ?S9999,/);
      await until(async () => assert.ok((await page.getByRole("row").count()) < 120, "only the rows in sight"));
      await page.keyboard.press("PageUp");
      await page.locator(`[role="row"][aria-rowindex="${n - 9}"][aria-selected="true"]`).waitFor();
    },
  );
});

describe("the console and the watches", { skip }, () => {
  const { visit } = visits();

  visit("shows log points together with the output of handlers, each with its event", { reusePage: true }, async (visitor, page) => {
    await visitor.open({
      definition: CHARGES,
      input: INPUT,
      tasks: CHARGE.replace("charge: ({ n }, task) => {", "charge: ({ n }, task) => { console.log('asked for', n);"),
    });
    await visitor.node("/States/Each/ItemProcessor/States/Rest").click();
    await page.keyboard.press("Shift+F9");
    await page.getByRole("textbox", { name: "Log instead of stopping" }).fill("charged {% $.n %}");
    await page.keyboard.press("Tab");
    await visitor.run();
    await visitor.result();
    await visitor.tab("Console");
    await page.locator(".console-pane").getByText("7 lines").waitFor();
    await page.getByRole("button", { name: "Log points" }).click();
    const lines = page.getByRole("list", { name: "Console" }).getByRole("listitem");
    await eventually(
      async () =>
        (await lines.allInnerTexts()).map((text) =>
          text
            .replace(/event \d+/, "event")
            .replace(/\s+/g, " ")
            .trim(),
        ),
      ["event · charged 1", "event · charged 2", "event · charged 3"],
    );
    await lines.nth(1).getByRole("button").click();
    await page.locator(".banner", { hasText: "Viewing event" }).waitFor();
    await page.locator('[data-node$="/States/Rest"][aria-pressed="true"]').waitFor();
    await page.getByRole("button", { name: "Handlers" }).click();
    await eventually(() => lines.count(), 4);
    await page.getByRole("button", { name: "Clear" }).click();
    await page.getByText("Nothing has been logged yet").waitFor();
  });

  visit("says why a watch cannot be evaluated, and evaluates it in another frame", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: CHARGES, input: INPUT, tasks: CHARGE });
    await visitor.node("/States/Each/ItemProcessor/States/Charge").click();
    await page.keyboard.press("F9");
    await visitor.run();
    await page.locator(".pause-where", { hasText: "Charge" }).first().waitFor();
    await visitor.tab("Watch");
    const watch = async (text, language) => {
      await page.getByLabel("Expression to watch").fill(text);
      await page.locator(".watch").getByLabel("Language").selectOption(language);
      await page.keyboard.press("Tab");
      await page.getByRole("button", { name: "Watch", exact: true }).click();
    };
    await watch("$.n", "jsonpath");
    await watch("$sum(", "jsonata");
    await watch("$.nowhere", "jsonpath");
    const rows = page.locator(".watched");
    await rows.nth(0).getByText("1", { exact: true }).waitFor();
    await rows
      .nth(1)
      .getByText(/^cannot be evaluated: /)
      .waitFor();
    await rows
      .nth(2)
      .getByText(/^(cannot be evaluated: |nothing)/)
      .waitFor();
    // An item has no items. The input of the Map has three.
    await watch("$count($states.input.items)", "jsonata");
    await rows.nth(3).getByText("0", { exact: true }).waitFor();
    await page.getByLabel("Frame to evaluate in").selectOption("Each");
    await rows.nth(3).getByText("3", { exact: true }).waitFor();
  });
});
