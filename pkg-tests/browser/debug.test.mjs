// The debugger on the page, in Chromium.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { skip } from "../browser.mjs";
import { INPUT, charges } from "../charges.mjs";
import { eventually, until, visits } from "./playground.mjs";

const EACH = charges({ Catch: [{ ErrorEquals: ["States.ALL"], Next: "Skip" }] }, { Skip: { Type: "Pass", End: true } });
const CHARGE =
  "export default { charge: ({ n }, task) => { if (n === 2 && task.attempt === 0) { const e = new Error('try again'); e.name = 'Busy'; throw e; } return { ok: true, n }; } };";
const CHARGE_STATE = "/States/Each/ItemProcessor/States/Charge";

describe("the debugger", { skip }, () => {
  const { site, visit } = visits();

  const paused = async (page, where) => {
    await page.locator(".pause-where", { hasText: where }).first().waitFor();
  };
  const inspector = (page) => page.locator("#inspector-pane");

  visit("stops on a breakpoint in a Map iteration that was set in the margin", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: EACH, input: INPUT, tasks: CHARGE });
    await visitor.node(CHARGE_STATE).waitFor();
    // The margin beside the line with the state's name. The state's buttons appear above the line and move it down.
    await page.locator('.sg-lenses [title*="Charge"]').first().waitFor();
    const name = page.locator(".cm-line", { hasText: '"Charge": {' });
    await name.scrollIntoViewIfNeeded();
    const line = await name.boundingBox();
    const margin = await page.locator(".sg-breaks").boundingBox();
    await page.mouse.click(margin.x + 6, line.y + 8);
    await page.locator(".sg-break-plain").waitFor();
    await eventually(() => visitor.node(CHARGE_STATE).getAttribute("aria-label"), /breakpoint/);
    await visitor.run();
    await paused(page, "before Charge · item #0");
    await eventually(() => visitor.node(CHARGE_STATE).getAttribute("aria-label"), /paused before it/);
    const stack = page.getByRole("navigation", { name: "Call stack" });
    await stack.waitFor();
    await eventually(async () => (await stack.innerText()).replace(/\s+/g, " "), /^Execution.*Each \(Map\).*item #0.*Charge$/);
    const variables = page.getByRole("region", { name: "Variables" });
    await variables.getByRole("rowheader", { name: "$limit" }).waitFor();
    await eventually(() => variables.innerText(), /\$limit\s+5 by Prepare at 00:00:00, outer scope/);
    // Continues to the next iteration, steps over to the next state, and steps out of the iteration.
    await page.keyboard.press("F8");
    await paused(page, "item #1");
    await page.keyboard.press("F10");
    await paused(page, "before Rest · item #1");
    await page.keyboard.press("Shift+F11");
    await page
      .getByRole("option", { name: /MapIterationSucceeded/ })
      .nth(1)
      .waitFor();
    await page.keyboard.press("Shift+F8");
    await eventually(async () => (await visitor.output()).length, 3);
  });

  visit("steps into the data flow stage by stage, and back", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: EACH, input: INPUT, tasks: CHARGE });
    await visitor.state("Enough?").click();
    await page.keyboard.press("F9");
    await visitor.run();
    await paused(page, "before Enough?");
    await page.keyboard.press("F11");
    await page.getByRole("radio", { name: "InputPath", checked: true }).waitFor();
    await page.keyboard.press("Control+F11");
    const rules = page.getByRole("table", { name: "Choice rules" });
    await eventually(
      () => rules.innerText(),
      /\$\[0\]\.n is 1 (?:· )?NumericGreaterThan 5\s[\s\S]*does not hold[\s\S]*taken: no rule holds/,
    );
    const event = await page.getByRole("slider", { name: "Event shown" }).getAttribute("aria-valuetext");
    await page.keyboard.press("Alt+BracketLeft");
    await page.keyboard.press("Alt+BracketLeft");
    await page.waitForFunction((before) => document.querySelector('input[type="range"]').getAttribute("aria-valuetext") !== before, event);
    await page.getByRole("button", { name: "Return to live" }).waitFor();
    await page.keyboard.press("F8");
    await paused(page, "before Enough?");
  });

  visit("sets, shows and removes a breakpoint on a transition", { reusePage: "Order processing" }, async (visitor, page) => {
    await visitor.waitUntilQuiet();
    // Clicks beside the line, because the line is thin. The first run opens the dock, and the graph is fitted again.
    const beside = async () => {
      const [check, stock] = [await visitor.state("CheckStock").boundingBox(), await visitor.state("InStock?").boundingBox()];
      return [check.x + check.width / 2 + 4, (check.y + check.height + stock.y) / 2];
    };
    const [x, y] = await beside();
    await page.mouse.move(x, y - 2);
    await page.mouse.move(x, y);
    await page.locator(".way").waitFor({ state: "attached" });
    await page.mouse.click(x, y);
    const menu = page.getByRole("menu", { name: "From CheckStock to InStock?" });
    await menu.getByRole("menuitemcheckbox", { name: "Breakpoint on this transition", checked: false }).click();
    await menu.waitFor({ state: "detached" });
    await page.locator(".lines .breakpoint").waitFor({ state: "attached" });
    await eventually(
      () => visitor.state("CheckStock").getAttribute("aria-label"),
      /breakpoint: on the transition from CheckStock to InStock\?/,
    );
    await visitor.run();
    await paused(page, "on the transition from CheckStock to InStock?");
    await page.locator(".status-bar", { hasText: "Paused on the transition from CheckStock to InStock? (breakpoint)" }).waitFor();
    // With the target state selected, the key does not change the breakpoint on the transition.
    await visitor.state("InStock?").click();
    await page.keyboard.press("F9");
    await page.keyboard.press("F9");
    await eventually(() => page.locator(".lines .breakpoint").count(), 1);
    await visitor.waitUntilQuiet();
    await page.mouse.click(...(await beside()), { button: "right" });
    await menu.getByRole("menuitemcheckbox", { name: "Breakpoint on this transition", checked: true }).click();
    await page.locator(".lines .breakpoint").waitFor({ state: "detached" });
  });

  visit(
    "offers a state's breakpoints and targets in its menu, by keyboard alone",
    { reusePage: "Order processing" },
    async (visitor, page) => {
      const tick = async (name, checked) => {
        await visitor.state("ChargeCard").focus();
        await page.keyboard.press("Shift+F10");
        const item = page.getByRole("menu", { name: "ChargeCard" }).getByRole("menuitemcheckbox", { name, checked });
        await item.focus();
        await page.keyboard.press("Enter");
        await item.waitFor({ state: "detached" });
      };
      await tick("Stop on the transition to TellCustomer", false);
      await tick("Stop after it", false);
      await tick("Stop on an error", false);
      // Enables the example's own breakpoint again.
      await tick("Stop before a retry", false);
      const name = () => visitor.state("ChargeCard").getAttribute("aria-label");
      for (const what of ["on the transition from ChargeCard to TellCustomer", "after it", "on any error", "before a retry"])
        await until(async () => assert.ok((await name()).includes(`breakpoint: ${what}`), what));
      await tick("Stop on an error", true);
      await until(async () => assert.doesNotMatch(await visitor.state("ChargeCard").getAttribute("aria-label"), /on any error/));
      await visitor.run();
      await paused(page, "before ChargeCard is retried");
    },
  );

  visit("edits conditions, log points and hit counts in the list of breakpoints", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: EACH, input: INPUT, tasks: CHARGE });
    await visitor.node(CHARGE_STATE).click();
    await page.keyboard.press("Shift+F9");
    await page.getByRole("textbox", { name: "Condition" }).fill("$.n = 3 and $iteration = 2");
    await page.getByRole("textbox", { name: "Condition" }).press("Tab");
    await visitor.run();
    await paused(page, "item #2");
    await eventually(() => page.locator(".breakpoints").innerText(), /1 hit/);
    await page
      .getByRole("button", { name: /^Edit|^Done/ })
      .first()
      .waitFor();
    await page.getByRole("textbox", { name: "Condition" }).fill("");
    await page.getByRole("textbox", { name: "Log instead of stopping" }).fill("n is {% $.n %}");
    await page.getByRole("textbox", { name: "Log instead of stopping" }).press("Tab");
    await page.getByRole("button", { name: "Restart" }).click();
    await paused(page, "before the first state");
    await page.keyboard.press("F8");
    await visitor.result();
    await visitor.tab("Console");
    await eventually(() => page.locator(".console").innerText(), /n is 1\s+event \d+ · n is 2\s+event \d+ · n is 3/);
  });

  visit(
    "explains a retry: the attempt, its error, the retrier that matched and why, and where a value came from",
    { reusePage: true },
    async (visitor, page) => {
      await visitor.open({ definition: EACH, input: INPUT, tasks: CHARGE });
      await visitor.run();
      await visitor.result();
      await visitor.node(CHARGE_STATE).click();
      const pane = inspector(page);
      await pane.getByRole("spinbutton", { name: "Iteration of Each" }).fill("1");
      await page.keyboard.press("Tab");
      await visitor.choose(pane.getByRole("button", { name: "Attempt 1" }));
      await visitor.choose(pane.getByRole("radio", { name: "Retry" }));
      await eventually(
        () => pane.getByRole("table", { name: "Retriers and catchers" }).innerText(),
        /1 of 3\s+retry 1 back-off 2\.0 s \(2 × 2⁰\)[\s\S]*next: back-off 4\.0 s \(2 × 2¹\)/,
      );
      await visitor.choose(pane.getByRole("group", { name: "Attempt" }).getByRole("button", { name: "2" }));
      await visitor.choose(pane.getByRole("radio", { name: /ResultPath/ }));
      await pane.locator(".tree-line.added", { hasText: '"ok"' }).click();
      const origin = pane.getByRole("list", { name: "Where it came from" });
      await origin.getByText("the task's result in Charge").waitFor();
      // Tries an expression on the value.
      await pane.getByRole("button", { name: "Try an expression" }).click();
      await pane.getByRole("textbox", { name: "Expression" }).fill("$.paid.n * 2");
      await pane.getByLabel("Language").selectOption("jsonata");
      await pane.locator('.scratch pre:text-is("4")').waitFor();
    },
  );

  visit("forks with another value, and keeps both runs", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: EACH, input: INPUT, tasks: CHARGE });
    await visitor.run();
    await visitor.result();
    await visitor.node(CHARGE_STATE).click();
    const pane = inspector(page);
    await pane.getByRole("spinbutton", { name: "Iteration of Each" }).fill("2");
    await page.keyboard.press("Tab");
    await visitor.waitForInspector();
    await visitor.choose(pane.getByRole("radio", { name: /Result changed/ }));
    await pane.getByRole("button", { name: "Set result" }).click();
    await pane.getByRole("textbox", { name: "New result of Charge (JSON)" }).fill('{"ok":"by hand"}');
    await pane.getByRole("button", { name: "Fork with this value" }).click();
    await page.getByRole("button", { name: "Continue" }).click();
    const output = await visitor.output();
    assert.deepEqual(output[2], { n: 3, paid: { ok: "by hand" } });
    await visitor.tab("Runs");
    await page.getByRole("treeitem").nth(1).waitFor();
    await eventually(
      () => page.getByRole("tree", { name: "Runs" }).innerText(),
      /Run 1[\s\S]*Run 2\s+edited result of Charge · after event \d+, LambdaFunctionSucceeded/,
    );
    await page.getByRole("button", { name: /^Run 1/ }).click();
    await visitor.tab("Result");
    await eventually(async () => (await visitor.output())[2], { n: 3, paid: { ok: true, n: 3 } });
  });

  visit(
    "takes over an edited definition while paused, and says where the run would take another path",
    { reusePage: true },
    async (visitor, page) => {
      await visitor.open({ definition: EACH, input: INPUT, tasks: CHARGE });
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Command or state" }).fill("go to done");
      await page.keyboard.press("Enter");
      await page.locator('[data-node="/States/Done"][aria-pressed="true"]').waitFor();
      await page.keyboard.press("F9");
      await visitor.run();
      await paused(page, "before Done");
      await visitor.tab("Definition");
      const edited = structuredClone(EACH);
      edited.States.Prepare.Comment = "edited";
      await visitor.write("Definition", JSON.stringify(edited, null, 2));
      await page.getByRole("button", { name: "Apply and stay here" }).click();
      await page.getByText("The run takes the same path up to here").first().waitFor();
      await paused(page, "the new definition takes the same path");
      edited.States["Enough?"].Choices[0].NumericGreaterThan = 0;
      await visitor.write("Definition", JSON.stringify(edited, null, 2));
      await page.getByRole("button", { name: "Apply and stay here" }).click();
      await page.getByText(/takes a different path: event \d+ is FailStateEntered Refuse/).waitFor();
      await page.getByRole("button", { name: "Back to the old definition" }).click();
      await paused(page, "before Done");
      await page.getByText("The definition was edited").waitFor({ state: "detached" });
      await eventually(() => visitor.editor("Definition").innerText(), /"Comment": "edited"[\s\S]*"NumericGreaterThan": [1-9]/);
      await page.locator("button.run:focus").waitFor();
      // The other way: the run continues with the edited definition.
      await visitor.write("Definition", JSON.stringify(edited, null, 2));
      await page.getByRole("button", { name: "Apply and stay here" }).click();
      await page.getByText(/takes a different path/).waitFor();
      await page.getByRole("button", { name: "Continue from here" }).click();
      await eventually(() => visitor.result().then((result) => result.innerText()), /FAILED/);
      await eventually(() => page.getByText(/takes a different path/).count(), 0);
    },
  );

  visit(
    "mocks a task with a fixed result or a script by attempt and item, and marks mocked states",
    { reusePage: true },
    async (visitor, page) => {
      await visitor.open({ definition: EACH, input: INPUT });
      await visitor.tab("Mocks");
      await page.getByLabel("What answers for Charge").selectOption("script");
      const script = page.getByRole("list", { name: "Script of Charge" });
      await script.getByLabel("Error").first().fill("Busy");
      await script.getByLabel("Error").first().press("Tab");
      await script.getByRole("textbox", { name: "Result (JSON)" }).fill('"mocked"');
      await script.getByRole("textbox", { name: "Result (JSON)" }).press("Tab");
      await eventually(() => visitor.node(CHARGE_STATE).getAttribute("aria-label"), /mocked/);
      await visitor.run();
      await eventually(async () => (await visitor.output()).map(({ paid }) => paid), ["mocked", "mocked", "mocked"]);
      await eventually(() => visitor.node(CHARGE_STATE).getAttribute("aria-label"), /3 failed attempts/);
      await page.getByLabel("What answers for Charge").selectOption("expression");
      await visitor.run();
      await eventually(async () => (await visitor.output())[1].paid, { ok: true, of: { n: 2 } });
    },
  );

  visit("evaluates watch expressions, and finds every command in the palette", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: EACH, input: INPUT, tasks: CHARGE });
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: /Commands/ }).click();
    await page.getByRole("combobox", { name: "Command or state" }).fill("watch");
    await page.keyboard.press("Enter");
    await page.getByLabel("Expression to watch").fill("$iteration * 10");
    await page.keyboard.press("Enter");
    await visitor.node(CHARGE_STATE).click();
    await page.keyboard.press("Control+F10");
    await paused(page, "item #0");
    await page.locator(".watched > span", { hasText: /^0$/ }).waitFor();
    await page.keyboard.press("Control+F10");
    await page.locator(".watched > span", { hasText: /^10$/ }).waitFor();
  });

  visit("stops the clock until the user advances it", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: EACH, input: INPUT, tasks: CHARGE });
    await page.getByLabel("Clock").selectOption("manual");
    await visitor.run();
    await page.getByText("1 timer").waitFor();
    await page.locator(".remaining", { hasText: "10" }).waitFor();
    await page.getByRole("button", { name: "+1 s" }).click();
    await page.locator(".remaining", { hasText: "9.0 s" }).waitFor();
    await page.getByRole("button", { name: "Next timer" }).click();
    await page.locator(".remaining", { hasText: "1 of 3 in 2.0 s" }).waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await visitor.result();
  });

  visit("does not start a run that is stopped before it begins", { reusePage: true }, async (visitor, page) => {
    const definition = { StartAt: "Wait", States: { Wait: { Type: "Wait", Seconds: 3600, Next: "End" }, End: { Type: "Succeed" } } };
    await visitor.open({ definition });
    await page.getByLabel("Clock").selectOption("manual");
    const run = page.getByRole("button", { name: "Run", exact: true }).first();
    // Stops the run as soon as Stop is enabled, while the machine is still being read and compiled.
    await run.evaluate(async (button) => {
      const stop = () => [...document.querySelectorAll("button.move:enabled")].find(({ title }) => title.startsWith("Stop"));
      button.click();
      while (!stop()) await new Promise((resolve) => setTimeout(resolve));
      stop().click();
    });
    await eventually(() => page.locator(".result").innerText(), /Not started\s+It was stopped before it began\./);
    // The next run works.
    await visitor.run();
    await page.getByText("1 timer").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await visitor.result();
  });

  visit("lets a task be answered later, always the same way, or not at all", { reusePage: true }, async (visitor, page) => {
    const asking = structuredClone(EACH);
    asking.States.Each.ItemProcessor.States.Charge.TimeoutSeconds = 30;
    await visitor.open({ definition: asking, input: INPUT });
    await visitor.run();
    const card = page.getByRole("form", { name: "Answer of Charge" });
    await eventually(() => card.innerText(), /item #0 · times out in 30 s/);
    await card.getByRole("textbox", { name: "Result (JSON)" }).fill('"by hand"');
    await card.getByLabel(/^Wait/).fill("5");
    await card.getByRole("button", { name: /^Answer/ }).click();
    await card.getByText("item #1").waitFor();
    // The task is not answered, so that its catcher handles the timeout.
    await card.getByRole("button", { name: "Let it time out" }).click();
    await card.getByText("item #2").waitFor();
    await eventually(
      () => card.getByRole("textbox", { name: "Result (JSON)" }).inputValue(),
      '"by hand"',
      "the last answer is there again",
    );
    await card.getByLabel("Always answer like this").check();
    await card.getByRole("button", { name: /^Answer/ }).click();
    const output = await visitor.output();
    assert.deepEqual([output[0].paid, output[1].Error, output[2].paid], ["by hand", "States.Timeout", "by hand"]);
    await eventually(() => page.locator(".result-head").innerText(), /55 s|1 min/);
    await visitor.run();
    await eventually(async () => (await visitor.output()).map(({ paid }) => paid), ["by hand", "by hand", "by hand"]);
  });

  visit("selects iterations by key, and shows a lane for each on the timeline", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: EACH, input: INPUT, tasks: CHARGE });
    await visitor.run();
    await visitor.result();
    await visitor.node(CHARGE_STATE).click();
    const index = inspector(page).getByRole("spinbutton", { name: "Iteration of Each" });
    await page.waitForFunction(() => document.querySelector('#inspector-pane input[aria-label="Iteration of Each"]')?.value === "2");
    await page.keyboard.press("[");
    await page.waitForFunction(() => document.querySelector('#inspector-pane input[aria-label="Iteration of Each"]')?.value === "1");
    await inspector(page).getByRole("group", { name: "Attempt" }).waitFor();
    await page.keyboard.press("]");
    await page.waitForFunction(() => document.querySelector('#inspector-pane input[aria-label="Iteration of Each"]')?.value === "2");
    await eventually(() => index.inputValue(), "2");
    await visitor.tab("Timeline");
    await page
      .getByRole("group", { name: "Each #1" })
      .getByRole("button", { name: /^Charge, back-off before the next attempt, 2\.0 s/ })
      .waitFor();
    await page.getByRole("group", { name: "Each #2" }).getByRole("button", { name: "Rest, wait, 10 s" }).click();
    await page.locator('[data-node="/States/Each/ItemProcessor/States/Rest"][aria-pressed="true"]').waitFor();
    await page.getByRole("button", { name: "Fork here" }).waitFor();
  });

  visit("stops at uncaught errors if chosen", { reusePage: true }, async (visitor, page) => {
    const failing = structuredClone(EACH);
    delete failing.States.Each.ItemProcessor.States.Charge.Catch;
    delete failing.States.Each.ItemProcessor.States.Skip;
    await visitor.open({
      definition: failing,
      input: INPUT,
      tasks: "export default { charge: () => { throw new TaskError('Broken', 'no use'); } };",
    });
    await visitor.tab("Breakpoints");
    await page.getByLabel("Stop on errors").selectOption("uncaught");
    await visitor.run();
    await paused(page, "Broken in Charge, uncaught");
    await page.keyboard.press("F8");
    const result = await visitor.result();
    await eventually(() => result.innerText(), /FAILED[\s\S]*Broken/);
  });

  for (const size of [
    { width: 1440, height: 900 },
    { width: 390, height: 844 },
  ]) {
    test(`is accessible while paused at ${size.width} × ${size.height}`, async () => {
      const visitor = await site.visit(size);
      const { page } = visitor;
      await page.locator("[data-node]").first().waitFor();
      if (size.width > 600) {
        await page.locator('[data-node="/States/ChargeCard"]').click();
        await page.keyboard.press("F9");
        await visitor.run();
        await paused(page, "ChargeCard");
        for (const tab of ["Timeline", "Breakpoints", "Watch", "Runs"]) {
          await visitor.tab(tab);
          await eventually(() => visitor.violationsInEveryLook(["dark"], tab === "Timeline" ? undefined : "#dock"), [], tab);
        }
        await page.keyboard.press("Control+F11");
        await visitor.tab("Mocks");
        await page.getByLabel("What answers for ChargeCard").selectOption("script");
      } else {
        await page.getByRole("button", { name: "Step", exact: true }).click();
        await paused(page, "before CheckStock");
      }
      await eventually(() => visitor.violationsInEveryLook(["dark"]), []);
      await visitor.leave();
    });
  }
});
