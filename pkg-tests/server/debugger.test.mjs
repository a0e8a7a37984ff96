// The /debugger pages in a browser: the list of executions, and a running execution that is followed on its graph.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import axe from "axe-core";
import { eventually, launch, open, skip } from "../browser.mjs";
import { machine, role, start } from "./endpoint.mjs";

const playground = fileURLToPath(new URL("../../www/dist/index.html", import.meta.url));

test("an execution is opened from the list and followed on the graph to its end", { skip, timeout: 300_000 }, async () => {
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
    // The debugger element shows the waiting state.
    const element = page.locator("stepglass-debugger");
    await element.getByText("Rest: waiting").waitFor();
    await eventually(() => page.locator("#facts").innerText(), /RUNNING/);
    await server.call("StopExecution", { executionArn, error: "Enough" });
    await element.getByText("ExecutionAborted").first().waitFor();
    await page.locator("#facts").getByText("ABORTED").waitFor();
    await eventually(() => page.locator("#list").innerText(), /ExecutionAborted/);
    await eventually(() => page.locator("img").count(), 1);
    // The stream of events ends with the execution, which browsers report as a problem. No other problem is allowed.
    assert.deepEqual(
      problems.filter((problem) => !problem.includes("/events")),
      [],
    );
    await page.getByRole("link", { name: "Executions" }).click();
    await page.locator("table.list").getByText("Aborted").waitFor();
  } finally {
    await browser.close();
  }
});

test(
  "a browser caches the playground's chunks, and requests its page again",
  { skip: existsSync(playground) ? false : "the page is not built" },
  async () => {
    const server = await start();
    const at = (name) => fetch(`${server.url}/debugger/page/${name}`);
    const page = await at("");
    assert.equal(page.headers.get("cache-control"), "no-cache");
    const chunks = (await page.text()).match(/assets\/[^"]+\.(?:js|css)/g);
    assert.ok(chunks.length > 4);
    for (const name of chunks) assert.match((await at(name)).headers.get("cache-control"), /immutable/, name);
  },
);

/** The accessibility problems that axe finds on a page in a colour scheme. */
async function violations(page, colorScheme) {
  await page.emulateMedia({ colorScheme });
  await page.evaluate(axe.source);
  const { violations: found } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  return found.map(({ id, nodes }) => `${colorScheme}: ${id}: ${nodes.map(({ target }) => target).join(", ")}`);
}

test("the pages are accessible, in light and dark", { skip, timeout: 300_000 }, async () => {
  const server = await start();
  const wait = { Type: "Task", Resource: "urn:stepglass:waitForSignal", Parameters: { Name: "approved" }, End: true };
  for (const [name, state] of Object.entries({ Order: wait, Fails: { Type: "Fail", Error: "Enough" } })) {
    const { stateMachineArn } = await server.call("CreateStateMachine", { name, definition: machine({ S: state }), roleArn: role });
    await server.call("StartExecution", { stateMachineArn, name: `of-${name}` });
  }
  const browser = await launch();
  try {
    const { page } = await open(browser, `${server.url}/debugger/`);
    await page.getByLabel("Select of-Fails").check();
    await page.getByRole("button", { name: "Redrive…" }).waitFor();
    const found = [...(await violations(page, "light")), ...(await violations(page, "dark"))];
    await page.getByRole("button", { name: "Redrive…" }).click();
    await page.getByRole("dialog").waitFor();
    found.push(...(await violations(page, "light")), ...(await violations(page, "dark")));
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "of-Order" }).click();
    for (const summary of ["Send a signal…", "Cancel…", "Stop…"]) await page.getByText(summary).click();
    await page.locator("stepglass-debugger").getByText("End", { exact: true }).first().waitFor();
    found.push(...(await violations(page, "light")), ...(await violations(page, "dark")));
    assert.deepEqual(found, []);
  } finally {
    await browser.close();
  }
});

/** The machine of the tests below, which waits for a signal. */
const wait = (name, more) => ({ Type: "Task", Resource: "urn:stepglass:waitForSignal", Parameters: { Name: name }, ...more });

/** Starts a server with two machines, and executions order-1, order-2 and sleeper. */
async function withOrders() {
  const server = await start();
  const create = async (name, states) => {
    const { stateMachineArn } = await server.call("CreateStateMachine", { name, definition: machine(states), roleArn: role });
    return stateMachineArn;
  };
  const order = await create("Order", { Wait: wait("approved", { End: true }) });
  const other = await create("Other", { Sleep: { Type: "Wait", Seconds: 3600, End: true } });
  for (const name of ["order-1", "order-2"]) await server.call("StartExecution", { stateMachineArn: order, name });
  await server.call("StartExecution", { stateMachineArn: other, name: "sleeper" });
  return server;
}

const listed = (page) => () => page.locator("a.open").allInnerTexts();

/** The problems of a page. One that the user has left cancels its requests, which browsers report as aborted. */
const real = (problems) => problems.filter((problem) => !/\/events|net::ERR_ABORTED/.test(problem));

