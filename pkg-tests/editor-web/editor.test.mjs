// The extension in VS Code for the Web:   npm run test:editor
//
// The tests share one editor, and each begins where the one before it has ended.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openEditor, skip } from "./editor.mjs";

let page;
let editor;
let opened;

before(async () => {
  if (skip) return;
  opened = await openEditor();
  ({ page, editor } = opened);
});
after(() => opened?.end());

test("the problem of a definition is listed with its line", { skip }, async () => {
  await editor.open("broken.asl.json");
  await editor.command("View: Focus Problems");
  const row = page.locator(".markers-panel .monaco-list-row").filter({ hasText: "Nowhere" }).first();
  await row.waitFor();
  assert.match(await row.textContent(), /Ln 4/);
  await editor.picture("problems");
});

test("completion offers the states that a transition can lead to", { skip }, async () => {
  await editor.line("Nowhere").getByText("Nowhere").dblclick();
  await page.keyboard.press("Delete");
  await page.keyboard.press("Control+Space");
  const list = page.locator(".suggest-widget.visible .monaco-list-row");
  await list.filter({ hasText: "Done" }).first().waitFor();
  await editor.picture("completion");
  await page.keyboard.press("Escape");
});

test("F5 stops at the first state, and the debugger goes on and back", { skip }, async () => {
  await editor.open("order.asl.json");
  await editor.line('"StartAt"').click();
  await page.keyboard.press("F5");
  await editor.stoppedAt('"Charge": {');
  await editor.picture("stopped");
  await page.keyboard.press("F10");
  await editor.stoppedAt('"Enough": {');
  await page
    .locator(".debug-toolbar")
    .getByRole("button", { name: /^Step Back/ })
    .click();
  await editor.stoppedAt('"Charge": {');
});

test("the graph shows where the run is", { skip }, async () => {
  await editor.command("Stepglass: Show Graph to the Side");
  const { state } = await editor.graph();
  await assertClass(state("Charge"), /is-running/);
  await page.keyboard.press("F10");
  await assertClass(state("Charge"), /is-succeeded/);
  await assertClass(state("Enough"), /is-running/);
  await editor.picture("graph-light");
  await editor.theme("Dark High Contrast", "contrast");
  await editor.picture("graph-contrast");
  await editor.theme("Dark Modern", "dark");
  await editor.picture("graph-dark");
});

test("the time line of the graph goes back in time", { skip }, async () => {
  const { element, state } = await editor.graph();
  const slider = element.locator("xpath=..").getByRole("slider");
  await slider.press("Home");
  await assertClass(state("Charge"), /is-idle/);
  await slider.press("End");
  await assertClass(state("Enough"), /is-running/);
  await page.keyboard.press("Shift+F5");
  await assertClass(state("Enough"), /is-idle/);
});

test("a state that is selected on the graph is selected in the text, and the other way round", { skip }, async () => {
  const { state } = await editor.graph();
  await editor.line('"Choices"').click();
  await assertClass(state("Enough"), /selected/);
  await state("Gift").click();
  await editor.cursorAt('"Gift": {');
});

test("a gesture edits the text, and the editor undoes it", { skip }, async () => {
  const { state } = await editor.graph();
  await state("Gift").click();
  await assertClass(state("Gift"), /selected/);
  await page.keyboard.press("F2");
  await page.keyboard.press("Control+A");
  await page.keyboard.type("Present");
  await page.keyboard.press("Enter");
  await editor.line('"Present": {').waitFor();
  assert.match(await editor.line("NumericGreaterThan").textContent(), /Present/);
  await editor.picture("renamed");
  await state("Present").click();
  await page.keyboard.press("Control+Z");
  await editor.line('"Gift": {').waitFor();
  await state("Gift").waitFor();
});

test("the Test Explorer runs the tests of a file and shows the difference", { skip }, async () => {
  await editor.command("Test: Run All Tests");
  const results = page.locator(".test-explorer, .testing-explorer-tree, .pane-body");
  await editor.command("Testing: Focus on Test Explorer View");
  await results.getByText("1/2").first().waitFor();
  await editor.picture("tests");
});

test("coverage marks the lines that the tests have used", { skip }, async () => {
  await editor.command("View: Show Explorer");
  await editor.open("order.asl.json");
  await editor.command("Test: Run All Tests with Coverage");
  await page.locator(".coverage-deco-hit").first().waitFor();
  await editor.picture("coverage");
});

test("the problem of a SAM template's machine is at its place in the template", { skip }, async () => {
  await editor.open("template.yaml");
  await editor.command("View: Focus Problems");
  const row = page.locator(".markers-panel .monaco-list-row").filter({ hasText: "Nobody" }).first();
  await row.waitFor();
  assert.match(await row.textContent(), /Ln 12/);
});

test("nothing in the editor has thrown", { skip }, () => {
  assert.deepEqual(opened.problems, []);
});

async function assertClass(locator, pattern) {
  const end = Date.now() + 60_000;
  let found = "";
  while (Date.now() < end) {
    found = (await locator.getAttribute("class").catch(() => "")) ?? "";
    if (pattern.test(found)) return;
    await page.waitForTimeout(100);
  }
  assert.match(found, pattern);
}
