// The kernel of the graph editor: the plans of its commands, answered in place of a view.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { layout } from "../../dist/node.js";
import { importSource } from "../../scripts/sources.mjs";

const kernel = "www/src/graph-editor/kernel";
const { GraphIndex } = await importSource("www/src/model/graph.ts");
const { COMMANDS, commandOf, menuOf, transitionMenuOf } = await importSource(`${kernel}/commands.ts`);
const { performing } = await importSource(`${kernel}/performing.ts`);
const { adding, aimAt, aimTitle, dropOption } = await importSource(`${kernel}/adding.ts`);
const { dropTransition } = await importSource(`${kernel}/changing.ts`);
const { pasteText } = await importSource(`${kernel}/copying.ts`);
const { announcement } = await importSource(`${kernel}/messages.ts`);
const { groupsFor, listAction } = await importSource(`${kernel}/list.ts`);
const { GESTURES, between, connecting } = await importSource(`${kernel}/pointer.ts`);
const { signsOf } = await importSource(`${kernel}/signs.ts`);

const ORDER = {
  StartAt: "Take",
  States: {
    Take: { Type: "Pass", Next: "Both" },
    Both: {
      Type: "Parallel",
      Branches: ["Ring", "Write"].map((name) => ({ StartAt: name, States: { [name]: { Type: "Pass", End: true } } })),
      Next: "Which",
    },
    Which: {
      Type: "Choice",
      Choices: [
        { Variable: "$.a", IsPresent: true, Next: "Good" },
        { Variable: "$.b", IsPresent: true, Next: "Bad" },
      ],
      Default: "Good",
    },
    Good: { Type: "Succeed" },
    Bad: { Type: "Fail" },
  },
};
const graph = layout(JSON.stringify(ORDER));
const index = new GraphIndex(graph);
const at = (id) => index.node(index.byId.get(id));
const id = (name) => at(`/States/${name}`)?.id ?? at(name)?.id;
const state = (name, selected = [id(name)], rest = {}) => ({ index, node: at(id(name)), selected, multiSelect: false, ...rest });
const edge = (from, to) => graph.edges.find((one) => one.from === id(from) && one.to === id(to));

/**
 * Executes a plan with the answers of a view that has nothing to object. `answers` has other answers, by the names of the steps.
 * Returns the steps that change or show something, and the plan's result.
 */
function drive(plan, answers = {}) {
  const steps = [];
  const quiet = { state: () => state("Take"), editable: () => true, catalog: () => ({ recent: [], patterns: [], states: [] }) };
  let next = plan.next();
  while (!next.done) {
    const { do: step, with: given } = next.value;
    const answer = answers[step] ?? quiet[step];
    if (!(step in quiet)) steps.push([step, ...given]);
    next = plan.next(typeof answer === "function" ? answer(...given) : answer);
  }
  return { steps, result: next.value };
}
const command = (name) => COMMANDS.find((one) => one.id === name);
const done = { edits: [], select: [], losses: [], introduces: [], stops: [], announce: "done", caret: { start: 0, end: 0 } };
const performed = ({ steps }) => steps.filter(([step]) => step === "perform").map(([, gesture]) => gesture);
const messages = ({ steps }) => steps.filter(([step]) => step === "notify").map(([, message]) => message);

