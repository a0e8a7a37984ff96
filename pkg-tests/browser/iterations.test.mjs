// The iterations of Maps on the graph: the selected one, all together, waiting ones, and child executions.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { skip } from "../browser.mjs";
import { eventually, shared, until, visits } from "./playground.mjs";

const LAMBDA = "arn:aws:lambda:us-east-1:123456789012:function:";

/** Orders with lines: a Map inside a Map. Prices that end with 3 are odd and cause an error, which is caught. */
const NESTED = {
  StartAt: "Orders",
  States: {
    Orders: {
      Type: "Map",
      ItemsPath: "$.orders",
      MaxConcurrency: 2,
      ItemProcessor: {
        StartAt: "Lines",
        States: {
          Lines: {
            Type: "Map",
            ItemsPath: "$.lines",
            ItemProcessor: {
              StartAt: "Price",
              States: {
                Price: { Type: "Task", Resource: `${LAMBDA}price`, Catch: [{ ErrorEquals: ["Odd"], Next: "Zero" }], End: true },
                Zero: { Type: "Pass", End: true },
              },
            },
            Next: "Sum",
          },
          Sum: { Type: "Pass", End: true },
        },
      },
      Next: "Done",
    },
    Done: { Type: "Succeed" },
  },
};
const PRICE =
  "export default { price: ({ n }) => { if (n % 10 === 3) { const e = new Error('odd'); e.name = 'Odd'; throw e; } return n; } };";
const ORDERS = { orders: [{ lines: [{ n: 1 }, { n: 2 }] }, { lines: [{ n: 11 }, { n: 13 }, { n: 12 }] }, { lines: [{ n: 21 }] }] };
const LINES = "/States/Orders/ItemProcessor/States/Lines";
const PRICE_STATE = `${LINES}/ItemProcessor/States/Price`;
const ZERO_STATE = `${LINES}/ItemProcessor/States/Zero`;

/** Items that wait for ten seconds each. The one with a bad number fails. */
const SLOW = (more = {}) => ({
  StartAt: "Each",
  States: {
    Each: {
      Type: "Map",
      ItemsPath: "$.items",
      MaxConcurrency: 3,
      ItemProcessor: {
        StartAt: "Rest",
        States: {
          Rest: { Type: "Wait", Seconds: 10, Next: "Check" },
          Check: { Type: "Choice", Choices: [{ Variable: "$.bad", IsPresent: true, Next: "Broken" }], Default: "Fine" },
          Fine: { Type: "Pass", End: true },
          Broken: { Type: "Fail", Error: "Broken" },
        },
      },
      End: true,
      ...more,
    },
    ...(more.Next ? { [more.Next]: { Type: "Succeed" } } : {}),
  },
});
const REST = "/States/Each/ItemProcessor/States/Rest";
const items = (count, bad = -1) => ({ items: Array.from({ length: count }, (_, i) => (i === bad ? { bad: true } : { n: i })) });

