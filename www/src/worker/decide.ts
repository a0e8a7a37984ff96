// The rules of a Choice as they are written, each by itself, on what the state's last visit has seen.

import { testState } from "stepglass";
import { pointerTo } from "stepglass/pointer";
import type { FieldPlace, FieldQuestion, FieldValue } from "../model/field.ts";
import type { Decided, DecidedRule } from "../model/form.ts";
import type { Methods } from "../model/protocol.ts";
import { isFields, pathsOf, testOf, withPaths } from "../model/rule.ts";
import { readWords } from "./reads.ts";

type Ask = (question: FieldQuestion) => Promise<unknown>;

/// More are not looked at while somebody writes.
const MOST_RULES = 60;

export async function decide({ rules, state, language, text, format, input }: Methods["decide"]["params"], ask: Ask): Promise<Decided> {
  const decided: Decided = { rules: [] };
  for (const [i, rule] of rules.slice(0, MOST_RULES).entries()) {
    const value = async (step: string, form: FieldPlace["form"], written: string): Promise<FieldValue> => {
      const pointer = pointerTo(state, "Choices", i, step);
      const found = (await ask({ ask: "value", text, format, state, pointer, language, form, written, input })) as FieldValue;
      decided.from ??= found.from;
      if (found.run !== undefined) decided.run = found.run;
      if (found.lacks) decided.lacks = true;
      return found;
    };
    if (!isFields(rule)) {
      decided.rules.push({ tests: [] });
      continue;
    }
    decided.rules.push(language === "JSONata" ? await byJsonata(rule["Condition"], value) : await byComparison(testOf(rule), value));
    if (decided.lacks) return { rules: [], lacks: true };
  }
  return decided;
}

type Value = (step: string, form: FieldPlace["form"], written: string) => Promise<FieldValue>;

function seenOf(text: string, { value, nothing, message }: FieldValue): DecidedRule["tests"][number] {
  if (message !== undefined) return { text, missing: message };
  return nothing || value === undefined ? { text, missing: "has no value" } : { text, value: value as unknown };
}

async function byJsonata(condition: unknown, value: Value): Promise<DecidedRule> {
  if (typeof condition !== "string") return { tests: [], ...(typeof condition === "boolean" && { holds: condition }) };
  const tests: DecidedRule["tests"] = [];
  for (const read of readWords(condition)) tests.push(seenOf(read, await value("Condition", "jsonata", read)));
  const found = await value("Condition", "condition", condition);
  if (found.message !== undefined) return { tests, cause: found.message };
  if (typeof found.value !== "boolean") return { tests, cause: "The condition gives neither true nor false." };
  return { tests, holds: found.value };
}

/// The values are put in place of the paths: then the core compares without the rest of the run.
async function byComparison(test: Record<string, unknown>, value: Value): Promise<DecidedRule> {
  const tests: DecidedRule["tests"] = [];
  const paths = new Map<string, string>();
  const input: Record<string, unknown> = {};
  for (const [n, path] of pathsOf(test).entries()) {
    const seen = seenOf(path, await value("Variable", "path", path));
    tests.push(seen);
    paths.set(path, `$.v${n}`);
    if ("value" in seen) input[`v${n}`] = seen.value;
  }
  const definition = {
    Type: "Choice",
    QueryLanguage: "JSONPath",
    Choices: [{ ...(withPaths(test, paths) as object), Next: "holds" }],
    Default: "else",
  };
  try {
    const { status, nextState, cause } = testState({ definition, input, roleArn: "arn:aws:iam::000000000000:role/none" } as never);
    if (status === "SUCCEEDED") return { tests, holds: nextState === "holds" };
    const missing = tests.find((one) => one.missing !== undefined);
    return { tests, cause: missing ? `${missing.text} has no value.` : (cause ?? "The rule fails.") };
  } catch {
    // What is not complete yet has its problems elsewhere in the form.
    return { tests };
  }
}
