// Less frequent edits on the graph: the palette, extracting a machine, order, selecting by a rectangle, and the same in YAML.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { skip } from "../browser.mjs";
import { untilMachine, command, writeYaml, middle, picker, shownLines } from "./definition.mjs";
import { eventually, until, visits } from "./playground.mjs";

const LAMBDA = "arn:aws:lambda:us-east-1:123456789012:function:";
const CHAIN = {
  StartAt: "First",
  States: {
    First: { Type: "Pass", Next: "Second" },
    Second: { Type: "Task", Resource: `${LAMBDA}Second`, Next: "Third" },
    Third: { Type: "Pass", Next: "Fourth" },
    Fourth: { Type: "Succeed" },
  },
};
const BOTH = {
  StartAt: "Both",
  States: {
    Both: {
      Type: "Parallel",
      Branches: [
        { StartAt: "Left", States: { Left: { Type: "Pass", End: true } } },
        { StartAt: "Right", States: { Right: { Type: "Pass", End: true } } },
      ],
      Next: "Route",
    },
    Route: {
      Type: "Choice",
      Choices: [
        { Variable: "$.a", IsPresent: true, Next: "One" },
        { Variable: "$.b", IsPresent: true, Next: "Two" },
        { Variable: "$.c", IsPresent: true, Next: "Three" },
      ],
      Default: "One",
    },
    One: { Type: "Succeed" },
    Two: { Type: "Succeed" },
    Three: { Type: "Succeed" },
  },
};

