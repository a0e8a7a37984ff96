// What somebody works on: the texts of a machine, and what belongs to them.

import { batch, computed, signal } from "@preact/signals";
import type { Recorded } from "../model/recorded.ts";
import type { ClockMode, Machine, Mock, ReplayReport } from "../model/protocol.ts";
import type { Config, NamedInput, SharedBreakpoint, Workspace } from "../model/share.ts";

/// Of an example: what it teaches, and what somebody may answer for its tasks, by the text of the input.
export interface Lesson {
  lesson: string;
  answers: ReadonlyMap<string, Record<string, unknown>>;
}

export const title = signal("Untitled");
export const format = signal<"json" | "yaml">("json");
export const definition = signal("");
export const input = signal("");
export const tasks = signal("");
/// Inputs to choose from; `input` is the text that runs.
export const inputs = signal<NamedInput[]>([]);
/// Breakpoints that came with an example, a link or a session.
export const broughtBreakpoints = signal<SharedBreakpoint[]>([]);
/// Mocks that came with one, and those that are set since.
export const broughtMocks = signal<Record<string, Mock>>({});
/// Definitions that tasks start.
export const machines = signal<Machine[]>([]);
/// Other machines of the same project, which tasks start by their names.
export const siblings = signal<readonly Machine[]>([]);
/// Tasks answer as they did in this recorded execution.
export const recordedAnswers = signal<{ title: string; tasks: ReplayReport["tasks"]; startTime?: number } | null>(null);
export const clock = signal<ClockMode>("skip");
export const seed = signal(1);
/// What an execution is begun with besides its input.
export const config = signal<Config>({});
export const lesson = signal<Lesson | null>(null);
/// The history that the present definition was drawn from, where nothing else was known of its machine.
export const sketched = signal<Recorded | null>(null);
/// Code that came with a link runs only after somebody has looked at it: that of the tasks, and that of mocks.
export const tasksTrusted = signal(true);
export const mocksTrusted = signal(true);
/// Grows when a whole workspace is put in place, so that the editors take its texts over.
export const generation = signal(0);

const parts = {
  title,
  format,
  definition,
  input,
  tasks,
  inputs,
  broughtBreakpoints,
  broughtMocks,
  machines,
  recordedAnswers,
  clock,
  seed,
  config,
  lesson,
  sketched,
  tasksTrusted,
  mocksTrusted,
};
export type Changes = { [K in keyof typeof parts]?: (typeof parts)[K]["value"] };

/// Changes some of it, as one change.
export function edit(changes: Changes): void {
  batch(() => {
    for (const [key, value] of Object.entries(changes)) (parts[key as keyof Changes] as { value: unknown }).value = value;
  });
}

export function setSiblings(next: readonly Machine[]): void {
  siblings.value = next;
}

export const machineType = computed(() => config.value.type ?? "STANDARD");
export const suspect = computed(
  () => (!tasksTrusted.value && tasks.value.trim() !== "") || (!mocksTrusted.value && hasCode(broughtMocks.value)),
);
export const inputProblem = computed(() => jsonProblem(input.value));

/// Called before the texts are used: editors tell of the last keys a moment later.
export const flushers = new Set<() => void>();

export function flush(): void {
  for (const tell of flushers) tell();
}

/// What is typed in forms and not in the text yet: each writes it, which takes a moment.
export const unwritten = new Set<() => Promise<unknown>>();

/// All of it, as it is kept and shared.
export function current(): Workspace {
  return {
    title: title.value,
    format: format.value,
    definition: definition.value,
    input: input.value,
    tasks: tasks.value,
    clock: clock.value,
    seed: seed.value,
    ...(inputs.value.length > 0 ? { inputs: inputs.value } : {}),
    ...(broughtBreakpoints.value.length > 0 ? { breakpoints: broughtBreakpoints.value } : {}),
    ...(Object.keys(broughtMocks.value).length > 0 ? { mocks: broughtMocks.value } : {}),
    ...(machines.value.length > 0 ? { machines: machines.value } : {}),
    ...(Object.keys(config.value).length > 0 ? { config: config.value } : {}),
  };
}

/// The texts of mocks that are JavaScript, by name.
export const codesOf = (mocks: Record<string, Mock>): Record<string, string> =>
  Object.fromEntries(Object.entries(mocks).flatMap(([name, mock]) => (mock.mode === "javascript" ? [[name, mock.code]] : [])));

export function hasCode(mocks: Record<string, Mock>): boolean {
  return Object.keys(codesOf(mocks)).length > 0;
}

function jsonProblem(text: string): { message: string } | null {
  if (text.trim() === "") return null;
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return { message: (error as Error).message };
  }
}
