// The inspector of a state on the page, in real Chromium: its data flow, why things are as they are, and where they came from.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { skip } from "../browser.mjs";
import { visits } from "./playground.mjs";

const LAMBDA = "arn:aws:lambda:us-east-1:123456789012:function:";

const PRICE = {
  StartAt: "Take",
  States: {
    Take: { Type: "Pass", Assign: { rate: 2 }, Next: "Price" },
    Price: {
      Type: "Task",
      Resource: `${LAMBDA}price`,
      InputPath: "$.order",
      Parameters: { "dear.$": "$.lines[?(@.price > 10)].sku", "who.$": "$.customer.name", "count.$": "States.ArrayLength($.lines)", fixed: true },
      ResultSelector: { "total.$": "$.sum" },
      ResultPath: "$.pricing",
      Next: "Done",
    },
    Done: { Type: "Succeed" },
  },
};
const ORDER = { order: { lines: [{ sku: "lens", price: 40 }, { sku: "cap", price: 4 }, { sku: "body", price: 90 }], customer: { name: "Ada" } } };
const SUM = "export default { price: ({ dear }) => ({ sum: 130, dear }) };";

describe("the inspector", { skip }, () => {
  const { visit } = visits();
  const paused = (page, where) => page.locator(".pause-where", { hasText: where }).first().waitFor();
  const pane = (page) => page.locator("#inspector-pane");
  const lit = (page, tree) => page.getByRole("tree", { name: tree }).locator(".tree-line.lit").evaluateAll((lines) => lines.map((line) => line.textContent.trim()));
  const ended = async (visitor, given) => {
    await visitor.open(given);
    await visitor.run();
    await visitor.result();
  };

  visit("an expression lights what it reads, a value what it came from, by pointer and by key", {}, async (visitor, page) => {
    await ended(visitor, { definition: PRICE, input: ORDER, tasks: SUM });
    await visitor.state("Price").click();
    await pane(page).getByRole("radio", { name: /^Parameters/ }).click();
    const before = "Before: InputPath";
    // A filter: the elements that it takes, and in them what the path goes on to.
    await pane(page).getByText("$.lines[?(@.price > 10)].sku", { exact: true }).hover();
    await page.locator(".tree-line.lit").first().waitFor();
    assert.deepEqual(await lit(page, before), ['"sku": "lens", lit', '"sku": "body", lit']);
    // By key, an intrinsic function and a path.
    await pane(page).getByText("States.ArrayLength($.lines)", { exact: true }).focus();
    await page.waitForFunction(() => document.querySelectorAll(".tree-line.lit").length > 8);
    await pane(page).getByText("$.customer.name", { exact: true }).focus();
    await page.waitForFunction(() => document.querySelector(".tree-line.lit")?.textContent.includes("Ada"));
    // A part of what came out: the second of those that the filter took.
    await page.getByRole("tree", { name: "afterParameters" }).locator(".added", { hasText: '"body"' }).hover();
    await page.waitForFunction(() => document.querySelector(".tree-line.lit")?.textContent.includes("body"));
    assert.deepEqual(await lit(page, before), ['"sku": "body", lit']);
    await page.getByRole("tree", { name: "afterParameters" }).locator(".added", { hasText: "fixed" }).hover();
    await page.getByText("Written in the definition.").waitFor();
    // From ResultPath into the raw input.
    await pane(page).getByRole("radio", { name: /^ResultPath/ }).click();
    const tree = page.getByRole("tree", { name: "afterResultPath" });
    await tree.getByRole("treeitem").first().focus();
    for (let i = 0; i < 20 && !/total/.test(await page.evaluate(() => document.activeElement.textContent)); i++) await page.keyboard.press("ArrowDown");
    await page.waitForFunction(() => /130/.test(document.querySelector(".tree-line.lit")?.textContent ?? ""));
    assert.deepEqual(await lit(page, "Before: ResultSelector"), ['"total": 130, lit']);
    await page.keyboard.press("Enter");
    const origin = pane(page).getByRole("list", { name: "Where it came from" });
    await origin.getByText("$.sum ← the task's result in Price").waitFor();
  });
});
