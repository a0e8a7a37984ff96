// The functions and operators of Terraform's expressions. What they cannot work out is undefined.

import { Members, Traced, bare, encoded, textOf, type Origin, type Resolved } from "./traced.ts";

/** Operators by their names. */
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

/** Functions of Terraform by their names; what they cannot work out is undefined. */
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
  join: ([separator, ...lists]) => Traced.join(lists.flat().map(textOf), textOf(separator).text),
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
    const [names, held] = [listOf(keys), listOf(values)];
    return names && held && new Members(names.map((name, i) => [textOf(name), held[i] ?? null] as const));
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

function changed(value: Resolved | undefined, origin: Origin, change: (text: string) => string): Traced | undefined {
  const text = textOf(value);
  return text.isOpen ? undefined : Traced.of(change(text.text), origin);
}

/** `format("%s-%s", …)`, with the verbs that texts need. */
function formatted([pattern, ...args]: Traced[]): Traced {
  let i = 0;
  return (pattern ?? new Traced("")).replaced(/%(?:%|[svdq])/g, ([verb]) => (verb === "%%" ? "%" : (args[i++] ?? new Traced(""))));
}

/** `replace(text, "what", "by")`; what is between slashes is a pattern. */
function replaced(text: Traced, what: string, by: Traced): Traced | undefined {
  const [, source] = /^\/(.*)\/$/s.exec(what) ?? [];
  let pattern: RegExp;
  try {
    pattern = new RegExp(source ?? what.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`), "gu");
  } catch {
    // Terraform's patterns are those of RE2, which has forms of its own.
    return undefined;
  }
  return text.replaced(pattern, (match) =>
    source === undefined
      ? by
      : by.replaced(/\$(?:(\d+)|\{(\w+)\})/g, ([, number, name = ""]) => match[Number(number ?? name)] ?? match.groups?.[name] ?? ""),
  );
}

/** A result of texts that are known. */
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

/** The items of a list, where they are known. */
function listOf(value: Resolved | undefined): Resolved[] | undefined {
  const held = value instanceof Traced ? (value.whole as Resolved) : value;
  return Array.isArray(held) ? held : undefined;
}

/** The members of an object or the items of a list, with their names or numbers; undefined where only a deployment knows them. */
export function entriesOf(value: Resolved | undefined): (readonly [key: Traced | number, value: Resolved])[] | undefined {
  const held = value instanceof Traced ? (value.whole as Resolved) : value;
  if (Array.isArray(held)) return held.map((item, i) => [i, item] as const);
  if (held instanceof Members) return [...held.entries];
  if (typeof held !== "object" || held === null || held instanceof Traced) return undefined;
  return Object.entries(held).map(([name, item]) => [new Traced(name), item] as const);
}

/** The members of an object as Terraform orders them. */
function sortedEntries(value: Resolved | undefined): (readonly [key: Traced, value: Resolved])[] | undefined {
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
