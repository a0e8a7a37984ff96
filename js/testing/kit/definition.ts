// Loads a definition to test: from a file in JSON or YAML, a template, a URL, text, an object or a machine.

import type { MachineOptions } from "../../core/api/index.d.ts";
import { DefinitionError } from "../../core/base/errors.ts";
import { looksLikeYaml } from "../../core/definition/yaml-like.ts";
import type { MachineDefinition } from "../../core/definition/fields.ts";
import { parseYaml } from "../../core/definition/yaml.ts";
import { StateMachine } from "../../core/execution/machine.ts";
import { Source } from "../../language/files/source.ts";
import { TestKitError } from "../mocks/errors.ts";
import { pathOf, usable } from "../mocks/paths.ts";

/** A machine, its definition as an object, and the file (with `#LogicalId`) from which it was loaded. */
interface LoadedMachine {
  machine: StateMachine;
  definition: MachineDefinition;
  file?: string;
  /** The content of that file. */
  source?: Source;
}

/** Loads the machine of a definition: of a machine, JSON text, YAML text, an object, or the path or URL of a file. */
export function load(given: unknown, options: MachineOptions = {}): LoadedMachine {
  if (isMachine(given)) return { machine: given, definition: JSON.parse(given.definition) };
  if (typeof given === "string" && given.includes("\n") && looksLikeYaml(given))
    return load(parseYaml(given, { substitutions: options.substitutions ?? {} }), options);
  const isText = typeof given === "string" && /^\ufeff?\s*\{/.test(given);
  if (isText || (typeof given === "object" && given !== null && !(given instanceof URL))) {
    const machine = new StateMachine(given, options);
    return { machine, definition: JSON.parse(machine.definition) };
  }
  const file = pathOf(given, "a definition");
  const { substitutions, ...others } = options;
  const source = usable(() => new Source(file, { substitutions }));
  return { ...compiled(source, others), file, source };
}

/** Returns whether a value is a StateMachine, of this copy of the package or of another. */
function isMachine(given: unknown): given is StateMachine {
  const { start, digest } = (given ?? {}) as Partial<StateMachine>;
  return typeof start === "function" && typeof digest === "string";
}

/** Reads a definition's file. */
export function sourceOf(file: string): Source {
  return usable(() => new Source(file));
}

/** Compiles the definition of a file. Its problems are reported with their positions in the file. */
function compiled(source: Source, options: MachineOptions): LoadedMachine {
  usable(() =>
    source.checkFilled((names: string[]) => `give ${names.join(", ")} in the option substitutions, or with --define NAME=VALUE`),
  );
  if (source.json === undefined) throw new TestKitError(source.render({}, false).trimEnd());
  const own = { name: source.machine, ...source.options(options), ...options };
  try {
    return { machine: new StateMachine(source.json, own), definition: JSON.parse(source.json) };
  } catch (error) {
    if (error instanceof DefinitionError) error.message = `${error.message.split("\n")[0]}\n${source.render(options, false).trimEnd()}`;
    throw error;
  }
}
