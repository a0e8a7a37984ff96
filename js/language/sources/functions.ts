// Implements the functions and operators of Terraform's expressions. A result that cannot be computed is undefined.

import { Members, MappedText, bare, encoded, textOf, type Origin, type Resolved } from "./mapped-text.ts";

/** The operators by name. */
export const CALCULATIONS: Record<string, (a: number, b: number) => number | boolean> = {
  "+": (a, b) => Number(a) + Number(b),
  "-": (a, b) => (b === undefined ? -Number(a) : Number(a) - Number(b)),
  "*": (a, b) => Number(a) * Number(b),
  "/": (a, b) => Number(a) / Number(b),
  "%": (a, b) => Number(a) % Number(b),
  "==": (a, b) => a === b || String(a) === String(b),
  "!=": (a, b) => String(a) !== String(b),
  "<": (a, b) => a < b,
  ">": (a, b) => a > b,
  "<=": (a, b) => a <= b,
  ">=": (a, b) => a >= b,
  "&&": (a, b) => isTrue(a) && isTrue(b),
  "||": (a, b) => isTrue(a) || isTrue(b),
  "!": (a) => !isTrue(a),
};

export function isTrue(value: unknown): boolean {
  return value === true || value === "true";
}

/** The functions of Terraform by name. A result that cannot be computed is undefined. */
export const FUNCTIONS: Record<string, (args: Resolved[], origin: Origin) => Resolved | undefined> = {
  jsonencode: ([value]) => encoded(value ?? null),
  tostring: ([value]) => textOf(value),
  trimspace: ([value]) => textOf(value),
  chomp: ([value]) => textOf(value),
  tonumber: ([value]) => {
    const number = Number(bare(value));
    return Number.isNaN(number) ? value : number;
  },
  replace: ([value, what, by]) => replaced(textOf(value), textOf(what).text, textOf(by)),
  lower: ([value], origin) => changed(value, origin, (text) => text.toLowerCase()),
  upper: ([value], origin) => changed(value, origin, (text) => text.toUpperCase()),
  join: ([separator, ...lists]) => MappedText.join(lists.flat().map(textOf), textOf(separator).text),
  split: ([separator, value]) => whole(value, (text) => text.split(textOf(separator).text)),
  substr: ([value, from, length], origin) =>
    changed(value, origin, (text) => {
      const start = numberOf(from) < 0 ? text.length + numberOf(from) : numberOf(from);
      return text.slice(start, numberOf(length) < 0 ? undefined : start + numberOf(length));
    }),
  title: ([value], origin) => changed(value, origin, (text) => text.replaceAll(/(?<![\p{L}\p{N}])\p{L}/gu, (one) => one.toUpperCase())),
  trim: ([value, set], origin) => {
    const characters = new Set(textOf(set).text);
    return changed(value, origin, (text) => {
      const all = [...text];
      const from = all.findIndex((one) => !characters.has(one));
      return from < 0 ? "" : all.slice(from, all.findLastIndex((one) => !characters.has(one)) + 1).join("");
    });
  },
  trimprefix: ([value, prefix], origin) =>
    changed(value, origin, (text) => (text.startsWith(textOf(prefix).text) ? text.slice(textOf(prefix).text.length) : text)),
  trimsuffix: ([value, suffix], origin) =>
    changed(value, origin, (text) => (text.endsWith(textOf(suffix).text) ? text.slice(0, text.length - textOf(suffix).text.length) : text)),
  indent: ([spaces, value], origin) =>
    changed(value, origin, (text) => text.replaceAll("\n", `\n${" ".repeat(Math.min(200, numberOf(spaces)))}`)),
  lookup: ([map, key, otherwise]) => memberOf(map, textOf(key).text) ?? otherwise,
  element: ([list, i]) => listOf(list)?.at(numberOf(i) % Math.max(1, listOf(list)?.length ?? 1)),
  length: ([value]) => listOf(value)?.length ?? entriesOf(value)?.length,
  keys: ([map]) => sortedEntries(map)?.map(([key]) => key),
  values: ([map]) => sortedEntries(map)?.map(([, value]) => value),
  zipmap: ([keys, values]) => {
    const [names, content] = [listOf(keys), listOf(values)];
    return names && content && new Members(names.map((name, i) => [textOf(name), content[i] ?? null] as const));
  },
  contains: ([list, value]) => listOf(list)?.some((one) => textOf(one).text === textOf(value).text),
  flatten: ([list]) => listOf(list) && flat(listOf(list) ?? []),
  distinct: ([list]) => listOf(list) && [...new Map(listOf(list)?.map((one) => [textOf(one).text, one])).values()],
  compact: ([list]) => listOf(list)?.filter((one) => one !== null && textOf(one).text !== ""),
  reverse: ([list]) => listOf(list)?.toReversed(),
  sort: ([list]) => listOf(list)?.toSorted((a, b) => (textOf(a).text < textOf(b).text ? -1 : 1)),
  slice: ([list, from, to]) => listOf(list)?.slice(numberOf(from), numberOf(to)),
  range: ([first, second, step]) => {
    const [from, to, by] =
      second === undefined ? [0, numberOf(first), 1] : [numberOf(first), numberOf(second), step === undefined ? 1 : numberOf(step)];
    const count = Math.ceil((to - from) / by);
    return count >= 0 && count <= 1024 ? Array.from({ length: count }, (_, i) => from + i * by) : undefined;
  },
  one: ([list]) => listOf(list) && (listOf(list)?.[0] ?? null),
  max: (args) => known(Math.max(...args.map(numberOf))),
  min: (args) => known(Math.min(...args.map(numberOf))),
  basename: ([value], origin) => changed(value, origin, (text) => text.split("/").at(-1) ?? ""),
  dirname: ([value], origin) => changed(value, origin, (text) => text.split("/").slice(0, -1).join("/") || "."),
  abspath: ([value]) => value,
  format: (args) => formatted(args.map(textOf)),
  concat: (lists) => lists.flat(),
  merge: (maps) => {
    const all = maps.filter((one) => one instanceof Members);
    const entries = all.flatMap((one) => one.entries);
    return all.length === maps.length ? new Members(entries, all[0]?.origin) : undefined;
  },
  ...Object.fromEntries(
    ["tolist", "toset", "tomap", "sensitive", "nonsensitive", "pathexpand"].map((name) => [name, ([value]: Resolved[]) => value]),
  ),
};

