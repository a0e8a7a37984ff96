// Nothing that somebody has brought or written is lost, and another definition is another machine.
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { simulate } from "stepglass";
import { gallery } from "../api/examples.mjs";
import { skip } from "../browser.mjs";
import { GREETING, comes, until, visits } from "./playground.mjs";

const shots = process.env.STEPGLASS_SHOTS;
const shot = async (page, name) => shots && page.screenshot({ path: join(shots, `${name}.png`) });

/** A row of Pass states. */
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

  visit("what is imported is a draft at once, the first of the gallery, and there after a reload", {}, async (visitor, page) => {
    await visitor.bring({ Comment: "Ship a parcel. Twice if it must be.", ...GREETING });
    await title(page, "Ship a parcel");
    await page.reload();
    await visitor.state("Greet").waitFor();
    await title(page, "Ship a parcel");
    const list = await drafts(page);
    await comes(() => list.allInnerTexts(), ["Ship a parcel"]);
    await comes(() => list.first().getAttribute("aria-current"), "true");
    await comes(() => page.locator("dialog h3, [role=dialog] h3").allInnerTexts(), ["Drafts in this browser", "Examples"]);
    await comes(() => visitor.violations(), []);
    await shot(page, "drafts");
    await page.keyboard.press("Escape");
    // Another one does not take its place.
    await visitor.bring(chain("Second", ["A", "B"]));
    await title(page, "Second");
    const both = await drafts(page);
    await comes(() => both.allInnerTexts(), ["Second", "Ship a parcel"]);
    await page.getByRole("button", { name: "Remove the draft Ship a parcel" }).click();
    await comes(() => page.locator(".recent button.link").allInnerTexts(), ["Second"]);
    await page.getByRole("button", { name: "Undo", exact: true }).click();
    await comes(() => page.locator(".recent button.link").allInnerTexts(), ["Second", "Ship a parcel"]);
  });

  visit("what is pasted into the editor is there after a reload that follows at once", {}, async (visitor, page) => {
    await visitor.example("Empty");
    await visitor.write("Definition", JSON.stringify(chain("Pasted and reloaded", ["One", "Two"]), null, 2));
    await visitor.state("Two").waitFor();
    await page.reload();
    await visitor.state("Two").waitFor();
    await title(page, "Pasted and reloaded");
  });

  visit("a link is a draft, too", { hash: "" }, async (visitor, page) => {
    await visitor.bring(chain("Behind a link", ["Linked"]));
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

  visit("an example is the same after a reload, and its run is offered", {}, async (visitor, page) => {
    await visitor.example("A person decides");
    await visitor.run();
    await page
      .getByRole("tab", { name: /^Tasks? ?\(?1|^Waiting/ })
      .or(page.getByRole("form", { name: "Answer of AskManager" }))
      .first()
      .waitFor();
    await visitor.executions(([one]) => one?.waits[0] === "AskManager");
    await page.reload();
    await title(page, "A person decides");
    await notice(page, "The run of “A person decides” was not over when the page was closed: AskManager waits for an answer.").waitFor();
    await comes(() => visitor.violations(), []);
    await shot(page, "reloaded");
    await page.getByRole("region", { name: "Notice" }).getByRole("button", { name: "Continue" }).click();
    await page.getByRole("form", { name: "Answer of AskManager" }).waitFor();
    await comes(() => notice(page, "The run of").count(), 0);
  });

  test("a draft that two tabs edit is never written over", async () => {
    const visitor = await site.visit();
    await visitor.ready();
    const { page } = visitor;
    await visitor.bring(chain("Shared", ["A", "B"]), "Shared");
    const other = await page.context().newPage();
    await other.goto(site.url);
    await other.locator('[data-node="/States/B"]').waitFor();
    await other.getByRole("tab", { name: /^Input/ }).click();
    await other.getByRole("textbox", { name: "Input", exact: true }).and(other.locator(":not([readonly])")).waitFor();
    // Here first; the other tab hears of it.
    await visitor.tab("Input");
    await visitor.write("Input", '{"from": "the first tab"}');
    await visitor.kept("the first tab");
    await notice(other, "was edited in another tab").waitFor();
    await shot(other, "two-tabs");
    const editor = other.getByRole("textbox", { name: "Input", exact: true });
    await editor.click();
    await other.keyboard.press("ControlOrMeta+a");
    await other.keyboard.type('{"from": "the second tab"}');
    await notice(other, "both are among the drafts").waitFor();
    const kept = () =>
      other.evaluate(() =>
        Object.entries(localStorage)
          .filter(([key]) => key.startsWith("stepglass.draft."))
          .map(([, text]) => JSON.parse(text))
          .map(({ t, i }) => `${t}: ${i.replaceAll(/\s/g, "")}`)
          .sort(),
      );
    await comes(kept, ['Shared (copy): {"from":"thesecondtab"}', 'Shared: {"from":"thefirsttab"}']);
    await other.getByRole("button", { name: "Open the other version" }).click();
    await other.locator(".document", { hasText: /^Shared$/ }).waitFor();
    await visitor.leave();
  });

  for (const [what, input] of [
    ["gave it the same title", "{}"],
    ["edited it", '{"from": "there"}'],
  ])
    test(`a draft without a title that another tab ${what} gets no copy before it is edited here`, async () => {
      // As it was when this tab read it, and as the other one has saved it meanwhile.
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
      // Whoever leaves the page saves it at once.
      await page.reload();
      await visitor.ready();
      await title(page, "Shared");
      const kept = () =>
        page.evaluate(() =>
          Object.entries(localStorage)
            .filter(([key]) => key.startsWith("stepglass.draft."))
            .map(([, text]) => JSON.parse(text))
            .map(({ t, i }) => `${t}: ${i}`),
        );
      assert.deepEqual(await kept(), [`Shared: ${input}`]);
      await visitor.tab("Input");
      await visitor.write("Input", '{"from": "here"}');
      await comes(kept, ['Shared: {"from": "here"}']);
      await visitor.leave();
    });

  for (const [what, error, words] of [
    ["full", "QuotaExceededError", "no more room"],
    ["closed", "SecurityError", "keeps no data"],
  ]) {
    test(`storage that is ${what} is said, with a way to keep the work`, async () => {
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
      await visitor.bring(chain("Nowhere to go", ["A"]), "Nowhere to go");
      await notice(page, words).waitFor();
      await comes(() => visitor.violations(), []);
      const { name, bytes } = await visitor.saved(page.getByRole("button", { name: "Save a session file" }));
      assert.equal(name, "Nowhere to go.asldbg.json");
      assert.match(bytes.toString(), /Nowhere to go/);
      // When there is room again, all is well.
      await page.evaluate(() => (globalThis.roomy = true));
      await visitor.tab("Input");
      await visitor.write("Input", '{"n": 1}');
      await comes(() => notice(page, words).count(), 0);
      await visitor.leave();
    });
  }

  visit(
    "drafts of an earlier page are taken over",
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
    "another machine in the editor: the graph fits, the title is its own, the example's input and handlers go, and undo brings them back",
    {},
    async (visitor, page) => {
      const [order] = gallery().filter(({ id }) => id === "order");
      await title(page, order.title);
      await visitor.run();
      await visitor.result();
      // Far away from where the next graph will be.
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
      await comes(
        () => said.innerText(),
        new RegExp(`input, handlers and breakpoints of “${order.title}” were removed.*run on screen is still of`, "s"),
      );
      await comes(
        () =>
          page
            .locator(".lesson")
            .count()
            .then(async (n) => (n === 0 ? "" : page.locator(".lesson").innerText())),
        "",
      );
      await comes(() => page.getByText("Apply and stay here").count(), 0);
      await comes(() => visitor.violations(), []);
      await shot(page, "another-machine");
      await visitor.tab("Input");
      await comes(async () => (await visitor.editor("Input").innerText()).trim(), "{}");
      await visitor.tab("Tasks");
      // Only what an empty one begins with.
      await until(async () => assert.doesNotMatch(await visitor.editor("Task handlers, JavaScript").innerText(), /Reserve|CheckStock/));
      await page.getByRole("button", { name: "Clear that run" }).click();
      await comes(() => page.locator(".result").count(), 0);
      await visitor.tab("Definition");
      await visitor.editor("Definition").click();
      await page.keyboard.press("ControlOrMeta+z");
      await title(page, order.title);
      await visitor.tab("Input");
      await comes(async () => JSON.parse(await visitor.editor("Input").innerText()), order.inputs[0].input);
    },
  );

  visit("a run under way of the machine before can be stopped; what was written by hand stays", {}, async (visitor, page) => {
    await visitor.open({ definition: GREETING, input: { mine: 1 } });
    await visitor.run();
    await page.getByRole("form", { name: "Answer of Greet" }).waitFor();
    await visitor.tab("Definition");
    await visitor.write("Definition", JSON.stringify(chain("Next one", ["P", "Q"]), null, 2));
    await notice(page, "The run on screen is still of “Greet, Done”").waitFor();
    await page.getByRole("button", { name: "Stop that run" }).click();
    await comes(() => page.getByRole("form", { name: "Answer of Greet" }).count(), 0);
    await page.getByRole("button", { name: "Run", exact: true }).first().waitFor();
    await visitor.tab("Input");
    await comes(async () => JSON.parse(await visitor.editor("Input").innerText()), { mine: 1 });
    // The machine before is a draft of its own.
    const kept = await drafts(page);
    await comes(() => kept.allInnerTexts(), ["Next one", "Greet, Done"]);
    await page.keyboard.press("Escape");
  });

  const HELD = () => {
    const { postMessage } = Worker.prototype;
    Worker.prototype.postMessage = function (message, ...rest) {
      if (globalThis.holds && message?.method === "analyze") globalThis.held = () => postMessage.call(this, message, ...rest);
      else postMessage.call(this, message, ...rest);
    };
    // What comes back is heard while the input is still only in its editor.
    const { setTimeout } = globalThis;
    globalThis.setTimeout = (call, time, ...rest) => setTimeout(call, globalThis.slow && time === 60 ? 600_000 : time, ...rest);
  };
  visit(
    "what is written while another machine is being read is kept",
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
      await comes(async () => JSON.parse(await visitor.editor("Input").innerText()), { mine: 1 });
    },
  );

  visit(
    "a draft is not written over by another machine that takes long to read",
    { before: (page) => page.addInitScript(HELD) },
    async (visitor, page) => {
      const kept = () =>
        page.evaluate(() =>
          Object.entries(localStorage)
            .filter(([key]) => key.startsWith("stepglass.draft."))
            .map(([, text]) => JSON.parse(text))
            .map(({ t, d }) => `${t}: ${Object.keys(JSON.parse(d).States).join()}`)
            .sort(),
        );
      await visitor.bring(chain("First machine", ["First", "Last"]), "First machine");
      await page.reload();
      await visitor.ready();
      await title(page, "First machine");
      // The text is saved before the interpreter has read it.
      await page.evaluate(() => (globalThis.holds = true));
      await visitor.write("Definition", JSON.stringify(chain("Second machine", ["Alpha", "Beta", "Gamma"]), null, 2));
      await visitor.kept("Gamma");
      assert.deepEqual(await kept(), ["First machine: First,Last", "Untitled: Alpha,Beta,Gamma"]);
      await page.evaluate(() => {
        globalThis.holds = false;
        globalThis.held();
      });
      await title(page, "Second machine");
      await comes(kept, ["First machine: First,Last", "Second machine: Alpha,Beta,Gamma"]);
      // An undo goes back to the first one's own draft, and a template to none of both.
      await page.evaluate(() => (globalThis.holds = true));
      const template = JSON.stringify({ Resources: {}, States: { Template: "is no state machine" } });
      await visitor.write("Definition", template);
      await visitor.kept("Template");
      assert.deepEqual(await kept(), ["First machine: First,Last", "Second machine: Alpha,Beta,Gamma", "Untitled: Template"]);
    },
  );

  visit(
    "the same machine in another layout stays one draft, though it takes long to read",
    { before: (page) => page.addInitScript(HELD) },
    async (visitor, page) => {
      const count = () => page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith("stepglass.draft.")).length);
      const states = ["First", "Second", "Third", "Fourth", "Fifth"];
      await visitor.bring(JSON.stringify(chain("A machine", states), null, 1), "A machine");
      await page.evaluate(() => (globalThis.holds = true));
      await visitor.write("Definition", JSON.stringify({ ...chain("A machine", states.toReversed()), TimeoutSeconds: 77 }, null, 8));
      await visitor.kept("77");
      await page.evaluate(() => {
        globalThis.holds = false;
        globalThis.held();
      });
      await comes(count, 1);
      await visitor.kept("77");
      await title(page, "A machine");
    },
  );

  visit("a state that is renamed, added or removed is the same machine", {}, async (visitor, page) => {
    const one = (name, Comment) =>
      JSON.stringify(
        { Comment, StartAt: name, States: { [name]: { Type: "Pass", Result: { text: "long enough to be the same text" }, End: true } } },
        null,
        2,
      );
    await visitor.bring(one("Alone", "One state"), "One state");
    await visitor.tab("Input");
    await visitor.write("Input", '{"n": 1}');
    await visitor.tab("Definition");
    await visitor.write("Definition", one("Only", "One state"));
    await visitor.state("Only").waitFor();
    const kept = await drafts(page);
    await comes(() => kept.allInnerTexts(), ["One state"]);
  });

  visit("a text that is laid out anew and has a state more is the same machine", {}, async (visitor, page) => {
    const text = (names, spaces) => JSON.stringify(chain("Five in a row", names), null, spaces);
    await visitor.bring(text(["A", "B", "C", "D", "E"], 2), "Five in a row");
    await visitor.tab("Input");
    await visitor.write("Input", '{"n": 1}');
    await visitor.tab("Definition");
    await visitor.write("Definition", text(["Before", "A", "B", "C", "D", "E"], 7));
    await visitor.state("Before").waitFor();
    const kept = await drafts(page);
    await comes(() => kept.allInnerTexts(), ["Five in a row"]);
    await page.keyboard.press("Escape");
    await visitor.tab("Input");
    await comes(() => visitor.editor("Input").innerText(), '{"n": 1}');
  });

  visit("minified JSON is offered formatted, which can be undone", {}, async (visitor, page) => {
    const text = JSON.stringify(chain("Written in one line by a machine", ["A", "B", "C", "D", "E"]));
    await visitor.bring(text, "Written in one line");
    const said = notice(page, "without line breaks");
    await said.waitFor();
    await comes(() => visitor.violations(), []);
    await said.getByRole("button", { name: "Format it" }).click();
    await comes(
      () =>
        page
          .locator("#definition-editor .cm-line")
          .count()
          .then((n) => n > 10),
      true,
    );
    await comes(() => said.count(), 0);
    await visitor.editor("Definition").click();
    await page.keyboard.press("ControlOrMeta+z");
    await comes(() => page.locator("#definition-editor .cm-line").count(), 1);
  });
});

