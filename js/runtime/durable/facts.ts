// Facts in the form in which a store has them: JSON texts with their times and with what each one led to.

import type { Step } from "../../core/api/index.d.ts";
import type { Fact } from "../../core/border/facts.ts";
import { StoreError } from "../store/errors.ts";
import { storedJson } from "../store/stored-json.ts";

/** A fact that the engine is not fed. It records what the host does for an execution. */
export type Note = [kind: "note", name: string, ...details: unknown[]];

/** A fact that was read from a store. */
export interface StoredFact {
  /** The time of the fact, in milliseconds since 1970. */
  at: number;
  /** What the fact has led to; 0 for a note. */
  led: Led;
  fact: Fact | Note;
}

/** What a fact has led to: the number of events after it, and the commands if there were any. */
export type Led = number | string;

/** Summarizes what a step has led to in a short text. A replay must lead to the same text. */
export function ledTo({ events, commands }: Step): Led {
  if (commands.length === 0) return events;
  let text = `${events}`;
  for (const command of commands) {
    if (command.type === "Invoke") text += ` Invoke ${command.task} ${JSON.stringify(command.state)}`;
    else if (command.type === "Cancel") text += ` Cancel ${command.task} ${command.reason}`;
    else if (command.type === "Finish") text += ` Finish ${command.status}`;
  }
  return text;
}

/** Formats what a fact has led to for messages. */
export function ledText(led: Led): string {
  const [events = "", ...commands] = `${led}`.split(/ (?=Invoke |Cancel |Finish )/);
  return `${commands.join(", ") || "no command"} after ${events} ${events === "1" ? "event" : "events"}`;
}

/** Returns the JSON text of a fact. Payloads are strings in it, so that their numbers keep all digits. */
export function factText(at: number, led: Led, fact: Fact | Note): string {
  if (fact[0] !== "start") return JSON.stringify([at, led, ...fact]);
  const [method, input, names, seed] = fact;
  return JSON.stringify([at, led, method, input, names, `${seed}`]);
}

/** Parses the facts of a JSON array. Throws STORE_DAMAGED. */
export function readFacts(text: string): StoredFact[] {
  const parsed: unknown = storedJson(text, "a fact");
  if (!Array.isArray(parsed)) throw new StoreError("STORE_DAMAGED", "the facts are not an array");
  return parsed.map((one: unknown): StoredFact => {
    if (!Array.isArray(one) || typeof one[0] !== "number" || typeof one[2] !== "string" || (one[2] === "start" && !/^-?\d+$/.test(one[5])))
      throw new StoreError("STORE_DAMAGED", "a fact is damaged or incomplete");
    const [at, led, ...fact] = one;
    if (fact[0] === "start") fact[3] = BigInt(fact[3]);
    return { at, led, fact: fact as Fact | Note };
  });
}

/** A snapshot of an execution, without the events before it. */
export interface Standing {
  /** The time of the snapshot, in milliseconds since 1970. */
  at: number;
  /** The number of events before the snapshot. */
  events: number;
  /** The state that the notes of the host have made. */
  notes: unknown;
  /** The text of the engine's snapshot. */
  engine: string;
}

/** Returns the text of a snapshot in a store. The engine's part stays a string, because its numbers have all their digits. */
export function snapshotText({ at, events, notes, engine }: Standing): string {
  return `${JSON.stringify({ form: 1, at, events, notes })}\n${engine}`;
}

/** Parses the text of a snapshot. Throws STORE_DAMAGED if it is damaged or has an unknown form. */
export function readSnapshot(text: string): Standing {
  const end = text.indexOf("\n");
  const { form, at, events, notes } = storedJson(text.slice(0, Math.max(end, 0)), "the snapshot") ?? {};
  if (form !== 1) throw new StoreError("STORE_DAMAGED", `a snapshot of form ${String(form)} cannot be read`);
  return { at, events, notes, engine: text.slice(end + 1) };
}
