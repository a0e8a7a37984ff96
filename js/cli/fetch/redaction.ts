// Replaces values of payloads before a file is written. Equal values get equal replacements, so that the data flow can still be
// followed.

import { messageOf } from "../../core/base/errors.ts";
import { isObject } from "../../core/base/json.ts";
import { Unusable } from "../../language/files/problem.ts";
import { executionsOf } from "../../language/files/run-executions.ts";
import type { FetchedExecution, FetchedRun, RedactionRule, Response } from "../../language/files/sfnrun.ts";

/** A rule of `--redact`: every member with a name, or the value at a path of each payload. */
interface Rule {
  is: RedactionRule;
  /** Steps from the root of a payload; `*` is every item. Undefined for a name. */
  path: string[] | undefined;
  /** The name of the member. */
  key: string;
  /** The number of values that it has replaced. */
  values: number;
}

/** A rule of `--redact-values`: every match in a text or a number. */
interface Pattern {
  is: RedactionRule;
  pattern: RegExp;
  values: number;
}

/** Members of events and executions that contain data. */
const PAYLOADS: ReadonlySet<string> = new Set(["input", "output", "parameters", "cause", "error"]);
/** Minimum length of a value that is replaced everywhere it occurs. Shorter values also occur in unrelated data. */
const SHORTEST = 4;

/** Checks the syntax of the rules. Throws Unusable. */
export function checkRules(rules: readonly RedactionRule[]): void {
  for (const rule of rules)
    if (rule.kind === "pattern") patternOf(rule);
    else ruleOf(rule);
}