describe("the commands of the graph editor", () => {
  test("have ids of their own, and no two that apply to the same states have a key in common", () => {
    const ids = COMMANDS.map((one) => one.id);
    assert.deepEqual(ids, [...new Set(ids)]);
    const keys = COMMANDS.flatMap((one) => one.keys ?? []);
    assert.deepEqual(keys, [...new Set(keys)]);
  });

  test("are found by their keys, where they apply", () => {
    for (const { id: name, keys = [], clipboard } of COMMANDS)
      for (const key of keys) {
        const found = commandOf([key], state("Take", [id("Take"), id("Both")]))?.id;
        // The browser sends an event for the keys of the clipboard.
        assert.equal(found, clipboard ? undefined : name, key);
      }
    assert.equal(commandOf(["Escape"], state("Take")), undefined);
    assert.equal(commandOf(["Delete"], { ...state("Take"), node: undefined }), undefined);
    assert.equal(commandOf(["N"], { ...state("Take"), node: undefined })?.id, "createState");
    assert.equal(commandOf(["?", "Shift+G"], state("Both"))?.id, "unwrapState");
  });

  test("say that they need a state if there is none", () => {
    for (const { plan } of COMMANDS.filter((one) => !one.anywhere))
      assert.deepEqual(messages(drive(plan({ index, node: undefined, selected: [], multiSelect: false }))), [
        "Select a state first, in the graph or in the definition.",
      ]);
  });

  test("of a menu are those that the state can have", () => {
    const has = (name, selected, whole = true) => menuOf(at(id(name)), state(name, selected), whole).map((one) => one.id);
    assert.ok(has("Both").includes("addBranch") && has("Both").includes("unwrapState"));
    assert.ok(!has("Take").includes("addBranch") && !has("Take").includes("orderWays"));
    assert.ok(has("Which").includes("orderWays"));
    assert.ok(!has("Good").includes("appendState") && has("Good").includes("insertState"));
    // A view with a list of all commands does not repeat the rare ones.
    assert.ok(has("Take").includes("createState") && !has("Take", undefined, false).includes("createState"));
    const several = has("Take", [id("Take"), id("Both")]);
    assert.ok(several.includes("wrapStates") && several.includes("deleteStates") && !several.includes("renameState"));
  });

  test("of a transition depend on its kind", () => {
    const titles = (one) => transitionMenuOf(index, one).map(({ label }) => label);
    assert.deepEqual(titles(edge("Take", "Both")), ["Insert a state…", "Lead it to another state…", "Remove the transition"]);
    const start = graph.edges.find(({ kind }) => kind === "start");
    assert.deepEqual(titles(start), ["Insert a state…", "Lead it to another state…"]);
    const end = graph.edges.find(({ kind }) => kind === "end");
    assert.deepEqual(titles(end), ["Insert a state…"]);
  });
});