function changed(value: Resolved | undefined, origin: Origin, change: (text: string) => string): MappedText | undefined {
  const text = textOf(value);
  return text.isOpen ? undefined : MappedText.of(change(text.text), origin);
}

/** Implements `format("%s-%s", …)`, with the verbs for strings. */
function formatted([pattern, ...args]: MappedText[]): MappedText {
  let i = 0;
  return (pattern ?? new MappedText("")).replaced(/%(?:%|[svdq])/g, ([verb]) => (verb === "%%" ? "%" : (args[i++] ?? new MappedText(""))));
}

/** Implements `replace(text, "what", "by")`. Text between slashes is a regular expression. */
function replaced(text: MappedText, what: string, by: MappedText): MappedText | undefined {
  const [, source] = /^\/(.*)\/$/s.exec(what) ?? [];
  let pattern: RegExp;
  try {
    pattern = new RegExp(source ?? what.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`), "gu");
  } catch {
    // Terraform's regular expressions are those of RE2, which has syntax that JavaScript lacks.
    return undefined;
  }
  return text.replaced(pattern, (match) =>
    source === undefined
      ? by
      : by.replaced(/\$(?:(\d+)|\{(\w+)\})/g, ([, number, name = ""]) => match[Number(number ?? name)] ?? match.groups?.[name] ?? ""),
  );
}

/** Applies a function to a string, if its value is known. */
function whole(value: Resolved | undefined, act: (text: string) => Resolved): Resolved | undefined {
  const text = textOf(value);
  return text.isOpen ? undefined : act(text.text);
}

function numberOf(value: Resolved | undefined): number {
  return Number(bare(value));
}

function known(number: number): number | undefined {
  return Number.isFinite(number) ? number : undefined;
}

/** Returns the items of a list, if they are known. */
function listOf(value: Resolved | undefined): Resolved[] | undefined {
  const content = value instanceof MappedText ? (value.whole as Resolved) : value;
  return Array.isArray(content) ? content : undefined;
}

/**
 * Returns the members of an object or the items of a list, with their names or indices. Undefined if only a deployment knows them.
 */
export function entriesOf(value: Resolved | undefined): (readonly [key: MappedText | number, value: Resolved])[] | undefined {
  const content = value instanceof MappedText ? (value.whole as Resolved) : value;
  if (Array.isArray(content)) return content.map((item, i) => [i, item] as const);
  if (content instanceof Members) return [...content.entries];
  if (typeof content !== "object" || content === null || content instanceof MappedText) return undefined;
  return Object.entries(content).map(([name, item]) => [new MappedText(name), item] as const);
}

/** Returns the members of an object in Terraform's order. */
function sortedEntries(value: Resolved | undefined): (readonly [key: MappedText, value: Resolved])[] | undefined {
  return listOf(value) === undefined
    ? entriesOf(value)
        ?.map(([key, item]) => [textOf(key), item] as const)
        .sort(([a], [b]) => (a.text < b.text ? -1 : 1))
    : undefined;
}

function memberOf(value: Resolved | undefined, name: string): Resolved | undefined {
  return entriesOf(value)?.findLast(([key]) => textOf(key).text === name)?.[1];
}

function flat(items: readonly Resolved[], depth = 0): Resolved[] {
  return items.flatMap((item) => (depth < 50 && listOf(item) !== undefined ? flat(listOf(item) ?? [], depth + 1) : [item]));
}
