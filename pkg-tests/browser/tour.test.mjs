// The tour: it performs on the example what it explains, covers nothing, and waits for the user.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe } from "node:test";
import { skip } from "../browser.mjs";
import { eventually, visits } from "./playground.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

describe("the tour", { skip }, () => {
  const { visit } = visits();
  const card = (page) => page.getByRole("region", { name: "Tour" });
  const next = (page) => card(page).getByRole("button", { name: "Next" }).and(page.locator('[aria-disabled="false"]'));

  visit("is offered once, and breaks, steps, goes back, edits and forks", {}, async (visitor, page) => {
    await page.getByRole("button", { name: "Show me, in 30 seconds" }).click();
    await card(page).getByRole("heading", { name: "Break on a retry" }).waitFor();
    // It continues automatically only for users who allow motion.
    await card(page).getByRole("button", { name: "Go on by itself" }).waitFor();
    await next(page).waitFor();
    await page.locator(".pause-where", { hasText: "ChargeCard" }).waitFor();
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
    await card(page).getByRole("heading", { name: "Step a stage" }).waitFor();
    await next(page).waitFor();
    await page.locator(".pause-where", { hasText: "after" }).waitFor();
    await page.keyboard.press("Enter");
    await card(page).getByRole("heading", { name: "Drag back in time" }).waitFor();
    await next(page).click();
    await card(page).getByRole("heading", { name: "Edit the value" }).waitFor();
    await next(page).click();
    await card(page).getByRole("heading", { name: "Fork" }).waitFor();
    await page.getByText("Failed: CardRefused").first().waitFor();
    await page.locator("#dock").getByText("not ended").waitFor();
    await card(page).getByRole("button", { name: "Done" }).and(page.locator('[aria-disabled="false"]')).click();
    await eventually(() => card(page).count(), 0);
    // It leaves no run behind that a reload would offer.
    await visitor.waitForExecutions((all) => all.every(({ status }) => status !== "RUNNING"));
    await page.reload();
    await page.locator("[data-node]").first().waitFor();
    await visitor.waitUntilQuiet();
    await eventually(() => page.getByRole("region", { name: "Notice" }).count(), 0);
    await eventually(() => page.getByRole("button", { name: "Show me, in 30 seconds" }).count(), 0);
  });

  visit("continues automatically if motion is allowed, and ends with Escape", { reducedMotion: "no-preference" }, async ({ page }) => {
    await page.getByRole("button", { name: "Help" }).first().click();
    await page.getByRole("button", { name: "Take the tour (30 seconds)" }).click();
    await card(page).getByRole("heading", { name: "Break on a retry" }).waitFor();
    await card(page).getByRole("heading", { name: "Step a stage" }).waitFor();
    await card(page).getByRole("button", { name: "Pause" }).click();
    await card(page).getByRole("button", { name: "Go on by itself" }).press("Escape");
    await eventually(() => card(page).count(), 0);
  });
});
