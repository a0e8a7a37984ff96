// What forms know: of the text, of the machine's tasks, and of the last run.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { skip } from "../browser.mjs";
import { becomes } from "./definition.mjs";
import { comes, until, visits } from "./playground.mjs";

/** What axe looks for in the form by itself; the whole page is looked at elsewhere. */
const EVERYBODY = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

const FUNCTION = "arn:aws:lambda:us-east-1:123456789012:function";

describe("forms and what is known", { skip }, () => {
  const { visit } = visits();

  const form = (page) => page.getByRole("tabpanel", { name: "Form" });
  const select = async (visitor, name) => {
    await visitor.state(name).click();
    await visitor.page.getByRole("tab", { name: "Form", exact: true }).click();
    await comes(() => form(visitor.page).getByRole("textbox", { name: "Name", exact: true }).inputValue(), name);
  };
  const box = (page, name) => form(page).getByRole("textbox", { name, exact: true }).first();
  /** What is proposed at the end of what is typed. */
  const proposed = (page) => form(page).getByRole("listbox").getByRole("option");
  const proposes = (page, passes) =>
    until(async () => {
      const known = await labels(page);
      assert.ok(passes(known), known.join());
    });
  const labels = (page) => proposed(page).locator("code").allInnerTexts();
  /** As somebody types, who may have something in the box. */
  const type = async (page, name, text) => {
    await box(page, name).fill("");
    await box(page, name).pressSequentially(text);
  };
  const take = async (page, label) => {
    const one = proposed(page).filter({ has: page.locator("code", { hasText: label }) });
    await one.first().click();
    await proposed(page).first().waitFor({ state: "detached" });
  };

  visit(
    "a Resource is proposed: of other tasks, of mocks and handlers, of services, of placeholders",
    { staying: true },
    async (visitor, page) => {
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
      await becomes(visitor, ({ States }) => assert.equal(States.Ship.Resource, "arn:aws:lambda:eu-west-1:210987654321:function:Weigh"));
      // One that is taken before the list follows what was typed comes in place of all of it.
      await type(page, "Resource", "sqs:send");
      await proposes(page, (known) => known.includes("arn:aws:states:::sqs:sendMessage"));
      await box(page, "Resource").evaluate((field) => {
        field.setRangeText("Mess", field.value.length, field.value.length, "end");
        field.dispatchEvent(new InputEvent("input", { bubbles: true }));
        const offered = [...document.querySelectorAll("#inspect-form [role=option]")];
        offered.find((one) => one.querySelector("code").textContent === "arn:aws:states:::sqs:sendMessage").click();
      });
      await comes(() => box(page, "Resource").inputValue(), "arn:aws:states:::sqs:sendMessage");
      // An action of a service comes with what it needs.
      await type(page, "Resource", "sqs:sendMessage");
      await take(page, "arn:aws:states:::sqs:sendMessage");
      await becomes(visitor, ({ States }) => {
        assert.equal(States.Ship.Resource, "arn:aws:states:::sqs:sendMessage");
        assert.ok("QueueUrl" in States.Ship.Parameters, JSON.stringify(States.Ship));
      });
    },
  );

  visit(
    "JSON is proposed: keys with paths, paths, functions, variables, parameters, placeholders",
    { staying: true },
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
      // A name of one's own takes its value from the data, too; one that has a value keeps it.
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
      // Of what is plain JSON there is what a deployment replaces.
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

  visit("retriers and catchers are held against the last run", { staying: true }, async (visitor, page) => {
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
    await comes(() => item("Retriers", 0).innerText(), /Does not match Down/);
    await comes(
      () => item("Retriers", 1).innerText(),
      /Matched\s+Down in attempts 1, 2, 3\s+waited 3\.0 s, 6\.0 s\s+no retry left after 2/,
    );
    await comes(() => item("Retriers", 2).innerText(), /Not reached: an earlier retrier takes Down/);
    await comes(() => item("Catchers", 0).innerText(), /Does not match Down/);
    await comes(
      () => item("Catchers", 1).innerText(),
      /Caught\s+Down not today\s+The next state gets \{"id":7,"problem":\{"Error":"Down","Cause":"not today"\}\}\s+Variables \{"why":"Down"\}/,
    );
    await comes(() => item("Catchers", 2).innerText(), /Not reached: an earlier catcher takes Down/);
    // What is changed is held against the same errors, and nothing is said of waits that were not.
    await form(page).getByRole("textbox", { name: "ResultPath", exact: true }).last().fill("$.other");
    await comes(() => item("Catchers", 1).innerText(), /"other":\{"Error":"Down"/);
    await form(page).getByRole("button", { name: "Remove Retrier 2" }).click();
    await comes(() => item("Retriers", 1).innerText(), /Matched\s+Down in attempts 1, 2\s+no retry left after 1/);
    await comes(() => item("Catchers", 1).innerText(), /Caught\s+Down/);
    assert.deepEqual(await visitor.violations(EVERYBODY, "#inspect-form"), []);
  });

  visit("in JSONata a catcher shows what its Output gives", { staying: true }, async (visitor, page) => {
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
    await comes(() => head.innerText(), /Caught\s+Down no\s+The next state gets \{"Error":"Down","Cause":"no"\}/);
    await form(page).getByRole("button", { name: "Add Output" }).last().click();
    await box(page, "Output")
      .or(form(page).getByRole("textbox", { name: "Output" }))
      .last()
      .fill('{ "why": "{% $states.errorOutput.Cause %}" }');
    await comes(() => head.innerText(), /The next state gets \{"why":"no"\}/);
  });
});
