// The forms of states and of the machine.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { stringify } from "yaml";
import { skip } from "../browser.mjs";
import { untilMachine, shownLines } from "./definition.mjs";
import { eventually, until, visits } from "./playground.mjs";

/** The rules of axe for the form alone. One test checks the whole page. */
const EVERYBODY = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

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

/** All eight types, and a value to type into a field of each. */
const EVERY = {
  JSONPath: {
    StartAt: "Pass it",
    TimeoutSeconds: 600,
    States: {
      "Pass it": { Type: "Pass", Result: { a: 1 }, Next: "Task it" },
      "Task it": {
        Type: "Task",
        Resource: "arn:aws:lambda:us-east-1:123456789012:function:f",
        Retry: [{ ErrorEquals: ["States.ALL"], IntervalSeconds: 2 }],
        Catch: [{ ErrorEquals: ["States.ALL"], Next: "Fail it" }],
        Next: "Choose",
      },
      Choose: { Type: "Choice", Choices: [{ Variable: "$.a", NumericEquals: 1, Next: "Wait it" }], Default: "Fail it" },
      "Wait it": { Type: "Wait", SecondsPath: "$.s", Next: "Map it" },
      "Map it": {
        Type: "Map",
        ItemsPath: "$.items",
        ItemProcessor: { StartAt: "In", States: { In: { Type: "Pass", End: true } } },
        Next: "Both",
      },
      Both: { Type: "Parallel", Branches: [{ StartAt: "One", States: { One: { Type: "Pass", End: true } } }], Next: "End it" },
      "End it": { Type: "Succeed" },
      "Fail it": { Type: "Fail", Error: "E", Cause: "c" },
    },
  },
  JSONata: {
    QueryLanguage: "JSONata",
    StartAt: "Pass it",
    States: {
      "Pass it": { Type: "Pass", Output: { a: 1 }, Next: "Task it" },
      "Task it": {
        Type: "Task",
        Resource: "arn:aws:states:::lambda:invoke",
        Arguments: { FunctionName: "f" },
        Catch: [{ ErrorEquals: ["States.ALL"], Output: "{% $states.errorOutput %}", Next: "Fail it" }],
        Next: "Choose",
      },
      Choose: { Type: "Choice", Choices: [{ Condition: "{% $states.input.a = 1 %}", Next: "Wait it" }], Default: "Fail it" },
      "Wait it": { Type: "Wait", Seconds: "{% $states.input.s %}", Next: "Map it" },
      "Map it": {
        Type: "Map",
        Items: "{% $states.input.items %}",
        ItemBatcher: { MaxItemsPerBatch: 2 },
        ItemProcessor: {
          ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" },
          StartAt: "In",
          States: { In: { Type: "Pass", End: true } },
        },
        Next: "Both",
      },
      Both: { Type: "Parallel", Branches: [{ StartAt: "One", States: { One: { Type: "Pass", End: true } } }], Next: "End it" },
      "End it": { Type: "Succeed" },
      "Fail it": { Type: "Fail", Error: "E", Cause: "{% 'c' %}" },
    },
  },
};

const TYPED = {
  JSONPath: {
    "Pass it": ["Result", '{ "b": [2] }', ({ Result }) => assert.deepEqual(Result, { b: [2] })],
    "Task it": ["HeartbeatSeconds", "20", ({ HeartbeatSeconds }) => assert.equal(HeartbeatSeconds, 20)],
    Choose: ["NumericEquals", "7", ({ Choices }) => assert.equal(Choices[0].NumericEquals, 7)],
    "Wait it": ["SecondsPath", "$.pause", ({ SecondsPath }) => assert.equal(SecondsPath, "$.pause")],
    "Map it": ["MaxConcurrency", "4", ({ MaxConcurrency }) => assert.equal(MaxConcurrency, 4)],
    Both: ["ResultPath", "$.both", ({ ResultPath }) => assert.equal(ResultPath, "$.both")],
    "End it": ["OutputPath", "$.a", ({ OutputPath }) => assert.equal(OutputPath, "$.a")],
    "Fail it": ["Error", "Other", (state) => assert.equal(state.Error, "Other")],
  },
  JSONata: {
    "Pass it": ["Assign", '{ "n": "{% 1 + 1 %}" }', ({ Assign }) => assert.deepEqual(Assign, { n: "{% 1 + 1 %}" })],
    "Task it": ["TimeoutSeconds", "{% $states.input.t %}", ({ TimeoutSeconds }) => assert.equal(TimeoutSeconds, "{% $states.input.t %}")],
    Choose: ["Condition", "$states.input.a > 2", ({ Choices }) => assert.equal(Choices[0].Condition, "{% $states.input.a > 2 %}")],
    "Wait it": ["Seconds", "5", ({ Seconds }) => assert.equal(Seconds, 5)],
    "Map it": ["MaxItemsPerBatch", "9", ({ ItemBatcher }) => assert.equal(ItemBatcher.MaxItemsPerBatch, 9)],
    Both: ["Output", '{ "x": 1 }', ({ Output }) => assert.deepEqual(Output, { x: 1 })],
    "End it": ["Output", '"{% 1 %}"', ({ Output }) => assert.equal(Output, "{% 1 %}")],
    "Fail it": ["Cause", "{% $states.input.why %}", ({ Cause }) => assert.equal(Cause, "{% $states.input.why %}")],
  },
};

