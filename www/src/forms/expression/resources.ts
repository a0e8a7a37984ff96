// The known Resources of tasks: those of other tasks, those that mocks and handlers answer, and placeholders.

import { mocks } from "../../debugger/model.ts";
import * as workspace from "../../store/workspace.ts";
import { placeholderNames } from "./moreCompletions.ts";
import type { Offer } from "./proposals.tsx";

const WRITTEN = /\bResource["']?\s*:\s*(?:"((?:[^"\\\n]|\\.)+)"|'([^'\n]+)'|([^\s"'{},]\S*))/g;

/** Returns the Resources of a text in JSON or YAML. */
function resourcesIn(text: string): string[] {
  return [...text.matchAll(WRITTEN)].map(([, double, single, plain]) => double ?? single ?? plain!);
}

/** Matches a member whose value is a function. */
const MEMBER =
  /(?:^|[{,])\s*(?:async\s+)?(["'`]?)([A-Za-z_$][\w$:./*-]*)\1\s*(?::\s*(?:async\b|function\b|\(|[\w$]+\s*=>)|\([^()]*\)\s*\{)/gm;
const KEYWORDS: ReadonlySet<string> = new Set(["if", "for", "while", "switch", "catch", "function", "return", "with"]);

/** Returns the names of the functions in a handlers' module. Its code does not run. */
function handlerNames(text: string): string[] {
  const at = text.search(/export\s+default/);
  if (at < 0) return [];
  return [...text.slice(at).matchAll(MEMBER)].map(([, , name]) => name!).filter((name) => !KEYWORDS.has(name) && !name.includes("*"));
}

const LAMBDA = /arn:[\w-]+:lambda:[\w-]+:\d+:function:/;

/** Returns the ARN of a function, in the account and region of the machine's other functions. */
const functionOf = (name: string, text: string): string =>
  `${LAMBDA.exec(text)?.[0] ?? "arn:aws:lambda:us-east-1:123456789012:function:"}${name}`;

/** Returns each Resource once, the most relevant first. */
function knownResources(): { resource: string; detail: string }[] {
  const text = workspace.definition.peek();
  const named = (names: readonly string[], detail: string): { resource: string; detail: string }[] =>
    names.map((name) => ({ resource: name.startsWith("arn:") ? name : functionOf(name, text), detail }));
  const all = [
    ...resourcesIn(text).map((resource) => ({ resource, detail: "Another task calls it" })),
    ...named(Object.keys(mocks.peek()), "It has a mock"),
    ...named(handlerNames(workspace.tasks.peek()), "It has a handler under Tasks"),
    ...[...workspace.siblings.peek(), ...workspace.machines.peek()].flatMap(({ name, definition }) =>
      resourcesIn(definition).map((resource) => ({ resource, detail: `${name} calls it` })),
    ),
    ...placeholderNames(text).map((name) => ({ resource: `\${${name}}`, detail: "Replaced by the deployment" })),
  ];
  const known = new Map(all.map((one) => [one.resource, one]).reverse() as [string, (typeof all)[number]][]);
  return [...known.values()].reverse();
}

/** Returns the completions that replace the whole field, without the current text. */
export async function besidesResource(written: string): Promise<readonly Offer[]> {
  return knownResources()
    .filter(({ resource }) => resource !== written)
    .map(({ resource, detail }) => ({ label: resource, insert: resource, kind: "value", detail, from: 0, to: written.length }));
}
