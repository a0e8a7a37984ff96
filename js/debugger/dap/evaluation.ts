// Evaluates expressions in the scope of a frame, completes them, and runs the commands of the debug console.

import type { DebugProtocol } from "@vscode/debugprotocol";
import type { DebugSession, Evaluated, StackFrame } from "../../core/api/debug.d.ts";
import { complete } from "../../core/definition/definition.ts";
import { syntaxOf } from "../../core/definition/expression-syntax.ts";
import { isObject } from "../../core/base/json.ts";
import { Refused } from "./launch.ts";
import type { SourceLocations } from "./source-locations.ts";
import type { Path } from "./values.ts";

type Language = "jsonata" | "jsonpath" | "template";

/** An expression with its language. */
interface ParsedExpression {
  text: string;
  language: Language;
}

/**
 * Returns the language of an expression: `{% … %}` is JSONata, an object is a payload template, and anything else is in the query
 * language of the state. Text that is not valid JSONPath is JSONata.
 */
function parseExpression(expression: string, language: SourceLocations["language"]): ParsedExpression {
  const [, inside] = /^\s*\{%(.*)%\}\s*$/s.exec(expression) ?? [];
  if (inside !== undefined) return { text: inside.trim(), language: "jsonata" };
  const text = expression.trim().replace(/^"(.*)"$/s, "$1");
  if (language === "JSONata") return { text, language: "jsonata" };
  if (isTemplate(text)) return { text, language: "template" };
  return { text, language: "message" in syntaxOf(text, "jsonpath") ? "jsonata" : "jsonpath" };
}

function isTemplate(text: string): boolean {
  if (!text.startsWith("{")) return false;
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false;
  }
}

/** Returns the value of an expression; undefined if it returns nothing. Throws Refused with the reason. */
export function evaluate(
  session: DebugSession,
  expression: string,
  visit: number | undefined,
  language: SourceLocations["language"],
): Evaluated {
  const { text, language: own } = parseExpression(expression, language);
  const found = session.evaluate(text, { language: own, ...(visit !== undefined && { visit }) });
  if (found.message !== undefined) throw new Refused(found.message);
  return found;
}

/** Parses an expression that can be assigned to: a variable or the input, and the path inside of it. */
export function parseTarget(expression: string): { target: "input" | "variable"; name?: string; path: Path } {
  const text = expression
    .trim()
    .replace(/^\{%(.*)%\}$/s, "$1")
    .trim();
  for (const language of ["jsonpath", "jsonata"] as const) {
    const part = syntaxOf(text, language);
    if ("message" in part) continue;
    const [first, ...steps] = part.kind === "path" ? (part.parts ?? []) : [part];
    const names = steps.map(({ kind, value }) => (kind === "name" || kind === "index" ? (value as string | number) : undefined));
    const path = names.filter((name) => name !== undefined);
    if (first === undefined || path.length !== names.length) break;
    if (first.kind === "root" && first.value !== "$$") return { target: "input", path };
    if (first.kind !== "variable") break;
    if (first.value !== "states") return { target: "variable", name: String(first.value), path };
    if (path[0] === "input") return { target: "input", path: path.slice(1) };
    break;
  }
  throw new Refused(`${expression} cannot be set: $name, $name.member, $states.input or a path into the input can`);
}

/** A command of the debug console. */
interface ConsoleCommand {
  name: string;
  detail: string;
  run(session: DebugSession, rest: string): string;
}

const COMMANDS: readonly ConsoleCommand[] = [
  {
    name: ".answer",
    detail: 'answers the task that waits: .answer {"paid": true}',
    run(session, rest) {
      const [task] = session.waiting();
      if (task === undefined) throw new Refused("no task waits for an answer");
      session.answer(task.task, { kind: "succeed", output: jsonOf(rest) });
      return `${task.state} has its answer`;
    },
  },
  {
    name: ".fail",
    detail: "lets the task that waits fail: .fail Declined the reason",
    run(session, rest) {
      const [task] = session.waiting();
      if (task === undefined) throw new Refused("no task waits for an answer");
      const [error = "", ...cause] = rest.split(/\s+/);
      session.answer(task.task, { kind: "fail", error: error || "States.TaskFailed", ...(cause.length > 0 && { cause: cause.join(" ") }) });
      return `${task.state} fails`;
    },
  },
  {
    name: ".advance",
    detail: "lets time pass: .advance 60000 milliseconds, or until the next timer",
    run(session, rest) {
      const milliseconds = rest === "" ? undefined : Number(rest);
      if (milliseconds !== undefined && !(milliseconds >= 0)) throw new Refused(".advance takes milliseconds");
      return session.advance(milliseconds) ? "time has passed" : "no timer is running";
    },
  },
  {
    name: ".tasks",
    detail: "lists the tasks that wait for an answer",
    run(session) {
      const waiting = session.waiting().map(({ state, resource }) => `${state} (${resource})`);
      return waiting.join("\n") || "no task waits for an answer";
    },
  },
  {
    name: ".runs",
    detail: "lists the runs of this session: each change makes a fork",
    run: (session) =>
      session
        .runs()
        .map(({ id, label, events, current }) => `${current ? "*" : " "} ${id} ${label}, ${events} events`)
        .join("\n"),
  },
  {
    name: ".run",
    detail: "selects a run: .run 1",
    run(session, rest) {
      if (!session.runs().some(({ id }) => String(id) === rest)) throw new Refused(`there is no run ${rest}: .runs lists them`);
      session.selectRun(Number(rest));
      return `run ${rest}`;
    },
  },
];

