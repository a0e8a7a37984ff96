// /debugger in a browser: the list, and an execution followed on its graph while it runs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { comes, launch, open, skip } from "../browser.mjs";
import { machine, role, start } from "./endpoint.mjs";

test("an execution is found in the list and followed to its end, on the graph", { skip, timeout: 300_000 }, async () => {
  const server = await start();
  const hostile = "<img src=x onerror=alert(1)>";
  const definition = machine({
    Before: { Type: "Pass", Next: "Rest" },
    Rest: { Type: "Wait", Seconds: 3600, Next: "After" },
    After: { Type: "Pass", Result: hostile, End: true },
  });
  const { stateMachineArn } = await server.call("CreateStateMachine", { name: "Order", definition, roleArn: role });
  const { executionArn } = await server.call("StartExecution", {
    stateMachineArn,
    name: "seven",
    input: JSON.stringify({ html: hostile }),
  });
  const browser = await launch();
  try {
    const { page, problems } = await open(browser, `${server.url}/debugger/`);
    await page.getByRole("link", { name: "seven" }).click();
    // The element shows the state that waits, with its data.
    const element = page.locator("stepglass-debugger");
    await element.getByText("Rest: waiting").waitFor();
    await comes(() => page.locator("#facts").innerText(), /RUNNING/);
    await server.call("StopExecution", { executionArn, error: "Enough" });
    await element.getByText("ExecutionAborted").first().waitFor();
    await page.locator("#facts").getByText("ABORTED").waitFor();
    await comes(() => page.locator("#list").innerText(), /ExecutionAborted/);
    await comes(() => page.locator("img").count(), 1);
    // Following the stream ended it: nothing else may have gone wrong.
    assert.deepEqual(
      problems.filter((problem) => !problem.includes("/events")),
      [],
    );
    await page.getByRole("link", { name: "All executions" }).click();
    await page.getByText("ABORTED").waitFor();
  } finally {
    await browser.close();
  }
});
