// The forms of all types and of the machine fit any font and window, and are accessible.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { skip } from "../browser.mjs";
import { faults, fonts, useFont } from "./boxes.mjs";
import { command } from "./definition.mjs";
import { eventually, visits } from "./playground.mjs";

const SIZES = [
  [1440, 900],
  [1024, 768],
  [768, 900],
  [360, 740],
];

/** The rules of axe for the form alone. Other tests check the whole page. */
const EVERYBODY = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

const LAMBDA = "arn:aws:lambda:us-east-1:123456789012:function";
const inner = (name) => ({ StartAt: name, States: { [name]: { Type: "Pass", End: true } } });
const errors = (more) => ({
  Retry: [
    { ErrorEquals: ["States.Timeout", "Lambda.TooManyRequestsException"], IntervalSeconds: 2, MaxAttempts: 2, JitterStrategy: "FULL" },
    { ErrorEquals: ["States.ALL"], MaxAttempts: 0 },
  ],
  Catch: [{ ErrorEquals: ["States.ALL"], ...more, Assign: { failed: true }, Next: "Give up with a word" }],
});

/** Each type with most of its fields, and with names and values of realistic length. */
const MACHINES = {
  JSONPath: {
    Comment: "Takes an order, looks at each of its lines, waits for the payment, and tells everybody",
    StartAt: "Prepare the order",
    TimeoutSeconds: 86400,
    States: {
      "Prepare the order": {
        Type: "Pass",
        Comment: "What is asked for",
        Parameters: { "id.$": "$.order.id", "lines.$": "$.order.lines" },
        ResultPath: "$.prepared",
        Assign: { "customer.$": "$$.Execution.Input.order.customer" },
        Next: "Charge the customer's card",
      },
      "Charge the customer's card": {
        Type: "Task",
        Resource: `${LAMBDA}:ChargeTheCustomersCardWithANameAsLongAsLambdaLetsAFunctionHaveIt`,
        Parameters: { "amount.$": "$.order.total", currency: "EUR" },
        TimeoutSeconds: 30,
        HeartbeatSeconds: 10,
        ResultSelector: { "receipt.$": "$.receipt" },
        ...errors({ ResultPath: "$.problem" }),
        Next: "Is it worth it?",
      },
      "Is it worth it?": {
        Type: "Choice",
        Choices: [
          {
            And: [
              { Variable: "$.order.total", NumericGreaterThan: 100 },
              { Not: { Variable: "$.order.customer.country", StringEquals: "Portugal" } },
            ],
            Next: "Wait for the payment",
          },
          { Variable: "$.order.id", IsPresent: true, Next: "Each line of the order" },
        ],
        Default: "Give up with a word",
      },
      "Wait for the payment": { Type: "Wait", TimestampPath: "$.order.due", Next: "Each line of the order" },
      "Each line of the order": {
        Type: "Map",
        ItemsPath: "$.order.lines",
        ItemSelector: { "line.$": "$$.Map.Item.Value", "index.$": "$$.Map.Item.Index" },
        MaxConcurrency: 4,
        ItemProcessor: inner("Pick one line"),
        ToleratedFailurePercentage: 5,
        ...errors({}),
        Next: "Tell everybody",
      },
      "Tell everybody": {
        Type: "Parallel",
        Branches: [inner("Write a letter"), inner("Ring the bell")],
        ResultPath: "$.told",
        Next: "All is well",
      },
      "All is well": { Type: "Succeed", OutputPath: "$.told" },
      "Give up with a word": { Type: "Fail", Error: "OrderCouldNotBeTaken", CausePath: "$.problem.Cause" },
    },
  },
  JSONata: {
    QueryLanguage: "JSONata",
    Comment: "The same by expressions",
    StartAt: "Prepare the order",
    States: {
      "Prepare the order": {
        Type: "Pass",
        Output: { order: "{% $states.input.order %}", sum: "{% $sum($states.input.order.lines.price) %}" },
        Assign: { customer: "{% $states.input.order.customer %}" },
        Next: "Charge the customer's card",
      },
      "Charge the customer's card": {
        Type: "Task",
        Resource: "arn:aws:states:::sqs:sendMessage.waitForTaskToken",
        Arguments: {
          QueueUrl: "https://sqs.eu-west-1.amazonaws.com/123456789012/charges",
          MessageBody: "{% $states.context.Task.Token %}",
        },
        TimeoutSeconds: "{% $states.input.patience %}",
        ...errors({ Output: "{% $states.errorOutput %}" }),
        Next: "Is it worth it?",
      },
      "Is it worth it?": {
        Type: "Choice",
        Choices: [{ Condition: "{% $states.input.total > 100 and $customer.country != 'Portugal' %}", Next: "Wait for the payment" }],
        Default: "Give up with a word",
      },
      "Wait for the payment": { Type: "Wait", Seconds: "{% $states.input.order.patience * 60 %}", Next: "Each line of the order" },
      "Each line of the order": {
        Type: "Map",
        ItemReader: {
          Resource: "arn:aws:states:::s3:getObject",
          ReaderConfig: { InputType: "CSV", CSVHeaderLocation: "FIRST_ROW" },
          Arguments: { Bucket: "orders", Key: "{% $states.input.key %}" },
        },
        ItemBatcher: { MaxItemsPerBatch: 10 },
        ItemProcessor: { ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" }, ...inner("Pick one line") },
        ResultWriter: { Resource: "arn:aws:states:::s3:putObject", Arguments: { Bucket: "orders", Prefix: "done" } },
        Next: "Tell everybody",
      },
      "Tell everybody": { Type: "Parallel", Branches: [inner("Write a letter"), inner("Ring the bell")], Next: "All is well" },
      "All is well": { Type: "Succeed", Output: { told: "{% $count($states.input) %}" } },
      "Give up with a word": { Type: "Fail", Error: "OrderCouldNotBeTaken", Cause: "{% 'It was ' & $states.input.why %}" },
    },
  },
};

/** A task fails, so that its retriers and catchers show what they matched. */
const TASKS =
  'import { TaskError } from "stepglass";\nexport default { "*": async () => { throw new TaskError("CardDeclined", "not enough on it"); } };';

const INPUT = {
  order: {
    id: 7,
    total: 120,
    customer: { name: "Ada", country: "Portugal" },
    due: "2030-01-01T00:00:00Z",
    lines: [{ price: 1 }, { price: 2 }],
  },
};

describe("forms", { skip }, () => {
  const { site } = visits();

  for (const [language, definition] of Object.entries(MACHINES))
    test(`fit every window and font, and are accessible, in ${language}`, async () => {
      const visitor = await site.visit();
      const { page } = visitor;
      await visitor.ready();
      await visitor.open({ definition, input: INPUT, tasks: TASKS });
      // After a run, fields show values and verdicts; some states have not run.
      await visitor.run();
      await visitor.result();
      const hints = page.getByRole("region", { name: "Where a breakpoint would help" });
      await hints.getByRole("button").last().click();
      await hints.waitFor({ state: "detached" });
      const form = page.getByRole("tabpanel", { name: "Form" });
      const bad = [];
      /** A page is redrawn in steps after its size or its font has changed, so only faults that stay count. */
      const lastingFaults = async () => {
        const found = await faults(page);
        if (found.length === 0) return found;
        await visitor.waitUntilQuiet();
        return faults(page);
      };
      /** Every window is combined with every form, each time with another font. */
      let turn = 0;
      const holds = async (where) => {
        for (const [i, [width, height]] of SIZES.entries()) {
          const font = fonts[(i + turn) % Math.max(1, fonts.length)];
          if (font) await useFont(page, font);
          await page.setViewportSize({ width, height });
          const panes = page.getByRole("navigation", { name: "Panes" });
          if (width < 640) await panes.getByRole("button", { name: "Inspect" }).click();
          else if (width < 1024) await page.locator("#left-tab-inspector").click();
          await form.waitFor();
          const label = `${where}, ${width} × ${height}, ${font}`;
          bad.push(...(await lastingFaults()).map((fault) => `${label}: ${fault}`));
          if (await form.evaluate((element) => element.scrollWidth > element.clientWidth + 1))
            bad.push(`${label}: the form scrolls sideways`);
          await shot(page, `${language} ${where} ${width}`);
          // All rules are checked in some windows, and contrast in both colour schemes.
          if (i !== turn % SIZES.length) continue;
          await page.emulateMedia({ reducedMotion: "reduce", colorScheme: turn % 2 === 0 ? "dark" : "light" });
          bad.push(...(await visitor.violations(EVERYBODY, "#inspect-form")).map((one) => `${label}: ${one}`));
          await shot(page, `${language} ${where} ${width} ${turn % 2 === 0 ? "dark" : "light"}`);
          await page.emulateMedia({ reducedMotion: "reduce", colorScheme: "light" });
        }
        turn += 1;
        await page.setViewportSize({ width: SIZES[0][0], height: SIZES[0][1] });
        await page.locator("#inspector-pane").waitFor();
      };
      await page.keyboard.press("Escape");
      await page.locator(".canvas").click({ position: { x: 8, y: 300 } });
      await page.getByRole("tab", { name: "Form", exact: true }).click();
      await form.getByRole("combobox", { name: "StartAt" }).waitFor();
      await holds("machine");
      for (const [name, { Type }] of Object.entries(definition.States)) {
        await command(page, name);
        await page.getByRole("tab", { name: "Form", exact: true }).click();
        await eventually(() => form.getByRole("textbox", { name: "Name", exact: true }).inputValue(), name);
        await holds(Type);
      }
      assert.deepEqual([...new Set(bad)], []);
      await visitor.leave();
    });
});

/** Saves a picture of the whole form in the folder that the variable names, for inspection by eye. */
async function shot(page, name) {
  const folder = process.env.STEPGLASS_FORM_SHOTS;
  if (!folder) return;
  const { width, height } = page.viewportSize();
  await page.setViewportSize({ width, height: 2600 });
  await page.locator("#inspect-form").screenshot({ path: `${folder}/${name.replaceAll(" ", "-")}.png` });
  await page.setViewportSize({ width, height });
}
