// The inspector of a state on the page, in Chromium: its data flow, explanations, and the provenance of values.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { skip } from "../browser.mjs";
import { fonts, useFont } from "./boxes.mjs";
import { toYaml } from "./definition.mjs";
import { eventually, until, visits } from "./playground.mjs";

const LAMBDA = "arn:aws:lambda:us-east-1:123456789012:function:";

const PRICE = {
  StartAt: "Take",
  States: {
    Take: { Type: "Pass", Assign: { rate: 2 }, Next: "Price" },
    Price: {
      Type: "Task",
      Resource: `${LAMBDA}price`,
      InputPath: "$.order",
      Parameters: {
        "dear.$": "$.lines[?(@.price > 10)].sku",
        "who.$": "$.customer.name",
        "count.$": "States.ArrayLength($.lines)",
        fixed: true,
      },
      ResultSelector: { "total.$": "$.sum" },
      ResultPath: "$.pricing",
      Next: "Done",
    },
    Done: { Type: "Succeed" },
  },
};
const ORDER = {
  order: {
    lines: [
      { sku: "lens", price: 40 },
      { sku: "cap", price: 4 },
      { sku: "body", price: 90 },
    ],
    customer: { name: "Ada" },
  },
};
const SUM = "export default { price: ({ dear }) => ({ sum: 130, dear }) };";

