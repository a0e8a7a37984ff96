// Executions survive the page: the browser stores them, and they resume where they stopped.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { launchStaying, skip } from "../browser.mjs";
import { Visitor, eventually, until, visits } from "./playground.mjs";

const shots = process.env.STEPGLASS_SHOTS;
const shot = async (page, name) => shots && page.screenshot({ path: join(shots, `${name}.png`) });

const LAMBDA = "arn:aws:lambda:us-east-1:123456789012:function:";
const HOUR = 3_600_000;
/** Asks two questions, so that the execution has a past and waits for something. */
const APPROVAL = {
  Comment: "Approval",
  StartAt: "Review",
  States: {
    Review: { Type: "Task", Resource: `${LAMBDA}review`, ResultPath: "$.review", Next: "Approve" },
    Approve: { Type: "Task", Resource: `${LAMBDA}approve`, ResultPath: "$.approval", End: true },
  },
};
const APPROVED = { review: "fine", approval: "yes" };

async function openExecutions(page) {
  await page.getByRole("tab", { name: /^History/ }).click();
  await page.getByRole("tab", { name: /^Executions/ }).click();
}

describe("executions", { skip }, () => {
  const { site, visit } = visits();
  const notice = (page, text) => page.getByRole("region", { name: "Notice" }).filter({ hasText: text });
  const row = (page, name) => page.getByRole("row").filter({ has: page.getByRole("button", { name, exact: true }) });
  const list = async (page) => {
    await openExecutions(page);
    return page.getByRole("table", { name: "Executions kept in this browser" });
  };
  const waitsFor =
    (state) =>
    ([one]) =>
      one?.waits[0] === state;

  /** Starts a run that has its first answer and waits for the second. */
  async function half(visitor) {
    await visitor.open({ definition: APPROVAL });
    await visitor.run();
    await visitor.answer("Review", "fine");
    await visitor.page.getByRole("form", { name: "Answer of Approve" }).waitFor();
    return visitor.waitForExecutions(waitsFor("Approve"));
  }

  visit("resumes a waiting run after a reload, with its past, to the same end", {}, async (visitor, page) => {
    await half(visitor);
    const before = await visitor.page.locator(".timeline-text b").innerText();
    await page.reload();
    await visitor.ready();
    await notice(page, "The run of “Approval” was not over when the page was closed: Approve waits for an answer.")
      .getByRole("button", { name: "Continue" })
      .click();
    await page.getByRole("form", { name: "Answer of Approve" }).waitFor();
    await eventually(() => page.locator(".timeline-text b").innerText(), before);
    await eventually(() => notice(page, "The run of").count(), 0);
    await visitor.answer("Approve", "yes");
    await eventually(() => visitor.output(), APPROVED);
    // It is still the same execution.
    await visitor.waitForExecutions((all) => all.length === 1 && all[0].status === "SUCCEEDED");
    // No run is offered any more.
    await page.reload();
    await visitor.ready();
    await visitor.waitUntilQuiet();
    await eventually(() => notice(page, "The run of").count(), 0);
  });

  visit("links the last run of the machine after a reload", {}, async (visitor, page) => {
    await visitor.example("Hello");
    await visitor.run();
    await visitor.result();
    await visitor.waitForExecutions(([one]) => one?.status === "SUCCEEDED");
    await page.reload();
    await visitor.ready();
    const last = page.getByRole("region", { name: "The last run" });
    for (const tab of ["Events", "Result", "Timeline"]) {
      await visitor.tab(tab);
      await eventually(() => last.innerText(), /The last run of this machine, on .*: succeeded\./);
    }
    await eventually(() => visitor.violations(), []);
    await last.getByRole("button", { name: "Show it" }).click();
    await page.locator(".status-bar", { hasText: "Succeeded" }).waitFor();
    await eventually(() => last.count(), 0);
    // Another machine has another history.
    await visitor.example("A person decides");
    await visitor.tab("Events");
    await page.getByText("No events yet.").waitFor();
    await visitor.waitUntilQuiet();
    await eventually(() => last.count(), 0);
  });

  test("resumes a run after the browser was killed and opened again", async () => {
    const profile = mkdtempSync(join(tmpdir(), "stepglass-profile-"));
    const begin = async () => {
      const { context, kill } = await launchStaying(profile);
      await context.grantPermissions(["clipboard-read", "clipboard-write"]);
      const page = await context.newPage();
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.goto(site.url);
      const visitor = new Visitor(page, []);
      await visitor.ready();
      return { visitor, page, kill };
    };
    try {
      const first = await begin();
      await first.visitor.importText(APPROVAL, "Approval");
      await first.visitor.run();
      await first.visitor.answer("Review", "fine");
      await first.visitor.waitForExecutions(waitsFor("Approve"));
      await first.kill();
      const { visitor, page, kill } = await begin();
      try {
        await notice(page, "The run of “Approval”").getByRole("button", { name: "Continue" }).click();
        await visitor.answer("Approve", "yes");
        await eventually(() => visitor.output(), APPROVED);
      } finally {
        await kill();
      }
    } finally {
      rmSync(profile, { recursive: true, force: true, maxRetries: 10 });
    }
  });

  visit("ends a wait in real time while the page is closed, and gives the next task its full time", {}, async (visitor, page) => {
    const definition = {
      Comment: "Later",
      StartAt: "Rest",
      States: {
        Rest: { Type: "Wait", Seconds: 1_800, Next: "Approve" },
        Approve: { Type: "Task", Resource: `${LAMBDA}approve`, TimeoutSeconds: 300, End: true },
      },
    };
    await visitor.open({ definition });
    await page.getByRole("combobox", { name: /Clock/ }).selectOption("real");
    await visitor.run();
    const [{ timer, now, speed }] = await visitor.waitForExecutions(([one]) => one?.timer?.state === "Rest" && one.speed === 1);
    assert.ok(timer.at - now <= HOUR / 2 && speed === 1);
    await list(page);
    await eventually(() => row(page, "run-1").innerText(), /Rest until /);
    // An hour later.
    await page.addInitScript((more) => {
      const { now } = Date;
      Date.now = () => now() + more;
    }, HOUR);
    await page.reload();
    await visitor.ready();
    await notice(page, "The run of “Later” was not over").getByRole("button", { name: "Continue" }).click();
    await visitor.answer("Approve", "yes");
    await eventually(() => visitor.output(), "yes");
    const [{ began, now: end }] = await visitor.waitForExecutions(([one]) => one?.status === "SUCCEEDED");
    assert.ok(end - began >= HOUR, `${end - began}`);
    // The wait itself took half of that time.
    await visitor.tab("Events");
    await page.getByRole("option").filter({ hasText: "WaitStateExited" }).click();
    await eventually(() => page.locator(".timeline-text").innerText(), /00:30:00/);
  });

  test("lets only one tab continue an execution; a second tab can only look until the first is closed", async () => {
    const visitor = await site.visit();
    await visitor.ready();
    const { page } = visitor;
    await half(visitor);
    const other = await page.context().newPage();
    const second = new Visitor(other, []);
    await other.goto(site.url);
    await second.ready();
    await second.waitUntilQuiet();
    await eventually(() => notice(other, "The run of").count(), 0, "what another tab runs is not offered");
    await list(other);
    const there = row(other, "run-1");
    await eventually(() => there.innerText(), /Running in another tab/);
    await eventually(() => there.getByRole("button", { name: /^Continue/ }).count(), 0);
    await eventually(() => there.getByRole("button", { name: /^Remove/ }).isDisabled(), true);
    await there.getByRole("button", { name: "run-1", exact: true }).click();
    await notice(other, "runs in another tab").waitFor();
    // The second tab shows the execution with its past, but cannot continue it.
    await second.state("Approve").waitFor();
    await eventually(() => other.locator(".timeline-text").innerText(), /\d+ \/ \d+/);
    await eventually(() => other.getByRole("button", { name: "Continue", exact: true }).count(), 0);
    await other.keyboard.press("F8");
    await other.keyboard.press("F10");
    await shot(other, "executions-second-tab");
    await notice(other, "runs in another tab").getByRole("button", { name: "Continue here" }).click();
    await notice(other, "runs in another tab").waitFor();
    // The first tab goes on, and the other tab shows its progress.
    await page.bringToFront();
    await page.getByRole("form", { name: "Answer of Approve" }).waitFor();
    assert.deepEqual((await page.evaluate(() => navigator.locks.query())).held.length, 1);
    await page.close();
    // The browser releases the lock a moment later.
    await until(async () => assert.deepEqual((await other.evaluate(() => navigator.locks.query())).held, []));
    await notice(other, "runs in another tab").getByRole("button", { name: "Continue here" }).click();
    await second.tab("Waiting tasks");
    await second.answer("Approve", "yes");
    await eventually(() => second.output(), APPROVED);
    await second.waitForExecutions((all) => all.length === 1 && all[0].status === "SUCCEEDED");
    await other.context().close();
  });

  visit("lists executions, opens them with their past, and removes them", {}, async (visitor, page) => {
    await openExecutions(page);
    await page.getByText("No executions yet.").waitFor();
    await visitor.example("Hello");
    await visitor.run();
    await visitor.result();
    await visitor.waitForExecutions(([one]) => one?.status === "SUCCEEDED");
    // An execution that was left while it waited is in the list, and does not open by itself.
    await half(visitor);
    await visitor.example("Hello");
    const table = await list(page);
    await eventually(() => table.getByRole("row").count(), 3);
    await eventually(() => row(page, "run-2").innerText(), /Approval\s+Interrupted.*\s+Approve waits for an answer/);
    await page.reload();
    await visitor.ready();
    await visitor.waitUntilQuiet();
    await eventually(() => notice(page, "was not over").count(), 0);
    await list(page);
    await shot(page, "executions-light");
    await eventually(() => visitor.violationsInEveryLook(undefined, "#dock"), []);
    if (shots) {
      await page.emulateMedia({ colorScheme: "dark" });
      await shot(page, "executions-dark");
      await page.emulateMedia({ colorScheme: "light" });
    }
    // Opening an execution changes nothing; it continues only on request.
    await row(page, "run-2").getByRole("button", { name: "run-2", exact: true }).click();
    await visitor.state("Review").waitFor();
    await eventually(() => page.locator(".document").innerText(), /Approval/);
    await eventually(() => row(page, "run-2").getAttribute("aria-current"), "true");
    await row(page, "run-2").getByRole("button", { name: "Continue run-2 of Approval" }).click();
    await visitor.tab("Waiting tasks");
    await visitor.answer("Approve", "yes");
    await eventually(() => visitor.output(), APPROVED);
    await list(page);
    await eventually(() => row(page, "run-2").innerText(), /Succeeded on the page/);
    // It can be removed by the keyboard and restored; the focus stays in the list.
    const hello = row(page, "run-1").getByRole("button", { name: "run-1", exact: true });
    await hello.focus();
    await page.keyboard.press("Delete");
    await eventually(() => row(page, "run-1").count(), 0);
    await eventually(() => page.evaluate(() => document.activeElement.textContent), "run-2");
    await page.getByRole("button", { name: "Undo", exact: true }).click();
    await row(page, "run-1").waitFor();
    await page.getByRole("button", { name: "Remove all that have ended" }).click();
    await page.getByText("No executions yet.").waitFor();
    await visitor.waitForExecutions((all) => all.length === 0);
  });

  visit("fits the list on a phone", { width: 390, height: 844, hasTouch: true }, async (visitor, page) => {
    await visitor.importText(APPROVAL, "Approval");
    await visitor.run();
    await visitor.waitForExecutions(waitsFor("Review"));
    await page.getByRole("button", { name: /^Run/ }).last().click();
    await list(page);
    await row(page, "run-1").waitFor();
    await page.getByRole("button", { name: "Later", exact: true }).click();
    // Nothing covers the name.
    await row(page, "run-1").getByRole("button", { name: "run-1", exact: true }).click({ trial: true });
    await shot(page, "executions-narrow");
    await eventually(() => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
    await eventually(() => visitor.violations(), []);
  });

  visit("says when the storage is full, and the run goes on", {}, async (visitor, page) => {
    const devtools = await page.context().newCDPSession(page);
    const { origin } = new URL(site.url);
    await devtools.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 10_000 });
    await visitor.open({ definition: APPROVAL, input: { text: "x".repeat(200_000) } });
    await visitor.run();
    await notice(page, "This browser has no more room for executions. So the run of “Approval” is gone when this tab is closed.").waitFor();
    await list(page);
    await page.getByRole("alert").filter({ hasText: "This browser has no more room for executions." }).waitFor();
    // Saving the draft does not change the stored execution.
    await visitor.tab("Input");
    await visitor.write("Input", '{"saved": true}');
    await visitor.waitForDraft("saved");
    await eventually(() => notice(page, "This browser has no more room for executions.").count(), 1);
    // As soon as there is space, it is stored.
    await devtools.send("Storage.overrideQuotaForOrigin", { origin });
    await visitor.tab("Waiting tasks");
    await visitor.answer("Review", "fine");
    await visitor.waitForExecutions(waitsFor("Approve"));
    await eventually(() => notice(page, "no more room").count(), 0);
  });

  visit(
    "says in the list why nothing can be stored, and the run goes on",
    { before: (page) => page.addInitScript(() => Object.defineProperty(navigator, "locks", { value: undefined })) },
    async (visitor, page) => {
      await visitor.open({ definition: APPROVAL });
      await visitor.run();
      await visitor.answer("Review", "fine");
      await openExecutions(page);
      await page.getByRole("alert").filter({ hasText: "This browser keeps no executions for this page: that needs" }).waitFor();
      await eventually(() => notice(page, "keeps no executions").count(), 0);
      await visitor.tab("Waiting tasks");
      await visitor.answer("Approve", "yes");
      await eventually(() => visitor.output(), APPROVED);
    },
  );

  visit("removes executions when the browser's data is cleared", {}, async (visitor, page) => {
    await half(visitor);
    await page.getByRole("button", { name: "Settings", exact: true }).click();
    await page.getByRole("button", { name: "Clear everything saved in this browser" }).click();
    await visitor.waitForExecutions((all) => all.length === 0);
    await page.keyboard.press("Escape");
    // The run on the screen goes on, but is no longer stored.
    await visitor.answer("Approve", "yes");
    await eventually(() => visitor.output(), APPROVED);
    await visitor.waitForExecutions((all) => all.length === 0);
  });
});
