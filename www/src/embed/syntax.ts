// The text of a definition as JSON, whatever it is written in, and the edits of gestures in it.

import type { Edited, Gesture, RefusedEdit, WrittenEdit } from "stepglass";
import type { Link } from "./link.ts";

/// A text, and the same as JSON.
export interface Read {
  text: string;
  json: string;
  /// Edits of the JSON as edits of the text.
  edited(made: WrittenEdit): Edited | RefusedEdit;
}

/// JSON begins with a brace; whatever else there is, is YAML or wrong.
export const isYaml = (text: string): boolean => /^\s*(?:#|[^\s{[])/.test(text);

export async function read(text: string): Promise<Read> {
  if (!isYaml(text)) return { text, json: text, edited: (made) => made };
  const { yaml } = await import("./yaml.ts");
  const source = yaml.read(text);
  if ("refused" in source) throw new Error(source.refused.message);
  return { text, json: source.json, edited: (made) => source.edited(made) };
}

/// The edit that a gesture is in a text; an empty one begins with none of the states.
export async function edit(link: Link, text: string, gesture: Gesture): Promise<{ before: string; done: Edited | RefusedEdit }> {
  const source = await read(text.trim() === "" ? beginning(gesture) : text);
  const made = await link.call("edit", { definition: source.json, gesture });
  return { before: source.text, done: "refused" in made ? made : source.edited(made) };
}

/// What comes first brings its query language along.
function beginning(gesture: Gesture): string {
  const jsonata = gesture.kind === "paste" && /"QueryLanguage"\s*:\s*"JSONata"/.test(gesture.asl.slice(0, 400));
  return jsonata ? '{\n  "QueryLanguage": "JSONata",\n  "States": {}\n}\n' : '{\n  "States": {}\n}\n';
}