function ruleOf(is: RedactionRule): Rule {
  const text = is.rule;
  if (!text.startsWith("$")) {
    if (text === "") throw new Unusable("--redact needs the name of a member or a path", { usage: true });
    return { is, path: undefined, key: text, values: 0 };
  }
  const whole = text.slice(1);
  const path = [...whole.matchAll(/\.([^.[\]\s*]+)|\[(\*|\d+)\]|\['([^']+)'\]/gy)];
  if (path.length === 0 || path.reduce((sum, [found]) => sum + found.length, 0) !== whole.length)
    throw new Unusable(`--redact: ${text} is not a path such as $.customer.email or $.items[*].name`, { usage: true });
  const names = path.map(([, name, index, quoted]) => name ?? index ?? quoted ?? "");
  return { is, path: names, key: names.findLast((name) => !/^(\*|\d+)$/.test(name)) ?? "", values: 0 };
}

function patternOf(is: RedactionRule): Pattern {
  if (is.rule === "") throw new Unusable("--redact-values needs a regular expression", { usage: true });
  try {
    return { is, pattern: new RegExp(is.rule, "gu"), values: 0 };
  } catch (error) {
    throw new Unusable(`--redact-values: ${messageOf(error)}`, { usage: true });
  }
}

/** Replaces what the rules select in a run, and counts the replaced values. */
export function redact(run: FetchedRun, rules: readonly RedactionRule[]): FetchedRun {
  if (rules.length === 0) return run;
  const redaction = new Redaction(rules);
  const executions = executionsOf(run);
  // A value can occur under another name before a rule selects it, so everything is read before it is replaced.
  for (const one of executions) eachPayload(one, (text) => redaction.byRules(text));
  for (const one of executions) eachPayload(one, (text) => redaction.byValues(text));
  return { ...run, redacted: redaction.report() };
}

/** Changes every payload of an execution in place. */
function eachPayload({ execution, history }: FetchedExecution, change: (text: string) => string): void {
  changeMembers(execution, change);
  for (const event of history)
    for (const [name, details] of Object.entries(event))
      if (name.endsWith("EventDetails") && isObject(details)) changeMembers(details, change);
}

function changeMembers(content: Response, change: (text: string) => string): void {
  for (const [name, value] of Object.entries(content)) {
    if (PAYLOADS.has(name) && typeof value === "string") content[name] = change(value);
    else if (name === "assignedVariables" && isObject(value)) {
      // A rule with the name of a variable selects its value.
      const variables = Object.fromEntries(Object.entries(value).map(([variable, text]) => [variable, parsed(String(text))]));
      const changed = parsed(change(JSON.stringify(variables)));
      if (isObject(changed))
        content[name] = Object.fromEntries(Object.entries(changed).map(([variable, one]) => [variable, JSON.stringify(one)]));
    }
  }
}

/** Parses a JSON text. Undefined for any other text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

class Redaction {
  readonly rules: Rule[];
  readonly patterns: Pattern[];
  /** Replacements by the JSON text of the value. */
  readonly #replacements = new Map<string, string | number>();
  readonly #made = new Set<string | number>();

  constructor(rules: readonly RedactionRule[]) {
    this.rules = rules.filter(({ kind }) => kind === undefined).map(ruleOf);
    this.patterns = rules.filter(({ kind }) => kind === "pattern").map(patternOf);
  }

  /** Returns how many values each rule has replaced. */
  report(): FetchedRun["redacted"] {
    return [...this.rules, ...this.patterns].map(({ is: { rule, kind }, values }) => ({ rule, ...(kind && { kind }), values }));
  }

  /** Applies the rules to a payload and to JSON texts inside of it, such as the body of a message or the payload of a function. */
  byRules(text: string): string {
    const value = parsed(text);
    if (value === undefined) return this.#isNamed(text) ? this.#whole(text) : this.#byPatterns(text);
    const changed = this.#walk(
      value,
      this.rules.map(({ path }) => path),
    );
    return changed === value ? text : JSON.stringify(changed);
  }

  /** Replaces values in a payload that a rule has selected elsewhere. */
  byValues(text: string): string {
    const value = parsed(text);
    if (value === undefined) return this.#inText(text);
    const changed = this.#everywhere(value);
    return changed === value ? text : JSON.stringify(changed);
  }

  /** Returns whether a text that is not JSON, such as one that was cut off, contains the name of a selected member. */
  #isNamed(text: string): boolean {
    return this.rules.some(({ key }) => key !== "" && text.includes(JSON.stringify(key)));
  }

  #whole(text: string): string {
    for (const rule of this.rules) if (text.includes(JSON.stringify(rule.key))) rule.values += 1;
    return "redacted";
  }

  /** `paths` has the rest of each rule's path below this value. It is undefined for a rule that does not apply here. */
  #walk(value: unknown, paths: (string[] | undefined)[]): unknown {
    if (typeof value === "string") return value.includes('"') ? this.byRules(value) : this.#byPatterns(value);
    if (typeof value === "number") return this.#numberByPatterns(value);
    if (typeof value !== "object" || value === null) return value;
    let changed = false;
    const next = Object.entries(value).map(([name, content]): [string, unknown] => {
      const rest = paths.map((path) => (path?.[0] === name || (path?.[0] === "*" && Array.isArray(value)) ? path.slice(1) : undefined));
      const rule = this.rules.find(({ path, key }, i) =>
        path === undefined ? !Array.isArray(value) && key === name : rest[i]?.length === 0,
      );
      const now = rule === undefined ? this.#walk(content, rest) : this.#replaced(content, rule);
      changed ||= now !== content;
      return [name, now];
    });
    if (!changed) return value;
    return Array.isArray(value) ? next.map(([, content]) => content) : Object.fromEntries(next);
  }

  /** Replaces the matches in a text. A match that begins or ends inside of a replacement is none, so no rule replaces it again. */
  #byPatterns(text: string): string {
    return this.patterns
      .reduce(
        (parts, rule) =>
          parts.flatMap((part) => {
            if (part.isReplacement) return [part];
            const next: { text: string; isReplacement: boolean }[] = [];
            let end = 0;
            for (const { 0: match, index } of part.text.matchAll(rule.pattern)) {
              if (match === "") continue;
              next.push({ text: part.text.slice(end, index), isReplacement: false });
              rule.values += 1;
              next.push({ text: String(this.#replacementOf(match)), isReplacement: true });
              end = index + match.length;
            }
            return [...next, { text: part.text.slice(end), isReplacement: false }];
          }),
        [{ text, isReplacement: false }],
      )
      .map((part) => part.text)
      .join("");
  }

  /** Replaces a number whose digits a pattern matches. */
  #numberByPatterns(value: number): number {
    const digits = JSON.stringify(value);
    const rule = this.patterns.find(({ pattern }) => [...digits.matchAll(pattern)].some(([match]) => match !== ""));
    if (rule === undefined) return value;
    rule.values += 1;
    return this.#replacementOf(value) as number;
  }

  /** Returns the replacement of a value, with the same shape and the same types of scalars. */
  #replaced(value: unknown, rule: Rule): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#replaced(item, rule));
    if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, content]) => [name, this.#replaced(content, rule)]));
    if (value === null || value === undefined) return value;
    if ((typeof value === "string" || typeof value === "number") && this.#made.has(value)) return value;
    rule.values += 1;
    if (typeof value === "boolean") return false;
    return this.#replacementOf(value);
  }

  /** Returns the replacement of a text or a number. Equal values have equal replacements. */
  #replacementOf(value: unknown): string | number {
    const key = JSON.stringify(value);
    let replacement = this.#replacements.get(key);
    if (replacement === undefined) {
      const number = this.#replacements.size + 1;
      replacement = typeof value === "number" ? number : `redacted-${number}`;
      this.#replacements.set(key, replacement);
      if (typeof replacement === "string") this.#made.add(replacement);
    }
    return replacement;
  }

  #everywhere(value: unknown): unknown {
    if (typeof value === "string") return this.#inText(value);
    if (typeof value === "number") {
      const key = JSON.stringify(value);
      return key.length < SHORTEST ? value : (this.#replacements.get(key) ?? value);
    }
    if (typeof value !== "object" || value === null) return value;
    let changed = false;
    const next = Object.entries(value).map(([name, content]): [string, unknown] => {
      const now = this.#everywhere(content);
      changed ||= now !== content;
      return [name, now];
    });
    if (!changed) return value;
    return Array.isArray(value) ? next.map(([, content]) => content) : Object.fromEntries(next);
  }

  #inText(text: string): string {
    let changed = text;
    for (const [key, replacement] of this.#replacements) {
      const value: unknown = JSON.parse(key);
      const found = String(value);
      if (found.length < SHORTEST) {
        if (changed === value) return String(replacement);
      } else if (typeof value === "string") changed = changed.replaceAll(found, String(replacement));
      else
        changed = changed.replaceAll(new RegExp(`(?<![\\d.])${found.replaceAll(/[.+]/g, "\\$&")}(?![\\d.]*\\d)`, "g"), String(replacement));
    }
    return changed;
  }
}