describe("iterations on the graph", { skip }, () => {
  const { visit } = visits();

  /** The controls in a Map's box. */
  const controls = (page, map) => page.locator("svg.canvas").getByRole("group", { name: `Iterations of ${map}` });
  const name = (visitor, pointer) => visitor.node(pointer).getAttribute("aria-label");
  const names = async (visitor, pointer, like) => {
    await visitor.page.waitForFunction(
      ([id, text]) => new RegExp(text).test(document.querySelector(`[data-node="${id}"]`)?.getAttribute("aria-label") ?? ""),
      [pointer, like.source],
    );
  };

  visit("show the statuses, counts and transitions of one iteration of a nested Map", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: NESTED, input: ORDERS, tasks: PRICE });
    await visitor.node(PRICE_STATE).waitFor();
    await controls(page, "Orders").getByText("No iterations yet, at most 2 at once").waitFor();
    await visitor.run();
    await visitor.result();
    // All iterations together.
    await eventually(() => name(visitor, PRICE_STATE), /entered 6 times/);
    await eventually(() => name(visitor, ZERO_STATE), /succeeded/);
    const outer = controls(page, "Orders");
    const inner = controls(page, "Lines");
    await eventually(() => outer.getByRole("button", { name: "All iterations together" }).getAttribute("aria-pressed"), "true");
    await eventually(() => inner.innerText(), /of 6/);
    // The iterations of the first order alone.
    await outer.getByRole("spinbutton", { name: "Iteration of Orders" }).fill("0");
    await names(visitor, PRICE_STATE, /entered 2 times/);
    await eventually(() => name(visitor, ZERO_STATE), /not reached/);
    await eventually(() => inner.innerText(), /of 2/);
    // The next order, and its line with an odd price.
    await outer.getByRole("button", { name: "Next iteration" }).click();
    await names(visitor, PRICE_STATE, /entered 3 times/);
    await inner.getByRole("spinbutton", { name: "Iteration of Lines" }).fill("1");
    await names(visitor, PRICE_STATE, /failed with Odd, caught, (?!entered)/);
    await eventually(() => name(visitor, ZERO_STATE), /succeeded/);
    const path = page.getByRole("navigation", { name: "Iterations shown" });
    await eventually(async () => (await path.innerText()).replace(/\s+/g, " ").trim(), "Orders #1 › Lines #1");
    // The inspector shows the same iteration, and its visit.
    await visitor.node(PRICE_STATE).click();
    const pane = page.locator("#inspector-pane");
    await page.waitForFunction(() => [...document.querySelectorAll("#inspector-pane .index")].map(({ value }) => value).join() === "1,1");
    await pane.getByText('"n"').first().waitFor();
    await eventually(() => pane.innerText(), /13/);
    // A selection in the inspector also changes the graph.
    await pane.getByRole("spinbutton", { name: "Iteration of Lines" }).fill("2");
    await names(visitor, ZERO_STATE, /not reached/);
    await eventually(() => inner.getByRole("spinbutton").inputValue(), "2");
    await path.getByRole("button", { name: "Show all iterations together" }).click();
    await names(visitor, PRICE_STATE, /entered 6 times/);
  });

  visit("are selected by keyboard, among the failed ones, and along the strip", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: SLOW({ MaxConcurrency: 5 }), input: items(5, 3) });
    await visitor.node(REST).waitFor();
    await visitor.run();
    await visitor.result();
    const own = controls(page, "Each");
    // Failed iterations come first.
    await eventually(
      () =>
        own
          .getByRole("group", { name: "Which iterations" })
          .getByRole("button")
          .evaluateAll((all) => all.map((one) => one.getAttribute("aria-label"))),
      ["Failed 1", "Done 3", "Cancelled 1"],
    );
    await own.getByRole("button", { name: "Failed 1" }).click();
    await eventually(() => own.getByRole("spinbutton").inputValue(), "3");
    await names(visitor, "/States/Each/ItemProcessor/States/Broken", /failed/);
    await names(visitor, "/States/Each/ItemProcessor/States/Fine", /not reached/);
    await own.getByRole("button", { name: "Failed 1" }).click();
    await visitor.node(REST).focus();
    await page.keyboard.press("[");
    await page.waitForFunction(() => document.querySelector("svg .index").value === "2");
    await names(visitor, "/States/Each/ItemProcessor/States/Fine", /succeeded/);
    await page.keyboard.press("]");
    await page.keyboard.press("]");
    await page.waitForFunction(() => document.querySelector("svg .index").value === "4");
    // The strip by keyboard and by mouse; Tab leaves the graph from there.
    await visitor.state("Each").focus();
    await page.keyboard.press("Tab");
    await eventually(() => page.evaluate(() => document.activeElement.closest("svg.canvas") === null), true);
    const strip = own.getByRole("slider");
    await strip.focus();
    await page.keyboard.press("Home");
    await eventually(() => strip.getAttribute("aria-valuetext"), "#0, done");
    const box = await strip.boundingBox();
    await page.mouse.click(box.x + box.width * 0.7, box.y + box.height / 2);
    await eventually(() => strip.getAttribute("aria-valuetext"), "#3, failed");
    // All iterations together again, and back to the failed one.
    await own.getByRole("button", { name: "All iterations together" }).click();
    await eventually(() => strip.getAttribute("aria-valuetext"), "all together");
    await own.getByRole("button", { name: "All iterations together" }).click();
    await eventually(() => strip.getAttribute("aria-valuetext"), "#3, failed");
  });

  visit("show what runs at once and what is queued", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: SLOW(), input: items(8) });
    await visitor.node(REST).waitFor();
    await page.getByRole("combobox", { name: "Clock" }).selectOption("manual");
    await visitor.run();
    const own = controls(page, "Each");
    await own.getByText("3 of max 3 running, 5 queued").waitFor();
    await eventually(() => name(visitor, "/States/Each"), /3 of max 3 running, 5 queued/);
    await eventually(() => name(visitor, REST), /5 queued/);
    // An iteration that has not started.
    await own.getByRole("spinbutton").fill("7");
    await names(visitor, REST, /queued/);
    await visitor.node(REST).locator("xpath=..").and(page.locator(".is-queued")).waitFor();
    // The latest iteration is followed while the clock advances.
    await own.getByRole("button", { name: "Follow the latest" }).click();
    await eventually(() => own.getByRole("spinbutton").inputValue(), "2");
    // Three waiting iterations end together, and three others start.
    const next = page.getByRole("button", { name: "Next timer" });
    await next.click();
    await own.getByText("3 of max 3 running, 2 queued").waitFor();
    await next.click();
    await own.getByText("2 of max 3 running").waitFor();
    await next.click();
    await page.waitForFunction(() => document.querySelector("svg .index").value === "7");
    await visitor.result();
    await eventually(() => own.getByText("queued").count(), 0);
  });

  visit("are shown as shares if there are many, and each is found by its index", { reusePage: true }, async (visitor, page) => {
    const quick = {
      StartAt: "Each",
      States: {
        Each: {
          Type: "Map",
          ItemsPath: "$.items",
          ItemProcessor: {
            StartAt: "Check",
            States: {
              Check: { Type: "Choice", Choices: [{ Variable: "$.bad", IsPresent: true, Next: "Odd" }], Default: "Fine" },
              Odd: { Type: "Pass", End: true },
              Fine: { Type: "Pass", End: true },
            },
          },
          End: true,
        },
      },
    };
    await visitor.open({ definition: quick, input: items(1500, 1234) });
    await visitor.node("/States/Each/ItemProcessor/States/Odd").waitFor();
    await visitor.run();
    await visitor.result();
    const own = controls(page, "Each");
    await eventually(() => own.innerText(), /of 1,500/);
    await names(visitor, "/States/Each/ItemProcessor/States/Fine", /entered 1499 times/);
    // The strip has a few path elements, however many iterations there are.
    await until(async () => assert.ok((await own.locator(".it-strip path").count()) <= 6));
    await own.getByRole("spinbutton").fill("1234");
    await names(visitor, "/States/Each/ItemProcessor/States/Odd", /succeeded/);
    await names(visitor, "/States/Each/ItemProcessor/States/Fine", /not reached/);
  });

  visit("are selected when the run stops in one", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: NESTED, input: ORDERS, tasks: PRICE });
    await visitor.node(ZERO_STATE).click();
    await page.keyboard.press("F9");
    await visitor.run();
    await page.locator(".pause-where", { hasText: "before Zero" }).first().waitFor();
    const path = page.getByRole("navigation", { name: "Iterations shown" });
    await path.waitFor();
    await eventually(async () => (await path.innerText()).replace(/\s+/g, " ").trim(), "Orders #1 › Lines #1");
    await eventually(() => name(visitor, PRICE_STATE), /failed with Odd, caught, (?!entered)/);
    // Another run starts with all iterations together.
    await page.keyboard.press("Shift+F8");
    await visitor.result();
    await visitor.node(ZERO_STATE).click();
    await page.keyboard.press("F9");
    await visitor.run();
    await path.waitFor({ state: "detached" });
  });

  visit("that are selected are part of a link with the position", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: NESTED, input: ORDERS });
    await visitor.node(PRICE_STATE).click();
    await visitor.run();
    // Nobody has answered yet; the second order is selected.
    await controls(page, "Orders").getByRole("spinbutton").fill("1");
    await page.getByRole("button", { name: "Share", exact: true }).click();
    await page.getByRole("checkbox", { name: /^Position/ }).check();
    const link = await shared(page, ({ q }) => q !== undefined);
    await page.goto("about:blank");
    await page.goto(link);
    await visitor.ready();
    await visitor.run();
    await page.getByRole("navigation", { name: "Iterations shown" }).getByText("#1").waitFor();
  });

  visit("together show counts for every state, and a heat map of the time", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: SLOW({ MaxConcurrency: 4, Next: "Done", End: undefined }), input: items(4) });
    await visitor.node(REST).waitFor();
    await visitor.run();
    await visitor.result();
    const sums = (pointer) => page.locator(`g[data-move="${pointer}"] .sums`);
    // Zoomed out, there is room for the names only.
    await until(async () => {
      await page.getByRole("button", { name: "Zoom in", exact: true }).click();
      assert.equal(await sums(REST).count(), 1);
    });
    await eventually(() => sums(REST).textContent(), /^4mean 10 s$/);
    await eventually(() => sums(REST).getAttribute("class"), /heat-5/);
    await eventually(() => sums("/States/Each/ItemProcessor/States/Fine").count(), 0, "took no time");
    await eventually(() => name(visitor, REST), /entered 4 times, 10 s on average/);
    // There are no sums if one iteration is selected.
    await controls(page, "Each").getByRole("spinbutton").fill("2");
    await sums(REST).waitFor({ state: "detached" });
    await until(async () => assert.doesNotMatch(await name(visitor, REST), /entered/));
  });

  visit(
    "of a Distributed Map are child executions, with batches, stages and their outcomes",
    { reusePage: true },
    async (visitor, page) => {
      const definition = {
        StartAt: "Each",
        States: {
          Each: {
            Type: "Map",
            ItemsPath: "$.items",
            MaxConcurrency: 2,
            ToleratedFailureCount: 5,
            ItemBatcher: { MaxItemsPerBatch: 2 },
            ResultWriter: { Resource: "arn:aws:states:::s3:putObject", Parameters: { Bucket: "results", Prefix: "run" } },
            ItemProcessor: {
              ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" },
              StartAt: "Charge",
              States: {
                Charge: {
                  Type: "Task",
                  Resource: `${LAMBDA}charge`,
                  Retry: [{ ErrorEquals: ["Busy"], IntervalSeconds: 5 }],
                  Catch: [{ ErrorEquals: ["Declined"], Next: "Tell" }],
                  Next: "Rest",
                },
                Rest: { Type: "Wait", Seconds: 10, End: true },
                Tell: { Type: "Pass", End: true },
              },
            },
            End: true,
          },
        },
      };
      const charge =
        "export default { charge: ({ Items: [{ n }] }, task) => { const e = new Error('no'); if (n === 2) e.name = 'Declined'; else if (n === 4) e.name = 'Lost'; else return {}; throw e; }, putObject: () => ({}) };";
      await visitor.open({ definition, input: items(9), tasks: charge });
      const [CHARGE, WAIT, TELL] = ["Charge", "Rest", "Tell"].map((state) => `/States/Each/ItemProcessor/States/${state}`);
      await visitor.node(CHARGE).waitFor();
      const own = controls(page, "Each");
      const stages = own.getByRole("list", { name: "Stages around the iterations" });
      await eventually(() => stages.innerText(), /ItemBatcher ≤ 2 items\s+ResultWriter s3 putObject/);
      await page.getByRole("combobox", { name: "Clock" }).selectOption("manual");
      await visitor.run();
      // Two child executions run at once, of five batches; their events are not in the history.
      await own.getByText(/of max 2 running, [1234] queued/).waitFor();
      await eventually(() => stages.innerText(), /ItemBatcher 5 batches/);
      const next = page.getByRole("button", { name: "Next timer" });
      // ResultWriter asks for an answer for each of its files.
      const answer = page.getByRole("button", { name: "Answer", exact: true });
      await until(async () => {
        if ((await answer.count()) > 0) await answer.click({ timeout: 1_000 });
        else if (await next.isEnabled()) await next.click({ timeout: 1_000 });
        assert.equal(
          await page
            .getByRole("tab", { name: /^Result/ })
            .locator(".badge")
            .count(),
          1,
        );
      });
      await visitor.result();
      await eventually(
        () =>
          own
            .getByRole("group", { name: "Which iterations" })
            .getByRole("button")
            .evaluateAll((all) => all.map((one) => one.getAttribute("aria-label"))),
        ["Failed 1", "Done 4"],
      );
      await eventually(() => name(visitor, CHARGE), /failed, entered 5 times/);
      await own.getByRole("button", { name: "Failed 1" }).click();
      await eventually(() => own.getByRole("spinbutton").inputValue(), "2");
      await names(visitor, CHARGE, /failed/);
      await eventually(() => name(visitor, WAIT), /not reached/);
      // The same from the list of child executions.
      await visitor.state("Each").click({ position: { x: 60, y: 20 } });
      await page.locator("#inspector-pane").getByRole("button", { name: "Failed 1" }).click();
      const children = page.locator("#inspector-pane").getByRole("list", { name: "Child executions of Each" });
      await children.getByRole("button", { name: /^#1 done [0-9a-f-]{36}$/ }).click();
      await names(visitor, CHARGE, /failed with .*, caught/);
      await eventually(() => name(visitor, TELL), /succeeded/);
      await visitor.node(TELL).click();
      // The data of the state in the selected child execution.
      const flow = page.locator("#inspector-pane").getByRole("region", { name: "Data flow" });
      await flow.getByText("Declined").first().waitFor();
      await eventually(() => page.locator("#inspector-pane .visit-times").innerText(), /[0-9a-f-]{36}/);
      await eventually(() => stages.innerText(), /ResultWriter s3 putObject/);
      await eventually(() => stages.locator("li.done").count(), 2);
    },
  );

  visit(
    "of a Map inside a child execution belong to that child, with its data and exact statuses",
    { reusePage: true },
    async (visitor, page) => {
      const definition = {
        StartAt: "Orders",
        States: {
          Orders: {
            Type: "Map",
            ItemsPath: "$.orders",
            ItemProcessor: {
              ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" },
              StartAt: "Lines",
              States: {
                Lines: {
                  Type: "Map",
                  ItemsPath: "$.lines",
                  MaxConcurrency: 1,
                  ItemProcessor: {
                    StartAt: "Price",
                    States: {
                      Price: {
                        Type: "Task",
                        Resource: `${LAMBDA}price`,
                        Retry: [{ ErrorEquals: ["Odd"], IntervalSeconds: 5, MaxAttempts: 1 }],
                        Catch: [{ ErrorEquals: ["Odd"], Next: "Zero" }],
                        End: true,
                      },
                      Zero: { Type: "Pass", End: true },
                    },
                  },
                  Next: "Sum",
                },
                Sum: { Type: "Pass", End: true },
              },
            },
            End: true,
          },
        },
      };
      await visitor.open({ definition, input: ORDERS, tasks: PRICE });
      const SUM = "/States/Orders/ItemProcessor/States/Sum";
      await visitor.node(PRICE_STATE).waitFor();
      await page.getByRole("combobox", { name: "Clock" }).selectOption("manual");
      await visitor.run();
      const outer = controls(page, "Orders");
      const inner = controls(page, "Lines");
      // The second order waits for its retry, and the others are done.
      await outer.getByRole("button", { name: "Waiting 1" }).waitFor();
      await outer.getByRole("button", { name: "Done 2" }).waitFor();
      await outer.getByRole("spinbutton", { name: "Iteration of Orders" }).fill("1");
      await inner.getByText("1 of max 1 running, 1 queued").waitFor();
      await names(visitor, SUM, /not reached|not run/);
      await page.getByRole("button", { name: "Next timer" }).click();
      await visitor.result();
      await eventually(() => inner.innerText(), /of 3/);
      await names(visitor, SUM, /succeeded/);
      await inner.getByRole("spinbutton", { name: "Iteration of Lines" }).fill("1");
      await names(visitor, PRICE_STATE, /failed( with [\w.]+)?, caught, (?!entered)/);
      await names(visitor, ZERO_STATE, /succeeded/);
      await inner.getByRole("spinbutton", { name: "Iteration of Lines" }).fill("2");
      await names(visitor, ZERO_STATE, /not reached/);
      // The inspector shows the same visit, with both attempts of the line that failed.
      await visitor.node(PRICE_STATE).click();
      const pane = page.locator("#inspector-pane");
      await page.waitForFunction(() => [...document.querySelectorAll("#inspector-pane .index")].map(({ value }) => value).join() === "1,2");
      await pane.getByRole("tree").getByText("12").first().waitFor();
      await pane.getByRole("spinbutton", { name: "Iteration of Lines" }).fill("1");
      const attempts = pane.getByRole("group", { name: "Attempt" });
      await attempts.getByRole("button", { name: "Attempt 1" }).click();
      await pane.getByRole("radio", { name: /^Retry/ }).waitFor();
      await attempts.getByRole("button", { name: "2" }).click();
      await pane.getByRole("radio", { name: /^Catch/ }).waitFor();
      await pane.getByRole("radio", { name: /^Input/ }).click();
      await pane.getByRole("tree").getByText("13").first().waitFor();
      // The first order has lines of its own.
      await outer.getByRole("spinbutton", { name: "Iteration of Orders" }).fill("0");
      await page.waitForFunction(() =>
        /of 2/.test(document.querySelector('#inspector-pane [aria-label="Iterations of Lines"]')?.innerText ?? ""),
      );
    },
  );

  visit("of two concurrent Map Runs of one Distributed Map are kept apart", { reusePage: true }, async (visitor, page) => {
    const definition = {
      StartAt: "Shops",
      States: {
        Shops: {
          Type: "Map",
          ItemsPath: "$.shops",
          ItemProcessor: {
            StartAt: "Each",
            States: {
              Each: {
                Type: "Map",
                Label: "same",
                ToleratedFailureCount: 9,
                ItemProcessor: {
                  ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" },
                  StartAt: "Rest",
                  States: {
                    Rest: { Type: "Wait", Seconds: 5, Next: "Check" },
                    Check: { Type: "Choice", Choices: [{ Variable: "$", NumericGreaterThan: 20, Next: "Broken" }], Default: "Fine" },
                    Fine: { Type: "Pass", End: true },
                    Broken: { Type: "Fail", Error: "Broken" },
                  },
                },
                End: true,
              },
            },
          },
          End: true,
        },
      },
    };
    await visitor.open({ definition, input: { shops: [[1, 2], [11, 21, 12], [31]] } });
    const EACH = "/States/Shops/ItemProcessor/States/Each";
    await visitor.node(EACH).waitFor();
    await visitor.run();
    await visitor.result();
    const outer = controls(page, "Shops");
    const inner = controls(page, "Each");
    const kinds = () =>
      inner
        .getByRole("group", { name: "Which iterations" })
        .getByRole("button")
        .evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));
    const found = [];
    for (const shop of ["0", "1", "2"]) {
      await outer.getByRole("spinbutton", { name: "Iteration of Shops" }).fill(shop);
      await page.waitForFunction((path) => document.querySelector('[aria-label="Iterations shown"]')?.innerText.includes(`#${path}`), shop);
      found.push(await kinds());
    }
    assert.deepEqual(found, [["Done 2"], ["Failed 1", "Done 2"], ["Failed 1"]]);
    await outer.getByRole("spinbutton", { name: "Iteration of Shops" }).fill("1");
    await inner.getByRole("button", { name: "Failed 1" }).click();
    await eventually(() => inner.getByRole("spinbutton").inputValue(), "1");
    await visitor.node(`${EACH}/ItemProcessor/States/Check`).click();
    const pane = page.locator("#inspector-pane");
    await pane.getByRole("tree").getByText("21").first().waitFor();
    await names(visitor, `${EACH}/ItemProcessor/States/Broken`, /failed/);
  });

  visit("with branches count as waiting only while none of their branches runs", { reusePage: true }, async (visitor, page) => {
    const branch = (name, seconds) => ({
      StartAt: name,
      States: {
        [name]: { Type: "Wait", Seconds: seconds, ...(name === "Short" ? { Next: "Ask" } : { End: true }) },
        ...(name === "Short" && { Ask: { Type: "Task", Resource: `${LAMBDA}ask`, End: true } }),
      },
    });
    const definition = {
      StartAt: "Each",
      States: {
        Each: {
          Type: "Map",
          ItemsPath: "$.items",
          ItemProcessor: {
            StartAt: "Both",
            States: { Both: { Type: "Parallel", Branches: [branch("Short", 5), branch("Long", 60)], End: true } },
          },
          End: true,
        },
      },
    };
    await visitor.open({ definition, input: items(2) });
    await visitor.node("/States/Each").waitFor();
    await page.getByRole("combobox", { name: "Clock" }).selectOption("manual");
    await visitor.run();
    const own = controls(page, "Each");
    // Both branches wait.
    await own.getByRole("button", { name: "Waiting 2" }).waitFor();
    // In each iteration one branch runs; the other still waits, because it was entered later than the task that is retried.
    await page.getByRole("button", { name: "Next timer" }).click();
    await own.getByRole("button", { name: "Running 2" }).waitFor();
    await page.getByRole("button", { name: "Answer", exact: true }).first().click();
    await own.getByRole("button", { name: "Waiting 1" }).waitFor();
    await own.getByRole("button", { name: "Running 1" }).waitFor();
  });
});

