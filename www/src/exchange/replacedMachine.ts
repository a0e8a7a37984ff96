// Detects that the text on the page has become another machine, because it was pasted over or typed anew. Then everything that
// belongs to the previous machine is removed with it, and the display is that of the new one.

import { batch, effect, untracked } from "@preact/signals";
import * as debug from "../debugger/model.ts";
import { expectMachine, fit, fresh, view } from "../graph/viewport.ts";
import type { Analysis } from "../model/protocol.ts";
import type { Workspace } from "../model/share.ts";
import * as analysis from "../store/analysis.ts";
import * as execution from "../store/execution.ts";
import * as interpreter from "../store/interpreter.ts";
import * as opening from "../store/opening.ts";
import * as runner from "../store/runner.ts";
import { dismiss, notify, say, showAlarm } from "../store/notifications.ts";
import * as workspace from "../store/workspace.ts";
import { titleOf } from "./title.ts";

type DraftPlace = { id: string; turn: number } | undefined;

interface Keeper {
  /** Stores a workspace that is being replaced, and returns its draft. The new machine becomes another draft. */
  keep(workspace: Workspace, touched: boolean): DraftPlace;
  /** Returns to that draft, which receives the following edits. */
  restart(draft: DraftPlace): void;
}

/** The machine that was last analysed. */
let last: (Pick<Workspace, "title" | "format" | "definition"> & { names: ReadonlySet<string> }) | undefined;
/** The workspace that the current machine has replaced. */
let left:
  | { workspace: Workspace; lesson: workspace.Lesson | null; trusted: [tasks: boolean, mocks: boolean]; draft: DraftPlace }
  | undefined;
/** The draft of a machine whose text was removed, while the next machine is not there yet. */
let aside: { draft: DraftPlace } | undefined;
/** The title that was derived from the text and follows it. */
let derived = "";
let generation = -1;
let keeping: Keeper | undefined;

/** Returns whether the title on the page was derived from the text, and not entered by the user. */
export const isTitleDerived = (): boolean => derived !== "" && workspace.title.value === derived;

/**
 * Called before the text is saved. Returns whether the text must not be written to the previous machine's draft. A text with
 * little in common with the previous machine may be another machine; until it is analysed it must not overwrite the draft.
 */
export function partsFromDraft(): boolean {
  const text = workspace.definition.value;
  const isUnread = generation === workspace.generation.value && analysis.analyzed() !== text;
  if (keeping && last && !aside && isUnread && !isMostly(last.definition, text, 0.5)) setAside(before(last), keeping);
  return aside !== undefined;
}

const setAside = (whole: Workspace, keeper: Keeper): void => void (aside = { draft: keeper.keep(whole, isTouched(whole)) });

export function heedMachines(keeper: Keeper): void {
  keeping = keeper;
  effect(() => {
    const found = analysis.latest.value;
    void workspace.generation.value;
    // If the text has changed since, it is analysed soon.
    if (found && analysis.analyzed() === workspace.definition.value) untracked(() => batch(() => checkMachine(found, keeper)));
  });
}

function checkMachine(found: Analysis, keeper: Keeper): void {
  const text = workspace.definition.value;
  if (generation !== workspace.generation.value) {
    generation = workspace.generation.value;
    last = left = aside = undefined;
    derived = workspace.title.value === "Untitled" ? "Untitled" : "";
  }
  const names = new Set(found.states.map(({ name }) => name));
  if (names.size === 0) {
    if (text.trim() !== "") void import("./otherFormats.ts").then(({ offerReading }) => offerReading(text));
    else dismiss("foreign");
    if (last && !aside && !isMostly(last.definition, text, 0.5)) setAside(before(last), keeper);
    return;
  }
  dismiss("foreign");
  const other = last !== undefined && isOther(last, names, text);
  if (other) {
    // Keystrokes in another editor may not be reported yet and must not be lost.
    workspace.flush();
    if (workspace.definition.value !== text) return;
    if (left?.workspace.definition === text) goBack(left, keeper);
    else replace(names, keeper);
  } else if (aside) {
    keeper.restart(aside.draft);
  }
  aside = undefined;
  if (derived !== "" && workspace.title.value === derived) derive(names);
  const isNew = (other || last === undefined) && opening.opened.source.draft === undefined;
  if (isNew && opening.opened.source.example === undefined)
    void import("../debugger/firstRun.ts").then(({ offerFirstRun }) => offerFirstRun());
  if (workspace.format.value === "json" && isOneLine(text)) {
    if (isNew) offerLayout();
  } else dismiss("formatted");
  last = { title: workspace.title.value, format: workspace.format.value, definition: text, names };
}

