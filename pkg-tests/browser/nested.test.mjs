// Nested executions: a user steps into them and out again, sees their graph, data and events, and goes back in time.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe } from "node:test";
import { skip } from "../browser.mjs";
import { eventually, visits } from "./playground.mjs";

const chain = (states) => {
  const names = Object.keys(states);
  return {
    StartAt: names[0],
    States: Object.fromEntries(
      names.map((name, i) => [
        name,
        { ...states[name], ...(i + 1 < names.length ? { Next: names[i + 1] } : states[name].Type === "Fail" ? {} : { End: true }) },
      ]),
    ),
  };
};
const start = (pattern = ".sync:2", fields = {}) => ({
  Type: "Task",
  Resource: `arn:aws:states:::states:startExecution${pattern}`,
  Parameters: { StateMachineArn: "PaymentFlow", Name: "pay-1", "Input.$": "$" },
  ...fields,
});

const PAYMENT = chain({
  Check: { Type: "Pass", Assign: { "amount.$": "$.total" } },
  Hold: { Type: "Wait", Seconds: 60 },
  Charge: { Type: "Pass", Parameters: { "paid.$": "$.total" } },
});
const ORDER = (pattern, fields) => chain({ Check: { Type: "Pass" }, Pay: start(pattern, fields), Ship: { Type: "Pass" } });

/** A session file with a machine that the task starts. */
const file = (definition, payment = PAYMENT, more = {}) => ({
  kind: "stepglass/session/1",
  t: "OrderFlow",
  f: "json",
  d: JSON.stringify(definition, null, 2),
  i: '{"total": 42}',
  k: "",
  x: [["PaymentFlow", JSON.stringify(payment, null, 2)]],
  ...more,
});

const shots = process.env.STEPGLASS_SHOTS;
const shot = async (page, name) => shots && page.screenshot({ path: join(shots, `nested-${name}.png`) });

