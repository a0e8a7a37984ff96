// Applies gestures on the graph to texts in JSON and in YAML.

import { type EditOptions, type Edited, type Gesture, type PossibleGesture, type RefusedEdit, language } from "stepglass";

interface Text {
  text: string;
  format: "json" | "yaml";
}

/** The text that gestures start from if the page has no definition. */
const EMPTY = { json: '{\n  "States": {}\n}\n', yaml: "States: {}\n" };

/** Returns a text with the edits of a gesture applied. */
export const textAfter = (text: string, { edits }: Edited): string => language.apply(text, edits);

async function optionsFor(format: Text["format"]): Promise<EditOptions> {
  return format === "yaml" ? { syntax: (await import("stepglass/yaml")).yaml } : {};
}

export async function edit({
  text,
  format,
  gesture,
  problems = true,
}: Text & { gesture: Gesture; problems?: boolean }): Promise<Edited | RefusedEdit> {
  const options = { ...(await optionsFor(format)), problems };
  if (text.trim() !== "") return language.edit(text, gesture, options);
  const begun = beginning(format, gesture);
  const done = language.edit(begun, gesture, options);
  return "refused" in done ? done : { ...done, edits: [{ start: 0, end: text.length, text: language.apply(begun, done.edits) }] };
}

/** Returns an empty definition. If the first gesture pastes states, it gets their query language. */
function beginning(format: Text["format"], gesture: Gesture): string {
  if (gesture.kind !== "paste" || !/"QueryLanguage"\s*:\s*"JSONata"/.test(gesture.asl.slice(0, 400))) return EMPTY[format];
  return format === "json" ? '{\n  "QueryLanguage": "JSONata",\n  "States": {}\n}\n' : "QueryLanguage: JSONata\nStates: {}\n";
}

export async function gestures({ text, format, place }: Text & { place: string | string[] }): Promise<PossibleGesture[]> {
  return language.gestures(text.trim() === "" ? EMPTY[format] : text, place, await optionsFor(format));
}
