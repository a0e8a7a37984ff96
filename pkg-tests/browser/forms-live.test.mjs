// What forms propose and show from the text, the machine's tasks and the last run.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { skip } from "../browser.mjs";
import { untilMachine } from "./definition.mjs";
import { eventually, until, visits } from "./playground.mjs";

/** The rules of axe for the form alone. Other tests check the whole page. */
const EVERYBODY = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

const FUNCTION = "arn:aws:lambda:us-east-1:123456789012:function";

describe("forms with proposals and values", { skip }, () => {
  const { visit } = visits();

  const form = (page) => page.getByRole("tabpanel", { name: "Form" });
  const select = async (visitor, name) => {
    await visitor.state(name).click();
    await visitor.page.getByRole("tab", { name: "Form", exact: true }).click();
    await eventually(() => form(visitor.page).getByRole("textbox", { name: "Name", exact: true }).inputValue(), name);
  };
  const box = (page, name) => form(page).getByRole("textbox", { name, exact: true }).first();
  /** The proposals at the end of what is typed. */
  const proposed = (page) => form(page).getByRole("listbox").getByRole("option");
  const proposes = (page, passes) =>
    until(async () => {
      const known = await labels(page);
      assert.ok(passes(known), known.join());
    });
  const labels = (page) => proposed(page).locator("code").allInnerTexts();
  /** Replaces the text of a field by typing. */
  const type = async (page, name, text) => {
    await box(page, name).fill("");
    await box(page, name).pressSequentially(text);
  };
  const take = async (page, label) => {
    const one = proposed(page).filter({ has: page.locator("code", { hasText: label }) });
    await one.first().click();
    await proposed(page).first().waitFor({ state: "detached" });
  };

  visit("proposes Resources: of other tasks, mocks, handlers, services and placeholders", { reusePage: true }, async (visitor, page) => {
    await visitor.open({
      definition: `{
  "StartAt": "Pay",
  "States": {
    "Pay": { "Type": "Task", "Resource": "arn:aws:lambda:eu-west-1:210987654321:function:Pay", "Next": "Tell" },
    "Tell": { "Type": "Task", "Resource": "\${Queue}", "Next": "Ship" },
    "Ship": { "Type": "Task", "Resource": "", "End": true }
  }
}`,
      tasks: 'export default {\n  ShipIt: async () => ({ shipped: true }),\n  "Weigh": ({ kg }) => kg,\n};',
    });
    await select(visitor, "Ship");
    await box(page, "Resource").focus();
    await page.keyboard.press("ArrowDown");
    await until(async () => {
      const known = await labels(page);
      for (const one of ["function:Pay", "function:ShipIt", "function:Weigh"].map(
        (name) => `arn:aws:lambda:eu-west-1:210987654321:${name}`,
      ))
        assert.ok(known.includes(one), `${one} of ${known}`);
      assert.ok(known.includes("${Queue}"));
    });
    await page.keyboard.press("Escape");
    await type(page, "Resource", "weigh");
    await proposes(page, (known) => known[0].endsWith(":function:Weigh"));
    await page.keyboard.press("Enter");
    await untilMachine(visitor, ({ States }) => assert.equal(States.Ship.Resource, "arn:aws:lambda:eu-west-1:210987654321:function:Weigh"));
    // A proposal that is accepted before the list is updated replaces everything that was typed.
    await type(page, "Resource", "sqs:send");
    await proposes(page, (known) => known.includes("arn:aws:states:::sqs:sendMessage"));
    await box(page, "Resource").evaluate((field) => {
      field.setRangeText("Mess", field.value.length, field.value.length, "end");
      field.dispatchEvent(new InputEvent("input", { bubbles: true }));
      const offered = [...document.querySelectorAll("#inspect-form [role=option]")];
      offered.find((one) => one.querySelector("code").textContent === "arn:aws:states:::sqs:sendMessage").click();
    });
    await eventually(() => box(page, "Resource").inputValue(), "arn:aws:states:::sqs:sendMessage");
    // An action of a service is added with its required parameters.
    await type(page, "Resource", "sqs:sendMessage");
    await take(page, "arn:aws:states:::sqs:sendMessage");
    await untilMachine(visitor, ({ States }) => {
      assert.equal(States.Ship.Resource, "arn:aws:states:::sqs:sendMessage");
      assert.ok("QueueUrl" in States.Ship.Parameters, JSON.stringify(States.Ship));
    });
  });

  visit(
    "proposes in JSON: keys with paths, paths, functions, variables, parameters and placeholders",
    { reusePage: true },
    async (visitor, page) => {
      await visitor.open({
        definition: {
          StartAt: "Begin",
          States: {
            Begin: {
              Type: "Pass",
              Assign: { limit: 3 },
              Comment: "From ${Queue} to ${Other}",
              Result: { queue: "${Queue}" },
              ResultPath: "$.made",
              Next: "Call",
            },
            Call: { Type: "Task", Resource: "arn:aws:states:::sqs:sendMessage", Next: "Shape" },
            Shape: { Type: "Task", QueryLanguage: "JSONata", Resource: `${FUNCTION}:Shape`, End: true },
          },
        },
        input: { order: { id: 7 }, "two words": 1 },
        tasks: "export default { Call: async () => ({}), Shape: async () => ({ size: 4 }) };",
      });
      await visitor.run();
      await visitor.result();
      await select(visitor, "Call");
      await type(page, "Parameters", '{ "ord');
      await take(page, '"order.$"');
      assert.equal(await box(page, "Parameters").inputValue(), '{ "order.$": "$.order"');
      await type(page, "Parameters", '{ "two');
      await take(page, '"two words.$"');
      assert.equal(await box(page, "Parameters").inputValue(), `{ "two words.$": "$['two words']"`);
      // A parameter with a custom name can also take its value from the data; one that has a value keeps it.
      await type(page, "Parameters", '{ "Body');
      await take(page, '"Body.$"');
      await page.keyboard.type("order.");
      await proposes(page, (known) => known.includes("id"));
      await page.keyboard.press("Escape");
      assert.equal(await box(page, "Parameters").inputValue(), '{ "Body.$": "$.order."');
      await type(page, "Parameters", '{ "Queue');
      await proposes(page, (known) => known.includes("QueueUrl"));
      await type(page, "Parameters", '{ "x.$": "States.Uu');
      await proposes(page, (known) => known.includes("UUID"));
      await type(page, "Parameters", '{ "QueueUrl": "${');
      await take(page, "${Queue}");
      assert.equal(await box(page, "Parameters").inputValue(), '{ "QueueUrl": "${Queue}');
      await page.keyboard.press("Escape");
      await select(visitor, "Shape");
      await type(page, "Arguments", '{ "n": "{% $lim');
      await take(page, "$limit");
      assert.equal(await box(page, "Arguments").inputValue(), '{ "n": "{% $limit');
      await type(page, "Arguments", '{ "n": "{% $uppe');
      await proposes(page, (known) => known.includes("$uppercase"));
      await page.keyboard.press("Escape");
      // In plain JSON only placeholders for the deployment are proposed.
      await select(visitor, "Begin");
      await box(page, "Result").press("ControlOrMeta+a");
      await box(page, "Result").pressSequentially('{ "queue": "${');
      await take(page, "${Queue}").catch(() => {});
      await box(page, "Result").press("End");
      assert.match(await box(page, "Result").inputValue(), /^\{ "queue": "\$\{/);
    },
  );

  const FAILING = {
    StartAt: "Ask",
    States: {
      Ask: {
        Type: "Task",
        Resource: `${FUNCTION}:Ask`,
        Retry: [
          { ErrorEquals: ["Other"] },
          { ErrorEquals: ["Down"], IntervalSeconds: 3, BackoffRate: 2, MaxAttempts: 2 },
          { ErrorEquals: ["States.ALL"], MaxAttempts: 1 },
        ],
        Catch: [
          { ErrorEquals: ["Other"], Next: "Done" },
          { ErrorEquals: ["Down"], ResultPath: "$.problem", Assign: { "why.$": "$.Error" }, Next: "Done" },
          { ErrorEquals: ["States.ALL"], Next: "Done" },
        ],
        Next: "Done",
      },
      Done: { Type: "Succeed" },
    },
  };

  visit("compares retriers and catchers with the last run", { reusePage: true }, async (visitor, page) => {
    await visitor.open({
      definition: FAILING,
      input: { id: 7 },
      tasks: 'import { TaskError } from "stepglass";\nexport default { Ask: async () => { throw new TaskError("Down", "not today"); } };',
    });
    await select(visitor, "Ask");
    const item = (list, nth) => form(page).getByRole("list", { name: list }).locator(":scope > li").nth(nth).locator(".form-verdict");
    await form(page).getByText("After a run, each retrier shows here which errors it matched").waitFor();
    await visitor.run();
    await visitor.result();
    await form(page).getByText("In run 1 it failed 3 times: Down.").first().waitFor();
    await eventually(() => item("Retriers", 0).innerText(), /Does not match Down/);
    await eventually(
      () => item("Retriers", 1).innerText(),
      /Matched\s+Down in attempts 1, 2, 3\s+waited 3\.0 s, 6\.0 s\s+no retry left after 2/,
    );
    await eventually(() => item("Retriers", 2).innerText(), /Not reached: an earlier retrier takes Down/);
    await eventually(() => item("Catchers", 0).innerText(), /Does not match Down/);
    await eventually(
      () => item("Catchers", 1).innerText(),
      /Caught\s+Down not today\s+The next state gets \{"id":7,"problem":\{"Error":"Down","Cause":"not today"\}\}\s+Variables \{"why":"Down"\}/,
    );
    await eventually(() => item("Catchers", 2).innerText(), /Not reached: an earlier catcher takes Down/);
    // After an edit, the handlers are compared with the same errors, and waits that did not happen are not shown.
    await form(page).getByRole("textbox", { name: "ResultPath", exact: true }).last().fill("$.other");
    await eventually(() => item("Catchers", 1).innerText(), /"other":\{"Error":"Down"/);
    await form(page).getByRole("button", { name: "Remove Retrier 2" }).click();
    await eventually(() => item("Retriers", 1).innerText(), /Matched\s+Down in attempts 1, 2\s+no retry left after 1/);
    await eventually(() => item("Catchers", 1).innerText(), /Caught\s+Down/);
    assert.deepEqual(await visitor.violations(EVERYBODY, "#inspect-form"), []);
  });

  visit("shows the value of a JSONata catcher's Output", { reusePage: true }, async (visitor, page) => {
    await visitor.open({
      definition: {
        QueryLanguage: "JSONata",
        StartAt: "Ask",
        States: {
          Ask: {
            Type: "Task",
            Resource: `${FUNCTION}:Ask`,
            Catch: [{ ErrorEquals: ["States.ALL"], Next: "Done" }],
            Next: "Done",
          },
          Done: { Type: "Succeed" },
        },
      },
      input: { fail: true },
      tasks: 'import { TaskError } from "stepglass";\nexport default { Ask: async () => { throw new TaskError("Down", "no"); } };',
    });
    await visitor.run();
    await visitor.result();
    await select(visitor, "Ask");
    const head = form(page).getByRole("list", { name: "Catchers" }).locator(".form-verdict");
    await eventually(() => head.innerText(), /Caught\s+Down no\s+The next state gets \{"Error":"Down","Cause":"no"\}/);
    await form(page).getByRole("button", { name: "Add Output" }).last().click();
    await box(page, "Output")
      .or(form(page).getByRole("textbox", { name: "Output" }))
      .last()
      .fill('{ "why": "{% $states.errorOutput.Cause %}" }');
    await eventually(() => head.innerText(), /The next state gets \{"why":"no"\}/);
  });
});