describe("a plan", () => {
  test("adds the chosen state where the user has said", () => {
    const plan = command("insertState").plan(state("Take"));
    const driven = drive(plan, {
      pick: ({ modes }) => ({ id: "Wait", mode: modes[1].id }),
      perform: { ...done, select: ["/States/Wait"] },
    });
    // The first state has the transition that leads to it too.
    assert.deepEqual(performed(driven), [
      { kind: "insert", edge: graph.edges.find(({ kind, to }) => kind === "start" && to === id("Take")).id, state: { type: "Wait" } },
    ]);
    assert.deepEqual(
      driven.steps.map(([step]) => step),
      ["pick", "remember", "perform", "added"],
    );
  });

  test("does nothing if nothing is chosen", () => {
    for (const name of ["appendState", "connectState", "retypeState", "wrapStates", "disconnectState", "selectAlong", "renameState"]) {
      const possible = [
        { kind: "append", as: "next" },
        { kind: "connect", as: "next", targets: [{ pointer: "/States/Good", name: "Good", type: "Succeed" }] },
        { kind: "retype", types: ["Wait"] },
        { kind: "wrap" },
      ];
      const { steps } = drive(command(name).plan(state("Take")), { possible, pick: undefined });
      assert.deepEqual(
        steps.map(([step]) => step).filter((step) => step !== "possible" && step !== "pick" && step !== "name"),
        [],
        name,
      );
    }
  });

  test("says why a state cannot have what is asked for", () => {
    const refused = { code: "impossible", message: "a `Succeed` has no `Next`" };
    for (const [name, possible] of [
      ["appendState", [{ kind: "append", refused }]],
      ["connectState", [{ kind: "connect", refused }]],
      ["retypeState", [{ kind: "retype", refused }]],
      ["wrapStates", [{ kind: "wrap", refused }]],
    ])
      assert.deepEqual(messages(drive(command(name).plan(state("Take")), { possible })), ['A "Succeed" has no "Next".'], name);
  });

  test("inserts a copy, a pattern or a call of a service with what belongs to it", () => {
    const ways = [{ id: "create", title: "", where: { scope: "" } }];
    const choosing = (option, answers) =>
      drive(adding("Add a state", ways), { pick: { id: option, mode: "create" }, perform: done, ...answers });
    assert.deepEqual(performed(choosing("copy /States/Take", { edit: { before: "", stale: false, done: { ...done, asl: "{}" } } })), [
      { kind: "paste", asl: "{}", scope: "" },
    ]);
    const pattern = { asl: "{}", mocks: { Pay: {} }, input: 1 };
    const stops = [{ start: 1, end: 2 }];
    const { steps } = choosing("pattern retry", { pattern, perform: { ...done, stops } });
    assert.deepEqual(steps.find(([step]) => step === "perform")[2].pattern, pattern);
    assert.deepEqual(steps.at(-1), ["fillIn", { ...done, stops }]);
    const task = { type: "Task", name: "Send" };
    assert.deepEqual(performed(choosing("service sync arn", { serviceState: task })), [{ kind: "create", scope: "", state: task }]);
    // What was chosen last is listed first, under the same id.
    assert.deepEqual(performed(choosing("recent Wait")), [{ kind: "create", scope: "", state: { type: "Wait" } }]);
  });

  test("deletes, and goes on at a neighbour that is left", () => {
    const { steps } = drive(command("deleteStates").plan(state("Both")), { perform: done });
    assert.deepEqual(steps, [
      ["perform", { kind: "delete", states: ["/States/Both"] }, { at: "/States/Both" }],
      ["focus", "/States/Take"],
    ]);
  });

  test("moves rules in the order of their evaluation", () => {
    let choice;
    drive(command("orderWays").plan(state("Which")), { pick: (asked) => void (choice = asked) });
    const [first] = choice.groups[0].options;
    const moved = drive(choice.move(first.id, 1), { perform: done });
    assert.deepEqual(performed(moved), [{ kind: "move", at: "/States/Which/Choices/0", to: 1 }]);
    assert.equal(moved.result[0].title, "Rules");
    assert.deepEqual(performed(drive(command("branchRight").plan(state(`${id("Both")}/Branches/0/States/Ring`)))), [
      { kind: "move", at: "/States/Both/Branches/0", to: 1 },
    ]);
    assert.deepEqual(messages(drive(command("branchLeft").plan(state("Take")))), ["The state is in no branch of a Parallel."]);
  });

  test("selects: one by one, beside, along, none", () => {
    const chosen = (driven) => driven.steps.find(([step]) => step === "select")[1];
    assert.deepEqual(chosen(drive(command("alsoSelect").plan(state("Both", [id("Take")])))), [id("Take"), id("Both")]);
    assert.deepEqual(chosen(drive(command("alsoSelect").plan(state("Both", [id("Take"), id("Both")])))), [id("Take")]);
    assert.equal(chosen(drive(command("selectBeside").plan(state("Take")))).length, 5);
    const down = drive(command("selectAlong").plan(state("Which")), { pick: { id: "down", mode: "" } });
    assert.deepEqual(chosen(down).sort(), ["/States/Bad", "/States/Good", "/States/Which"]);
    assert.deepEqual(messages(down), ["3 states selected."]);
    assert.deepEqual(messages(drive(command("clearSelection").plan(state("Take")))), ["Nothing is selected."]);
  });

  test("pastes behind the state, or beside it", () => {
    const where = (name) => performed(drive(pasteText("{}"), { state: state(name) }))[0];
    assert.deepEqual(where("Take"), { kind: "paste", asl: "{}", edge: edge("Take", "Both").id });
    assert.deepEqual(where("Good"), { kind: "paste", asl: "{}", scope: "" });
    assert.deepEqual(messages(drive(pasteText(" "))), ["There is nothing to paste."]);
    assert.match(messages(drive(command("pasteStates").plan(state("Take"))))[0], /Paste with the keyboard/);
  });
});

