// Schedules: the calls of tasks that do not simply succeed, with their outcomes. As a value, as text, and in words.

import type { GeneratedOutcome } from "../../core/api/testing.d.ts";
import { isObject } from "../../core/base/json.ts";
import { spoken } from "../../core/base/duration.ts";
import { TestKitError } from "../mocks/errors.ts";

/** The outcome of a task's call. */
export type Outcome = GeneratedOutcome;

/** Outcomes by the key of a call: state, iterations and the number of the call, as in `Resize[2]#0`. */
export type Schedule = ReadonlyMap<string, Outcome>;

/** Returns the key of a call. */
export function keyOf(place: string, call: number): string {
  return `${place}#${call}`;
}

/** Returns the first part of a key: the state and the iterations of a task. */
export function placeOf({ stateName, iterations }: { stateName: string; iterations: readonly number[] }): string {
  return iterations.length > 0 ? `${stateName}[${iterations.join("/")}]` : stateName;
}

/** Reads the option `schedule`: outcomes as objects, or as the texts that a failure has printed. */
export function readSchedule(schedule: unknown): Schedule {
  if (!isObject(schedule)) throw new TestKitError("schedule must be an object, as a failed property prints it");
  // An outcome that is an object is used unchanged.
  return new Map(
    Object.entries(schedule).map(([key, outcome]) => [key, typeof outcome === "string" ? parsedOutcome(outcome) : (outcome as Outcome)]),
  );
}

/** Returns a schedule as JSON text, for the option `schedule`. */
export function scheduleText(schedule: Schedule): string {
  return JSON.stringify(Object.fromEntries([...schedule].map(([key, outcome]) => [key, outcomeText(outcome)])));
}

/** Returns an outcome as text: "never", "Error.Name", "output 3", each with "after 5" if it is delayed. */
function outcomeText({ kind, error, pick, delay }: Outcome): string {
  const late = delay ? ` after ${delay / 1000}` : "";
  if (kind === "never") return "never";
  return kind === "throw" ? `${error}${late}` : `output ${pick ?? 0}${late}`;
}

function parsedOutcome(text: string): Outcome {
  if (text === "never") return { kind: "never" };
  const [, what = "", late] = /^(.*?)(?: after ([\d.]+))?$/s.exec(text) ?? [];
  const delay = late === undefined ? {} : { delay: Number(late) * 1000 };
  const [, pick] = /^output (\d+)$/.exec(what) ?? [];
  return pick === undefined ? { kind: "throw", error: what, ...delay } : { kind: "return", pick: Number(pick), ...delay };
}

/** Describes a schedule in words, with a line for each call. */
export function spokenSchedule(schedule: Schedule): string[] {
  if (schedule.size === 0) return ["every task succeeds at once"];
  return [...[...schedule].map(([key, outcome]) => `${spokenKey(key)} ${spokenOutcome(outcome)}`), "every other call succeeds at once"];
}

function spokenKey(key: string): string {
  const at = key.lastIndexOf("#");
  return `${key.slice(0, at)}, call ${Number(key.slice(at + 1)) + 1}:`;
}

function spokenOutcome({ kind, error, pick, delay }: Outcome): string {
  const late = delay ? `, after ${spoken(delay)}` : "";
  if (kind === "never") return "no answer comes";
  return `${kind === "throw" ? `fails with ${error}` : pick === undefined ? "succeeds" : `succeeds with output ${pick}`}${late}`;
}