describe("nested executions", { skip }, () => {
  const { visit } = visits();
  const path = (page) => page.getByRole("navigation", { name: "Executions around this one" });
  /** Runs to Pay, and pauses before it. */
  const toPay = async (visitor, page, given = file(ORDER())) => {
    await visitor.importText(given, "OrderFlow");
    await visitor.state("Pay").click();
    await page.keyboard.press("ControlOrMeta+F10");
    await page.locator(".inspector.paused h3", { hasText: "Pay" }).waitFor();
  };
  const paused = (page, state) => page.locator(".inspector.paused .inspect-title h3", { hasText: new RegExp(`^${state}$`) }).waitFor();

  visit("are stepped into, through and out of", { reusePage: true }, async (visitor, page) => {
    await toPay(visitor, page);
    await page.keyboard.press("F11");
    await paused(page, "Check");
    await path(page).getByText("PaymentFlow").waitFor();
    await shot(page, "in");
    await eventually(
      async () => (await path(page).locator("ol").innerText()).replaceAll(/\s+/g, " ").trim(),
      "OrderFlow › Pay › PaymentFlow (pay-1)",
    );
    await visitor.state("Hold").waitFor();
    await eventually(() => visitor.state("Hold").getAttribute("aria-label"), /not run/, "and nothing of the other's shows on it");
    await eventually(() => visitor.state("Ship").count(), 0, "the graph is the nested machine's");
    // Its definition is shown instead, read-only.
    await visitor.editor("Definition of PaymentFlow").waitFor();
    await eventually(() => visitor.editor("Definition of PaymentFlow").innerText(), /"Charge"/);
    await page.keyboard.press("F10");
    await paused(page, "Hold");
    await page
      .getByRole("table", { name: /Variables/ })
      .getByText("$amount")
      .waitFor();
    await eventually(
      async () => (await page.getByRole("navigation", { name: "Call stack" }).innerText()).replaceAll(/\s+/g, " "),
      "OrderFlow › Pay PaymentFlow Hold",
    );
    await page.keyboard.press("F10");
    await paused(page, "Charge");
    await eventually(
      async () => /00:01:00|1 min/.test(await page.locator("body").innerText()),
      true,
      "the Wait of the nested one has passed in the one time",
    );
    await eventually(() => visitor.violations(), []);
    await page.keyboard.press("F10");
    await paused(page, "Pay");
    await eventually(() => path(page).count(), 0);
    await visitor.state("Ship").waitFor();
    await visitor.editor("Definition").waitFor();
    await page.keyboard.press("F10");
    await paused(page, "Ship");
    await page.keyboard.press("F8");
    await eventually(async () => (await visitor.output()).Output, { paid: 42 });
  });

  visit("have breakpoints of their own machine, which also stop the next run", { reusePage: true }, async (visitor, page) => {
    await toPay(visitor, page);
    await page.keyboard.press("F11");
    await paused(page, "Check");
    await visitor.state("Charge").click();
    await page.keyboard.press("F9");
    await page.keyboard.press("ControlOrMeta+Shift+Enter");
    await eventually(() => path(page).count(), 0);
    // The key may arrive before the pause.
    await page.keyboard.press("F8");
    await paused(page, "Charge");
    await path(page).waitFor();
    await visitor.tab("Breakpoints");
    await page.locator(".breakpoint-row", { hasText: "Charge" }).getByText("of PaymentFlow").waitFor();
    await page.locator(".breakpoint-row", { hasText: "1 hit" }).waitFor();
    await shot(page, "breakpoint");
    // Steps out, to where the task gets its result.
    await page.keyboard.press("Shift+F11");
    await paused(page, "Pay");
    await eventually(() => path(page).count(), 0);
  });

  visit("show their graph, events and data after the run", { reusePage: true }, async (visitor, page) => {
    await visitor.importText(file(ORDER()), "OrderFlow");
    await visitor.run();
    await visitor.result();
    await visitor.state("Pay").click();
    const started = page.getByRole("region", { name: "Started executions" });
    await started.getByText("succeeded").waitFor();
    await started.getByRole("button", { name: /Look into PaymentFlow/ }).click();
    await path(page).waitFor();
    await eventually(() => visitor.state("Charge").getAttribute("aria-label"), /succeeded/);
    await eventually(async () => (await visitor.output()).paid, 42);
    await visitor.tab("Events");
    await page.locator(".event-row", { hasText: "WaitStateEntered" }).waitFor();
    await eventually(() => page.locator(".event-row", { hasText: "TaskScheduled" }).count(), 0);
    await visitor.state("Charge").click();
    await page.locator(".inspector").getByText("paid").first().waitFor();
    await shot(page, "after");
    await page.getByRole("button", { name: "Back to OrderFlow" }).first().click();
    await visitor.state("Ship").waitFor();
    await visitor.tab("Events");
    await page.locator(".event-row", { hasText: "TaskScheduled" }).waitFor();
  });

  visit("can be viewed at an earlier time, and forked", { reusePage: true }, async (visitor, page) => {
    await toPay(visitor, page);
    await page.keyboard.press("F11");
    await paused(page, "Check");
    // Goes back to the task that started the execution, and forward again.
    await page.keyboard.press("Alt+[");
    await eventually(() => path(page).count(), 0);
    await paused(page, "Pay");
    await page.keyboard.press("F11");
    await paused(page, "Check");
    await page.keyboard.press("F10");
    await paused(page, "Hold");
    // The timeline is that of the nested execution.
    const slider = page.getByRole("slider").first();
    await slider.focus();
    await page.keyboard.press("Home");
    await eventually(() => visitor.state("Check").getAttribute("aria-label"), /not run/);
    await page.keyboard.press("End");
    await eventually(() => visitor.state("Check").getAttribute("aria-label"), /succeeded/);
    await page.locator(".pause-where", { hasText: "before Hold · PaymentFlow" }).waitFor();
    // Another value in it creates a fork, which continues from there.
    await page.keyboard.press("F10");
    await paused(page, "Charge");
    await page.getByRole("button", { name: "Set input" }).click();
    const value = page.getByRole("textbox", { name: /^New .* \(JSON\)$/ });
    await value.fill('{"total": 7}');
    await page.getByRole("button", { name: "Fork with this value" }).click();
    await page.getByRole("tab", { name: /2 runs/ }).waitFor();
    await paused(page, "Charge");
    await path(page).waitFor();
    await page.keyboard.press("Shift+F8");
    await eventually(async () => (await visitor.output()).Output, { paid: 7 });
    await visitor.tab("Runs");
    await page.getByText("edited input of Charge").first().waitFor();
  });

  visit("stop at an uncaught error before the task's Catch applies", { reusePage: true }, async (visitor, page) => {
    const broken = chain({ Check: { Type: "Pass" }, Break: { Type: "Fail", Error: "Declined" } });
    await visitor.importText(file(ORDER(".sync:2", { Catch: [{ ErrorEquals: ["States.ALL"], Next: "Ship" }] }), broken), "OrderFlow");
    await visitor.tab("Breakpoints");
    await page.getByLabel("Stop on errors").selectOption("uncaught");
    await page.keyboard.press("F8");
    await paused(page, "Break");
    await path(page).getByText("PaymentFlow").waitFor();
    await page.keyboard.press("F8");
    await visitor.result();
    await eventually(() => visitor.state("Pay").getAttribute("aria-label"), /caught/);
  });

  visit("that no task waits for continue beside the run", { reusePage: true }, async (visitor, page) => {
    await visitor.importText(file(ORDER("")), "OrderFlow");
    await visitor.run();
    await visitor.result();
    await visitor.state("Pay").click();
    await page.getByRole("region", { name: "Started executions" }).getByText("running").waitFor();
    await page.getByRole("button", { name: /Look into PaymentFlow/ }).click();
    await path(page).waitFor();
    await page.keyboard.press("F10");
    await paused(page, "Charge");
    await page.keyboard.press("F8");
    await eventually(() => visitor.state("Charge").getAttribute("aria-label"), /succeeded/);
    await eventually(async () => (await visitor.output()).paid, 42);
  });

  visit("are part of a session file, with ended executions and the current position", {}, async (visitor, page) => {
    await toPay(visitor, page);
    await page.keyboard.press("F11");
    await paused(page, "Check");
    await page.keyboard.press("F10");
    await paused(page, "Hold");
    const save = async () => {
      const coming = page.waitForEvent("download");
      await page.keyboard.press("ControlOrMeta+s");
      await page.getByRole("option", { name: "Everything as a session file" }).click();
      return readFileSync(await (await coming).path(), "utf8");
    };
    const middle = await save();
    await page.keyboard.press("Shift+F8");
    await visitor.result();
    const end = await save();
    await visitor.importText(end, "OrderFlow");
    await visitor.tab("Result");
    await visitor.result();
    await visitor.tab("Mocks");
    const list = page.getByRole("list", { name: "Executions started by tasks" });
    await list.getByText("succeeded").waitFor();
    await list.getByText("8 events, started by run-1").waitFor();
    await list.locator("summary").click();
    await list.getByRole("button", { name: /Look into/ }).click();
    await path(page).waitFor();
    await eventually(() => visitor.state("Charge").getAttribute("aria-label"), /succeeded/);
    await visitor.importText(middle, "OrderFlow");
    await paused(page, "Hold");
    await path(page).waitFor();
    await page.keyboard.press("F10");
    await paused(page, "Charge");
    await page.keyboard.press("Shift+F8");
    await eventually(async () => (await visitor.output()).Output, { paid: 42 });
  });

  visit("on a phone", { width: 360, height: 740 }, async (visitor, page) => {
    await visitor.importText(file(ORDER()), "OrderFlow");
    await page.getByRole("button", { name: "Graph" }).first().click();
    await page.getByRole("button", { name: "Step", exact: true }).click();
    const into = page.getByRole("button", { name: "Into" });
    await into.click();
    await into.click();
    await eventually(async () => {
      if ((await path(page).count()) === 0) await into.click();
      return path(page).count();
    }, 1);
    await visitor.state("Hold").waitFor();
    await shot(page, "phone");
    await eventually(() => visitor.violations(), []);
    await eventually(() => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
    await page.getByRole("button", { name: "Back to OrderFlow" }).first().click();
    await visitor.state("Ship").waitFor();
  });
});
