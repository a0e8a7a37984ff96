// Reads a definition as JSON, whatever its format, and applies the edits of gestures to it.

import type { Edited, Gesture, RefusedEdit, WrittenEdit } from "stepglass";
import type { Link } from "./link.ts";

/** A text and its JSON. */
export interface Read {
  text: string;
  json: string;
  /** Converts edits of the JSON to edits of the text. */
  edited(made: WrittenEdit): Edited | RefusedEdit;
}

/** JSON begins with a brace. Everything else is YAML or an error. */
export const isYaml = (text: string): boolean => /^\s*(?:#|[^\s{[])/.test(text);

export async function read(text: string): Promise<Read> {
  if (!isYaml(text)) return { text, json: text, edited: (made) => made };
  const { yaml } = await import("./yaml.ts");
  const source = yaml.read(text);
  if ("refused" in source) throw new Error(source.refused.message);
  return { text, json: source.json, edited: (made) => source.edited(made) };
}

/** Returns the edits of a gesture in a text. An empty text starts as a machine without states. */
export async function edit(link: Link, text: string, gesture: Gesture): Promise<{ before: string; done: Edited | RefusedEdit }> {
  const source = await read(text.trim() === "" ? beginning(gesture) : text);
  const made = await link.call("edit", { definition: source.json, gesture });
  return { before: source.text, done: "refused" in made ? made : source.edited(made) };
}

/** Returns an empty definition. If the first gesture pastes states, it gets their query language. */
function beginning(gesture: Gesture): string {
  const jsonata = gesture.kind === "paste" && /"QueryLanguage"\s*:\s*"JSONata"/.test(gesture.asl.slice(0, 400));
  return jsonata ? '{\n  "QueryLanguage": "JSONata",\n  "States": {}\n}\n' : '{\n  "States": {}\n}\n';
}
