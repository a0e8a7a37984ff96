// The values that "add" writes into a list of transitions. A new transition never leads to the first state by default, because
// that would be a loop which the user has not asked for.

import { pointerTo } from "stepglass/pointer";
import type { Gesture } from "stepglass";
import type { Formed } from "../model/form.ts";
import { isFields, listOf } from "../model/rule.ts";

type Of = Pick<Formed, "pointer" | "name" | "fields" | "language" | "targets">;

const nextOf = (transition: unknown): string | undefined => {
  const next = isFields(transition) ? transition["Next"] : undefined;
  return typeof next === "string" ? next : undefined;
};

/** Returns a catcher for all errors. It leads to the target of the last catcher, or to a new Fail state. */
export function newCatcher({ pointer, fields }: Of): Gesture {
  const next = nextOf(listOf(fields["Catch"]).at(-1));
  if (next === undefined) return { kind: "append", from: pointer, as: "catch", state: { type: "Fail" } };
  return { kind: "set", at: pointerTo(pointerTo(pointer, "Catch"), "-"), value: { ErrorEquals: ["States.ALL"], Next: next } };
}

/** Returns a rule of a Choice. It leads to the target of the last rule, or to the default. */
export function newRule({ pointer, name, fields, language, targets }: Of): Gesture {
  const other = fields["Default"];
  const next = nextOf(listOf(fields["Choices"]).at(-1)) ?? (typeof other === "string" ? other : targets.findLast((one) => one !== name));
  const test = language === "JSONata" ? { Condition: "{% true %}" } : { Variable: "$.", IsPresent: true };
  return { kind: "set", at: pointerTo(pointerTo(pointer, "Choices"), "-"), value: { ...test, Next: next ?? name } };
}