/** Derives the machine's title from its comment or its states. */
function derive(names: ReadonlySet<string>): void {
  derived = titleOf(analysis.graph.value?.graph.comment, [...names]);
  workspace.edit({ title: derived });
}

/** Returns the workspace as it was before its text was replaced. */
const before = ({ names: _, ...machine }: NonNullable<typeof last>): Workspace => ({ ...workspace.current(), ...machine });

const isTouched = (whole: Workspace): boolean => JSON.stringify(whole) !== JSON.stringify(opening.opened.as);

/**
 * Returns whether few of the names are the same, or hardly any of the text. Renaming or adding a state or formatting the text
 * does not make another machine.
 */
function isOther({ names: old, definition }: NonNullable<typeof last>, names: ReadonlySet<string>, text: string): boolean {
  const common = [...names].filter((name) => old.has(name)).length;
  // Most names are the same, whatever the formatting.
  if (common * 2 > Math.max(old.size, names.size)) return false;
  return common * 3 < Math.min(old.size, names.size) ? !isMostly(definition, text, 0.5) : !isMostly(definition, text, 0.2);
}

/** Returns whether the texts share this fraction of the shorter one, counted from the beginning and from the end. */
function isMostly(a: string, b: string, part: number): boolean {
  const shorter = Math.min(a.length, b.length);
  let head = 0;
  while (head < shorter && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < shorter - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  return shorter > 0 && head + tail >= Math.max(a.length, b.length) * part;
}

type Parts = Pick<Workspace, "input" | "inputs" | "tasks" | "breakpoints" | "mocks" | "machines">;
const NOTHING: Required<Parts & Pick<Workspace, "config">> = {
  input: "{}\n",
  inputs: [],
  tasks: "",
  breakpoints: [],
  mocks: {},
  machines: [],
  config: {},
};

function replace(names: ReadonlySet<string>, keeper: Keeper): void {
  const old = before(last!);
  const { as } = opening.opened;
  left = {
    workspace: old,
    lesson: workspace.lesson.value,
    trusted: [workspace.tasksTrusted.value, workspace.mocksTrusted.value],
    draft: aside ? aside.draft : keeper.keep(old, isTouched(old)),
  };
  // What came with the old machine is removed. What was entered since may be meant for the new one and stays.
  const same = (key: keyof typeof NOTHING): boolean => JSON.stringify(old[key] ?? NOTHING[key]) === JSON.stringify(as[key] ?? NOTHING[key]);
  const next: Parts = {
    ...(same("input") || as.inputs?.some(({ text }) => text === old.input) ? { input: NOTHING.input } : { input: old.input }),
    inputs: same("inputs") ? [] : (old.inputs ?? []),
    tasks: same("tasks") ? "" : old.tasks,
    breakpoints: same("breakpoints") ? [] : (old.breakpoints ?? []),
    mocks: same("mocks") ? {} : (old.mocks ?? {}),
    machines: same("machines") ? [] : (old.machines ?? []),
  };
  const gone = [
    old.input !== next.input && old.input.trim() !== "" && old.input.trim() !== "{}" && "input",
    old.tasks !== next.tasks && "handlers",
    Object.keys(old.mocks ?? {}).length > 0 && same("mocks") && "mocks",
    (old.breakpoints?.length ?? 0) > 0 && same("breakpoints") && "breakpoints",
    (old.machines?.length ?? 0) > 0 && same("machines") && "started machines",
  ].filter((one): one is string => one !== false);
  put(next, left.trusted);
  if (same("config")) workspace.edit({ config: {} });
  workspace.edit({ recordedAnswers: null, lesson: null });
  analysis.resetFolds();
  opening.opened.as = { ...as, ...NOTHING };
  opening.opened.source = {};
  derive(names);
  fitGraph();
  const run = execution.run.value;
  runner.detachRun();
  const words =
    gone.length === 0 ? "" : ` The ${listed(gone)} of “${old.title}” ${gone.length === 1 && gone[0] === "input" ? "was" : "were"} removed.`;
  const ran = run === null ? "" : ` The run on screen is still of “${old.title}”.`;
  if (words === "" && ran === "") return say(`This is another machine: ${workspace.title.value}.`);
  notify({
    kind: "another",
    text: `This is another machine.${words}${ran}`,
    actions: [
      ...(gone.length > 0
        ? [{ label: gone.length === 1 && gone[0] === "input" ? "Bring it back" : "Bring them back", run: () => bringBack(old) }]
        : []),
      ...(run === null ? [] : [{ label: execution.busy.value ? "Stop that run" : "Clear that run", run: endRun }]),
    ],
  });
}

const listed = (words: string[]): string => (words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} and ${words.at(-1)!}`);

function put(parts: Parts, [tasks, mocks]: [boolean, boolean]): void {
  opening.takeParts(parts, true);
  workspace.edit({ tasksTrusted: tasks || parts.tasks.trim() === "", mocksTrusted: mocks });
  debug.mocks.value = parts.mocks ?? {};
}

function bringBack(old: Workspace): void {
  const now = workspace.current();
  put(
    {
      input: old.input,
      inputs: old.inputs ?? [],
      tasks: old.tasks,
      breakpoints: old.breakpoints ?? [],
      mocks: { ...old.mocks, ...now.mocks },
      machines: old.machines ?? [],
    },
    left?.trusted ?? [true, true],
  );
  dismiss("another");
}

function endRun(): void {
  runner.stop();
  runner.clearRun();
  debug.position.value = null;
  debug.runs.value = [];
  dismiss("another");
}

/** The text is the previous one again. An undo restores the whole workspace. */
function goBack({ workspace: whole, lesson, trusted, draft }: NonNullable<typeof left>, keeper: Keeper): void {
  put(whole, trusted);
  workspace.edit({ title: whole.title, config: whole.config ?? {}, lesson });
  derived = "";
  left = undefined;
  runner.reattachRun();
  keeper.restart(draft);
  dismiss("another");
  fitGraph();
}

function fitGraph(): void {
  // The view is restored for the current shape of the pane. With another shape the layout differs and is fitted when it arrives.
  expectMachine();
  const drawn = analysis.graph.value;
  if (!drawn) return;
  fit(drawn, (to) => (view.value = to));
  fresh.value = false;
}

/** A text with hundreds of characters per line is not formatted for reading. */
const isOneLine = (text: string): boolean =>
  (text.length > 160 && text.length / text.trim().split("\n").length > 400) || (text.length > 160 && !text.trim().includes("\n"));

function offerLayout(): void {
  notify({
    kind: "formatted",
    text: "The definition is written without line breaks.",
    actions: [{ label: "Format it", run: () => void layOut() }],
  });
}

async function layOut(): Promise<void> {
  const text = workspace.definition.value;
  try {
    const edits = await interpreter.query("format", { text, format: workspace.format.value });
    if (workspace.definition.value !== text) return;
    // The edits are applied from the end, so that earlier positions stay valid.
    const laidOut = [...edits]
      .sort((a, b) => b.from - a.from)
      .reduce((now, { from, to, text: by }) => now.slice(0, from) + by + now.slice(to), text);
    workspace.edit({ definition: laidOut });
    dismiss("formatted");
  } catch (error) {
    showAlarm(`The definition was not formatted: ${(error as Error).message}`);
  }
}
