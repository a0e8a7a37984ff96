// Examples of the gallery, built from an empty page by gestures and forms alone: what comes of it is the example, field by field.
// `npm run build:gallery` does so with all of them, in all three ways.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { gallery } from "../api/examples.mjs";
import { skip } from "../browser.mjs";
import { build } from "./building/build.mjs";
import { WAYS } from "./building/hands.mjs";
import { becomes, choose, machine, picker } from "./definition.mjs";
import { comes, visits } from "./playground.mjs";

describe("an example from an empty page", { skip }, () => {
  const { visit } = visits();

  // With a query language, a Map with branches of a Choice inside, and handlers of errors.
  for (const [id, way] of [
    ["hello", "mouse"],
    ["nested", "keyboard"],
    ["polling", "keyboard"],
    ["retry", "touch"],
  ])
    visit(`${id} is built by ${way}, field by field`, { ...WAYS[way], staying: way === "keyboard" }, async (visitor) => {
      const { definition } = gallery().find((one) => one.id === id);
      assert.ok((await build(visitor, JSON.parse(definition), way)) > 0);
    });

  visit("a state is put on a rule's transition, and on a catcher's", { staying: true }, async (visitor, page) => {
    await visitor.open({
      definition: {
        StartAt: "Choose",
        States: {
          Choose: { Type: "Choice", Choices: [{ Variable: "$.a", IsPresent: true, Next: "Work" }], Default: "End" },
          Work: {
            Type: "Task",
            Resource: "arn:aws:lambda:us-east-1:123456789012:function:Work",
            Catch: [{ ErrorEquals: ["States.ALL"], Next: "End" }],
            Next: "End",
          },
          End: { Type: "Succeed" },
        },
      },
    });
    for (const [state, way, path] of [
      ["Choose", /^Rule 1 → Work/, ({ States }) => [States.Choose.Choices[0].Next, States.Wait.Next]],
      ["Work", /^(?!→).* → End/, ({ States }) => [States.Work.Catch[0].Next, States["Wait 2"].Next]],
    ]) {
      await visitor.state(state).focus();
      await page.keyboard.press("i");
      const modes = picker(page).locator(".picker-modes label");
      await modes.filter({ hasText: way }).first().getByRole("radio").focus();
      await page.keyboard.press("Space");
      await picker(page).getByRole("combobox").focus();
      await choose(page, "wait", "Wait");
      const [added, target] = state === "Choose" ? ["Wait", "Work"] : ["Wait 2", "End"];
      await becomes(visitor, (now) => assert.deepEqual(path(now), [added, target]));
    }
  });

  visit("errors that are changed quickly are all written, and settings without fields go", { staying: true }, async (visitor, page) => {
    await visitor.open({
      definition: {
        StartAt: "Each",
        States: {
          Each: {
            Type: "Map",
            ItemProcessor: {
              ProcessorConfig: { Mode: "INLINE" },
              StartAt: "Item",
              States: { Item: { Type: "Pass", End: true } },
            },
            Retry: [{ ErrorEquals: ["States.ALL"] }],
            End: true,
          },
        },
      },
    });
    await visitor.state("Each").focus();
    await page.keyboard.press("e");
    const form = page.getByRole("tabpanel", { name: "Form", exact: true });
    const errors = form.locator('[data-field="/States/Each/Retry/0/ErrorEquals"]');
    await errors.waitFor();
    // All in one turn of the page.
    await errors.evaluate((row) => {
      const field = row.querySelector("input");
      const add = (name) => {
        field.value = name;
        field.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: "insertText" }));
        field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
      };
      row.querySelector("button.form-chip").click();
      add("Busy");
      add("Late");
    });
    await becomes(visitor, ({ States }) => assert.deepEqual(States.Each.Retry[0].ErrorEquals, ["Busy", "Late"]));
    await form.locator('[data-field="/States/Each/ItemProcessor/ProcessorConfig/Mode"] select').selectOption({ value: "" });
    await becomes(visitor, ({ States }) => assert.deepEqual(Object.keys(States.Each.ItemProcessor), ["StartAt", "States"]));
  });

  visit("the machine's form is there for the keyboard, whatever has the focus", { staying: true }, async (visitor, page) => {
    await visitor.open({ definition: { StartAt: "One", States: { One: { Type: "Pass", End: true } } } });
    await visitor.state("One").focus();
    await page.keyboard.press("Shift+E");
    await comes(() => page.evaluate(() => document.activeElement?.closest("#inspect-form") !== null), true);
    const form = page.getByRole("tabpanel", { name: "Form", exact: true });
    await form.getByRole("textbox", { name: "Comment", exact: true }).fill("Short");
    await becomes(visitor, (now) => assert.equal(now.Comment, "Short"));
    assert.equal((await machine(visitor)).StartAt, "One");
  });
});
