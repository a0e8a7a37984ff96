// The settings, the clock and the input with which an execution starts.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { skip } from "../browser.mjs";
import { toYaml } from "./definition.mjs";
import { eventually, visits } from "./playground.mjs";

const CONTEXT = {
  StartAt: "Look",
  States: {
    Look: {
      Type: "Pass",
      Parameters: {
        "id.$": "$$.Execution.Id",
        "name.$": "$$.Execution.Name",
        "at.$": "$$.Execution.StartTime",
        "n.$": "States.MathRandom(1, 1000000)",
      },
      Next: "Rest",
    },
    Rest: { Type: "Wait", Seconds: 7200, End: true },
  },
};

describe("settings of an execution", { skip }, () => {
  const { site, visit } = visits();
  const config = (page) => page.getByRole("region", { name: "Config" });

  visit(
    "uses the name, the ARN, the start time and the seed of Config, also in the Context Object",
    { reusePage: true },
    async (visitor, page) => {
      await visitor.open({ definition: CONTEXT });
      await visitor.tab("Config");
      const pane = config(page);
      await pane.getByLabel("Name", { exact: true }).fill("order-17");
      await pane.getByLabel(/^ARN/).fill("arn:aws:states:eu-west-1:1:execution:m:order-17");
      await pane.getByLabel(/^Start time/).fill("2030-01-02T03:04:05");
      await pane.getByLabel(/^Seed/).fill("7");
      await page.keyboard.press("Tab");
      await eventually(
        () => pane.locator('pre[aria-label="Context Object"]').innerText(),
        /"Name": "order-17"[\s\S]*"StartTime": "2030-01-02T03:04:05.000Z"/,
      );
      await visitor.run();
      const { n, ...rest } = await visitor.output();
      assert.deepEqual(rest, { id: "arn:aws:states:eu-west-1:1:execution:m:order-17", name: "order-17", at: "2030-01-02T03:04:05Z" });
      await pane.locator('pre[aria-label="Context Object"]', { hasText: '"State": {' }).waitFor();
      // The settings are part of the draft, so a reload keeps them.
      await visitor.waitForDraft('"s":7');
      await visitor.waitForDraft('"startTime"');
      await page.reload();
      await visitor.ready();
      await visitor.run();
      await eventually(() => visitor.output(), { n, ...rest });
    },
  );

  visit(
    "advances a manual clock by a second, a minute, to a date and to a timer of the list",
    { reusePage: true },
    async (visitor, page) => {
      const waits = {
        StartAt: "Both",
        States: {
          Both: {
            Type: "Parallel",
            Branches: [
              ["Short", 600],
              ["Long", 86_400],
            ].map(([name, Seconds]) => ({ StartAt: name, States: { [name]: { Type: "Wait", Seconds, End: true } } })),
            End: true,
          },
        },
      };
      await visitor.open({ definition: waits });
      await visitor.tab("Config");
      const pane = config(page);
      await pane.getByLabel(/^Start time/).fill("2030-01-01T00:00:00");
      await pane.getByLabel(/^Clock/).selectOption("manual");
      await visitor.run();
      const timers = pane.getByRole("list", { name: "Pending timers" });
      await timers.waitFor();
      await eventually(() => timers.innerText(), /Short\s+wait in 10 min[\s\S]*Long\s+wait in 1 d/, "in the order in which they come");
      await pane.getByRole("button", { name: "+1 s" }).click();
      await pane.getByText("2030-01-01 00:00:01 UTC").waitFor();
      await pane.getByRole("button", { name: "+1 min" }).click();
      await pane.getByText("2030-01-01 00:01:01 UTC").waitFor();
      await timers.getByText("in 8 min 59 s").waitFor();
      await timers.getByRole("button", { name: "Short" }).click();
      await pane.getByText("2030-01-01 00:10:00 UTC").waitFor();
      await timers.getByRole("button", { name: "Short" }).waitFor({ state: "detached" });
      await pane.getByLabel("To, UTC").fill("2029-12-31T00:00:00");
      await pane.getByText("This time has already passed.").waitFor();
      await eventually(() => pane.getByRole("button", { name: "Go there" }).isDisabled(), true);
      await pane.getByLabel("To, UTC").fill("2030-01-01T20:00:00");
      await pane.getByRole("button", { name: "Go there" }).click();
      await pane.getByText("2030-01-01 20:00:00 UTC").waitFor();
      await pane.getByRole("button", { name: "+1 h" }).click();
      await timers.getByRole("button", { name: "Long" }).click();
      await eventually(() => visitor.result().then((result) => result.innerText()), /SUCCEEDED/);
    },
  );

  visit("shows for a moment that time is skipped, without delaying the run", { reducedMotion: "no-preference" }, async (visitor, page) => {
    const waits = Object.fromEntries(
      Array.from({ length: 20 }, (_, i) => [
        `W${i}`,
        { Type: "Wait", Seconds: 86_400 * (i + 1), ...(i < 19 ? { Next: `W${i + 1}` } : { End: true }) },
      ]),
    );
    await visitor.open({ definition: { StartAt: "W0", States: waits } });
    // The skipping of time is visible only if the graph is drawn already.
    await visitor.state("W19").waitFor();
    await page.evaluate(() => {
      globalThis.seen = [];
      new MutationObserver(() =>
        seen.push(
          ...[...document.querySelectorAll(".remaining text")].map((text) => text.textContent).filter((text) => !seen.includes(text)),
        ),
      ).observe(document.querySelector("#graph-pane"), { childList: true, subtree: true, characterData: true });
    });
    await visitor.run();
    await visitor.result();
    await eventually(() => page.evaluate(() => globalThis.seen.slice(0, 3)), ["1 d", "2 d", "3 d"]);
    await eventually(() => page.locator(".remaining").count(), 0, "nothing of it stays");
    assert.ok((await page.evaluate(() => globalThis.seen.length)) <= 8, "only the first: who watches has seen how it goes");
  });

  visit("lifts AWS's limits, and runs as Express, if chosen", { reusePage: true }, async (visitor, page) => {
    const large = {
      StartAt: "Grow",
      States: { Grow: { Type: "Task", Resource: "arn:aws:lambda:us-east-1:123456789012:function:grow", End: true } },
    };
    await visitor.open({ definition: large, tasks: "export default { grow: () => 'x'.repeat(300_000) };" });
    await visitor.run();
    await eventually(() => visitor.result().then((result) => result.innerText()), /FAILED[\s\S]*States\.DataLimitExceeded/);
    await visitor.tab("Config");
    await config(page)
      .getByLabel(/Limit payloads to 256 KiB/)
      .uncheck();
    await visitor.run();
    await page.locator(".result", { hasText: "SUCCEEDED" }).waitFor();
    const count = {
      StartAt: "Add",
      States: {
        Add: { Type: "Pass", Parameters: { "n.$": "States.MathAdd($.n, 1)" }, Next: "Enough" },
        Enough: { Type: "Choice", Choices: [{ Variable: "$.n", NumericGreaterThan: 6500, Next: "Done" }], Default: "Add" },
        Done: { Type: "Succeed" },
      },
    };
    await visitor.open({ definition: count, input: { n: 0 } });
    await visitor.run();
    await page.locator(".result", { hasText: /FAILED[\s\S]*25,000 events/i }).waitFor();
    await visitor.tab("Config");
    await config(page)
      .getByLabel(/Limit the history to 25,000 events/)
      .uncheck();
    await config(page).getByLabel(/^Type/).selectOption("EXPRESS");
    await visitor.run();
    await page.locator(".result", { hasText: /SUCCEEDED[\s\S]*26,\d+ events/i }).waitFor();
  });

  visit("keeps the digits of the input's numbers in the output", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: { StartAt: "Keep", States: { Keep: { Type: "Pass", End: true } } } });
    await visitor.tab("Input");
    await visitor.write("Input", '{"id":12345678901234567890,"price":1.0, "none":[ ],"text":"a: [1.0, \\"b\\"]"}');
    await visitor.run();
    const shown = `{
  "id": 12345678901234567890,
  "price": 1.0,
  "none": [],
  "text": "a: [1.0, \\"b\\"]"
}`;
    const view = (around, label) => page.locator(around).locator("figure.json", { hasText: label }).locator("code").first();
    await eventually(() => view(".result", "Output").innerText(), shown);
    await eventually(() => view(".after-run", "Output").innerText(), shown);
  });

  visit("starts nothing with an input or a name that AWS refuses, and says why", { reusePage: true }, async (visitor, page) => {
    const definition = { StartAt: "Keep", States: { Keep: { Type: "Pass", End: true } } };
    await visitor.open({ definition });
    const refused = async (words) => {
      await visitor.run();
      await page.locator(".result", { hasText: words }).waitFor();
      await eventually(() => page.locator(".result").innerText(), /^\s*Not started/);
      await eventually(() => page.locator(".status-text").innerText(), "Not started");
    };
    await visitor.tab("Input");
    await visitor.write("Input", JSON.stringify({ text: "x".repeat(7_200_000) }));
    await refused("The input is 6.9 MiB. AWS takes at most 256 KiB.");
    // The run uses the limit that is set in Config.
    await visitor.tab("Config");
    await config(page)
      .getByLabel(/Limit payloads to 256 KiB/)
      .uncheck();
    await visitor.run();
    await page.locator(".result", { hasText: "SUCCEEDED" }).waitFor();
    await visitor.tab("Input");
    await visitor.write("Input", `${"[".repeat(129)}${"]".repeat(129)}`);
    await refused("The input is nested deeper than 128 levels at character 128.");
    await visitor.write("Input", '{"a": "1e999", "b": [1e999]}');
    await refused("The input has a number that is larger than any double at character 21.");
    await visitor.write("Input", "{");
    await refused("The input is not JSON:");
    await visitor.write("Input", "{}");
    await visitor.tab("Config");
    await config(page).getByLabel("Name").fill("a b");
    await refused("The execution's name “a b” has a space, which AWS refuses in a name.");
  });

  visit(
    "runs in spite of warnings unless AWS strictness is chosen, and lists the problems of the chosen type",
    { reusePage: true },
    async (visitor, page) => {
      const callback = {
        StartAt: "A",
        States: {
          A: {
            Type: "Task",
            Resource: "arn:aws:states:::lambda:invoke.waitForTaskToken",
            Parameters: { FunctionName: "f", "Payload.$": "$$.Task.Token" },
            End: true,
          },
        },
      };
      await visitor.open({ definition: callback });
      const problems = page.locator(".problems-head");
      await problems.filter({ hasText: "No problems" }).waitFor({ state: "attached" });
      await visitor.tab("Config");
      await config(page).getByLabel(/^Type/).selectOption("EXPRESS");
      await problems.filter({ hasText: "1 error" }).waitFor({ state: "attached" });
      await visitor.run();
      await page.getByRole("alert").filter({ hasText: "Not started. The definition has an error" }).waitFor();
      await config(page).getByLabel(/^Type/).selectOption("STANDARD");
      await problems.filter({ hasText: "No problems" }).waitFor({ state: "attached" });

      await visitor.tab("Definition");
      await visitor.write(
        "Definition",
        JSON.stringify({ StartAt: "Wait", States: { Wait: { Type: "Pass", Parameters: { said: "$.text" }, End: true } } }),
      );
      await problems.filter({ hasText: "1 warning" }).waitFor({ state: "attached" });
      await visitor.run();
      await eventually(() => visitor.result().then((result) => result.innerText()), /SUCCEEDED/, "as AWS has it, a warning stops nothing");
      await visitor.tab("Config");
      await config(page)
        .getByLabel(/^AWS strictness/)
        .selectOption("strict");
      await visitor.run();
      await page.getByRole("alert").filter({ hasText: "Not started. The definition has a warning, and Config is strict" }).waitFor();
      // A link contains all settings of Config.
      await page.getByRole("button", { name: "Share" }).click();
      await page.waitForFunction(() => document.querySelector("dialog textarea")?.value.includes("#v1."));
      const link = await page.getByRole("textbox", { name: "Link" }).inputValue();
      const other = await site.visit({ hash: link.slice(link.indexOf("#")) });
      await other.ready();
      await other.run();
      await other.page.getByRole("alert").filter({ hasText: "Config is strict" }).waitFor();
      await other.leave();
    },
  );

  visit("sets the query language of all states in the definition's text", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: `{\n  "Comment": "none said",\n  "StartAt": "A",\n  "States": { "A": { "Type": "Succeed" } }\n}` });
    await visitor.tab("Config");
    const language = config(page).getByLabel(/^Query language/);
    await eventually(() => language.inputValue(), "");
    await language.selectOption("JSONata");
    const text = () => visitor.editor("Definition").innerText();
    await visitor.tab("Definition");
    await eventually(text, /^\{\n  "QueryLanguage": "JSONata",\n  "Comment": "none said",/);
    await visitor.tab("Config");
    await language.selectOption("JSONPath");
    await visitor.tab("Definition");
    await eventually(text, /"QueryLanguage": "JSONPath",\n  "Comment"/);
    await toYaml(page);
    await visitor.tab("Config");
    await eventually(() => language.inputValue(), "JSONPath");
    await language.selectOption("");
    await visitor.tab("Definition");
    await eventually(text, /^Comment: none said\nStartAt: A/);
  });

  visit(
    "generates inputs from the definition, names them, selects them, and takes them from a history",
    { reusePage: true },
    async (visitor, page) => {
      await visitor.open({
        definition: {
          StartAt: "A",
          States: {
            A: { Type: "Choice", Choices: [{ Variable: "$.order.total", NumericGreaterThan: 10, Next: "B" }], Default: "B" },
            B: { Type: "Pass", Parameters: { "who.$": "$.order.customer.name" }, End: true },
          },
        },
        input: { mine: true },
      });
      await visitor.tab("Input");
      await page.getByRole("button", { name: "Generate from the definition" }).click();
      const written = async (text) => {
        await visitor.editor("Input").filter({ hasText: text }).waitFor();
        return JSON.parse(await visitor.editor("Input").innerText());
      };
      await eventually(() => written("customer"), { order: { total: 1, customer: { name: "name" } } });
      const chosen = page.getByLabel("Input to run with");
      await eventually(() => chosen.locator("option").allInnerTexts(), ["Input 1", "Generated"], "what was there is kept");
      await page.getByRole("button", { name: "Rename" }).click();
      await page.getByLabel("Name of the input").fill("Small order");
      await page.keyboard.press("Enter");
      await chosen.locator("option", { hasText: "Small order" }).waitFor({ state: "attached" });
      await chosen.selectOption("Input 1");
      await written("mine");
      await page.getByRole("button", { name: "From a history…" }).click();
      const field = page.getByLabel("History, as get-execution-history prints it");
      await field.fill("{}");
      await page.getByRole("button", { name: "Take its input" }).click();
      await page.getByText("The history has no events.").waitFor();
      await field.fill(
        JSON.stringify({
          events: [
            {
              id: 1,
              previousEventId: 0,
              timestamp: "2030-01-01T00:00:00Z",
              type: "ExecutionStarted",
              executionStartedEventDetails: { input: '{"from":"there"}' },
            },
          ],
        }),
      );
      await page.getByRole("button", { name: "Take its input" }).click();
      await eventually(() => written("from"), { from: "there" });
      await page.getByRole("button", { name: "Remove" }).click();
      await eventually(() => chosen.locator("option").allInnerTexts(), ["The text below", "Input 1", "Small order"]);
    },
  );

  for (const [name, options] of [
    ["a large window", {}],
    ["a phone", { width: 360, height: 740 }],
  ]) {
    test(`has accessible settings and inputs: ${name}`, async () => {
      const visitor = await site.visit(options);
      const { page } = visitor;
      await page.locator("[data-node]").first().waitFor();
      if (options.width) await page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name: "Code" }).click();
      await visitor.tab("Config");
      await config(page)
        .getByLabel(/^Clock/)
        .selectOption("manual");
      await page.keyboard.press("ControlOrMeta+Enter");
      if (options.width) await page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name: "Code" }).click();
      await config(page).getByLabel("To, UTC").waitFor();
      await eventually(() => visitor.violationsInEveryLook(["dark"]), [], "Config");
      await eventually(() => page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
      await visitor.tab("Input");
      await page.getByRole("button", { name: "From a history…" }).click();
      await page.getByRole("button", { name: "Take its input" }).waitFor();
      await eventually(() => visitor.violationsInEveryLook(["dark"]), [], "Input");
      await visitor.leave();
    });
  }
});
