// Evaluates a field of a state with another text, with the data that its stage has read.

import type { DebugSession, Evaluated } from "stepglass/debug";
import { inner } from "../model/stages.ts";
import { Looking } from "./sources.ts";

export function tryField(
  session: DebugSession,
  definition: string,
  visit: number,
  attempt: number,
  stage: number,
  item: number | undefined,
  language: "jsonata" | "jsonpath" | "template",
  text: string,
): Evaluated {
  const looking = new Looking(session, definition, visit, item);
  const scene = looking.scene(visit, attempt);
  if (!scene) return { message: "the state has not been visited" };
  const values = looking.values(scene, stage) as Parameters<DebugSession["evaluate"]>[1] extends { values?: infer V } | undefined
    ? NonNullable<V>
    : never;
  return session.evaluate(language === "jsonata" ? inner(text) : text, { language, values });
}
