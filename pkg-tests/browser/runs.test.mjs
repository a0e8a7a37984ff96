// Several runs of one machine on the page: comparison and coverage.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { skip } from "../browser.mjs";
import { eventually, until, visits } from "./playground.mjs";

const SIZES = {
  StartAt: "Size",
  States: {
    Size: {
      Type: "Choice",
      Choices: [
        { Variable: "$.n", NumericGreaterThan: 10, Next: "Big" },
        { Variable: "$.n", NumericGreaterThan: 5, Next: "Middle" },
      ],
      Default: "Each",
    },
    Big: { Type: "Pass", Result: "big", ResultPath: "$.size", Next: "Each" },
    Middle: { Type: "Pass", Result: "middle", ResultPath: "$.size", Next: "Pay" },
    Pay: {
      Type: "Task",
      Resource: "arn:aws:lambda:us-east-1:123456789012:function:pay",
      Retry: [{ ErrorEquals: ["Busy"] }],
      Catch: [{ ErrorEquals: ["States.ALL"], Next: "Sorry" }],
      ResultPath: "$.paid",
      Next: "Each",
    },
    Each: {
      Type: "Map",
      ItemsPath: "$.items",
      MaxConcurrency: 1,
      ItemProcessor: { StartAt: "One", States: { One: { Type: "Pass", End: true } } },
      End: true,
    },
    Sorry: { Type: "Fail", Error: "Sorry" },
  },
};
const PAY = "export default { pay: () => ({ ok: true }) };";