/** Runs a line of the console if it is a command. Returns its output, or undefined. */
export function runCommand(session: DebugSession, line: string): string | undefined {
  const [, name, rest = ""] = /^\s*(\.[a-z]+)\s*(.*)$/s.exec(line) ?? [];
  if (name === undefined) return undefined;
  const command = COMMANDS.find((one) => one.name === name);
  if (command !== undefined) return command.run(session, rest.trim());
  return COMMANDS.map((one) => `${one.name.padEnd(9)} ${one.detail}`).join("\n");
}

function jsonOf(text: string): unknown {
  try {
    return text === "" ? {} : JSON.parse(text);
  } catch {
    throw new Refused(`${text} is not JSON`);
  }
}

const TYPES: Readonly<Record<string, DebugProtocol.CompletionItemType>> = { variable: "variable", function: "function", path: "property" };
/** Maximum number of members that are offered. */
const OFFERED = 200;

/** Returns the completions at a position of an expression. `at` counts characters from 0. */
export function completionsAt(
  session: DebugSession,
  text: string,
  at: number,
  frame: StackFrame | undefined,
  language: SourceLocations["language"],
): DebugProtocol.CompletionItem[] {
  const before = text.slice(0, at);
  if (/^\s*\.[a-z]*$/.test(before))
    return COMMANDS.map(({ name, detail }) => ({
      label: name,
      detail,
      type: "keyword",
      start: before.indexOf("."),
      length: before.trim().length,
    }));
  const isJsonata = language === "JSONata" || before.includes("{%");
  const typed = before.replace(/^.*\{%/s, "");
  const [word = ""] = /[\w$]*$/.exec(typed) ?? [];
  const about = { start: at - word.length, length: word.length };
  const path = /((?:\$\$?|[\w`])[\w$.[\]`]*)\.[\w]*$/.exec(typed)?.[1];
  if (path !== undefined && path !== "States")
    return membersAt(session, path, frame, isJsonata).map((label) => ({ label, type: "property", ...about }));
  const names = Object.keys(session.values(frame?.visit).variables ?? {}).filter((name) => isJsonata || name !== "states");
  const variables = names.map((name): DebugProtocol.CompletionItem => ({ label: `$${name}`, type: "variable", ...about }));
  const known = new Set(variables.map(({ label }) => label));
  const others = offered(typed, isJsonata).filter(({ label }) => !known.has(label));
  return [...variables, ...others.map((item) => ({ ...item, ...about }))].filter(({ label }) => label.startsWith(word) || word === "");
}

/** Returns completions for the members of a path's value. */
function membersAt(session: DebugSession, path: string, frame: StackFrame | undefined, isJsonata: boolean): string[] {
  const language = isJsonata ? "jsonata" : "jsonpath";
  const { value } = session.evaluate(path, { language, ...(frame && { visit: frame.visit }) });
  const one: unknown = Array.isArray(value) ? value[0] : value;
  return typeof one === "object" && one !== null ? Object.keys(one).slice(0, OFFERED) : [];
}

/** Returns completions for functions and names, as the language service offers them in a definition. */
function offered(typed: string, isJsonata: boolean): DebugProtocol.CompletionItem[] {
  const field = isJsonata ? `"QueryLanguage":"JSONata","Output":"{% ` : `"Parameters":{"x.$":"`;
  const head = `{"StartAt":"A","States":{"A":{"Type":"Pass",${field}${JSON.stringify(typed).slice(1, -1)}`;
  const tail = isJsonata ? ` %}","End":true}}}` : `"},"End":true}}}`;
  return complete(head + tail, head.length).items.flatMap(({ label, kind, detail }) => {
    const type = TYPES[kind];
    return type === undefined ? [] : [{ label, type, detail }];
  });
}
