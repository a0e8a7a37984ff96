// Editing the machine on its graph: by mouse, by keyboard and by touch.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { gallery } from "../api/examples.mjs";
import { skip } from "../browser.mjs";
import { untilMachine, choose, machine, middle, picker, shownLines } from "./definition.mjs";
import { eventually, until, visits } from "./playground.mjs";

const LAMBDA = "arn:aws:lambda:us-east-1:123456789012:function:";
const CHAIN = {
  StartAt: "First",
  States: {
    First: { Type: "Pass", Next: "Second" },
    Second: { Type: "Task", Resource: `${LAMBDA}Second`, Next: "Third" },
    Third: { Type: "Succeed" },
  },
};

describe("editing on the graph", { skip }, () => {
  const { visit } = visits();

  const begin = async (visitor, definition = CHAIN) => {
    await visitor.open({ definition });
    await visitor.state(Object.keys(definition.States).at(-1)).waitFor();
    await visitor.page.mouse.move(4, 4);
  };
  const announced = (page) => page.locator('[role="status"][aria-live="polite"]').innerText();

  visit(
    "inserts a state on a transition by mouse, and undoes it with the history of the text",
    { reusePage: true },
    async (visitor, page) => {
      await begin(visitor);
      const before = await shownLines(visitor);
      await visitor.state("First").click();
      await page.locator('[data-insert="/States/First/Next"]').click();
      await choose(page, "wait", "Wait");
      await visitor.state("Wait").waitFor();
      await untilMachine(visitor, ({ States }) => {
        assert.equal(States.First.Next, "Wait");
        assert.equal(States.Wait.Next, "Second");
      });
      await eventually(() => announced(page), /Wait/);
      // The new state is selected and focused.
      await eventually(() => visitor.state("Wait").getAttribute("aria-pressed"), "true");
      await eventually(() => page.evaluate(() => document.activeElement?.getAttribute("data-node")), "/States/Wait");
      // The change is highlighted for a moment.
      await page.keyboard.press("ControlOrMeta+z");
      await visitor.state("Wait").waitFor({ state: "detached" });
      assert.equal(await shownLines(visitor), before);
      await eventually(() => announced(page), /Undone/);
      await visitor.state("First").focus();
      await page.keyboard.press("ControlOrMeta+Shift+z");
      await visitor.state("Wait").waitFor();
      // Undo in the editor reverts the same step.
      await visitor.editor("Definition").press("ControlOrMeta+z");
      await visitor.state("Wait").waitFor({ state: "detached" });
      assert.equal(await shownLines(visitor), before);
    },
  );

  visit("inserts, appends, renames, connects, retypes, deletes and duplicates by keyboard", { reusePage: true }, async (visitor, page) => {
    await begin(visitor);
    await visitor.state("Second").focus();
    // With several transitions to choose from: a first state also offers the transition from the start.
    await page.keyboard.press("i");
    await choose(page, "pass", "Pass");
    await untilMachine(visitor, ({ States }) => assert.equal(States.Second.Next, "Pass"));
    await eventually(() => page.evaluate(() => document.activeElement?.getAttribute("data-node")), "/States/Pass");
    await page.keyboard.press("F2");
    const name = page.getByRole("textbox", { name: "Name of Pass" });
    await name.waitFor();
    await name.fill("Second");
    await page.getByText("There is a state of this name.").waitFor();
    await name.fill("Prepare");
    await page.keyboard.press("Enter");
    await untilMachine(visitor, ({ States }) => assert.deepEqual([States.Second.Next, States.Prepare.Next], ["Prepare", "Third"]));
    await eventually(() => page.evaluate(() => document.activeElement?.getAttribute("data-node")), "/States/Prepare");
    // A catcher of a Task is the second kind of transition that is offered.
    await visitor.state("Second").focus();
    await page.keyboard.press("a");
    await picker(page).waitFor();
    await page.getByRole("radio", { name: "On an error" }).check();
    await page.getByRole("combobox", { name: "State, pattern or service" }).focus();
    await choose(page, "fail", "Fail");
    await untilMachine(visitor, ({ States }) => assert.equal(States.Second.Catch[0].Next, "Fail"));
    await visitor.state("Prepare").focus();
    await page.keyboard.press("r");
    await choose(page, "wait", "Wait");
    await untilMachine(visitor, ({ States }) => assert.deepEqual([States.Prepare.Type, States.Prepare.Next], ["Wait", "Third"]));
    await visitor.state("Second").focus();
    await page.keyboard.press("t");
    await choose(page, "third", "Third");
    await untilMachine(visitor, ({ States }) => assert.equal(States.Second.Next, "Third"));
    await visitor.state("Second").focus();
    await page.keyboard.press("Delete");
    await visitor.state("Second").waitFor({ state: "detached" });
    await untilMachine(visitor, ({ States }) => assert.equal(States.First.Next, "Third"));
    await visitor.state("First").focus();
    await page.keyboard.press("ControlOrMeta+d");
    await visitor.state("First 2").waitFor();
  });

  visit(
    "drags a transition to a highlighted target, and says why other targets are refused",
    { reusePage: true },
    async (visitor, page) => {
      await begin(visitor, {
        StartAt: "One",
        States: {
          One: { Type: "Pass", Next: "Two" },
          Two: { Type: "Parallel", Branches: [{ StartAt: "In", States: { In: { Type: "Pass", End: true } } }], Next: "Three" },
          Three: { Type: "Succeed" },
        },
      });
      const drag = async (from, to) => {
        await page.mouse.move(...from);
        await page.mouse.down();
        await page.mouse.move(from[0] + 10, from[1] + 14, { steps: 3 });
        await page.locator(".edit-layer .target").first().waitFor();
        await page.mouse.move(...to, { steps: 5 });
      };
      await visitor.state("One").click();
      await visitor.waitUntilQuiet();
      await drag(await middle(page.locator('[data-port="/States/One"] .face')), await middle(visitor.state("Three")));
      await page.locator(".edit-layer .target.hit").waitFor();
      await page.mouse.up();
      await untilMachine(visitor, ({ States }) => assert.equal(States.One.Next, "Three"));
      await visitor.waitUntilQuiet();
      await visitor.state("One").click();
      await drag(
        await middle(page.locator('[data-port="/States/One"] .face')),
        await middle(visitor.node("/States/Two/Branches/0/States/In")),
      );
      await page.locator(".edit-layer .no-target").waitFor();
      await page.mouse.up();
      await page.locator(".toast").waitFor();
      await eventually(() => page.locator(".toast").innerText(), /scope|Two|inside/i);
      await untilMachine(visitor, ({ States }) => assert.equal(States.One.Next, "Three"));
      // Dropped on empty space, it asks which state to create.
      await visitor.state("One").click();
      const port = await middle(page.locator('[data-port="/States/One"] .face'));
      await drag(port, [port[0] - 260, port[1] - 30]);
      await page.mouse.up();
      await choose(page, "wait", "Wait");
      await untilMachine(visitor, ({ States }) => assert.equal(States.One.Next, "Wait"));
    },
  );

  visit("copies, cuts and pastes states as text, and wraps several in a Parallel", { reusePage: true }, async (visitor, page) => {
    await begin(visitor);
    await visitor.state("First").click();
    await visitor.state("Second").click({ modifiers: ["Shift"] });
    await eventually(() => visitor.state("First").getAttribute("aria-pressed"), "true");
    await eventually(() => announced(page), /2 states selected/);
    await page.keyboard.press("ControlOrMeta+c");
    await eventually(() => announced(page), /Copied 2 states/);
    const copied = JSON.parse(await page.evaluate(() => navigator.clipboard.readText()));
    assert.deepEqual(Object.keys(copied.States), ["First", "Second"]);
    assert.equal(copied.States.First.Next, "Second");
    await visitor.state("Second").click();
    await page.keyboard.press("ControlOrMeta+v");
    await visitor.state("First 2").waitFor();
    await untilMachine(visitor, ({ States }) => {
      assert.equal(States.Second.Next, "First 2");
      assert.equal(States["First 2"].Next, "Second 2");
      assert.equal(States["Second 2"].Next, "Third");
    });
    await page.keyboard.press("ControlOrMeta+z");
    await visitor.state("First 2").waitFor({ state: "detached" });
    await visitor.state("First").click();
    await visitor.state("Second").focus();
    await page.keyboard.press("Shift+Space");
    await page.keyboard.press("g");
    await picker(page).waitFor();
    await page.keyboard.press("Enter");
    await visitor.state("Parallel").waitFor();
    await untilMachine(visitor, ({ StartAt, States }) => {
      assert.equal(StartAt, "Parallel");
      assert.equal(States.Parallel.Branches[0].States.First.Next, "Second");
    });
    await visitor.state("Parallel").focus();
    await page.keyboard.press("Shift+G");
    await visitor.state("Parallel").waitFor({ state: "detached" });
    await untilMachine(visitor, ({ StartAt, States }) => assert.deepEqual([StartAt, States.Second.Next], ["First", "Third"]));
  });

  visit(
    "offers a canvas, a pattern, an example and a file on an empty page; a pattern runs, and Tab moves through its placeholders",
    {},
    async (visitor, page) => {
      await visitor.example("Empty");
      await visitor.editor("Definition").waitFor();
      for (const name of ["Blank canvas", "A pattern", "An example", "A file"])
        await page.getByRole("button", { name: new RegExp(`^${name}`) }).waitFor();
      assert.deepEqual(await visitor.violations(), []);
      await page.getByRole("button", { name: /^A pattern/ }).click();
      await picker(page).waitFor();
      assert.deepEqual(await visitor.violations(), []);
      await choose(page, "saga", "Saga with compensation");
      await visitor.state("Reserve").waitFor();
      await untilMachine(visitor, ({ QueryLanguage, StartAt }) => assert.deepEqual([QueryLanguage, StartAt], ["JSONata", "Reserve"]));
      // The first placeholder is selected, and Tab selects the next one.
      const selected = () =>
        page.evaluate(() => {
          const { shadowRoot } = [...document.querySelectorAll("#definition-editor .code-host")].at(-1);
          return [...shadowRoot.querySelectorAll(".sg-stop")].map((stop) => stop.textContent);
        });
      await until(async () =>
        assert.deepEqual(await selected(), ["${Reserve}", "${Charge}", "${Ship}", "${Refund}", "${CancelReservation}"]),
      );
      await until(async () => assert.ok(await page.evaluate(() => document.activeElement?.closest("#definition-editor") !== null)));
      await page.keyboard.type("ReserveRoom");
      await page.keyboard.press("Tab");
      await page.keyboard.type("ChargeCard");
      await untilMachine(visitor, ({ States }) => {
        assert.match(States.Reserve.Resource, /:function:ReserveRoom$/);
        assert.match(States.Charge.Resource, /:function:ChargeCard$/);
      });
      // The first Escape closes the list of completions.
      await until(async () => {
        await page.keyboard.press("Escape");
        assert.deepEqual(await selected(), []);
      });
      // The pattern runs with the mocks that it comes with.
      await visitor.run();
      await visitor.result();
      await eventually(() => visitor.output(), { reservation: "r1", payment: "p1", parcel: "s1", item: 7 });
    },
  );

  visit("inserts a pattern with names that do not clash, in the machine's query language", { reusePage: true }, async (visitor, page) => {
    await begin(visitor, {
      StartAt: "Try",
      States: { Try: { Type: "Pass", Next: "Recover" }, Recover: { Type: "Succeed" } },
    });
    await visitor.state("Try").focus();
    await page.keyboard.press("i");
    await picker(page).waitFor();
    await page.getByRole("radio", { name: "→ Recover" }).check();
    await page.getByRole("combobox", { name: "State, pattern or service" }).focus();
    await choose(page, "try and", "Try and catch");
    await untilMachine(visitor, ({ States }) => {
      assert.equal(States.Try.Next, "Try 2");
      assert.equal(States["Try 2"].QueryLanguage, "JSONata");
      assert.deepEqual([States["Try 2"].Next, States["Recover 2"].Next], ["Recover", "Recover"]);
      assert.equal(States["Try 2"].Catch[0].Next, "Recover 2");
    });
  });

  visit("finds a service by name, and adds it with its required fields", { reusePage: true }, async (visitor, page) => {
    await begin(visitor);
    await visitor.state("First").focus();
    await page.keyboard.press("a");
    await choose(page, "sqs send", /SQS: sendMessage/);
    await untilMachine(visitor, ({ States }) => {
      const [, state] = Object.entries(States).find(([, { Resource }]) => Resource === "arn:aws:states:::sqs:sendMessage");
      assert.ok("QueueUrl" in state.Parameters && "MessageBody" in state.Parameters);
    });
  });

  visit(
    "edits by touch on a phone: visible buttons, menus at the bottom, and no dragging",
    { width: 360, height: 740, hasTouch: true, isMobile: true },
    async (visitor, page) => {
      await visitor.example("Empty");
      await page.getByRole("button", { name: /^Blank canvas/ }).tap();
      await picker(page).getByRole("option", { name: /^Pass/ }).tap();
      await visitor.state("Pass").waitFor();
      await page.locator('[data-insert="/States/Pass/End"]').tap();
      await picker(page).waitFor();
      assert.deepEqual(await visitor.violations(), []);
      await picker(page)
        .getByRole("option", { name: /^Succeed/ })
        .tap();
      await visitor.state("Succeed").waitFor();
      await page.locator('[data-port="/States/Pass"]').tap();
      await picker(page).getByRole("option", { name: /^Wait/ }).tap();
      await visitor.state("Wait").waitFor();
      await untilMachine(visitor, ({ States }) => assert.deepEqual([States.Pass.Next, States.Wait.Next], ["Wait", "Succeed"]));
      await page.getByRole("button", { name: "Undo the change" }).tap();
      await visitor.state("Wait").waitFor({ state: "detached" });
    },
  );

  /**
   * The part of a machine that gestures create: states with their types, and all transitions. Other fields are set by forms and in
   * the text.
   */
  const skeleton = ({ StartAt, States }) => ({
    StartAt,
    States: Object.fromEntries(
      Object.entries(States)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, { Type, Next, End, Default, Choices, Catch, Branches, ItemProcessor }]) => [
          name,
          {
            Type,
            ...(Next !== undefined && { Next }),
            ...(End !== undefined && { End }),
            ...(Default !== undefined && { Default }),
            ...(Choices && { Choices: Choices.map((rule) => rule.Next) }),
            ...(Catch && { Catch: Catch.map((catcher) => catcher.Next) }),
            ...(Branches && { Branches: Branches.map(skeleton) }),
            ...(ItemProcessor && { ItemProcessor: skeleton(ItemProcessor) }),
          },
        ]),
    ),
  });
  const example = (id) => JSON.parse(gallery().find((one) => one.id === id).definition);
  const there = (visitor, names) => untilMachine(visitor, ({ States }) => assert.deepEqual(Object.keys(States).sort(), [...names].sort()));

  visit("builds the graph of the wait example from an empty page by mouse alone", { reusePage: true }, async (visitor, page) => {
    const { StartAt, States } = example("wait");
    await visitor.example("Empty");
    let last;
    for (let name = StartAt; name !== undefined; name = States[name].Next) {
      if (last === undefined) await page.getByRole("button", { name: /^Blank canvas/ }).click();
      else await page.locator(`[data-insert="/States/${last}/End"]`).click();
      const { Type } = States[name];
      await picker(page)
        .getByRole("option", { name: new RegExp(`^${Type}`) })
        .first()
        .click();
      await visitor.state(Type).waitFor();
      await visitor.waitUntilQuiet();
      await visitor.state(Type).locator("text.name").dblclick();
      await page.getByRole("textbox", { name: `Name of ${Type}` }).fill(name);
      await page.locator(".canvas").click({ position: { x: 30, y: 160 } });
      await visitor.state(name).click();
      last = name;
    }
    await there(visitor, Object.keys(States));
    assert.deepEqual(skeleton(await machine(visitor)), skeleton({ StartAt, States }));
  });

  visit(
    "builds the graph of the hello example from an empty page by touch alone",
    { width: 390, height: 844, hasTouch: true, isMobile: true },
    async (visitor, page) => {
      const { StartAt, States } = example("hello");
      await visitor.example("Empty");
      const name = async (from, to) => {
        await visitor.state(from).waitFor();
        await visitor.waitUntilQuiet();
        // A long press triggers this event.
        await visitor.state(from).dispatchEvent("contextmenu");
        await page.getByRole("menuitem", { name: /^Rename/ }).tap();
        await page.getByRole("textbox", { name: `Name of ${from}` }).fill(to);
        await page.keyboard.press("Enter");
        await visitor.state(to).waitFor();
      };
      await page.getByRole("button", { name: /^Blank canvas/ }).tap();
      await picker(page).getByRole("option", { name: /^Pass/ }).first().tap();
      await name("Pass", "Greet");
      await page.locator('[data-insert="/States/Greet/End"]').tap();
      await picker(page)
        .getByRole("option", { name: /^Succeed/ })
        .tap();
      await name("Succeed", "Done");
      await there(visitor, ["Greet", "Done"]);
      assert.deepEqual(skeleton(await machine(visitor)), skeleton({ StartAt, States }));
    },
  );
});
