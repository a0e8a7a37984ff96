// The first hour of a user: nothing covers anything else, forms are scrolled to their top, and an empty page reports no problems.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { skip } from "../browser.mjs";
import { eventually, openFromMenu, until, visits } from "./playground.mjs";

const FAILING = {
  StartAt: "Prepare",
  States: {
    Prepare: { Type: "Pass", Next: "Decide" },
    Decide: { Type: "Choice", Choices: [{ Variable: "$.good", IsPresent: true, Next: "Good" }], Default: "Bad" },
    Good: { Type: "Succeed" },
    Bad: { Type: "Fail", Error: "Broken" },
  },
};

describe("the first hour", { skip }, () => {
  const { visit } = visits();
  const graph = (page) => page.getByRole("button", { name: "Graph", exact: true });

  for (const [width, height] of [
    [1280, 800],
    [768, 900],
    [360, 740],
  ])
    visit(`hints, warnings and tool bars cover neither states nor each other: ${width} px`, { width, height }, async (visitor, page) => {
      await visitor.importText(JSON.stringify(FAILING, null, 2));
      await page.getByRole("button", { name: "Run", exact: true }).first().press("Enter");
      const hints = page.getByRole("region", { name: "Where a breakpoint would help" });
      await hints.waitFor();
      await page.mouse.move(4, height / 2);
      await page.locator(".edit-bar").waitFor();
      if (width < 640) await page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name: "Graph" }).click();
      const meeting = () =>
        page.evaluate(() => {
          const boxes = (selector) =>
            [...document.querySelectorAll(selector)]
              .map((element) => ({ name: element.getAttribute("data-node") ?? element.className, box: element.getBoundingClientRect() }))
              .filter(({ box }) => box.width > 0);
          const meet = ({ box: a }, { box: b }) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
          const over = boxes(".edit-bar, .graph-foot > *, .stop-hints, .edit-hint, .banner");
          const states = boxes("svg.canvas .node > .node-button");
          return [
            ...over.flatMap((one, i) => over.slice(i + 1).flatMap((other) => (meet(one, other) ? `${one.name} over ${other.name}` : []))),
            ...over.flatMap((one) => states.flatMap((state) => (meet(one, state) ? `${one.name} over ${state.name}` : []))),
          ];
        });
      await eventually(meeting, []);
      await page.locator(".edit-bar").getByRole("button", { name: "Add a state" }).click();
      await page.locator(".picker").getByText("Wait", { exact: true }).first().click();
      await page.getByRole("complementary", { name: "Hint" }).waitFor();
      await until(async () =>
        assert.deepEqual(
          (await meeting()).filter((one) => /over (edit-|stop-|graph-|banner)/.test(one)),
          [],
        ),
      );
    });

  visit("scrolls a form to its top, with the state's name in sight, and opens the form of a new state", {}, async (visitor, page) => {
    const state = (Next) => ({ Type: "Task", Resource: "arn:aws:states:::lambda:invoke", Parameters: { FunctionName: "f" }, Next });
    await visitor.importText(
      JSON.stringify({ StartAt: "One", States: { One: state("Two"), Two: state("End"), End: { Type: "Succeed" } } }, null, 2),
    );
    await visitor.state("One").click();
    const inspector = page.locator("#inspector-pane");
    await inspector.getByRole("tab", { name: "Form" }).click();
    await inspector.locator(".form-fields").waitFor();
    const panel = inspector.locator(".panel.scroll");
    const inSight = (name) =>
      eventually(
        () =>
          panel.evaluate((element, wanted) => {
            const title = [...element.querySelectorAll("h3")].find(({ textContent }) => textContent === wanted);
            const [a, b] = [title?.getBoundingClientRect(), element.getBoundingClientRect()];
            return a !== undefined && a.height > 0 && a.top >= b.top && a.bottom <= b.bottom;
          }, name),
        true,
      );
    await panel.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await eventually(() => panel.evaluate(({ scrollTop }) => scrollTop > 0), true);
    await inSight("One");
    await visitor.state("Two").click();
    await inSight("Two");
    await eventually(() => panel.evaluate(({ scrollTop }) => scrollTop), 0);
    // The same after the Data tab was open.
    await inspector.getByRole("tab", { name: "Data" }).click();
    await visitor.state("Two").focus();
    await page.keyboard.press("i");
    await page.locator(".picker").waitFor();
    await page.keyboard.type("Wait");
    await page.keyboard.press("Enter");
    await eventually(() => inspector.getByRole("tab", { name: "Form" }).getAttribute("aria-selected"), "true");
    await inspector.locator(".form-row.is-lit", { hasText: "Seconds" }).waitFor();
    await inSight("Wait");
  });

  visit("opens an empty page without problems by New; Empty is the first card", {}, async (visitor, page) => {
    await page.getByTitle("Examples and recent drafts").click();
    await eventually(() => page.locator(".gallery button").first().innerText(), /^\s*Empty/);
    await page.keyboard.press("Escape");
    await openFromMenu(page, "New machine");
    await page.getByRole("heading", { name: "No states yet" }).waitFor();
    await eventually(() => page.locator(".problems-head").innerText(), /Nothing to check yet/);
    await eventually(() => page.locator(".status-text").innerText(), "Ready");
    await eventually(() => page.title(), "Untitled · Stepglass");
    await eventually(() => page.locator(".is-bad:visible").count(), 0);
    await eventually(() => visitor.violations(), []);
    await visitor.run();
    await eventually(() => page.locator(".status-text").innerText(), "Not started");
    await page.getByText("The definition is empty.").first().waitFor();
  });

  visit("lists all types of states, also those that were added last", {}, async (visitor, page) => {
    // The keys for editing are loaded together with the bar.
    await page.mouse.move(4, 4);
    await page.locator(".edit-bar").waitFor();
    await visitor.state("CheckStock").focus();
    for (const type of ["Wait", "Pass"]) {
      await page.keyboard.press("i");
      await page.locator(".picker").waitFor();
      await page.keyboard.type(type);
      await page.keyboard.press("Enter");
      await visitor.state(type).and(page.locator(":focus")).waitFor();
    }
    await page.keyboard.press("i");
    const list = (name) => page.locator(".picker").getByRole("group", { name }).getByRole("option");
    await list("Recent").first().waitFor();
    await eventually(() => list("States").count(), 8);
    await page.keyboard.press("Escape");
  });

  visit("lists each key once in Help, and closes Help for the list of commands", {}, async (visitor, page) => {
    await page.getByRole("button", { name: "Help and keyboard shortcuts" }).click();
    const run = page.locator(".keys section", { has: page.getByRole("heading", { name: "Run", exact: true }) });
    await run.locator("dd").first().waitFor();
    const keys = await run.locator("dd").allInnerTexts();
    assert.deepEqual(keys, [...new Set(keys)]);
    await page.keyboard.press("ControlOrMeta+k");
    await page.getByRole("dialog", { name: /commands/i }).waitFor();
    await eventually(() => page.getByRole("dialog").count(), 1);
    await page.keyboard.press("Escape");
    await eventually(() => page.getByRole("dialog").count(), 0);
    await graph(page).waitFor();
  });
});