describe("comparing runs", { skip }, () => {
  const { site, visit } = visits();

  /** Runs the machine twice with different inputs. */
  const twice = async (visitor) => {
    await visitor.open({ definition: SIZES, input: { n: 7, items: [1, 2] }, tasks: PAY });
    await visitor.run();
    await visitor.result();
    await visitor.tab("Input");
    await visitor.write("Input", JSON.stringify({ n: 70, items: [1, 3] }));
    await visitor.run();
    await visitor.page.getByRole("tab", { name: /2 runs/ }).waitFor();
    await visitor.result();
  };

  visit(
    "compares two runs: data of each visit, paths on the graph in words and letters; Escape leaves",
    { reusePage: true },
    async (visitor, page) => {
      await twice(visitor);
      await visitor.tab("Runs");
      await eventually(() => page.getByRole("tree", { name: "Runs" }).innerText(), /Run 1\s+first run[\s\S]*Run 2\s+different input/);
      await page.getByRole("button", { name: "Compare two runs" }).focus();
      await page.keyboard.press("Enter");
      const rows = page.getByRole("listbox", { name: "Visits of both runs" });
      await rows.waitFor();
      await eventually(
        () =>
          rows
            .getByRole("option")
            .allInnerTexts()
            .then((all) => all.map((text) => text.replaceAll(/\s+/g, " ").trim())),
        [
          "± Size input, output differ",
          "A Middle only in run 1",
          "B Big only in run 2",
          "A Pay only in run 1",
          "± Each input, output differ",
          "± One #1 input, output differ",
        ],
      );
      // The first difference is selected.
      const data = page.getByRole("region", { name: "Size in both runs" });
      await eventually(() => data.getByRole("tree", { name: "input, compared" }).innerText(), /"n":\s*7\s*70/);
      // The graph says it in words.
      await eventually(() => visitor.state("Pay").getAttribute("aria-label"), /only in run 1/);
      await eventually(() => visitor.state("Big").getAttribute("aria-label"), /only in run 2/);
      await eventually(() => visitor.state("Each").getAttribute("aria-label"), /in both runs/);
      await eventually(() => visitor.state("Sorry").getAttribute("aria-label"), /in neither run/);
      await eventually(() => page.locator(".line.over-a").count(), 3, "the rule to Middle, Middle to Pay, Pay to Each");
      await eventually(
        () => page.getByRole("region", { name: "Legend: runs 1 and 2 compared" }).innerText(),
        /A: only run 1[\s\S]*B: only run 2/,
      );
      // By keyboard: selecting a row selects its state everywhere.
      await rows.focus();
      for (let i = 0; i < 5; i++) await page.keyboard.press("ArrowDown");
      await page.getByRole("region", { name: "One in both runs" }).waitFor();
      await page.locator('[data-node="/States/Each/ItemProcessor/States/One"][aria-pressed="true"]').waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("tree", { name: "Runs" }).waitFor();
      await eventually(() => page.locator("[class*=over-]").count(), 0);
      await until(async () => assert.doesNotMatch(await visitor.state("Pay").getAttribute("aria-label"), /only in run/));
      await eventually(() => page.evaluate(() => document.activeElement.textContent), "Compare two runs");
    },
  );

  visit("goes from a difference to the event in either run", { reusePage: true }, async (visitor, page) => {
    await twice(visitor);
    await visitor.tab("Runs");
    await page.getByRole("button", { name: "Compare two runs" }).click();
    await page.getByRole("option", { name: /Pay/ }).click();
    await page.getByRole("button", { name: "See it in run 1" }).click();
    await page.locator(".banner", { hasText: /Viewing event \d+ of 23/ }).waitFor();
    await page.locator('[data-node="/States/Pay"][aria-pressed="true"]').waitFor();
    // The comparison stays, and works in the other direction, too.
    await page.getByRole("combobox", { name: "Run B" }).selectOption({ label: "2: different input" });
    await page.getByRole("button", { name: "See it in run 1" }).waitFor();
  });

  visit("says after which event a fork starts, and which mock was changed", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: SIZES, input: { n: 7, items: [] }, tasks: PAY });
    await visitor.state("Pay").click();
    await page.keyboard.press("F9");
    await visitor.run();
    await page.locator(".pause-where", { hasText: "Pay" }).waitFor();
    await visitor.tab("Runs");
    await page.getByRole("button", { name: /^Fork at event/ }).click();
    const tree = page.getByRole("tree", { name: "Runs" });
    await tree.getByText(/nothing changed yet · after event \d+, TaskStateEntered Pay/).waitFor();
    await visitor.tab("Mocks");
    await page.getByLabel("What answers for Pay").selectOption("error");
    await tree.getByText(/^mock of Pay · after event \d+, TaskStateEntered Pay/).waitFor();
    await page.keyboard.press("F8");
    await eventually(() => visitor.result().then((result) => result.innerText()), /FAILED[\s\S]*Sorry/);
    await visitor.tab("Runs");
    await page.getByRole("button", { name: "Remove run 1" }).click();
    await tree.getByRole("treeitem").nth(1).waitFor({ state: "detached" });
    await eventually(() => tree.innerText(), /Run 2/);
  });

  visit("shows coverage of all runs: counts, what was never used, on the graph, and as files", {}, async (visitor, page) => {
    await visitor.open({ definition: SIZES, input: { n: 7, items: [1, 2] }, tasks: PAY });
    await visitor.tab("Coverage");
    await page.getByText("of 17 parts used in 0 runs").waitFor();
    await visitor.run();
    await visitor.result();
    await visitor.tab("Input");
    await visitor.write("Input", JSON.stringify({ n: 70, items: [1, 3] }));
    await visitor.run();
    await page.getByRole("tab", { name: /2 runs/ }).waitFor();
    await visitor.result();
    await visitor.tab("Coverage");
    await page.getByText("of 17 parts used in 2 runs").waitFor();
    const option = (text) => page.getByRole("option").filter({ hasText: text });
    await eventually(() => option("Size").first().innerText(), /2×/);
    await eventually(() => option("rule 0 → Big").innerText(), /1×/);
    await eventually(() => option("default → Each").innerText(), /never/);
    await eventually(() => option(/^4×\s*Onestate/).innerText(), /state, line/);
    await page.getByRole("button", { name: "Never used (4)" }).click();
    await eventually(
      async () =>
        (await page.locator(".coverage").getByRole("option").allInnerTexts()).map((text) =>
          text
            .replaceAll(/\s+/g, " ")
            .replace(/ line.*/, "")
            .trim(),
        ),
      [
        "never Size: default → Each transition,",
        "never Pay: retry 0 on Busy retrier,",
        "never Pay: catch 0 on States.ALL → Sorry catcher,",
        "never Sorry state,",
      ],
    );
    // A row selects its state.
    await page.getByRole("listbox", { name: "Parts that were never used" }).focus();
    await page.keyboard.press("End");
    await page.locator('[data-node="/States/Sorry"][aria-pressed="true"]').waitFor();
    await page.getByRole("button", { name: "Show on the graph" }).click();
    await page.getByRole("region", { name: "Legend: coverage" }).waitFor();
    await eventually(() => visitor.state("Sorry").getAttribute("aria-label"), /never entered in any run/);
    await eventually(() => visitor.state("Pay").getAttribute("aria-label"), /entered 1 time in all runs, 2 parts never used/);
    await eventually(
      () =>
        visitor
          .state("Sorry")
          .locator(".box")
          .evaluate((box) => getComputedStyle(box).fill),
      "none",
      "hollow",
    );
    const json = await visitor.download(page.getByRole("button", { name: "Save JSON" }));
    const report = JSON.parse(json.bytes.toString());
    assert.deepEqual(report.totals.states, { covered: 6, total: 7 });
    const rule = report.machines[0].places.find(({ pointer }) => pointer === "/States/Size/Choices/1");
    const lines = JSON.stringify(SIZES, null, 2).split("\n");
    assert.match(lines[rule.line - 1], /^\s*\{/);
    assert.match(lines[rule.line + 2], /"Middle"/);
    const lcov = await visitor.download(page.getByRole("button", { name: "Save LCOV" }));
    assert.match(lcov.bytes.toString(), /^TN:\nSF:Size, Big, Middle\.asl\.json\nFN:4,Size\n/);
    await page.keyboard.press("Escape");
    await page.getByRole("region", { name: "Legend: coverage" }).waitFor({ state: "detached" });
    // An edited definition has no coverage yet; that of the previous definition is not lost.
    await visitor.tab("Definition");
    await visitor.write("Definition", JSON.stringify({ ...SIZES, Comment: "another" }, null, 2));
    await page.getByText(/used in 0 runs; 2 runs of another definition do not count/).waitFor();
    await visitor.write("Definition", JSON.stringify(SIZES, null, 4));
    await page.getByText("of 17 parts used in 2 runs").waitFor();
  });

  for (const [name, options, looks] of [
    ["a large window", {}, ["dark", "contrast"]],
    ["a phone", { width: 390, height: 844 }, []],
  ]) {
    test(`is accessible while two runs are compared: ${name}`, async () => {
      const visitor = await site.visit(options);
      const { page } = visitor;
      await page.locator("[data-node]").first().waitFor();
      const panes = page.getByRole("navigation", { name: "Panes" });
      const pane = async (title) => options.width && (await panes.getByRole("button", { name: title }).click());
      await visitor.run();
      await pane("Run");
      await visitor.result();
      await visitor.run();
      await visitor.tab("Runs 2 runs");
      await page.getByRole("button", { name: "Compare two runs" }).click();
      await page.getByText(/^The same in every visit|differ\./).waitFor();
      await eventually(() => visitor.violationsInEveryLook(looks), [], "compared");
      await eventually(() => page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
      await pane("Graph");
      await page.getByRole("region", { name: /^Legend/ }).waitFor();
      await eventually(() => visitor.violationsInEveryLook(looks), [], "on the graph");
      await page.getByRole("button", { name: "Leave: runs 1 and 2 compared" }).click();
      await pane("Run");
      await visitor.tab("Coverage");
      await page.getByRole("button", { name: "Show on the graph" }).click();
      await page.getByRole("button", { name: "Show on the graph", pressed: true }).waitFor();
      await eventually(() => visitor.violationsInEveryLook(looks), [], "coverage");
      await visitor.leave();
    });
  }
});
