// Machines with a single field, for queries about that field.

import type { QueryLanguage } from "../model/form.ts";

/** Returns the text of a machine that has only this field, and the offset of the field. */
export function textOf(type: string, language: QueryLanguage, steps: readonly string[]): { text: string; offset: number } {
  let value: unknown = null;
  for (const step of [...steps].reverse()) value = /^\d+$/.test(step) ? [value] : { [step]: value };
  const fields = { Type: type, ...(value as object) };
  const machine =
    type === "" ? { ...(value as object), QueryLanguage: language, States: {} } : { QueryLanguage: language, States: { S: fields } };
  const text = JSON.stringify(machine);
  const name = steps.findLast((step) => !/^\d+$/.test(step)) ?? "";
  return { text, offset: text.lastIndexOf(`${JSON.stringify(name)}:`) + 2 };
}
