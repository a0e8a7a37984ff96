// The command `stepglass diff` compares two definitions, and shows how running executions are affected.

import type { DefinitionComparison, FieldChange, StateChange } from "../core/api/index.d.ts";
import { codeOf, messageOf } from "../core/base/errors.ts";
import { compare } from "../core/definition/compare.ts";
import { Invalid, Unusable } from "../language/files/problem.ts";
import { Source } from "../language/files/source.ts";
import { isJson } from "../core/tasks/integration.ts";
import { colors, writeJson } from "../language/files/terminal.ts";
import { defineCommand, type Options, type Values } from "./command.ts";

const help = `stepglass diff OLD NEW [options]

Shows what changed between two definitions, state by state, and what happens to executions that began with the old
definition if they continue with the new one.

  stepglass diff order.asl.json order-new.asl.json
  git show main:order.asl.json | stepglass diff - order.asl.json
  stepglass diff old.yaml#Orders template.yaml#Orders --strict
  stepglass diff old.json new.json --json

On AWS, a running execution keeps the definition that it began with. The comparison matters if your host moves running
executions to a new definition, and if you read histories. 'breaks' means that such an execution cannot continue.
'differs' means that it continues with different data than the new definition would have produced.

Options
      --strict        also counts 'differs' as incompatible
      --define NAME=VALUE
                      the value of a placeholder \${NAME}; can be repeated
      --json          {identical, compatible, machine, states: [{state, change, type, pointer, fields, transitions, …}],
                      running: [{severity, kind, state, pointer, message}]}

Exit code: 0 compatible; 1 incompatible, or a file is not a definition; 2 wrong usage.
`;

const options = {
  define: { type: "string", multiple: true },
  strict: { type: "boolean" },
  json: { type: "boolean" },
} as const satisfies Options;

export const command = defineCommand({
  name: "diff",
  summary: "compare two definitions, and show how running executions are affected",
  help,
  options,
  run: diff,
});

function diff([old, now, ...others]: string[], { strict, json }: Values<typeof options>): number {
  if (old === undefined || now === undefined || others.length > 0)
    throw new Unusable("diff needs two definitions, the old one first", { usage: true });
  if (old.startsWith("-") && now.startsWith("-"))
    throw new Unusable("only one of the definitions can come from standard input", { usage: true });
  const [before, after] = [new Source(old), new Source(now)];
  const report = comparison(jsonOf(before), jsonOf(after));
  if (json) writeJson(report);
  else process.stdout.write(text(report));
  return report.compatible && !(strict && report.running.length > 0) ? 0 : 1;
}

function jsonOf(source: Source): string {
  if (source.json === undefined || !isJson(source.json)) throw new Invalid(source);
  return source.json;
}

function comparison(before: string, after: string): DefinitionComparison {
  try {
    return compare(before, after);
  } catch (error) {
    if (codeOf(error) !== "INVALID_ARGUMENT") throw error;
    throw new Unusable(messageOf(error));
  }
}

function text({ identical, compatible, machine, states, running }: DefinitionComparison): string {
  const { bold, dim, red, green, yellow, cyan } = colors(process.stdout);
  if (identical) return `${green("the same definition")}\n`;
  const lines: string[] = [];
  const field = ({ pointer, change, old, new: now }: FieldChange) => {
    const name = pointer.slice(1);
    if (change === "added") return `    ${green("+")} ${name}: ${brief(now)}`;
    if (change === "removed") return `    ${red("-")} ${name}: ${brief(old)}`;
    return `    ${yellow("~")} ${name}: ${brief(old)} → ${brief(now)}`;
  };
  if (machine.length > 0) lines.push(bold("the machine"), ...machine.map(field));
  const signs: Record<StateChange["change"], string> = {
    added: green("+ added"),
    removed: red("- removed"),
    renamed: cyan("> renamed"),
    moved: cyan("> moved"),
    changed: yellow("~ changed"),
  };
  for (const { state, change, type, to, oldType, fields = [] } of states) {
    const name = to === undefined ? bold(state) : `${bold(state)} → ${bold(to)}`;
    lines.push(`${signs[change]} ${name} ${dim(oldType === undefined ? type : `${oldType} → ${type}`)}`, ...fields.map(field));
  }
  lines.push("");
  if (running.length === 0)
    lines.push(`${green("compatible")}: an execution that began with the old definition can continue with the new one`);
  else {
    lines.push(
      compatible
        ? `${yellow("compatible, but")} an execution that began with the old definition is affected:`
        : `${red("incompatible")} for executions that began with the old definition:`,
    );
    for (const { severity, message } of running) lines.push(`  ${severity === "breaks" ? red("breaks ") : yellow("differs")}  ${message}`);
  }
  return `${lines.join("\n")}\n`;
}

function brief(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
