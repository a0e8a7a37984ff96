// Opens a workspace on the page: an example, a draft, or one from a link or a file.

import { batch } from "@preact/signals";
import type { Workspace } from "../model/share.ts";
import { resetFolds } from "./analysis.ts";
import { mockProblems } from "./execution.ts";
import { clearViews } from "./inside.ts";
import { resetPanes } from "./panes.ts";
import { setChoices } from "./playback.ts";
import { clearRun, stop } from "./runner.ts";
import { selectedState } from "./selection.ts";
import { dismissAllButStorage } from "./notifications.ts";
import { type Lesson, current, edit, flush, generation, hasCode } from "./workspace.ts";

export const EMPTY: Workspace = { title: "Untitled", format: "json", definition: "", input: "{}", tasks: "", clock: "skip", seed: 1 };

/**
 * The origin of a workspace: a draft of this browser, the gallery, or elsewhere. A workspace from elsewhere is stored as a draft
 * at once.
 */
export interface Source {
  draft?: { id: string; turn: number };
  example?: string;
  brought?: boolean;
}

export interface Opening {
  /** Called before another workspace replaces the current one. */
  leave(): void;
  enter(source: Source): void;
}
export const openings = new Set<Opening>();
/** The origin of the current workspace, and its contents when it was opened. */
export const opened: { source: Source; as: Workspace } = { source: {}, as: current() };

export const isTouched = (): boolean => JSON.stringify(current()) !== JSON.stringify(opened.as);

/** Replaces the current workspace. */
export function open(next: Workspace, trusted: boolean, source: Source = {}): void {
  stop();
  flush();
  for (const opening of openings) opening.leave();
  batch(() => {
    clearRun();
    selectedState.value = next.selected ?? null;
    resetFolds();
    clearViews();
    setChoices(new Map(Object.entries(next.iterations ?? {})));
    edit({
      // The title is a single line, because it is used in file names.
      title: next.title.replace(/\s+/g, " "),
      format: next.format,
      definition: next.definition,
      clock: next.clock,
      seed: next.seed,
      config: next.config ?? {},
      lesson: "lesson" in next ? (next as Workspace & Lesson) : null,
      sketched: null,
      recordedAnswers: null,
    });
    takeParts(next, trusted);
    generation.value += 1;
    resetPanes();
    dismissAllButStorage();
    opened.source = source;
    opened.as = current();
  });
  for (const opening of openings) opening.enter(source);
}

/** Replaces the parts of a machine besides its definition. */
export function takeParts(
  next: Pick<Workspace, "input" | "inputs" | "tasks" | "breakpoints" | "mocks" | "machines">,
  trusted: boolean,
): void {
  batch(() => {
    edit({
      input: next.input,
      inputs: next.inputs ?? [],
      broughtBreakpoints: next.breakpoints ?? [],
      broughtMocks: next.mocks ?? {},
      machines: next.machines ?? [],
      tasks: next.tasks,
      tasksTrusted: trusted || next.tasks.trim() === "",
      mocksTrusted: trusted || !hasCode(next.mocks ?? {}),
    });
    mockProblems.value = {};
  });
}
