// The port, through which facts go into an engine and steps come out of it: src/wasm/port.rs says what stands where.

import * as glue from "../../dist/glue.js";
import { refusal } from "../base/errors.ts";
import type { Command, Step } from "../api/index.d.ts";
import type { Fact } from "./facts.ts";

const [KIND, TEXT_AT, TEXT_LENGTH, DEADLINE, EVENTS, MORE, TASK, STATE, ATTEMPT, RUNNING, KNOWN, PAYLOADS, ENTERED, NUMBERS] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13,
] as const;
const [NOTHING, INVOKE, COMMANDS, ECHO] = [0, 1, 2, 4] as const;
const encoder = new TextEncoder();
// Of a text of more characters the bytes are counted first: room for the most that they could be is three times as much.
const LONG = 2 ** 20;
// A part of a long text has at most so many characters: the instance keeps an inbox for the bytes of it.
const PART = 2 ** 18;
// Safari's decoder stops working after two gigabytes.
const DECODER_BYTES = 2 ** 31 - 2 ** 20;
let decoder: TextDecoder;
let decoded = Infinity;
let head: Float64Array;
let bytes: Uint8Array<ArrayBuffer> | undefined;
// The inbox of usual size.
const USUAL = 2 ** 12;
let inbox: Uint8Array<ArrayBuffer> | undefined;
// The JSON text that crossed last, where the instance has its value still: it does not cross again.
const AGAIN = -1;
let known: string | undefined;
// The failure that crossed last, which the instance has still.
const SAME = -2;
const NONE = -1;
let failed: { error?: string | null; cause?: string | null } = {};
// How often the known text was read, and what it says, from the second time on: to copy that is much faster than to read.
let reads = 0;
let said: unknown;
// Whether JSON.stringify() writes what it says as it stands; undefined while nobody has asked.
let spelled: boolean | undefined;
// Whether it has come from here, and not out of the instance.
let sent = false;
// The answer of a handler that was noted last: its text and what it says. And whether it pays to note answers: whether the last
// one became the input of the next task.
// The instance keeps no value whose text is longer.
const SHORT = 2 ** 16;
let noted: string | undefined;
let notedValue: unknown;
let pays = true;

// What a fact consists of besides its time: as the method of the engine takes it, but values as JSON texts.
type Fed = (now: number, a?: unknown, b?: unknown, c?: unknown) => void;

/** Knows the Task states of the machine that an engine runs. */
interface Tasks {
  task(state: number): { state: string; resource: string };
}

/** Forgets all that was in the memory of an instance that is replaced. */
export function reset(): void {
  bytes = inbox = known = noted = notedValue = undefined;
  failed = {};
}

/** Makes the views of the instance's memory anew where it has grown, which takes the old ones away. */
export function look(): void {
  if (bytes !== undefined && bytes.byteLength > 0) return;
  const { buffer } = glue.sharedMemory() as WebAssembly.Memory;
  bytes = new Uint8Array(buffer);
  head = new Float64Array(buffer, glue.headAddress(), NUMBERS);
}

/** Feeds a fact to an engine of the instance. */
export function apply(raw: glue.Engine, method: Fact[0], now: number, a: unknown, b: unknown, c: unknown): void {
  if (method === "succeed") raw.succeed(now, a as number, sendValue(b as string));
  else if (method === "submitted") raw.submitted(now, a as number, sendValue(b as string));
  else if (method === "fail") sendFailure(raw, now, a as number, b as string | undefined, c as string | undefined);
  else if (method === "tick") raw.tick(now);
  else if (method === "start") raw.start(now, sendValue(a as string), b, c as bigint);
  else if (method === "items") {
    know(undefined);
    if (b !== undefined) sendItems(raw, b as string);
    raw.items(now, a as number, c as boolean);
  } else (raw as unknown as Record<Fact[0], Fed>)[method](now, a, b, c);
}

/** Remembers the JSON text that crosses; with nothing, that the instance has none. */
export function know(text: string | undefined): void {
  if (reads === 0 && said !== undefined) pays = false;
  known = text;
  reads = 0;
  sent = false;
  said = spelled = undefined;
  if (text === undefined || text !== noted) return;
  [said, spelled] = [notedValue, true];
  noted = notedValue = undefined;
}

/** Notes what the text of an answer says: the first task whose input it is gets that, which is much faster than to read it. */
export function note(text: string, value: unknown): void {
  if (text.length > SHORT) pays = false;
  else [noted, notedValue] = [text, value];
}

/** Whether that pays. */
export function paysToNote(): boolean {
  return pays;
}

/** The known text and what it says, where answers are likely to say the same: where more than one task was given it. */
export function repeated(): { text: string; says: unknown } | undefined {
  if (reads < 2 || known === undefined) return undefined;
  spelled ??= JSON.stringify(said) === known;
  return spelled ? { text: known, says: said } : undefined;
}

/** The known text in place of one that is equal, so that a journal of equal texts is one of one text. */
export function shared(value: unknown): unknown {
  return value === known ? known : value;
}

/** The same for the cause of a failure. */
export function sharedCause(value: unknown): unknown {
  return value === failed.cause ? failed.cause : value;
}

/** Writes a JSON text into the inbox, unless its value is known; its length in bytes. */
function sendValue(text: string): number {
  if (text === known) return AGAIN;
  know(text);
  sent = true;
  return send(text);
}

