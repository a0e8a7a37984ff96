// How a run has ended, or has not begun: one word for it, wherever the page tells it, for as long as it is true.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { simulate } from "stepglass";
import { skip } from "../browser.mjs";
import { GREETING, comes, visits } from "./playground.mjs";

describe("outcomes", { skip }, () => {
  const { visit } = visits();
  const status = (page) => page.locator(".status-text").innerText();

  visit("a run that was not started is forgotten when its fault is repaired", {}, async (visitor, page) => {
    await visitor.open({ definition: { StartAt: "Only", States: { Only: { Type: "Pass", End: true } } }, input: '{"a": ' });
    await visitor.run();
    await comes(() => status(page), "Not started");
    await page.getByRole("alert").filter({ hasText: "Not started" }).waitFor();
    await comes(() => page.title(), /not started/);
    await visitor.tab("Input");
    await visitor.write("Input", '{"a": 1}');
    await comes(() => status(page), "Ready");
    await comes(() => page.getByText(/not started/i).count(), 0);
    await comes(() => page.title(), /^[^·]+ · Stepglass$/);
  });

  visit("an aborted history is aborted everywhere, and was not computed here", {}, async (visitor, page) => {
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
    await visitor.bring({ events });
    await comes(() => status(page), "Aborted");
    await visitor.tab("Result");
    const result = page.locator(".result");
    await comes(() => result.innerText(), /ABORTED[\s\S]*Somebody has pressed the button/);
    assert.doesNotMatch(await result.innerText(), /computed|seed|failed|stopped/i);
    const tab = page.getByRole("tab", { name: /^Result/ });
    await comes(() => tab.innerText(), /aborted/);
    await comes(() => page.getByRole("region", { name: "Outcome of the run" }).innerText(), /ABORTED/);
    await comes(() => visitor.violations(), []);
  });

  visit(
    "a loop without an end: the end is told at once, with the states that repeat and a breakpoint",
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
      await comes(() => status(page), "Failed: States.Runtime");
      const outcome = page.getByRole("region", { name: "Outcome of the run" });
      await comes(() => outcome.innerText(), /Repeated states\s+Look\s+entered 6,250 times\s+Again\s+entered 6,249 times/);
      await outcome.getByRole("button", { name: "Add a breakpoint on round 10 of Look" }).click();
      await visitor.run();
      await comes(() => status(page), /^Paused.*Look.*breakpoint/);
      await comes(() => visitor.state("Look").getAttribute("aria-label"), /entered 10 times/);
    },
  );
});
