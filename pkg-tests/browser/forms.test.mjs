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
});
