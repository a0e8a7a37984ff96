// The tour: it performs on the example what it explains, covers nothing, and waits for the user.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe } from "node:test";
import { skip } from "../browser.mjs";
import { GREETING, eventually, visits } from "./playground.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

describe("the tour", { skip }, () => {
  const { visit } = visits();
  const card = (page) => page.getByRole("region", { name: "Tour" });
  const next = (page) => card(page).getByRole("button", { name: "Next" }).and(page.locator('[aria-disabled="false"]'));

  const heading = (page, name) => card(page).getByRole("heading", { name });
  const drafts = (page) => page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith("stepglass.draft.")));

  visit("finds the cause of a failure by stepping back, and leaves nothing behind", {}, async (visitor, page) => {
    await page.getByRole("button", { name: "Show me, in 30 seconds" }).click();
    await heading(page, "A run fails").waitFor();
    // It continues automatically only for users who allow motion.
    await card(page).getByRole("button", { name: "Go on by itself" }).waitFor();
    await next(page).waitFor();
    await page.locator(".status-text", { hasText: "Failed: States.Runtime" }).waitFor();
    await page.locator('[data-node="/States/InStock?"][aria-pressed="true"]').waitFor();
    assert.equal(await page.locator("dialog[open]").count(), 0);
    const session = await page.context().newCDPSession(page);
    await session.send("Runtime.evaluate", { expression: axe });
    const violations = () =>
      page.evaluate(async () =>
        (await globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"] })).violations.map(({ id }) => id),
      );
    await eventually(violations, []);
    // Its button is focused.
    await eventually(() => page.evaluate(() => document.activeElement?.textContent), "Next");
    await page.keyboard.press("Enter");
    await heading(page, "Step back").waitFor();
    await next(page).waitFor();
    await page.locator('[aria-valuetext*="TaskStateExited, CheckStock"]').waitFor();
    await page.keyboard.press("Enter");
    await heading(page, "See what was lost").waitFor();
    await next(page).waitFor();
    await page.locator("#inspector-pane").getByRole("heading", { name: "CheckStock" }).waitFor();
    await page.keyboard.press("Enter");
    await heading(page, "Repair and run").waitFor();
    await page.locator(".status-text", { hasText: "Succeeded" }).waitFor();
    await card(page).getByRole("button", { name: "Done" }).and(page.locator('[aria-disabled="false"]')).click();
    await eventually(() => card(page).count(), 0);
    // Neither a run nor a draft is left.
    await page.locator(".status-text", { hasText: "Ready" }).waitFor();
    await visitor.waitForExecutions((all) => all.length === 0);
    assert.deepEqual(await drafts(page), []);
    await page.reload();
    await page.locator("[data-node]").first().waitFor();
    await visitor.waitUntilQuiet();
    await eventually(() => page.getByRole("region", { name: "Notice" }).count(), 0);
    await eventually(() => page.getByRole("button", { name: "Show me, in 30 seconds" }).count(), 0);
  });

  visit("brings back the user's own machine and its run", {}, async (visitor, page) => {
    await visitor.open({ definition: GREETING, input: "[1]" });
    await visitor.run();
    await visitor.answer("Greet", { said: "hello" });
    await visitor.result();
    const [{ id }] = await visitor.waitForExecutions(([one]) => one?.status === "SUCCEEDED");
    const before = await drafts(page);
    await page.getByRole("button", { name: "Help" }).first().click();
    await page.getByRole("button", { name: "Take the tour (30 seconds)" }).click();
    await heading(page, "A run fails").waitFor();
    await next(page).waitFor();
    await card(page).getByRole("button", { name: "End the tour" }).click();
    await visitor.state("Greet").waitFor();
    await page.locator(".status-text", { hasText: "Succeeded" }).waitFor();
    assert.deepEqual(await visitor.output(), { said: "hello" });
    await visitor.waitForExecutions((all) => all.length === 1 && all[0].id === id);
    assert.deepEqual(await drafts(page), before);
  });

  visit("continues automatically if motion is allowed, and ends with Escape", { reducedMotion: "no-preference" }, async ({ page }) => {
    await page.getByRole("button", { name: "Help" }).first().click();
    await page.getByRole("button", { name: "Take the tour (30 seconds)" }).click();
    await card(page).getByRole("heading", { name: "A run fails" }).waitFor();
    await card(page).getByRole("heading", { name: "Step back" }).waitFor();
    await card(page).getByRole("button", { name: "Pause" }).click();
    await card(page).getByRole("button", { name: "Go on by itself" }).press("Escape");
    await eventually(() => card(page).count(), 0);
  });
});
