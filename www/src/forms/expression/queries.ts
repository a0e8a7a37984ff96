// Queries of the interpreter about a field.

import { signal } from "@preact/signals";
import type { FieldPlace, FieldQuestions, Sample } from "../../model/field.ts";
import * as inputs from "../../store/workspace.ts";
import * as interpreter from "../../store/interpreter.ts";

/** The user's sample data for states that have not run, by the state's pointer. */
export const samples = signal<ReadonlyMap<string, Sample>>(new Map());

export type Field = Omit<FieldPlace, "text" | "format">;

export function askField<Q extends keyof FieldQuestions>(
  ask: Q,
  { state, pointer, language, form, item }: Field,
  params: Omit<FieldQuestions[Q]["params"], "sample" | "input">,
): Promise<FieldQuestions[Q]["value"]> {
  const sample = samples.peek().get(state);
  const question = {
    ask,
    state,
    pointer,
    language,
    form,
    text: inputs.definition.peek(),
    format: inputs.format.peek(),
    input: inputs.input.peek(),
    ...(item !== undefined && { item }),
    ...(sample && { sample }),
    ...params,
  };
  return interpreter.query("field", question as never) as Promise<FieldQuestions[Q]["value"]>;
}
