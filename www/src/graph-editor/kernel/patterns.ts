// Patterns: small machines to insert. They have names that do not clash, mocks that let them run, and placeholders to fill in.

import type { Mock } from "../../model/protocol.ts";
import type { Option } from "./options.ts";
import approval from "../../../patterns/approval.json";
import batchS3 from "../../../patterns/batch-s3.json";
import child from "../../../patterns/child.json";
import circuitBreaker from "../../../patterns/circuit-breaker.json";
import fanOut from "../../../patterns/fan-out.json";
import parallelTimeout from "../../../patterns/parallel-timeout.json";
import poll from "../../../patterns/poll.json";
import retry from "../../../patterns/retry.json";
import saga from "../../../patterns/saga.json";
import throttle from "../../../patterns/throttle.json";
import tryCatch from "../../../patterns/try-catch.json";

type Json = unknown;
type Body = Record<string, Json>;
interface Scope {
  StartAt: string;
  States: Record<string, Body>;
}

/** A pattern as its file has it. The pattern is run with its first case. */
interface Pattern {
  id: string;
  title: string;
  lesson: string;
  words: string;
  definition: Scope;
  cases: { name: string; input: Json; mocks: Record<string, Mock> }[];
}

const FILES: Record<string, unknown> = {
  "try-catch": tryCatch,
  retry,
  saga,
  approval,
  poll,
  "fan-out": fanOut,
  "batch-s3": batchS3,
  "circuit-breaker": circuitBreaker,
  throttle,
  "parallel-timeout": parallelTimeout,
  child,
};

const patterns = Object.entries(FILES).map(([id, file]) => ({ id, ...(file as Omit<Pattern, "id">) }));

/** The patterns as options of a menu. */
export const patternOptions: readonly Option[] = patterns.map(({ id, title, lesson, words }) => ({
  id: `pattern ${id}`,
  title,
  detail: lesson,
  words: `pattern ${words}`,
}));

/** Renames the states of a definition. */
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

/** Returns new names for the states whose names the machine already has. */
function newNames(scope: Scope, there: ReadonlySet<string>): Map<string, string> {
  const own = namesIn(scope);
  const taken = new Set([...there, ...own]);
  const names = new Map<string, string>();
  for (const name of own) {
    let next = name;
    for (let n = 2; there.has(next) || (next !== name && taken.has(next)); n++) next = `${name} ${n}`;
    taken.add(next);
    names.set(name, next);
  }
  return names;
}

/** Returns a pattern for a machine with states of these names: its definition, its mocks under the new names, and an input. */
export function patternFor(id: string, there: ReadonlySet<string>): { asl: string; mocks: Record<string, Mock>; input: Json } | undefined {
  const pattern = patterns.find((one) => one.id === id);
  const [first] = pattern?.cases ?? [];
  if (!pattern || !first) return undefined;
  const names = newNames(pattern.definition, there);
  const named = (old: string): string => names.get(old) ?? old;
  return {
    asl: JSON.stringify(renamed(pattern.definition, named)),
    mocks: Object.fromEntries(Object.entries(first.mocks).map(([state, mock]) => [named(state), mock])),
    input: first.input,
  };
}
