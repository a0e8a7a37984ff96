// The page fits any font and any size of the window and the text: nothing is cut off, covered or out of reach.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { skip } from "../browser.mjs";
import { faults, fonts, useFont } from "./boxes.mjs";
import { eventually, until, visits } from "./playground.mjs";

const SIZES = [
  [360, 740],
  [640, 700],
  [720, 450],
  [768, 900],
  [1024, 768],
  [1280, 800],
  [1440, 900],
  [2560, 1300],
];
const ROOM = [1440, 900];

describe("layout", { skip }, () => {
  const { site } = visits();

  for (const percent of [100, 150, 200]) {
    test(`fits every pane and dialog to every font and window, with text of ${percent} %`, async () => {
      const before = async (page) => {
        const session = await page.context().newCDPSession(page);
        await session.send("Page.setFontSizes", { fontSizes: { standard: (16 * percent) / 100, fixed: Math.round((13 * percent) / 100) } });
      };
      const visitor = await site.visit({ before });
      const { page } = visitor;
      await page.locator("[data-node]").first().waitFor({ state: "attached" });
      await page.locator("[aria-keyshortcuts]").first().waitFor({ state: "attached" });
      const bad = [];
      /**
       * A page is redrawn in steps after its size or its font has changed, so only faults that stay count. After the first real
       * fault there is no further waiting.
       */
      const lastingFaults = async () => {
        let found = await faults(page);
        if (found.length > 0 && bad.length === 0)
          await until(async () => assert.deepEqual((found = await faults(page)), [])).catch(() => {});
        else if (found.length > 0) {
          await visitor.waitUntilQuiet();
          found = await faults(page);
        }
        return found;
      };
      /** Combines every window with some fonts, and every font with some windows, to limit the time. */
      let turn = 0;
      const holds = async (where, all = false) => {
        const faces = fonts.length > 0 ? fonts : [""];
        for (const [i, [width, height]] of SIZES.entries()) {
          if (!all && i % 4 !== turn % 4) continue;
          for (const [j, font] of faces.entries()) {
            if (!all && j !== (i + turn) % faces.length) continue;
            // The font is changed first, so that both changes result in one layout.
            if (font !== "") await useFont(page, font);
            await page.setViewportSize({ width, height });
            bad.push(...(await lastingFaults()).map((fault) => `${where}, ${width} × ${height}, ${font}: ${fault}`));
          }
        }
        turn += 1;
        await page.setViewportSize({ width: (ROOM[0] * percent) / 100, height: (ROOM[1] * percent) / 100 });
        // In a smaller window the inspector is a tab, which disappears when the window is large again. The test waits for that
        // before it clicks.
        await page.locator("#inspector-pane").waitFor();
        await page.locator("#left-tab-inspector").waitFor({ state: "detached" });
      };
      await holds("before a run");
      await page.keyboard.press("Control+Enter");
      await visitor.result();
      await holds("after a run");
      await page.getByTitle("Table", { exact: true }).click();
      await page.getByRole("treegrid").waitFor();
      await holds("table");
      await page.getByTitle("Graph", { exact: true }).click();
      // The toolbar at its fullest: a manual clock with a timer.
      await visitor.example("Heartbeat");
      await page.getByRole("combobox", { name: "Clock" }).selectOption("manual");
      await page.keyboard.press("Control+Enter");
      await page.getByText(/^\d timers?$/).waitFor();
      await holds("by hand, with a timer", true);
      await page.keyboard.press("Control+F2");
      await visitor.result();
      await visitor.example("Order processing");
      await page.keyboard.press("F10");
      await page.locator(".pause-where", { hasText: "before CheckStock" }).waitFor();
      await page.keyboard.press("F11");
      await page.getByRole("radio", { checked: true }).waitFor();
      await holds("paused after a stage");
      for (const place of ["#dock", "#left"])
        await visitor.everyTab(place, async (tab) => {
          await visitor.waitUntilQuiet();
          await holds(await tab.innerText());
        });
      for (const [command, title] of [
        ["Import", "Import"],
        ["Export", "Export"],
        ["Make a link", "Share"],
        ["Settings", "Settings"],
        ["Help and keyboard", "Help"],
        ["Examples and", "Examples"],
        ["Change keys", "Keyboard"],
      ]) {
        await page.keyboard.press("F1");
        const search = page.getByRole("combobox", { name: "Command or state" });
        await search.waitFor();
        if (title === "Import") await holds("Commands");
        await search.fill(command);
        await page.keyboard.press("Enter");
        await page.getByRole("dialog", { name: title }).waitFor();
        await visitor.waitUntilQuiet();
        await holds(title);
        await until(async () => {
          await page.keyboard.press("Escape");
          assert.equal(await page.getByRole("dialog").count(), 0);
        });
      }
      assert.deepEqual([...new Set(bad)], []);
      await visitor.leave();
    });
  }

  test("gives code and graph the whole window each at 200 %, with all controls of a run", async () => {
    const visitor = await site.visit({ width: 720, height: 450 });
    const { page } = visitor;
    const panes = page.getByRole("navigation", { name: "Panes" });
    for (const [name, pane] of [
      ["Code", "#left"],
      ["Graph", "#graph-pane"],
      ["Run", "#dock"],
    ]) {
      await panes.getByRole("button", { name }).click();
      await until(async () => {
        const box = await page.locator(pane).boundingBox();
        assert.ok(box.width >= 700 && box.height >= 260, `${name}: ${box.width} × ${box.height}`);
      });
    }
    await page.getByRole("button", { name: "Step", exact: true }).click();
    await page.locator(".pause-where", { hasText: "before CheckStock" }).waitFor();
    await page.getByRole("button", { name: "Continue", exact: true }).click();
    await page.locator(".status-bar", { hasText: "Succeeded" }).waitFor();
    await eventually(
      () => page.evaluate(() => [document.documentElement.scrollWidth > innerWidth, document.documentElement.scrollHeight > innerHeight]),
      [false, false],
    );
    await visitor.leave();
  });
});