describe("a transition that is dropped", () => {
  const dropped = (rest, answers) =>
    drive(dropTransition(index, { from: id("Take"), edge: undefined, at: { x: 1, y: 2 }, ...rest }), answers);
  const connect = (as) => ({ kind: "connect", as, targets: [{ pointer: id("Good"), name: "Good", type: "Succeed" }] });

  test("on a state connects it, and asks which kind it is if there are several", () => {
    assert.deepEqual(performed(dropped({ to: id("Good"), known: [connect("next")] })), [
      { kind: "connect", from: id("Take"), as: "next", to: id("Good") },
    ]);
    const two = { to: id("Good"), known: [connect("next"), connect("catch")] };
    assert.equal(performed(dropped(two, { pick: { id: "catch" } }))[0].as, "catch");
    assert.deepEqual(performed(dropped(two)), []);
    assert.deepEqual(performed(dropped({ edge: "/States/Take/Next", to: id("Bad") })), [
      { kind: "connect", edge: "/States/Take/Next", to: id("Bad") },
    ]);
  });

  test("where nothing is asks which state to add, and leaves an existing transition", () => {
    const added = dropped({ to: null }, { possible: [{ kind: "append", as: "next" }], pick: { id: "Wait", mode: "next" }, perform: done });
    assert.deepEqual(performed(added), [{ kind: "append", from: id("Take"), as: "next", state: { type: "Wait" } }]);
    assert.deepEqual(messages(dropped({ edge: "/States/Take/Next", to: null })), ["Nothing has changed."]);
  });
});

describe("an option of the palette", () => {
  test("goes to what is below it: a state, a transition, or the scope", () => {
    const middle = ({ x, y, width, height }) => [x + width / 2, y + height / 2];
    assert.deepEqual(aimAt(index, ...middle(at(id("Take"))), 20), { node: id("Take") });
    const { points } = edge("Take", "Both");
    const way = aimAt(index, (points[0][0] + points.at(-1)[0]) / 2, (points[0][1] + points.at(-1)[1]) / 2, 20);
    assert.equal(way.edge?.id, edge("Take", "Both").id);
    assert.deepEqual(aimAt(index, -500, -500, 20), { scope: "" });
    assert.equal(aimTitle(index, way), "Insert a state between Take and Both");
    assert.equal(aimTitle(null, { scope: "" }), "Begin with it");
    const dropped = drive(dropOption({ id: "Wait", title: "Wait" }, way, { x: 0, y: 0 }));
    assert.deepEqual(performed(dropped), [{ kind: "insert", edge: edge("Take", "Both").id, state: { type: "Wait" } }]);
    assert.deepEqual(messages(drive(dropOption({ id: "Wait", title: "Wait" }, null))), ["Wait was not added."]);
  });
});

describe("a gesture", () => {
  const edited = (rest = {}) => ({ before: "{}", stale: false, done: { ...done, ...rest } });

  test("is tried again if the text has changed, and given up if it changes all the time", () => {
    let tries = 0;
    const late = drive(performing({ kind: "duplicate", states: [] }), { edit: () => ({ ...edited(), stale: tries++ === 0 }) });
    assert.equal(late.steps.filter(([step]) => step === "apply").length, 1);
    const never = drive(performing({ kind: "duplicate", states: [] }), { edit: { ...edited(), stale: true } });
    assert.deepEqual(messages(never), ["The text is being changed. Try again."]);
    assert.equal(never.result, undefined);
  });

  test("asks before fields are removed, and where transitions go", () => {
    const losses = [{ pointer: "/States/Ship/Retry", message: "Wait has no `Retry`" }];
    const retype = (pick) =>
      drive(performing({ kind: "retype", state: "", type: "Wait" }, { careful: true }), { edit: edited({ losses }), pick });
    assert.equal(retype({ id: "no" }).result, undefined);
    const sure = retype({ id: "yes" });
    assert.equal(sure.steps[1][1].title, "Wait has no Retry: this removes it");
    assert.equal(sure.steps.at(-1)[0], "apply");

    const choices = [
      { to: null, name: "" },
      { to: "/States/Good", name: "Good" },
    ];
    const refused = { done: { refused: { code: "ambiguous", message: "there are two", choices } }, stale: false };
    const gestures = [];
    const edit = (gesture) => (gestures.push(gesture), gestures.length === 1 ? refused : edited());
    drive(performing({ kind: "delete", states: ["/States/Which"] }), { edit, pick: { id: "" } });
    assert.deepEqual(gestures[1], { kind: "delete", states: ["/States/Which"], to: null });
  });

  test("that is refused or fails says so, and is not applied", () => {
    const why = (edit) => drive(performing({ kind: "duplicate", states: [] }), { edit });
    assert.deepEqual(messages(why({ stale: false, done: { refused: { code: "last", message: "or it is the last" } } })), [
      "It is the last.",
    ]);
    assert.deepEqual(messages(why({ failed: "the interpreter is gone" })), ["The interpreter is gone."]);
    const inside = drive(performing({ kind: "duplicate", states: [] }), { editable: false });
    assert.deepEqual(inside.steps, []);
  });

  test("is announced with what it has removed and the errors that are new", () => {
    const losses = [{ pointer: "/States/Ship/Retry", message: "Wait has no `Retry`" }];
    assert.equal(
      announcement({ ...done, announce: "`A` is a Wait now", losses }, [{ message: "no `Seconds`" }]),
      '"A" is a Wait now. Wait has no "Retry". New problem: No "Seconds".',
    );
  });
});

