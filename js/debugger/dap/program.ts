// Creates programs from texts, for an adapter without files of its own.

import type { DebugProgram } from "../../core/api/dap.d.ts";
import type { MachineType } from "../../core/api/index.d.ts";
import { messageOf, misuse } from "../../core/base/errors.ts";
import { validate } from "../../core/definition/definition.ts";
import { type Body, FileBody, FileText, TextBody, ValueBody } from "../../language/files/body.ts";
import { type Machine, namedBy } from "../../language/sources/template-machine.ts";
import { machinesOf } from "../../language/sources/find-machines.ts";
import { encoded } from "../../language/sources/mapped-text.ts";

/** Creates a program from a text that is a definition, or a template that contains one. */
export function textProgram(
  path: string,
  text: string,
  { id, substitutions = {} }: { id?: string; substitutions?: Record<string, unknown> } = {},
): DebugProgram {
  const file = new FileText(path, text);
  const machines = file.value === undefined ? undefined : machinesOf(file.value, { defined: substitutions });
  if (machines === undefined) {
    if (id !== undefined) throw unusable(`${path} is not a template, so it has no ${id}`);
    const name = path.split(/[\\/]/).at(-1)?.split(".")[0] || "StateMachine";
    return programOf({ path, file, body: new FileBody(file, substitutions), name });
  }
  const machine = chosen(path, machines, id);
  const { definition, name, type } = machine;
  const about = { path, file, name, ...(type === "EXPRESS" && { type: "EXPRESS" as const }) };
  switch (definition.in) {
    case "template":
      return programOf({ ...about, body: new ValueBody(file, encoded(definition.value), definition.pointer) });
    case "string":
      return programOf({ ...about, body: new TextBody(file, definition, { ...machine.substitutions, ...substitutions }) });
    case "file":
      throw unusable(`the definition of ${name} is in ${definition.path}: open that file`);
    default:
      throw unusable(`${path}#${name}: ${definition.problem}`);
  }
}

function chosen(path: string, machines: Map<string, Machine>, id: string | undefined): Machine {
  const ids = id === undefined ? [...machines.keys()] : namedBy(machines, id);
  const machine = machines.get(ids[0] ?? "");
  if (machine === undefined) throw unusable(`${path} has no state machine${id === undefined ? "" : ` ${id}`}`);
  if (ids.length > 1) throw unusable(`${path} has ${ids.length} state machines: choose one, for example ${path}#${ids[0]}`);
  return machine;
}

interface Found {
  path: string;
  file: FileText;
  body: Body;
  name: string;
  type?: MachineType;
}

function programOf({ path, file, body, name, type }: Found): DebugProgram {
  body.settle((json) => validate(json));
  const { json } = body;
  if (json === undefined) throw unusable(`${path} cannot be parsed: ${body.errors()[0]?.message ?? "it is neither JSON nor YAML"}`);
  try {
    JSON.parse(json);
  } catch (error) {
    throw unusable(`${path} is not JSON: ${messageOf(error)}`);
  }
  const missing = [...new Set((body.filled?.missing ?? []).map((one) => one.name))];
  if (missing.length > 0) throw unusable(`${path} needs values for its placeholders: give ${missing.join(", ")} in substitutions`);
  return {
    path,
    text: file.text,
    definition: json,
    name,
    ...(type && { type }),
    range: (pointer) => file.range(body.extentOf(pointer)),
  };
}

function unusable(message: string): Error {
  return misuse("UNUSABLE_FILE", message, Error);
}
