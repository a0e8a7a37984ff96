// Functions for editors. The definition's text can be incomplete. All offsets are UTF-16 units.

import * as module from "../../dist/glue.js";
import { call } from "../border/instance.ts";
import { misuse } from "../base/errors.ts";
import { checkOptions } from "../base/options.ts";
import { shown } from "../base/shown.ts";
import { solid, unmarked } from "./placeholders.ts";
import { compileSettings } from "./settings.ts";
import type { LanguageService, TextEdit } from "../api/index.d.ts";

/** See the declaration of `LanguageService`. */
export const language: LanguageService = {
  hover: (text, offset) => JSON.parse(asked("hover", module.hover, 1, text, offset)),

  definition: (text, offset) => JSON.parse(asked("definition", module.definition, 1, text, offset)),

  references: (text, offset) => JSON.parse(asked("references", module.references, 1, text, offset)),

  rename(text, offset, newName) {
    if (typeof newName !== "string") throw misuse("INVALID_ARGUMENT", "rename() needs the new name as a string");
    const answer: { edits: TextEdit[] } | { refused: string } = JSON.parse(asked("rename", module.rename, 1, text, offset, newName));
    if ("refused" in answer) throw misuse("INVALID_ARGUMENT", answer.refused, RangeError);
    return answer.edits;
  },

  codeActions(text, start = 0, end = text?.length, options = {}) {
    checkOptions(options, ["type", "jsonata"], "codeActions()");
    return JSON.parse(asked("codeActions", module.codeActions, 2, text, start, end, compileSettings(options)));
  },

  format(text, options = {}) {
    checkOptions(options, ["indent"], "format()");
    return JSON.parse(asked("format", module.format, 0, text, options.indent ?? 2));
  },

  outline: (text) => JSON.parse(asked("outline", module.outline, 0, text)),

  expressions(text, state) {
    if (typeof state !== "string") throw misuse("INVALID_ARGUMENT", "expressions() needs the state's name as a string");
    return JSON.parse(asked("expressions", module.expressions, 0, text, state));
  },

  apply(text, edits) {
    if (typeof text !== "string" || !Array.isArray(edits) || edits.some((edit) => typeof edit !== "object" || edit === null))
      throw misuse("INVALID_ARGUMENT", "apply() takes a text and an array of edits");
    let out = "";
    let at = 0;
    for (const { start, end, text: put } of edits) {
      out += text.slice(at, start) + put;
      at = end;
    }
    return out + text.slice(at);
  },
};

/** The module's answer about a text, as JSON text. The first `offsets` of the other arguments are offsets. */
function asked<Rest extends unknown[]>(
  name: string,
  ask: (text: string, ...rest: Rest) => string,
  offsets: number,
  text: string,
  ...rest: Rest
): string {
  if (typeof text !== "string") throw misuse("INVALID_ARGUMENT", `${name}() takes the text of a definition, not ${shown(text)}`);
  for (const offset of rest.slice(0, offsets)) {
    if (!(Number.isInteger(offset) && Number(offset) >= 0))
      throw misuse("INVALID_ARGUMENT", `an offset must be a whole number, 0 or more, not ${shown(offset)}`);
  }
  return call(ask, solid(unmarked(text)), ...rest);
}
