// An execution's page in a browser: the debugger element replays the execution, to show what its history does not have.
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, launch, open, skip } from "../browser.mjs";
import { lambda, machine, start } from "./endpoint.mjs";
import { sdkOf } from "./sdk.mjs";

const definition = machine({
  Charge: {
    Type: "Task",
    Resource: lambda("charge"),
    ResultPath: "$.charge",
    Retry: [{ ErrorEquals: ["Busy"], IntervalSeconds: 1, MaxAttempts: 2 }],
    Next: "Enough",
  },
  Enough: {
    Type: "Choice",
    Choices: [{ And: [{ Variable: "$.charge.amount", NumericGreaterThan: 100 }], Next: "Done" }],
    Default: "Done",
  },
  Done: { Type: "Succeed" },
});

test("a failed execution has its data flow, its retries, the failing field, and runs again with a fix", { skip }, async () => {
  let calls = 0;
  const charge = () => {
    calls += 1;
    if (calls === 1) throw Object.assign(new Error("later"), { name: "Busy" });
    return { total: 120 };
  };
  const server = await start({ tasks: { charge } });
  const { create, run } = sdkOf(server);
  const { executionArn, status } = await run(await create("Orders", definition), { order: 7 });
  assert.equal(status, "FAILED");
  const browser = await launch();
  try {
    const { page, problems } = await open(browser, `${server.url}/debugger/executions/${encodeURIComponent(executionArn)}`);
    const element = page.locator("stepglass-debugger");
    const data = element.getByLabel("Data of the state");
    // The part of the definition that failed.
    await eventually(() => element.locator(".code mark").innerText(), ".amount");
    await eventually(() => data.locator(".failed-field mark").innerText(), ".amount");
    await data.getByText("an object with total: it has no amount").waitFor();
    // The slowest state, with its retry. Its data flow has stages that no history has.
    await element.getByRole("button", { name: /^Charge .*1 retry/ }).click();
    await data.getByText(/^Busy .* Retried after 1\.0 s\.$/).waitFor();
    await eventually(
      () => data.locator("figcaption").allInnerTexts(),
      ["Input", "After InputPath", "After Parameters", "Result", "After ResultSelector", "After ResultPath", "Output"],
    );
    // From here on it runs with the recorded answer, in the definition that the visitor changes.
    await element.getByRole("button", { name: "Run from here" }).click();
    await element.getByRole("button", { name: "Back to the recording" }).waitFor();
    await element.getByText("Charge: running").waitFor();
    await element.locator("textarea").first().fill(definition.replace("$.charge.amount", "$.charge.total"));
    await element.getByRole("button", { name: "Run", exact: true }).click();
    await element.getByText("Succeeded").first().waitFor();
    assert.equal(calls, 2);
    await element.getByRole("button", { name: "Back to the recording" }).click();
    await eventually(() => element.locator(".code mark").innerText(), ".amount");
    assert.deepEqual(problems, []);
  } finally {
    await browser.close();
  }
});
