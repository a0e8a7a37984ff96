// The signs of the page: they are drawn, distinguishable and counted correctly, and the graph is one tab stop.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, test } from "node:test";
import { skip } from "../browser.mjs";
import { GREETING, eventually, until, visits } from "./playground.mjs";

test("the page's sources have no sign that a font may lack", () => {
  // Characters that every text font contains: punctuation, arrows, Greek, superscripts. The Mac's command key is in the Mac's font.
  const plain = /[^\x00-\x7f\u00a0-\u00ff–—…“”’‘•→←↑↓≤≥−›⌘Σλ⁰⁴-⁹\u200b]/u;
  const folder = resolve(import.meta.dirname, "../../www/src");
  const found = readdirSync(folder, { recursive: true })
    .filter((file) => /\.(tsx?|css)$/.test(file))
    .flatMap((file) =>
      readFileSync(join(folder, file), "utf8")
        .split("\n")
        .map((line, i) => [`${file}:${i + 1}: ${line.trim().slice(0, 100)}`, line]),
    )
    .filter(([, line]) => (plain.test(line) || /\\u2[3-7b]/.test(line)) && !/replace\(\/\^✎/.test(line))
    .map(([where]) => where);
  assert.deepEqual(found, []);
});

describe("signs", { skip }, () => {
  const { visit } = visits();

  visit("makes the graph one tab stop and its tools another", { reusePage: true }, async (visitor, page) => {
    await visitor.example("Map over items");
    await visitor.run();
    await visitor.result();
    const inside = () =>
      page.evaluate(() => document.activeElement.closest("svg.canvas, .graph-tools")?.getAttribute("class")?.split(" ")[0] ?? "");
    await visitor.state("EachPicture").focus();
    await eventually(inside, "canvas");
    await page.keyboard.press("ArrowDown");
    await eventually(() => page.evaluate(() => document.activeElement.dataset.node), "/States/Index");
    await page.keyboard.press("Tab");
    await eventually(inside, "");
    await page.keyboard.press("Shift+Tab");
    await eventually(() => page.evaluate(() => document.activeElement.dataset.node), "/States/Index");
    const tools = page.getByRole("toolbar", { name: "Graph view" });
    await tools.getByRole("button", { name: "Zoom out" }).focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await eventually(() => page.evaluate(() => document.activeElement.getAttribute("aria-label")), "Zoom in");
    await eventually(() => tools.locator('button[tabindex="0"]').count(), 1);
    await page.keyboard.press("Tab");
    await eventually(inside, "");
    await eventually(() => page.locator("#graph-keys").textContent(), /one stop of the Tab key/);
  });

  visit("shows code in messages as code, without back ticks", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: { StartAt: "A", States: { A: { Type: "Pass", Next: "Shp" }, Ship: { Type: "Succeed" } } } });
    await page.locator(".cm-lintRange-error").first().hover();
    const tooltip = page.locator(".cm-tooltip-lint");
    await tooltip.locator("code", { hasText: "Shp" }).first().waitFor();
    assert.doesNotMatch(await tooltip.innerText(), /`/);
    await page.locator(".problems code", { hasText: "Shp" }).first().waitFor();
    await eventually(
      () =>
        page.evaluate(() =>
          [...document.querySelectorAll("[title], [aria-label]")]
            .flatMap((one) => [one.title, one.getAttribute("aria-label")])
            .filter((text) => text?.includes("`")),
        ),
      [],
    );
  });

  visit(
    "types over several lines without violating a policy",
    {
      before: (page) =>
        page.addInitScript(() => {
          globalThis.refused = [];
          addEventListener("securitypolicyviolation", (event) => refused.push(event.violatedDirective));
        }),
    },
    async (visitor, page) => {
      await visitor.editor("Definition").click();
      await page.keyboard.press("ControlOrMeta+a");
      await page.keyboard.type('{"StartAt": "A", "States": {"A": {"Type": "Pass", "End": true');
      await visitor.state("A").waitFor();
      // The insertion is one step of undo, including the brackets that the editor closes.
      await eventually(() => visitor.editor("Definition").innerText(), /^\{"StartAt": "A".*true\}\}\}$/);
      await visitor.tab("Input");
      await visitor.editor("Input").click();
      await page.keyboard.press("ControlOrMeta+a");
      await page.keyboard.type("[1, 2");
      await eventually(() => visitor.editor("Input").innerText(), "[1, 2]");
      await eventually(() => page.evaluate(() => refused), []);
    },
  );

  visit("does not count findings beside the lines, or disabled breakpoints, as breakpoints", { reusePage: true }, async (visitor, page) => {
    const definition = structuredClone(GREETING);
    definition.States.Greet.Next = "Nowhere";
    await visitor.open({ definition });
    const look = (locator) =>
      locator.evaluate((element) => {
        const { clipPath, borderRadius } = getComputedStyle(element);
        return clipPath !== "none" ? "shape" : borderRadius;
      });
    await eventually(() => look(page.locator(".cm-lint-marker-error").first()), "shape");
    await page.locator(".sg-break[title='Breakpoint before Greet']").click();
    await eventually(() => look(page.locator(".sg-break-plain")), "50%");
    const tab = page.getByRole("tab", { name: /^Breakpoints/ });
    await eventually(() => tab.innerText(), /1/);
    await tab.click();
    await page.getByRole("checkbox", { name: "Breakpoint on Greet" }).uncheck();
    await eventually(() => tab.innerText(), "Breakpoints");
  });

  visit("shows the scrubber in forced colours", { forcedColors: "active" }, async (visitor, page) => {
    await visitor.run();
    await visitor.result();
    const scrubber = page.getByLabel("Event shown");
    await scrubber.fill("20");
    await eventually(() => scrubber.evaluate((element) => getComputedStyle(element).forcedColorAdjust), "none");
    // The strip has several colours: the past, the thumb and the future.
    const picture = await scrubber.screenshot();
    const colours = await page.evaluate(
      async (bytes) => {
        const image = await createImageBitmap(new Blob([new Uint8Array(bytes)], { type: "image/png" }));
        const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
        canvas.drawImage(image, 0, 0);
        const row = canvas.getImageData(0, Math.floor(image.height / 2), image.width, 1).data;
        return new Set(Array.from({ length: image.width }, (_, x) => row.slice(4 * x, 4 * x + 3).join())).size;
      },
      [...picture],
    );
    assert.ok(colours >= 3, `${colours} colours`);
  });

  visit(
    "reaches every column of the table by wheel and by key, with the names in view",
    { reusePage: "Order processing" },
    async (visitor, page) => {
      await visitor.run();
      await visitor.result();
      await page.getByTitle("Table", { exact: true }).click();
      const head = (name) => page.getByRole("columnheader", { name, exact: true }).boundingBox();
      const pane = await page.locator("#graph-pane").boundingBox();
      const names = await head("Name");
      await page
        .getByRole("row", { name: /OutOfStock/ })
        .last()
        .focus();
      await until(async () => {
        await page.keyboard.press("ArrowRight");
        const time = await head("Time");
        assert.ok(time.x + time.width <= pane.x + pane.width + 1, "the last column");
      });
      await eventually(async () => (await head("Name")).x, names.x);
      await until(async () => {
        await page.keyboard.press("ArrowLeft");
        assert.equal(await page.locator(".state-table").evaluate((table) => table.scrollLeft), 0);
      });
    },
  );
});
