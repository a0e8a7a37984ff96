// Several machines in tabs, files that are opened and saved in place, templates that are edited where they stand.
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe } from "node:test";
import { skip } from "../browser.mjs";
import { comes, until, visits } from "./playground.mjs";

const shots = process.env.STEPGLASS_SHOTS;
const shot = async (page, name) => shots && page.screenshot({ path: join(shots, `${name}.png`) });

const chain = (...names) => ({
  StartAt: names[0],
  States: Object.fromEntries(names.map((name, i) => [name, { Type: "Pass", ...(names[i + 1] ? { Next: names[i + 1] } : { End: true }) }])),
});
const pretty = (value) => `${JSON.stringify(value, null, 2)}\n`;

/**
 * A disk for the page: headless Chromium has no dialogs for files, so files of the origin's own file system stand in. They are true
 * handles, which IndexedDB keeps; only the choice and the permission are ours.
 */
async function withDisk(page) {
  await page.addInitScript(() => {
    window.next = [];
    const root = () => navigator.storage.getDirectory();
    window.disk = {
      async write(path, text) {
        const stream = await (await (await root()).getFileHandle(path, { create: true })).createWritable();
        await stream.write(text);
        await stream.close();
      },
      read: async (path) => (await (await (await root()).getFileHandle(path)).getFile()).text(),
    };
    const chosen = async () => {
      const names = window.next.splice(0);
      if (names.length === 0) throw new DOMException("nothing was chosen", "AbortError");
      return Promise.all(names.map(async (name) => (await root()).getFileHandle(name, { create: true })));
    };
    window.showOpenFilePicker = chosen;
    window.showSaveFilePicker = async () => (await chosen())[0];
    window.showDirectoryPicker = async () => (await root()).getDirectoryHandle(window.next.shift(), { create: true });
    FileSystemHandle.prototype.queryPermission = async () => sessionStorage.getItem("permitted") ?? "granted";
    FileSystemHandle.prototype.requestPermission = async () => {
      window.asked = (window.asked ?? 0) + 1;
      sessionStorage.setItem("permitted", "granted");
      return "granted";
    };
  });
}

const write = (page, path, text) => page.evaluate(([to, what]) => window.disk.write(to, what), [path, text]);
const read = (page, path) => page.evaluate((from) => window.disk.read(from), path);
const open = async (page, ...names) => {
  await page.evaluate((chosen) => (window.next = chosen), names);
  await page.keyboard.press("ControlOrMeta+o");
};
const tabs = (page) => page.getByRole("tablist", { name: "Machines of the project" }).getByRole("tab");
const names = (page) => tabs(page).evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));
const toast = (page, text) => page.getByRole("region", { name: "Message" }).filter({ hasText: text }).first().waitFor();
const shown = ({ page }) => page.locator("#definition-editor .cm-line").allInnerTexts();
/** Writes something else in the definition, as by hand. */
const put = async (visitor, what, by) => {
  const text = await until(async () => {
    const lines = (await shown(visitor)).map((line) => (line === "\n" ? "" : line)).join("\n");
    assert.ok(lines.includes(what), lines);
    return lines;
  });
  await visitor.write("Definition", text.replace(what, by));
};

