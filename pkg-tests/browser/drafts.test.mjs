// Nothing that a user imports or writes is lost, and a different definition is a different machine.
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { simulate } from "stepglass";
import { gallery } from "../api/examples.mjs";
import { skip } from "../browser.mjs";
import { GREETING, eventually, until, visits } from "./playground.mjs";

const shots = process.env.STEPGLASS_SHOTS;
const shot = async (page, name) => shots && page.screenshot({ path: join(shots, `${name}.png`) });

/** A chain of Pass states. */
const chain = (Comment, names) => ({
  Comment,
  StartAt: names[0],
  States: Object.fromEntries(
    names.map((name, i) => [name, { Type: "Pass", ...(i + 1 < names.length ? { Next: names[i + 1] } : { End: true }) }]),
  ),
});

describe("drafts", { skip }, () => {
  const { site, visit } = visits();
  const notice = (page, text) => page.getByRole("region", { name: "Notice" }).filter({ hasText: text });
  const title = (page, text) => page.locator(".document", { hasText: text }).waitFor();
  const drafts = async (page) => {
    await page.getByTitle("Examples and recent drafts").click();
    const list = page.locator(".recent button.link");
    await list.first().waitFor();
    return list;
  };

  visit("stores an import as a draft at once, first in the gallery, and shows it after a reload", {}, async (visitor, page) => {
    await visitor.importText({ Comment: "Ship a parcel. Twice if it must be.", ...GREETING });
    await title(page, "Ship a parcel");
    await page.reload();
    await visitor.state("Greet").waitFor();
    await title(page, "Ship a parcel");
    const list = await drafts(page);
    await eventually(() => list.allInnerTexts(), ["Ship a parcel"]);
    await eventually(() => list.first().getAttribute("aria-current"), "true");
    await eventually(() => page.locator("dialog h3, [role=dialog] h3").allInnerTexts(), ["Drafts in this browser", "Examples"]);
    await eventually(() => visitor.violations(), []);
    await shot(page, "drafts");
    await page.keyboard.press("Escape");
    // A second import does not replace the first one.
    await visitor.importText(chain("Second", ["A", "B"]));
    await title(page, "Second");
    const both = await drafts(page);
    await eventually(() => both.allInnerTexts(), ["Second", "Ship a parcel"]);
    await page.getByRole("button", { name: "Remove the draft Ship a parcel" }).click();
    await eventually(() => page.locator(".recent button.link").allInnerTexts(), ["Second"]);
    await page.getByRole("button", { name: "Undo", exact: true }).click();
    await eventually(() => page.locator(".recent button.link").allInnerTexts(), ["Second", "Ship a parcel"]);
  });

  visit("keeps a text that is pasted right before a reload", {}, async (visitor, page) => {
    await visitor.example("Empty");
    await visitor.write("Definition", JSON.stringify(chain("Pasted and reloaded", ["One", "Two"]), null, 2));
    await visitor.state("Two").waitFor();
    await page.reload();
    await visitor.state("Two").waitFor();
    await title(page, "Pasted and reloaded");
  });

  visit("stores a machine from a link as a draft", { hash: "" }, async (visitor, page) => {
    await visitor.importText(chain("Behind a link", ["Linked"]));
    await page.getByRole("button", { name: "Share" }).click();
    const link = await until(async () => {
      const value = await page.getByRole("textbox", { name: "Link" }).inputValue();
      assert.match(value, /#v1\./);
      return value;
    });
    await page.evaluate(() => (localStorage.clear(), sessionStorage.clear()));
    await page.goto("about:blank");
    await page.goto(link);
    await visitor.state("Linked").waitFor();
    await page.reload();
    await visitor.state("Linked").waitFor();
  });

  visit("shows an example unchanged after a reload, and offers its run", {}, async (visitor, page) => {
    await visitor.example("A person decides");
    await visitor.run();
    await page
      .getByRole("tab", { name: /^Tasks? ?\(?1|^Waiting/ })
      .or(page.getByRole("form", { name: "Answer of AskManager" }))
      .first()
      .waitFor();
    await visitor.waitForExecutions(([one]) => one?.waits[0] === "AskManager");
    await page.reload();
    await title(page, "A person decides");
    await notice(page, "The run of “A person decides” was not over when the page was closed: AskManager waits for an answer.").waitFor();
    await eventually(() => visitor.violations(), []);
    await shot(page, "reloaded");
    await page.getByRole("region", { name: "Notice" }).getByRole("button", { name: "Continue" }).click();
    await page.getByRole("form", { name: "Answer of AskManager" }).waitFor();
    await eventually(() => notice(page, "The run of").count(), 0);
  });

  test("never overwrites a draft that two tabs edit", async () => {
    const visitor = await site.visit();
    await visitor.ready();
    const { page } = visitor;
    await visitor.importText(chain("Shared", ["A", "B"]), "Shared");
    const other = await page.context().newPage();
    await other.goto(site.url);
    await other.locator('[data-node="/States/B"]').waitFor();
    await other.getByRole("tab", { name: "Set-up" }).click();
    await other.getByRole("tab", { name: /^Input/ }).click();
    await other.getByRole("textbox", { name: "Input", exact: true }).and(other.locator(":not([readonly])")).waitFor();
    // This tab edits first, and the other tab is notified.
    await visitor.tab("Input");
    await visitor.write("Input", '{"from": "the first tab"}');
    await visitor.waitForDraft("the first tab");
    await notice(other, "was edited in another tab").waitFor();
    await shot(other, "two-tabs");
    const editor = other.getByRole("textbox", { name: "Input", exact: true });
    await editor.click();
    await other.keyboard.press("ControlOrMeta+a");
    await other.keyboard.type('{"from": "the second tab"}');
    await notice(other, "both are among the drafts").waitFor();
    const stored = () =>
      other.evaluate(() =>
        Object.entries(localStorage)
          .filter(([key]) => key.startsWith("stepglass.draft."))
          .map(([, text]) => JSON.parse(text))
          .map(({ t, i }) => `${t}: ${i.replaceAll(/\s/g, "")}`)
          .sort(),
      );
    await eventually(stored, ['Shared (copy): {"from":"thesecondtab"}', 'Shared: {"from":"thefirsttab"}']);
    await other.getByRole("button", { name: "Open the other version" }).click();
    await other.locator(".document", { hasText: /^Shared$/ }).waitFor();
    await visitor.leave();
  });

  for (const [what, input] of [
    ["gave it the same title", "{}"],
    ["edited it", '{"from": "there"}'],
  ])
    test(`makes no copy of an untitled draft that another tab ${what} before it is edited here`, async () => {
      // The draft as this tab has read it, and as the other tab has saved it since.
      const draft = (turn, t, i) =>
        JSON.stringify({
          at: 1,
          turn,
          trusted: true,
          t,
          f: "json",
          d: JSON.stringify(chain("Shared", ["A", "B"])),
          i,
          k: "",
          c: "skip",
          s: 1,
        });
      const before = (page) =>
        page.addInitScript(
          ([read, saved]) => {
            if (localStorage.length > 0) return;
            localStorage.setItem("stepglass.draft.one", saved);
            const { getItem } = Storage.prototype;
            let late = false;
            Storage.prototype.getItem = function (key) {
              if (key !== "stepglass.draft.one" || late) return getItem.call(this, key);
              setTimeout(() => (late = true));
              return read;
            };
          },
          [draft(1, "Untitled", "{}"), draft(2, "Shared", input)],
        );
      const visitor = await site.visit({ before });
      await visitor.ready();
      const { page } = visitor;
      await title(page, "Shared");
      // Leaving the page saves the draft immediately.
      await page.reload();
      await visitor.ready();
      await title(page, "Shared");
      const stored = () =>
        page.evaluate(() =>
          Object.entries(localStorage)
            .filter(([key]) => key.startsWith("stepglass.draft."))
            .map(([, text]) => JSON.parse(text))
            .map(({ t, i }) => `${t}: ${i}`),
        );
      assert.deepEqual(await stored(), [`Shared: ${input}`]);
      await visitor.tab("Input");
      await visitor.write("Input", '{"from": "here"}');
      await eventually(stored, ['Shared: {"from": "here"}']);
      await visitor.leave();
    });

  for (const [what, error, words] of [
    ["full", "QuotaExceededError", "no more room"],
    ["closed", "SecurityError", "keeps no data"],
  ]) {
    test(`reports storage that is ${what}, and offers a way to save the work`, async () => {
      const before = (page) =>
        page.addInitScript((name) => {
          const { setItem } = Storage.prototype;
          Storage.prototype.setItem = function (key, value) {
            if (!globalThis.roomy && key.startsWith("stepglass.draft.")) throw new DOMException("no", name);
            return setItem.call(this, key, value);
          };
        }, error);
      const visitor = await site.visit({ before });
      await visitor.ready();
      const { page } = visitor;
      await visitor.importText(chain("Nowhere to go", ["A"]), "Nowhere to go");
      await notice(page, words).waitFor();
      await eventually(() => visitor.violations(), []);
      const { name, bytes } = await visitor.download(page.getByRole("button", { name: "Save a session file" }));
      assert.equal(name, "Nowhere to go.asldbg.json");
      assert.match(bytes.toString(), /Nowhere to go/);
      // As soon as storage is available again, the notice goes away.
      await page.evaluate(() => (globalThis.roomy = true));
      await visitor.tab("Input");
      await visitor.write("Input", '{"n": 1}');
      await eventually(() => notice(page, words).count(), 0);
      await visitor.leave();
    });
  }

  visit(
    "takes over drafts of an earlier version of the page",
    {
      before: (page) =>
        page.addInitScript(
          () =>
            localStorage.length === 0 &&
            localStorage.setItem(
              "stepglass.draft",
              JSON.stringify({
                title: "From before",
                format: "json",
                definition: '{"StartAt":"Old","States":{"Old":{"Type":"Succeed"}}}',
                input: "{}",
                tasks: "",
                clock: "skip",
                seed: 1,
                trusted: true,
              }),
            ),
        ),
    },
    async (visitor, page) => {
      await visitor.state("Old").waitFor();
      await title(page, "From before");
    },
  );

  visit(
    "fits the graph, changes the title, and drops the example's input and handlers when another machine is pasted; undo restores all",
    {},
    async (visitor, page) => {
      const [order] = gallery().filter(({ id }) => id === "order");
      await title(page, order.title);
      await visitor.run();
      await visitor.result();
      // Scrolls far away from where the next graph will be.
      await page.locator("#graph-pane").hover();
      await page.mouse.wheel(0, 4_000);
      await visitor.write("Definition", JSON.stringify(chain("Three steps and no more", ["First", "Second", "Third"]), null, 2));
      await visitor.state("Second").waitFor();
      await title(page, "Three steps and no more");
      const within = async (name) => {
        const pane = await page.locator("#graph-pane").boundingBox();
        const box = await visitor.state(name).boundingBox();
        assert.ok(
          box &&
            box.x >= pane.x &&
            box.y >= pane.y &&
            box.x + box.width <= pane.x + pane.width &&
            box.y + box.height <= pane.y + pane.height,
          `${name} is in sight`,
        );
      };
      await until(() => within("First"));
      await until(() => within("Third"));
      const said = notice(page, "This is another machine");
      await eventually(
        () => said.innerText(),
        new RegExp(`input, handlers and breakpoints of “${order.title}” were removed.*run on screen is still of`, "s"),
      );
      await eventually(
        () =>
          page
            .locator(".lesson")
            .count()
            .then(async (n) => (n === 0 ? "" : page.locator(".lesson").innerText())),
        "",
      );
      await eventually(() => page.getByText("Apply and stay here").count(), 0);
      await eventually(() => visitor.violations(), []);
      await shot(page, "another-machine");
      await visitor.tab("Input");
      await eventually(async () => (await visitor.editor("Input").innerText()).trim(), "{}");
      await visitor.tab("Tasks");
      // Only what an empty workspace contains is left.
      await until(async () => assert.doesNotMatch(await visitor.editor("Task handlers, JavaScript").innerText(), /Reserve|CheckStock/));
      await page.getByRole("button", { name: "Clear that run" }).click();
      await eventually(() => page.locator(".result").count(), 0);
      await visitor.tab("Definition");
      await visitor.editor("Definition").click();
      await page.keyboard.press("ControlOrMeta+z");
      await title(page, order.title);
      await visitor.tab("Input");
      await eventually(async () => JSON.parse(await visitor.editor("Input").innerText()), order.inputs[0].input);
    },
  );

  visit("offers to stop the run of the previous machine, and keeps what the user wrote", {}, async (visitor, page) => {
    await visitor.open({ definition: GREETING, input: { mine: 1 } });
    await visitor.run();
    await page.getByRole("form", { name: "Answer of Greet" }).waitFor();
    await visitor.tab("Definition");
    await visitor.write("Definition", JSON.stringify(chain("Next one", ["P", "Q"]), null, 2));
    await notice(page, "The run on screen is still of “Greet, Done”").waitFor();
    await page.getByRole("button", { name: "Stop that run" }).click();
    await eventually(() => page.getByRole("form", { name: "Answer of Greet" }).count(), 0);
    await page.getByRole("button", { name: "Run", exact: true }).first().waitFor();
    await visitor.tab("Input");
    await eventually(async () => JSON.parse(await visitor.editor("Input").innerText()), { mine: 1 });
    // The previous machine is a draft of its own.
    const stored = await drafts(page);
    await eventually(() => stored.allInnerTexts(), ["Next one", "Greet, Done"]);
    await page.keyboard.press("Escape");
  });

  const HELD = () => {
    const { postMessage } = Worker.prototype;
    Worker.prototype.postMessage = function (message, ...rest) {
      if (globalThis.holds && message?.method === "analyze") globalThis.held = () => postMessage.call(this, message, ...rest);
      else postMessage.call(this, message, ...rest);
    };
    // The storage event arrives while the input exists only in its editor.
    const { setTimeout } = globalThis;
    globalThis.setTimeout = (call, time, ...rest) => setTimeout(call, globalThis.slow && time === 60 ? 600_000 : time, ...rest);
  };
  visit(
    "keeps what is written while another machine is being read",
    { before: (page) => page.addInitScript(HELD) },
    async (visitor, page) => {
      await page.evaluate(() => (globalThis.holds = true));
      await visitor.write("Definition", JSON.stringify(chain("Three steps and no more", ["First", "Second", "Third"]), null, 2));
      await page.waitForFunction(() => globalThis.held);
      await visitor.tab("Input");
      await visitor.editor("Input").waitFor();
      await page.evaluate(() => (globalThis.slow = true));
      await visitor.write("Input", '{"mine": 1}');
      await page.evaluate(() => {
        globalThis.holds = false;
        globalThis.held();
      });
      await visitor.state("Second").waitFor();
      await title(page, "Three steps and no more");
      await eventually(async () => JSON.parse(await visitor.editor("Input").innerText()), { mine: 1 });
    },
  );

  visit(
    "does not overwrite a draft while another machine is being read",
    { before: (page) => page.addInitScript(HELD) },
    async (visitor, page) => {
      const stored = () =>
        page.evaluate(() =>
          Object.entries(localStorage)
            .filter(([key]) => key.startsWith("stepglass.draft."))
            .map(([, text]) => JSON.parse(text))
            .map(({ t, d }) => `${t}: ${Object.keys(JSON.parse(d).States).join()}`)
            .sort(),
        );
      await visitor.importText(chain("First machine", ["First", "Last"]), "First machine");
      await page.reload();
      await visitor.ready();
      await title(page, "First machine");
      // The text is saved before the interpreter has read it.
      await page.evaluate(() => (globalThis.holds = true));
      await visitor.write("Definition", JSON.stringify(chain("Second machine", ["Alpha", "Beta", "Gamma"]), null, 2));
      await visitor.waitForDraft("Gamma");
      assert.deepEqual(await stored(), ["First machine: First,Last", "Untitled: Alpha,Beta,Gamma"]);
      await page.evaluate(() => {
        globalThis.holds = false;
        globalThis.held();
      });
      await title(page, "Second machine");
      await eventually(stored, ["First machine: First,Last", "Second machine: Alpha,Beta,Gamma"]);
      // Undo returns to the first machine's own draft. A template becomes a draft of its own.
      await page.evaluate(() => (globalThis.holds = true));
      const template = JSON.stringify({ Resources: {}, States: { Template: "is no state machine" } });
      await visitor.write("Definition", template);
      await visitor.waitForDraft("Template");
      assert.deepEqual(await stored(), ["First machine: First,Last", "Second machine: Alpha,Beta,Gamma", "Untitled: Template"]);
    },
  );

  visit(
    "keeps one draft for a machine that is only laid out differently, even if reading takes long",
    { before: (page) => page.addInitScript(HELD) },
    async (visitor, page) => {
      const count = () => page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith("stepglass.draft.")).length);
      const states = ["First", "Second", "Third", "Fourth", "Fifth"];
      await visitor.importText(JSON.stringify(chain("A machine", states), null, 1), "A machine");
      await page.evaluate(() => (globalThis.holds = true));
      await visitor.write("Definition", JSON.stringify({ ...chain("A machine", states.toReversed()), TimeoutSeconds: 77 }, null, 8));
      await visitor.waitForDraft("77");
      await page.evaluate(() => {
        globalThis.holds = false;
        globalThis.held();
      });
      await eventually(count, 1);
      await visitor.waitForDraft("77");
      await title(page, "A machine");
    },
  );

  visit("treats a definition as the same machine after a state is renamed, added or removed", {}, async (visitor, page) => {
    const one = (name, Comment) =>
      JSON.stringify(
        { Comment, StartAt: name, States: { [name]: { Type: "Pass", Result: { text: "long enough to be the same text" }, End: true } } },
        null,
        2,
      );
    await visitor.importText(one("Alone", "One state"), "One state");
    await visitor.tab("Input");
    await visitor.write("Input", '{"n": 1}');
    await visitor.tab("Definition");
    await visitor.write("Definition", one("Only", "One state"));
    await visitor.state("Only").waitFor();
    const stored = await drafts(page);
    await eventually(() => stored.allInnerTexts(), ["One state"]);
  });

  visit("treats a definition as the same machine after a new layout and one more state", {}, async (visitor, page) => {
    const text = (names, spaces) => JSON.stringify(chain("Five in a row", names), null, spaces);
    await visitor.importText(text(["A", "B", "C", "D", "E"], 2), "Five in a row");
    await visitor.tab("Input");
    await visitor.write("Input", '{"n": 1}');
    await visitor.tab("Definition");
    await visitor.write("Definition", text(["Before", "A", "B", "C", "D", "E"], 7));
    await visitor.state("Before").waitFor();
    const stored = await drafts(page);
    await eventually(() => stored.allInnerTexts(), ["Five in a row"]);
    await page.keyboard.press("Escape");
    await visitor.tab("Input");
    await eventually(() => visitor.editor("Input").innerText(), '{"n": 1}');
  });

  visit("offers to format minified JSON, which can be undone", {}, async (visitor, page) => {
    const text = JSON.stringify(chain("Written in one line by a machine", ["A", "B", "C", "D", "E"]));
    await visitor.importText(text, "Written in one line");
    const said = notice(page, "without line breaks");
    await said.waitFor();
    await eventually(() => visitor.violations(), []);
    await said.getByRole("button", { name: "Format it" }).click();
    await eventually(
      () =>
        page
          .locator("#definition-editor .cm-line")
          .count()
          .then((n) => n > 10),
      true,
    );
    await eventually(() => said.count(), 0);
    await visitor.editor("Definition").click();
    await page.keyboard.press("ControlOrMeta+z");
    await eventually(() => page.locator("#definition-editor .cm-line").count(), 1);
  });
});

