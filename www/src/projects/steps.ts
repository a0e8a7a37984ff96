// The undo history as a list: the texts before and after each step, and its description.

import type { Mock } from "../model/protocol.ts";

/** The texts that a step can change. */
export interface Texts {
  format: "json" | "yaml";
  definition: string;
  input: string;
  mocks: Record<string, Mock>;
}

export interface Step {
  words: string;
  /** The time, in milliseconds. */
  at: number;
  before: Texts;
  after: Texts;
  /** Whether it was typed. Typing that follows soon belongs to the same step. */
  typed: boolean;
}

export interface Steps {
  list: readonly Step[];
  /** The number of steps that are applied. The others were undone. */
  done: number;
}

export const NONE: Steps = { list: [], done: 0 };

/** Typing without a longer pause is one step, in milliseconds. */
const PAUSE = 1_500;
/** The maximum number of steps. */
const MOST = 200;

const sameMocks = (a: Texts["mocks"], b: Texts["mocks"]): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);

export const same = (a: Texts, b: Texts): boolean =>
  a.definition === b.definition && a.input === b.input && a.format === b.format && sameMocks(a.mocks, b.mocks);

/**
 * Records new texts. If they equal the texts before or after a neighbouring step, that step was undone or redone, by whatever
 * means.
 */
export function recorded({ list, done }: Steps, before: Texts, after: Texts, { words, typed, at }: Omit<Step, "before" | "after">): Steps {
  if (same(before, after)) return { list, done };
  for (let i = done; i >= 1; i--) if (same(list[i - 1]!.before, after)) return { list, done: i - 1 };
  for (let i = done; i < list.length; i++) if (same(list[i]!.after, after)) return { list, done: i + 1 };
  const last = list[done - 1];
  if (last?.typed && typed && done === list.length && last.words === words && at - last.at < PAUSE && same(last.after, before)) {
    const joined = { ...last, after, at };
    return { list: [...list.slice(0, -1), joined], done };
  }
  const next = [...list.slice(0, done), { words, typed, at, before, after }].slice(-MOST);
  return { list: next, done: next.length };
}

/** Returns the texts after a number of steps. */
export function textsAt({ list }: Steps, done: number): Texts | undefined {
  return done === 0 ? list[0]?.before : list[done - 1]?.after;
}

/** Returns the description of what has changed. */
export function wordsOf(before: Texts, after: Texts): string {
  if (before.format !== after.format) return `Turned the text into ${after.format.toUpperCase()}`;
  if (before.definition !== after.definition) return `Edited the definition, ${lineOf(before.definition, after.definition)}`;
  if (before.input !== after.input) return "Edited the input";
  const names = [...new Set([...Object.keys(before.mocks), ...Object.keys(after.mocks)])].filter(
    (name) => JSON.stringify(before.mocks[name]) !== JSON.stringify(after.mocks[name]),
  );
  const [name = ""] = names;
  if (names.length > 1) return `Changed ${names.length} mocks`;
  return after.mocks[name] === undefined
    ? `Removed the mock of ${name}`
    : before.mocks[name] === undefined
      ? `Mocked ${name}`
      : `Changed the mock of ${name}`;
}

/** Returns the number of the first line that differs. */
function lineOf(before: string, after: string): string {
  const most = Math.min(before.length, after.length);
  let at = 0;
  let line = 1;
  while (at < most && before[at] === after[at]) if (before[at++] === "\n") line++;
  return `line ${line}`;
}
