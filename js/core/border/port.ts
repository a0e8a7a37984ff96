// The port through which facts go into an engine and steps come out of it. src/wasm/port.rs defines its layout.

import * as glue from "../../../dist/glue.js";
import { type ModuleError, refusal } from "../base/errors.ts";
import type { Command, Step } from "../api/index.d.ts";
import type { CancelScope, Fact } from "./facts.ts";

const [KIND, TEXT_AT, TEXT_LENGTH, DEADLINE, EVENTS, MORE, TASK, STATE, ATTEMPT, RUNNING, KNOWN, PAYLOADS, ENTERED, NUMBERS] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13,
] as const;
const [NOTHING, INVOKE, COMMANDS, ECHO] = [0, 1, 2, 4] as const;
const encoder = new TextEncoder();
// Length of a text, in characters, above which its bytes are counted first. Room for its maximum size would be three times as
// large.
const LONG = 2 ** 20;
// Maximum length of a part of a long text, in characters. The instance keeps an inbox for its bytes.
const PART = 2 ** 18;
// Maximum number of bytes for one decoder. Safari's decoder stops working after two gigabytes.
const DECODER_BYTES = 2 ** 31 - 2 ** 20;
let decoder: TextDecoder;
let decoded = Infinity;
let head: Float64Array;
let bytes: Uint8Array<ArrayBuffer> | undefined;
// Usual size of the inbox, in bytes.
const USUAL = 2 ** 12;
let inbox: Uint8Array<ArrayBuffer> | undefined;
// The JSON text that was sent or received last, if the instance still has its value. It need not be sent again.
const AGAIN = -1;
let known: string | undefined;
// The failure that was sent last, if the instance still has it.
const SAME = -2;
const NONE = -1;
let failed: { error?: string | null; cause?: string | null } = {};
// How often the known text was parsed, and its value from the second time on. Copying the value is much faster than parsing.
let reads = 0;
let parsedValue: unknown;
// Whether JSON.stringify() of the value gives exactly the text. Undefined until it is needed.
let isCanonical: boolean | undefined;
// Whether the known text was sent from here, and not received from the instance.
let sent = false;
// The last noted answer of a handler: its text and its value. `pays` says whether noting answers is worthwhile: whether the last
// one became the input of the next task.
// The instance keeps no value whose text is longer than `SHORT`.
const SHORT = 2 ** 16;
let noted: string | undefined;
let notedValue: unknown;
let pays = true;

// The arguments of a fact after its time, in the form of the engine's method, but with values as JSON texts.
type Fed = (now: number, a?: unknown, b?: unknown, c?: unknown) => void;

/** Returns the Task states of the machine that an engine runs. */
interface Tasks {
  task(state: number): { state: string; resource: string };
}

/** Forgets everything about the memory of an instance that is replaced. */
export function reset(): void {
  bytes = inbox = known = noted = notedValue = undefined;
  failed = {};
}

/** Recreates the views of the instance's memory. They become invalid when it grows. */
export function refreshViews(): void {
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
    rememberText(undefined);
    if (b !== undefined) sendItems(raw, b as string);
    raw.items(now, a as number, c as boolean);
  } else if (method === "cancel" && Array.isArray(c)) {
    const [state, index, beside] = c as unknown as CancelScope;
    raw.cancel(now, a as string, b as Uint32Array | undefined, state, index, beside);
  } else (raw as unknown as Record<Fact[0], Fed>)[method](now, a, b, c);
}

/** Remembers the JSON text that was sent or received. Undefined means that the instance has none. */
export function rememberText(text: string | undefined): void {
  if (reads === 0 && parsedValue !== undefined) pays = false;
  known = text;
  reads = 0;
  sent = false;
  parsedValue = isCanonical = undefined;
  if (text === undefined || text !== noted) return;
  [parsedValue, isCanonical] = [notedValue, true];
  noted = notedValue = undefined;
}

/**
 * Notes the value of an answer's text. The first task whose input is that text gets the value, which is much faster than parsing
 * it.
 */
export function noteAnswer(text: string, value: unknown): void {
  if (text.length > SHORT) pays = false;
  else [noted, notedValue] = [text, value];
}

/** Returns whether noting answers is worthwhile. */
export function isNotingUseful(): boolean {
  return pays;
}

/** Returns the known text and its value if answers are likely to be equal to it, because more than one task has received it. */
export function repeatedAnswer(): { text: string; value: unknown } | undefined {
  if (reads < 2 || known === undefined) return undefined;
  isCanonical ??= JSON.stringify(parsedValue) === known;
  return isCanonical ? { text: known, value: parsedValue } : undefined;
}

/** Returns the known text instead of an equal one, so that a journal of equal texts contains only one string. */
export function internText(value: unknown): unknown {
  return value === known ? known : value;
}

