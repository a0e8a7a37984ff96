// The hand-written types match the exports exactly.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import * as stepglass from "stepglass";

const read = (path) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const types = read("js/core/api/index.d.ts");

test("every export has a type, and every typed value is exported, also to CommonJS", () => {
  const typed = [...types.matchAll(/^export (?:function|class|const) (\w+)/gm)].map(([, name]) => name);
  assert.deepEqual([...new Set(typed)].sort(), Object.keys(stepglass).sort());
  const common = createRequire(import.meta.url)("stepglass");
  assert.deepEqual(Object.keys(common).sort(), Object.keys(stepglass).sort());
});

test("import, require() and all entries share one copy of the package", async () => {
  const require = createRequire(import.meta.url);
  for (const [entry, name] of [
    ["stepglass", "StateMachine"],
    ["stepglass/slim", "StateMachine"],
    ["stepglass/inline", "StateMachine"],
    ["stepglass/debug", "DebugSession"],
    ["stepglass/testing", "testMachine"],
    ["stepglass/server", "serve"],
    ["stepglass/node", "folder"],
  ]) {
    const imported = await import(entry);
    assert.equal(imported[name], require(entry)[name], entry);
    if (name === "StateMachine") assert.equal(imported[name], stepglass.StateMachine, entry);
  }
  const { DebugSession } = require("stepglass/debug");
  assert.equal(new DebugSession(new stepglass.StateMachine(GOOD)).status, "paused");
});

test("every type of event is in the union", () => {
  const [, list] = /^event_types! \{([^}]*)\}/m.exec(read("src/engine/event_type.rs"));
  const kinds = [...list.matchAll(/\w+/g)].map(([kind]) => kind);
  assert.ok(kinds.length > 50);
  const [, states] = /type StateType = (.*);/.exec(types);
  const ofStates = [...states.matchAll(/"(\w+)"/g)].flatMap(([, state]) => [`${state}StateEntered`, `${state}StateExited`]);
  const named = [...types.matchAll(/(?:HistoryEventOf<\s*|\| )"(\w+)"/g)].map(([, kind]) => kind);
  const known = new Set([...ofStates.filter((kind) => kind !== "FailStateExited"), ...named]);
  assert.deepEqual(
    kinds.filter((kind) => !known.has(kind)),
    [],
  );
});

test("every reason of a cancellation is in the union", () => {
  const reasons = [...read("src/engine/command.rs").matchAll(/CancelReason::\w+ => "(\w+)"/g)].map(([, reason]) => reason);
  const [, union] = /type CancelReason = (.*);/.exec(types);
  assert.deepEqual(reasons.sort(), [...union.matchAll(/"(\w+)"/g)].map(([, reason]) => reason).sort());
});

test("the options in the types are those that the functions accept", () => {
  for (const [name, misspelt] of [
    ["StartOptions", () => new stepglass.StateMachine(GOOD).start({}, { "": 1 })],
    ["MachineOptions", () => new stepglass.StateMachine(GOOD, { "": 1 })],
    ["SimulateOptions", () => stepglass.simulate(GOOD, {}, {}, { "": 1 })],
    ["SvgOptions", () => stepglass.renderSvg(GOOD, { "": 1 })],
    ["ScriptedResult", () => stepglass.simulate(TASK, {}, { T: { "": 1 } })],
  ]) {
    const { message } = thrownBy(misspelt);
    const taken = /it has (.*)$/.exec(message)[1].split(", ");
    assert.deepEqual(taken.sort(), members(name).sort(), name);
  }
});

const GOOD = { StartAt: "A", States: { A: { Type: "Succeed" } } };
const TASK = { StartAt: "T", States: { T: { Type: "Task", Resource: "arn:aws:states:::sqs:sendMessage", End: true } } };

/** Returns the members of an interface and of those that it extends. */
function members(name) {
  const [, parents = "", body] = new RegExp(`export interface ${name}(?: extends ([^{]*))? \\{\\n([^]*?)\\n\\}`).exec(types);
  const own = [...body.matchAll(/^ {2}(\w+)\??:/gm)].map(([, member]) => member);
  const inherited = parents
    .split(/,(?![^<]*>)/)
    .filter((parent) => parent.trim() !== "")
    .flatMap((parent) => {
      const [, base = parent.trim(), omitted = ""] = /Omit<(\w+), ([^>]*)>/.exec(parent) ?? [];
      return members(base).filter((member) => !omitted.includes(`"${member}"`));
    });
  return [...own, ...inherited];
}

function thrownBy(run) {
  try {
    run();
  } catch (error) {
    return error;
  }
  return assert.fail("nothing was thrown");
}