describe("less frequent edits on the graph", { skip }, () => {
  const { visit } = visits();

  const begin = async (visitor, machine = CHAIN) => {
    await visitor.open({ definition: machine });
    await visitor.state(Object.keys(machine.States).at(-1)).waitFor();
    await visitor.page.mouse.move(4, 4);
  };
  const carry = async (page, piece, [x, y]) => {
    const [fromX, fromY] = await middle(page.locator(`.edit-palette [data-piece="${piece}"]`));
    await page.mouse.move(fromX, fromY);
    await page.mouse.down();
    await page.mouse.move(fromX + 40, fromY, { steps: 3 });
    await page.mouse.move(x, y, { steps: 5 });
    const words = await page.locator(".edit-carried span").innerText();
    await page.mouse.up();
    return words;
  };

  visit("drags a state from the palette onto a transition and onto a state", { reusePage: true }, async (visitor, page) => {
    await begin(visitor);
    await page.getByRole("button", { name: "Palette of states, patterns and services" }).click();
    const palette = page.getByRole("region", { name: "Palette" });
    await palette.getByRole("button", { name: "Wait", exact: true }).waitFor();
    assert.deepEqual(await visitor.violations(undefined, ".edit-palette"), []);
    const [[ax, ay], [bx, by]] = [await middle(visitor.state("First")), await middle(visitor.state("Second"))];
    assert.match(await carry(page, "Wait", [(ax + bx) / 2, (ay + by) / 2]), /First.*Second/);
    await untilMachine(visitor, ({ States }) => assert.deepEqual([States.First.Next, States.Wait.Next], ["Wait", "Second"]));
    await visitor.state("Wait").waitFor();
    // A service that is found by search and appended to a state, with a choice of integration patterns.
    await palette.getByRole("searchbox").fill("sqs send");
    const service = palette.locator('[data-piece="service requestResponse arn:aws:states:::sqs:sendMessage"]');
    await service.waitFor();
    assert.match(
      await carry(page, "service requestResponse arn:aws:states:::sqs:sendMessage", await middle(visitor.state("Second"))),
      /after Second/,
    );
    await picker(page).getByRole("option", { name: /error/ }).click();
    await untilMachine(visitor, ({ States }) => {
      const added = States[States.Second.Catch[0].Next];
      assert.equal(added.Resource, "arn:aws:states:::sqs:sendMessage");
    });
    // A press, or the keyboard, appends to the selected state.
    await visitor.state("Third").click();
    await palette.getByRole("searchbox").fill("pass");
    await palette.getByRole("button", { name: "Pass", exact: true }).press("Enter");
    await untilMachine(visitor, ({ States }) => assert.equal(States.Third.Next, "Pass"));
    // The first Escape drops what is carried, the second closes the palette.
    await page.getByRole("button", { name: "Palette of states, patterns and services" }).click();
    await palette.waitFor({ state: "detached" });
  });

  visit(
    "drags a state from the palette onto the graph by touch",
    { width: 390, height: 844, hasTouch: true, isMobile: true },
    async (visitor, page) => {
      await visitor.example("Hello");
      await page.getByRole("button", { name: "Palette of states, patterns and services" }).tap();
      const piece = page.locator('.edit-palette [data-piece="Wait"]');
      await piece.waitFor();
      const [x, y] = await middle(piece);
      const pane = await page.locator("svg.canvas").boundingBox();
      const touch = await page.context().newCDPSession(page);
      const send = (type, ...points) =>
        touch.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([px, py]) => ({ x: px, y: py })) });
      await send("touchStart", [x, y]);
      // To an empty part of the drawing, at its right side.
      const [toX, toY] = [pane.x + pane.width - 50, pane.y + pane.height / 2];
      for (let i = 1; i <= 6; i++) await send("touchMove", [x + ((toX - x) * i) / 6, y + ((toY - y) * i) / 6]);
      await page.locator(".edit-carried").waitFor();
      await send("touchEnd");
      await page.locator(".edit-carried").waitFor({ state: "detached" });
      await until(async () =>
        assert.match((await page.locator("[data-node]").evaluateAll((all) => all.map((one) => one.dataset.node))).join(), /States\/Wait/),
      );
    },
  );

  visit("extracts several states as a machine, and inlines it again", { reusePage: true }, async (visitor, page) => {
    await begin(visitor);
    // Shift and dragging selects two states with a rectangle.
    const [second, third] = [await visitor.state("Second").boundingBox(), await visitor.state("Third").boundingBox()];
    await page.keyboard.down("Shift");
    await page.mouse.move(Math.min(second.x, third.x) - 20, second.y - 12);
    await page.mouse.down();
    await page.mouse.move(second.x + second.width + 30, third.y + third.height + 12, { steps: 4 });
    await page.mouse.up();
    await page.keyboard.up("Shift");
    await page.getByText("2 states", { exact: true }).first().waitFor();
    await visitor.state("Second").focus();
    // The palette of pieces is opened from the command palette, because it has no key.
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Command or state" }).fill("palette of states");
    await eventually(
      () => page.locator("#palette-list [role=option]").allInnerTexts(),
      ["Open or close the palette of states, patterns and services"],
    );
    await page.keyboard.press("Escape");
    await command(page, "Make the states a machine of their own");
    let task;
    await untilMachine(visitor, ({ States }) => {
      assert.equal(States.Third, undefined);
      task = States.First.Next;
      assert.match(States[task].Resource, /states:startExecution/);
      assert.equal(States[task].Next, "Fourth");
    });
    await visitor.state(task).click();
    await command(page, "Put the machine that the Task starts in its place");
    await untilMachine(visitor, ({ States }) => {
      assert.equal(States.Second.Resource, `${LAMBDA}Second`);
      assert.equal(States.Third.Next, "Fourth");
    });
  });

  visit("reorders branches and rules by keyboard", { reusePage: true }, async (visitor, page) => {
    await begin(visitor, BOTH);
    await visitor.node("/States/Both/Branches/1/States/Right").focus();
    await page.keyboard.press("Alt+ArrowLeft");
    await untilMachine(visitor, ({ States }) =>
      assert.deepEqual(
        States.Both.Branches.map(({ StartAt }) => StartAt),
        ["Right", "Left"],
      ),
    );
    await visitor.state("Route").focus();
    await page.keyboard.press("o");
    await picker(page).getByRole("option").first().waitFor();
    await page.keyboard.press("Alt+ArrowDown");
    await untilMachine(visitor, ({ States }) =>
      assert.deepEqual(
        States.Route.Choices.map(({ Next }) => Next),
        ["Two", "One", "Three"],
      ),
    );
    // The keys work on the list, which moves with the rule. Keys that come faster than the definition changes count as well. Only
    // the last one results in the expected order.
    for (const key of ["Down", "Up", "Up"]) await page.keyboard.press(`Alt+Arrow${key}`);
    await untilMachine(visitor, ({ States }) =>
      assert.deepEqual(
        States.Route.Choices.map(({ Next }) => Next),
        ["One", "Two", "Three"],
      ),
    );
    const order = page.getByRole("dialog", { name: "Order of Route" });
    await eventually(() => order.getByRole("option", { name: /→ One/ }).getAttribute("aria-selected"), "true");
    await page.keyboard.press("Escape");
    await picker(page).waitFor({ state: "detached" });
    await visitor.state("Route").focus();
    for (let i = 0; i < 5; i++) await page.keyboard.press("ControlOrMeta+z");
    await untilMachine(visitor, (now) => assert.deepEqual(now, BOTH));
  });

  visit("closes the list of a choice when the focus goes elsewhere", { reusePage: true }, async (visitor, page) => {
    await begin(visitor, BOTH);
    await visitor.state("Route").focus();
    await page.keyboard.press("o");
    await picker(page).waitFor();
    await page.locator(".cm-content").first().focus();
    await picker(page).waitFor({ state: "detached" });
    const focused = await page.evaluate(() => document.activeElement.outerHTML.slice(0, 300));
    assert.match(focused, /code-host|cm-content/, "the focus stays where it went");
  });

  visit("renames a variable wherever it is assigned and read", { reusePage: true }, async (visitor, page) => {
    await begin(visitor, {
      StartAt: "Sum",
      States: {
        Sum: { Type: "Pass", Comment: "total", Assign: { "total.$": "$.sum", other: 1 }, Next: "Say" },
        Say: { Type: "Pass", QueryLanguage: "JSONata", Output: "{% $total + $other %}", Next: "Path" },
        Path: { Type: "Pass", Parameters: { "of.$": "$total" }, End: true },
      },
    });
    await command(page, "Rename a variable of the machine");
    await picker(page).getByRole("option", { name: "$total" }).click();
    const name = page.getByRole("combobox", { name: "New name of $total" });
    await name.fill("amount");
    await name.press("Enter");
    await untilMachine(visitor, ({ States }) => {
      assert.deepEqual(States.Sum.Assign, { "amount.$": "$.sum", other: 1 });
      assert.equal(States.Sum.Comment, "total");
      assert.equal(States.Say.Output, "{% $amount + $other %}");
      assert.deepEqual(States.Path.Parameters, { "of.$": "$amount" });
    });
  });

  visit("edits only the affected lines of YAML, and keeps its comments", { reusePage: true }, async (visitor, page) => {
    const text = `# What it is
StartAt: First   # the first
States:
  First:
    Type: Pass
    Next: Second
  Second: { Type: Succeed }   # in a line
`;
    await writeYaml(visitor, page, text);
    await visitor.state("Second").waitFor();
    const before = await shownLines(visitor);
    await page.mouse.move(4, 4);
    await visitor.state("First").click();
    await page.keyboard.press("i");
    await picker(page).waitFor();
    await page.keyboard.type("wait");
    await picker(page).getByRole("option", { name: "Wait" }).first().waitFor();
    await page.keyboard.press("Enter");
    await visitor.state("Wait").waitFor();
    await eventually(() => shownLines(visitor), /Next: Wait[^]*Wait:\n +Type: Wait/);
    const after = await shownLines(visitor);
    for (const kept of ["# What it is", "StartAt: First   # the first", "Second: { Type: Succeed }   # in a line"])
      assert.ok(after.includes(kept));
    await page.keyboard.press("F2");
    const name = page.getByRole("textbox", { name: "Name of Wait" });
    await name.fill("Pause");
    await page.keyboard.press("Enter");
    await eventually(() => shownLines(visitor), /Next: Pause/);
    await visitor.state("Pause").focus();
    await page.keyboard.press("Delete");
    await until(async () => assert.doesNotMatch(await shownLines(visitor), /Pause/));
    for (let i = 0; i < 3; i++) await page.keyboard.press("ControlOrMeta+z");
    await eventually(() => shownLines(visitor), before);
  });
});
