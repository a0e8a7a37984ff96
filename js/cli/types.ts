// The command `stepglass types` prints TypeScript types of a machine's tasks, input and output.

import type { MachineDefinition } from "../core/definition/fields.ts";
import { Unusable } from "../language/files/problem.ts";
import { write } from "../language/files/reading.ts";
import { Source, usable } from "../language/files/source.ts";
import { writeJson } from "../language/files/terminal.ts";
import { bareName } from "../core/tasks/resource.ts";
import { follow, type Flow, type TaskFlow } from "../language/types/flow.ts";
import { read, shapeText, valueText, type Shape, type Value } from "../language/types/shape.ts";
import { defineCommand, type Options, type Values } from "./command.ts";

const help = `stepglass types FILE [options]

Prints TypeScript types of a machine: its input, its output, and a map of its task handlers. Each handler has the
type of its input and of the parts of its result that the machine reads.

  stepglass types order.asl.json -o order.types.ts
  stepglass types template.yaml#Orders > orders.types.ts
  stepglass types order.asl.json --name Order         starts the names of the types with Order

  import type { Handlers, Input } from "./order.types.ts";
  const tasks: Handlers = { charge: async ({ id }) => ({ amount: 12 }) };
  await machine.run({ id: 7 } satisfies Input, { tasks });

Types that the definition does not determine are unknown. Members that every path through the machine reads are
required, the others are optional. A value is a number if the machine compares it with a number.

Options
  -o, --output FILE   the file to write; default: standard output
      --name NAME     a prefix for the names of the types; default: none
      --define NAME=VALUE
                      the value of a placeholder \${NAME}; can be repeated
      --json          {input, output, handlers: [{key, state, resource, input, result}]}, with types as text

Exit code: 0 success; 1 the definition has errors; 2 wrong usage.
`;

const options = {
  define: { type: "string", multiple: true },
  output: { type: "string", short: "o", file: true },
  name: { type: "string" },
  json: { type: "boolean" },
} as const satisfies Options;

export const command = defineCommand({
  name: "types",
  summary: "print TypeScript types of a machine's tasks, input and output",
  help,
  options,
  run: types,
});

function types([file, ...others]: string[], { output, name = "", json }: Values<typeof options>): number {
  if (file === undefined || others.length > 0) throw new Unusable("types needs one file", { usage: true });
  if (name !== "" && !/^[A-Za-z_$][\w$]*$/.test(name))
    throw new Unusable(`--name: ${JSON.stringify(name)} is not a valid name in TypeScript`, { usage: true });
  const source = usable(new Source(file));
  const text = printed(JSON.parse(source.json), source.name, name);
  if (output !== undefined) write(output, text);
  if (json) {
    const machine = follow(JSON.parse(source.json));
    const handlers = handlersOf(machine);
    const list = handlers.map(({ key, states, resource, inputs, results }) => ({
      key,
      state: states[0],
      states,
      resource,
      input: either(inputs),
      result: both(results),
    }));
    writeJson({ input: shapeText(machine.input), output: valueText(machine.output), handlers: list });
    return 0;
  }
  if (output === undefined) process.stdout.write(text);
  return 0;
}

/** Returns the module of a definition as text. */
export function printed(definition: MachineDefinition, file: string, name: string): string {
  const machine = follow(definition);
  return module(machine, handlersOf(machine), file, name);
}

/** A handler in `tasks`, and the states that call it. */
interface Handler {
  key: string;
  states: string[];
  resource: string;
  /** For each state, the types of the handler's input and of the part of its result that the machine reads, as text. */
  inputs: string[];
  results: string[];
  note: string | undefined;
}

/** Returns the handlers of a definition by their keys in `tasks`. States that call the same function share one. */
function handlersOf({ tasks }: Flow): Handler[] {
  const found = new Map<string, Handler>();
  for (const task of tasks.values()) {
    const { key, input, result, note } = handlerOf(task);
    const known: Handler = found.get(key) ?? { key, states: [], resource: task.resource.arn, inputs: [], results: [], note };
    known.states.push(task.state);
    known.inputs.push(valueText(input, "  "));
    known.results.push(shapeText(result, "  "));
    found.set(key, known);
  }
  return [...found.values()];
}

function handlerOf({ state, resource, input, result }: TaskFlow): { key: string; input: Value; result: Shape; note: string | undefined } {
  if (resource.kind === "lambda" || resource.kind === "activity") return { key: resource.name, input, result, note: undefined };
  const isToken = resource.kind === "service" && resource.pattern === "waitForTaskToken";
  const note = isToken ? "Answer it with task.token: execution.succeed(token, result)." : undefined;
  if (resource.kind !== "service" || resource.name !== "lambda:invoke") return { key: state, input, result, note };
  // The input and the result of the handler are the Payloads.
  const key =
    typeof resource.function === "string" && !/^\{%|\$/.test(resource.function) ? bareName(resource.function, ":function:") : state;
  return { key, input: read(input, ["Payload"], false), result: isToken ? result : result.member("Payload", true), note };
}

function either(texts: string[]): string {
  const all = [...new Set(texts)];
  return all.includes("unknown") ? "unknown" : all.join(" | ");
}

/** If several states read different parts of one result, the result must have all of them. */
function both(texts: string[]): string {
  const all = [...new Set(texts)].filter((text) => text !== "unknown");
  return all.length === 0 ? "unknown" : all.join(" & ");
}

function module(machine: Flow, handlers: Handler[], file: string, name: string): string {
  const lines = [`// Types of ${file.replace(/[\r\n]/g, " ")}, made by \`stepglass types\`. Do not edit.`, ""];
  if (handlers.length > 0) lines.push('import type { Task } from "stepglass";', "");
  lines.push("/** The parts of its input that the machine reads. */", declaration(`${name}Input`, shapeText(machine.input)), "");
  lines.push(
    "/** The machine's output, as far as the definition determines it. */",
    declaration(`${name}Output`, valueText(machine.output)),
    "",
  );
  lines.push("/** A function for every task, for the option `tasks` of `machine.run()`. */");
  lines.push(`export type ${name}Handlers = ${handlers.length === 0 ? "Record<string, never>;" : "{"}`);
  for (const { key, states, resource, inputs, results, note } of handlers) {
    const text = `${states.map((state) => `State ${state}`).join(", ")}: ${resource}${note ? `. ${note}` : ""}`
      .replaceAll("*/", "*\\/")
      .replace(/[\r\n]/g, " ");
    const property = /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key);
    const result = note === undefined ? both(results) : "unknown";
    lines.push(
      `  /** ${text} */`,
      `  ${property}(input: ${either(inputs)}, task: Task): ${result === "unknown" ? "unknown" : `${union(result)} | PromiseLike<${result}>`};`,
    );
  }
  if (handlers.length > 0) lines.push("};");
  return `${lines.join("\n")}\n`;
}

function union(text: string): string {
  return text.includes(" & ") ? `(${text})` : text;
}

function declaration(name: string, text: string): string {
  return `export type ${name} = ${text};`;
}
