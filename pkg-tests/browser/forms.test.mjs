// The forms of states and of the machine.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { skip } from "../browser.mjs";
import { comes, until, visits } from "./playground.mjs";

const ORDER = {
  Comment: "Takes an order",
  StartAt: "Prepare",
  States: {
    Prepare: { Type: "Pass", Result: { a: 1 }, Next: "Charge" },
    Charge: {
      Type: "Task",
      Resource: "arn:aws:states:::sqs:sendMessage",
      Parameters: { QueueUrl: "https://sqs", "MessageBody.$": "$.order" },
      Next: "Done",
    },
    Done: { Type: "Succeed" },
  },
};

describe("forms", { skip }, () => {
  const { visit } = visits();

  const definition = async ({ page }) => {
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => done())));
    return page.evaluate(() => {
      const host = [...document.querySelectorAll("#definition-editor .code-host")].at(-1);
      return [...host.shadowRoot.querySelectorAll(".cm-line")].map((line) => line.textContent).join("\n");
    });
  };
  const machine = async (visitor) => JSON.parse(await definition(visitor));
  const becomes = (visitor, passes) => until(async () => passes(await machine(visitor)));
  const form = (page) => page.getByRole("tabpanel", { name: "Form" });
  const open = async (visitor, text) => {
    await visitor.open({ definition: text });
    await visitor.page.mouse.move(4, 4);
  };
  /** The form of a state. */
  const select = async (visitor, name) => {
    await visitor.state(name).click();
    await visitor.page.getByRole("tab", { name: "Form", exact: true }).click();
    await comes(() => form(visitor.page).getByRole("textbox", { name: "Name", exact: true }).inputValue(), name);
  };

  visit("a field is written as the least edit, and undone with the text", { staying: true }, async (visitor, page) => {
    await open(visitor, ORDER);
    const before = await definition(visitor);
    await select(visitor, "Charge");
    await form(page).getByLabel("Comment").fill("Takes the money");
    await becomes(visitor, ({ States }) => assert.equal(States.Charge.Comment, "Takes the money"));
    assert.equal((await definition(visitor)).replace(/,\n *"Comment": "Takes the money"/, ""), before);
    await visitor.state("Charge").focus();
    await page.keyboard.press("ControlOrMeta+z");
    await comes(() => definition(visitor), before);
    await comes(() => form(page).getByLabel("Comment").inputValue(), "");
    // What is no number is said at the field, and written nowhere.
    await form(page).getByRole("textbox", { name: "TimeoutSeconds", exact: true }).fill("soon");
    await form(page).getByText("This is no number.").waitFor();
    assert.equal(await definition(visitor), before);
    await form(page).getByRole("textbox", { name: "TimeoutSeconds", exact: true }).fill("30");
    await becomes(visitor, ({ States }) => assert.equal(States.Charge.TimeoutSeconds, 30));
    await form(page).getByRole("textbox", { name: "TimeoutSeconds", exact: true }).fill("");
    await comes(() => definition(visitor), before);
  });

  visit("rules and retriers are built, moved and taken away", { staying: true }, async (visitor, page) => {
    await open(visitor, {
      StartAt: "Big?",
      States: {
        "Big?": { Type: "Choice", Choices: [{ Variable: "$.total", NumericGreaterThan: 100, Next: "Work" }], Default: "Done" },
        Work: { Type: "Task", Resource: "arn:aws:states:::sqs:sendMessage", Retry: [{ ErrorEquals: ["States.ALL"] }], End: true },
        Done: { Type: "Succeed" },
      },
    });
    const before = await definition(visitor);
    await select(visitor, "Big?");
    const rules = form(page).getByRole("list", { name: "Rules" }).getByRole("listitem");
    await comes(() => rules.first().locator(".item-words").innerText(), /If \$\.total is greater than 100\s*→ Work/);
    await form(page).getByRole("button", { name: "Rule", exact: true }).click();
    await comes(() => rules.count(), 2);
    await becomes(visitor, ({ States }) => assert.equal(States["Big?"].Choices.length, 2));
    // The focus is in the new rule, which is built on.
    await comes(() => page.evaluate(() => document.activeElement?.closest("li")?.querySelector(".item-number")?.textContent), "2");
    await rules.nth(1).getByLabel("How it is tested").first().selectOption("And");
    await becomes(visitor, ({ States }) => assert.deepEqual(States["Big?"].Choices[1].And, [{ Variable: "$.", IsPresent: true }]));
    await rules.nth(1).getByRole("textbox", { name: "Variable" }).fill("$.country");
    await rules.nth(1).getByLabel("Comparison", { exact: true }).selectOption("StringEquals");
    await rules.nth(1).getByRole("textbox", { name: "StringEquals" }).fill("NO");
    await becomes(visitor, ({ States }) =>
      assert.deepEqual(States["Big?"].Choices[1], { And: [{ Variable: "$.country", StringEquals: "NO" }], Next: "Work" }),
    );
    // Alt with the arrows moves it, and the focus goes along.
    await rules.nth(1).getByLabel("Next", { exact: true }).focus();
    await page.keyboard.press("Alt+ArrowUp");
    await becomes(visitor, ({ States }) => assert.equal(States["Big?"].Choices[0].And[0].StringEquals, "NO"));
    await comes(() => page.evaluate(() => document.activeElement?.closest("li")?.querySelector(".item-number")?.textContent), "1");
    await rules.first().getByRole("button", { name: "Remove Rule 1" }).click();
    await comes(() => definition(visitor), before);
    await visitor.run();
    await visitor.result();
    await comes(() => rules.first().locator(".form-verdict").innerText(), /Fails[^]*\$\.total/);
    await page.getByRole("tab", { name: /^Input/ }).click();
    await visitor.write("Input", '{ "total": 500 }');
    await visitor.tab("Definition");
    await page.getByRole("combobox", { name: "Clock" }).waitFor();
    await visitor.run();
    await until(async () => assert.match(await rules.first().locator(".form-verdict").innerText(), /Matched[^]*500/));
    await select(visitor, "Work");
    const retriers = form(page).getByRole("list", { name: "Retriers" }).getByRole("listitem");
    await comes(() => retriers.first().locator("figcaption").innerText(), "3 times again, after 1 s, 2 s, 4 s. 7 s of pauses in all.");
    await retriers.first().getByRole("textbox", { name: "MaxAttempts" }).fill("5");
    await comes(() => retriers.first().locator("figcaption").innerText(), /^5 times again.* 31 s/);
    await retriers.first().getByRole("combobox", { name: "ErrorEquals" }).fill("States.Timeout");
    await page.keyboard.press("Enter");
    await retriers.first().getByRole("button", { name: "Remove States.ALL" }).click();
    await becomes(visitor, ({ States }) => assert.deepEqual(States.Work.Retry, [{ ErrorEquals: ["States.Timeout"], MaxAttempts: 5 }]));
    await form(page).getByRole("combobox", { name: "Pattern" }).selectOption("waitForTaskToken");
    await becomes(visitor, ({ States }) => {
      assert.equal(States.Work.Resource, "arn:aws:states:::sqs:sendMessage.waitForTaskToken");
      assert.ok(JSON.stringify(States.Work.Parameters).includes("$$.Task.Token"));
    });
  });
});