describe("forms", { skip }, () => {
  const { visit } = visits();

  const form = (page) => page.getByRole("tabpanel", { name: "Form" });
  const open = async (visitor, text) => {
    await visitor.open({ definition: text });
    await visitor.page.mouse.move(4, 4);
  };
  /** Opens the form of a state. */
  const select = async (visitor, name) => {
    // Clicks the edge, because states lie in the middle of a Map or a Parallel.
    await visitor.state(name).click(["Map it", "Both"].includes(name) ? { position: { x: 10, y: 6 } } : {});
    await visitor.page.getByRole("tab", { name: "Form", exact: true }).click();
    await eventually(() => form(visitor.page).getByRole("textbox", { name: "Name", exact: true }).inputValue(), name);
  };

  visit("writes a field as the smallest edit, which undo in the text reverts", { reusePage: true }, async (visitor, page) => {
    await open(visitor, ORDER);
    const before = await shownLines(visitor);
    await select(visitor, "Charge");
    await form(page).getByLabel("Comment").fill("Takes the money");
    await untilMachine(visitor, ({ States }) => assert.equal(States.Charge.Comment, "Takes the money"));
    assert.equal((await shownLines(visitor)).replace(/,\n *"Comment": "Takes the money"/, ""), before);
    await visitor.state("Charge").focus();
    await page.keyboard.press("ControlOrMeta+z");
    await eventually(() => shownLines(visitor), before);
    await eventually(() => form(page).getByLabel("Comment").inputValue(), "");
    // A text that is not a number is reported at the field and not written.
    await form(page).getByRole("textbox", { name: "TimeoutSeconds", exact: true }).fill("soon");
    await form(page).getByText("Enter a number.").waitFor();
    assert.equal(await shownLines(visitor), before);
    await form(page).getByRole("textbox", { name: "TimeoutSeconds", exact: true }).fill("30");
    await untilMachine(visitor, ({ States }) => assert.equal(States.Charge.TimeoutSeconds, 30));
    await form(page).getByRole("textbox", { name: "TimeoutSeconds", exact: true }).fill("");
    await eventually(() => shownLines(visitor), before);
  });

  visit("clicks a button that moves while it is pressed", { reusePage: true }, async (visitor, page) => {
    await open(visitor, ORDER);
    await select(visitor, "Charge");
    const retrier = form(page).getByRole("button", { name: "Retrier", exact: true });
    await retrier.scrollIntoViewIfNeeded();
    const before = await retrier.boundingBox();
    await page.mouse.move(before.x + before.width / 2, before.y + before.height / 2);
    await page.mouse.down();
    await form(page).getByRole("textbox", { name: "ResultPath", exact: true }).focus();
    await page.keyboard.insertText("$.job");
    await untilMachine(visitor, ({ States }) => assert.equal(States.Charge.ResultPath, "$.job"));
    // Moves the button between press and release, as an explanation that arrives late does.
    await retrier.evaluate((button) => (button.closest("section").style.marginTop = "200px"));
    await eventually(async () => Math.abs((await retrier.boundingBox()).y - before.y) > 2 * before.height, true);
    await page.mouse.up();
    await untilMachine(visitor, ({ States }) => assert.equal(States.Charge.Retry?.length, 1));
  });

  visit("runs with what is being typed", { reusePage: true }, async (visitor, page) => {
    await open(visitor, JSON.stringify({ StartAt: "Nap", States: { Nap: { Type: "Wait", Seconds: 1, End: true } } }, null, 2));
    await select(visitor, "Nap");
    await form(page).getByRole("textbox", { name: "Seconds", exact: true }).fill("90");
    await page.keyboard.press("ControlOrMeta+Enter");
    await visitor.result();
    await page.getByText(/1 min 30 s of virtual time|90 s of virtual time/).waitFor();
  });

  visit("adds, moves and removes rules and retriers", { reusePage: true }, async (visitor, page) => {
    await open(visitor, {
      StartAt: "Big?",
      States: {
        "Big?": { Type: "Choice", Choices: [{ Variable: "$.total", NumericGreaterThan: 100, Next: "Work" }], Default: "Done" },
        Work: { Type: "Task", Resource: "arn:aws:states:::sqs:sendMessage", Retry: [{ ErrorEquals: ["States.ALL"] }], End: true },
        Done: { Type: "Succeed" },
      },
    });
    const before = await shownLines(visitor);
    await select(visitor, "Big?");
    const rules = form(page).getByRole("list", { name: "Rules" }).locator("> li");
    await eventually(() => rules.first().locator(".item-words").innerText(), /If \$\.total is greater than 100\s*→ Work/);
    await form(page).getByRole("button", { name: "Rule", exact: true }).click();
    await eventually(() => rules.count(), 2);
    await untilMachine(visitor, ({ States }) => assert.equal(States["Big?"].Choices.length, 2));
    // The new rule has the focus, so that one can go on with the keyboard.
    await eventually(() => page.evaluate(() => document.activeElement?.closest("li")?.querySelector(".item-number")?.textContent), "2");
    await rules.nth(1).getByLabel("Kind of test").first().selectOption("And");
    await untilMachine(visitor, ({ States }) => assert.deepEqual(States["Big?"].Choices[1].And, [{ Variable: "$.", IsPresent: true }]));
    await rules.nth(1).getByRole("textbox", { name: "Variable" }).fill("$.country");
    await rules.nth(1).getByLabel("Comparison", { exact: true }).selectOption("StringEquals");
    await rules.nth(1).getByRole("textbox", { name: "StringEquals" }).fill("NO");
    await untilMachine(visitor, ({ States }) =>
      assert.deepEqual(States["Big?"].Choices[1], { And: [{ Variable: "$.country", StringEquals: "NO" }], Next: "Work" }),
    );
    // Alt with the arrow keys moves the rule together with the focus.
    await rules.nth(1).getByLabel("Next", { exact: true }).focus();
    await page.keyboard.press("Alt+ArrowUp");
    await untilMachine(visitor, ({ States }) => assert.equal(States["Big?"].Choices[0].And[0].StringEquals, "NO"));
    await eventually(() => page.evaluate(() => document.activeElement?.closest("li")?.querySelector(".item-number")?.textContent), "1");
    await rules.first().getByRole("button", { name: "Remove Rule 1" }).click();
    await eventually(() => shownLines(visitor), before);
    // Two presses in a row add two rules, even if the first is not written yet.
    await form(page)
      .getByRole("button", { name: "Rule", exact: true })
      .evaluate((button) => [button, button].forEach((one) => one.click()));
    await eventually(() => rules.count(), 3);
    for (const rule of [3, 2])
      await form(page)
        .getByRole("button", { name: `Remove Rule ${rule}` })
        .click();
    await eventually(() => shownLines(visitor), before);
    await visitor.run();
    await visitor.result();
    await eventually(() => rules.first().locator(".form-verdict").innerText(), /Fails[^]*\$\.total/);
    await visitor.tab("Input");
    await visitor.write("Input", '{ "total": 500 }');
    await visitor.tab("Definition");
    await page.getByRole("combobox", { name: "Clock" }).waitFor();
    await visitor.run();
    await until(async () => assert.match(await rules.first().locator(".form-verdict").innerText(), /Matched[^]*500/));
    await select(visitor, "Work");
    const retriers = form(page).getByRole("list", { name: "Retriers" }).locator("> li");
    await eventually(() => retriers.first().locator("figcaption").innerText(), "3 retries, after 1 s, 2 s, 4 s. 7 s of pauses in all.");
    await retriers.first().getByRole("textbox", { name: "MaxAttempts" }).fill("5");
    await eventually(() => retriers.first().locator("figcaption").innerText(), /^5 retries.* 31 s/);
    await retriers.first().getByRole("combobox", { name: "ErrorEquals" }).fill("States.Timeout");
    await page.keyboard.press("Enter");
    await retriers.first().getByRole("button", { name: "Remove States.ALL" }).click();
    await untilMachine(visitor, ({ States }) => assert.deepEqual(States.Work.Retry, [{ ErrorEquals: ["States.Timeout"], MaxAttempts: 5 }]));
    await form(page).getByRole("combobox", { name: "Pattern" }).selectOption("waitForTaskToken");
    await untilMachine(visitor, ({ States }) => {
      assert.equal(States.Work.Resource, "arn:aws:states:::sqs:sendMessage.waitForTaskToken");
      assert.ok(JSON.stringify(States.Work.Parameters).includes("$$.Task.Token"));
    });
  });

  for (const [language, format] of [
    ["JSONPath", "JSON"],
    ["JSONata", "YAML"],
  ]) {
    visit(`edits, undoes and is accessible for each type in ${language} and ${format}`, { reusePage: true }, async (visitor, page) => {
      await visitor.open({ definition: EVERY[language] });
      if (format === "YAML") {
        const yaml = `# An order\n${stringify(EVERY[language])}`;
        await page.getByRole("combobox", { name: "Format" }).selectOption("yaml");
        await visitor.write("Definition", yaml);
        await eventually(() => shownLines(visitor), /^# An order/);
      }
      await visitor.state("Fail it").waitFor();
      const before = await shownLines(visitor);
      for (const [state, [field, typed, passes]] of Object.entries(TYPED[language])) {
        await select(visitor, state);
        await form(page).getByRole("textbox", { name: field, exact: true }).first().fill(typed);
        await page.keyboard.press("Tab");
        await untilMachine(visitor, ({ States }) => passes(States[state]));
        if (language === "JSONPath" || ["Choose", "Map it"].includes(state))
          assert.deepEqual(await visitor.violations(EVERYBODY, "#inspect-form"), [], state);
      }
      await page.keyboard.press("Escape");
      for (const state of Object.keys(TYPED[language])) {
        await visitor.state(state).focus();
        const now = await shownLines(visitor);
        await page.keyboard.press("ControlOrMeta+z");
        await until(async () => assert.notEqual(await shownLines(visitor), now));
      }
      assert.equal(await shownLines(visitor), before);
    });
  }

  visit("connects a field with its text and its problems", { reusePage: true }, async (visitor, page) => {
    await open(
      visitor,
      `{
  "StartAt": "A",
  "States": {
    "A": { "Type": "Task", "Resource": "\${Queue}", "TimeoutSeconds": \${Timeout}, "Retry": [{ "ErrorEquals": ["States.ALL"], "BackoffRate": 0 }], "Next": "B" },
    "B": { "Type": "Succeed", "Fancy": { "a": 1 } }
  }
}`,
    );
    await visitor.state("B").waitFor();
    await select(visitor, "A");
    // The problem is shown at its field only.
    const rate = form(page).locator('[data-field="/States/A/Retry/0/BackoffRate"]');
    await eventually(() => rate.locator(".form-problems").innerText(), /BackoffRate/);
    assert.equal(await form(page).locator(".form-problems li.is-bad").count(), 1);
    // A placeholder is shown as it is, and a new one needs no quotes either.
    const timeout = form(page).getByRole("textbox", { name: "TimeoutSeconds", exact: true });
    assert.equal(await timeout.inputValue(), "${Timeout}");
    await timeout.fill("${Patience}");
    await until(async () => assert.match(await shownLines(visitor), /"TimeoutSeconds": \$\{Patience\},/));
    await eventually(() => form(page).locator(".form-doc").innerText(), /^TimeoutSeconds/);
    // Goes to the text and back.
    await rate.getByRole("button", { name: "Show BackoffRate in the text" }).click();
    await visitor.editor("Definition").and(page.locator(":focus")).waitFor();
    await form(page).locator('.is-lit[data-field="/States/A/Retry/0/BackoffRate"]').waitFor();
    // A field that the form does not know is shown and kept.
    await select(visitor, "B");
    await eventually(() => form(page).getByRole("textbox", { name: "Fancy" }).inputValue(), '{\n  "a": 1\n}');
    // A form works while the text is broken elsewhere, and says so if its own part is broken.
    await visitor.write(
      "Definition",
      '{\n  "StartAt": "A",\n  "States": {\n    "A": { "Type": "Pass", "Comment": , "Next": "B" },\n    "B": { "Type": "Succeed" }\n  }\n}',
    );
    await visitor.state("B").click();
    await eventually(() => form(page).getByRole("textbox", { name: "Name", exact: true }).inputValue(), "B");
    await form(page).getByLabel("Comment", { exact: true }).fill("still here");
    await until(async () => assert.match(await shownLines(visitor), /"B": \{ "Type": "Succeed", "Comment": "still here" \}/));
    await visitor.state("A").click();
    await form(page)
      .getByText(/The text cannot be read here: A value is missing/)
      .waitFor();
    assert.equal(await form(page).getByRole("textbox", { name: "Name", exact: true }).count(), 0);
  });

  visit("updates everything that depends on the machine, a name or a type", { reusePage: true }, async (visitor, page) => {
    await open(visitor, ORDER);
    await page.getByRole("tab", { name: "Form", exact: true }).click();
    await form(page).getByRole("combobox", { name: "StartAt" }).selectOption("Charge");
    await untilMachine(visitor, ({ StartAt }) => assert.equal(StartAt, "Charge"));
    await form(page).getByRole("combobox", { name: "QueryLanguage" }).selectOption("JSONata");
    await page
      .locator(".picker")
      .getByRole("option", { name: /Convert all states/ })
      .click();
    await untilMachine(visitor, ({ QueryLanguage, States }) => {
      assert.equal(QueryLanguage, "JSONata");
      assert.equal(States.Charge.Arguments.QueueUrl, "https://sqs");
    });
    await select(visitor, "Charge");
    await form(page).getByRole("textbox", { name: "Name", exact: true }).fill("Take the money");
    await page.keyboard.press("Enter");
    await untilMachine(visitor, ({ StartAt, States }) =>
      assert.deepEqual([StartAt, States.Prepare.Next], ["Take the money", "Take the money"]),
    );
    await eventually(() => form(page).getByRole("textbox", { name: "Name", exact: true }).inputValue(), "Take the money");
    await form(page).getByRole("combobox", { name: "Next", exact: true }).selectOption("End");
    await untilMachine(visitor, ({ States }) =>
      assert.deepEqual([States["Take the money"].End, States["Take the money"].Next], [true, undefined]),
    );
    await form(page).getByRole("combobox", { name: "Type", exact: true }).selectOption("Pass");
    await page.locator(".picker").getByRole("option", { name: "Do it" }).click();
    await untilMachine(visitor, ({ States }) => assert.equal(States["Take the money"].Type, "Pass"));
  });

  visit("shows the first items of a Map as ItemSelector makes them", { reusePage: true }, async (visitor, page) => {
    await visitor.open({
      definition: {
        QueryLanguage: "JSONata",
        StartAt: "Each",
        States: {
          Each: {
            Type: "Map",
            Items: "{% $states.input %}",
            ItemSelector: { n: "{% $states.context.Map.Item.Value * 2 %}" },
            ItemProcessor: { StartAt: "In", States: { In: { Type: "Pass", End: true } } },
            End: true,
          },
        },
      },
      input: [1, 2, 3, 4],
    });
    await visitor.state("Each").focus();
    await visitor.run();
    await visitor.result();
    // The key opens the form of the focused state.
    await visitor.state("Each").click({ position: { x: 10, y: 6 } });
    await visitor.state("Each").press("e");
    await eventually(() => page.evaluate(() => document.activeElement?.closest("#inspect-form") !== null), true);
    const first = form(page).locator(".form-first li");
    await eventually(() => first.allInnerTexts(), ['{"n":2}', '{"n":4}', '{"n":6}']);
    await form(page).getByRole("textbox", { name: "ItemSelector" }).fill('{ "m": "{% $states.context.Map.Item.Index %}" }');
    await eventually(() => first.allInnerTexts(), ['{"m":0}', '{"m":1}', '{"m":2}']);
  });

  visit("is a tab of its own on a phone", { width: 360, height: 740, hasTouch: true }, async (visitor, page) => {
    await visitor.importText(ORDER);
    await visitor.state("Charge").tap();
    await page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name: "Inspect" }).tap();
    await page.getByRole("tab", { name: "Form", exact: true }).tap();
    await form(page).getByLabel("Comment", { exact: true }).fill("By thumb");
    await page.keyboard.press("Tab");
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    assert.ok(await form(page).evaluate((element) => element.scrollWidth <= element.clientWidth));
    assert.deepEqual(await visitor.violationsInEveryLook(undefined, "#inspect-form"), []);
    await page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name: "Code" }).tap();
    await until(async () => assert.match(await shownLines(visitor), /"Comment":\s*"By thumb"/));
  });
});