describe("notices on a phone", { skip }, () => {
  const { visit } = visits();

  visit("are not cut off, and do not make the page scroll sideways", { width: 360, height: 740 }, async (visitor, page) => {
    await visitor.importText(JSON.stringify(chain("Written in one line by a machine", ["A", "B", "C", "D", "E"])), "Written in one line");
    const notice = page.getByRole("region", { name: "Notice" });
    await notice.waitFor();
    await eventually(() => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
    const box = await notice.boundingBox();
    assert.ok(box.height < 200 && box.x >= 0 && box.x + box.width <= 360, JSON.stringify(box));
    await eventually(() => visitor.violations(), []);
    await shot(page, "phone-notice");
    await page.locator(".document").click();
    await page.locator(".recent").waitFor();
    await eventually(() => visitor.violations(), []);
    await shot(page, "phone-drafts");
    await page.keyboard.press("Escape");
    await notice.getByRole("button", { name: "Dismiss the notice" }).click();
    await eventually(() => notice.count(), 0);
  });
});

describe("a history without its definition", { skip }, () => {
  const { visit } = visits();
  const MACHINE = {
    StartAt: "Fetch",
    States: {
      Fetch: {
        Type: "Task",
        Resource: "arn:aws:lambda:us-east-1:123456789012:function:Fetch",
        Retry: [{ ErrorEquals: ["Busy"], MaxAttempts: 1 }],
        Next: "Both",
      },
      Both: {
        Type: "Parallel",
        Branches: [
          { StartAt: "Left", States: { Left: { Type: "Pass", End: true } } },
          { StartAt: "Nap", States: { Nap: { Type: "Wait", Seconds: 7, End: true } } },
        ],
        ResultPath: "$.both",
        Next: "Each",
      },
      Each: {
        Type: "Map",
        ItemsPath: "$.list",
        ItemProcessor: {
          StartAt: "Work",
          States: {
            Work: {
              Type: "Task",
              Resource: "arn:aws:states:::lambda:invoke",
              Parameters: { FunctionName: "work", Payload: {} },
              End: true,
            },
          },
        },
        ResultPath: "$.done",
        Next: "Enough",
      },
      Enough: { Type: "Choice", Choices: [{ Variable: "$.n", NumericGreaterThan: 1, Next: "Refuse" }], Default: "Never" },
      Refuse: {
        Type: "Task",
        Resource: "arn:aws:states:::sqs:sendMessage",
        Parameters: { QueueUrl: "q", MessageBody: "b" },
        Catch: [{ ErrorEquals: ["States.ALL"], Next: "Sorry" }],
        End: true,
      },
      Sorry: { Type: "Fail", Error: "Refused", Cause: "no queue" },
      Never: { Type: "Succeed" },
    },
  };
  const recorded = () =>
    simulate(
      MACHINE,
      { n: 2, list: [1, 2] },
      {
        Fetch: [{ error: "Busy" }, { output: { n: 2, list: [1, 2] } }],
        Work: [{ output: { ok: true } }, { output: { ok: true } }],
        Refuse: { error: "SQS.QueueDoesNotExist" },
      },
    ).history;

  visit("draws the states of the history with their types, transitions and outcomes", {}, async (visitor, page) => {
    await visitor.importText({ events: recorded() });
    for (const [pointer, kind] of [
      ["/States/Fetch", "Task"],
      ["/States/Both/Branches/0/States/Left", "Pass"],
      ["/States/Both/Branches/1/States/Nap", "Wait"],
      ["/States/Each/ItemProcessor/States/Work", "Task"],
      ["/States/Enough", "Choice"],
      ["/States/Refuse", "Task"],
      ["/States/Sorry", "Fail"],
    ]) {
      await eventually(() => visitor.node(pointer).getAttribute("aria-label"), new RegExp(kind));
    }
    await eventually(() => visitor.state("Never").count(), 0);
    await eventually(() => visitor.state("Sorry").getAttribute("aria-label"), /failed/);
    await eventually(() => visitor.state("Refuse").getAttribute("aria-label"), /caught/);
    await page.locator(".problems-head", { hasText: /No problems|^(?!.*error)/ }).waitFor();
    await eventually(
      () =>
        page
          .getByRole("alert")
          .filter({ hasText: /definition/ })
          .count(),
      0,
    );
    const strip = page.getByRole("region", { name: "Recorded execution" });
    await eventually(() => strip.innerText(), /definition is not in the file/);
    await eventually(() => visitor.violations(), []);
    await shot(page, "history-alone");
    // The definition is imported after the history, which is then compared with it.
    await visitor.importText(MACHINE);
    await visitor.state("Never").waitFor();
    await eventually(() => strip.innerText(), /this definition matches/);
  });

  visit("reads payloads that were parsed, masked or logged", {}, async (visitor, page) => {
    const change = (text) => {
      try {
        return JSON.parse(text);
      } catch {
        return text;
      }
    };
    const details = (event, edit) =>
      Object.fromEntries(Object.entries(event).map(([key, value]) => [key, key.endsWith("EventDetails") ? edit(value) : value]));
    const parsed = recorded().map((event) =>
      details(event, (held) =>
        Object.fromEntries(
          Object.entries(held).map(([name, value]) => [name, ["input", "output", "parameters"].includes(name) ? change(value) : value]),
        ),
      ),
    );
    await visitor.importText({ events: parsed });
    // The view follows the run to its end, so the first state may be above the visible part.
    await visitor.state("Fetch").focus();
    await page.keyboard.press(" ");
    await visitor.tab("Input");
    await eventually(async () => JSON.parse(await visitor.editor("Input").innerText()), { n: 2, list: [1, 2] });
    await visitor.importText(MACHINE);
    await eventually(() => page.getByRole("region", { name: "Recorded execution" }).innerText(), /this definition matches/);

    const masked = recorded().map((event) =>
      details(event, (held) => ({
        ...held,
        ...("input" in held && { input: "HIDDEN_DUE_TO_SECURITY_REASONS" }),
        ...("output" in held && { output: "HIDDEN_DUE_TO_SECURITY_REASONS" }),
      })),
    );
    await visitor.example("Empty");
    await visitor.importText({ events: masked });
    await visitor.state("Sorry").waitFor();
    await eventually(() => visitor.state("Sorry").getAttribute("aria-label"), /failed/);

    const logged = recorded().map(({ id, previousEventId, timestamp, type, ...rest }) => ({
      message: JSON.stringify({
        id: String(id),
        previous_event_id: String(previousEventId),
        event_timestamp: String(Date.parse(timestamp)),
        execution_arn: "arn:aws:states:us-east-1:1:express:m:logged-one:1",
        type,
        details: Object.values(rest)[0] ?? {},
      }),
    }));
    await visitor.example("Empty");
    await visitor.importText({ events: logged });
    await visitor.state("Sorry").waitFor();
    await eventually(() => visitor.state("Sorry").getAttribute("aria-label"), /failed/);
  });
});
