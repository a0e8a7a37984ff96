// The workspace that the user edits: the texts of a machine, and what belongs to them.

import { batch, computed, signal } from "@preact/signals";
import type { Recorded } from "../model/recorded.ts";
import type { ClockMode, Machine, Mock, ReplayReport } from "../model/protocol.ts";
import type { Config } from "../model/runReport.ts";
import type { NamedInput, SharedBreakpoint, Workspace } from "../model/share.ts";

/** The lesson of an example, and the suggested answers for its tasks, by the text of the input. */
export interface Lesson {
  lesson: string;
  answers: ReadonlyMap<string, Record<string, unknown>>;
}

export const title = signal("Untitled");
export const format = signal<"json" | "yaml">("json");
export const definition = signal("");
export const input = signal("");
export const tasks = signal("");
/** The inputs to choose from; `input` is the text that runs. */
export const inputs = signal<NamedInput[]>([]);
/** The breakpoints that came with an example, a link or a session. */
export const broughtBreakpoints = signal<SharedBreakpoint[]>([]);
/** The mocks that came with an example, a link or a session, and those that were set since. */
export const broughtMocks = signal<Record<string, Mock>>({});
/** The state machines that tasks start. */
export const machines = signal<Machine[]>([]);
/** The other machines of the same project, which tasks start by their names. */
export const siblings = signal<readonly Machine[]>([]);
/** The recorded execution whose answers the tasks give again. */
export const recordedAnswers = signal<{ title: string; tasks: ReplayReport["tasks"]; startTime?: number } | null>(null);
export const clock = signal<ClockMode>("skip");
export const seed = signal(1);
/** The options of an execution, besides its input. */
export const config = signal<Config>({});
export const lesson = signal<Lesson | null>(null);
/** The history that the current definition was reconstructed from, if its machine is not known. */
export const sketched = signal<Recorded | null>(null);
/** Whether the user has reviewed the code that came with a link, of the tasks and of the mocks. It does not run before. */
export const tasksTrusted = signal(true);
export const mocksTrusted = signal(true);
/** A counter that grows when the whole workspace is replaced, so that the editors take over its texts. */
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

/** Changes some members as one change. */
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

/** Called before the texts are used, because editors report the last keystrokes with a delay. */
export const flushers = new Set<() => void>();

export function flush(): void {
  for (const tell of flushers) tell();
}

/** Called to write what was typed in forms to the text, which is asynchronous. */
export const unwritten = new Set<() => Promise<unknown>>();

/** Returns the whole workspace, as it is stored and shared. */
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

/** Returns the texts of the mocks in JavaScript, by name. */
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
