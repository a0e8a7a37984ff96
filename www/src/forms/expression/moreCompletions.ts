// Completions of a field besides those of the interpreter: keys whose values come from the data, and placeholders of a
// deployment.

import { definition } from "../../store/workspace.ts";
import { type Field, askField } from "./queries.ts";
import { wordsFor } from "./naming.ts";
import type { Offer } from "./proposals.tsx";

/** The maximum number of names. */
const MOST = 50;

type MoreCompletions = (written: string, caret: number) => Promise<readonly Offer[]>;

/** Returns the completions for a field that takes expressions. */
export function moreCompletions(field: Field): MoreCompletions {
  return async (written, caret) => [
    ...placeholders(written, caret),
    ...(field.form === "template" && field.language === "JSONPath" ? await keys(field, written, caret) : []),
  ];
}

const PLACEHOLDER = /\$\{([A-Za-z][\w.:-]*)\}/g;

/** Returns the names of a definition's placeholders, in order. */
export function placeholderNames(text: string): string[] {
  return [...new Set([...text.matchAll(PLACEHOLDER)].map(([, name]) => name!))].slice(0, MOST);
}

/** Returns the definition's other placeholders if one is being typed. */
export function placeholders(written: string, caret: number): Offer[] {
  const begun = /\$\{[\w.:-]*$/.exec(written.slice(0, caret));
  if (!begun) return [];
  const to = caret + /^[\w.:-]*\}?/.exec(written.slice(caret))![0].length;
  const own = written.slice(begun.index, to);
  return placeholderNames(definition.peek())
    .map((name) => `\${${name}}`)
    .filter((text) => text !== own)
    .map((text) => ({ label: text, insert: text, kind: "placeholder", detail: "Replaced by the deployment", from: begun.index, to }));
}

interface Key {
  /** The offset of its first quote. */
  from: number;
  /** The typed part of the key, up to the caret. */
  begun: string;
}

/** Returns the key of an object that contains the caret. */
function keyAt(written: string, caret: number): Key | undefined {
  /** The open objects and lists, and whether a value comes next in each. */
  const open: { object: boolean; value: boolean }[] = [];
  let string = -1;
  for (let i = 0; i < caret; i++) {
    const letter = written[i]!;
    const inner = open.at(-1);
    if (string >= 0) {
      if (letter === "\\") i++;
      else if (letter === '"') string = -1;
    } else if (letter === '"') string = i;
    else if (letter === "{" || letter === "[") open.push({ object: letter === "{", value: false });
    else if (letter === "}" || letter === "]") open.pop();
    else if (inner && letter === ":") inner.value = true;
    else if (inner && letter === ",") inner.value = false;
  }
  const inner = open.at(-1);
  return string >= 0 && inner?.object && !inner.value ? { from: string, begun: written.slice(string + 1, caret) } : undefined;
}

/** Returns keys that end in `.$`, each with the path of a member of the data, or with an empty one. */
async function keys(field: Field, written: string, caret: number): Promise<Offer[]> {
  const key = keyAt(written, caret);
  if (!key) return [];
  const rest = /^(?:[^"\\\n]|\\.)*"/.exec(written.slice(caret))?.[0].length ?? 0;
  // A key that has a value keeps it.
  const hasValue = rest > 0 && /^\s*:/.test(written.slice(caret + rest));
  const offer = (name: string, path: string, detail: string): Offer => {
    const own = JSON.stringify(`${name}.$`);
    const insert = hasValue ? own : `${own}: ${JSON.stringify(path)}`;
    const isOpen = path === "$." && !hasValue;
    return { label: own, insert, kind: "key", detail, from: key.from, to: caret + rest, ...(isOpen && { caret: insert.length - 1 }) };
  };
  const { roots } = await askField("data", field, {});
  const data = roots.find(({ name }) => name === "$");
  const members = typeof data?.value === "object" && data.value !== null && !Array.isArray(data.value) ? Object.keys(data.value) : [];
  const found = members.slice(0, MOST).map((name) => {
    const path = wordsFor({ root: data!, path: [name] }, "JSONPath");
    return offer(name, path, `from ${path}`);
  });
  const begun = key.begun.replace(/\.?\$?$/, "");
  return begun === "" || members.includes(begun) ? found : [...found, offer(begun, "$.", "a path or an intrinsic function")];
}