describe("the list of a choice", () => {
  const ids = ["a", "b", "c"];
  const press = (key, { choice = {}, at = 0, alt = false, mod = false, on = "list" } = {}) =>
    listAction(choice, ids, at, { key, alt, mod, on });

  test("goes on with the arrows, from the last option to the first", () => {
    assert.deepEqual(press("ArrowDown"), { do: "mark", at: 1 });
    assert.deepEqual(press("ArrowUp"), { do: "mark", at: 2 });
    assert.deepEqual(press("ArrowDown", { at: 2 }), { do: "mark", at: 0 });
    assert.deepEqual(press("PageDown"), { do: "mark", at: 2 });
    assert.deepEqual(press("PageUp", { at: 2 }), { do: "mark", at: 0 });
    // The arrows choose among the purposes while one of these has the focus.
    assert.equal(press("ArrowDown", { on: "modes" }), undefined);
  });

  test("answers, cancels, moves an option, and leaves the rest to the browser", () => {
    assert.deepEqual(press("Enter", { at: 1 }), { do: "answer", id: "b" });
    assert.equal(press("Enter", { on: "button" }), undefined);
    assert.deepEqual(press("Escape"), { do: "cancel" });
    assert.deepEqual(press("U", { choice: { keys: { u: "up" } } }), { do: "answer", id: "up" });
    assert.deepEqual(press("ArrowDown", { alt: true, choice: { move() {} } }), { do: "move", by: 1 });
    assert.deepEqual(press("Tab"), { do: "cancel" });
    assert.equal(press("Tab", { choice: { modes: [{}, {}] } }), undefined);
    assert.equal(press("Tab", { choice: { move() {} } }), undefined);
    assert.deepEqual(press("x"), { do: "type" });
    assert.equal(press("c", { mod: true }), undefined);
  });

  test("has the option that the text stands for, those that match, and those that were found", () => {
    const own = [
      {
        title: "",
        options: [
          { id: "w", title: "Wait" },
          { id: "t", title: "Task" },
        ],
      },
    ];
    const found = [{ title: "Services", options: [{ id: "s", title: "SQS" }] }];
    const shown = (text, choice = {}) => groupsFor(choice, own, found, text).flatMap(({ options }) => options.map((one) => one.id));
    assert.deepEqual(shown(""), ["w", "t"]);
    assert.deepEqual(shown("wa"), ["w", "s"]);
    assert.deepEqual(shown("wa", { made: (text) => ({ id: text, title: text }) }), ["wa", "w", "s"]);
  });
});

describe("the signs over the graph", () => {
  const sight = (rest) => ({
    index,
    scale: 1,
    labels: [],
    beside: () => false,
    over: {},
    selected: [],
    focused: undefined,
    touched: false,
    ports: false,
    ...rest,
  });
  const keys = (rest) => signsOf(sight(rest)).map(({ key }) => key);

  test("are those of what is selected, below the pointer, or focused", () => {
    assert.deepEqual(keys({}), []);
    const take = [`insert ${edge("Take", "Both").id}`, `port ${id("Take")}`];
    assert.deepEqual(keys({ over: { node: id("Take") } }), take);
    assert.ok(keys({ selected: [id("Take")] }).includes(`insert ${graph.edges.find(({ kind }) => kind === "start").id}`));
    const [port] = signsOf(sight({ focused: id("Take") }));
    assert.deepEqual([port.key, port.set["data-focus"]], [`port ${id("Take")}`, ""]);
    assert.deepEqual(keys({ over: { edge: edge("Take", "Both") } }), [`end ${edge("Take", "Both").id}`, take[0]]);
    // No state comes after a Succeed, and its end is no transition.
    assert.deepEqual(keys({ over: { node: id("Good") } }), []);
  });

  test("are all there for touch, which has no hover", () => {
    const all = keys({ touched: true, ports: true });
    assert.equal(all.filter((key) => key.startsWith("port ")).length, index.stateCount - 2);
    assert.ok(all.filter((key) => key.startsWith("insert ")).length > 8);
    assert.equal(new Set(all).size, all.length);
  });
});

