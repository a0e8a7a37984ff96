// Reads a definition from a file, for hosts.

import { fileURLToPath } from "node:url";
import type { DefinitionFile } from "../../core/api/folder.d.ts";
import type { Substitutions } from "../../core/api/index.d.ts";
import { DefinitionError, misuse } from "../../core/base/errors.ts";
import { checkOptions } from "../../core/base/options.ts";
import { shown } from "../../core/base/shown.ts";
import { Unusable } from "./problem.ts";
import { Source } from "./source.ts";

/** Reads a definition from a file, as the command does: JSON or YAML, by itself or in a template (`template.yaml#OrderMachine`). */
export function readDefinition(file: string | URL, options: { substitutions?: Substitutions } = {}): DefinitionFile {
  if (typeof file !== "string" && !(file instanceof URL))
    throw misuse("INVALID_ARGUMENT", `readDefinition() takes a path or a file URL, not ${shown(file)}`);
  checkOptions(options, ["substitutions"], "readDefinition()");
  try {
    const source = new Source(file instanceof URL ? fileURLToPath(file) + decodeURIComponent(file.hash) : file, options);
    source.checkFilled((names) => `give ${names.join(", ")} in the option substitutions`);
    if (source.json === undefined) throw new DefinitionError(source.diagnostics({}), source.render({}, false));
    return { definition: source.json, name: source.machine, ...(source.type !== undefined && { type: source.type }) };
  } catch (error) {
    throw error instanceof Unusable ? misuse("UNUSABLE_FILE", error.message, Error) : error;
  }
}