test("executions are filtered, and a view of the filters is saved", { skip, timeout: 300_000 }, async () => {
  const server = await withOrders();
  const browser = await launch();
  try {
    const { page, problems } = await open(browser, `${server.url}/debugger/`);
    const names = listed(page);
    await eventually(names, ["sleeper", "order-2", "order-1"]);
    await page.getByLabel("State machine").selectOption("Order");
    await eventually(names, ["order-2", "order-1"]);
    await page.keyboard.press("Escape");
    await page.keyboard.press("/");
    await page.keyboard.type("order-1");
    await eventually(names, ["order-1"]);
    await page
      .getByRole("group", { name: "Status" })
      .getByRole("button", { name: /Failed/ })
      .click();
    await page.getByText("No executions like these.").waitFor();
    await page.getByLabel("Name of the view").fill("Failed first order");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Show all executions" }).click();
    await eventually(names, ["sleeper", "order-2", "order-1"]);
    await page.reload();
    await page.getByRole("button", { name: "Failed first order", exact: true }).click();
    await page.getByText("No executions like these.").waitFor();
    await page.goBack();
    await eventually(names, ["sleeper", "order-2", "order-1"]);
    await page.getByRole("button", { name: "Remove the view Failed first order" }).click();
    await eventually(() => page.getByRole("button", { name: "Failed first order", exact: true }).count(), 0);
    assert.deepEqual(real(problems), []);
  } finally {
    await browser.close();
  }
});

test("executions are selected with the keyboard, stopped with a preview, and redriven", { skip, timeout: 300_000 }, async () => {
  const server = await withOrders();
  const browser = await launch();
  try {
    const { page, problems } = await open(browser, `${server.url}/debugger/`);
    await eventually(listed(page), ["sleeper", "order-2", "order-1"]);
    for (const key of ["j", "j", "x", "ArrowDown", "x"]) await page.keyboard.press(key);
    await page.getByText("2 selected").waitFor();
    await page.getByRole("button", { name: "Stop…" }).click();
    const dialog = page.getByRole("dialog");
    assert.deepEqual(await dialog.getByRole("listitem").allInnerTexts(), ["order-2", "order-1"]);
    await dialog.getByLabel("Cause").fill("no longer needed");
    await dialog.getByRole("button", { name: "Stop 2 executions" }).click();
    await dialog.getByText("2 executions stopped.").waitFor();
    await dialog.getByRole("button", { name: "Done" }).click();
    await eventually(() => page.locator("table.list").getByText("Aborted").count(), 2);
    await page.getByRole("group", { name: "Status" }).getByRole("button", { name: "Aborted 2" }).waitFor();
    // Of all executions, the running one is left as it is.
    await page.getByLabel("Select all executions of the list").check();
    await page.getByRole("button", { name: "Redrive…" }).click();
    await dialog.getByText("1 execution is left unchanged").waitFor();
    await dialog.getByRole("button", { name: "Redrive 2 executions" }).click();
    await dialog.getByText("2 executions redriven.").waitFor();
    await page.keyboard.press("Escape");
    await eventually(() => page.locator("table.list").getByText("Running").count(), 3);
    assert.deepEqual(real(problems), []);
  } finally {
    await browser.close();
  }
});

test("the list fits a phone, and says when the server is gone", { skip, timeout: 300_000 }, async () => {
  const server = await withOrders();
  const browser = await launch();
  try {
    const { page } = await open(browser, `${server.url}/debugger/`);
    await page.setViewportSize({ width: 360, height: 740 });
    await eventually(listed(page), ["sleeper", "order-2", "order-1"]);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
    await server.close({ grace: 0 });
    await eventually(() => page.getByRole("alert").allInnerTexts(), ["The server cannot be reached."]);
    assert.deepEqual(await listed(page)(), ["sleeper", "order-2", "order-1"]);
  } finally {
    await browser.close();
  }
});

test("an execution is signalled, stopped and redriven on its page", { skip, timeout: 300_000 }, async () => {
  const server = await withOrders();
  const browser = await launch();
  try {
    const { page, problems } = await open(browser, `${server.url}/debugger/`);
    // A signal is sent by the keyboard. The form suggests the name for which the execution waits.
    await page.getByRole("link", { name: "order-1" }).click();
    await page.getByText("Send a signal…").focus();
    await page.keyboard.press("Enter");
    await eventually(() => page.getByLabel("Name", { exact: true }).inputValue(), "approved");
    await page.getByLabel("Payload, JSON").fill("{");
    await page.getByRole("button", { name: "Send" }).click();
    await eventually(() => page.getByRole("alert").innerText(), /The payload is not JSON/);
    await page.getByLabel("Payload, JSON").fill('{"by": "Ada"}');
    await page.getByLabel("Name", { exact: true }).press("Enter");
    await page.locator("#facts").getByText("SUCCEEDED").waitFor();
    await eventually(() => page.locator("#words").innerText(), "Sent the signal.");
    await eventually(() => page.locator("#payloads").innerText(), /Ada/);
    await eventually(() => page.locator("#actions").innerText(), "");

    // An execution is stopped with a cause, and redriven.
    await page.getByRole("link", { name: "Executions" }).click();
    await page.getByRole("link", { name: "order-2" }).click();
    await page.getByText("Stop…").click();
    await page.locator("form", { hasText: "Stop the execution" }).getByLabel("Cause").fill("no longer needed");
    await page.getByRole("button", { name: "Stop the execution" }).click();
    await page.locator("#facts").getByText("no longer needed").waitFor();
    await page.getByRole("button", { name: "Redrive order-2" }).click();
    await page.locator("#facts").getByText("RUNNING").waitFor();
    await page.locator("#facts").getByText("once").waitFor();
    assert.deepEqual(real(problems), []);
  } finally {
    await browser.close();
  }
});
