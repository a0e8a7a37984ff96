// What a run shows in the definition's editor, and what can be done with it from there.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { skip } from "../browser.mjs";
import { command, endOf, putCursor, text, toYaml } from "./definition.mjs";
import { comes, until, visits } from "./playground.mjs";

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

describe("the editor beside a run", { skip }, () => {
  const { visit } = visits();

  /** The buttons above a state, by its name. */
  const lens = (page, state, id) => page.locator(`.sg-lenses [data-lens="${id}"][title*="${state}"]`);
  const mark = (page, state) => page.locator(`.sg-break[title^="${state}:"], .sg-break-none[title="Breakpoint before ${state}"]`);
  /** The lines with a class, as they are on the screen. */
  const lines = (page, kind) => page.locator(`#definition-editor .cm-line.${kind}`);
  const paused = (page, state) => page.locator(".pause-where", { hasText: state }).waitFor();

  visit("runs to a state, again from it, and mocks it, from above its line", { staying: true }, async (visitor, page) => {
    await visitor.open({ definition: LOOP, input: INPUT, tasks: PAID });
    await visitor.state("Charge").waitFor();
    await lens(page, "Charge", "runTo").click();
    await paused(page, "Charge");
    await comes(() => lens(page, "Refund", "rerun").count(), 0, "it has not run");
    await lens(page, "Enough", "rerun").click();
    await page.locator(".toast, .pause-where").first().waitFor();
    await visitor.tab("Runs");
    await page.getByRole("treeitem").filter({ hasText: "Run 2" }).first().waitFor();
    // Mocking is for what calls something.
    await comes(() => lens(page, "Count", "mock").count(), 0);
    await lens(page, "Charge", "mock").click();
    await page.getByRole("tab", { name: /^Mocks/, selected: true }).waitFor();
  });

  visit("shows the values of the state where it is paused, and no longer", { staying: true }, async (visitor, page) => {
    await visitor.open({ definition: LOOP, input: INPUT, tasks: PAID });
    await visitor.state("Charge").waitFor();
    await lens(page, "Charge", "runTo").click();
    await paused(page, "Charge");
    const values = page.locator("#definition-editor .sg-value");
    const shown = async () => (await values.evaluateAll((all) => all.map((one) => one.dataset.value))).sort();
    await values.nth(1).waitFor();
    // What reads the result has no value yet.
    await comes(() => shown(), ['"Ada"', "3"]);
    await comes(async () => (await text(visitor)).includes("= 3"), false, "they are no part of the text");
    // Stage by stage and event by event: each click is of a moment of its own.
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

  visit("has what becomes of each state in the margin, with how often", { staying: true }, async (visitor, page) => {
    await visitor.open({ definition: LOOP, input: INPUT, tasks: "export default { Charge: async () => { throw new Error('no'); } };" });
    await visitor.run();
    await visitor.result();
    const sign = (state) => page.locator(`.sg-sign[title^="${state}:"]`);
    const drawn = (state) =>
      sign(state).evaluate((one) => `${one.className} ${one.querySelector("svg path") !== null} ${one.textContent}`.trim());
    await comes(() => drawn("Count"), "sg-sign sg-succeeded true 3");
    await comes(() => sign("Count").getAttribute("title"), "Count: succeeded, entered 3 times");
    await comes(() => drawn("Charge"), "sg-sign sg-caught true");
    await comes(() => drawn("Refund"), "sg-sign sg-failed true");
  });

  visit(
    "a click into the margin: a breakpoint as it was, its condition in words, and its sign by kind",
    { staying: true },
    async (visitor, page) => {
      await visitor.open({ definition: LOOP, input: INPUT, tasks: PAID });
      await visitor.state("Charge").waitFor();
      await mark(page, "Count").click();
      await visitor.tab("Breakpoints");
      await page.getByRole("button", { name: "Edit", exact: true }).click();
      await page.getByLabel("Condition").fill("$.n = 2");
      await page.getByLabel("Condition").blur();
      const breakpoint = page.locator('.sg-break-condition[title*="if $.n = 2"]');
      await breakpoint.waitFor();
      // Switched off in the list, it is hollow and keeps its form, and says what it is.
      await page.getByRole("checkbox", { name: "Breakpoint on Count" }).uncheck();
      await page.locator('.sg-break-condition.sg-break-off[title*="if $.n = 2"]').waitFor();
      await comes(() => breakpoint.getAttribute("title"), /Disabled. Click to enable it/);
      await breakpoint.click();
      await page.locator(".toast", { hasText: "enabled again: before it, if $.n = 2" }).waitFor();
      await page.locator(".sg-break-condition:not(.sg-break-off)").waitFor();
      await visitor.run();
      await paused(page, "Count");
      await comes(() => page.locator(".sg-value").first().getAttribute("data-value"), /^3$/);
      // With Shift it is edited, without it is removed.
      await page.getByRole("button", { name: "Done", exact: true }).click();
      await breakpoint.click({ modifiers: ["Shift"] });
      await page.getByLabel("Log instead of stopping").fill("n is {% $.n %}");
      await page.getByLabel("Log instead of stopping").blur();
      await page.locator('.sg-break-log[title*="writes to the console"]').waitFor();
      await page.locator(".sg-break-log").click();
      await page.locator(".sg-break-log, .sg-break-condition").waitFor({ state: "detached" });
      await mark(page, "Refund").click();
      await comes(() => page.locator(".sg-break-plain").getAttribute("title"), /^Refund: before it\nClick to remove it/);
    },
  );

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

  visit("goes where the run is paused, and marks the whole state", { staying: true }, async (visitor, page) => {
    await visitor.open({ definition: LONG });
    await visitor.state("S40").waitFor();
    await command(page, "go to S40");
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("Control+F10");
    await paused(page, "S40");
    await lines(page, "sg-paused").waitFor();
    await comes(() => lines(page, "sg-paused").innerText(), /"S40"/);
    await comes(() => lines(page, "sg-executing").count(), 8);
    await inSight(page);
  });

  visit("goes there on a phone, when the code comes up", { width: 390, height: 844, hasTouch: true }, async (visitor, page) => {
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
    await comes(() => page.locator(".sg-lenses").count(), 0, "no room for them");
  });

  visit("what may be in the way can be switched off", { staying: true }, async (visitor, page) => {
    await visitor.open({ definition: LOOP, input: INPUT, tasks: PAID });
    await visitor.state("Charge").waitFor();
    await page.locator(".sg-lenses").first().waitFor();
    await page.getByRole("button", { name: "Settings" }).click();
    for (const name of [/^Commands above each state/, /^Values in the definition/]) await page.getByRole("checkbox", { name }).uncheck();
    await comes(() => visitor.violations(), []);
    await page.keyboard.press("Escape");
    await page.locator(".sg-lenses").first().waitFor({ state: "detached" });
    await page.keyboard.press("F10");
    await page.locator(".pause-where").waitFor();
    await lines(page, "sg-paused").waitFor();
    await comes(() => page.locator(".sg-value").count(), 0);
  });

  for (const format of ["json", "yaml"]) {
    visit(`the keys of a language server, in ${format.toUpperCase()}`, { staying: true }, async (visitor, page) => {
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
      // To the problem, from anywhere on the page.
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
      await comes(async () => (await text(visitor)).match(/Ready\?/g).length, 2);
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
