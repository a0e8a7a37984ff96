// The outcome of a run, or of one that did not start. The page uses one word for it everywhere, as long as it is true.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { simulate } from "stepglass";
import { skip } from "../browser.mjs";
import { GREETING, eventually, visits } from "./playground.mjs";

describe("outcomes", { skip }, () => {
  const { visit } = visits();
  const status = (page) => page.locator(".status-text").innerText();

  visit("forgets a run that was not started when the reason is fixed", {}, async (visitor, page) => {
    await visitor.open({ definition: { StartAt: "Only", States: { Only: { Type: "Pass", End: true } } }, input: '{"a": ' });
    await visitor.run();
    await eventually(() => status(page), "Not started");
    await page.getByRole("alert").filter({ hasText: "Not started" }).waitFor();
    await eventually(() => page.title(), /not started/);
    await visitor.tab("Input");
    await visitor.write("Input", '{"a": 1}');
    await eventually(() => status(page), "Ready");
    await eventually(() => page.getByText(/not started/i).count(), 0);
    await eventually(() => page.title(), /^[^·]+ · Stepglass$/);
  });

  visit("shows an aborted history as aborted everywhere, and not as computed here", { reusePage: true }, async (visitor, page) => {
    const { history } = simulate(GREETING, {}, { Greet: { output: 1 } });
    const entered = history.findIndex(({ type }) => type === "TaskStateEntered" || type === "LambdaFunctionScheduled") + 1;
    const events = history.slice(0, entered);
    const { id, timestamp } = events.at(-1);
    events.push({
      id: id + 1,
      previousEventId: id,
      timestamp,
      type: "ExecutionAborted",
      executionAbortedEventDetails: { cause: "Somebody has pressed the button" },
    });
    await visitor.open({ definition: GREETING });
    await visitor.importText({ events });
    await eventually(() => status(page), "Aborted");
    await visitor.tab("Result");
    const result = page.locator(".result");
    await eventually(() => result.innerText(), /ABORTED[\s\S]*Somebody has pressed the button/);
    assert.doesNotMatch(await result.innerText(), /computed|seed|failed|stopped/i);
    const tab = page.getByRole("tab", { name: /^Result/ });
    await eventually(() => tab.innerText(), /aborted/);
    await eventually(() => page.getByRole("region", { name: "Outcome of the run" }).innerText(), /ABORTED/);
    await eventually(() => visitor.violations(), []);
  });

  visit(
    "reports an endless loop as soon as it ends, with the repeating states and a breakpoint",
    { reducedMotion: "no-preference" },
    async (visitor, page) => {
      await visitor.open({
        definition: {
          StartAt: "Look",
          States: {
            Look: { Type: "Pass", Next: "Again" },
            Again: { Type: "Choice", Choices: [{ Variable: "$.stop", IsPresent: true, Next: "Done" }], Default: "Look" },
            Done: { Type: "Succeed" },
          },
        },
      });
      await visitor.run();
      await eventually(() => status(page), "Failed: States.Runtime");
      const outcome = page.getByRole("region", { name: "Outcome of the run" });
      await eventually(() => outcome.innerText(), /Repeated states\s+Look\s+entered 6,250 times\s+Again\s+entered 6,249 times/);
      await outcome.getByRole("button", { name: "Add a breakpoint on round 10 of Look" }).click();
      await visitor.run();
      await eventually(() => status(page), /^Paused.*Look.*breakpoint/);
      await eventually(() => visitor.state("Look").getAttribute("aria-label"), /entered 10 times/);
    },
  );
});

describe("pasted texts", { skip }, () => {
  const { visit } = visits();
  const notice = (page) => page.getByRole("region", { name: "Notice" });
  const YAML = ["StartAt: First", "States:", "  First:", "    Type: Pass", "    Next: Second", "  Second:", "    Type: Succeed", ""].join(
    "\n",
  );
  const template = (name) => `Resources:
  ${name}:
    Type: AWS::Serverless::StateMachine
    Properties:
      Definition:
        StartAt: Only
        States:
          Only:
            Type: Pass
            End: true
`;

  visit("reads YAML in the editor as YAML", { reusePage: "Order processing" }, async (visitor, page) => {
    await visitor.write("Definition", YAML);
    await notice(page).filter({ hasText: "This text is YAML." }).getByRole("button", { name: "Read as YAML" }).click();
    await visitor.state("Second").waitFor();
    await page.locator(".problems-head", { hasText: "No problems" }).waitFor();
    await eventually(() => page.getByText("parseYaml").count(), 0);
    await eventually(() => notice(page).filter({ hasText: "YAML" }).count(), 0);
  });

  visit("offers to import a template that is pasted in the editor", { reusePage: "Order processing" }, async (visitor, page) => {
    await visitor.write("Definition", template("Machine"));
    await eventually(() => page.getByText("parseYaml").count(), 0);
    await notice(page).getByRole("button", { name: "Import the machine of this template" }).click();
    await page.getByRole("button", { name: "Open Machine" }).click();
    await visitor.state("Only").waitFor();
    await page.locator(".document", { hasText: "Machine" }).waitFor();
    await eventually(() => notice(page).count(), 0);
  });

  visit("generates an input and mocks before the first run with one click", { reusePage: true }, async (visitor, page) => {
    await visitor.importText({
      StartAt: "Charge",
      States: {
        Charge: {
          Type: "Task",
          Resource: "arn:aws:states:::lambda:invoke",
          Parameters: { FunctionName: "charge", "Payload.$": "$.order.total" },
          End: true,
        },
      },
    });
    const offer = notice(page).filter({ hasText: "reads order of it. 1 task has no mock" });
    await offer.waitFor();
    await eventually(() => visitor.violations(), []);
    await offer.getByRole("button", { name: "Generate both and run" }).click();
    await eventually(() => page.locator(".status-text").innerText(), "Succeeded");
    await eventually(() => offer.count(), 0);
    await visitor.tab("Input");
    await eventually(async () => JSON.parse(await visitor.editor("Input").innerText()), { order: { total: "total" } });
  });

  visit("offers to generate an input for a run that has failed for its empty input", { reusePage: true }, async (visitor, page) => {
    await visitor.importText({
      StartAt: "Look",
      States: { Look: { Type: "Pass", Parameters: { "id.$": "$.order.id" }, End: true } },
    });
    await notice(page).filter({ hasText: "reads order" }).getByRole("button", { name: "Dismiss the notice" }).click();
    await visitor.run();
    await eventually(() => page.locator(".status-text").innerText(), /^Failed/);
    await page.getByRole("region", { name: "Outcome of the run" }).getByRole("button", { name: "Generate an input and run again" }).click();
    await eventually(() => page.locator(".status-text").innerText(), "Succeeded");
  });

  visit("matches a history with a definition with placeholders, and fills them in", { reusePage: true }, async (visitor, page) => {
    const written = { StartAt: "Greet", States: { Greet: { ...GREETING.States.Greet, Next: undefined, End: true } } };
    const { history } = simulate(written, {}, { Greet: { output: 1 } });
    const { Resource } = written.States.Greet;
    written.States.Greet.Resource = "${GreetFunction.Arn}";
    await visitor.open({ definition: written });
    await visitor.importText({ events: history });
    const strip = page.getByRole("region", { name: "Recorded execution" });
    await eventually(() => strip.innerText(), /this definition matches[\s\S]*GreetFunction\.Arn/);
    await strip.getByRole("button", { name: "Fill it in" }).click();
    await eventually(() => visitor.editor("Definition").innerText(), new RegExp(Resource));
    await eventually(() => strip.getByRole("button", { name: "Fill it in" }).count(), 0);
  });
});
