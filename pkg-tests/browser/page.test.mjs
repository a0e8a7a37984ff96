// The page in Chromium, as its visitors use it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { skip } from "../browser.mjs";
import { accept, proposals } from "./definition.mjs";
import { GREETING, eventually, until, visits } from "./playground.mjs";

describe("the page", { skip }, () => {
  const { site, visit } = visits();

  visit("starts with an example, its graph and no problems", {}, async (visitor, page) => {
    await visitor.state("CheckStock").waitFor();
    await eventually(() => page.locator("[data-node]").count(), 12);
    await eventually(
      () => visitor.state("ChargeCard").getAttribute("aria-label"),
      /^ChargeCard Task .*not run, has retries, breakpoint off: before a retry, goes to Fulfil, on CardRefused to TellCustomer$/,
    );
    await eventually(() => page.locator(".problems-head").innerText(), "No problems");
    await eventually(() => page.title(), /^Order processing/);
  });

  visit("runs the example: output, states, transitions, events, console", { reusePage: "Order processing" }, async (visitor, page) => {
    await visitor.run();
    const output = await visitor.output();
    assert.deepEqual(output.payment, { receipt: "R-1001" });
    assert.match(output.fulfilment.tracking, /^PKG-run-1-1$/);
    await eventually(() => visitor.state("ChargeCard").getAttribute("aria-label"), /succeeded, 2 failed attempts/);
    await eventually(() => visitor.state("CheckStock").getAttribute("aria-label"), /entered 2 times/);
    await eventually(() => visitor.state("OutOfStock").getAttribute("aria-label"), /not reached/);
    await eventually(() => visitor.node("/States/Fulfil/Branches/0/States/HandOver").getAttribute("aria-label"), /succeeded/);
    await eventually(() => page.locator(".line-back.taken").count(), 1, "the way back was taken");
    await eventually(() => page.locator(".line-catch.taken").count(), 0, "the catcher was not");
    await visitor.tab("Events");
    await page.getByRole("listbox", { name: "History, 47 events" }).waitFor();
    await visitor.tab("Console");
    await eventually(() => page.locator(".console").innerText(), "charged 129.5 at attempt 3");
    await eventually(() => page.title(), /succeeded/);
  });

  visit(
    "draws the definition while it is typed, and keeps the last graph while the text is broken",
    { reusePage: "Order processing" },
    async (visitor, page) => {
      await visitor.write(
        "Definition",
        JSON.stringify({ StartAt: "One", States: { One: { Type: "Pass", Next: "Two" }, Two: { Type: "Succeed" } } }),
      );
      await visitor.state("Two").waitFor();
      await eventually(() => page.locator("[data-node]").count(), 2);
      await page.keyboard.press("End");
      await page.keyboard.type("]");
      await page.getByText("The graph shows the last valid version").waitFor();
      await eventually(() => page.locator("[data-node]").count(), 2);
      await until(async () => assert.notEqual(await page.locator(".problems li").count(), 0));
      await page.keyboard.press("Backspace");
      await page.getByText("The graph shows the last valid version").waitFor({ state: "detached" });
      await page.locator(".problems-head", { hasText: "No problems" }).waitFor();
    },
  );

  visit("proposes states, fields with an empty value, and values", { reusePage: true }, async (visitor, page) => {
    const lines = [
      "{",
      '"StartAt": "One",',
      '"States": {',
      '"One": { "Type": "Pass", "Next": "" },',
      '"Two": { "Type": "Succeed" }',
      "}",
      "}",
    ];
    await visitor.open({ definition: lines.join("\n") });
    await visitor.editor("Definition").click();
    await page.keyboard.press("Control+Home");
    for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowDown");
    await page.keyboard.press("End");
    for (let i = 0; i < 4; i++) await page.keyboard.press("ArrowLeft");
    await page.keyboard.type("T");
    await eventually(() => proposals(page).locator(".cm-completionLabel").allInnerTexts(), ["Two"]);
    await accept(page, "Two");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.type(', "Outp');
    await accept(page, "OutputPath");
    await page.keyboard.type("$.x");
    await eventually(
      () => visitor.editor("Definition").locator(".cm-line").nth(3).innerText(),
      '"One": { "Type": "Pass", "Next": "Two", "OutputPath": "$.x" },',
    );
  });

  visit("underlines problems, lists them, marks them on the graph, and fixes one", { reusePage: true }, async (visitor, page) => {
    const broken = structuredClone(GREETING);
    broken.States.Greet.Next = "Dnoe";
    await visitor.open({ definition: broken });
    const problem = page.locator(".problems li", { hasText: "Dnoe" });
    await problem.waitFor();
    await page.locator(".cm-lintRange-error").first().waitFor();
    await eventually(() => page.locator(".problem-badge").count(), 1);
    await eventually(() => visitor.state("Greet").getAttribute("aria-label"), /1 problem/);
    await problem.locator(".problem").click();
    // The wrong value is selected in the editor, so that typing replaces it.
    await page.waitForFunction(() => {
      const { shadowRoot } = document.activeElement ?? {};
      return shadowRoot?.getSelection?.()?.toString() === '"Dnoe"';
    });
    await problem.getByRole("button", { name: /Did you mean/ }).click();
    await page.locator(".problems-head", { hasText: "No problems" }).waitFor();
    await eventually(() => visitor.editor("Definition").innerText(), /"Next": "Done"/);
  });

  visit("does not run a definition with errors, and says why", { reusePage: true }, async (visitor) => {
    await visitor.open({ definition: { StartAt: "Nowhere", States: {} } });
    await visitor.run();
    const result = await visitor.result();
    await eventually(() => result.innerText(), /Not started\s+The definition has/);
    const alarm = visitor.page.getByRole("alert").filter({ hasText: "Not started" });
    await alarm.waitFor();
    // The message disappears with the next machine.
    await visitor.open({ definition: GREETING });
    await alarm.waitFor({ state: "detached" });
  });

  visit("selects a state everywhere when it is selected on the graph", { reusePage: "Order processing" }, async (visitor, page) => {
    await visitor.run();
    await visitor.result();
    await visitor.tab("Events");
    await visitor.state("WaitForSupply").click();
    await eventually(() => visitor.state("WaitForSupply").getAttribute("aria-pressed"), "true");
    await page.locator(".sg-current", { hasText: '"WaitForSupply"' }).waitFor();
    await page.locator(".event-row.of-state", { hasText: "WaitStateEntered" }).waitFor();
    const inspector = page.locator("#inspector-pane");
    await eventually(() => inspector.getByRole("heading", { level: 3 }).innerText(), "WaitForSupply");
    await inspector.getByText("took 2 d").waitFor();
  });

  visit("selects a state everywhere when the cursor is in it", { reusePage: "Order processing" }, async (visitor, page) => {
    await page.locator(".cm-line", { hasText: '"InStock?": {' }).click();
    await page.locator('[data-node="/States/InStock?"][aria-pressed="true"]').waitFor();
    await eventually(() => page.locator("#inspector-pane").getByRole("heading", { level: 3 }).innerText(), "InStock?");
  });

  visit("shows the machine as it was after an event, and returns", { reusePage: "Order processing" }, async (visitor, page) => {
    await visitor.run();
    await visitor.result();
    await visitor.tab("Events");
    await page.getByRole("searchbox").fill("GatewayBusy");
    const failed = page.locator(".event-row", { hasText: "TaskFailed" });
    await failed.first().click();
    await page.locator('[data-node="/States/ChargeCard"][aria-label*="failed with GatewayBusy, will retry"]').waitFor();
    await eventually(() => visitor.node("/States/Fulfil").getAttribute("aria-label"), /not run/);
    const inspector = page.locator("#inspector-pane");
    await inspector.getByText("GatewayBusy").first().waitFor();
    await eventually(() => page.getByRole("slider").getAttribute("aria-valuetext"), /^Event 21 of 47/);
    await page.getByRole("button", { name: "Return to live" }).click();
    await page.locator('[data-node="/States/Fulfil"][aria-label*="succeeded"]').waitFor();
  });

  visit(
    "goes to a state's definition, folds its content, and saves the drawing",
    { reusePage: "Order processing" },
    async (visitor, page) => {
      await visitor.state("ChargeCard").focus();
      await page.keyboard.press("Alt+Enter");
      // The cursor is before the name, and the name is not selected, so that typing does not replace the key.
      await page.waitForFunction(() => document.activeElement?.closest("#definition-editor") !== null);
      await eventually(() => page.locator("#definition-editor .cm-activeLine").innerText(), /"ChargeCard"/);
      await eventually(() => page.evaluate(() => getSelection().toString()), "");
      // A double click anywhere on the card renames, also beside the name.
      const { width, height } = await visitor.state("ChargeCard").boundingBox();
      const renaming = page.getByRole("textbox", { name: "Name of ChargeCard" });
      const open = async (how) => {
        await how();
        await renaming.waitFor();
        await eventually(() => renaming.inputValue(), "ChargeCard");
        await page.keyboard.press("Escape");
        await eventually(() => renaming.count(), 0);
      };
      await open(() => visitor.state("ChargeCard").dblclick({ position: { x: width * 0.08, y: height / 2 } }));
      await open(() => visitor.state("ChargeCard").press("F2"));
      await open(() => visitor.state("ChargeCard").press("Enter"));
      await page.locator(".fold").click();
      await visitor.node("/States/Fulfil/Branches/0/States/PackParcel").waitFor({ state: "detached" });
      await visitor.run();
      await visitor.result();
      await eventually(() => visitor.state("Fulfil").getAttribute("aria-label"), /succeeded, folded/);
      await page.locator(".fold").click();
      await page.locator('[data-node="/States/Fulfil/Branches/0/States/PackParcel"][aria-label*="succeeded"]').waitFor();

      const saved = page.waitForEvent("download");
      await page.getByRole("button", { name: "Save the graph as SVG" }).click();
      const download = await saved;
      assert.equal(download.suggestedFilename(), "Order processing.svg");
      assert.match(readFileSync(await download.path(), "utf8"), /^<svg [\s\S]*ChargeCard/);
    },
  );

  visit(
    "keeps a state folded while a run passes through it, and unfolds it if the run stops inside",
    { reusePage: true },
    async (visitor, page) => {
      const inside = {
        StartAt: "Ask",
        States: {
          Ask: { Type: "Task", Resource: "arn:aws:lambda:us-east-1:123456789012:function:Ask", Next: "After" },
          After: { Type: "Pass", End: true },
        },
      };
      await visitor.open({ definition: { StartAt: "Both", States: { Both: { Type: "Parallel", Branches: [inside], End: true } } } });
      const ask = visitor.node("/States/Both/Branches/0/States/Ask");
      await ask.waitFor();
      await page.locator(".fold").click();
      await ask.waitFor({ state: "detached" });
      await visitor.run();
      const card = page.getByRole("form", { name: "Answer of Ask" });
      await card.waitFor();
      await eventually(() => visitor.state("Both").getAttribute("aria-label"), /folded/);
      assert.equal(await ask.count(), 0);
      await page.keyboard.press("F8");
      await card.getByRole("button", { name: /^Answer/ }).click();
      await visitor.node("/States/Both/Branches/0/States/After").waitFor();
    },
  );

  visit("filters the events by kind and by state", { reusePage: "Order processing" }, async (visitor, page) => {
    await visitor.run();
    await visitor.result();
    await visitor.tab("Events");
    await page.getByRole("button", { name: "Errors" }).click();
    await page.getByRole("listbox", { name: "History, 2 events" }).waitFor();
    await page.getByRole("button", { name: "All", exact: true }).click();
    await visitor.node("/States/Fulfil").click({ position: { x: 20, y: 20 } });
    await page.getByRole("button", { name: "Only Fulfil" }).click();
    await page.getByRole("listbox", { name: "History, 16 events" }).waitFor();
  });

  visit("works by keyboard alone", {}, async (visitor, page) => {
    // The page handles a key asynchronously, so the test waits for the focus.
    const focused = (pattern) =>
      page.waitForFunction((source) => {
        const { activeElement: element } = document;
        return new RegExp(source).test(element?.dataset.node ?? element?.getAttribute("aria-label") ?? element?.textContent);
      }, pattern.source);
    await page.keyboard.press("Tab");
    await focused(/^Skip to the graph$/);
    await page.keyboard.press("Enter");
    await focused(/^\/States\/CheckStock$/);
    for (const [key, node] of [
      ["ArrowDown", "InStock\\?"],
      ["ArrowDown", "ChargeCard"],
      ["ArrowLeft", "WaitForSupply"],
      ["ArrowRight", "ChargeCard"],
      ["ArrowDown", "Fulfil"],
    ]) {
      await page.keyboard.press(key);
      await focused(new RegExp(`^/States/${node}$`));
    }
    await page.keyboard.press("Enter");
    await focused(/PackParcel$/);
    // A card appears where the focus stays. The first Escape closes it.
    const card = page.getByRole("tooltip").filter({ hasText: "PackParcel" });
    await card.waitFor();
    await page.keyboard.press("Escape");
    await card.waitFor({ state: "detached" });
    await focused(/PackParcel$/);
    await page.keyboard.press("Escape");
    await focused(/^\/States\/Fulfil$/);
    await page.keyboard.press("-");
    await page.waitForFunction(() => document.querySelector('[data-node="/States/Fulfil/Branches/0/States/PackParcel"]') === null);
    await page.keyboard.press("+");
    await visitor.node("/States/Fulfil/Branches/0/States/PackParcel").waitFor();

    await page.keyboard.press("Control+Enter");
    await visitor.result();
    await page.keyboard.press("Control+F6");
    await page.keyboard.press("Control+F6");
    await focused(/^Result/);
    await page.keyboard.press("ArrowLeft");
    await focused(/^Events/);
    await page.getByRole("listbox").focus();
    await page.keyboard.press("Home");
    await page.locator('.event-row.chosen[id="event-1"]').waitFor();
    await page.keyboard.press("ArrowDown");
    await page.locator('.event-row.chosen[id="event-2"]').waitFor();
    await page.keyboard.press("Escape");
    await page.waitForFunction(() => document.querySelector(".event-row.chosen") === null);

    await page.getByRole("listbox").focus();
    await page.keyboard.press("?");
    const help = page.getByRole("dialog", { name: "Help" });
    await help.waitFor();
    await eventually(
      () => help.innerText(),
      /Run or Continue\s+Run to the end, past all breakpoints\s+Shift\+click\s+The same, by mouse or finger\s+Press for 0\.8 s/,
    );
    await page.keyboard.press("Escape");
    await help.waitFor({ state: "detached" });
    // The focus has returned.
    await focused(/History/);
  });

  visit("resizes panes by keyboard, and remembers their sizes", {}, async (visitor, page) => {
    const border = page.getByRole("separator", { name: "Width of the code" });
    const width = () => page.locator("#left").evaluate((element) => element.clientWidth);
    const old = await width();
    await border.focus();
    await page.keyboard.press("Shift+ArrowRight");
    await until(async () => assert.ok((await width()) > old + 30));
    const now = await width();
    await page.reload();
    await visitor.ready();
    await eventually(() => width(), now);
    await border.dblclick();
    await eventually(() => width(), old);
  });

  visit("asks the user for the result of a task without a handler", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: GREETING, input: { name: "Ada" } });
    await visitor.run();
    const card = page.getByRole("form", { name: "Answer of Greet" });
    await card.waitFor();
    await page.locator('[data-node="/States/Greet"][aria-label*="waits for your answer"]').waitFor();
    await card.getByLabel("Result (JSON)").fill("{ no");
    await card.getByRole("button", { name: /^Answer/ }).click();
    await eventually(() => card.locator(".field-problem").innerText(), /JSON/);
    await card.getByLabel("Result (JSON)").fill('{"greeting": "Hello Ada"}');
    await card.getByRole("button", { name: /^Answer/ }).click();
    await eventually(() => visitor.output(), { greeting: "Hello Ada" });
  });

  visit("fails a task manually, and shows its error and cause", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: GREETING });
    await visitor.run();
    const card = page.getByRole("form", { name: "Answer of Greet" });
    await card.getByRole("button", { name: "Fail", exact: true }).click();
    await card.getByLabel("Error").selectOption("Other…");
    await card.getByLabel("Name of the error").fill("Shy");
    await card.getByLabel("Cause").fill("will not speak");
    await card.getByRole("button", { name: "Fail the task" }).click();
    const result = await visitor.result();
    await eventually(() => result.innerText(), /FAILED[\s\S]*Shy\s+will not speak/);
    await eventually(() => visitor.state("Greet").getAttribute("aria-label"), /, failed with Shy, /);
  });

  visit(
    "waits for a task token; an answer continues the run, or the clock reaches the timeout",
    { reusePage: true },
    async (visitor, page) => {
      await visitor.example("A person decides");
      await visitor.state("AskManager").waitFor();
      await visitor.run();
      await page.locator('[data-node="/States/AskManager"][aria-label*="waits for your answer"]').waitFor();
      await page
        .getByRole("form", { name: "Answer of AskManager" })
        .getByRole("button", { name: /^Answer/ })
        .click();
      await eventually(() => visitor.output(), { paid: 120, to: "Ada" });

      await visitor.run();
      await page.getByRole("form", { name: "Answer of AskManager" }).waitFor();
      await page.getByRole("button", { name: /Next timer/ }).click();
      const result = await visitor.result();
      await eventually(() => result.innerText(), /Unanswered/);
      await eventually(() => visitor.state("AskManager").getAttribute("aria-label"), /failed with States.Timeout, caught/);
    },
  );

  visit("stops a run", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: { StartAt: "Long", States: { Long: { Type: "Wait", Seconds: 3600, End: true } } } });
    await page.getByLabel("Clock").selectOption("real");
    await visitor.run();
    await page.locator('[data-node="/States/Long"][aria-label*="waiting"]').waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await eventually(() => visitor.result().then((result) => result.innerText()), /ABORTED/);
    await eventually(() => visitor.state("Long").getAttribute("aria-label"), /cancelled/);
  });

  visit("runs handlers without a network and without access to the page", { reusePage: true }, async (visitor) => {
    await visitor.open({
      definition: GREETING,
      tasks: `export default { Greet: async () => {
        const tried = {};
        try { await fetch("${site.url}"); tried.fetch = "went out"; } catch { tried.fetch = "refused"; }
        try { importScripts("${site.url}assets/x.js"); tried.script = "loaded"; } catch { tried.script = "refused"; }
        try { indexedDB.open("x"); tried.storage = "there"; } catch { tried.storage = "refused"; }
        tried.origin = self.origin;
        return tried;
      } };`,
    });
    await visitor.run();
    await eventually(() => visitor.output(), { fetch: "refused", script: "refused", storage: "refused", origin: "null" });
    visitor.problems.length = 0;
  });

  visit("stops a handler that never yields", { reusePage: true }, async (visitor) => {
    await visitor.open({ definition: GREETING, tasks: "export default { Greet: () => { for (;;); } };" });
    await visitor.run();
    await eventually(() => visitor.result().then((result) => result.innerText()), /HandlerStopped[\s\S]*did not yield/);
  });

  visit("reports errors in the tasks' module", { reusePage: true }, async (visitor) => {
    await visitor.open({ definition: GREETING, tasks: "export default { Greet: 42 };" });
    await visitor.run();
    await eventually(() => visitor.result().then((result) => result.innerText()), /the handler of "Greet" is not a function/);
  });

  visit("keeps the draft over a reload", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: GREETING });
    await visitor.state("Greet").waitFor();
    await visitor.waitForDraft("Greet");
    await page.reload();
    await visitor.ready();
    await visitor.state("Greet").waitFor();
  });

  visit("reads YAML, and applies fixes in it", { reusePage: true }, async (visitor, page) => {
    await visitor.example("YAML, and a problem to fix");
    const problem = page.locator(".problems li", { hasText: "Publsh" });
    await problem.getByText("Line 12").waitFor();
    await problem.getByRole("button", { name: /Did you mean/ }).click();
    await page.locator(".problems-head", { hasText: "No problems" }).waitFor();
    await visitor.run();
    await eventually(() => visitor.output(), { page: "home", checked: true, published: true });
  });

  visit("converts JSON to YAML and back", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: GREETING });
    await page.getByLabel("Format").selectOption("yaml");
    await page.locator(".cm-line", { hasText: "StartAt: Greet" }).waitFor();
    await page.locator(".problems-head", { hasText: "No problems" }).waitFor();
    await page.getByLabel("Format").selectOption("json");
    await page.locator(".cm-line", { hasText: '"StartAt": "Greet"' }).waitFor();
  });

  visit("gives equal runs for equal seeds", { reusePage: true }, async (visitor, page) => {
    await visitor.example("Intrinsic functions");
    const uuid = async (seed) => {
      await visitor.tab("Config");
      await page.getByRole("spinbutton", { name: /^Seed/ }).fill(String(seed));
      await visitor.run();
      return (await visitor.output()).chance.uuid;
    };
    const first = await uuid(7);
    assert.notEqual(await uuid(8), first);
    assert.equal(await uuid(7), first);
  });

  visit("restarts an interpreter that does not respond", {}, async (visitor, page) => {
    const worker = page.workers().find((candidate) => candidate.url().includes("interpreter"));
    await worker.evaluate(
      () =>
        void setTimeout(() => {
          for (;;);
        }),
    );
    await visitor.write("Definition", JSON.stringify(GREETING));
    await page.getByRole("alert").filter({ hasText: "was restarted" }).waitFor();
    await visitor.state("Greet").waitFor();
  });

  test("waits longer for an interpreter with much to read, but not forever", async () => {
    // Time passes only when the test advances it, and the message that starts a run does not reach the worker.
    const held = () => {
      const { postMessage } = Worker.prototype;
      Worker.prototype.postMessage = function (message, ...rest) {
        if (globalThis.holds && message?.method === "run") globalThis.held = () => postMessage.call(this, message, ...rest);
        else postMessage.call(this, message, ...rest);
      };
      const every = globalThis.setInterval;
      const watches = [];
      globalThis.setInterval = (watch, time, ...rest) => (time === 1_000 ? void watches.push(watch) : every(watch, time, ...rest));
      globalThis.seconds = (count) => {
        while (count-- > 0) for (const watch of watches) watch();
      };
    };
    const visitor = await site.visit({ before: (page) => page.addInitScript(held) });
    const { page } = visitor;
    await visitor.ready();
    await visitor.open({ definition: { StartAt: "Keep", States: { Keep: { Type: "Pass", End: true } } } });
    await visitor.tab("Input");
    const begins = async (input, seconds) => {
      await visitor.write("Input", JSON.stringify(input));
      await page.evaluate(() => Object.assign(globalThis, { holds: true, held: undefined }));
      await visitor.run();
      await page.waitForFunction(() => globalThis.held);
      await page.evaluate((count) => globalThis.seconds(count), seconds);
    };
    const alert = page.getByRole("alert").filter({ hasText: "was restarted" });
    await begins("x".repeat(2_000_000), 12);
    await page.evaluate(() => globalThis.held());
    await page.locator(".result", { hasText: "The input is 1.9 MiB. AWS takes at most 256 KiB." }).waitFor();
    assert.equal(await alert.count(), 0);
    await begins({}, 6);
    await alert.filter({ hasText: "did not answer for 5 seconds" }).waitFor();
    await visitor.leave();
  });

  test("reports an interpreter that cannot be loaded", async () => {
    const visitor = await site.visit({ before: (page) => page.route("**/*.wasm", (route) => route.abort()) });
    await visitor.page.getByText("The interpreter could not be loaded").waitFor();
    await eventually(() => visitor.page.getByRole("button", { name: "Run", exact: true }).first().isDisabled(), true);
    await visitor.page.context().close();
  });

  test("falls back to a plain text area if the editor cannot be loaded", async () => {
    const visitor = await site.visit({ before: (page) => page.route("**/codemirror*.js", (route) => route.abort()) });
    const area = visitor.page.locator("textarea.plain-editor").first();
    await visitor.state("CheckStock").waitFor();
    await area.fill(JSON.stringify(GREETING));
    await visitor.state("Greet").waitFor();
    await visitor.page.context().close();
  });

  test("draws only the visible part of a large machine, and reaches the rest by keyboard", async () => {
    const visitor = await site.visit();
    await visitor.ready();
    const States = Object.fromEntries(
      Array.from({ length: 1000 }, (_, i) => [`S${i}`, i < 999 ? { Type: "Pass", Next: `S${i + 1}` } : { Type: "Succeed" }]),
    );
    await visitor.open({ definition: JSON.stringify({ StartAt: "S0", States }) });
    await visitor.state("S0").waitFor();
    // The whole graph is visible at first; zoomed in to a legible size, only a part of it.
    await until(async () => {
      await visitor.page.getByRole("button", { name: "Zoom in", exact: true }).click();
      assert.ok((await visitor.page.locator("[data-node]").count()) < 200);
    });
    await visitor.state("S0").focus();
    for (let i = 0; i < 30; i++) await visitor.page.keyboard.press("ArrowDown");
    await visitor.page.waitForFunction(() => document.activeElement?.dataset?.node === "/States/S30");
    await visitor.run();
    await visitor.result();
    await eventually(() => visitor.state("S30").getAttribute("aria-label"), /succeeded/);
    await visitor.leave();
  });

  test("animates by default, and ends with the same picture", async () => {
    const visitor = await site.visit({ reducedMotion: "no-preference" });
    await visitor.ready();
    await visitor.state("CheckStock").evaluate((node) => {
      globalThis.seen = [];
      new MutationObserver(() => globalThis.seen.push(node.getAttribute("aria-label"))).observe(node, { attributes: true });
    });
    // A busy machine may draw only the end; then the test runs the machine once more.
    await until(async () => {
      await visitor.run();
      await visitor.result();
      const seen = await visitor.page.evaluate(() => globalThis.seen);
      assert.ok(
        seen.some((label) => /, running/.test(label)),
        "the state was seen running on the way",
      );
    });
    await eventually(() => visitor.node("/States/Fulfil").getAttribute("aria-label"), /succeeded/);
    await visitor.leave();
  });

  for (const sizes of [
    [
      [1440, 900],
      [1000, 800],
      [800, 700],
    ],
    [
      [390, 844],
      [320, 568],
    ],
  ]) {
    test(`is accessible at ${sizes.map((size) => size.join(" × ")).join(", ")}`, async () => {
      const [[width, height]] = sizes;
      const visitor = await site.visit({ width, height });
      await visitor.page.locator("[data-node]").first().waitFor();
      const accessible = async (where) => {
        // The first size comes last, because the rest of the test uses it.
        for (const [width, height] of [...sizes.slice(1), sizes[0]]) {
          await visitor.page.setViewportSize({ width, height });
          await eventually(() => visitor.violationsInEveryLook(["dark"]), [], `${where}, ${width} × ${height}`);
          await eventually(
            () => visitor.page.evaluate(() => document.documentElement.scrollWidth > innerWidth),
            false,
            `no scrolling in two ways, ${where}, ${width} × ${height}`,
          );
        }
      };
      await accessible("at the start");
      await visitor.run();
      if (width < 640) await visitor.page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name: "Run" }).click();
      await visitor.result();
      await visitor.page.locator(".problems-head").waitFor({ state: width < 640 ? "attached" : "visible" });
      await accessible("after a run");
      await visitor.leave();
    });
  }

  visit("has accessible dialogs, problems and waiting tasks", { reusePage: "Order processing" }, async (visitor, page) => {
    for (const [button, title] of [
      ["Share", "Share"],
      ["Settings", "Settings"],
      ["Help and keyboard shortcuts", "Help"],
    ]) {
      await page.getByRole("button", { name: button, exact: true }).click();
      await page.getByRole("dialog", { name: title }).waitFor();
      await eventually(() => visitor.violations(), [], title);
      await page.keyboard.press("Escape");
    }
    await visitor.example("YAML, and a problem to fix");
    await page.locator(".problems li").waitFor();
    await eventually(() => visitor.violations(), [], "problems");
    await visitor.example("A person decides");
    await visitor.state("AskManager").waitFor();
    await visitor.run();
    await page.getByRole("form", { name: "Answer of AskManager" }).waitFor();
    await eventually(() => visitor.violations(), [], "waiting");
  });
});