describe("breakpoints on the graph", { skip }, () => {
  const { visit } = visits();

  visit(
    "of every kind are drawn at their position: before, after, on a transition, on the strip",
    { reusePage: true },
    async (visitor, page) => {
      const definition = {
        StartAt: "Work",
        States: {
          Work: {
            Type: "Task",
            Resource: `${LAMBDA}work`,
            Retry: [{ ErrorEquals: ["Busy"] }],
            Catch: [{ ErrorEquals: ["Odd"], Next: "Each" }],
            Next: "Each",
          },
          Each: {
            Type: "Map",
            ItemsPath: "$.items",
            ItemProcessor: { StartAt: "In", States: { In: { Type: "Pass", End: true } } },
            Next: "Done",
          },
          Done: { Type: "Succeed" },
        },
      };
      const breakpoints = [
        { kind: "entry", state: "Work", condition: "$.n > 100" },
        { kind: "exit", state: "Work", log: "done" },
        { kind: "error", state: "Work", hit: ">= 7" },
        { kind: "retry", state: "Work" },
        { kind: "catch", state: "Work", enabled: false },
        { kind: "change", state: "Work", path: "$.total" },
        { kind: "transition", from: "Each", to: "Done" },
        { kind: "iteration", state: "Each", indices: "2-3" },
      ];
      await visitor.importText(
        {
          kind: "stepglass/session/1",
          t: "Signs",
          f: "json",
          d: JSON.stringify(definition),
          i: JSON.stringify(items(6)),
          m: { Work: { mode: "echo" } },
          k: "",
          c: "skip",
          s: 1,
          b: breakpoints,
        },
        "Signs",
      );
      await visitor.state("Work").waitFor();
      const box = await visitor.state("Work").locator(".box").boundingBox();
      const drawn = await page
        .locator('g[data-move="/States/Work"] > .marks > .breakpoint')
        .evaluateAll((all) =>
          all.map((one) => [
            one.getAttribute("class"),
            [...(one.querySelector(".sign")?.querySelectorAll("text, path") ?? [])]
              .map((part) => part.dataset.sign ?? part.textContent)
              .join(""),
            one.lastElementChild.getBoundingClientRect().x,
          ]),
        );
      const middle = box.x + box.width / 2;
      assert.deepEqual(
        drawn.map(([form, sign, x]) => `${x < middle ? "left" : "right"} ${form.replace("breakpoint ", "")} ${sign}`.trim()),
        ["left diamond", "left triangle", "right ring", "right diamond cross>=7", "right filled retry", "right hollow caught"],
      );
      await eventually(
        () => visitor.state("Work").getAttribute("aria-label"),
        /conditional breakpoint: before it, if \$\.n > 100.*log point.*on any error.*breakpoint: before a retry.*breakpoint off: when an error is caught/,
      );
      // Clicks the line between the two states.
      const [each, done] = await Promise.all(["Each", "Done"].map((state) => visitor.state(state).locator(".box").boundingBox()));
      const dot = await page.locator(".lines .breakpoint circle").boundingBox();
      assert.ok(dot.y > each.y + each.height && dot.y + dot.height < done.y, "between the boxes");
      await eventually(() => visitor.state("Each").getAttribute("aria-label"), /breakpoint: on the transition from Each to Done/);
      // The breakpoint is on the strip as soon as there are iterations.
      await visitor.run();
      await page.locator(".pause-where", { hasText: "iteration 2 of Each" }).first().waitFor();
      await eventually(() => page.locator("svg.canvas .it-stop").count(), 2);
      await page.keyboard.press("F8");
      await page.locator(".pause-where", { hasText: "iteration 3 of Each" }).first().waitFor();
      await page.keyboard.press("F8");
      await page.locator(".pause-where", { hasText: "from Each to Done" }).first().waitFor();
    },
  );
});
