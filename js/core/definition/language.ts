// Functions for editors. The definition's text can be incomplete. All offsets are UTF-16 units.

import * as module from "../../../dist/glue.js";
import { call } from "../border/instance.ts";
import { misuse } from "../base/errors.ts";
import { checkOptions } from "../base/options.ts";
import { shown } from "../base/shown.ts";
import { barePointers, solid, standIns, unmarked } from "./placeholders.ts";
import { argumentText } from "../tasks/integration.ts";
import { compileSettings } from "./settings.ts";
import { syntaxOf } from "./expression-syntax.ts";
import { applied } from "./text-edits.ts";
import type {
  Diagnostic,
  Edited,
  EditOptions,
  Gesture,
  LanguageService,
  PossibleGesture,
  RefusedEdit,
  TextEdit,
  WrittenEdit,
} from "../api/index.d.ts";

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

  symbols: (text) => JSON.parse(asked("symbols", module.symbols, 0, text)),

  expressions(text, state) {
    if (state !== undefined && typeof state !== "string")
      throw misuse("INVALID_ARGUMENT", `expressions() takes the state's name as a string, not ${shown(state)}`);
    return JSON.parse(asked("expressions", module.expressions, 0, text, state));
  },

  syntax(expression, dialect) {
    if (typeof expression !== "string")
      throw misuse("INVALID_ARGUMENT", `syntax() takes an expression as a string, not ${shown(expression)}`);
    if (dialect !== "jsonpath" && dialect !== "jsonata")
      throw misuse("INVALID_ARGUMENT", `the language must be "jsonpath" or "jsonata", not ${shown(dialect)}`);
    return syntaxOf(expression, dialect);
  },

  select(path, value) {
    if (typeof path !== "string") throw misuse("INVALID_ARGUMENT", `select() takes a path as a string, not ${shown(path)}`);
    return JSON.parse(call(module.select, path, argumentText(value, "the value")));
  },

  edit(text, gesture, options = {}) {
    checkEditing("edit()", text, options, ["problems"]);
    if (typeof gesture !== "object" || gesture === null || typeof gesture.kind !== "string")
      throw misuse("INVALID_ARGUMENT", `edit() takes a gesture with its kind, not ${shown(gesture)}`);
    const source = options.syntax?.read(text);
    if (source !== undefined && "refused" in source) return source;
    const settings = compileSettings(options);
    const json = source?.json ?? text;
    const { given, filled, back } = fillPlaceholders(json, gesture);
    const made: WrittenEdit | RefusedEdit = JSON.parse(
      call(module.edit, unmarked(filled), gestureText(given), settings, options.problems !== false),
    );
    if ("refused" in made) return made;
    if (source === undefined) return plainly(json, made, back);
    if (options.problems === false) return source.edited(made);
    return source.edited(made, (other) => call(module.validate, other, settings) as Diagnostic[]);
  },

  gestures(text, place, options = {}) {
    checkEditing("gestures()", text, options);
    const places = typeof place === "string" ? [place] : place;
    if (!Array.isArray(places) || places.some((one) => typeof one !== "string"))
      throw misuse("INVALID_ARGUMENT", "gestures() takes a JSON Pointer, or several of states");
    const source = options.syntax?.read(text);
    if (source !== undefined && "refused" in source) return [];
    const found: PossibleGesture[] = JSON.parse(call(module.gestures, solid(unmarked(source?.json ?? text)), JSON.stringify(places)));
    return found;
  },

  apply(text, edits) {
    if (typeof text !== "string" || !Array.isArray(edits) || edits.some((edit) => typeof edit !== "object" || edit === null))
      throw misuse("INVALID_ARGUMENT", "apply() takes a text and an array of edits");
    return applied(text, edits);
  },
};

function checkEditing(name: string, text: unknown, options: EditOptions, more: string[] = []): void {
  checkOptions(options, ["type", "jsonata", "syntax", ...more], name);
  if (typeof text !== "string") throw misuse("INVALID_ARGUMENT", `${name} takes the text of a definition, not ${shown(text)}`);
}

function gestureText(gesture: Gesture): string {
  try {
    return JSON.stringify(gesture);
  } catch {
    throw misuse("INVALID_ARGUMENT", "a gesture must be an object that JSON can hold");
  }
}

/** Replaces bare placeholders in a text and in a gesture by values. What is pasted may contain some, too. */
function fillPlaceholders(text: string, gesture: Gesture): { filled: string; given: Gesture; back(text: string): string } {
  const asl = "asl" in gesture && typeof gesture.asl === "string" ? gesture.asl : "";
  const { texts, back } = standIns([text, asl]);
  const [filled = "", fragment = ""] = texts;
  return { filled, given: asl === fragment ? gesture : ({ ...gesture, asl: fragment } as Gesture), back };
}

/** Restores the placeholders, and removes the members that only other syntaxes need. */
function plainly(before: string, made: WrittenEdit, back: (text: string) => string): Edited {
  const range = ({ start, end }: { start: number; end: number }) => ({ start, end });
  const edits = made.edits.map((edit) => ({ ...edit, text: back(edit.text) }));
  const { select, caret, stops, announce, losses, asl } = made;
  // A problem of a placeholder's stand-in is not a problem of the definition.
  const open = barePointers(applied(before, edits));
  const introduces = made.introduces.filter(({ pointer }) => !open.has(pointer));
  const edited = { edits, select, caret: range(caret), stops: stops.map(range), announce, losses, introduces };
  return asl === undefined ? edited : { ...edited, asl: back(asl) };
}

/** Calls the module with a text, and returns its answer as JSON text. The first `offsets` of the other arguments are offsets. */
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
