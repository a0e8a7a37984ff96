// Every key of the page does what its description says, and can be changed.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { skip } from "../browser.mjs";
import { eventually, until, visits } from "./playground.mjs";

const pass = (next) => ({ Type: "Pass", ...(next ? { Next: next } : { End: true }) });
const LOOP = {
  StartAt: "Prepare",
  States: {
    Prepare: pass("Each"),
    Each: {
      Type: "Map",
      ItemsPath: "$.items",
      MaxConcurrency: 1,
      ItemProcessor: { StartAt: "Work", States: { Work: { Type: "Pass", Parameters: { "n.$": "$" }, Next: "Tidy" }, Tidy: pass() } },
      Next: "Nap",
    },
    Nap: { Type: "Wait", Seconds: 60, Next: "Done" },
    Done: pass(),
  },
};
const WORK = "/States/Each/ItemProcessor/States/Work";

describe("keys", { skip }, () => {
  const { site, visit } = visits();

  test("runs each command of the keyboard map", async (t) => {
    const visitor = await site.visit({});
    const { page } = visitor;
    await visitor.ready();
    await visitor.open({ definition: LOOP, input: { items: [1, 2, 3] } });
    await visitor.node(WORK).waitFor();

    const paused = (where) => page.locator(".pause-where", { hasText: where }).first().waitFor();
    const event = () => page.getByRole("slider", { name: "Event shown" }).inputValue().then(Number);
    const at = (n) => page.waitForFunction((wanted) => document.querySelector('input[type="range"]').valueAsNumber === wanted, n);
    const ended = () => visitor.result();
    const focused = (name) =>
      page.waitForFunction((wanted) => (document.activeElement?.dataset?.node ?? document.activeElement?.id ?? "").includes(wanted), name);
    const dialog = (name) => page.getByRole("dialog", { name }).waitFor();
    // Selects by the keyboard, because a tool of the graph may cover the node.
    const choose = (pointer) =>
      until(async () => {
        await visitor.node(pointer).dispatchEvent("click");
        await page.locator(`[data-node="${pointer}"][aria-pressed="true"]`).waitFor({ timeout: 5_000 });
        await visitor.node(pointer).focus();
        assert.equal(await visitor.node(pointer).evaluate((node) => node === document.activeElement), true);
      });
    const breakpoint = async (pointer) => {
      await choose(pointer);
      await page.getByRole("button", { name: "Breakpoint", exact: true }).click();
      await page.waitForFunction(
        (id) => /breakpoint/.test(document.querySelector(`[data-node="${id}"]`).getAttribute("aria-label")),
        pointer,
      );
    };
    const seen = (pointer, pattern) =>
      page.waitForFunction(
        ([id, source]) => new RegExp(source).test(document.querySelector(`[data-node="${id}"]`)?.getAttribute("aria-label") ?? ""),
        [pointer, pattern.source],
      );
    const inText = async (text) => {
      await visitor.tab("Definition");
      const line = page.locator(".cm-line", { hasText: text }).first();
      await line.scrollIntoViewIfNeeded();
      await line.click();
    };
    /** Sets up the situation in which a test starts. */
    const states = {
      async open() {},
      async paused() {
        await page.getByRole("button", { name: /^(Step|Over)$/ }).click();
        await paused("before Prepare");
      },
      async inMap() {
        await breakpoint(WORK);
        await visitor.run();
        await paused("before Work · item #0");
      },
      async ended() {
        await visitor.run();
        await ended();
      },
    };
    const reset = async () => {
      await page.keyboard.press("Escape");
      const stop = page.getByRole("button", { name: "Stop", exact: true });
      await until(async () => {
        // Before the first run there is no Stop button.
        if ((await stop.count()) === 0) return;
        if (await stop.isEnabled()) await stop.click({ timeout: 2_000 });
        assert.equal(await stop.isDisabled(), true);
      });
      await page.getByRole("button", { name: /^Commands/ }).click();
      await page.getByRole("combobox", { name: "Command or state" }).fill("remove all breakpoints");
      await page
        .locator("#palette-list li", { hasText: "Remove all breakpoints" })
        .or(page.getByText("No command or state matches"))
        .waitFor();
      await page.keyboard.press((await page.locator("#palette-list li").count()) ? "Enter" : "Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    };

    let before;
    const rows = [
      ["continue", "paused", "F8", ended],
      ["continue, by the other key", "paused", "Control+Backslash", ended],
      ["run to the end, past all breakpoints", "inMap", "Shift+F8", ended],
      ["run to the end before it runs", "open", "Shift+F8", ended, () => breakpoint(WORK)],
      ["step over", "paused", "F10", () => paused("before Each")],
      ["step over, by the other key", "paused", "Control+Quote", () => paused("before Each")],
      ["step into", "inMap", "F11", () => paused("after InputPath of Work")],
      ["step into, by the other key", "inMap", "Control+Semicolon", () => paused("after InputPath of Work")],
      [
        "step out",
        "inMap",
        "Shift+F11",
        () => page.waitForFunction((old) => document.querySelector('input[type="range"]').valueAsNumber > old, before),
        async () => (before = await event()),
      ],
      [
        "step out, by the other key",
        "inMap",
        "Control+Shift+Semicolon",
        () => page.waitForFunction((old) => document.querySelector('input[type="range"]').valueAsNumber > old, before),
        async () => (before = await event()),
      ],
      ["one stage", "inMap", "Control+F11", () => paused("after InputPath of Work")],
      ["one stage, by the other key", "inMap", "Control+Shift+Quote", () => paused("after InputPath of Work")],
      ["step back", "ended", "Alt+BracketLeft", async () => at(before - 1), async () => (before = await event())],
      [
        "step on",
        "ended",
        "Alt+BracketRight",
        async () => at(before),
        async () => {
          before = await event();
          await page.keyboard.press("Alt+BracketLeft");
          await at(before - 1);
        },
      ],
      [
        "back to the breakpoint before",
        "inMap",
        "Alt+Shift+BracketLeft",
        () => paused("item #0"),
        async () => {
          await page.keyboard.press("F8");
          await paused("item #1");
        },
      ],
      ["run to the selected state", "open", "Control+F10", () => paused("before Done"), () => choose("/States/Done")],
      ["breakpoint on the selected state", "open", "F9", () => seen("/States/Done", /breakpoint/), () => choose("/States/Done")],
      ["breakpoint on the line", "open", "Control+b", () => seen("/States/Nap", /breakpoint/), () => inText('"Nap": {')],
      [
        "edit the breakpoint",
        "open",
        "Shift+F9",
        () => page.getByRole("textbox", { name: "Condition" }).waitFor(),
        () => choose("/States/Done"),
      ],
      [
        "breakpoints off",
        "open",
        "Control+F8",
        async () => {
          await seen(WORK, /breakpoint off/);
          await page.keyboard.press("Control+F8");
          await seen(WORK, /breakpoint: /);
        },
        () => breakpoint(WORK),
      ],
      ["restart", "inMap", "Control+Shift+Enter", () => paused("before the first state")],
      ["run", "open", "Control+Enter", ended],
      [
        "run again from the selected state",
        "inMap",
        "Control+Enter",
        async () => {
          await page.getByRole("tab", { name: /\d runs/ }).waitFor();
          await paused("");
        },
        () => choose("/States/Prepare"),
      ],
      ["stop", "paused", "Control+F2", () => page.locator(".status-bar", { hasText: "Aborted" }).waitFor()],
      [
        "let time pass to the next timer",
        "open",
        "Control+Alt+.",
        async () => {
          await ended();
          await page.getByRole("combobox", { name: "Clock" }).selectOption("skip");
        },
        async () => {
          await page.getByRole("combobox", { name: "Clock" }).selectOption("manual");
          await visitor.run();
          await page.locator(".timers").waitFor();
        },
      ],
      [
        "time line: one event",
        "ended",
        "ArrowLeft",
        async () => at(before - 1),
        async () => {
          before = await event();
          await page.getByRole("slider", { name: "Event shown" }).focus();
        },
      ],
      [
        "time line: ten events",
        "ended",
        "Shift+ArrowLeft",
        async () => at(before - 10),
        async () => {
          before = await event();
          await page.getByRole("slider", { name: "Event shown" }).focus();
        },
      ],
      [
        "time line: first and last",
        "ended",
        "Home",
        async () => {
          await at(0);
          await page.keyboard.press("End");
          await at(before);
        },
        async () => {
          before = await event();
          await page.getByRole("slider", { name: "Event shown" }).focus();
        },
      ],
      [
        "back to the end, from the graph",
        "ended",
        "End",
        async () => {
          await at(before);
          await eventually(() => page.locator(".banner", { hasText: "Viewing event" }).count(), 0);
        },
        async () => {
          before = await event();
          await choose("/States/Done");
          await page.keyboard.press("Alt+BracketLeft");
          await at(before - 1);
          await page.locator(".banner", { hasText: "Viewing event" }).getByRole("button", { name: "Return to live (End)" }).waitFor();
        },
      ],
      ["graph: along the transitions", "open", "ArrowDown", () => focused("/States/Nap"), () => choose("/States/Each")],
      [
        "graph: into a scope, and out",
        "open",
        "Enter",
        async () => {
          await focused("/States/Each/ItemProcessor/States/Work");
          await page.keyboard.press("Escape");
          await page.waitForFunction(() => document.activeElement?.dataset?.node === "/States/Each");
        },
        () => choose("/States/Each"),
      ],
      [
        "graph: fold and unfold",
        "open",
        "-",
        async () => {
          await visitor.node(WORK).waitFor({ state: "detached" });
          await page.keyboard.press("+");
          await visitor.node(WORK).waitFor();
        },
        () => choose("/States/Each"),
      ],
      [
        "graph: iterations of a Map",
        "ended",
        "]",
        () => page.waitForFunction((old) => document.querySelector("#inspector-pane .iterations input.index").value !== old, before),
        async () => {
          await choose(WORK);
          before = await page.locator("#inspector-pane .iterations input.index").inputValue();
        },
      ],
      [
        "graph: zoom, whole size and fit",
        "open",
        "Control+=",
        async () => {
          await page.waitForFunction((old) => parseInt(document.querySelector(".zoom").innerText.replace(/\D*/, "")) > old, before);
          await page.keyboard.press("Control+-");
          await page.keyboard.press("Shift+Digit0");
          await page.locator(".zoom", { hasText: "100 %" }).waitFor();
          await page.keyboard.press("Shift+Digit1");
        },
        async () => {
          await choose("/States/Each");
          await page.keyboard.press("Shift+Digit1");
          before = parseInt((await page.locator(".zoom").innerText()).replace(/\D*/, ""));
        },
      ],
      [
        "menu of a state",
        "open",
        "Shift+F10",
        async () => {
          const menu = page.getByRole("menu", { name: "Done" });
          await menu.waitFor();
          await eventually(() => menu.innerText(), /Breakpoint\s+F9[\s\S]*Run to here\s+Ctrl F10/);
          await page.keyboard.press("Escape");
        },
        () => choose("/States/Done"),
      ],
      ["go to a state by name", "open", "Control+Shift+O", () => dialog("Go to a state")],
      [
        "where a name is given",
        "open",
        "F12",
        () => page.locator(".cm-activeLine", { hasText: '"Each": {' }).waitFor(),
        async () => {
          await inText('"Next": "Each"');
          await page.keyboard.press("End");
          for (let i = 0; i < 4; i++) await page.keyboard.press("ArrowLeft");
        },
      ],
      [
        "rename",
        "open",
        "F2",
        async () => {
          await page.getByLabel(/^Rename Each to/).waitFor();
          await page.keyboard.press("Escape");
        },
        async () => {
          await inText('"Next": "Each"');
          await page.keyboard.press("End");
          for (let i = 0; i < 4; i++) await page.keyboard.press("ArrowLeft");
        },
      ],
      [
        "next pane",
        "open",
        "Control+F6",
        () => page.waitForFunction(() => document.activeElement?.closest("#inspector-pane") !== null),
        () => choose("/States/Done"),
      ],
      [
        "pane before",
        "open",
        "Control+Shift+F6",
        () => page.waitForFunction(() => document.activeElement?.closest("#left") !== null),
        () => choose("/States/Done"),
      ],
      ["palette", "open", "Control+k", () => dialog("Commands")],
      ["palette, by the other key", "open", "F1", () => dialog("Commands")],
      [
        "palette instead of the list of states",
        "open",
        "F1",
        () => dialog("Commands"),
        async () => {
          await page.keyboard.press("Control+Shift+O");
          await page.getByRole("dialog", { name: "Go to a state" }).waitFor();
        },
      ],
      ["list of keys", "open", "?", () => dialog("Help"), () => choose("/States/Done")],
      [
        "save, as a session",
        "open",
        "Control+s",
        async () => {
          await page.getByRole("option", { name: "Everything as a session file" }).click();
          assert.match((await before).suggestedFilename(), /\.asldbg\.json$/);
        },
        async () => {
          before = page.waitForEvent("download");
        },
      ],
    ];
    for (const [name, state, key, holds, prepare] of rows) {
      await t.test(`${name}: ${key}`, async () => {
        await reset();
        await states[state]();
        await prepare?.();
        await page.keyboard.press(key);
        await holds();
      });
    }

    await t.test("next problem and the one before: F4, Shift+F4", async () => {
      await reset();
      const wrong = (next) => ({ Type: "Pass", Next: next });
      await visitor.open({
        definition: {
          StartAt: "A",
          States: {
            A: { Type: "Choice", Choices: [{ Variable: "$.x", IsPresent: true, Next: "B" }], Default: "C" },
            B: wrong("First"),
            C: wrong("Second"),
            D: wrong("Third"),
          },
        },
      });
      await page.locator(".problems li", { hasText: "Third" }).first().waitFor();
      const next = (name) => page.locator(".cm-activeLine", { hasText: `"Next": "${name}"` }).waitFor();
      await inText('"Next": "First"');
      await page.keyboard.press("End");
      await page.keyboard.press("F4");
      await next("Second");
      await page.keyboard.press("F4");
      await page.keyboard.press("Shift+F4");
      await next("Second");
      await page.keyboard.press("Shift+F4");
      await next("First");
    });
    await visitor.leave();
  });

  visit("runs past all breakpoints while the first button is held down", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: LOOP, input: { items: [1, 2, 3] } });
    await visitor.node(WORK).click();
    await page.keyboard.press("F9");
    const button = page.locator("button.run");
    await button.hover();
    await page.mouse.down();
    await visitor.result();
    await page.mouse.up();
    // Releasing the button does not start another run.
    await page.locator(".status-bar", { hasText: "Succeeded" }).waitFor();
    await button.click();
    await page.locator(".pause-where", { hasText: "before Work" }).waitFor();
  });

  visit(
    "takes a slow click as a click, and runs past all breakpoints with Shift",
    { before: (page) => page.clock.install() },
    async (visitor, page) => {
      await visitor.open({ definition: LOOP, input: { items: [1, 2, 3] } });
      await visitor.node(WORK).click();
      await page.keyboard.press("F9");
      const button = page.locator("button.run");
      await button.hover();
      await page.clock.pauseAt(Date.now() + 3_600_000);
      await page.mouse.down();
      // While the button is held, the page shows what it will do.
      await button.locator(".hold").waitFor();
      await page.clock.runFor(700);
      await page.mouse.up();
      await button.locator(".hold").waitFor({ state: "detached" });
      await page.clock.resume();
      await page.locator(".pause-where", { hasText: "before Work" }).waitFor();
      await button.click({ modifiers: ["Shift"] });
      await visitor.result();
      await visitor.run();
      await page.locator(".pause-where", { hasText: "before Work" }).waitFor();
      await button.press("Shift+Enter");
      await page.locator(".status-bar", { hasText: "Succeeded" }).waitFor();
      await eventually(() => button.getAttribute("title"), /With Shift, or held down: to the end, past all breakpoints \(Shift F8\)/);
    },
  );

  visit("changes, takes over, removes, resets and remembers keys", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: LOOP, input: { items: [1] } });
    const dialog = page.getByRole("dialog", { name: "Keyboard" });
    const row = (title) => dialog.getByRole("listitem").filter({ hasText: title });
    const keysOf = (title) => row(title).locator("kbd").allInnerTexts();
    const open = async () => {
      await page.getByRole("button", { name: "Settings", exact: true }).click();
      await page.getByRole("button", { name: "Change keys…" }).click();
      await dialog.waitFor();
    };
    const shut = async () => {
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    };
    // Before a run the first step has a button of its own.
    const over = page.getByRole("button", { name: "Step", exact: true });
    await eventually(() => over.getAttribute("title"), /\(F10\)/);

    await open();
    await eventually(() => visitor.violations(), []);
    await row("Step over")
      .getByRole("button", { name: /^Add a key/ })
      .click();
    await dialog.getByRole("textbox", { name: "Press the new key" }).waitFor();
    // Escape cancels the recording of a key, and leaves the dialog open.
    await page.keyboard.press("Escape");
    await dialog.getByRole("textbox", { name: "Press the new key" }).waitFor({ state: "detached" });
    await eventually(() => dialog.isVisible(), true);
    await page.waitForFunction(() => /^Add a key/.test(document.activeElement?.getAttribute("aria-label") ?? ""));
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.activeElement?.getAttribute("aria-label") === "Press the new key");
    await page.keyboard.press("F9");
    await dialog.getByText("F9 is already the key of “Breakpoint on the selected state”").waitFor();
    await eventually(() => visitor.violations(), []);
    await page.keyboard.press("Alt+Shift+N");
    await dialog.getByText("No other command has this key").waitFor();
    await page.keyboard.press("F9");
    await dialog.getByRole("button", { name: "Reassign it" }).click();
    await eventually(() => keysOf("Step over"), ["F10", "Ctrl '", "F9"]);
    await eventually(() => keysOf("Breakpoint on the selected state"), []);
    await row("Step over")
      .getByRole("button", { name: /^Remove F10 from/ })
      .click();
    await row("Step over")
      .getByRole("button", { name: /^Remove Ctrl ' from/ })
      .click();
    await shut();

    // The key, its tooltip, the palette, the help and the menu of a state have changed.
    await eventually(() => over.getAttribute("title"), /\(F9\)/);
    await eventually(() => over.getAttribute("aria-keyshortcuts"), "F9");
    await page.keyboard.press("F10");
    await page.keyboard.press("F9");
    await page.locator(".pause-where", { hasText: "before Prepare" }).waitFor();
    await page.keyboard.press("F9");
    await page.locator(".pause-where", { hasText: "before Each" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Command or state" }).fill("step over");
    await eventually(() => page.locator("#palette-list").innerText(), /Step over.*\s+F9/);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("F1");
    await page.getByRole("combobox", { name: "Command or state" }).fill("help");
    await page.keyboard.press("Enter");
    const help = page.getByRole("dialog", { name: "Help" });
    await eventually(() => help.innerText(), /Step over, to the next state\s+F9/);
    await help.getByRole("button", { name: "Change keys…" }).click();
    await dialog.waitFor();
    await shut();

    // The change survives a reload.
    await page.reload();
    await visitor.ready();
    await page.waitForFunction(() =>
      /\(F9\)/.test([...document.querySelectorAll(".move")].find((one) => one.textContent.includes("Step")).title),
    );
    await open();
    await row("Breakpoint on the selected state")
      .getByRole("button", { name: /^Reset the keys/ })
      .click();
    await eventually(() => keysOf("Breakpoint on the selected state"), ["F9"]);
    await dialog.getByRole("button", { name: "Reset all keys" }).click();
    await eventually(() => keysOf("Step over"), ["F10", "Ctrl '"]);
    await shut();
    await eventually(() => over.getAttribute("title"), /\(F10\)/);
  });

  visit("changes the keys of the text editors like those of the page", {}, async (visitor, page) => {
    const dialog = page.getByRole("dialog", { name: "Keyboard" });
    const row = (title) => dialog.getByRole("listitem").filter({ has: page.getByText(title, { exact: true }) });
    const keysOf = (title) => row(title).locator("kbd").allInnerTexts();
    const text = () => visitor.editor("Input").innerText();
    const change = async (title, key) => {
      await page.getByRole("button", { name: "Settings", exact: true }).click();
      await page.getByRole("button", { name: "Change keys…" }).click();
      await row(title)
        .getByRole("button", { name: /^Add a key/ })
        .click();
      await page.waitForFunction(() => document.activeElement?.getAttribute("aria-label") === "Press the new key");
      await page.keyboard.press(key);
    };
    const shut = async () => {
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      await visitor.editor("Input").click();
    };
    await visitor.open({ definition: LOOP, input: "1" });
    await visitor.tab("Input");
    await visitor.editor("Input").click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("2");
    await page.keyboard.press("Control+z");
    await page.waitForFunction(() => !document.activeElement.shadowRoot.activeElement.innerText.includes("2"));

    // A key that already belongs to the editors or to the page: the dialog reports both, and they lose it.
    await change("Undo", "Control+Shift+K");
    await dialog.getByText("Ctrl Shift K is already the key of “Delete the line”").waitFor();
    await page.keyboard.press("Control+B");
    await dialog.getByText("Ctrl B is already the key of “Breakpoint on the state of the line”").waitFor();
    await page.keyboard.press("Control+Shift+K");
    await dialog.getByRole("button", { name: "Reassign it" }).click();
    await row("Undo")
      .getByRole("button", { name: /^Remove Ctrl Z from/ })
      .click();
    await eventually(async () => [await keysOf("Undo"), await keysOf("Delete the line")], [["Ctrl Shift K"], []]);
    await eventually(() => visitor.violations(), []);
    await shut();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("3");
    await page.keyboard.press("Control+z");
    await eventually(text, /13/);
    await page.keyboard.press("Control+Shift+K");
    await page.waitForFunction(() => !document.activeElement.shadowRoot.activeElement.innerText.includes("3"));

    // The key works in editors that are opened later, too.
    await page.reload();
    await visitor.ready();
    await visitor.tab("Input");
    await visitor.editor("Input").click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("4");
    await page.keyboard.press("Control+Shift+K");
    await page.waitForFunction(() => !document.activeElement.shadowRoot.activeElement.innerText.includes("4"));
    // Every command has a name and a key, and no two have the same.
    await page.getByRole("button", { name: "Settings", exact: true }).click();
    await page.getByRole("button", { name: "Change keys…" }).click();
    await dialog.getByRole("button", { name: "Reset all keys" }).click();
    const keys = await dialog.getByRole("group", { name: "Text, in every editor" }).locator("kbd").allInnerTexts();
    assert.ok(keys.length >= 40);
    assert.equal(new Set(keys).size, keys.length);
  });

  visit("runs the editors' own keys as described", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: LOOP, input: "[1,\n2]" });
    await visitor.tab("Input");
    const editor = visitor.editor("Input");
    const lines = async () => (await editor.locator(".cm-line").allInnerTexts()).map((line) => line.replace("\n", ""));
    const becomes = (expected) => eventually(lines, expected);
    await editor.click();
    const press = async (...keys) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    await press("Control+Home", "Alt+ArrowDown");
    await becomes(["2]", "[1,"]);
    await press("Control+z");
    await becomes(["[1,", "2]"]);
    await press("Control+y");
    await becomes(["2]", "[1,"]);
    await press("Control+z", "Control+Shift+Z", "Control+z", "Control+Home", "Shift+Alt+ArrowDown");
    await becomes(["[1,", "[1,", "2]"]);
    await press("Control+Shift+K");
    await becomes(["[1,", "2]"]);
    await press("Control+]");
    await becomes(["[1,", "  2]"]);
    await press("Control+[", "Control+End", "Control+Shift+ArrowLeft", "Control+Shift+ArrowLeft", "Delete");
    await becomes(["[1,", ""]);
    await press("Control+a", "Backspace");
    await page.keyboard.type("5 5");
    await press("Control+Home", "Control+d", "Control+d");
    await page.keyboard.type("6");
    await becomes(["6 6"]);
    await press("Control+f");
    await page.getByRole("textbox", { name: "Find" }).waitFor();
    await press("Escape");
    await page.getByRole("textbox", { name: "Find" }).waitFor({ state: "detached" });
    await page.keyboard.press("Control+Space");
  });

  visit("switches keys of one character off, and ignores them while the user types", {}, async (visitor, page) => {
    const help = page.getByRole("dialog", { name: "Help" });
    await visitor.editor("Definition").click();
    await page.keyboard.press("Control+Home");
    await page.keyboard.type("?");
    await eventually(() => visitor.editor("Definition").innerText(), /^\?/);
    await eventually(() => help.count(), 0);
    await page.keyboard.press("Control+z");
    await visitor.state("CheckStock").click();
    await page.keyboard.press("?");
    await help.waitFor();
    await page.keyboard.press("Escape");
    await help.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Settings", exact: true }).click();
    await page.getByRole("checkbox", { name: /Single-character keys/ }).uncheck();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await visitor.state("CheckStock").click();
    await page.keyboard.press("?");
    await page.keyboard.press("/");
    await page.keyboard.press("F1");
    await page.getByRole("dialog", { name: "Commands" }).waitFor();
    await eventually(() => help.count(), 0);
    await eventually(() => page.getByRole("search").count(), 0);
    await until(async () => assert.doesNotMatch(await page.getByRole("button", { name: /^Help/ }).getAttribute("title"), /\?/));
  });
});
