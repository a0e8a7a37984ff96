// The fonts in which the page is tested: a visitor has the font that a test names.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { inFont, launch, missingFont, skip } from "../browser.mjs";
import { FONTS } from "../../scripts/fonts.mjs";
import { visits } from "./playground.mjs";

/** The width of a text and the height of its line in these font families. */
const measured = (page, families) =>
  page.evaluate((family) => {
    const text = document.createElement("span");
    text.style.cssText = "position: absolute; white-space: nowrap; line-height: normal; font-size: 100px";
    text.style.fontFamily = family;
    text.textContent = "What a state is called, and how often it ran";
    document.body.append(text);
    const { offsetWidth: width, offsetHeight: height } = text;
    text.remove();
    return { width, height };
  }, families);

describe("the page's fonts", { skip }, () => {
  const { visit } = visits();

  for (const [name, { sans }] of Object.entries(FONTS)) {
    visit(`are used by a visitor: ${name}`, { font: name }, async (_, page) => {
      assert.deepEqual(await measured(page, "var(--sans)"), await measured(page, `"${sans}"`));
    });
  }

  visit("are narrow, wide and tall", { font: "wide" }, async (_, page) => {
    const [narrow, wide, tall] = await Promise.all(Object.values(FONTS).map(({ sans }) => measured(page, `"${sans}"`)));
    assert.ok(narrow.width < tall.width && tall.width < wide.width, `${narrow.width} ${tall.width} ${wide.width}`);
    assert.ok(tall.height > narrow.height && tall.height > wide.height, `${tall.height} ${narrow.height} ${wide.height}`);
  });

  test("are the defaults of a machine that has only these fonts", { skip: missingFont("wide") ?? false }, async (t) => {
    const { STEPGLASS_FONT: before } = process.env;
    t.after(() => (before === undefined ? delete process.env.STEPGLASS_FONT : (process.env.STEPGLASS_FONT = before)));
    process.env.STEPGLASS_FONT = "wide";
    const chrome = await launch();
    try {
      const page = await chrome.newPage();
      const wide = await measured(page, `"${FONTS.wide.sans}"`);
      for (const family of ["sans-serif", "system-ui", "monospace", "ui-sans-serif, system-ui, sans-serif"])
        assert.deepEqual(await measured(page, family), wide, family);
      await assert.rejects(inFont(page, "comic"), /known are narrow, wide, tall/);
    } finally {
      await chrome.close();
    }
    process.env.STEPGLASS_FONT = "comic";
    await assert.rejects(async () => launch(), /STEPGLASS_FONT=comic: known are narrow, wide, tall/);
  });
});
