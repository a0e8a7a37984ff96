// Writing in the definition's editor, in JSON and in YAML.
import { describe } from "node:test";
import { skip } from "../browser.mjs";
import { accept, endOf, writeYaml, proposals, putCursor, text } from "./definition.mjs";
import { eventually, visits } from "./playground.mjs";

const DEFINITION = `{
  "StartAt": "Charge",
  "States": {
    "Charge": {"Type": "Task", "Resource": "arn:aws:states:::lambda:invoke", "Next": "Ship"},
    "Ship": {"Type": "Pass", "InputPath": "$.order", "End": true}
  }
}`;

const YAML = `StartAt: Charge
States:
  # Money first.
  Charge:
    <<: &task
      Type: Task
      Resource: arn:aws:states:::lambda:invoke
    Next: Shipp
  Ship:
    <<: *task
    End: true
`;

describe("the editor", { skip }, () => {
  const { visit } = visits();

  visit("reports a placeholder outside of a string as a warning, and keeps the graph", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: DEFINITION.replace('"Next": "Ship"', '"TimeoutSeconds": ${Timeout}, "Next": "Ship"') });
    await visitor.state("Ship").waitFor();
    const marked = page.locator(".cm-lintRange-warning");
    await eventually(async () => (await marked.allInnerTexts()).join(""), "${Timeout}");
    await eventually(() => page.locator(".cm-lintRange-error").count(), 0);
    await marked.first().hover();
    await page
      .getByText("the placeholder ${Timeout} has no value")
      .or(page.getByText("the placeholder `${Timeout}` has no value"))
      .first()
      .waitFor();
  });

  visit(
    "reports a placeholder outside of a string in YAML as a warning, and keeps the graph",
    { reusePage: true },
    async (visitor, page) => {
      const definition =
        "StartAt: Charge\nStates:\n  Charge:\n    Type: Task\n    Resource: ${Charge}\n    TimeoutSeconds: ${Timeout}\n    Next: Nap\n  Nap: { Type: Wait, Seconds: ${Delay}, End: true }\n";
      await writeYaml(visitor, page, definition);
      await visitor.state("Nap").waitFor();
      const marked = page.locator(".cm-lintRange-warning");
      await eventually(async () => (await marked.allInnerTexts()).join(" "), "${Timeout} ${Delay}");
      await eventually(() => page.locator(".cm-lintRange-error").count(), 0);
    },
  );

  visit("explains a field, and shows the value of a path in the last run", { reusePage: true }, async (visitor, page) => {
    await visitor.open({
      definition: DEFINITION.replace(
        '"Charge": {"Type": "Task", "Resource": "arn:aws:states:::lambda:invoke", "Next"',
        '"Charge": {"Type": "Pass", "Next"',
      ),
      input: { order: { id: 7 } },
    });
    await visitor.run();
    await visitor.result();
    const hover = page.locator(".sg-hover");
    await page.locator(".cm-line", { hasText: "InputPath" }).locator("span", { hasText: '"InputPath"' }).first().hover();
    await hover.waitFor();
    await eventually(() => hover.innerText(), /InputPath · path or null · JSONPath\s+The part of the input/);
    await page.mouse.move(5, 5);
    await hover.waitFor({ state: "detached" });
    await page.locator(".cm-line", { hasText: "InputPath" }).locator("span", { hasText: '"$.order"' }).first().hover();
    await page.locator(".sg-hover-value").waitFor();
    await eventually(() => page.locator(".sg-hover-value").innerText(), 'Last value: {"id":7}');
  });

  visit("goes to the definition of a state, and lists its references", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: DEFINITION });
    await putCursor(visitor, '"Next": "Sh');
    await page.keyboard.press("F12");
    await page.waitForFunction(() => document.activeElement?.shadowRoot?.getSelection?.()?.toString() === "Ship");
    await page.locator(".breadcrumbs", { hasText: /States\s*›\s*Ship/ }).waitFor();
    await page.keyboard.press("Shift+F12");
    const list = page.getByRole("menu", { name: "Ship is used in 2 places" });
    await list.waitFor();
    await eventually(() => list.innerText(), /line 4[\s\S]*defined here · line 5/);
    await page.keyboard.press("Escape");
    await list.waitFor({ state: "detached" });
  });

  visit("renames a state everywhere", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: DEFINITION });
    await putCursor(visitor, '"Next": "Sh');
    await page.keyboard.press("F2");
    const field = page.getByLabel("Rename Ship to");
    await field.waitFor();
    await field.fill("Charge");
    await page.keyboard.press("Enter");
    await page.getByText("There is already a state `Charge`").waitFor();
    await field.fill("Send");
    await page.keyboard.press("Enter");
    await visitor.state("Send").waitFor();
    await eventually(async () => (await text(visitor)).match(/Send/g).length, 2);
    await page.keyboard.press("ControlOrMeta+z");
    await visitor.state("Ship").waitFor();
  });

  visit(
    "fixes a problem with Ctrl+. and from the list of problems, which is grouped by state",
    { reusePage: true },
    async (visitor, page) => {
      await visitor.open({ definition: DEFINITION.replace('"Next": "Ship"', '"Next": "Shipp"').replace(', "End": true', "") });
      const groups = page.locator(".problem-groups section");
      await groups.nth(2).waitFor();
      await eventually(
        async () => (await groups.locator("h2").allInnerTexts()).map((title) => title.split(/\s/)[0]).sort(),
        ["Charge", "Machine", "Ship"],
      );
      await putCursor(visitor, '"Next": "Sh');
      await page.keyboard.press("Control+.");
      await page.getByRole("menuitem", { name: /Did you mean/ }).click();
      await page.getByRole("button", { name: /Or end here|End here/ }).click();
      await page.locator(".problems-head", { hasText: "No problems" }).waitFor();
    },
  );

  visit("formats the text", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: '{"StartAt":"A",\n"States":{"A":{"Type":"Succeed"}}}' });
    await visitor.editor("Definition").focus();
    await page.keyboard.press("Shift+Alt+F");
    await page.locator(".cm-line", { hasText: /^ {2}"States": \{"A": \{"Type": "Succeed"\}\}$/ }).waitFor();
  });

  visit("goes to a state by its name", { reusePage: "Order processing" }, async (visitor, page) => {
    await visitor.editor("Definition").focus();
    await page.keyboard.press("Control+Shift+O");
    await page.getByRole("combobox", { name: "Name of the state" }).waitFor();
    await page.keyboard.type("pkp");
    await eventually(() => page.locator("#go-to-list li").first().locator("b").innerText(), "PackParcel");
    await eventually(() => visitor.violations(), []);
    await page.keyboard.press("Enter");
    // The cursor is before the name, and nothing is selected, so that typing replaces nothing.
    await eventually(() => page.evaluate(() => document.activeElement?.shadowRoot?.getSelection?.()?.toString()), "");
    await page.locator(".breadcrumbs", { hasText: /States\s*›\s*Fulfil\s*›\s*\[0\]\s*›\s*PackParcel/ }).waitFor();
    await eventually(() => visitor.node("/States/Fulfil/Branches/0/States/PackParcel").getAttribute("aria-pressed"), /true/);
  });

  visit("proposes in YAML what it proposes in JSON, with YAML's quotes and lines", { reusePage: true }, async (visitor, page) => {
    await writeYaml(
      visitor,
      page,
      "StartAt: Charge\nStates:\n  Charge:\n    Type: Task\n    Resource: arn:aws:states:::lambda:invoke\n    Next: Charge\n  'Ship: it': {Type: Succeed}\n",
    );
    await visitor.state("Charge").waitFor();
    await putCursor(visitor, "Type: Task");
    await page.keyboard.press("Enter");
    await page.keyboard.type("Retr");
    await accept(page, /^Retry/);
    await page.keyboard.type("Err");
    await accept(page, /^ErrorEquals/);
    await page.keyboard.type("States.Time");
    await accept(page, /^States.Timeout/);
    await page.keyboard.press("Control+Home");
    await putCursor(visitor, "Next: Charge");
    for (let i = 0; i < 6; i++) await page.keyboard.press("Backspace");
    await page.keyboard.press("Control+Space");
    await page.keyboard.type('"Sh');
    await accept(page, /^Ship: it/);
    await eventually(() => text(visitor), /Type: Task\n {4}Retry:\n {6}- ErrorEquals:\n {10}- States\.Timeout\n[\s\S]*Next: "Ship: it"\n/);
    await page.locator(".problems-head", { hasText: "No problems" }).waitFor();
  });

  const SEEN = {
    StartAt: "Count",
    States: {
      Count: { Type: "Pass", Parameters: { "total.$": "$.order.total" }, Assign: { "cart.$": "$$.Execution.Input.order" }, Next: "Ask" },
      Ask: {
        Type: "Task",
        Resource: "arn:aws:states:::lambda:invoke",
        Parameters: { "x.$": "$.total" },
        ResultSelector: { "y.$": "$.Payload.id" },
        Next: "Show",
      },
      Show: { Type: "Pass", QueryLanguage: "JSONata", Output: "{% $states.input.y %}", End: true },
    },
  };
  const ANSWER = 'export default { Ask: async () => ({ id: "i-1", label: { text: "ok", "de-DE": "gut" } }) };';

  // The same in YAML, and all proposals and values, are in pkg-tests/api/editor-language.test.mjs.
  visit("proposes Resources of AWS's services and their parameters", { reusePage: true }, async (visitor, page) => {
    const Send = { Type: "Task", Resource: "arn:aws:states:::sqs:sendMessage", Arguments: { QueueUrl: "q", Body: 1 }, End: true };
    await visitor.open({ definition: { QueryLanguage: "JSONata", StartAt: "Send", States: { Send } } });
    const labels = () => proposals(page).locator(".cm-completionLabel").allInnerTexts();
    await putCursor(visitor, "arn:aws:states:::sqs:sendMessage");
    await page.keyboard.press("Backspace");
    await page.keyboard.type("e");
    await eventually(
      async () => (await labels()).slice(0, 2),
      ["arn:aws:states:::sqs:sendMessage", "arn:aws:states:::sqs:sendMessage.waitForTaskToken"],
    );
    await page.keyboard.press("Escape");
  });

  visit("proposes members of the last run's data, and shows the values of paths", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: SEEN, input: { order: { total: 4, items: [{ sku: "a" }] } }, tasks: ANSWER });
    await visitor.run();
    await eventually(() => visitor.output(), "i-1");
    const seen = proposals(page).filter({ hasText: "seen in run 1" });
    const names = async () => (await seen.locator(".cm-completionLabel").allInnerTexts()).sort();
    /** Types after a piece of the text, checks the proposals, and removes what was typed. */
    const propose = async (piece, typed, expect) => {
      await putCursor(visitor, piece);
      await page.keyboard.type(typed);
      await seen.first().waitFor();
      await eventually(() => names(), expect, `${piece}${typed}`);
      await page.keyboard.press("Escape");
      for (let i = 0; i < typed.length; i++) await page.keyboard.press("Backspace");
    };
    await propose("$.order.total".slice(0, -6), ".", ["items", "total"]);
    await propose("$.total", "+$cart.", ["items", "total"]);
    await page.locator(".problems-head", { hasText: "No problems" }).waitFor();
    const lastOf = async (piece) => {
      await page.mouse.move(5, 5);
      await page.locator(".sg-hover").waitFor({ state: "detached" });
      const { x, y } = await endOf(page, piece);
      const shown = page.locator(".sg-hover-value").first();
      // If the editor is redrawn meanwhile, the tooltip appears only after the next move of the mouse.
      for (let i = 0; i < 10 && (i === 0 || !(await shown.isVisible())); i++) {
        await page.mouse.move(x - 1, y + (i % 2));
        await page.mouse.move(x, y);
        await shown.waitFor({ timeout: 1500 }).catch(() => {});
      }
      return (await page.locator(".sg-hover-value").allInnerTexts()).join("\n");
    };
    await eventually(() => lastOf("$.total"), "Last value: 4");
    await eventually(() => lastOf("Show"), 'Last input: {"y":"i-1"}\nLast output: "i-1"');
  });

  visit("does all of this in YAML with anchors and merge keys, and keeps the comments", { reusePage: true }, async (visitor, page) => {
    await writeYaml(visitor, page, YAML);
    await page.locator(".problems li", { hasText: "Shipp" }).waitFor();
    await page.getByRole("button", { name: /Did you mean/ }).click();
    await page.locator(".problems-head", { hasText: "No problems" }).waitFor();
    await eventually(() => text(visitor), /# Money first\.[\s\S]*Next: Ship\n/);
    await putCursor(visitor, "Next: Sh");
    await page.keyboard.press("F2");
    await page.getByLabel("Rename Ship to").fill("Send it");
    await page.keyboard.press("Enter");
    await visitor.state("Send it").waitFor();
    await eventually(() => text(visitor), /Next: Send it\n {2}Send it:\n {4}<<: \*task/);
    await visitor.write("Definition", YAML.replace("Type: Task", "Type: Tusk").replace("Shipp", "Ship"));
    await page.locator(".problems li").first().waitFor();
    await eventually(() => page.locator(".problems").innerText(), /Line 6[\s\S]*Line 10/, "at the anchor and at the alias");
  });
});
