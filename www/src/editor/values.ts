// What a path of a state had as its value when the state ran last: for hovers and completions.

import * as store from "../store.ts";

/// Longer values say no more in a hover.
const MOST = 160;

export async function lastValue(state: string, path: string): Promise<string | undefined> {
  const found = await valueAt(state, path);
  if (found === undefined) return undefined;
  const text = JSON.stringify(found);
  return text.length > MOST ? `${text.slice(0, MOST)}…` : text;
}

export async function lastMembers(state: string, path: string): Promise<string[]> {
  const found = await valueAt(state, path);
  return typeof found === "object" && found !== null && !Array.isArray(found) ? Object.keys(found).slice(0, 200) : [];
}

/// Only paths into the state's input: what comes later is not in the history.
async function valueAt(state: string, path: string): Promise<unknown> {
  const steps = /^\$(?:states\.input)?((?:\.[\w-]+|\[\d+\])*)$/.exec(path)?.[1];
  if (steps === undefined || (/^\$[\w]/.test(path) && !path.startsWith("$states.input"))) return undefined;
  const upTo = store.cursor.peek();
  if (upTo === 0) return undefined;
  const visit = (await store.query("visits", { state })).filter(({ enter }) => enter <= upTo).at(-1);
  const event = visit && (await store.query("event", { id: visit.enter }));
  const details = (event as { stateEnteredEventDetails?: { input?: string } } | undefined)?.stateEnteredEventDetails;
  if (details?.input === undefined) return undefined;
  let value: unknown = JSON.parse(details.input);
  for (const step of steps.match(/[\w-]+/g) ?? []) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string, unknown>)[step];
  }
  return value;
}
