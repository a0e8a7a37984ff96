// Patterns: small machines to insert, with names that do not clash, mocks that let them run, and placeholders to fill in.

import type { Mock } from "../model/protocol.ts";
import * as model from "../debugger/model.ts";
import * as analysis from "../store/analysis.ts";
import * as workspace from "../store/workspace.ts";
import { type Where, pasted } from "./add.ts";
import { type Spot, canEdit, perform } from "./gesture.ts";
import { dismissHint, showHint } from "./hints.ts";
import { pick } from "./picking.ts";
import { fillIn } from "./text.ts";
import * as prefs from "../prefs.ts";

type Json = unknown;
type Body = Record<string, Json>;
interface Scope {
  StartAt: string;
  States: Record<string, Body>;
}

/// As its file has it. The first case is what the page runs it with.
interface Pattern {
  id: string;
  title: string;
  lesson: string;
  words: string;
  definition: Scope;
  cases: { name: string; input: Json; mocks: Record<string, Mock> }[];
}

const ORDER = [
  "try-catch",
  "retry",
  "saga",
  "approval",
  "poll",
  "fan-out",
  "batch-s3",
  "circuit-breaker",
  "throttle",
  "parallel-timeout",
  "child",
];

const files: Record<string, Omit<Pattern, "id">> = import.meta.glob("../../patterns/*.json", { eager: true, import: "default" });

export const patterns: readonly Pattern[] = ORDER.map((id) => ({ id, ...files[`../../patterns/${id}.json`]! }));

/// Asks for a pattern alone.
export async function choosePattern(at: Spot): Promise<void> {
  if (!canEdit()) return;
  const chosen = await pick({
    title: "Begin with a pattern",
    placeholder: "Pattern",
    groups: [{ title: "", options: patterns.map(({ id, title, lesson, words }) => ({ id, title, detail: lesson, words })) }],
    at,
  });
  if (chosen) await insertPattern(chosen.id, { scope: "" }, { at });
}

/// A definition with other names for its states.
function renamed(scope: Scope, name: (old: string) => string): Scope {
  const body = (state: Body): Body => {
    const next: Body = { ...state };
    for (const key of ["Next", "Default"]) if (typeof next[key] === "string") next[key] = name(next[key]);
    for (const key of ["Choices", "Catch"])
      if (Array.isArray(next[key]))
        next[key] = next[key].map((one: Body) => (typeof one["Next"] === "string" ? { ...one, Next: name(one["Next"]) } : one));
    if (Array.isArray(next["Branches"])) next["Branches"] = next["Branches"].map((one: Scope) => renamed(one, name));
    if (next["ItemProcessor"] !== undefined) next["ItemProcessor"] = renamed(next["ItemProcessor"] as Scope, name);
    return next;
  };
  return {
    ...scope,
    StartAt: name(scope.StartAt),
    States: Object.fromEntries(Object.entries(scope.States).map(([key, state]) => [name(key), body(state)])),
  };
}

function namesIn(scope: Scope): string[] {
  return Object.entries(scope.States).flatMap(([name, state]) => [
    name,
    ...(Array.isArray(state["Branches"]) ? (state["Branches"] as Scope[]).flatMap(namesIn) : []),
    ...(state["ItemProcessor"] ? namesIn(state["ItemProcessor"] as Scope) : []),
  ]);
}

/// Other names for those that the machine has already.
function newNames(scope: Scope): Map<string, string> {
  const taken = new Set((analysis.latest.value?.states ?? []).map(({ name }) => name));
  const own = namesIn(scope);
  for (const name of own) if (!taken.has(name)) taken.add(name);
  const names = new Map<string, string>();
  const there = new Set((analysis.latest.value?.states ?? []).map(({ name }) => name));
  for (const name of own) {
    let next = name;
    for (let n = 2; there.has(next) || (next !== name && taken.has(next)); n++) next = `${name} ${n}`;
    taken.add(next);
    names.set(name, next);
  }
  return names;
}

/// Puts a pattern in its place, with its mocks, and goes to what is to be filled in.
export async function insertPattern(id: string, where: Where, options: { at?: Spot }): Promise<void> {
  const pattern = patterns.find((one) => one.id === id);
  const [first] = pattern?.cases ?? [];
  if (!pattern || !first) return;
  workspace.flush();
  const empty = workspace.definition.value.trim() === "";
  const names = newNames(pattern.definition);
  // In the query language of the machine the interpreter puts it.
  const asl = JSON.stringify(renamed(pattern.definition, (old) => names.get(old) ?? old));
  const done = await perform(pasted(asl, where), { ...options, fill: true });
  if (!done) return;
  const mocks = Object.fromEntries(Object.entries(first.mocks).map(([state, mock]) => [names.get(state) ?? state, mock]));
  model.mocks.value = { ...model.mocks.value, ...mocks };
  if (empty && /^\s*(\{\s*\})?\s*$/.test(workspace.input.value)) workspace.edit({ input: `${JSON.stringify(first.input, null, 2)}\n` });
  // On a phone the definition is another pane, and a keyboard would take half of it.
  if (done.stops.length === 0 || prefs.layoutSize() === "narrow") return;
  dismissHint();
  if (fillIn()) showHint("fill");
}
