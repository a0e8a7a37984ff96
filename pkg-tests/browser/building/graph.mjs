// Builds the graph of a machine by gestures: each state is added where the way from the first one comes to it.
import assert from "node:assert/strict";
import { pointerTo, valueAt } from "./hands.mjs";

/** The transitions of a state in the order in which they are made: the catcher of all errors has to be the last, so it comes first. */
const waysOf = ({ Next, Choices = [], Default, Catch = [] }) => [
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

/** Builds the states of a machine, a branch or a processor at `at`, where its first state is already. */
export async function buildScope(hands, wanted, at = []) {
  const made = new Set();
  const states = [...at, "States"];
  const pointerOf = (name) => pointerTo("", ...states, name);
  const scope = async () => valueAt(await hands.machine(), at);

  /** Makes a state that is there the one that is wanted; `before` is the transition to it, of that state. */
  const adopt = async (found, name, [from, mode]) => {
    const { Type } = wanted.States[name];
    const { Type: own, Next } = (await scope()).States[found];
    // What leads nowhere cannot become a Choice, but can come behind one.
    if (Type === "Choice" && own !== "Choice" && Next === undefined) found = await hands.insert(pointerOf(from), mode, Type);
    await hands.retype(pointerOf(found), Type);
    await hands.rename(pointerOf(found), name);
    made.add(name);
    await inside(hands, wanted.States[name], [...states, name]);
    queue.push(name);
  };

  const queue = [];
  const first = (await scope()).StartAt;
  await adopt(first, wanted.StartAt, [first, /^Before/]);
  while (queue.length > 0) {
    const from = queue.shift();
    for (const way of waysOf(wanted.States[from])) {
      const now = (await scope()).States[from];
      const there = way.nth === undefined ? valueAt(now, way.place) : undefined;
      if (there === way.to && made.has(way.to)) continue;
      const before = [from, way.connect];
      if (made.has(way.to)) await connect(way, from, there, now);
      else if (there === undefined)
        await adopt(await hands.append(pointerOf(from), way.append, wanted.States[way.to].Type), way.to, before);
      else if (!made.has(there)) await adopt(there, way.to, before);
      else await adopt(await hands.insert(pointerOf(from), way.connect, wanted.States[way.to].Type), way.to, before);
      const kept = valueAt((await scope()).States[from], way.place);
      assert.equal(kept, way.to, `${from} ${way.place.join("/")}`);
    }
  }

  async function connect(way, from, there, now) {
    const catchers = now.Catch?.length ?? 0;
    await hands.lead(pointerOf(from), there === undefined ? way.append : way.connect, pointerOf(way.to));
    await hands.becomes((after) => {
      const state = valueAt(after, [...states, from]);
      assert.equal(valueAt(state, way.place), way.to);
      if (way.nth !== undefined) assert.equal(state.Catch.length, catchers + 1);
    });
  }

  for (const name of Object.keys((await scope()).States).filter((other) => !made.has(other))) await hands.remove(pointerOf(name));
  assert.deepEqual(Object.keys((await scope()).States).sort(), Object.keys(wanted.States).sort());
}

/** What is inside of a state: the branches of a Parallel, the processor of a Map. */
async function inside(hands, { Branches, ItemProcessor }, at) {
  for (const [i, branch] of (Branches ?? []).entries()) {
    if (valueAt(await hands.machine(), [...at, "Branches", i]) === undefined)
      await hands.branch(pointerTo("", ...at), branch.States[branch.StartAt].Type);
    await buildScope(hands, branch, [...at, "Branches", i]);
  }
  if (ItemProcessor) await buildScope(hands, ItemProcessor, [...at, "ItemProcessor"]);
}

/** All states, with those inside of others: the steps to each, and what it has. */
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
