// Several machines in tabs, files that are opened and saved in place, and templates that are edited in place.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe } from "node:test";
import { skip } from "../browser.mjs";
import { eventually, openFromMenu, until, visits } from "./playground.mjs";

const shots = process.env.STEPGLASS_SHOTS;
const shot = async (page, name) => shots && page.screenshot({ path: join(shots, `${name}.png`) });

const chain = (...names) => ({
  StartAt: names[0],
  States: Object.fromEntries(names.map((name, i) => [name, { Type: "Pass", ...(names[i + 1] ? { Next: names[i + 1] } : { End: true }) }])),
});
const pretty = (value) => `${JSON.stringify(value, null, 2)}\n`;

/**
 * A disk for the page. Headless Chromium has no file dialogs, so files of the origin private file system take their place. The
 * handles are real, so IndexedDB can store them; only the selection and the permission are simulated.
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
/** Runs a command of the palette, found by a part of its title. */
const command = async (page, title) => {
  await page.keyboard.press("ControlOrMeta+k");
  const palette = page.getByRole("dialog", { name: "Commands" });
  await palette.getByRole("combobox").fill(title);
  await palette.getByRole("option", { name: title }).first().click();
};
const toast = (page, text) => page.getByRole("region", { name: "Message" }).filter({ hasText: text }).first().waitFor();
const shown = ({ page }) => page.locator("#definition-editor .cm-line").allInnerTexts();
/** Replaces a part of the definition by typing. */
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

  visit("opens, edits and saves a file in place, with its own line ends", { before: withDisk }, async (visitor, page) => {
    const text = `\ufeff${pretty(chain("One", "Two")).replaceAll("\n", "\r\n")}`;
    await write(page, "order.asl.json", text);
    await open(page, "order.asl.json");
    await visitor.state("Two").waitFor();
    await eventually(() => names(page), ["order"]);
    await put(visitor, '"Next": "Two"', '"Comment": "edited", "Next": "Two"');
    await eventually(() => names(page), ["order, unsaved changes"]);
    await shot(page, "projects-file");
    await eventually(() => visitor.violations(), []);
    await page.keyboard.press("ControlOrMeta+s");
    await toast(page, "Saved order.asl.json.");
    await eventually(() => names(page), ["order"]);
    const saved = text.replace('"Next": "Two"', '"Comment": "edited", "Next": "Two"');
    // The file system's own reader drops the byte order mark.
    assert.equal(`\ufeff${await read(page, "order.asl.json")}`, saved);
  });

  visit("restores the file after a reload, and asks for the permission again", { before: withDisk }, async (visitor, page) => {
    await write(page, "order.asl.json", pretty(chain("One", "Two")));
    await open(page, "order.asl.json");
    await visitor.state("Two").waitFor();
    await put(visitor, '"Two"', '"Three"');
    await put(visitor, '"Two"', '"Three"');
    await visitor.state("Three").waitFor();
    await visitor.waitForDraft("Three");
    await page.evaluate(() => sessionStorage.setItem("permitted", "prompt"));
    await until(async () => assert.match(JSON.stringify(await storedProjects(page)), /order\.asl\.json/));
    await page.reload();
    await visitor.state("Three").waitFor();
    await eventually(() => names(page), ["order, unsaved changes"]);
    await page.keyboard.press("ControlOrMeta+s");
    await toast(page, "Saved order.asl.json.");
    await eventually(() => page.evaluate(() => window.asked), 1);
    assert.equal(await read(page, "order.asl.json"), pretty(chain("One", "Three")));
  });

  visit("offers to load a file that was changed outside, and never overwrites it", { before: withDisk }, async (visitor, page) => {
    await write(page, "order.asl.json", pretty(chain("One", "Two")));
    await open(page, "order.asl.json");
    await visitor.state("Two").waitFor();
    await put(visitor, '"Next": "Two"', '"Comment": "mine", "Next": "Two"');
    await eventually(() => names(page), ["order, unsaved changes"]);
    await write(page, "order.asl.json", pretty(chain("One", "Two", "Outside")));
    await page.keyboard.press("ControlOrMeta+s");
    const notice = page.getByRole("region", { name: "Notice" }).filter({ hasText: "changed outside" });
    await notice.waitFor();
    assert.equal(await read(page, "order.asl.json"), pretty(chain("One", "Two", "Outside")));
    await shot(page, "projects-outside");
    await notice.getByRole("button", { name: "Take the file's, mine stays a draft" }).click();
    await visitor.state("Outside").waitFor();
    await eventually(() => names(page), ["order"]);
    // The user edits nothing here, so returning to the page is enough.
    await write(page, "order.asl.json", pretty(chain("One", "Later")));
    await page.evaluate(() => dispatchEvent(new Event("focus")));
    await notice.getByRole("button", { name: "Take it over" }).click();
    await visitor.state("Later").waitFor();
  });

  visit("keeps text and undo history of each machine in its tab", { before: withDisk }, async (visitor, page) => {
    await write(page, "a.asl.json", pretty(chain("A", "B")));
    await write(page, "c.asl.json", pretty(chain("C", "D")));
    await open(page, "a.asl.json", "c.asl.json");
    await eventually(() => names(page), ["a", "c"]);
    await visitor.state("D").waitFor();
    await put(visitor, '"Type": "Pass",', '"Type": "Pass", "Comment": "seen",');
    await eventually(() => names(page), ["a", "c, unsaved changes"]);
    await tabs(page).nth(0).click();
    await visitor.state("B").waitFor();
    await tabs(page).nth(0).press("ArrowRight");
    await visitor.state("D").waitFor();
    await until(async () => assert.match((await shown(visitor)).join(), /seen/));
    await visitor.editor("Definition").click();
    await page.keyboard.press("ControlOrMeta+z");
    await eventually(() => names(page), ["a", "c"]);
    // By keyboard: move, close and reopen a tab.
    await tabs(page).nth(1).focus();
    await page.keyboard.press("Shift+ArrowLeft");
    await eventually(() => names(page), ["c", "a"]);
    await page.keyboard.press("Delete");
    await eventually(() => names(page), ["a"]);
    await visitor.state("B").waitFor();
    await page.keyboard.press("Alt+Shift+T");
    await eventually(() => names(page), ["c", "a"]);
    await page.keyboard.press("Alt+PageDown");
    await visitor.state("B").waitFor();
    await tabs(page).nth(1).focus();
    await page.keyboard.press("F2");
    await page.getByRole("textbox", { name: "Name of the machine" }).fill("Billing");
    await page.keyboard.press("Enter");
    await eventually(() => names(page), ["c", "Billing"]);
    await page.getByRole("button", { name: "New tab" }).click();
    await eventually(() => names(page), ["c", "Billing", "Untitled"]);
    await shot(page, "projects-tabs");
    await eventually(() => visitor.violations(), []);
    await tabs(page).nth(1).click();
    await visitor.state("B").waitFor();
    await until(async () => assert.match(JSON.stringify(await storedProjects(page)), /Billing/));
    await page.reload();
    await eventually(() => names(page), ["c", "Billing", "Untitled"]);
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

  visit(
    "opens a template's machines in tabs, edits them in the template, and lets one start the other",
    { before: withDisk },
    async (visitor, page) => {
      await write(page, "template.yaml", SAM);
      await open(page, "template.yaml");
      await visitor.state("Ask").waitFor();
      await eventually(() => names(page), ["Parent", "Child"]);
      await toast(page, "Away is in away.asl.json");
      await until(async () => assert.ok((await shown(visitor)).join("\n").includes('StateMachineArn: "${Child.Arn}"')));
      await shot(page, "projects-template");
      // The machine that a task starts opens in a tab.
      await visitor.state("Ask").click();
      await page.keyboard.press("Shift+F10");
      await page.getByRole("menuitem", { name: "Open the machine that it starts" }).click();
      await visitor.state("Charge").waitFor();
      await eventually(() => tabs(page).nth(1).getAttribute("aria-selected"), "true");
      await put(visitor, "End: true", "Comment: here\n    End: true");
      await eventually(() => names(page), ["Parent", "Child, unsaved changes"]);
      await page.keyboard.press("ControlOrMeta+s");
      await toast(page, "Saved template.yaml.");
      assert.equal(await read(page, "template.yaml"), SAM.replace("End: true", "Comment: here\n            End: true"));
      await eventually(() => names(page), ["Parent", "Child"]);
      await eventually(() => visitor.violations(), []);
    },
  );

  visit("runs the machine of another tab from a task", { before: withDisk }, async (visitor, page) => {
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
    await eventually(() => visitor.output(), { done: 7 });
  });

  visit("resumes a run when its tab is selected again", { before: withDisk }, async (visitor, page) => {
    const waits = {
      StartAt: "Begin",
      States: { Begin: { Type: "Pass", Next: "Rest" }, Rest: { Type: "Wait", Seconds: 40000, End: true } },
    };
    await write(page, "a.asl.json", pretty(waits));
    await write(page, "c.asl.json", pretty(chain("C", "D")));
    await open(page, "a.asl.json", "c.asl.json");
    await eventually(() => names(page), ["a", "c"]);
    await tabs(page).nth(0).click();
    await visitor.state("Rest").waitFor();
    await page.getByRole("combobox", { name: /Clock/ }).selectOption("real");
    await visitor.run();
    await eventually(() => visitor.state("Rest").getAttribute("aria-label"), /waiting/i);
    await visitor.waitForExecutions(([one]) => one?.timer?.state === "Rest");
    // The other tab has none of it, and runs its own machine.
    await tabs(page).nth(1).click();
    await visitor.state("D").waitFor();
    // The tab is left at the moment in which the run ends, before the browser has stored the end.
    const other = await tabs(page).nth(0).elementHandle();
    const left = page.evaluate(async (tab) => {
      const ended = () => /succeeded/i.test(document.querySelector('[data-node="/States/D"]')?.getAttribute("aria-label") ?? "");
      while (!ended()) await new Promise((frame) => requestAnimationFrame(frame));
      tab.click();
    }, other);
    await visitor.run();
    await left;
    await eventually(() => visitor.state("Rest").getAttribute("aria-label"), /waiting/i);
    await eventually(() => visitor.state("Begin").getAttribute("aria-label"), /succeeded/i);
    await page.getByRole("button", { name: "Stop", exact: true }).waitFor();
    await tabs(page).nth(1).click();
    await eventually(() => visitor.state("D").getAttribute("aria-label"), /succeeded/i);
  });

  visit("shows a change as lines, as states and on the graph", { before: withDisk }, async (visitor, page) => {
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
    await eventually(() => visitor.violations(), []);
    await dialog.getByRole("button", { name: "Show on the graph" }).click();
    await page.getByRole("region", { name: "Legend: changes" }).getByText("removed: Gone").waitFor();
    // A removed state is drawn where it was: it can be read, but not used.
    const ghost = page.getByRole("group", { name: "Removed states" }).getByRole("img");
    await eventually(() => ghost.getAttribute("aria-label"), "Gone, Wait, removed: it led to the end");
    assert.equal(await ghost.locator("..").locator("[tabindex], [role=button]").count(), 0);
    const [gone, two] = await Promise.all([ghost.locator("rect").boundingBox(), visitor.state("Two").locator(".box").boundingBox()]);
    assert.ok(gone.x > two.x + two.width || gone.x + gone.width < two.x || gone.y > two.y + two.height || gone.y + gone.height < two.y);
    await eventually(() => visitor.violations(), []);
    await eventually(() => visitor.state("New").getAttribute("aria-label"), /added/);
    await eventually(() => visitor.state("One").getAttribute("aria-label"), /changed/);
    await shot(page, "projects-changes-graph");
    await page.getByRole("button", { name: "Leave: changes" }).click();
    await page.getByRole("region", { name: "Legend: changes" }).waitFor({ state: "detached" });
    await eventually(() => page.getByRole("group", { name: "Removed states" }).count(), 0);
  });

  visit("lists edits of the definition, the input and the mocks, and moves back and forward in them", {}, async (visitor, page) => {
    await visitor.open({ definition: chain("One", "Two"), input: { n: 1 } });
    const list = page.getByRole("listbox", { name: "What was done" });
    const open = async () => {
      await page.getByRole("button", { name: "What was done" }).click();
      await list.waitFor();
    };
    await open();
    await eventually(() => visitor.violations(), []);
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
    await eventually(
      async () => (await list.getByRole("option").allInnerTexts()).map((text) => text.split("\n")[0]),
      ["Edited the input", "Two is called Last now", "Edited the input", "Edited the definition, line 1", "As it was opened"],
    );
    await shot(page, "projects-steps");
    await list.getByRole("option").nth(2).click();
    await visitor.state("Two").waitFor();
    await visitor.tab("Input");
    await eventually(() => page.locator("#input-editor .cm-line").allInnerTexts(), ['{"n":1}']);
    await visitor.tab("Definition");
    // Undo in the text moves in the same list.
    await open();
    await list.getByRole("option").nth(0).click();
    await visitor.state("Last").waitFor();
  });

  visit("lists projects and drafts, and opens, renames, saves, removes and restores them", { before: withDisk }, async (visitor, page) => {
    await write(page, "a.asl.json", pretty(chain("A", "B")));
    await write(page, "c.asl.json", pretty(chain("C", "D")));
    await open(page, "a.asl.json", "c.asl.json");
    await visitor.state("D").waitFor();
    await until(async () => assert.match(JSON.stringify(await storedProjects(page)), /c\.asl\.json/));
    const shelf = page.locator(".recent.projects");
    const look = () => page.getByTitle("Examples and recent drafts").click();
    await look();
    await eventually(() => shelf.locator("button.link").allInnerTexts(), ["a and 1 more"]);
    await page.getByRole("button", { name: "Rename the project a and 1 more" }).click();
    await page.getByRole("textbox", { name: "Name of a and 1 more" }).fill("Shop");
    await page.keyboard.press("Enter");
    await eventually(() => shelf.locator("button.link").allInnerTexts(), ["Shop"]);
    await shot(page, "projects-shelf");
    await eventually(() => visitor.violations(), []);
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save the project Shop as a file" }).click(),
    ]);
    assert.equal(file.suggestedFilename(), "Shop.stepglass.json");
    await page.keyboard.press("Escape");
    // Another window gets a copy, and says so.
    const other = await page.context().newPage();
    await withDisk(other);
    await other.goto(page.url());
    await other.locator("[data-node]").first().waitFor();
    await other.getByTitle("Examples and recent drafts").click();
    await other.locator(".recent.projects").getByText("open in another tab").waitFor();
    await other.getByRole("button", { name: "Shop", exact: true }).click();
    await other.getByRole("region", { name: "Notice" }).filter({ hasText: "is open in another tab of this browser" }).waitFor();
    await eventually(() => names(other), ["a", "c"]);
    await other.close();
    // A project that was left can be removed and restored.
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
    await eventually(() => names(page), ["a", "c"]);
    await visitor.state("D").waitFor();
  });

  visit(
    "scrolls tabs on a phone, and offers the actions of keys in the menu",
    { before: withDisk, width: 390, height: 844, hasTouch: true, isMobile: true },
    async (visitor, page) => {
      for (const name of ["first", "second", "third"]) await write(page, `${name}.asl.json`, pretty(chain(name, "End")));
      await open(page, "first.asl.json", "second.asl.json", "third.asl.json");
      await eventually(() => names(page), ["first", "second", "third"]);
      await visitor.state("third").waitFor();
      await page.getByRole("button", { name: "More of the project" }).tap();
      await page.getByRole("option", { name: "Move to the left" }).tap();
      await eventually(() => names(page), ["first", "third", "second"]);
      await tabs(page).first().tap();
      await visitor.state("first").waitFor();
      await shot(page, "projects-phone");
      await eventually(() => visitor.violations(), []);
      await eventually(() => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
    },
  );

  visit("saves a project as a folder, and opens a folder as a project", { before: withDisk }, async (visitor, page) => {
    await write(page, "a.asl.json", pretty(chain("A", "B")));
    await open(page, "a.asl.json");
    await visitor.state("B").waitFor();
    await page.getByRole("button", { name: "New tab" }).click();
    await eventually(() => names(page), ["a", "Untitled"]);
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
      await eventually(() => tabs(page).count(), left);
    }
    await page.evaluate(() => (window.next = ["shop"]));
    await command(page, "Open a folder");
    await toast(page, "Opened the folder shop: 2 files");
    await eventually(async () => (await names(page)).length, 2);
    await tabs(page).filter({ hasText: "Second" }).click();
    await visitor.tab("Input");
    await until(async () => assert.match((await page.locator("#input-editor .cm-line").allInnerTexts()).join(), /kept/));
  });

  visit("saves all machines in a project's file, and opens it unchanged", { before: withDisk }, async (visitor, page) => {
    await write(page, "template.yaml", SAM);
    await open(page, "template.yaml");
    await visitor.state("Ask").waitFor();
    await put(visitor, "Next: Done", "Comment: mine\n    Next: Done");
    await eventually(() => names(page), ["Parent, unsaved changes", "Child"]);
    const [download] = await Promise.all([page.waitForEvent("download"), command(page, "Save the project as one file")]);
    const text = readFileSync(await download.path(), "utf8");
    assert.equal(JSON.parse(text).machines.length, 2);
    await visitor.importText(text);
    await eventually(() => names(page), ["Parent, unsaved changes", "Parent, unsaved changes", "Child", "Child"]);
    await eventually(() => tabs(page).nth(1).getAttribute("aria-selected"), "true");
    await visitor.state("Ask").waitFor();
    // Without a file handle the template is downloaded.
    const [saved] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("ControlOrMeta+s")]);
    assert.equal(saved.suggestedFilename(), "template.yaml");
    assert.equal(readFileSync(await saved.path(), "utf8"), SAM.replace("Next: Done", "Comment: mine\n            Next: Done"));
  });

  visit("edits an imported template in place", {}, async (visitor, page) => {
    await openFromMenu(page, "Import");
    await page.getByRole("textbox", { name: "Text" }).fill(SAM);
    await page.getByRole("button", { name: "Open the text" }).click();
    await page.getByRole("button", { name: "Edit all 2 in the template" }).click();
    await eventually(() => names(page), ["Parent", "Child"]);
    await visitor.state("Ask").waitFor();
  });
});

/** Reads the stored projects, without creating the database if it does not exist. */
const storedProjects = (page) =>
  page.evaluate(async () => {
    if (!(await indexedDB.databases()).some(({ name }) => name === "stepglass.projects")) return [];
    const answer = (request) => new Promise((resolve) => (request.onsuccess = () => resolve(request.result)));
    const database = await answer(indexedDB.open("stepglass.projects"));
    const all = await answer(database.transaction("projects").objectStore("projects").getAll());
    database.close();
    return all.map((one) => ({ ...one, files: one.files.map(({ name }) => name) }));
  });
