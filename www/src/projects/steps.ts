// What was done, one after the other: the texts before and after each step, with words for it.

import type { Mock } from "../model/protocol.ts";

/// What steps are about.
export interface Texts {
  format: "json" | "yaml";
  definition: string;
  input: string;
  mocks: Record<string, Mock>;
}

export interface Step {
  words: string;
  /// When, in ms.
  at: number;
  before: Texts;
  after: Texts;
  /// Written by hand: what follows at once belongs to it.
  typed: boolean;
}

export interface Steps {
  list: readonly Step[];
  /// So many of them are done; the others were taken back.
  done: number;
}

export const NONE: Steps = { list: [], done: 0 };

/// What is written without a longer pause is one step.
const PAUSE = 1_500;
/// So many are kept.
const MOST = 200;

const sameMocks = (a: Texts["mocks"], b: Texts["mocks"]): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);

export const same = (a: Texts, b: Texts): boolean =>
  a.definition === b.definition && a.input === b.input && a.format === b.format && sameMocks(a.mocks, b.mocks);

/// Takes note of new texts. Those of a step's beginning or end are that step taken back or done again, wherever they come from.
export function noted({ list, done }: Steps, before: Texts, after: Texts, { words, typed, at }: Omit<Step, "before" | "after">): Steps {
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

/// The texts after so many steps.
export function textsAt({ list }: Steps, done: number): Texts | undefined {
  return done === 0 ? list[0]?.before : list[done - 1]?.after;
}

/// What has changed, in words.
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

/// The first line that differs.
function lineOf(before: string, after: string): string {
  const most = Math.min(before.length, after.length);
  let at = 0;
  let line = 1;
  while (at < most && before[at] === after[at]) if (before[at++] === "\n") line++;
  return `line ${line}`;
}
