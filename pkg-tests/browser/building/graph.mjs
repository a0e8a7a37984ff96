// Builds the graph of a machine by gestures. States are added in the order in which transitions reach them.
import assert from "node:assert/strict";
import { pointerTo, valueAt } from "./user.mjs";

/**
 * The transitions of a state in the order in which they are created. A new catcher comes first, and a catcher of all errors must
 * end up last, so catchers are created in reverse.
 */
const transitionsOf = ({ Next, Choices = [], Default, Catch = [] }) => [
  ...(Next === undefined ? [] : [{ place: ["Next"], to: Next, append: "Next", connect: /^(Next|→ .*)$/ }]),
  ...Choices.map((rule, i) => ({
    place: ["Choices", i, "Next"],
    to: rule.Next,
    append: "Another rule",
    connect: new RegExp(`^Rule ${i + 1}\\b`),
  })),
  ...(Default === undefined ? [] : [{ place: ["Default"], to: Default, append: "Default", connect: /^Default/ }]),
  ...Catch.map((one, i) => ({ nth: i, place: ["Catch", 0, "Next"], to: one.Next, append: "On an error" })).reverse(),
];

/** Builds the states of a machine, a branch or a processor at `at`. Its first state must exist. */
export async function buildScope(user, wanted, at = []) {
  const made = new Set();
  const states = [...at, "States"];
  const pointerOf = (name) => pointerTo("", ...states, name);
  const scope = async () => valueAt(await user.machine(), at);

  /** Turns an existing state into the wanted one. `[from, mode]` is the transition that leads to it. */
  const adopt = async (found, name, [from, mode]) => {
    const { Type } = wanted.States[name];
    const { Type: own, Next } = (await scope()).States[found];
    // A state without a next state cannot become a Choice, but a Choice can be inserted before it.
    if (Type === "Choice" && own !== "Choice" && Next === undefined) found = await user.insert(pointerOf(from), mode, Type);
    await user.retype(pointerOf(found), Type);
    await user.rename(pointerOf(found), name);
    made.add(name);
    await inside(user, wanted.States[name], [...states, name]);
    queue.push(name);
  };

  const queue = [];
  const first = (await scope()).StartAt;
  await adopt(first, wanted.StartAt, [first, /^Before/]);
  while (queue.length > 0) {
    const from = queue.shift();
    for (const transition of transitionsOf(wanted.States[from])) {
      const now = (await scope()).States[from];
      const there = transition.nth === undefined ? valueAt(now, transition.place) : undefined;
      if (there === transition.to && made.has(transition.to)) continue;
      const before = [from, transition.connect];
      if (made.has(transition.to)) await connect(transition, from, there, now);
      else if (there === undefined)
        await adopt(await user.append(pointerOf(from), transition.append, wanted.States[transition.to].Type), transition.to, before);
      else if (!made.has(there)) await adopt(there, transition.to, before);
      else await adopt(await user.insert(pointerOf(from), transition.connect, wanted.States[transition.to].Type), transition.to, before);
      const kept = valueAt((await scope()).States[from], transition.place);
      assert.equal(kept, transition.to, `${from} ${transition.place.join("/")}`);
    }
  }

  async function connect(transition, from, there, now) {
    const catchers = now.Catch?.length ?? 0;
    await user.connect(pointerOf(from), there === undefined ? transition.append : transition.connect, pointerOf(transition.to));
    await user.untilMachine((after) => {
      const state = valueAt(after, [...states, from]);
      assert.equal(valueAt(state, transition.place), transition.to);
      if (transition.nth !== undefined) assert.equal(state.Catch.length, catchers + 1);
    });
  }

  for (const name of Object.keys((await scope()).States).filter((other) => !made.has(other))) await user.remove(pointerOf(name));
  assert.deepEqual(Object.keys((await scope()).States).sort(), Object.keys(wanted.States).sort());
}

/** Builds the states inside a state: the branches of a Parallel, the processor of a Map. */
async function inside(user, { Branches, ItemProcessor }, at) {
  for (const [i, branch] of (Branches ?? []).entries()) {
    if (valueAt(await user.machine(), [...at, "Branches", i]) === undefined)
      await user.branch(pointerTo("", ...at), branch.States[branch.StartAt].Type);
    await buildScope(user, branch, [...at, "Branches", i]);
  }
  if (ItemProcessor) await buildScope(user, ItemProcessor, [...at, "ItemProcessor"]);
}

/** Returns all states, including nested ones, as pairs of their path and their definition. */
export function allStates({ States }, at = []) {
  return Object.entries(States).flatMap(([name, state]) => {
    const own = [...at, "States", name];
    const nested = [
      ...(state.Branches ?? []).map((branch, i) => [branch, "Branches", i]),
      ...(state.ItemProcessor ? [[state.ItemProcessor, "ItemProcessor"]] : []),
    ];
    return [[own, state], ...nested.flatMap(([scope, ...steps]) => allStates(scope, [...own, ...steps]))];
  });
}
