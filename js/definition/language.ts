// @ts-nocheck: has no types yet.
// What an editor asks about a definition's text, which may be half written. All offsets are UTF-16 units.

import * as module from "../../dist/glue.js";
import { call } from "../border/instance.ts";
import { misuse } from "../base/errors.ts";
import { compileSettings } from "../execution/machine.ts";
import { checkOptions, shown } from "../base/options.ts";
import { solid, unmarked } from "./placeholders.ts";

/** The questions of an editor. */
export const language = {
  /** What stands at an offset, in a few words; null where there is nothing to say. */
  hover: (text, offset) => asked("hover", text, offset),

  /** Where the state or variable whose name stands at an offset is named first: `{start, end, targets}`, or null. */
  definition: (text, offset) => asked("definition", text, offset),

  /** All places of the state or variable whose name stands at an offset, or null. */
  references: (text, offset) => asked("references", text, offset),

  /** The edits that give the state or variable at an offset another name everywhere. Throws a RangeError that says why not. */
  rename(text, offset, newName) {
    if (typeof newName !== "string") throw misuse("INVALID_ARGUMENT", "rename() needs the new name as a string");
    const { edits, refused } = asked("rename", text, offset, newName);
    if (refused !== undefined) throw misuse("INVALID_ARGUMENT", refused, RangeError);
    return edits;
  },

  /** What could be changed between two offsets: fixes of the problems there, and improvements. */
  codeActions(text, start = 0, end = text?.length, options = {}) {
    checkOptions(options, ["type", "jsonata"], "codeActions()");
    return asked("codeActions", text, start, end, compileSettings(options));
  },

  /** The edits that lay out a definition's text; only white space changes. */
  format(text, options = {}) {
    checkOptions(options, ["indent"], "format()");
    return asked("format", text, options.indent ?? 2);
  },

  /** The states of a definition's text, in its order, with the places of their names. */
  outline: (text) => asked("outline", text),

  /** What is computed in the fields of a state: paths, intrinsic functions and expressions. */
  expressions(text, state) {
    if (typeof state !== "string") throw misuse("INVALID_ARGUMENT", "expressions() needs the state's name as a string");
    return asked("expressions", text, state);
  },

  /** A text with edits made. */
  apply(text, edits) {
    if (typeof text !== "string" || !Array.isArray(edits) || !edits.every((edit) => typeof edit === "object" && edit !== null)) throw misuse("INVALID_ARGUMENT", "apply() takes a text and an array of edits");
    let out = "";
    let at = 0;
    for (const { start, end, text: put } of edits) {
      out += text.slice(at, start) + put;
      at = end;
    }
    return out + text.slice(at);
  },
};

// How many offsets follow the text.
const OFFSETS = { hover: 1, definition: 1, references: 1, rename: 1, codeActions: 2 };

function asked(method, text, ...rest) {
  if (typeof text !== "string") throw misuse("INVALID_ARGUMENT", `${method}() takes the text of a definition, not ${shown(text)}`);
  const [place, end] = rest;
  for (const offset of OFFSETS[method] === 2 ? [place, end] : OFFSETS[method] === 1 ? [place] : []) {
    if (!(Number.isInteger(offset) && offset >= 0)) throw misuse("INVALID_ARGUMENT", `an offset must be a whole number, 0 or more, not ${shown(offset)}`);
  }
  return JSON.parse(call(module[method], solid(unmarked(text)), ...rest));
}
