// Values of the last run beside expressions and on the graph.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { skip } from "../browser.mjs";
import { machine } from "./definition.mjs";
import { eventually, until, visits } from "./playground.mjs";

const ORDER = {
  StartAt: "Prepare",
  States: {
    Prepare: { Type: "Pass", Result: { id: 17, "total name": 3.5 }, ResultPath: "$.order", Assign: { "kept.$": "$.id" }, Next: "Weigh" },
    Weigh: { Type: "Choice", Choices: [{ Variable: "$.order.id", NumericGreaterThan: 3, Next: "Name" }], Default: "Done" },
    Name: { Type: "Pass", QueryLanguage: "JSONata", Output: "{% $states.input %}", Next: "Charge" },
    Charge: {
      Type: "Task",
      Resource: "arn:aws:lambda:us-east-1:123456789012:function:Charge",
      Parameters: {},
      ResultSelector: { "paid.$": "$.sum" },
      Retry: [{ ErrorEquals: ["States.ALL"], MaxAttempts: 1 }],
      End: true,
    },
    Done: { Type: "Succeed" },
  },
};

describe("values of the last run", { skip }, () => {
  const { visit } = visits();

  const field = (page, name) => page.getByRole("textbox", { name, exact: true }).and(page.locator("textarea"));
  const given = (page, name) =>
    page
      .locator(".xf", { has: field(page, name) })
      .locator(".xf-given")
      .innerText();
  const begin = async (visitor, tasks = "export const Charge = ({ amount }) => ({ sum: amount ?? 4217 });") => {
    await visitor.open({ definition: ORDER, input: { names: ["Ada"] }, tasks });
    await visitor.state("Charge").waitFor();
  };
  const form = async (visitor, state) => {
    await visitor.state(state).click();
    await visitor.page.getByRole("tab", { name: "Form", exact: true }).click();
    await visitor.page.getByRole("tabpanel", { name: "Form" }).waitFor();
  };
  /** Collects announcements from now on, because one soon replaces the other. */
  const listen = (page) =>
    page.evaluate(() => {
      globalThis.told = [];
      const region = document.querySelector('[role="status"][aria-live="polite"]');
      new MutationObserver(() => globalThis.told.push(region.textContent)).observe(region, {
        childList: true,
        subtree: true,
        characterData: true,
      });
    });

  visit("shows what a field gives while it is written, or what it waits for", { reusePage: true }, async (visitor, page) => {
    await begin(visitor);
    await form(visitor, "Name");
    await field(page, "Output").fill("{% $states.input.order.id + 1 %}");
    await eventually(() => given(page, "Output"), /Name has not run yet/);
    // Runs as far as the field's data needs.
    await page
      .locator(".xf")
      .filter({ has: field(page, "Output") })
      .getByRole("button", { name: "Run to Name" })
      .click();
    await eventually(() => given(page, "Output"), /= 18/);
    // An error is shown at the field, with its position.
    await field(page, "Output").fill("{% $states.input.order.id + 'a' %}");
    await eventually(() => given(page, "Output"), /number/);
    await eventually(() => page.locator(".xf-wrong").first().innerText(), /\S/);
    // The interpreter proposes names, including members of the data.
    await field(page, "Output").fill("{% $states.input.order %}");
    await field(page, "Output").press("End");
    for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowLeft");
    await page.keyboard.type(".");
    await page.getByRole("option", { name: /^id/ }).waitFor();
    await page.keyboard.press("Enter");
    await eventually(() => field(page, "Output").inputValue(), "{% $states.input.order.id %}");
    await eventually(() => given(page, "Output"), /= 17/);
    await until(async () => assert.equal((await machine(visitor)).States.Name.Output, "{% $states.input.order.id %}"));
    assert.deepEqual(
      await visitor.violations(
        [
          "label",
          "aria-allowed-attr",
          "aria-allowed-role",
          "aria-required-children",
          "aria-valid-attr-value",
          "color-contrast",
          "nested-interactive",
        ],
        ".xf",
      ),
      [],
    );
  });

  visit("picks a value by keyboard, and names it as the field refers to it", { reusePage: true }, async (visitor, page) => {
    await begin(visitor);
    await visitor.run();
    await visitor.result();
    await form(visitor, "Name");
    await field(page, "Output").fill("{% 1 +  %}");
    await field(page, "Output").press("End");
    for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowLeft");
    await page.getByRole("button", { name: "Use a value in Output" }).focus();
    await page.keyboard.press("Enter");
    const tree = page.getByRole("tree", { name: "Data" });
    await tree.getByRole("treeitem").first().waitFor();
    assert.deepEqual(
      await visitor.violations(
        [
          "label",
          "aria-allowed-attr",
          "aria-allowed-role",
          "aria-required-children",
          "aria-valid-attr-value",
          "color-contrast",
          "nested-interactive",
        ],
        ".xf",
      ),
      [],
    );
    await listen(page);
    await tree.getByRole("treeitem", { name: /"total name"/ }).focus();
    await page.keyboard.press("Enter");
    await eventually(() => field(page, "Output").inputValue(), "{% 1 + $states.input.order.`total name` %}");
    await eventually(() => given(page, "Output"), /= 4\.5/);
    await eventually(() => page.evaluate(() => globalThis.told.join()), /\$states\.input\.order\.`total name` is in Output/);
    // Inserts a variable after the existing one.
    await page.keyboard.type(" + ");
    await page.getByRole("button", { name: "Use a value in Output" }).click();
    await tree.getByRole("treeitem", { name: /^\$kept/ }).click();
    await eventually(() => field(page, "Output").inputValue(), "{% 1 + $states.input.order.`total name` + $kept %}");
  });

  visit("drags a value from the data into a template, as the field's stage has it", { reusePage: true }, async (visitor, page) => {
    await begin(visitor);
    await visitor.run();
    await visitor.result();
    await form(visitor, "Charge");
    // Drags from outside of the form: the output in the result's pane, as a tree.
    const result = page.locator(".result");
    await result.getByRole("button", { name: "Search in Output" }).click();
    const paid = result.getByRole("treeitem", { name: /"paid"/ });
    await paid.waitFor();
    const box = page.locator(".xf", { has: field(page, "ResultSelector") });
    await paid.dragTo(box.locator(".xf-box"), { targetPosition: { x: 30, y: 16 } });
    await until(async () => {
      const { ResultSelector } = (await machine(visitor)).States.Charge;
      assert.deepEqual(ResultSelector, { "sum.$": "$.sum", "paid.$": "$.sum" });
    });
  });

  visit(
    "shows the results of states on the graph, a pinned part of them, and where a breakpoint would help",
    { reusePage: true },
    async (visitor, page) => {
      await begin(visitor, "export const Charge = () => { throw new Error('no money'); };");
      await visitor.run();
      await visitor.result();
      await page.mouse.move(4, 4);
      const hints = page.getByRole("region", { name: "Where a breakpoint would help" });
      await hints.getByRole("button", { name: /^Pause before Weigh: it was decided here/ }).waitFor();
      await hints.getByRole("button", { name: /^Pause before Charge: it failed here/ }).click();
      await eventually(() => visitor.state("Charge").getAttribute("aria-label"), /breakpoint/);
      await page.locator('[data-stop-hint="Weigh"]').click();
      await hints.waitFor({ state: "detached" });
      const live = page.getByRole("button", { name: "Outputs on the graph" });
      await live.click();
      await eventually(() => visitor.state("Prepare").getAttribute("aria-label"), /\{…, order: \{id: 17/);
      await eventually(() => visitor.state("Weigh").getAttribute("aria-label"), /^Weigh unchanged/);
      // Values are on a tag or in the card, and cover no name.
      const shown = await page.evaluate(() => {
        const boxes = (selector) => [...document.querySelectorAll(selector)].map((one) => one.getBoundingClientRect());
        const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
        const tags = boxes(".live-tags rect");
        return { tags: tags.length, over: tags.filter((tag) => boxes("text.name").some((name) => meet(tag, name))).length };
      });
      assert.equal(shown.over, 0);
      assert.ok(shown.tags > 0);
      await visitor.state("Prepare").click();
      await page.getByRole("tab", { name: "Data", exact: true }).click();
      await page
        .getByRole("treeitem", { name: /"total name"/ })
        .last()
        .click();
      await page.getByRole("button", { name: "Show on the graph" }).click();
      await eventually(() => visitor.state("Prepare").getAttribute("aria-label"), /^Prepare total name: 3\.5/);
      await live.click();
      await eventually(() => visitor.state("Prepare").getAttribute("aria-label"), /^Prepare Pass/);
    },
  );
});
