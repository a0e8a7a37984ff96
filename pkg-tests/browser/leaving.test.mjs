// Exports of the page: the machine as an element for other pages, in print, and as pictures with the signs of services.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe } from "node:test";
import { launch, open, serve, skip } from "../browser.mjs";
import { eventually, until, visits } from "./playground.mjs";
import { wordsOf } from "../pdf.mjs";

const NAMED = {
  StartAt: 'Say "a<b"',
  States: {
    'Say "a<b"': { Type: "Task", Resource: "arn:aws:states:::sqs:sendMessage", Comment: "</script><!-- x", Next: "Keep" },
    Keep: { Type: "Task", Resource: "arn:aws:states:::aws-sdk:s3:putObject", End: true },
  },
};
const QUEUE = "M2.5 6H17.5V14H2.5Z";
const dist = resolve(import.meta.dirname, "../../dist");

describe("exports", { skip }, () => {
  const { visit } = visits();

  visit("HTML works on another page without changes", { reusePage: true }, async (visitor) => {
    const { page } = visitor;
    await visitor.open({ definition: NAMED, input: { name: "Ada" } });
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Share" }).click();
    const dialog = page.getByRole("dialog", { name: "Share" });
    await dialog.getByRole("tab", { name: "Link" }).press("ArrowRight");
    await dialog.getByLabel("Address of debugger.js on the page").fill("/debugger.js");
    await dialog.getByLabel("Change it").check();
    const html = dialog.getByLabel("HTML", { exact: true });
    await eventually(
      () => html.inputValue(),
      /<stepglass-debugger\n {2}editable\n {2}view="graph code"\n {2}input="\{&quot;name&quot;:&quot;Ada&quot;\}"\n>/,
    );
    const snippet = await html.inputValue();
    await dialog.getByRole("button", { name: "Copy the HTML" }).click();
    await eventually(() => page.evaluate(() => navigator.clipboard.readText()), snippet);
    await dialog.getByLabel("Run it and step through it").uncheck();
    await eventually(() => html.inputValue(), /\n {2}readonly\n>/);
    // The exported HTML works there.
    const site = await serve(dist, {});
    const chrome = await launch();
    try {
      const context = await chrome.newContext();
      const body = `<!doctype html><html lang="en"><title>Other</title><link rel="icon" href="data:,">${snippet}`;
      await context.route("**/other.html", (route) => route.fulfill({ contentType: "text/html", body }));
      const { page: other, problems } = await open(context, `${site.url}other.html`);
      await other.locator("[data-node$='/States/Keep']").waitFor();
      const there = await other.locator("stepglass-debugger").evaluate((one) => one.definition);
      assert.deepEqual(JSON.parse(there), NAMED);
      assert.deepEqual(problems, []);
    } finally {
      await chrome.close();
      await site.close();
    }
  });

  visit("shows the element as its visitors see it, with what they are allowed to do", { reusePage: true }, async (visitor) => {
    const { page } = visitor;
    await visitor.open({ definition: NAMED, input: { name: "Ada" } });
    await page.getByRole("button", { name: "Share" }).click();
    const dialog = page.getByRole("dialog", { name: "Share" });
    await dialog.getByRole("tab", { name: "Link" }).press("ArrowRight");
    await dialog.getByRole("button", { name: "Show a preview" }).click();
    const element = dialog.locator("stepglass-debugger");
    await element.locator("[data-node$='/States/Keep']").waitFor();
    await element.getByRole("button", { name: "Run", exact: true }).waitFor();
    if (process.env.SCREENS) await page.screenshot({ path: `${process.env.SCREENS}/preview.png` });
    await dialog.getByLabel("Run it and step through it").uncheck();
    await until(async () => assert.equal(await element.evaluate((one) => one.hasAttribute("readonly")), true));
    await element.locator("[data-node$='/States/Keep']").waitFor();
    await eventually(() => element.getByRole("button", { name: "Run", exact: true }).count(), 0);
    await dialog.getByRole("button", { name: "Hide the preview" }).click();
    await eventually(() => element.count(), 0);
  });

  visit("prints a small machine on one sheet", { reusePage: true }, async (visitor) => {
    const { page } = visitor;
    await visitor.open({ definition: NAMED });
    await page.getByRole("button", { name: "Export" }).click();
    await page.getByRole("button", { name: "Print…" }).waitFor();
    await page.keyboard.press("Escape");
    for (const format of ["A4", "Letter"]) {
      const sheets = async () => [...(await page.pdf({ format })).toString("latin1").matchAll(/\/Type\s*\/Page\b(?!s)/g)].length;
      await eventually(sheets, 1);
    }
    if (process.env.SCREENS) await page.pdf({ format: "A4", path: `${process.env.SCREENS}/print.pdf` });
  });

  visit("prints completely, in light colours and without controls", { colorScheme: "dark" }, async (visitor) => {
    const { page } = visitor;
    await visitor.open({ definition: NAMED });
    await page.mouse.move(200, 200);
    await page.mouse.move(210, 210);
    await until(async () => {
      await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
      await page.locator("article.paper").waitFor({ state: "attached", timeout: 1_000 });
    });
    await page.emulateMedia({ media: "print" });
    // The paper is drawn in steps, and its picture comes after its title.
    const shown = () =>
      page.evaluate(() => {
        const box = document.querySelector(".paper svg")?.getBoundingClientRect();
        const text = document.querySelector(".paper pre")?.textContent;
        return {
          visible: [...document.querySelectorAll("button, input, [role=tablist]")].filter((one) => one.checkVisibility()).length,
          whole: box !== undefined && box.left >= 0 && box.top >= 0 && box.right <= innerWidth && box.height <= innerHeight,
          ground: getComputedStyle(document.body).backgroundColor,
          text: text && JSON.parse(text),
          nodes: document.querySelectorAll(".paper g.node").length,
        };
      });
    await eventually(shown, { visible: 0, whole: true, ground: "rgb(255, 255, 255)", text: NAMED, nodes: 2 });
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    await page.emulateMedia({ media: "screen" });
    await eventually(() => page.locator("article.paper").count(), 0);
  });

  visit(
    "prints thirty states with their names and the definition, and no other part of the page",
    { colorScheme: "dark" },
    async (visitor) => {
      const { page } = visitor;
      const names = Array.from({ length: 30 }, (_, i) => `${["Prepare", "Check", "Charge", "Pack", "Send"][i % 5]} part ${i + 1}`);
      const States = Object.fromEntries(
        names.map((name, i) => [name, { Type: "Wait", Seconds: i, ...(i < 29 ? { Next: names[i + 1] } : { End: true }) }]),
      );
      await visitor.open({ definition: { StartAt: names[0], States } });
      await visitor.state(names[29]).waitFor();
      await page.keyboard.press("ControlOrMeta+k");
      await page.getByRole("dialog").waitFor();
      await page.keyboard.press("Escape");
      // The module that prints is loaded shortly after the first action.
      const sheets = await until(async () => {
        const all = wordsOf(await page.pdf({ format: "A4", printBackground: true }));
        assert.match(all.at(-1), /"Seconds": 29/);
        return all;
      });
      const lines = sheets.join("\n").split("\n");
      // The first sheet has the whole graph; the definition has the names in quotes.
      for (const name of names) {
        assert.ok(sheets[0].split("\n").includes(name), name);
        assert.ok(
          lines.some((line) => line.startsWith(`"${name}": {`)),
          name,
        );
      }
      const controls = ["Run", "Share", "Export", "Settings", "Help", "Inspect", "Timeline", "Mocks", "Breakpoints", "Events"];
      assert.deepEqual(
        controls.filter((word) => lines.some((line) => line.trim() === word)),
        [],
      );
      assert.ok(
        sheets.every((sheet) => sheet.trim().split("\n").length > 9),
        "no sheet has a few lines only",
      );
    },
  );

  visit("shows the sign of a task's service in pictures and menus, too", { reusePage: true }, async (visitor) => {
    const { page } = visitor;
    await visitor.open({ definition: NAMED });
    const signs = () => page.locator(".canvas g.node .glyph").evaluateAll((all) => all.map((one) => one.getAttribute("d")));
    await until(async () => assert.ok((await signs())[0]?.startsWith(QUEUE)));
    const [queue, bucket] = await signs();
    await page.getByRole("button", { name: "Export" }).click();
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "SVG", exact: true }).click()]);
    const svg = readFileSync(await download.path(), "utf8");
    assert.ok(svg.includes(`d="${queue}"`) && svg.includes(`d="${bucket}"`));
    await page.keyboard.press("Escape");
    await page.locator("[data-node$='/States/Keep']").focus();
    await page.keyboard.press("a");
    await page.getByRole("combobox", { name: "State, pattern or service" }).fill("sqs send");
    await page.locator(`.picker-option path[d^="${QUEUE}"]`).first().waitFor();
    await page.keyboard.press("Escape");
  });
});