/** Returns the known cause of a failure instead of an equal one. */
export function internCause(value: unknown): unknown {
  return value === failed.cause ? failed.cause : value;
}

/** Writes a JSON text into the inbox, unless its value is known. Returns its length in bytes. */
function sendValue(text: string): number {
  if (text === known) return AGAIN;
  rememberText(text);
  sent = true;
  return send(text);
}

/** Writes a text into the inbox. Returns its length in bytes. */
function send(text: string): number {
  if (text.length <= LONG) return encoder.encodeInto(text, room(text.length * 3)).written;
  const long = encoder.encode(text);
  room(long.length).set(long);
  return long.length;
}

/** Writes a part of a text of items to an engine, from a character on. Returns where the rest begins. */
export function sendPart(raw: glue.Engine, text: string, from: number): number {
  let to = from + PART;
  // A surrogate pair must not be split.
  if (text.codePointAt(to - 1)! > 0xffff) to -= 1;
  raw.part(send(text.slice(from, to)));
  return to;
}

/** Writes the whole text. */
function sendItems(raw: glue.Engine, text: string): void {
  raw.begin(text.length);
  for (let at = 0; at < text.length;) at = sendPart(raw, text, at);
}

/** Feeds a failure. Both texts follow one another in the inbox, unless they are missing or known. */
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

/** Returns the inbox with room for at least `most` bytes. One of the usual size is reused as long as the memory does not grow. */
function room(most: number): Uint8Array<ArrayBuffer> {
  if (inbox !== undefined && inbox.length >= most && inbox.length > 0) return inbox;
  const length = Math.max(most, USUAL);
  const at = glue.inbox(length);
  refreshViews();
  const view = bytes!.subarray(at, at + length);
  inbox = length > USUAL ? undefined : view;
  return view;
}

/** Returns the text that a call has left in the outbox. */
export function receive(): string {
  const text = received();
  decoded += text.length;
  if (decoded > DECODER_BYTES) {
    decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    decoded = text.length;
  }
  return decoder.decode(text);
}

/** Returns the same text as bytes in the instance's memory. */
export function received(): Uint8Array<ArrayBuffer> {
  const at = head[TEXT_AT]!;
  return bytes!.subarray(at, at + head[TEXT_LENGTH]!);
}

/** Returns the number of running chains of states after the last step. */
export function running(): number {
  return head[RUNNING]!;
}

/** Returns the size of the module's memory in bytes. */
export function memorySize(): number {
  return bytes!.byteLength;
}

/** Returns how many bytes of payloads the events contain: those of a page, or those since the last page was taken. */
export function payloads(): number {
  return head[PAYLOADS]!;
}

/** Reads the step after a fact. Throws the reason if the fact was refused. */
export function readStep(machine: Tasks): Step {
  refreshViews();
  let commands: Command[] = [];
  switch (head[KIND]) {
    case NOTHING:
      break;
    case INVOKE:
      rememberText(receive());
    // falls through
    case ECHO: {
      const { state, resource } = machine.task(head[STATE]!);
      // `task` may have called the instance, which may have grown.
      refreshViews();
      commands = [{ type: "Invoke", task: head[TASK]!, state, resource, input: read(), attempt: head[ATTEMPT]!, entered: head[ENTERED]! }];
      break;
    }
    case COMMANDS:
      commands = JSON.parse(receive());
      break;
    default:
      rememberText(undefined);
      throw refused(JSON.parse(receive()));
  }
  if (head[KNOWN] === 0) rememberText(undefined);
  return { commands, more: head[MORE] === 1, deadline: head[DEADLINE]! < 0 ? null : head[DEADLINE]!, events: head[EVENTS]! };
}

// Errors by which the module has refused a call. They are not traps.
const refusals = new WeakSet<object>();

/** Creates the error for a refused call. */
export function refused(thrown: ModuleError): Error {
  const error = refusal(thrown);
  refusals.add(error);
  return error;
}

/** Returns whether an error is the refusal of a call. */
export function isRefusal(thrown: unknown): boolean {
  return typeof thrown === "object" && thrown !== null && refusals.has(thrown);
}

/** Returns a new value of the known text. It belongs to the handler. */
function read(): unknown {
  reads += 1;
  if (reads === 1) {
    // Most answers are read once, so the noted value itself is returned.
    const value: unknown = parsedValue === undefined ? JSON.parse(known!) : parsedValue;
    pays ||= sent && parsedValue === undefined;
    parsedValue = undefined;
    return value;
  }
  parsedValue ??= JSON.parse(known!);
  return typeof parsedValue === "object" && parsedValue !== null ? copy(parsedValue) : parsedValue;
}

/** Copies a value that JSON.parse has made. The instance limits the depth of payloads. */
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