/** Writes a text into the inbox; its length in bytes. */
function send(text: string): number {
  if (text.length <= LONG) return encoder.encodeInto(text, room(text.length * 3)).written;
  const long = encoder.encode(text);
  room(long.length).set(long);
  return long.length;
}

/** Writes a part of a text of items into an engine, from a character on; where the rest begins. */
export function sendPart(raw: glue.Engine, text: string, from: number): number {
  let to = from + PART;
  // The two halves of a character stay together.
  if (text.codePointAt(to - 1)! > 0xffff) to -= 1;
  raw.part(send(text.slice(from, to)));
  return to;
}

/** Writes all of it. */
function sendItems(raw: glue.Engine, text: string): void {
  raw.begin(text.length);
  for (let at = 0; at < text.length;) at = sendPart(raw, text, at);
}

/** Feeds a failure: both texts, each of which may be missing, follow one another in the inbox, unless they are known. */
function sendFailure(raw: glue.Engine, now: number, task: number, error?: string | null, cause?: string | null): void {
  if (error === failed.error && cause === failed.cause) {
    raw.fail(now, task, SAME, SAME);
    return;
  }
  failed = { error, cause };
  const [name, reason] = [error ?? "", cause ?? ""];
  const view = room((name.length + reason.length) * 3);
  const first = encoder.encodeInto(name, view).written;
  const second = encoder.encodeInto(reason, view.subarray(first)).written;
  raw.fail(now, task, error === undefined || error === null ? NONE : first, cause === undefined || cause === null ? NONE : second);
}

/** The inbox, with room for so many bytes at least. One of a usual size stays where it is, as long as the memory does. */
function room(most: number): Uint8Array<ArrayBuffer> {
  if (inbox !== undefined && inbox.length >= most && inbox.length > 0) return inbox;
  const length = Math.max(most, USUAL);
  const at = glue.inbox(length);
  look();
  const view = bytes!.subarray(at, at + length);
  inbox = length > USUAL ? undefined : view;
  return view;
}

/** The text that a call has left. */
export function receive(): string {
  const text = received();
  decoded += text.length;
  if (decoded > DECODER_BYTES) {
    decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    decoded = text.length;
  }
  return decoder.decode(text);
}

/** The same as bytes in the instance's memory. */
export function received(): Uint8Array<ArrayBuffer> {
  const at = head[TEXT_AT]!;
  return bytes!.subarray(at, at + head[TEXT_LENGTH]!);
}

/** How many chains of states run, as the last step has left it. */
export function running(): number {
  return head[RUNNING]!;
}

/** How many bytes the module's memory has. */
export function memorySize(): number {
  return bytes!.byteLength;
}

/** How many bytes of payloads have come up in the events: of a page that was left, or since the last one was taken. */
export function payloads(): number {
  return head[PAYLOADS]!;
}

/** The step that a fact has left. Throws the reason why the fact was refused. */
export function readStep(machine: Tasks): Step {
  look();
  let commands: Command[] = [];
  switch (head[KIND]) {
    case NOTHING:
      break;
    case INVOKE:
      know(receive());
    // falls through
    case ECHO: {
      const { state, resource } = machine.task(head[STATE]!);
      // Which may have asked the instance.
      look();
      commands = [{ type: "Invoke", task: head[TASK]!, state, resource, input: read(), attempt: head[ATTEMPT]!, entered: head[ENTERED]! }];
      break;
    }
    case COMMANDS:
      commands = JSON.parse(receive());
      break;
    default:
      know(undefined);
      throw refused(JSON.parse(receive()));
  }
  if (head[KNOWN] === 0) know(undefined);
  return { commands, more: head[MORE] === 1, deadline: head[DEADLINE]! < 0 ? null : head[DEADLINE]!, events: head[EVENTS]! };
}

// Errors that are no trap: made of what the module has refused with.
const refusals = new WeakSet<object>();

/** The error for what the module has refused with. */
export function refused(thrown: { code?: string; message: string }): Error {
  const error = refusal(thrown);
  refusals.add(error);
  return error;
}

/** Whether an error is one of those. */
export function isRefusal(thrown: unknown): boolean {
  return typeof thrown === "object" && thrown !== null && refusals.has(thrown);
}

/** What the known text says, made anew: it is the handler's own. */
function read(): unknown {
  reads += 1;
  if (reads === 1) {
    // Most answers are read once: the copy that was noted is given away.
    const value: unknown = said === undefined ? JSON.parse(known!) : said;
    pays ||= sent && said === undefined;
    said = undefined;
    return value;
  }
  said ??= JSON.parse(known!);
  return typeof said === "object" && said !== null ? copy(said) : said;
}

/** A copy of what JSON.parse has made; as deep as the instance lets payloads be. */
function copy(whole: object): object {
  if (Array.isArray(whole)) {
    const items: unknown[] = whole.slice();
    for (let i = 0; i < items.length; i++) {
      const part = items[i];
      if (typeof part === "object" && part !== null) items[i] = copy(part);
    }
    return items;
  }
  const members: Record<string, unknown> = { ...whole };
  for (const name in members) {
    const part = members[name];
    if (typeof part !== "object" || part === null) continue;
    // An assignment would set the prototype.
    if (name === "__proto__")
      Object.defineProperty(members, name, { value: copy(part), configurable: true, enumerable: true, writable: true });
    else members[name] = copy(part);
  }
  return members;
}
