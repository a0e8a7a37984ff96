// Several machines in tabs, files that are opened and saved in place, templates that are edited where they stand.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
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
    if (!("FileSystemHandle" in window)) return;
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
/** A command of the palette, by a part of its title. */
const command = async (page, title) => {
  await page.keyboard.press("ControlOrMeta+k");
  const palette = page.getByRole("dialog", { name: "Commands" });
  await palette.getByRole("combobox").fill(title);
  await palette.getByRole("option", { name: title }).first().click();
};
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
    await page.getByRole("button", { name: "New tab" }).click();
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

  const SAM = `Transform: AWS::Serverless-2016-10-31   # stays
Resources:
  Parent:
    Type: AWS::Serverless::StateMachine
    Properties:
      Definition:
        StartAt: Ask
        States:
          Ask:
            Type: Task
            Resource: arn:aws:states:::states:startExecution.sync:2
            Parameters:
              StateMachineArn: !GetAtt Child.Arn   # the other one
              Input: {}
            Next: Done
          Done: {Type: Succeed}
  Child:
    Type: AWS::Serverless::StateMachine
    Properties:
      Definition:
        StartAt: Charge
        States:
          Charge:
            Type: Task
            Resource: !Sub "arn:aws:lambda:\${AWS::Region}:123456789012:function:charge"
            TimeoutSeconds: \${Timeout}
            End: true
  Away:
    Type: AWS::Serverless::StateMachine
    Properties:
      DefinitionUri: away.asl.json
`;

  visit("a template's machines are tabs, edited in it, and one starts the other", { before: withDisk }, async (visitor, page) => {
    await write(page, "template.yaml", SAM);
    await open(page, "template.yaml");
    await visitor.state("Ask").waitFor();
    await comes(() => names(page), ["Parent", "Child"]);
    await toast(page, "Away is in away.asl.json");
    await until(async () => assert.ok((await shown(visitor)).join("\n").includes('StateMachineArn: "${Child.Arn}"')));
    await shot(page, "projects-template");
    // What a task starts is a tab.
    await visitor.state("Ask").click();
    await page.keyboard.press("Shift+F10");
    await page.getByRole("menuitem", { name: "Open the machine that it starts" }).click();
    await visitor.state("Charge").waitFor();
    await comes(() => tabs(page).nth(1).getAttribute("aria-selected"), "true");
    await put(visitor, "End: true", "Comment: here\n    End: true");
    await comes(() => names(page), ["Parent", "Child, unsaved changes"]);
    await page.keyboard.press("ControlOrMeta+s");
    await toast(page, "Saved template.yaml.");
    assert.equal(await read(page, "template.yaml"), SAM.replace("End: true", "Comment: here\n            End: true"));
    await comes(() => names(page), ["Parent", "Child"]);
    await comes(() => visitor.violations(), []);
  });

  visit("a run finds the machine of another tab", { before: withDisk }, async (visitor, page) => {
    const child = { StartAt: "Work", States: { Work: { Type: "Pass", Result: { done: 7 }, End: true } } };
    const parent = {
      StartAt: "Ask",
      States: {
        Ask: {
          Type: "Task",
          Resource: "arn:aws:states:::states:startExecution.sync:2",
          Parameters: { StateMachineArn: "arn:aws:states:us-east-1:123456789012:stateMachine:child", Input: {} },
          OutputPath: "$.Output",
          End: true,
        },
      },
    };
    await write(page, "parent.asl.json", pretty(parent));
    await write(page, "child.asl.json", pretty(child));
    await open(page, "child.asl.json", "parent.asl.json");
    await visitor.state("Ask").waitFor();
    await visitor.run();
    await visitor.result();
    await comes(() => visitor.output(), { done: 7 });
  });

  visit("a run goes on where it was when its tab is chosen again", { before: withDisk }, async (visitor, page) => {
    const waits = {
      StartAt: "Begin",
      States: { Begin: { Type: "Pass", Next: "Rest" }, Rest: { Type: "Wait", Seconds: 40000, End: true } },
    };
    await write(page, "a.asl.json", pretty(waits));
    await write(page, "c.asl.json", pretty(chain("C", "D")));
    await open(page, "a.asl.json", "c.asl.json");
    await comes(() => names(page), ["a", "c"]);
    await tabs(page).nth(0).click();
    await visitor.state("Rest").waitFor();
    await page.getByRole("combobox", { name: /Clock/ }).selectOption("real");
    await visitor.run();
    await comes(() => visitor.state("Rest").getAttribute("aria-label"), /waiting/i);
    await visitor.executions(([one]) => one?.timer?.state === "Rest");
    // The other tab has nothing of it, and runs something of its own.
    await tabs(page).nth(1).click();
    await visitor.state("D").waitFor();
    // It is left in the moment in which it ends, when this browser has not kept the end yet.
    const other = await tabs(page).nth(0).elementHandle();
    const left = page.evaluate(async (tab) => {
      const ended = () => /succeeded/i.test(document.querySelector('[data-node="/States/D"]')?.getAttribute("aria-label") ?? "");
      while (!ended()) await new Promise((frame) => requestAnimationFrame(frame));
      tab.click();
    }, other);
    await visitor.run();
    await left;
    await comes(() => visitor.state("Rest").getAttribute("aria-label"), /waiting/i);
    await comes(() => visitor.state("Begin").getAttribute("aria-label"), /succeeded/i);
    await page.getByRole("button", { name: "Stop", exact: true }).waitFor();
    await tabs(page).nth(1).click();
    await comes(() => visitor.state("D").getAttribute("aria-label"), /succeeded/i);
  });

  visit("the change is shown as lines, as states and on the graph", { before: withDisk }, async (visitor, page) => {
    await write(
      page,
      "order.asl.json",
      pretty({ StartAt: "One", States: { ...chain("One", "Two").States, Gone: { Type: "Wait", Seconds: 1, End: true } } }),
    );
    await open(page, "order.asl.json");
    await visitor.state("Two").waitFor();
    await visitor.write("Definition", pretty({ ...chain("One", "New", "Two"), Comment: "x" }));
    await visitor.state("New").waitFor();
    await page.keyboard.press("Alt+Shift+C");
    const dialog = page.getByRole("dialog", { name: "Changes" });
    await dialog.getByText("What is different from order.asl.json").waitFor();
    await dialog.getByText("New added").waitFor();
    await dialog.getByText("Gone cannot go on").waitFor();
    assert.match((await dialog.locator(".change-added").allInnerTexts()).join(), /"New": \{/);
    assert.match((await dialog.locator(".change-removed").allInnerTexts()).join(), /"Gone": \{/);
    await shot(page, "projects-changes");
    await comes(() => visitor.violations(), []);
    await dialog.getByRole("button", { name: "Show on the graph" }).click();
    await page.getByRole("region", { name: "Legend: changes" }).getByText("removed: Gone").waitFor();
    // What is no more stands where it was: it can be read, and nothing can be done with it.
    const ghost = page.getByRole("group", { name: "Removed states" }).getByRole("img");
    await comes(() => ghost.getAttribute("aria-label"), "Gone, Wait, removed: it led to the end");
    assert.equal(await ghost.locator("..").locator("[tabindex], [role=button]").count(), 0);
    const [gone, two] = await Promise.all([ghost.locator("rect").boundingBox(), visitor.state("Two").locator(".box").boundingBox()]);
    assert.ok(gone.x > two.x + two.width || gone.x + gone.width < two.x || gone.y > two.y + two.height || gone.y + gone.height < two.y);
    await comes(() => visitor.violations(), []);
    await comes(() => visitor.state("New").getAttribute("aria-label"), /added/);
    await comes(() => visitor.state("One").getAttribute("aria-label"), /changed/);
    await shot(page, "projects-changes-graph");
    await page.getByRole("button", { name: "Leave: changes" }).click();
    await page.getByRole("region", { name: "Legend: changes" }).waitFor({ state: "detached" });
    await comes(() => page.getByRole("group", { name: "Removed states" }).count(), 0);
  });

  visit("what was done is a list to go back and forward in, over definition, input and mocks", {}, async (visitor, page) => {
    await visitor.open({ definition: chain("One", "Two"), input: { n: 1 } });
    const list = page.getByRole("listbox", { name: "What was done" });
    const open = async () => {
      await page.getByRole("button", { name: "What was done" }).click();
      await list.waitFor();
    };
    await open();
    await comes(() => visitor.violations(), []);
    await page.keyboard.press("Escape");
    await visitor.state("Two").click();
    await page.keyboard.press("F2");
    await page.getByRole("textbox", { name: "Name of Two" }).fill("Last");
    await page.keyboard.press("Enter");
    await visitor.state("Last").waitFor();
    await visitor.tab("Input");
    await visitor.write("Input", '{ "n": 2 }');
    await visitor.tab("Definition");
    await open();
    await comes(
      async () => (await list.getByRole("option").allInnerTexts()).map((text) => text.split("\n")[0]),
      ["Edited the input", "Two is called Last now", "Edited the input", "Edited the definition, line 1", "As it was opened"],
    );
    await shot(page, "projects-steps");
    await list.getByRole("option").nth(2).click();
    await visitor.state("Two").waitFor();
    await visitor.tab("Input");
    await comes(() => page.locator("#input-editor .cm-line").allInnerTexts(), ['{"n":1}']);
    await visitor.tab("Definition");
    // Undo in the text is a step of the same list.
    await open();
    await list.getByRole("option").nth(0).click();
    await visitor.state("Last").waitFor();
  });

  visit("the shelf has projects and drafts: open, rename, save, remove and undo", { before: withDisk }, async (visitor, page) => {
    await write(page, "a.asl.json", pretty(chain("A", "B")));
    await write(page, "c.asl.json", pretty(chain("C", "D")));
    await open(page, "a.asl.json", "c.asl.json");
    await visitor.state("D").waitFor();
    await until(async () => assert.match(JSON.stringify(await kept(page)), /c\.asl\.json/));
    const shelf = page.locator(".recent.projects");
    const look = () => page.getByTitle("Examples and recent drafts").click();
    await look();
    await comes(() => shelf.locator("button.link").allInnerTexts(), ["a and 1 more"]);
    await page.getByRole("button", { name: "Rename the project a and 1 more" }).click();
    await page.getByRole("textbox", { name: "Name of a and 1 more" }).fill("Shop");
    await page.keyboard.press("Enter");
    await comes(() => shelf.locator("button.link").allInnerTexts(), ["Shop"]);
    await shot(page, "projects-shelf");
    await comes(() => visitor.violations(), []);
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save the project Shop as a file" }).click(),
    ]);
    assert.equal(file.suggestedFilename(), "Shop.stepglass.json");
    await page.keyboard.press("Escape");
    // Another window has a copy, and says so.
    const other = await page.context().newPage();
    await withDisk(other);
    await other.goto(page.url());
    await other.locator("[data-node]").first().waitFor();
    await other.getByTitle("Examples and recent drafts").click();
    await other.locator(".recent.projects").getByText("open in another tab").waitFor();
    await other.getByRole("button", { name: "Shop", exact: true }).click();
    await other.getByRole("region", { name: "Notice" }).filter({ hasText: "is open in another tab of this browser" }).waitFor();
    await comes(() => names(other), ["a", "c"]);
    await other.close();
    // One that was left can be removed, and comes back.
    await page.evaluate(() => sessionStorage.removeItem("stepglass.project"));
    await page.reload();
    await visitor.state("D").waitFor();
    await page.evaluate(() => localStorage.clear());
    await page.goto("about:blank");
    await page.goBack();
    await page.locator("[data-node]").first().waitFor();
    await look();
    await page.getByRole("button", { name: "Remove the project Shop" }).first().click();
    await page.getByText("Removed “Shop”.").waitFor();
    await page.getByRole("button", { name: "Undo", exact: true }).click();
    await shelf.getByRole("button", { name: "Shop", exact: true }).first().click();
    await comes(() => names(page), ["a", "c"]);
    await visitor.state("D").waitFor();
  });

  visit(
    "on a phone tabs scroll, and the menu has what keys have",
    { before: withDisk, width: 390, height: 844, hasTouch: true, isMobile: true },
    async (visitor, page) => {
      for (const name of ["first", "second", "third"]) await write(page, `${name}.asl.json`, pretty(chain(name, "End")));
      await open(page, "first.asl.json", "second.asl.json", "third.asl.json");
      await comes(() => names(page), ["first", "second", "third"]);
      await visitor.state("third").waitFor();
      await page.getByRole("button", { name: "More of the project" }).tap();
      await page.getByRole("option", { name: "Move to the left" }).tap();
      await comes(() => names(page), ["first", "third", "second"]);
      await tabs(page).first().tap();
      await visitor.state("first").waitFor();
      await shot(page, "projects-phone");
      await comes(() => visitor.violations(), []);
      await comes(() => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
    },
  );

  visit("a project is a folder, and a folder is a project", { before: withDisk }, async (visitor, page) => {
    await write(page, "a.asl.json", pretty(chain("A", "B")));
    await open(page, "a.asl.json");
    await visitor.state("B").waitFor();
    await page.getByRole("button", { name: "New tab" }).click();
    await comes(() => names(page), ["a", "Untitled"]);
    await visitor.write("Definition", pretty(chain("Second", "Last")));
    await visitor.state("Last").waitFor();
    await visitor.tab("Input");
    await visitor.write("Input", '{ "kept": true }');
    await visitor.tab("Definition");
    await page.evaluate(() => (window.next = ["shop"]));
    await command(page, "Save the project as a folder");
    await toast(page, "Saved 2 machines in shop.");
    const inShop = await page.evaluate(async () => {
      const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle("shop");
      const found = {};
      for await (const [name, handle] of folder.entries()) found[name] = await (await handle.getFile()).text();
      return found;
    });
    assert.deepEqual(
      Object.keys(inShop).sort(),
      ["Second, Last.asl.json", "a.asl.json", "stepglass.project.json"].map((name) => name.replace(",", "_")).sort(),
    );
    assert.equal(inShop["a.asl.json"], pretty(chain("A", "B")));
    for (const left of [1, 0]) {
      await tabs(page).first().focus();
      await page.keyboard.press("Delete");
      await comes(() => tabs(page).count(), left);
    }
    await page.evaluate(() => (window.next = ["shop"]));
    await command(page, "Open a folder");
    await toast(page, "Opened the folder shop: 2 files");
    await comes(async () => (await names(page)).length, 2);
    await tabs(page).filter({ hasText: "Second" }).click();
    await visitor.tab("Input");
    await until(async () => assert.match((await page.locator("#input-editor .cm-line").allInnerTexts()).join(), /kept/));
  });

  visit("a project's file has all machines, and opens as it was", { before: withDisk }, async (visitor, page) => {
    await write(page, "template.yaml", SAM);
    await open(page, "template.yaml");
    await visitor.state("Ask").waitFor();
    await put(visitor, "Next: Done", "Comment: mine\n    Next: Done");
    await comes(() => names(page), ["Parent, unsaved changes", "Child"]);
    const [download] = await Promise.all([page.waitForEvent("download"), command(page, "Save the project as one file")]);
    const text = readFileSync(await download.path(), "utf8");
    assert.equal(JSON.parse(text).machines.length, 2);
    await visitor.bring(text);
    await comes(() => names(page), ["Parent, unsaved changes", "Parent, unsaved changes", "Child", "Child"]);
    await comes(() => tabs(page).nth(1).getAttribute("aria-selected"), "true");
    await visitor.state("Ask").waitFor();
    // Without a handle the template is a download.
    const [saved] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("ControlOrMeta+s")]);
    assert.equal(saved.suggestedFilename(), "template.yaml");
    assert.equal(readFileSync(await saved.path(), "utf8"), SAM.replace("Next: Done", "Comment: mine\n            Next: Done"));
  });

  visit("a template that is imported can be edited in its place", {}, async (visitor, page) => {
    await page.getByRole("button", { name: "Import" }).click();
    await page.getByRole("textbox", { name: "Text" }).fill(SAM);
    await page.getByRole("button", { name: "Open the text" }).click();
    await page.getByRole("button", { name: "Edit all 2 in the template" }).click();
    await comes(() => names(page), ["Parent", "Child"]);
    await visitor.state("Ask").waitFor();
  });
});

/** What the page keeps of projects; a database that is not there yet is not made by looking. */
const kept = (page) =>
  page.evaluate(async () => {
    if (!(await indexedDB.databases()).some(({ name }) => name === "stepglass.projects")) return [];
    const answer = (request) => new Promise((resolve) => (request.onsuccess = () => resolve(request.result)));
    const database = await answer(indexedDB.open("stepglass.projects"));
    const all = await answer(database.transaction("projects").objectStore("projects").getAll());
    database.close();
    return all.map((one) => ({ ...one, files: one.files.map(({ name }) => name) }));
  });