describe("projects", { skip }, () => {
  const { visit } = visits();

  visit("a file is opened, edited and saved in place, with its own line ends", { before: withDisk }, async (visitor, page) => {
    const text = `\ufeff${pretty(chain("One", "Two")).replaceAll("\n", "\r\n")}`;
    await write(page, "order.asl.json", text);
    await open(page, "order.asl.json");
    await visitor.state("Two").waitFor();
    await comes(() => names(page), ["order"]);
    await put(visitor, '"Next": "Two"', '"Comment": "edited", "Next": "Two"');
    await comes(() => names(page), ["order, unsaved changes"]);
    await shot(page, "projects-file");
    await comes(() => visitor.violations(), []);
    await page.keyboard.press("ControlOrMeta+s");
    await toast(page, "Saved order.asl.json.");
    await comes(() => names(page), ["order"]);
    const saved = text.replace('"Next": "Two"', '"Comment": "edited", "Next": "Two"');
    // The file system's own reader drops the mark at the beginning.
    assert.equal(`\ufeff${await read(page, "order.asl.json")}`, saved);
  });

  visit("after a reload the file is there, and the permission is asked for again", { before: withDisk }, async (visitor, page) => {
    await write(page, "order.asl.json", pretty(chain("One", "Two")));
    await open(page, "order.asl.json");
    await visitor.state("Two").waitFor();
    await put(visitor, '"Two"', '"Three"');
    await put(visitor, '"Two"', '"Three"');
    await visitor.state("Three").waitFor();
    await visitor.kept("Three");
    await page.evaluate(() => sessionStorage.setItem("permitted", "prompt"));
    await until(async () => assert.match(JSON.stringify(await kept(page)), /order\.asl\.json/));
    await page.reload();
    await visitor.state("Three").waitFor();
    await comes(() => names(page), ["order, unsaved changes"]);
    await page.keyboard.press("ControlOrMeta+s");
    await toast(page, "Saved order.asl.json.");
    await comes(() => page.evaluate(() => window.asked), 1);
    assert.equal(await read(page, "order.asl.json"), pretty(chain("One", "Three")));
  });

  visit("what somebody else has written in the file is offered, and never written over", { before: withDisk }, async (visitor, page) => {
    await write(page, "order.asl.json", pretty(chain("One", "Two")));
    await open(page, "order.asl.json");
    await visitor.state("Two").waitFor();
    await put(visitor, '"Next": "Two"', '"Comment": "mine", "Next": "Two"');
    await comes(() => names(page), ["order, unsaved changes"]);
    await write(page, "order.asl.json", pretty(chain("One", "Two", "Outside")));
    await page.keyboard.press("ControlOrMeta+s");
    const notice = page.getByRole("region", { name: "Notice" }).filter({ hasText: "changed outside" });
    await notice.waitFor();
    assert.equal(await read(page, "order.asl.json"), pretty(chain("One", "Two", "Outside")));
    await shot(page, "projects-outside");
    await notice.getByRole("button", { name: "Take the file's, mine stays a draft" }).click();
    await visitor.state("Outside").waitFor();
    await comes(() => names(page), ["order"]);
    // Nothing is edited here: coming back to the page is enough.
    await write(page, "order.asl.json", pretty(chain("One", "Later")));
    await page.evaluate(() => dispatchEvent(new Event("focus")));
    await notice.getByRole("button", { name: "Take it over" }).click();
    await visitor.state("Later").waitFor();
  });

  visit("machines in tabs keep their texts and what can be undone", { before: withDisk }, async (visitor, page) => {
    await write(page, "a.asl.json", pretty(chain("A", "B")));
    await write(page, "c.asl.json", pretty(chain("C", "D")));
    await open(page, "a.asl.json", "c.asl.json");
    await comes(() => names(page), ["a", "c"]);
    await visitor.state("D").waitFor();
    await put(visitor, '"Type": "Pass",', '"Type": "Pass", "Comment": "seen",');
    await comes(() => names(page), ["a", "c, unsaved changes"]);
    await tabs(page).nth(0).click();
    await visitor.state("B").waitFor();
    await tabs(page).nth(0).press("ArrowRight");
    await visitor.state("D").waitFor();
    await until(async () => assert.match((await shown(visitor)).join(), /seen/));
    await visitor.editor("Definition").click();
    await page.keyboard.press("ControlOrMeta+z");
    await comes(() => names(page), ["a", "c"]);
    // By keyboard: move, close, open again.
    await tabs(page).nth(1).focus();
    await page.keyboard.press("Shift+ArrowLeft");
    await comes(() => names(page), ["c", "a"]);
    await page.keyboard.press("Delete");
    await comes(() => names(page), ["a"]);
    await visitor.state("B").waitFor();
    await page.keyboard.press("Alt+Shift+T");
    await comes(() => names(page), ["c", "a"]);
    await page.keyboard.press("Alt+PageDown");
    await visitor.state("B").waitFor();
    await tabs(page).nth(1).focus();
    await page.keyboard.press("F2");
    await page.getByRole("textbox", { name: "Name of the machine" }).fill("Billing");
    await page.keyboard.press("Enter");
    await comes(() => names(page), ["c", "Billing"]);
    await page.getByRole("button", { name: "New machine" }).click();
    await comes(() => names(page), ["c", "Billing", "Untitled"]);
    await shot(page, "projects-tabs");
    await comes(() => visitor.violations(), []);
    await tabs(page).nth(1).click();
    await visitor.state("B").waitFor();
    await until(async () => assert.match(JSON.stringify(await kept(page)), /Billing/));
    await page.reload();
    await comes(() => names(page), ["c", "Billing", "Untitled"]);
    await visitor.state("B").waitFor();
  });
});

/** What the page keeps of projects. */
const kept = (page) =>
  page.evaluate(
    () =>
      new Promise((resolve) => {
        const request = indexedDB.open("stepglass.projects");
        request.onsuccess = () => {
          const { result } = request;
          if (!result.objectStoreNames.contains("projects")) return resolve([]);
          const all = result.transaction("projects").objectStore("projects").getAll();
          all.onsuccess = () => {
            result.close();
            resolve(all.result.map((one) => ({ ...one, files: one.files.map(({ name }) => name) })));
          };
        };
      }),
  );