describe("the inspector", { skip }, () => {
  const { visit } = visits();
  const paused = (page, where) => page.locator(".pause-where", { hasText: where }).first().waitFor();
  const pane = (page) => page.locator("#inspector-pane");
  const lit = (page, tree) =>
    page
      .getByRole("tree", { name: tree })
      .locator(".tree-line.lit")
      .evaluateAll((lines) => lines.map((line) => line.textContent.trim()));
  const ended = async (visitor, given) => {
    await visitor.open(given);
    await visitor.run();
    await visitor.result();
  };

  visit(
    "highlights what an expression reads, and where a value came from, by pointer and by keyboard",
    { reusePage: true },
    async (visitor, page) => {
      await ended(visitor, { definition: PRICE, input: ORDER, tasks: SUM });
      await visitor.state("Price").click();
      await visitor.choose(pane(page).getByRole("radio", { name: /^Parameters/ }));
      const before = "Before: InputPath";
      // A filter: highlights the elements that it selects, and the parts of them that the rest of the path selects.
      await pane(page).getByText("$.lines[?(@.price > 10)].sku", { exact: true }).hover();
      await page.locator(".tree-line.lit").first().waitFor();
      await eventually(() => lit(page, before), ['"sku": "lens", lit', '"sku": "body", lit']);
      // The same by keyboard, for an intrinsic function and a path.
      await pane(page).getByText("States.ArrayLength($.lines)", { exact: true }).focus();
      await page.waitForFunction(() => document.querySelectorAll(".tree-line.lit").length > 8);
      await pane(page).getByText("$.customer.name", { exact: true }).focus();
      await page.waitForFunction(() => document.querySelector(".tree-line.lit")?.textContent.includes("Ada"));
      // A part of the result: it came from the second of the elements that the filter selected.
      await page.getByRole("tree", { name: "afterParameters" }).locator(".added", { hasText: '"body"' }).hover();
      await page.waitForFunction(() => document.querySelector(".tree-line.lit")?.textContent.includes("body"));
      await eventually(() => lit(page, before), ['"sku": "body", lit']);
      await page.getByRole("tree", { name: "afterParameters" }).locator(".added", { hasText: "fixed" }).hover();
      await page.getByText("Written in the definition.").waitFor();
      // From the position of ResultPath to the raw input.
      await visitor.choose(pane(page).getByRole("radio", { name: /^ResultPath/ }));
      const tree = page.getByRole("tree", { name: "afterResultPath" });
      await tree.getByRole("treeitem").first().focus();
      for (let i = 0; i < 20 && !/total/.test(await page.evaluate(() => document.activeElement.textContent)); i++)
        await page.keyboard.press("ArrowDown");
      await page.waitForFunction(() => /130/.test(document.querySelector(".tree-line.lit")?.textContent ?? ""));
      await eventually(() => lit(page, "Before: ResultSelector"), ['"total": 130, lit']);
      await page.keyboard.press("Enter");
      const origin = pane(page).getByRole("list", { name: "Where it came from" });
      await origin.getByText("$.sum ← the task's result in Price").waitFor();
    },
  );

  const outcome = (page) => page.getByRole("region", { name: "Outcome of the run" });

  visit("explains after a failed run what failed and why, and links to it", { reusePage: true }, async (visitor, page) => {
    const Charge = {
      Type: "Task",
      Resource: `${LAMBDA}charge`,
      Retry: [{ ErrorEquals: ["CardDeclined"], IntervalSeconds: 2, MaxAttempts: 2 }],
      Next: "Rest",
    };
    const ItemProcessor = { StartAt: "Charge", States: { Charge, Rest: { Type: "Wait", Seconds: 3, End: true } } };
    const definition = {
      StartAt: "Prepare",
      States: {
        Prepare: { Type: "Wait", Seconds: 90, Next: "Each" },
        Each: { Type: "Map", MaxConcurrency: 1, ItemProcessor, Next: "Done" },
        Done: { Type: "Succeed" },
      },
    };
    await ended(visitor, {
      definition,
      input: [1, 2, 3],
      tasks:
        "export default { charge: (n) => { if (n === 2) throw Object.assign(new Error('insufficient funds'), { name: 'CardDeclined' }); return n; } };",
    });
    await eventually(
      () => outcome(page).innerText(),
      /FAILED[^]*after 1 min 39 s of virtual time, \d+ events[^]*Charge failed in item #1 at attempt 3\.[^]*CardDeclined\s+insufficient funds/,
    );
    // The time per state: a Map's time includes that of the states inside.
    await eventually(
      () => outcome(page).innerText(),
      /Slowest states\s+Prepare\s+1 min 30 s\s+Charge\s+6\.0 s in 2 visits: p50 0 ms, p95 6\.0 s, p99 6\.0 s, the longest 6\.0 s\s+Rest\s+3\.0 s\s+Critical path\s+Prepare\s+1 min 30 s, 94 %\s+Charge\s+6\.0 s, 6 %\s+2 retries\s+Charge\s+2 retries/,
    );
    await eventually(() => outcome(page).innerText(), /4 of 5 states entered in this run/);
    await outcome(page).getByRole("button", { name: "Copy as test" }).click();
    await until(async () => assert.match(await page.evaluate(() => navigator.clipboard.readText()), /failedWith\("CardDeclined"\)/));
    await outcome(page).getByRole("button", { name: "Look at Charge" }).click();
    await pane(page).getByRole("heading", { name: "Charge" }).waitFor();
    await outcome(page).waitFor({ state: "detached" });
    await visitor.state("Prepare").click();
    await page.keyboard.press("Escape");
    await page.locator(".canvas").click({ position: { x: 5, y: 5 } });
    await outcome(page)
      .getByRole("button", { name: /^Go to event \d+$/ })
      .click();
    await pane(page).getByRole("heading", { name: "LambdaFunctionFailed" }).waitFor();
    await pane(page).getByRole("button", { name: "Close the event" }).click();
    await page.locator(".canvas").click({ position: { x: 5, y: 5 } });
    await outcome(page).getByRole("button", { name: "Mock this task" }).click();
    await page.getByRole("tab", { name: /^Mocks/, selected: true }).waitFor();
    await page.locator(".canvas").click({ position: { x: 5, y: 5 } });
    await outcome(page).getByRole("button", { name: "Fork from Charge" }).click();
    await paused(page, "Charge");
    await visitor.tab("Runs");
    await page.getByRole("tree", { name: "Runs" }).getByText(/^2/).first().waitFor();
  });

  visit("summarizes a successful run, and says why a run was not started", { reusePage: true }, async (visitor, page) => {
    await ended(visitor, { definition: PRICE, input: ORDER, tasks: SUM });
    await eventually(
      () => outcome(page).innerText(),
      /SUCCEEDED\s+after 0 ms of virtual time, \d+ events[^]*Coverage\s+3 of 3 states entered in this run/,
    );
    await eventually(() => outcome(page).locator('pre[aria-label="Output"]').innerText(), /"total": 130/);
    assert.equal(await outcome(page).getByText("Slowest states").count(), 0, "nothing took any time");
    // The states of child executions count. The two events with which a Distributed Map starts are one attempt.
    const ItemProcessor = {
      ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" },
      StartAt: "Inner",
      States: { Inner: { Type: "Pass", End: true } },
    };
    const distributed = { StartAt: "Each", States: { Each: { Type: "Map", ItemProcessor, End: true } } };
    await ended(visitor, { definition: distributed, input: [1, 2] });
    await eventually(() => outcome(page).innerText(), /SUCCEEDED[^]*Coverage\s+2 of 2 states entered in this run/);
    assert.doesNotMatch(await outcome(page).innerText(), /retr/);
    await visitor.tab("Input");
    await visitor.write("Input", "{");
    await visitor.run();
    // Why a run did not start is said once, in its result, with the way to the text.
    await eventually(() => page.locator(".result").innerText(), /Not started\s+The input is not JSON/);
    await eventually(() => outcome(page).count(), 0);
    await eventually(() => page.getByText("Not started", { exact: true }).count(), 2);
    await visitor.tab("Definition");
    await page.getByRole("button", { name: "Show the input" }).click();
    await page.getByRole("tab", { name: /^Input/, selected: true }).waitFor();
  });

  visit("shows the Output stage beside its input", { reusePage: true }, async (visitor, page) => {
    await ended(visitor, { definition: PRICE, input: ORDER, tasks: SUM });
    await visitor.state("Price").click();
    const lines = (tree, selector = ".tree-line") => page.getByRole("tree", { name: tree }).locator(selector).allInnerTexts();
    for (const stage of [/^ResultPath/, /^Output/]) {
      await visitor.choose(pane(page).getByRole("radio", { name: stage }));
      // The input has no price yet; the price is marked as added.
      const after = stage.test("Output") ? "output" : "afterResultPath";
      await until(async () => assert.ok((await lines(after, ".added")).some((line) => line.includes('"total": 130'))));
      assert.ok((await lines("Before: State input")).every((line) => !line.includes("total")));
      assert.ok((await lines(after, ".added")).every((line) => !line.includes("sku")));
    }
    await pane(page)
      .getByText("OutputPath is not set, so this stage changes nothing. The state's input is compared with its output.")
      .waitFor();
  });

  visit(
    "sets breakpoints before and after a stage on its chip, and shows the state of the stage",
    { reusePage: true },
    async (visitor, page) => {
      await ended(visitor, { definition: PRICE, input: ORDER, tasks: SUM });
      await visitor.state("Price").click();
      const chip = (name) => pane(page).getByRole("radio", { name });
      await chip(/^ResultSelector changed, 13 B$/).focus();
      await page.keyboard.press("Enter");
      await chip(/^ResultSelector .*breakpoint after it/).waitFor();
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("Shift+Enter");
      await chip(/^Output .*breakpoint before it/).waitFor();
      await page.keyboard.press("Home");
      await page.keyboard.press("Enter");
      await visitor.run();
      await paused(page, "before Price");
      const state = pane(page).locator(".state-chip");
      await eventually(() => state.innerText(), /paused before it/);
      await eventually(() => visitor.state("Price").getAttribute("aria-label"), /paused before it/);
      // A stage that is still to come is listed, and can have a breakpoint.
      await chip(/^Output .*not reached.*breakpoint before it/).waitFor();
      await page.keyboard.press("F8");
      await paused(page, "after afterResultSelector of Price");
      await eventually(() => state.innerText(), /paused after ResultSelector/);
      await page.keyboard.press("F8");
      await paused(page, "before output of Price");
      await chip(/^ResultSelector .*breakpoint after it/).focus();
      await page.keyboard.press("Enter");
      await chip(/^ResultSelector changed, 13 B$/).waitFor();
      await page.keyboard.press("Shift+F8");
      await visitor.result();
    },
  );

  visit(
    "shows the stages and the values before and after together while paused, also on a phone, with room for touch",
    { reusePage: true },
    async (visitor, page) => {
      await visitor.open({ definition: PRICE, input: ORDER, tasks: SUM });
      await visitor.state("Price").click();
      await page.keyboard.press("F9");
      await visitor.run();
      await paused(page, "before Price");
      await page.keyboard.press("F11");
      await paused(page, "after InputPath of Price");
      await page.keyboard.press("Control+F11");
      await paused(page, "after Parameters of Price");
      const seen = async (locator) => {
        await locator.waitFor();
        return locator.evaluate((element) => {
          const box = element.getBoundingClientRect();
          const [top, bottom] = [
            document.elementFromPoint(box.left + 20, box.top + 3),
            document.elementFromPoint(box.left + 20, box.top + Math.min(box.height, 80) - 3),
          ];
          return element.contains(top) && element.contains(bottom);
        });
      };
      const allSeen = async (where) => {
        for (const part of [
          page.getByRole("radiogroup", { name: "Stages" }),
          page.getByRole("tree", { name: "Before: InputPath" }),
          page.getByRole("tree", { name: "afterParameters" }),
        ])
          await until(async () => assert.ok(await seen(part), `${where}: ${part}`));
      };
      await allSeen("1440 × 900");
      await page.setViewportSize({ width: 390, height: 844 });
      await page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name: "Inspect" }).click();
      await allSeen("a phone");
      // The controls wrap earlier in one font than in another.
      for (const font of fonts) {
        await useFont(page, font);
        await eventually(() => visitor.violations(["target-size"]), [], font);
      }
    },
  );

  for (const yaml of [false, true]) {
    visit(
      `tries an expression on the stage's input and puts it into the definition: ${yaml ? "YAML" : "JSON"}`,
      { reusePage: true },
      async (visitor, page) => {
        await visitor.open({ definition: PRICE, input: ORDER, tasks: SUM });
        if (yaml) {
          await toYaml(page);
          const text =
            "# Prices\nStartAt: Price\nStates:\n  Price:\n    Type: Pass # quick\n    Parameters:\n      count.$: States.ArrayLength($.order.lines)\n      who.$: $.order.customer.name # the buyer\n    End: true\n";
          await visitor.write("Definition", text);
        }
        await visitor.run();
        await visitor.result();
        await visitor.state("Price").click();
        await visitor.choose(pane(page).getByRole("radio", { name: /^Parameters/ }));
        await pane(page).getByRole("button", { name: "Try an expression" }).click();
        await pane(page).getByLabel("Field to try").selectOption({ label: "Parameters['who.$']" });
        const expression = pane(page).getByRole("textbox", { name: "Expression" });
        const whole = yaml ? "$.order." : "$.";
        await eventually(() => expression.inputValue(), `${whole}customer.name`);
        await expression.fill(`States.Format('{}!', ${whole}customer.name)`);
        await pane(page).locator(".scratch pre:text-is('\"Ada!\"')").waitFor();
        const definition = () => visitor.editor("Definition").innerText();
        await visitor.tab("Definition");
        const before = await definition();
        await pane(page).getByRole("button", { name: "Put into definition" }).click();
        await pane(page).getByText("The expression is in the definition").waitFor();
        await eventually(
          definition,
          before.replace(
            yaml ? "who.$: $.order.customer.name" : '"who.$": "$.customer.name"',
            yaml ? "who.$: States.Format('{}!', $.order.customer.name)" : '"who.$": "States.Format(\'{}!\', $.customer.name)"',
          ),
        );
        await visitor.editor("Definition").click();
        await page.keyboard.press("ControlOrMeta+z");
        await eventually(() => definition(), before, "one step of undo");
      },
    );
  }

  visit(
    "shows a Map's items, ItemSelector and batches as stages, with difference, expression, size and breakpoints",
    { reusePage: true },
    async (visitor, page) => {
      const ItemProcessor = {
        ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" },
        StartAt: "Send",
        States: { Send: { Type: "Pass", Parameters: { "first.$": "$.Items[0].sku" }, End: true } },
      };
      const definition = {
        StartAt: "Each",
        States: {
          Each: {
            Type: "Map",
            ItemsPath: "$.rows",
            ItemSelector: { "sku.$": "$$.Map.Item.Value.id", "shop.$": "$.shop" },
            ItemBatcher: { MaxItemsPerBatch: 2, BatchInput: { "shop.$": "$.shop" } },
            MaxConcurrency: 1,
            ItemProcessor,
            End: true,
          },
        },
      };
      await visitor.open({ definition, input: { shop: "north", rows: [{ id: "a" }, { id: "b" }, { id: "c" }] } });
      await visitor.state("Each").click({ position: { x: 60, y: 20 } });
      await visitor.run();
      await visitor.result();
      const chip = (name) => pane(page).getByRole("radio", { name });
      await chip(/^ItemsPath .*changed/).waitFor();
      await chip(/^ItemSelector .*changed, \d+ B/).click();
      const tree = (name) => page.getByRole("tree", { name }).innerText();
      const item = pane(page).getByRole("group", { name: "Item", exact: true });
      await item.getByText("#2 of 3").waitFor();
      await eventually(() => tree("afterItemSelector"), /"sku": "c"/);
      await item.getByRole("button", { name: "Previous item" }).click();
      await item.getByText("#1 of 3").waitFor();
      await eventually(() => tree("afterItemSelector"), /"sku": "b"/);
      // Its expression reads exactly this item.
      await pane(page).getByText("$$.Map.Item.Value.id", { exact: true }).waitFor();
      await chip(/^ItemBatcher/).click();
      await eventually(() => tree("afterItemBatcher"), /BatchInput[^]*north[^]*"sku": "c"/);
      await pane(page).getByRole("group", { name: "Batch" }).getByRole("button", { name: "Previous batch" }).click();
      await eventually(() => tree("afterItemBatcher"), /"sku": "a"[^]*"sku": "b"/);
      // States in child executions have every stage.
      await visitor.node("/States/Each/ItemProcessor/States/Send").click();
      await chip(/^Parameters/).click();
      await eventually(() => tree("afterParameters"), /"first": "c"/);
      await pane(page).getByRole("button", { name: "Previous iteration" }).click();
      await pane(page)
        .getByText("Visit 1 of 1")
        .or(pane(page).locator(".it-children [aria-current=true]", { hasText: "#0" }))
        .first()
        .waitFor();
      await chip(/^Parameters/).click();
      await eventually(() => tree("afterParameters"), /"first": "a"/);
      await pane(page).getByText("$.Items[0].sku", { exact: true }).waitFor();
      // A breakpoint on the stage stops for every item.
      await visitor.state("Each").click({ position: { x: 60, y: 20 } });
      await chip(/^ItemSelector/).focus();
      await page.keyboard.press("Enter");
      await visitor.run();
      await paused(page, "after afterItemSelector of Each, item 0");
      await page.keyboard.press("F8");
      await paused(page, "after afterItemSelector of Each, item 1");
      await eventually(() => tree("afterItemSelector"), /"sku": "b"/);
      await chip(/^ItemBatcher.*not reached/).waitFor();
      await page.keyboard.press("Shift+F8");
      await visitor.result();
    },
  );

  visit(
    "shows Items of a JSONata Map as a stage, and traces the provenance of each item through it",
    { reusePage: true },
    async (visitor, page) => {
      const definition = {
        QueryLanguage: "JSONata",
        StartAt: "Each",
        States: {
          Each: {
            Type: "Map",
            Items: "{% $states.input.rows[price > 10] %}",
            ItemSelector: { sku: "{% $states.context.Map.Item.Value.id %}" },
            ItemProcessor: { StartAt: "In", States: { In: { Type: "Pass", End: true } } },
            End: true,
          },
        },
      };
      await ended(visitor, {
        definition,
        input: {
          rows: [
            { id: "a", price: 40 },
            { id: "b", price: 4 },
            { id: "c", price: 90 },
          ],
        },
      });
      await visitor.state("Each").click({ position: { x: 60, y: 20 } });
      await pane(page)
        .getByRole("radio", { name: /^Items .*changed/ })
        .click();
      await eventually(() => page.getByRole("tree", { name: "afterItems" }).innerText(), /"a"[^]*"c"/);
      await pane(page).getByText("$states.input.rows[price > 10]", { exact: false }).first().waitFor();
      await pane(page)
        .getByRole("radio", { name: /^ItemSelector/ })
        .click();
      await pane(page).getByRole("group", { name: "Item", exact: true }).getByText("#1 of 2").waitFor();
      await eventually(() => page.getByRole("tree", { name: "afterItemSelector" }).innerText(), /"c"/);
      await pane(page).getByRole("button", { name: "Try an expression" }).click();
      await eventually(() => pane(page).locator(".scratch").innerText(), /"c"/);
    },
  );

  visit(
    "explains an error: the part of the expression, its operands, and the handler that catches it",
    { reusePage: true },
    async (visitor, page) => {
      const task = (more) => ({ Type: "Task", Resource: `${LAMBDA}price`, ...more });
      const open = async (State, more = {}) => {
        await ended(visitor, {
          definition: { StartAt: "Price", States: { Price: State, ...more } },
          input: ORDER,
          tasks: "export default { price: () => { throw new TaskError('Broken', 'no use'); } };",
        });
        await visitor.state("Price").click();
        await visitor.choose(pane(page).getByRole("radio", { name: /^Error/ }));
        return pane(page).getByRole("group", { name: "Error" });
      };
      const runtime = await open({ Type: "Pass", Parameters: { "x.$": "States.Format('{}', $.order.buyer.name)" }, End: true });
      await eventually(() => runtime.locator(".underlined u").innerText(), ".buyer.name");
      await eventually(
        () => runtime.innerText(),
        /States\.Runtime[\s\S]*Parameters\.x\.\$[\s\S]*\$\.order is an object with lines, customer: it has no buyer\.[\s\S]*Nothing can catch this[\s\S]*States\.Runtime cannot be caught[\s\S]*Data at that point\s+Input after InputPath/,
      );
      await eventually(() => runtime.getByRole("button", { name: "Add a Catch" }).count(), 0);
      const jsonata = await open({
        Type: "Pass",
        QueryLanguage: "JSONata",
        Output: { total: "{% $states.input.order.lines.price[0] + $states.input.order.customer %}" },
        End: true,
      });
      await eventually(() => jsonata.innerText(), /Output\.total[\s\S]*A Pass state has no Catch/);
      await eventually(() => jsonata.locator(".underlined u").count(), 1);
      const caught = await open(
        task({
          Catch: [
            { ErrorEquals: ["Other"], Next: "Notify" },
            { ErrorEquals: ["States.ALL"], Next: "Notify" },
          ],
          End: true,
        }),
        { Notify: { Type: "Pass", End: true } },
      );
      await eventually(() => caught.innerText(), /Broken[\s\S]*no use[\s\S]*Caught by catcher 2 → Notify/);
      // It is shown on the node, too.
      await page.mouse.move(5, 5);
      await visitor.state("Price").hover();
      await page.locator(".card .node-failure", { hasText: "Caught by catcher 2 → Notify" }).waitFor();
      const open_ = await open(task({ End: true }));
      await eventually(() => open_.innerText(), /Nothing caught this error\. Add a Catch/);
      await open_.getByRole("button", { name: "Add a Catch" }).click();
      await open_.getByText("Added a catcher to Price").waitFor();
      await visitor.state("Handle error").waitFor();
      await visitor.run();
      await page.locator('[data-node="/States/Handle error"][aria-label*="succeeded"]').waitFor();
    },
  );

  visit(
    "shows retriers with back-off and jitter, rules with their operands, and variables by scope",
    { reusePage: true },
    async (visitor, page) => {
      const definition = {
        StartAt: "First",
        QueryLanguage: "JSONata",
        States: {
          First: { Type: "Pass", Assign: { total: 1, seen: "no" }, Next: "Second" },
          Second: { Type: "Pass", Assign: { total: "{% $total + 4 %}" }, Next: "Try" },
          Try: {
            Type: "Task",
            Resource: `${LAMBDA}try`,
            Arguments: {},
            Retry: [
              { ErrorEquals: ["Other"] },
              { ErrorEquals: ["Busy"], IntervalSeconds: 2, MaxAttempts: 3, JitterStrategy: "FULL" },
              { ErrorEquals: ["States.ALL"] },
            ],
            Catch: [{ ErrorEquals: ["States.ALL"], Next: "Which" }],
            Next: "Which",
          },
          Which: {
            Type: "Choice",
            Choices: [
              { Condition: "{% $total > 9 %}", Next: "Done" },
              { Condition: "{% $exists($states.input.nothing) or $total = 5 %}", Next: "Done" },
              { Condition: "{% true %}", Next: "Done" },
            ],
            Default: "Done",
          },
          Done: { Type: "Succeed" },
        },
      };
      await visitor.open({
        definition,
        tasks: "export default { try: (_, { attempt }) => { if (attempt < 2) throw new TaskError('Busy', ''); return 7; } };",
      });
      await visitor.state("Try").click();
      await page.keyboard.press("F9");
      await visitor.run();
      await paused(page, "before Try");
      const variables = pane(page).getByRole("region", { name: "Variables" });
      await variables.getByRole("rowheader", { name: "$total" }).waitFor();
      await eventually(
        async () => (await variables.innerText()).replace(/\s+/g, " "),
        /\$seen "no" by First at 00:00:00 \$total 1 5 by Second at 00:00:00 changed/,
      );
      await page.keyboard.press("Shift+F8");
      await visitor.result();
      await visitor.choose(pane(page).getByRole("group", { name: "Attempt" }).getByRole("button", { name: "2" }));
      await visitor.choose(pane(page).getByRole("radio", { name: /^Retry/ }));
      const table = pane(page).getByRole("table", { name: "Retriers and catchers" });
      const told = async () => (await table.getByRole("row").allInnerTexts()).map((row) => row.replace(/\s+/g, " ")).join("\n");
      await eventually(told, /Retry 1 Other 0 of 3 does not match Busy/);
      await eventually(
        told,
        /Retry 2 Busy 2 of 3 retry 2 back-off 4\.0 s \(2 × 2¹\), FULL jitter → [\d.]+ m?s next: back-off 8\.0 s \(2 × 2²\), FULL jitter/,
      );
      await eventually(told, /Retry 3 States\.ALL 0 of 3 an earlier retrier matches/);
      await eventually(told, /Catch 1 States\.ALL not evaluated: the error is retried/);
      await visitor.state("Which").click();
      await visitor.choose(pane(page).getByRole("radio", { name: /^Rules/ }));
      const rules = pane(page).getByRole("table", { name: "Choice rules" });
      await rules.getByText("there is no value").waitFor();
      await until(async () => {
        const [, one, two, three] = (await rules.getByRole("row").allInnerTexts()).map((row) => row.replace(/\s+/g, " "));
        assert.match(one, /\$total is 5 does not hold/);
        assert.match(two, /\$states\.input\.nothing there is no value \$total is 5 taken/);
        assert.match(three, /not evaluated/);
      });
    },
  );

  visit("lists the available names if the variable of a rule is missing", { reusePage: true }, async (visitor, page) => {
    await ended(visitor, {
      definition: {
        StartAt: "Which",
        States: {
          Which: { Type: "Choice", Choices: [{ Variable: "$.order.customer.age", NumericGreaterThan: 17, Next: "Done" }], Default: "Done" },
          Done: { Type: "Succeed" },
        },
      },
      input: ORDER,
    });
    await visitor.state("Which").click();
    await visitor.choose(pane(page).getByRole("radio", { name: /^Rules/ }));
    const rules = pane(page).getByRole("table", { name: "Choice rules" });
    await rules.getByText("$.order.customer is an object with name: it has no age.").waitFor();
    await eventually(() => rules.innerText(), /has no value/);
  });

  visit("searches values, shortens long ones, and copies them with their paths", { reusePage: true }, async (visitor, page) => {
    const rows = Array.from({ length: 3000 }, (_, n) => ({ id: n, name: n % 1000 === 7 ? "Needle" : "straw" }));
    await ended(visitor, {
      definition: { StartAt: "P", States: { P: { Type: "Pass", Parameters: { "rows.$": "$.rows", more: { "a b": 1 } }, End: true } } },
      input: { rows },
    });
    await visitor.state("P").click();
    await visitor.choose(pane(page).getByRole("radio", { name: /^Parameters/ }));
    const after = page.getByRole("tree", { name: "afterParameters" });
    await pane(page).getByText("Only the first 64 KiB are shown.").first().waitFor();
    const search = pane(page).getByRole("searchbox", { name: "Search in these values" });
    await search.fill("needle");
    await pane(page).getByText("1 of 6").waitFor();
    await search.press("Enter");
    await pane(page).getByText("2 of 6").waitFor();
    await search.press("Shift+Enter");
    await search.press("Shift+Enter");
    await pane(page).getByText("6 of 6").waitFor();
    await eventually(() => after.locator(".tree-line.current").textContent(), /Needle/);
    await until(async () =>
      assert.ok(
        await after
          .locator(".tree-line.current")
          .evaluate((line) => line.getBoundingClientRect().bottom <= line.parentElement.getBoundingClientRect().bottom + 1),
        "it is scrolled into view",
      ),
    );
    await pane(page).getByRole("button", { name: "Next match" }).click();
    await pane(page).getByText("1 of 6").waitFor();
    await search.fill("");
    await pane(page)
      .getByRole("button", { name: /^Show all \d+ KiB/ })
      .first()
      .click();
    await pane(page).getByText("Only the first 64 KiB are shown.").first().waitFor({ state: "detached" });
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await after.getByRole("treeitem").first().waitFor();
    await search.fill("a b");
    await after.locator(".tree-line.current", { hasText: '"a b"' }).click();
    await pane(page).getByRole("button", { name: "Copy path" }).click();
    await eventually(() => copied(), "$.more['a b']");
    await pane(page).getByRole("button", { name: "Copy as JSONata" }).click();
    await eventually(() => copied(), "$states.input.more.`a b`");
    await pane(page).getByRole("button", { name: "Copy value", exact: true }).click();
    await eventually(() => copied(), "1");
    // The same works in every other value of the page.
    await visitor.tab("Result");
    await page.getByRole("button", { name: "Search in Output" }).click();
    await page.getByRole("searchbox", { name: "Search in Output" }).fill("needle");
    await page.locator(".result").getByText("1 of 3").waitFor();
    await page.locator(".result .tree-line.current").click();
    await page.locator(".result").getByRole("button", { name: "Copy JSONata path" }).click();
    await eventually(() => copied(), "$.rows[7].name");
    await page.locator(".result").getByRole("button", { name: "Text", exact: true }).click();
    await page.getByRole("searchbox", { name: "Search in Output" }).press("Enter");
    await page.locator(".result").getByText("2 of 3").waitFor();
    await eventually(() => page.locator(".result mark.current").innerText(), "Needle");
  });

  visit("warns of a payload near the limit, at the value and on the node", { reusePage: true }, async (visitor, page) => {
    await ended(visitor, {
      definition: { StartAt: "P", States: { P: { Type: "Pass", Next: "Q" }, Q: { Type: "Pass", OutputPath: "$.small", End: true } } },
      input: { small: 1, text: "x".repeat(220_000) },
    });
    await visitor.state("P").click();
    await pane(page)
      .getByText(/^215 KiB of 256 KiB: 83 % of the limit$/)
      .waitFor();
    await eventually(() => visitor.state("P").getAttribute("aria-label"), /payload of 215 KiB/);
    await page
      .locator('[data-move="/States/P"] .corner', { hasText: "84 %" })
      .or(page.locator('[data-move="/States/P"] .corner', { hasText: "83 %" }))
      .waitFor();
    await visitor.state("Q").click();
    await visitor.choose(pane(page).getByRole("radio", { name: /^Output/ }));
    await pane(page)
      .getByText(/^1 B of 256 KiB$/)
      .waitFor();
  });

  visit("creates breakpoints of every kind in their pane, and stops there", { reusePage: true }, async (visitor, page) => {
    const definition = {
      StartAt: "Begin",
      States: {
        Begin: { Type: "Pass", Assign: { total: 1 }, Next: "Work" },
        Work: {
          Type: "Task",
          Resource: `${LAMBDA}work`,
          Retry: [{ ErrorEquals: ["Other"] }, { ErrorEquals: ["Busy"], IntervalSeconds: 2 }],
          Catch: [
            { ErrorEquals: ["Odd"], Next: "Done" },
            { ErrorEquals: ["States.ALL"], ResultPath: "$.error", Next: "Each" },
          ],
          Next: "Each",
        },
        Each: {
          Type: "Map",
          ItemsPath: "$.items",
          MaxConcurrency: 1,
          ItemProcessor: { StartAt: "In", States: { In: { Type: "Pass", End: true } } },
          ResultPath: "$.done",
          Next: "After",
        },
        After: { Type: "Pass", Assign: { total: 2 }, Next: "Done" },
        Done: { Type: "Succeed" },
      },
    };
    const tasks =
      "export default { work: (_, { attempt }) => { throw attempt === 0 ? new TaskError('Busy', '') : new TaskError('Broken', ''); } };";
    await visitor.open({ definition, tasks, input: { items: [{ n: 0 }, { n: 1 }, { n: 2 }, { n: 3 }] } });
    await visitor.tab("Breakpoints");
    const list = page.locator(".breakpoints");
    const form = page.locator(".breakpoint-form");
    const stops = async (fields, where) => {
      await visitor.tab("Breakpoints");
      if (await list.getByRole("button", { name: "Remove all" }).count()) await list.getByRole("button", { name: "Remove all" }).click();
      await list.getByRole("button", { name: "Add" }).click();
      for (const [label, value] of Object.entries(fields)) {
        const select = ["Stops", "State", "Stage", "When", "From", "To", "Language"].includes(label);
        const field = form.getByRole(value === true ? "checkbox" : select ? "combobox" : "textbox", { name: label, exact: true });
        if (value === true) await field.check();
        else if (select) await field.selectOption(value);
        else {
          await field.fill(value);
          await field.press("Tab");
        }
      }
      await visitor.run();
      if (where === null) return visitor.result();
      await paused(page, where);
      await page.keyboard.press("Shift+F8");
      await visitor.result();
    };
    await stops({ Stops: "entry", State: "Work" }, "before Work");
    await stops({ Stops: "exit", State: "Work" }, "after Work");
    await stops({ Stops: "stage", State: "Each", Stage: "afterItemsPath" }, "after afterItemsPath of Each");
    await stops({ Stops: "stage", State: "Each", Stage: "output", When: "before" }, "before output of Each");
    await stops({ Stops: "error", State: "" }, "Busy in Work");
    await stops({ Stops: "error", State: "Work", "Error names": "Odd, Broken" }, "Broken in Work");
    await stops({ Stops: "error", State: "", "Uncaught only": true }, null);
    await stops({ Stops: "retry", State: "" }, "before Work is retried, by retrier 2");
    await stops({ Stops: "catch", State: "Work" }, "the error of Work is caught, by catcher 2");
    await stops({ Stops: "transition", From: "Work", To: "Each" }, "from Work to Each");
    await stops({ Stops: "iteration", State: "Each", Iterations: "2-3" }, "iteration 2 of Each");
    await stops(
      { Stops: "iteration", State: "Each", Iterations: "0, 3", When: "end", Condition: "$[3].n = 3", "Hit count": "2" },
      "iteration 3 of Each",
    );
    await stops({ Stops: "change", State: "", "Variable or path": "$total" }, "$total changed in Begin");
    await stops({ Stops: "change", State: "After", "Variable or path": "$total" }, "$total changed in After");
    await stops({ Stops: "change", State: "", "Variable or path": "$.error.Error" }, "$.error.Error changed in Work");
    await stops({ Stops: "entry", State: "In", Condition: "$iteration = 2" }, "before In · item #2");
    await stops({ Stops: "entry", State: "In", Language: "jsonpath", Condition: "$.n > 2" }, "before In · item #3");
    await stops({ Stops: "entry", State: "In", Condition: "$.n +" }, "the condition of a breakpoint cannot be evaluated");
    await stops({ Stops: "entry", State: "In", "Hit count": "3" }, "before In · item #2");
    await stops({ Stops: "entry", State: "In", "Hit count": ">= 2" }, "before In · item #1");
    await stops({ Stops: "entry", State: "In", "Hit count": "% 4" }, "before In · item #3");
    await stops({ Stops: "exit", State: "In", "Log instead of stopping": "n is {% $.n %}" }, null);
    await visitor.tab("Console");
    await eventually(() => page.locator(".console").innerText(), /n is 0\s[^]*n is 1\s[^]*n is 2\s[^]*n is 3/);
    // And uncaught errors, in whatever state.
    await visitor.tab("Breakpoints");
    await list.getByRole("button", { name: "Remove all" }).click();
    await list.getByLabel("Stop on errors").selectOption("all");
    await visitor.run();
    await paused(page, "Busy in Work, will be retried");
    await page.keyboard.press("F8");
    await paused(page, "Broken in Work, will be caught");
  });

  // Editing is loaded with the first action on the page, and the form after that. However late they arrive, the data is not
  // redrawn.
  const held = [];
  const late = { before: (page) => page.route("**/assets/inspect-*.js", (route) => void held.push(() => route.continue())) };
  visit("keeps the focus in a field while the form is being loaded", late, async (visitor, page) => {
    await ended(visitor, {
      definition: {
        StartAt: "Each",
        States: {
          Each: { Type: "Map", ItemProcessor: { StartAt: "One", States: { One: { Type: "Pass", End: true } } }, End: true },
        },
      },
      input: "[1, 2, 3]",
    });
    await visitor.node("/States/Each/ItemProcessor/States/One").click();
    const field = pane(page).getByRole("spinbutton", { name: "Iteration of Each" });
    await field.focus();
    assert.equal(await page.getByRole("tab", { name: "Form" }).count(), 0);
    for (const go of held.splice(0)) go();
    await page.getByRole("tab", { name: "Form" }).waitFor();
    await field.press("ControlOrMeta+a");
    await page.keyboard.type("1");
    await eventually(() => field.inputValue(), "1");
    await eventually(() => field.getAttribute("title"), "#1, done");
    // When a field is focused by the user, its content is replaced by typing.
    await pane(page)
      .getByRole("button", { name: "Next iteration" })
      .evaluate((button) => {
        button.closest("[role=group]").querySelector("input").blur();
        button.closest("[role=group]").querySelector("input").focus();
        button.click();
      });
    await eventually(() => field.inputValue(), "2");
    await page.keyboard.type("0");
    await eventually(() => field.inputValue(), "0");
    await eventually(() => field.getAttribute("title"), "#0, done");
    // An index without an iteration is marked invalid, and is reset when the field loses the focus.
    await field.fill("21");
    await eventually(() => field.getAttribute("aria-invalid"), "true");
    assert.equal(await field.getAttribute("title"), "There is no iteration #21");
    await field.press("Tab");
    await eventually(() => field.inputValue(), "0");
    assert.equal(await field.getAttribute("aria-invalid"), "false");
  });
});
