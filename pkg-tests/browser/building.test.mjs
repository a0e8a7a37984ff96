// Builds examples of the gallery from an empty page by gestures and forms alone. The result equals the example, field by field.
// `npm run build:gallery` does this with all examples and all three devices.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { gallery } from "../api/examples.mjs";
import { skip } from "../browser.mjs";
import { build } from "./building/build.mjs";
import { DEVICES } from "./building/user.mjs";
import { untilMachine, choose, machine, picker } from "./definition.mjs";
import { eventually, visits } from "./playground.mjs";

describe("building an example from an empty page", { skip }, () => {
  const { visit } = visits();

  // Together they have a query language, a Map, a Choice whose branches end, and error handlers.
  for (const [id, device] of [
    ["hello", "mouse"],
    ["nested", "keyboard"],
    ["polling", "keyboard"],
    ["retry", "touch"],
  ])
    visit(`builds ${id} by ${device}, field by field`, { ...DEVICES[device], reusePage: device === "keyboard" }, async (visitor) => {
      const { definition } = gallery().find((one) => one.id === id);
      assert.ok((await build(visitor, JSON.parse(definition), device)) > 0);
    });

  visit("inserts a state on the transition of a rule, and of a catcher", { reusePage: true }, async (visitor, page) => {
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
      await untilMachine(visitor, (now) => assert.deepEqual(path(now), [added, target]));
    }
  });

  visit(
    "writes every error name that is changed quickly, and removes settings that have no fields left",
    { reusePage: true },
    async (visitor, page) => {
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
      // All changes happen in one task of the page, before it draws again.
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
      await untilMachine(visitor, ({ States }) => assert.deepEqual(States.Each.Retry[0].ErrorEquals, ["Busy", "Late"]));
      await form.locator('[data-field="/States/Each/ItemProcessor/ProcessorConfig/Mode"] select').selectOption({ value: "" });
      await untilMachine(visitor, ({ States }) => assert.deepEqual(Object.keys(States.Each.ItemProcessor), ["StartAt", "States"]));
    },
  );

  visit("opens the machine's form by keyboard, wherever the focus is", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: { StartAt: "One", States: { One: { Type: "Pass", End: true } } } });
    await visitor.state("One").focus();
    await page.keyboard.press("Shift+E");
    await eventually(() => page.evaluate(() => document.activeElement?.closest("#inspect-form") !== null), true);
    const form = page.getByRole("tabpanel", { name: "Form", exact: true });
    await form.getByRole("textbox", { name: "Comment", exact: true }).fill("Short");
    await untilMachine(visitor, (now) => assert.equal(now.Comment, "Short"));
    assert.equal((await machine(visitor)).StartAt, "One");
  });
});
