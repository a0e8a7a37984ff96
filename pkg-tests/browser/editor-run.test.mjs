// What a run shows in the definition's editor, and the actions that the editor offers for a run.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { skip } from "../browser.mjs";
import { command, endOf, putCursor, text, toYaml } from "./definition.mjs";
import { eventually, until, visits } from "./playground.mjs";

const LAMBDA = "arn:aws:states:::lambda:invoke";

/** Counts to three in a loop, then calls a task that fails twice. */
const LOOP = {
  StartAt: "Count",
  States: {
    Count: { Type: "Pass", Parameters: { "n.$": "States.MathAdd($.n, 1)", "label.$": "$.label" }, Next: "Enough" },
    Enough: { Type: "Choice", Choices: [{ Variable: "$.n", NumericLessThan: 3, Next: "Count" }], Default: "Charge" },
    Charge: {
      Type: "Task",
      Resource: LAMBDA,
      Parameters: { FunctionName: "charge", Payload: { "times.$": "$.n", "who.$": "$.label" } },
      ResultSelector: { "paid.$": "$.Payload" },
      Catch: [{ ErrorEquals: ["States.ALL"], Next: "Refund" }],
      End: true,
    },
    Refund: { Type: "Fail", Error: "Refunded" },
  },
};
const INPUT = { n: 0, label: "Ada" };
const PAID = "export default { Charge: async () => ({ ok: true }) };";

