// Facts as a store keeps them: JSON texts, with their instants and what the engine had issued after each.

import type { Step } from "../api/index.d.ts";
import type { Fact } from "../border/facts.ts";
import { StoreError } from "../store/errors.ts";
import { storedJson } from "../store/stored-json.ts";

/** A fact that the engine is not told of: it concerns what the host does for an execution. */
export type Note = [kind: "note", name: string, ...details: unknown[]];

/** A fact as it was kept. */
export interface KeptFact {
  /** Milliseconds since 1970. */
  at: number;
  /** What it has led to; 0 for a note. */
  led: Led;
  fact: Fact | Note;
}

/** What a fact has led to: how many events there were then, and the commands, where there were any. */
export type Led = number | string;

/** What a step has led to, in few characters: a replay has to lead to the same. */
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

/** The same as a person reads it. */
export function ledText(led: Led): string {
  const [events = "", ...commands] = `${led}`.split(/ (?=Invoke |Cancel |Finish )/);
  return `${commands.join(", ") || "no command"} after ${events} ${events === "1" ? "event" : "events"}`;
}

/** The JSON text of a fact. Payloads are texts in it, so that their numbers keep all digits. */
export function factText(at: number, led: Led, fact: Fact | Note): string {
  if (fact[0] !== "start") return JSON.stringify([at, led, ...fact]);
  const [method, input, names, seed] = fact;
  return JSON.stringify([at, led, method, input, names, `${seed}`]);
}

/** The facts of a JSON text of an array. Throws STORE_DAMAGED. */
export function readFacts(text: string): KeptFact[] {
  const kept: unknown = storedJson(text, "a fact");
  if (!Array.isArray(kept)) throw new StoreError("STORE_DAMAGED", "the facts are not an array");
  return kept.map((one: unknown): KeptFact => {
    if (!Array.isArray(one) || typeof one[0] !== "number" || typeof one[2] !== "string" || (one[2] === "start" && !/^-?\d+$/.test(one[5])))
      throw new StoreError("STORE_DAMAGED", "a fact is damaged or incomplete");
    const [at, led, ...fact] = one;
    if (fact[0] === "start") fact[3] = BigInt(fact[3]);
    return { at, led, fact: fact as Fact | Note };
  });
}

/** Where an execution stands, without the events before. */
export interface Standing {
  /** When that was, in milliseconds since 1970. */
  at: number;
  /** How many events there are before. */
  events: number;
  /** What the host keeps of it besides. */
  notes: unknown;
  /** The text of the engine's snapshot. */
  engine: string;
}

/** A snapshot as a store keeps it. The engine's text stays a text, because its numbers have all their digits. */
export function snapshotText({ at, events, notes, engine }: Standing): string {
  return `${JSON.stringify({ form: 1, at, events, notes })}\n${engine}`;
}

/** A snapshot that was kept. Throws STORE_DAMAGED for one that is damaged, or of a form that is not known. */
export function readSnapshot(text: string): Standing {
  const end = text.indexOf("\n");
  const { form, at, events, notes } = storedJson(text.slice(0, Math.max(end, 0)), "the snapshot") ?? {};
  if (form !== 1) throw new StoreError("STORE_DAMAGED", `a snapshot of form ${String(form)} cannot be read`);
  return { at, events, notes, engine: text.slice(end + 1) };
}
