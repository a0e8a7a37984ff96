// Tells when the text on the page has become another machine: pasted over, or written anew. Then what belongs to the
// machine before goes with it, and what is shown is of the new one.

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
import { dismiss, notify, say, shout } from "../store/words.ts";
import * as workspace from "../store/workspace.ts";
import { titleOf } from "./title.ts";

type DraftPlace = { id: string; turn: number } | undefined;

interface Keeper {
  /// Keeps a workspace whose place is taken, and says as which draft; what comes is another one.
  keep(workspace: Workspace, touched: boolean): DraftPlace;
  /// Edits go to that draft again.
  restart(draft: DraftPlace): void;
}

/// The machine that was read last.
let last: (Pick<Workspace, "title" | "format" | "definition"> & { names: ReadonlySet<string> }) | undefined;
/// What the present machine has taken the place of.
let left:
  | { workspace: Workspace; lesson: workspace.Lesson | null; trusted: [tasks: boolean, mocks: boolean]; draft: DraftPlace }
  | undefined;
/// The draft of a machine whose text is gone while the next one is not there yet.
let aside: { draft: DraftPlace } | undefined;
/// The title that was made of the text, and follows it.
let derived = "";
let generation = -1;
let keeping: Keeper | undefined;

/// Whether the title on the page is the text's own: nobody has written it.
export const isTitleDerived = (): boolean => derived !== "" && workspace.title.value === derived;

/// Called before the text is saved; says whether the text stands in no draft of the machine before. A text that is hardly that of
/// the machine before, and has not been read yet, may be another machine: until it is read it must not be written over the draft.
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
    // Newer text is read in a moment.
    if (found && analysis.analyzed() === workspace.definition.value) untracked(() => batch(() => look(found, keeper)));
  });
}

function look(found: Analysis, keeper: Keeper): void {
  const text = workspace.definition.value;
  if (generation !== workspace.generation.value) {
    generation = workspace.generation.value;
    last = left = aside = undefined;
    derived = workspace.title.value === "Untitled" ? "Untitled" : "";
  }
  const names = new Set(found.states.map(({ name }) => name));
  if (names.size === 0) {
    if (text.trim() !== "") void import("./foreign.ts").then(({ offerReading }) => offerReading(text));
    else dismiss("foreign");
    if (last && !aside && !isMostly(last.definition, text, 0.5)) setAside(before(last), keeper);
    return;
  }
  dismiss("foreign");
  const other = last !== undefined && isOther(last, names, text);
  if (other) {
    // What has just been written into another editor is told a moment later, and is not to be lost.
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

/// The machine's own title, of its comment or its states.
function derive(names: ReadonlySet<string>): void {
  derived = titleOf(analysis.graph.value?.graph.comment, [...names]);
  workspace.edit({ title: derived });
}

/// The workspace as it was before its text was replaced.
const before = ({ names: _, ...machine }: NonNullable<typeof last>): Workspace => ({ ...workspace.current(), ...machine });

const isTouched = (whole: Workspace): boolean => JSON.stringify(whole) !== JSON.stringify(opening.opened.as);

/// Few of the names are the same, or hardly any of the text is. A state that is renamed or added, a text that is laid out,
/// are no other machine.
function isOther({ names: old, definition }: NonNullable<typeof last>, names: ReadonlySet<string>, text: string): boolean {
  const common = [...names].filter((name) => old.has(name)).length;
  // Most of the names are the same, however the text is laid out.
  if (common * 2 > Math.max(old.size, names.size)) return false;
  return common * 3 < Math.min(old.size, names.size) ? !isMostly(definition, text, 0.5) : !isMostly(definition, text, 0.2);
}

/// Whether that part of the shorter text stands in both, from the beginning and from the end.
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
  // What came with the machine goes with it; what was written since may be for this one, and stays.
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
  runner.outlive();
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

/// The text is that of before again: an undo brings all of it back.
function goBack({ workspace: whole, lesson, trusted, draft }: NonNullable<typeof left>, keeper: Keeper): void {
  put(whole, trusted);
  workspace.edit({ title: whole.title, config: whole.config ?? {}, lesson });
  derived = "";
  left = undefined;
  runner.comeBack();
  keeper.restart(draft);
  dismiss("another");
  fitGraph();
}

function fitGraph(): void {
  // In the shape that the pane has now; another shape is another layout, which is fitted when it comes.
  expectMachine();
  const drawn = analysis.graph.value;
  if (!drawn) return;
  fit(drawn, (to) => (view.value = to));
  fresh.value = false;
}

/// Hundreds of characters to a line are not meant to be read.
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
    // From the end, so that the places of those before stay.
    const laidOut = [...edits]
      .sort((a, b) => b.from - a.from)
      .reduce((now, { from, to, text: by }) => now.slice(0, from) + by + now.slice(to), text);
    workspace.edit({ definition: laidOut });
    dismiss("formatted");
  } catch (error) {
    shout(`The definition was not formatted: ${(error as Error).message}`);
  }
}