describe("notices on a phone", { skip }, () => {
  const { visit } = visits();

  visit("are whole, and the page does not scroll sideways", { width: 360, height: 740 }, async (visitor, page) => {
    await visitor.bring(JSON.stringify(chain("Written in one line by a machine", ["A", "B", "C", "D", "E"])), "Written in one line");
    const notice = page.getByRole("region", { name: "Notice" });
    await notice.waitFor();
    await comes(() => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
    const box = await notice.boundingBox();
    assert.ok(box.height < 200 && box.x >= 0 && box.x + box.width <= 360, JSON.stringify(box));
    await comes(() => visitor.violations(), []);
    await shot(page, "phone-notice");
    await page.locator(".document").click();
    await page.locator(".recent").waitFor();
    await comes(() => visitor.violations(), []);
    await shot(page, "phone-drafts");
    await page.keyboard.press("Escape");
    await notice.getByRole("button", { name: "Dismiss the notice" }).click();
    await comes(() => notice.count(), 0);
  });
});

describe("a history that comes alone", { skip }, () => {
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

  visit("draws the states that it tells of, with their kinds, ways and outcomes", {}, async (visitor, page) => {
    await visitor.bring({ events: recorded() });
    for (const [pointer, kind] of [
      ["/States/Fetch", "Task"],
      ["/States/Both/Branches/0/States/Left", "Pass"],
      ["/States/Both/Branches/1/States/Nap", "Wait"],
      ["/States/Each/ItemProcessor/States/Work", "Task"],
      ["/States/Enough", "Choice"],
      ["/States/Refuse", "Task"],
      ["/States/Sorry", "Fail"],
    ]) {
      await comes(() => visitor.node(pointer).getAttribute("aria-label"), new RegExp(kind));
    }
    await comes(() => visitor.state("Never").count(), 0);
    await comes(() => visitor.state("Sorry").getAttribute("aria-label"), /failed/);
    await comes(() => visitor.state("Refuse").getAttribute("aria-label"), /caught/);
    await page.locator(".problems-head", { hasText: /No problems|^(?!.*error)/ }).waitFor();
    await comes(
      () =>
        page
          .getByRole("alert")
          .filter({ hasText: /definition/ })
          .count(),
      0,
    );
    const strip = page.getByRole("region", { name: "Recorded execution" });
    await comes(() => strip.innerText(), /definition is not in the file/);
    await comes(() => visitor.violations(), []);
    await shot(page, "history-alone");
    // Its definition comes after it: then the history is compared with that.
    await visitor.bring(MACHINE);
    await visitor.state("Never").waitFor();
    await comes(() => strip.innerText(), /this definition matches/);
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
    await visitor.bring({ events: parsed });
    // The view follows the run to its end, and the first state may be above it.
    await visitor.state("Fetch").focus();
    await page.keyboard.press(" ");
    await visitor.tab("Input");
    await comes(async () => JSON.parse(await visitor.editor("Input").innerText()), { n: 2, list: [1, 2] });
    await visitor.bring(MACHINE);
    await comes(() => page.getByRole("region", { name: "Recorded execution" }).innerText(), /this definition matches/);

    const masked = recorded().map((event) =>
      details(event, (held) => ({
        ...held,
        ...("input" in held && { input: "HIDDEN_DUE_TO_SECURITY_REASONS" }),
        ...("output" in held && { output: "HIDDEN_DUE_TO_SECURITY_REASONS" }),
      })),
    );
    await visitor.example("Empty");
    await visitor.bring({ events: masked });
    await visitor.state("Sorry").waitFor();
    await comes(() => visitor.state("Sorry").getAttribute("aria-label"), /failed/);

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
    await visitor.bring({ events: logged });
    await visitor.state("Sorry").waitFor();
    await comes(() => visitor.state("Sorry").getAttribute("aria-label"), /failed/);
  });
});