describe("the editor during a run", { skip }, () => {
  const { visit } = visits();

  /** The buttons above a state, by the state's name. */
  const lens = (page, state, id) => page.locator(`.sg-lenses [data-lens="${id}"][title*="${state}"]`);
  const mark = (page, state) => page.locator(`.sg-break[title^="${state}:"], .sg-break-none[title="Breakpoint before ${state}"]`);
  /** The visible lines with a class. */
  const lines = (page, kind) => page.locator(`#definition-editor .cm-line.${kind}`);
  const paused = (page, state) => page.locator(".pause-where", { hasText: state }).waitFor();

  visit(
    "runs to a state, runs again from it, and mocks it, with the buttons above its line",
    { reusePage: true },
    async (visitor, page) => {
      await visitor.open({ definition: LOOP, input: INPUT, tasks: PAID });
      await visitor.state("Charge").waitFor();
      await lens(page, "Charge", "runTo").click();
      await paused(page, "Charge");
      await eventually(() => lens(page, "Refund", "rerun").count(), 0, "it has not run");
      await lens(page, "Enough", "rerun").click();
      await page.locator(".toast, .pause-where").first().waitFor();
      await visitor.tab("Runs");
      await page.getByRole("treeitem").filter({ hasText: "Run 2" }).first().waitFor();
      // Only states that call something can be mocked.
      await eventually(() => lens(page, "Count", "mock").count(), 0);
      await lens(page, "Charge", "mock").click();
      await page.getByRole("tab", { name: /^Mocks/, selected: true }).waitFor();
    },
  );

  visit("shows the values of the state in which the run is paused, until it goes on", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: LOOP, input: INPUT, tasks: PAID });
    await visitor.state("Charge").waitFor();
    await lens(page, "Charge", "runTo").click();
    await paused(page, "Charge");
    const values = page.locator("#definition-editor .sg-value");
    const shown = async () => (await values.evaluateAll((all) => all.map((one) => one.dataset.value))).sort();
    await values.nth(1).waitFor();
    // A state that has not run yet shows no value.
    await eventually(() => shown(), ['"Ada"', "3"]);
    await eventually(async () => (await text(visitor)).includes("= 3"), false, "they are no part of the text");
    // The clicks wait for each other: stage by stage, event by event.
    const moment = async () =>
      `${await page.locator(".pause-where").first().innerText()}, ${await page.getByRole("slider", { name: "Event shown" }).getAttribute("aria-valuetext")}`;
    for (let i = 0, before = await moment(); i < 10 && !/the result of Charge/.test(before); i++) {
      await page.getByRole("button", { name: "Stage", exact: true }).click();
      await until(async () => assert.notEqual(await moment(), before));
      before = await moment();
    }
    await until(async () => assert.ok((await shown()).includes('{"ok":true}'), "the selector's"));
    await page.keyboard.press("F8");
    await visitor.result();
    await values.first().waitFor({ state: "detached" });
  });

  visit("shows the outcome and the number of visits of each state in the margin", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: LOOP, input: INPUT, tasks: "export default { Charge: async () => { throw new Error('no'); } };" });
    await visitor.run();
    await visitor.result();
    const sign = (state) => page.locator(`.sg-sign[title^="${state}:"]`);
    const drawn = (state) =>
      sign(state).evaluate((one) => `${one.className} ${one.querySelector("svg path") !== null} ${one.textContent}`.trim());
    await eventually(() => drawn("Count"), "sg-sign sg-succeeded true 3");
    await eventually(() => sign("Count").getAttribute("title"), "Count: succeeded, entered 3 times");
    await eventually(() => drawn("Charge"), "sg-sign sg-caught true");
    await eventually(() => drawn("Refund"), "sg-sign sg-failed true");
  });

  visit("sets a breakpoint by a click in the margin, and shows its condition and its kind", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: LOOP, input: INPUT, tasks: PAID });
    await visitor.state("Charge").waitFor();
    await mark(page, "Count").click();
    await visitor.tab("Breakpoints");
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await page.getByLabel("Condition").fill("$.n = 2");
    await page.getByLabel("Condition").blur();
    const breakpoint = page.locator('.sg-break-condition[title*="if $.n = 2"]');
    await breakpoint.waitFor();
    // A breakpoint that is disabled in the list is drawn hollow, in the form of its kind, and its tooltip says so.
    await page.getByRole("checkbox", { name: "Breakpoint on Count" }).uncheck();
    await page.locator('.sg-break-condition.sg-break-off[title*="if $.n = 2"]').waitFor();
    await eventually(() => breakpoint.getAttribute("title"), /Disabled. Click to enable it/);
    await breakpoint.click();
    await page.locator(".toast", { hasText: "enabled again: before it, if $.n = 2" }).waitFor();
    await page.locator(".sg-break-condition:not(.sg-break-off)").waitFor();
    await visitor.run();
    await paused(page, "Count");
    await eventually(() => page.locator(".sg-value").first().getAttribute("data-value"), /^3$/);
    // A click with Shift edits the breakpoint, a click without Shift removes it.
    await page.getByRole("button", { name: "Done", exact: true }).click();
    await breakpoint.click({ modifiers: ["Shift"] });
    await page.getByLabel("Log instead of stopping").fill("n is {% $.n %}");
    await page.getByLabel("Log instead of stopping").blur();
    await page.locator('.sg-break-log[title*="writes to the console"]').waitFor();
    await page.locator(".sg-break-log").click();
    await page.locator(".sg-break-log, .sg-break-condition").waitFor({ state: "detached" });
    await mark(page, "Refund").click();
    await eventually(() => page.locator(".sg-break-plain").getAttribute("title"), /^Refund: before it\nClick to remove it/);
  });

  const LONG = {
    StartAt: "S0",
    States: Object.fromEntries(
      Array.from({ length: 60 }, (_, i) => [`S${i}`, { Type: "Pass", Comment: `Number ${i}`, Result: { i }, Next: `S${i + 1}` }]),
    ),
  };
  LONG.States.S60 = { Type: "Succeed" };
  const inSight = (page) =>
    until(async () => {
      const [line, pane] = await Promise.all([lines(page, "sg-paused").boundingBox(), page.locator("#definition-editor").boundingBox()]);
      const at = (line.y - pane.y) / pane.height;
      assert.ok(at > 0.1 && at < 0.9, `${at}`);
    });

  visit("scrolls to where the run is paused, and highlights the whole state", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: LONG });
    await visitor.state("S40").waitFor();
    await command(page, "go to S40");
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("Control+F10");
    await paused(page, "S40");
    await lines(page, "sg-paused").waitFor();
    await eventually(() => lines(page, "sg-paused").innerText(), /"S40"/);
    await eventually(() => lines(page, "sg-executing").count(), 8);
    await inSight(page);
  });

  visit(
    "scrolls to the paused state on a phone when the code is shown",
    { width: 390, height: 844, hasTouch: true },
    async (visitor, page) => {
      const bar = (name) => page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name }).click();
      await bar("Code");
      await visitor.open({ definition: LONG });
      await bar("Graph");
      await visitor.state("S40").waitFor();
      await command(page, "go to S40");
      await page.keyboard.press("Control+F10");
      await paused(page, "S40");
      await bar("Code");
      await lines(page, "sg-paused").waitFor();
      await inSight(page);
      await eventually(() => page.locator(".sg-lenses").count(), 0, "no room for them");
    },
  );

  visit("hides buttons and values if switched off", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: LOOP, input: INPUT, tasks: PAID });
    await visitor.state("Charge").waitFor();
    await page.locator(".sg-lenses").first().waitFor();
    await page.getByRole("button", { name: "Settings" }).click();
    for (const name of [/^Commands above each state/, /^Values in the definition/]) await page.getByRole("checkbox", { name }).uncheck();
    await eventually(() => visitor.violations(), []);
    await page.keyboard.press("Escape");
    await page.locator(".sg-lenses").first().waitFor({ state: "detached" });
    await page.keyboard.press("F10");
    await page.locator(".pause-where").waitFor();
    await lines(page, "sg-paused").waitFor();
    await eventually(() => page.locator(".sg-value").count(), 0);
  });

  for (const format of ["json", "yaml"]) {
    visit(`supports the usual keys of code editors in ${format.toUpperCase()}`, { reusePage: true }, async (visitor, page) => {
      const { Refund: _, ...States } = LOOP.States;
      await visitor.open({ definition: { ...LOOP, States } });
      if (format === "yaml") await toYaml(page);
      await page.locator(".problems li", { hasText: "Refund" }).waitFor();
      const selection = () => page.evaluate(() => document.activeElement?.shadowRoot?.getSelection?.()?.toString());
      const selected = (wanted) =>
        page
          .waitForFunction(
            (name) => document.activeElement?.shadowRoot?.getSelection?.()?.toString().replaceAll(/["\n]/g, "") === name,
            wanted,
          )
          .catch(async () => assert.equal(await selection(), wanted));
      // F4 goes to the problem, wherever the focus is.
      await page.getByRole("tab", { name: /^Events/ }).focus();
      await page.keyboard.press("F4");
      await selected("Refund");
      await page.keyboard.press("Control+.");
      await page.getByRole("menuitem", { name: /^Add a state .?Refund/ }).click();
      await visitor.state("Refund").waitFor();
      await page.locator(".problems-head", { hasText: "No problems" }).waitFor();
      await putCursor(visitor, "Enoug");
      await page.keyboard.press("F12");
      await page.locator(".breadcrumbs", { hasText: /States\s*›\s*Enough/ }).waitFor();
      await page.keyboard.press("Shift+F12");
      await page.getByRole("menu", { name: "Enough is used in 2 places" }).waitFor();
      await page.keyboard.press("Escape");
      await page.keyboard.press("F2");
      await page.getByLabel("Rename Enough to").fill("Ready?");
      await page.keyboard.press("Enter");
      await visitor.state("Ready?").waitFor();
      await eventually(async () => (await text(visitor)).match(/Ready\?/g).length, 2);
      await page.keyboard.press("Control+Shift+O");
      await page.getByRole("combobox", { name: "Name of the state" }).fill("char");
      await page.keyboard.press("Enter");
      await page.locator(".breadcrumbs", { hasText: /States\s*›\s*Charge/ }).waitFor();
      const { x, y } = await endOf(page, "Ready");
      await page.keyboard.down("Control");
      await page.mouse.click(x, y);
      await page.keyboard.up("Control");
      await page.locator(".breadcrumbs", { hasText: /States\s*›\s*Ready\?/ }).waitFor();
    });
  }
});