describe("the gestures of the pointer", () => {
  const plan = (gesture, given, at = state("Take")) =>
    drive(GESTURES[gesture](index, given, at), { possible: [{ kind: "append", as: "next" }] });
  const outcomes = {
    press: [{ press: { insert: edge("Take", "Both") }, at: { x: 0, y: 0 } }, "pick"],
    create: [{ x: 0, y: 0, at: { x: 0, y: 0 } }, "pick"],
    rename: [{ node: at(id("Take")) }, "name"],
    toggle: [{ id: id("Both") }, "select"],
    clear: [{}, "select"],
    connect: [{ dragged: { edge: "/States/Take/Next", from: id("Take"), x: 0, y: 0 }, over: id("Bad"), at: { x: 0, y: 0 } }, "perform"],
    lasso: [{ box: between(graph.width, graph.height, 0, 0) }, "select"],
  };

  test("each have a plan", () => {
    assert.deepEqual(Object.keys(outcomes).sort(), Object.keys(GESTURES).sort());
    for (const [gesture, [given, step]] of Object.entries(outcomes))
      assert.ok(
        plan(gesture, given).steps.some(([done]) => done === step),
        gesture,
      );
    assert.deepEqual(plan("press", { press: { append: at(id("Take")) }, at: undefined }).steps[1][1].title, "Add a state after Take: Next");
    assert.deepEqual(plan("clear", {}, state("Take", [])).steps, []);
  });

  test("that drag a transition show where it can go, and where not", () => {
    const to = at(id("Good"));
    const known = [{ kind: "connect", edge: "/States/Take/Next", targets: [{ pointer: id("Good") }] }];
    const drag = (node, found) => {
      const [x, y] = [node.x + node.width / 2, node.y + node.height / 2];
      const { over, signs } = connecting(index, {
        dragged: { from: id("Take"), edge: "/States/Take/Next", x: 0, y: 0 },
        x,
        y,
        known: found,
      });
      return [over, ...signs.map((sign) => sign.class)];
    };
    assert.deepEqual(drag(to, known), [id("Good"), "target hit", "lead"]);
    assert.deepEqual(drag(at(id("Bad")), known), [id("Bad"), "target", "no-target", "lead not"]);
    // Before the interpreter has answered, nothing is refused.
    assert.deepEqual(drag(at(id("Bad")), undefined), [id("Bad"), "lead"]);
  });
});

describe("the page and the element", async () => {
  const { bound } = await importSource("www/src/editing/bound.ts");
  const { keyOf } = await importSource("www/src/embed/keys.ts");
  const several = state("Take", [id("Take"), id("Both")]);

  test("both bind all keys of the commands", () => {
    const ran = [];
    const onPage = bound({ own: () => true, state: () => several, run: (one) => ran.push(one.id) });
    for (const { id: name, keys = [], clipboard } of COMMANDS) {
      const there = onPage.find((one) => one.id === name);
      assert.deepEqual(there?.keys ?? [], keys, name);
      assert.equal(there.run === undefined, clipboard === true, name);
      if (!clipboard) there.run();
      for (const key of keys) assert.equal(keyOf([key], several, true)?.id, clipboard ? undefined : name, key);
    }
    assert.deepEqual(
      ran,
      COMMANDS.filter(({ clipboard }) => !clipboard).map((one) => one.id),
    );
    // The definition of a child execution is not edited.
    assert.ok(bound({ own: () => false, state: () => several, run() {} }).every(({ able }) => able?.() !== true));
  });

  test("have the keys of the graph in the graph only, but for undo and save", () => {
    assert.equal(keyOf(["A"], several, false), undefined);
    assert.equal(keyOf(["Mod+Z"], several, false)?.id, "undoGraph");
    assert.equal(keyOf(["Mod+S"], several, false), "save");
    assert.equal(keyOf(["Shift+F10"], several, true), "menu");
    assert.equal(keyOf(["Shift+F10"], several, false), undefined);
  });
});
