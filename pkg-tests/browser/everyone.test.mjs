// Accessibility of the page: offline, with more contrast, on a small screen, by keyboard, with a screen reader.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { gallery } from "../api/examples.mjs";
import { skip } from "../browser.mjs";
import { eventually, openFromMenu, until, visits } from "./playground.mjs";

describe("accessibility", { skip }, () => {
  const { site, visit } = visits();

  visit("works offline after the first load", { serviceWorkers: "allow" }, async (visitor, page) => {
    await page.evaluate(async () => {
      const { active, installing, waiting } = await navigator.serviceWorker.ready;
      const worker = active ?? waiting ?? installing;
      if (worker.state !== "activated")
        await new Promise((resolve) => worker.addEventListener("statechange", () => worker.state === "activated" && resolve()));
    });
    await page.context().setOffline(true);
    await page.reload();
    await visitor.ready();
    await visitor.run();
    await eventually(async () => (await visitor.output()).payment, { receipt: "R-1001" });
    // Parts that were never opened before work offline, too: the gallery with its drawings, and YAML.
    await visitor.example("YAML, and a problem to fix");
    await page.locator(".problems li", { hasText: "Publsh" }).waitFor();
    await page.getByTitle("Examples and recent drafts").click();
    await page.waitForFunction(() =>
      [...document.querySelectorAll(".gallery-drawing")].some((image) => image.complete && image.naturalWidth > 0),
    );
  });

  for (const [name, sizes] of [
    ["more contrast by the system's wish or by the setting, and the system's own colours", [[1440, 900]]],
    [
      "360 pixels, and 320 as at 400 %",
      [
        [360, 740],
        [320, 256],
      ],
    ],
  ]) {
    test(`has no violation in any pane and dialog: ${name}`, async () => {
      const [[width, height]] = sizes;
      const visitor = await site.visit({ width, height });
      const { page } = visitor;
      await page.locator("[data-node]").first().waitFor();
      const narrow = width < 640;
      const looks = narrow ? [] : ["contrast", "forced"];
      const clean = async (where, within) => {
        // The first size comes last, because the rest of the test uses it.
        for (const [width, height] of [...sizes.slice(1), sizes[0]]) {
          if (narrow) await page.setViewportSize({ width, height });
          await eventually(() => visitor.violationsInEveryLook(looks, within), [], `${where}, ${width} × ${height}`);
          await eventually(
            () => page.evaluate(() => document.documentElement.scrollWidth > innerWidth),
            false,
            `${where}, ${width} × ${height}: scrolls in one way`,
          );
        }
      };
      const DIALOG = "dialog[open]";
      const dialog = async (button, title = button) => {
        await page.getByRole("button", { name: button, exact: true }).click();
        await page.getByRole("dialog", { name: title }).waitFor();
        await clean(title, DIALOG);
        await page.keyboard.press("Escape");
        await page.getByRole("dialog").waitFor({ state: "detached" });
      };
      await visitor.run();
      if (narrow) await page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name: "Run" }).click();
      await visitor.result();
      if (narrow) {
        for (const pane of ["Code", "Graph", "Inspect", "Mocks", "Run"]) {
          await page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name: pane }).click();
          await clean(pane);
        }
      } else await clean("after a run");
      for (const title of ["Share", "Export", "Settings"]) await dialog(title);
      await dialog("Help and keyboard shortcuts", "Help");
      await page.keyboard.press("F1");
      await page.getByRole("dialog", { name: "Commands" }).waitFor();
      await clean("Commands", DIALOG);
      await page.getByRole("combobox", { name: "Command or state" }).fill("change keys");
      await page.keyboard.press("Enter");
      await page.getByRole("dialog", { name: "Keyboard" }).waitFor();
      await page.getByRole("button", { name: "Add a key for “Step over, to the next state”" }).click();
      await page.getByRole("textbox", { name: "Press the new key" }).press("F9");
      await page.getByText("F9 is already the key of").waitFor();
      await clean("Keyboard", DIALOG);
      await page.keyboard.press("Escape");
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await page.keyboard.press("Control+Shift+O");
      await page.getByRole("dialog", { name: "Go to a state" }).waitFor();
      await clean("Go to a state", DIALOG);
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await page.getByTitle("Examples and recent drafts").click();
      await page.locator(".gallery li").first().waitFor();
      await clean("Examples", DIALOG);
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      if (!narrow) {
        // Choosing high contrast has the effect of the system's setting, in which the checks above ran.
        const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
        await page.emulateMedia({ contrast: "more" });
        await eventually(theme, "contrast");
        await page.emulateMedia({ contrast: null });
        await eventually(theme, "light");
        await page.getByRole("button", { name: "Settings", exact: true }).click();
        await page.getByRole("dialog", { name: "Settings" }).waitFor();
        await page.locator(".settings select").first().selectOption("contrast");
        await eventually(theme, "contrast");
        await eventually(() => visitor.violations(), [], "Settings, with more contrast by the setting");
        await page.keyboard.press("Escape");
        await page.getByRole("dialog").waitFor({ state: "detached" });
        await eventually(() => visitor.violations(), [], "more contrast by the setting");
      }
      await visitor.leave();
    });
  }

  for (const [name, options, looks] of [
    ["a large window", {}, ["dark", "contrast"]],
    ["a phone", { width: 390, height: 844 }, ["dark"]],
  ]) {
    test(`has no violation in any tab while a run is paused in a Map: ${name}`, async () => {
      const visitor = await site.visit(options);
      const { page } = visitor;
      await page.locator("[data-node]").first().waitFor();
      await visitor.example("Map over items");
      const panes = page.getByRole("navigation", { name: "Panes" });
      const pane = async (title) => options.width === 390 && (await panes.getByRole("button", { name: title }).click());
      const clean = (where, within) => eventually(() => visitor.violationsInEveryLook(looks, within), [], where);
      await pane("Graph");
      await page.locator('[data-node$="/States/Shrink"]').click();
      await pane("Inspect");
      await page.getByRole("button", { name: "Breakpoint", exact: true }).click();
      await page.getByRole("button", { name: "Breakpoint", exact: true, pressed: true }).waitFor();
      await visitor.run();
      await page.locator(".pause-where", { hasText: "before Shrink · item #2" }).waitFor();
      await clean("paused");
      await page.keyboard.press("F11");
      await page.locator(".pause-where", { hasText: "after InputPath of Shrink · item #2" }).waitFor();
      await pane("Inspect");
      await page.getByRole("radio", { name: "InputPath", checked: true }).waitFor();
      await clean("after a stage");
      // Checks every tab of the page, so that a new tab is checked, too.
      for (const [place, where, least] of [
        ["Code", "#left", 5],
        ["Run", "#dock", 9],
      ]) {
        await pane(place);
        let found = 0;
        await visitor.everyTab(where, async (tab) => {
          // The first tab is checked together with the page around it, which does not change.
          await clean(await tab.innerText(), found === 0 ? undefined : where);
          found += 1;
        });
        assert.ok(found >= least, `tabs in ${where}`);
      }
      // The lists are checked when they have entries.
      await visitor.tab("Breakpoints");
      await page.getByRole("button", { name: "Edit" }).click();
      await clean("a breakpoint's form", "#dock");
      await visitor.tab("Watch");
      await page.getByLabel("Expression to watch").fill("$states.input.picture");
      await page.keyboard.press("Enter");
      await page.locator(".watched").first().waitFor();
      await clean("a watched expression", "#dock");
      await pane("Code");
      await visitor.tab("Mocks");
      await page.getByLabel("What answers for Shrink").selectOption("script");
      await clean("a mock's script", "#left");
      await page.getByLabel("What answers for Shrink").selectOption("javascript");
      await page.getByLabel("Resource, function or pattern").fill("*");
      await page.keyboard.press("Enter");
      await page.getByLabel("What answers for *").selectOption("result");
      await page.getByRole("button", { name: "Add a machine" }).click();
      await page.getByLabel("Definition of Child (JSON)").waitFor();
      await clean("rules and machines", "#left");
      await page.getByRole("button", { name: "Mocks of a file" }).click();
      await page
        .getByRole("dialog", { name: "Mocks of a file" })
        .getByLabel("Text")
        .fill('{"StateMachines":{"A":{"TestCases":{"B":{"C":"R"}}}},"MockedResponses":{"R":{"0":{"Return":1}}}}');
      await clean("mocks of a file", "dialog[open]");
      await visitor.leave();
    });
  }

  test("has no violation, in any colour scheme, in temporary content: comparisons, reports, menus, confirmations, empty lists", async () => {
    const visitor = await site.visit();
    const { page } = visitor;
    await visitor.ready();
    const clean = (where, within) => eventually(() => visitor.violationsInEveryLook(undefined, within), [], where);
    const input = async (label) => {
      await visitor.tab("Input");
      await page.getByLabel("Input to run with").selectOption({ label });
    };
    const link = async (workspace) => {
      await page.evaluate(
        (to) => (location.hash = to),
        `#v1.${deflateRawSync(Buffer.from(JSON.stringify({ i: "{}", ...workspace }))).toString("base64url")}`,
      );
      await page.locator(".document", { hasText: workspace.t }).waitFor();
    };
    await visitor.example("A person decides");
    await visitor.run();
    const answer = page.getByRole("form", { name: "Answer of AskManager" });
    await answer.waitFor();
    await clean("a task waits");
    await visitor.tab("Config");
    await page.getByRole("list", { name: "Pending timers" }).waitFor();
    await clean("pending timers", "#left");
    await answer.getByText("Fail", { exact: true }).click();
    await answer.getByLabel("Error", { exact: true }).waitFor();
    await clean("an answer that fails", "#dock");
    await page.getByRole("button", { name: "Stop", exact: true }).click();

    await visitor.example("Error playground");
    await input("A path that finds nothing");
    await visitor.run();
    await visitor.result();
    await visitor.state("MissingPath").click();
    await page.locator(".inspector .failure").first().waitFor();
    await clean("a state that failed");

    await visitor.example("Retry, back-off, catch");
    await visitor.run();
    await visitor.result();
    await input("Back at the third attempt");
    await visitor.run();
    await page.locator(".result", { hasText: "SUCCEEDED" }).waitFor();
    await visitor.tab("Runs");
    await page
      .getByRole("button", { name: /Compare/ })
      .first()
      .click();
    await page.locator(".compare-data").waitFor();
    await clean("two runs compared");
    await page.getByRole("button", { name: "Search the graph" }).click();
    await page.keyboard.type("s");
    await page.getByRole("button", { name: "Next match" }).waitFor();
    await clean("a search beside the legend", "#graph-pane");
    await page.keyboard.press("Escape");
    await page.getByLabel("Include what is the same").check();
    await clean("what is the same, too", "#dock");
    // Escape leaves the legend also from a check box.
    await page.keyboard.press("Escape");
    await page.getByRole("region", { name: /^Legend/ }).waitFor({ state: "detached" });
    await visitor.tab("Coverage");
    await page.getByRole("button", { name: "Show on the graph" }).click();
    await page.getByRole("region", { name: "Legend: coverage" }).waitFor();
    await clean("coverage on the graph");
    await page.getByRole("button", { name: /^Never used/ }).click();
    await page.getByRole("button", { name: "Table", exact: true }).click();
    await page.locator(".state-table").waitFor();
    await eventually(() => page.locator(".legend").isVisible(), false, "the table's head is not covered");
    await clean("the table, and what was never used", "#graph-pane, #dock");
    await page.getByRole("button", { name: "Graph", exact: true }).click();
    await page.getByLabel("Event shown").fill("5");
    await visitor.tab("Runs");
    await page.getByRole("button", { name: "Fork at event 5" }).click();
    await page.getByRole("treeitem", { level: 2 }).first().waitFor();
    await clean("a fork", "#graph-pane, #dock");
    await page.getByRole("treeitem", { level: 2 }).getByRole("button").first().hover();
    await clean("a fork under the mouse", "#dock");
    await visitor.state("Offer").focus();
    await page.keyboard.press("Shift+F10");
    await page.getByRole("menu").waitFor();
    await clean("the menu of a state", "[role=menu]");
    await page.keyboard.press("Escape");

    await visitor.example("Choice routing");
    await visitor.state("Route").click();
    await page.keyboard.press("F9");
    await visitor.run();
    await page.locator(".pause-where").waitFor();
    await visitor.tab("Definition");
    // The same machine with one more state. A different machine would be opened without a question.
    const routing = JSON.parse(gallery().find(({ id }) => id === "choice").definition);
    await visitor.write(
      "Definition",
      JSON.stringify(
        { ...routing, StartAt: "Before", States: { Before: { Type: "Pass", Next: routing.StartAt }, ...routing.States } },
        null,
        2,
      ),
    );
    await page.getByRole("button", { name: "Apply and stay here" }).click();
    await page.getByText(/takes a different path/).waitFor();
    await clean("an edited definition takes a different path");
    await visitor.write("Definition", "{");
    const banner = page.locator(".banner.warn");
    await banner.waitFor();
    const [words, tools] = await Promise.all([banner, page.getByRole("toolbar", { name: "Graph view" })].map((one) => one.boundingBox()));
    assert.ok(words.x + words.width <= tools.x, "the tools of the graph do not lie on the words");
    await clean("a text that cannot be read", "#left, #graph-pane");

    await visitor.example("YAML, and a problem to fix");
    await page.locator(".problems li").first().waitFor();
    await visitor.run();
    await page.getByRole("alert").filter({ hasText: "Not started" }).waitFor();
    await clean("an alarm and its problem");
    await page.getByTitle("Examples and recent drafts").click();
    await page.locator(".recent li").first().waitFor();
    await clean("recent drafts", "dialog[open]");
    await page.keyboard.press("Escape");
    const definitions = {
      A: '{"StartAt":"X","States":{"X":{"Type":"Task","Resource":"${F}","End":true}}}',
      B: '{"StartAt":"X","States":{"X":{"Type":"Succeed"}}}',
    };
    await visitor.importText({
      Resources: Object.fromEntries(
        Object.entries(definitions).map(([name, text]) => [
          name,
          { Type: "AWS::StepFunctions::StateMachine", Properties: { DefinitionString: { "Fn::Sub": text } } },
        ]),
      ),
    });
    await page.getByRole("dialog", { name: "Import a template" }).waitFor();
    await clean("a template", "dialog[open]");
    await page.keyboard.press("Escape");
    await openFromMenu(page, "Import");
    await page.getByLabel("Text", { exact: true }).fill("[1]");
    await page.getByRole("button", { name: "Open the text" }).click();
    await page.getByText(/contains no definition, template, history or session/).waitFor();
    await clean("a file that is refused", "dialog[open]");
    await page.keyboard.press("Escape");

    const task = (resource, more) =>
      JSON.stringify({ StartAt: "Go", States: { Go: { Type: "Task", Resource: resource, ...more, End: true } } });
    await link({ t: "Code", d: task("arn:aws:lambda:us-east-1:123456789012:function:F"), k: "export default { F: () => 1 };" });
    await visitor.run();
    await page.getByRole("dialog", { name: "Run this link's code?" }).waitFor();
    await clean("code of somebody", "dialog[open]");
    await page.keyboard.press("Escape");
    await link({
      t: "Nested",
      d: task("arn:aws:states:::states:startExecution.sync:2", { Parameters: { StateMachineArn: "Child", Input: {} } }),
      x: [
        ["Child", '{"StartAt":"W","States":{"W":{"Type":"Pass","End":true}}}'],
        ["Bad", "{"],
      ],
    });
    await visitor.run();
    await visitor.result();
    await visitor.tab("Mocks");
    await page.locator(".child-execution summary").click();
    await clean("machines, one of them wrong, and their executions", "#left");

    await visitor.example("Empty");
    await visitor.tab("Runs");
    await page.getByText("Each run is listed here").waitFor();
    await eventually(() => visitor.violations(), [], "empty");
    for (const place of ["#left", "#dock"])
      await visitor.everyTab(place, async (tab) => {
        const name = await tab.innerText();
        await eventually(() => visitor.violations(undefined, "#left, #dock"), [], `empty: ${name}`);
        // An empty pane says what it is for.
        const panel = page.locator(`#${await tab.getAttribute("aria-controls")}`);
        await panel.locator("p, button, input, .cm-content").first().waitFor();
      });
    await visitor.leave();
  });

  for (const width of [360, 320]) {
    visit(
      `fits a phone of ${width} pixels: large buttons, nothing cut off, and a sheet for a task that waits`,
      { width, height: 640, hasTouch: true },
      async (visitor, page) => {
        const panes = page.getByRole("navigation", { name: "Panes" });
        const whole = async (where) => {
          const cut = () =>
            page.evaluate(() => {
              const left = (element) => element.closest("svg, .cm-editor, pre, .tablist, .event-list, .state-table");
              return [...document.querySelectorAll("body *")]
                .filter(
                  (element) =>
                    !left(element) &&
                    element.checkVisibility() &&
                    element.getBoundingClientRect().width > 1 &&
                    element.getBoundingClientRect().right > innerWidth + 1,
                )
                .map((element) => element.outerHTML.slice(0, 100));
            });
          await eventually(cut, [], where);
          await eventually(() => visitor.violations(), [], where);
        };
        const thumbs = () =>
          page
            .locator(".narrow-bar button, .bottom-bar button")
            .evaluateAll((all) =>
              all
                .filter((one) => one.getBoundingClientRect().width < 44 || one.getBoundingClientRect().height < 44)
                .map((one) => one.textContent),
            );
        await eventually(thumbs, [], "buttons are 44 pixels wide and high");
        await whole("before a run");
        await page.getByRole("button", { name: "Step", exact: true }).tap();
        await page.locator(".pause-where", { hasText: "before CheckStock" }).waitFor();
        for (const pane of ["Code", "Inspect", "Run", "Mocks", "Graph"]) {
          await panes.getByRole("button", { name: pane }).tap();
          await whole(`${pane}, paused`);
        }
        await visitor.example("A person decides");
        await page.locator("button.run").tap();
        const sheet = page.getByRole("region", { name: "A task waits for your answer" });
        await sheet.getByRole("form", { name: "Answer of AskManager" }).waitFor();
        await whole("a task waits");
        // A task that is put off is in the list, and can be answered from there.
        await sheet.getByRole("button", { name: "Later" }).tap();
        await sheet.waitFor({ state: "detached" });
        await panes.getByRole("button", { name: "Run" }).tap();
        await page.getByRole("form", { name: "Answer of AskManager" }).getByRole("button", { name: "Answer", exact: true }).tap();
        await visitor.result();
        // The next task opens the sheet again, and is answered at once.
        await panes.getByRole("button", { name: "Graph" }).tap();
        await page.locator("button.run").tap();
        await sheet.getByRole("button", { name: "Answer", exact: true }).tap();
        await sheet.waitFor({ state: "detached" });
        await page.locator(".status-bar", { hasText: "Succeeded" }).waitFor();
      },
    );
  }

  visit(
    "has two columns above the run between phone and desktop, with every tab in sight",
    { width: 768, height: 900 },
    async (visitor, page) => {
      await page.keyboard.press("F10");
      await page.locator(".pause-where", { hasText: "before CheckStock" }).waitFor();
      await until(async () => {
        const [left, graph, dock] = await Promise.all(["#left", "#graph-pane", "#dock"].map((pane) => page.locator(pane).boundingBox()));
        assert.ok(graph.x >= left.x + left.width && Math.abs(graph.y - left.y) < 2, "two columns");
        assert.ok(dock.y >= left.y + left.height, "the run below them");
        const list = await page.locator(".event-list").boundingBox();
        assert.ok(list !== null && list.height > 60, "the events have room");
      });
      const hidden = () =>
        page
          .locator('#left [role="tab"]')
          .evaluateAll((all) =>
            all
              .filter(
                (tab) =>
                  tab.getBoundingClientRect().right > tab.closest(".tabs").getBoundingClientRect().right ||
                  tab.getBoundingClientRect().bottom > tab.closest(".tabs").getBoundingClientRect().bottom + 1,
              )
              .map((tab) => tab.textContent),
          );
      await eventually(hidden, []);
      await visitor.tab("Inspector");
      await page.getByRole("heading", { name: "CheckStock" }).waitFor();
      await eventually(() => visitor.violations(), []);
    },
  );

  visit(
    "scrolls in one direction at four times magnification, and every pane has room",
    { width: 320, height: 256 },
    async (visitor, page) => {
      const panes = page.getByRole("navigation", { name: "Panes" });
      for (const pane of ["Code", "Inspect", "Run", "Mocks", "Graph"]) {
        await panes.getByRole("button", { name: pane }).click();
        await until(async () => assert.ok((await page.locator(".narrow-panes").boundingBox()).height >= 300, pane));
        await eventually(() => page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false, pane);
      }
      await eventually(() => page.evaluate(() => document.documentElement.scrollHeight > innerHeight), true);
    },
  );

  visit("cuts nothing off when the reader increases the text spacing", { reusePage: "Order processing" }, async (visitor, page) => {
    await visitor.run();
    await visitor.result();
    // The text spacing of WCAG 1.4.12.
    await page.evaluate(() => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(
        "* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important } p { margin-bottom: 2em !important }",
      );
      document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    });
    const cut = () =>
      page.evaluate(() => {
        const text = (element) =>
          element.matches("button, summary, label, h2, h3, p, [role='tab']") && !element.closest("svg, .cm-editor, .tablist, .unseen");
        return [...document.querySelectorAll("body *")]
          .filter(
            (element) =>
              text(element) &&
              element.checkVisibility() &&
              getComputedStyle(element).overflow !== "visible" &&
              element.scrollHeight > element.clientHeight + 2 &&
              !/auto|scroll/.test(getComputedStyle(element).overflowY),
          )
          .map((element) => element.outerHTML.slice(0, 100));
      });
    await eventually(cut, []);
    const outside = () =>
      page.evaluate(() =>
        [...document.querySelectorAll(".debug-bar button, .bar button, .status-text")]
          .filter((element) => element.getBoundingClientRect().right > innerWidth + 1 || element.scrollHeight > element.clientHeight + 2)
          .map((element) => element.outerHTML.slice(0, 100)),
      );
    await eventually(outside, []);
  });

  visit("lets an example be found, opened, run and removed by keyboard alone", {}, async (visitor, page) => {
    const press = async (...keys) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    const tabTo = async (locator) => {
      for (let i = 0; i < 60; i++) {
        if (await locator.evaluate((element) => element === document.activeElement).catch(() => false)) return;
        await press("Tab");
      }
      assert.fail(`the Tab key does not reach ${locator}`);
    };
    await tabTo(page.getByTitle("Examples and recent drafts"));
    await press("Enter");
    const search = page.getByRole("searchbox", { name: "Search the examples" });
    await search.waitFor();
    await tabTo(search);
    await page.keyboard.type("euclid");
    await tabTo(page.locator(".gallery button").first());
    await press("Enter");
    await visitor.state("Compare").waitFor();
    await press("Control+Enter");
    await eventually(() => visitor.output(), { divisor: 21, steps: 5 });
    await tabTo(page.getByRole("button", { name: "Export", exact: true }));
    await press("Enter");
    const saved = page.waitForEvent("download");
    await tabTo(page.getByRole("button", { name: "SVG", exact: true }));
    await press("Enter");
    assert.equal((await saved).suggestedFilename(), "A loop with a counter.svg");
    await press("Escape");
    await page.waitForFunction(() => document.activeElement?.getAttribute("aria-label") === "Export");
  });

  visit("keeps the focus nearby when something is removed by a key", { reusePage: "Order processing" }, async (visitor, page) => {
    await visitor.run();
    await visitor.result();
    const press = async (button, place) => {
      await button.focus();
      await page.keyboard.press("Enter");
      await button.waitFor({ state: "detached" });
      await page.waitForFunction((near) => document.activeElement?.closest(near) != null, place);
    };
    const back = async () => {
      await page.getByLabel("Event shown").fill("5");
      await page.getByRole("button", { name: "Return to live" }).waitFor();
    };
    await back();
    await press(page.getByRole("button", { name: "Return to live" }), "#graph-pane");
    await back();
    await press(page.getByRole("button", { name: "Fork here" }), "#graph-pane");
    await visitor.tab("Runs");
    await press(page.getByRole("button", { name: "Remove run 1" }), "#dock");
    await visitor.tab("Breakpoints");
    await press(page.getByRole("button", { name: /^Remove the breakpoint/ }).last(), "#dock");
    await visitor.tab("Watch");
    await page.getByLabel("Expression to watch").fill("1");
    await page.keyboard.press("Enter");
    await press(page.getByRole("button", { name: "Stop watching 1" }), "#dock");
    await visitor.tab("Mocks");
    await page.getByRole("button", { name: "Add a machine" }).click();
    await press(page.getByRole("button", { name: "Remove the machine Child" }), "#left");
    // Closing a dialog returns the focus to the control that opened it.
    await page.getByRole("button", { name: "Share" }).press("Enter");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.waitForFunction(() => document.activeElement?.ariaLabel === "Share");
  });

  visit(
    "presents a run to screen readers as nested lists of named buttons, and announces its end",
    { reusePage: "Order processing" },
    async (visitor, page) => {
      await visitor.run();
      await visitor.result();
      await page.locator('[data-node="/States/ChargeCard"][aria-label*="succeeded"]').waitFor();
      const tree = await page.getByRole("group", { name: /Takes an order/ }).ariaSnapshot();
      for (const line of [
        /button "ChargeCard Task.*succeeded, 2 failed attempts.*on CardRefused to TellCustomer"/,
        /button "Fulfil Parallel.*succeeded/,
        /list "Fulfil, .*"/,
        /button "OutOfStock Fail.*not reached/,
      ])
        assert.match(tree, line);
      const depth = (name) => /^ */.exec(tree.split("\n").find((line) => line.includes(`button "${name}`)))[0].length;
      assert.ok(depth("PackParcel") > depth("Fulfil"), "what is inside of a state is inside of its list");
      await page.getByRole("status").filter({ hasText: "Succeeded after 47 events" }).waitFor({ state: "attached" });
      await eventually(() => page.title(), "Order processing · succeeded · Stepglass");
    },
  );

  visit("announces a failure at once, every failure once", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: { StartAt: "Off", States: { Off: { Type: "Fail", Error: "Refused", Cause: "no money" } } } });
    await page.evaluate(() => {
      globalThis.told = [];
      for (const region of document.querySelectorAll('[role="alert"]'))
        new MutationObserver(() => region.textContent && told.push(region.textContent)).observe(region, {
          childList: true,
          characterData: true,
          subtree: true,
        });
    });
    const words = "Failed with Refused: no money";
    for (const heard of [[words], [words, words]]) {
      await visitor.run();
      await page.waitForFunction((count) => told.length >= count, heard.length);
      await eventually(() => page.evaluate(() => told), heard);
    }
    await until(async () =>
      assert.ok((await page.getByRole("alert").filter({ hasText: words }).boundingBox()).width <= 1, "on screen it stands in the result"),
    );
    await eventually(() => page.getByRole("status").filter({ hasText: "Refused" }).count(), 0);
    // A stop at an error is announced as well.
    await visitor.tab("Breakpoints");
    await page.getByLabel("Stop on errors").selectOption({ label: "Uncaught errors" });
    await visitor.run();
    await page
      .getByRole("alert")
      .filter({ hasText: /Paused.*Refused/ })
      .waitFor({ state: "attached" });
  });

  visit("announces where a run is paused and what it waits for, and shows it in the title", { reusePage: true }, async (visitor, page) => {
    const told = (words) => page.getByRole("status").filter({ hasText: words }).waitFor({ state: "attached" });
    await visitor.example("Map over items");
    await visitor.node("/States/EachPicture/ItemProcessor/States/Shrink").click();
    await page.keyboard.press("F9");
    await visitor.run();
    await told(/Paused before Shrink.*item 2/);
    await eventually(() => page.title(), "Map over items · paused in Shrink · Stepglass");
    await eventually(
      () => visitor.node("/States/EachPicture/ItemProcessor/States/Shrink").getAttribute("aria-label"),
      /paused before it.*breakpoint/,
    );
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await told("Aborted");
    // The heartbeat example proposes its answer.
    await visitor.example("Heartbeat");
    await page.getByText("Without a sign of life for 60 seconds").waitFor();
    await visitor.run();
    await told("Render waits for your answer");
    await page.waitForFunction(() => document.title === "Heartbeat · waits for your answer · Stepglass");
    await eventually(() => page.getByLabel("Result (JSON)").inputValue(), /voyage\.mp4/);
    await page.getByRole("button", { name: "Answer", exact: true }).click();
    await eventually(() => visitor.output(), { published: "voyage.mp4" });
  });
});
