// The page as its visitors use it, in real Chromium.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { skip } from "../browser.mjs";
import { accept, proposed } from "./definition.mjs";
import { GREETING, comes, until, visits } from "./playground.mjs";

describe("the page", { skip }, () => {
  const { site, visit } = visits();

  visit("begins with an example, its graph and no problems", {}, async (visitor, page) => {
    await visitor.state("CheckStock").waitFor();
    await comes(() => page.locator("[data-node]").count(), 12);
    await comes(
      () => visitor.state("ChargeCard").getAttribute("aria-label"),
      /^ChargeCard Task .*not run, has retries, breakpoint off: before a retry, goes to Fulfil, on CardRefused to TellCustomer$/,
    );
    await comes(() => page.locator(".problems-head").innerText(), "No problems");
    await comes(() => page.title(), /^Order processing/);
  });

  visit("runs the example: output, states, transitions, events, console", { staying: "Order processing" }, async (visitor, page) => {
    await visitor.run();
    const output = await visitor.output();
    assert.deepEqual(output.payment, { receipt: "R-1001" });
    assert.match(output.fulfilment.tracking, /^PKG-run-1-1$/);
    await comes(() => visitor.state("ChargeCard").getAttribute("aria-label"), /succeeded, 2 failed attempts/);
    await comes(() => visitor.state("CheckStock").getAttribute("aria-label"), /entered 2 times/);
    await comes(() => visitor.state("OutOfStock").getAttribute("aria-label"), /not reached/);
    await comes(() => visitor.node("/States/Fulfil/Branches/0/States/HandOver").getAttribute("aria-label"), /succeeded/);
    await comes(() => page.locator(".line-back.taken").count(), 1, "the way back was taken");
    await comes(() => page.locator(".line-catch.taken").count(), 0, "the catcher was not");
    await visitor.tab("Events");
    await page.getByRole("listbox", { name: "History, 47 events" }).waitFor();
    await visitor.tab("Console");
    await comes(() => page.locator(".console").innerText(), "charged 129.5 at attempt 3");
    await comes(() => page.title(), /succeeded/);
  });

  visit(
    "draws what is typed, and keeps the last graph while the text is broken",
    { staying: "Order processing" },
    async (visitor, page) => {
      await visitor.write(
        "Definition",
        JSON.stringify({ StartAt: "One", States: { One: { Type: "Pass", Next: "Two" }, Two: { Type: "Succeed" } } }),
      );
      await visitor.state("Two").waitFor();
      await comes(() => page.locator("[data-node]").count(), 2);
      await page.keyboard.press("End");
      await page.keyboard.type("]");
      await page.getByText("The graph shows the last valid version").waitFor();
      await comes(() => page.locator("[data-node]").count(), 2);
      await until(async () => assert.notEqual(await page.locator(".problems li").count(), 0));
      await page.keyboard.press("Backspace");
      await page.getByText("The graph shows the last valid version").waitFor({ state: "detached" });
      await page.locator(".problems-head", { hasText: "No problems" }).waitFor();
    },
  );

  visit("proposes what may stand at a place: states, fields with an empty value, values", { staying: true }, async (visitor, page) => {
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
    await comes(() => proposed(page).locator(".cm-completionLabel").allInnerTexts(), ["Two"]);
    await accept(page, "Two");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.type(', "Outp');
    await accept(page, "OutputPath");
    await page.keyboard.type("$.x");
    await comes(
      () => visitor.editor("Definition").locator(".cm-line").nth(3).innerText(),
      '"One": { "Type": "Pass", "Next": "Two", "OutputPath": "$.x" },',
    );
  });

  visit("underlines problems, lists them, marks them in the graph, and fixes one", { staying: true }, async (visitor, page) => {
    const broken = structuredClone(GREETING);
    broken.States.Greet.Next = "Dnoe";
    await visitor.open({ definition: broken });
    const problem = page.locator(".problems li", { hasText: "Dnoe" });
    await problem.waitFor();
    await page.locator(".cm-lintRange-error").first().waitFor();
    await comes(() => page.locator(".problem-badge").count(), 1);
    await comes(() => visitor.state("Greet").getAttribute("aria-label"), /1 problem/);
    await problem.locator(".problem").click();
    // The place is chosen in the editor, so that typing replaces it.
    await page.waitForFunction(() => {
      const { shadowRoot } = document.activeElement ?? {};
      return shadowRoot?.getSelection?.()?.toString() === '"Dnoe"';
    });
    await problem.getByRole("button", { name: /Did you mean/ }).click();
    await page.locator(".problems-head", { hasText: "No problems" }).waitFor();
    await comes(() => visitor.editor("Definition").innerText(), /"Next": "Done"/);
  });

  visit("does not run a definition with errors, and says why", { staying: true }, async (visitor) => {
    await visitor.open({ definition: { StartAt: "Nowhere", States: {} } });
    await visitor.run();
    const result = await visitor.result();
    await comes(() => result.innerText(), /Not started\s+The definition has/);
    const alarm = visitor.page.getByRole("alert").filter({ hasText: "Not started" });
    await alarm.waitFor();
    // It is not said of the next machine.
    await visitor.open({ definition: GREETING });
    await alarm.waitFor({ state: "detached" });
  });

  visit("selects a state everywhere, from the graph", { staying: "Order processing" }, async (visitor, page) => {
    await visitor.run();
    await visitor.result();
    await visitor.tab("Events");
    await visitor.state("WaitForSupply").click();
    await comes(() => visitor.state("WaitForSupply").getAttribute("aria-pressed"), "true");
    await page.locator(".sg-current", { hasText: '"WaitForSupply"' }).waitFor();
    await page.locator(".event-row.of-state", { hasText: "WaitStateEntered" }).waitFor();
    const inspector = page.locator("#inspector-pane");
    await comes(() => inspector.getByRole("heading", { level: 3 }).innerText(), "WaitForSupply");
    await inspector.getByText("took 2 d").waitFor();
  });

  visit("selects a state everywhere, from the editor", { staying: "Order processing" }, async (visitor, page) => {
    await page.locator(".cm-line", { hasText: '"InStock?": {' }).click();
    await page.locator('[data-node="/States/InStock?"][aria-pressed="true"]').waitFor();
    await comes(() => page.locator("#inspector-pane").getByRole("heading", { level: 3 }).innerText(), "InStock?");
  });

  visit("shows the machine as it was after an event, and comes back", { staying: "Order processing" }, async (visitor, page) => {
    await visitor.run();
    await visitor.result();
    await visitor.tab("Events");
    await page.getByRole("searchbox").fill("GatewayBusy");
    const failed = page.locator(".event-row", { hasText: "TaskFailed" });
    await failed.first().click();
    await page.locator('[data-node="/States/ChargeCard"][aria-label*="failed with GatewayBusy, will retry"]').waitFor();
    await comes(() => visitor.node("/States/Fulfil").getAttribute("aria-label"), /not run/);
    const inspector = page.locator("#inspector-pane");
    await inspector.getByText("GatewayBusy").first().waitFor();
    await comes(() => page.getByRole("slider").getAttribute("aria-valuetext"), /^Event 21 of 47/);
    await page.getByRole("button", { name: "Return to live" }).click();
    await page.locator('[data-node="/States/Fulfil"][aria-label*="succeeded"]').waitFor();
  });

  visit("goes to a state's definition, folds its inside, and saves the drawing", { staying: "Order processing" }, async (visitor, page) => {
    await visitor.state("ChargeCard").focus();
    await page.keyboard.press("Alt+Enter");
    // The cursor stands before the name, and the name is not selected: what is typed must not take the key's place.
    await page.waitForFunction(() => document.activeElement?.closest("#definition-editor") !== null);
    await comes(() => page.locator("#definition-editor .cm-activeLine").innerText(), /"ChargeCard"/);
    await comes(() => page.evaluate(() => getSelection().toString()), "");
    // The whole card renames, also beside the name.
    const { width, height } = await visitor.state("ChargeCard").boundingBox();
    const renaming = page.getByRole("textbox", { name: "Name of ChargeCard" });
    const open = async (how) => {
      await how();
      await renaming.waitFor();
      await comes(() => renaming.inputValue(), "ChargeCard");
      await page.keyboard.press("Escape");
      await comes(() => renaming.count(), 0);
    };
    await open(() => visitor.state("ChargeCard").dblclick({ position: { x: width * 0.08, y: height / 2 } }));
    await open(() => visitor.state("ChargeCard").press("F2"));
    await open(() => visitor.state("ChargeCard").press("Enter"));
    await page.locator(".fold").click();
    await visitor.node("/States/Fulfil/Branches/0/States/PackParcel").waitFor({ state: "detached" });
    await visitor.run();
    await visitor.result();
    await comes(() => visitor.state("Fulfil").getAttribute("aria-label"), /succeeded, folded/);
    await page.locator(".fold").click();
    await page.locator('[data-node="/States/Fulfil/Branches/0/States/PackParcel"][aria-label*="succeeded"]').waitFor();

    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save the graph as SVG" }).click();
    const download = await saved;
    assert.equal(download.suggestedFilename(), "Order processing.svg");
    assert.match(readFileSync(await download.path(), "utf8"), /^<svg [\s\S]*ChargeCard/);
  });

  visit(
    "leaves folded what somebody has folded while a run goes through it, and opens it where the run stops inside",
    { staying: true },
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
      await comes(() => visitor.state("Both").getAttribute("aria-label"), /folded/);
      assert.equal(await ask.count(), 0);
      await page.keyboard.press("F8");
      await card.getByRole("button", { name: /^Answer/ }).click();
      await visitor.node("/States/Both/Branches/0/States/After").waitFor();
    },
  );

  visit("filters the events by kind and by state", { staying: "Order processing" }, async (visitor, page) => {
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
    // A key is answered when the page has had its turn, which on a busy machine is not at once.
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
    // Where the focus rests, a card comes; the first Escape takes that away.
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
    await comes(
      () => help.innerText(),
      /Run or Continue\s+Run to the end, past all breakpoints\s+Shift\+click\s+The same, by mouse or finger\s+Press for 0\.8 s/,
    );
    await page.keyboard.press("Escape");
    await help.waitFor({ state: "detached" });
    // The focus is back where it was.
    await focused(/History/);
  });

  visit("moves its borders by keys, and remembers them", {}, async (visitor, page) => {
    const border = page.getByRole("separator", { name: "Width of the code" });
    const width = () => page.locator("#left").evaluate((element) => element.clientWidth);
    const old = await width();
    await border.focus();
    await page.keyboard.press("Shift+ArrowRight");
    await until(async () => assert.ok((await width()) > old + 30));
    const now = await width();
    await page.reload();
    await visitor.ready();
    await comes(() => width(), now);
    await border.dblclick();
    await comes(() => width(), old);
  });

  visit("asks a person for a task without a handler", { staying: true }, async (visitor, page) => {
    await visitor.open({ definition: GREETING, input: { name: "Ada" } });
    await visitor.run();
    const card = page.getByRole("form", { name: "Answer of Greet" });
    await card.waitFor();
    await page.locator('[data-node="/States/Greet"][aria-label*="waits for your answer"]').waitFor();
    await card.getByLabel("Result (JSON)").fill("{ no");
    await card.getByRole("button", { name: /^Answer/ }).click();
    await comes(() => card.locator(".field-problem").innerText(), /JSON/);
    await card.getByLabel("Result (JSON)").fill('{"greeting": "Hello Ada"}');
    await card.getByRole("button", { name: /^Answer/ }).click();
    await comes(() => visitor.output(), { greeting: "Hello Ada" });
  });

  visit("fails a task by hand, and shows error and cause", { staying: true }, async (visitor, page) => {
    await visitor.open({ definition: GREETING });
    await visitor.run();
    const card = page.getByRole("form", { name: "Answer of Greet" });
    await card.getByRole("button", { name: "Fail", exact: true }).click();
    await card.getByLabel("Error").selectOption("Other…");
    await card.getByLabel("Name of the error").fill("Shy");
    await card.getByLabel("Cause").fill("will not speak");
    await card.getByRole("button", { name: "Fail the task" }).click();
    const result = await visitor.result();
    await comes(() => result.innerText(), /FAILED[\s\S]*Shy\s+will not speak/);
    await comes(() => visitor.state("Greet").getAttribute("aria-label"), /, failed with Shy, /);
  });

  visit("waits for a token; the answer goes on, and time can be let run out", { staying: true }, async (visitor, page) => {
    await visitor.example("A person decides");
    await visitor.state("AskManager").waitFor();
    await visitor.run();
    await page.locator('[data-node="/States/AskManager"][aria-label*="waits for your answer"]').waitFor();
    await page
      .getByRole("form", { name: "Answer of AskManager" })
      .getByRole("button", { name: /^Answer/ })
      .click();
    await comes(() => visitor.output(), { paid: 120, to: "Ada" });

    await visitor.run();
    await page.getByRole("form", { name: "Answer of AskManager" }).waitFor();
    await page.getByRole("button", { name: /Next timer/ }).click();
    const result = await visitor.result();
    await comes(() => result.innerText(), /Unanswered/);
    await comes(() => visitor.state("AskManager").getAttribute("aria-label"), /failed with States.Timeout, caught/);
  });

  visit("stops a run", { staying: true }, async (visitor, page) => {
    await visitor.open({ definition: { StartAt: "Long", States: { Long: { Type: "Wait", Seconds: 3600, End: true } } } });
    await page.getByLabel("Clock").selectOption("real");
    await visitor.run();
    await page.locator('[data-node="/States/Long"][aria-label*="waiting"]').waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await comes(() => visitor.result().then((result) => result.innerText()), /ABORTED/);
    await comes(() => visitor.state("Long").getAttribute("aria-label"), /cancelled/);
  });

  visit("runs handlers without network, and without a way to the page", { staying: true }, async (visitor) => {
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
    await comes(() => visitor.output(), { fetch: "refused", script: "refused", storage: "refused", origin: "null" });
    visitor.problems.length = 0;
  });

  visit("stops a handler that never yields", { staying: true }, async (visitor) => {
    await visitor.open({ definition: GREETING, tasks: "export default { Greet: () => { for (;;); } };" });
    await visitor.run();
    await comes(() => visitor.result().then((result) => result.innerText()), /HandlerStopped[\s\S]*did not yield/);
  });

  visit("says what is wrong with a tasks' module", { staying: true }, async (visitor) => {
    await visitor.open({ definition: GREETING, tasks: "export default { Greet: 42 };" });
    await visitor.run();
    await comes(() => visitor.result().then((result) => result.innerText()), /the handler of "Greet" is not a function/);
  });

  visit("keeps the draft over a reload", { staying: true }, async (visitor, page) => {
    await visitor.open({ definition: GREETING });
    await visitor.state("Greet").waitFor();
    await visitor.kept("Greet");
    await page.reload();
    await visitor.ready();
    await visitor.state("Greet").waitFor();
  });

  visit("reads YAML, with fixes at their places", { staying: true }, async (visitor, page) => {
    await visitor.example("YAML, and a problem to fix");
    const problem = page.locator(".problems li", { hasText: "Publsh" });
    await problem.getByText("Line 12").waitFor();
    await problem.getByRole("button", { name: /Did you mean/ }).click();
    await page.locator(".problems-head", { hasText: "No problems" }).waitFor();
    await visitor.run();
    await comes(() => visitor.output(), { page: "home", checked: true, published: true });
  });

  visit("turns JSON into YAML and back", { staying: true }, async (visitor, page) => {
    await visitor.open({ definition: GREETING });
    await page.getByLabel("Format").selectOption("yaml");
    await page.locator(".cm-line", { hasText: "StartAt: Greet" }).waitFor();
    await page.locator(".problems-head", { hasText: "No problems" }).waitFor();
    await page.getByLabel("Format").selectOption("json");
    await page.locator(".cm-line", { hasText: '"StartAt": "Greet"' }).waitFor();
  });

  visit("gives equal runs for equal seeds", { staying: true }, async (visitor, page) => {
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

  visit("restarts an interpreter that hangs", {}, async (visitor, page) => {
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

  test("waits longer for an interpreter that has much to read, and not for ever", async () => {
    // Seconds pass when the test says so, and what begins a run does not reach the thread.
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

  test("says so when the interpreter cannot be loaded", async () => {
    const visitor = await site.visit({ before: (page) => page.route("**/*.wasm", (route) => route.abort()) });
    await visitor.page.getByText("The interpreter could not be loaded").waitFor();
    await comes(() => visitor.page.getByRole("button", { name: "Run", exact: true }).first().isDisabled(), true);
    await visitor.page.context().close();
  });

  test("is a plain text area where the editor cannot be loaded", async () => {
    const visitor = await site.visit({ before: (page) => page.route("**/codemirror*.js", (route) => route.abort()) });
    const area = visitor.page.locator("textarea.plain-editor").first();
    await visitor.state("CheckStock").waitFor();
    await area.fill(JSON.stringify(GREETING));
    await visitor.state("Greet").waitFor();
    await visitor.page.context().close();
  });

  test("draws only what is in sight of a large machine, and its keys reach the rest", async () => {
    const visitor = await site.visit();
    await visitor.ready();
    const States = Object.fromEntries(
      Array.from({ length: 1000 }, (_, i) => [`S${i}`, i < 999 ? { Type: "Pass", Next: `S${i + 1}` } : { Type: "Succeed" }]),
    );
    await visitor.open({ definition: JSON.stringify({ StartAt: "S0", States }) });
    await visitor.state("S0").waitFor();
    // As a whole it is in sight; near enough to be read, a part of it.
    await until(async () => {
      await visitor.page.getByRole("button", { name: "Zoom in", exact: true }).click();
      assert.ok((await visitor.page.locator("[data-node]").count()) < 200);
    });
    await visitor.state("S0").focus();
    for (let i = 0; i < 30; i++) await visitor.page.keyboard.press("ArrowDown");
    await visitor.page.waitForFunction(() => document.activeElement?.dataset?.node === "/States/S30");
    await visitor.run();
    await visitor.result();
    await comes(() => visitor.state("S30").getAttribute("aria-label"), /succeeded/);
    await visitor.leave();
  });

  test("animates by default, and ends in the same picture", async () => {
    const visitor = await site.visit({ reducedMotion: "no-preference" });
    await visitor.ready();
    await visitor.state("CheckStock").evaluate((node) => {
      globalThis.seen = [];
      new MutationObserver(() => globalThis.seen.push(node.getAttribute("aria-label"))).observe(node, { attributes: true });
    });
    // A machine that is too busy to draw pictures on the way shows only the end; then it runs once more.
    await until(async () => {
      await visitor.run();
      await visitor.result();
      const seen = await visitor.page.evaluate(() => globalThis.seen);
      assert.ok(
        seen.some((label) => /, running/.test(label)),
        "the state was seen running on the way",
      );
    });
    await comes(() => visitor.node("/States/Fulfil").getAttribute("aria-label"), /succeeded/);
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
        // The first one at last, to go on with.
        for (const [width, height] of [...sizes.slice(1), sizes[0]]) {
          await visitor.page.setViewportSize({ width, height });
          await comes(() => visitor.violationsInEveryLook(["dark"]), [], `${where}, ${width} × ${height}`);
          await comes(
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

  visit("has accessible dialogs, problems and waiting tasks", { staying: "Order processing" }, async (visitor, page) => {
    for (const [button, title] of [
      ["Share", "Share"],
      ["Settings", "Settings"],
      ["Help and keyboard shortcuts", "Help"],
    ]) {
      await page.getByRole("button", { name: button, exact: true }).click();
      await page.getByRole("dialog", { name: title }).waitFor();
      await comes(() => visitor.violations(), [], title);
      await page.keyboard.press("Escape");
    }
    await visitor.example("YAML, and a problem to fix");
    await page.locator(".problems li").waitFor();
    await comes(() => visitor.violations(), [], "problems");
    await visitor.example("A person decides");
    await visitor.state("AskManager").waitFor();
    await visitor.run();
    await page.getByRole("form", { name: "Answer of AskManager" }).waitFor();
    await comes(() => visitor.violations(), [], "waiting");
  });
});
