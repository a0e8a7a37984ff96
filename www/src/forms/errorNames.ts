// The error names that a state can use, from the core's list.

import { type Signal, signal } from "@preact/signals";
import * as interpreter from "../store/interpreter.ts";

const known = new Map<string, Signal<readonly string[]>>();

/** Lambda's errors, besides those of the Amazon States Language. */
const LAMBDA = ["TooManyRequestsException", "ServiceException", "AWSLambdaException", "SdkClientException", "Unknown"];

export function errorNames(type: string, resource: unknown): Signal<readonly string[]> {
  const lambda = type === "Task" && typeof resource === "string" && resource.includes("lambda");
  const key = `${type} ${lambda}`;
  const held = known.get(key);
  if (held) return held;
  const names = signal<readonly string[]>([]);
  known.set(key, names);
  const text = JSON.stringify({ StartAt: "S", States: { S: { Type: type, Retry: [{ ErrorEquals: [""] }] } } });
  interpreter.query("complete", { text, format: "json", offset: text.indexOf('""') + 1 }).then(
    ({ items }) => (names.value = [...(lambda ? LAMBDA.map((name) => `Lambda.${name}`) : []), ...items.map(({ label }) => label)]),
    () => known.delete(key),
  );
  return names;
}
