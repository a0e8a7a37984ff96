// The list of steps in definition, input and mocks. Selecting one goes back or forward to it.

import { effect, signal, untracked } from "@preact/signals";
import * as debug from "../debugger/model.ts";
import { lastGesture } from "../editing/gesture.ts";
import { pick } from "../editing/picking.ts";
import { definitionEditor, editors } from "../editor/definitionEditor.ts";
import { say, showToast } from "../store/notifications.ts";
import * as workspace from "../store/workspace.ts";
import { changesOf } from "./lines.ts";
import { active } from "./model.ts";
import { NONE, type Steps, type Texts, recorded, textsAt, wordsOf } from "./steps.ts";

/** The steps of the machine on the page. */
export const steps = signal<Steps>(NONE);
/** The steps of the machines in other tabs. */
const others = new Map<string, Steps>();

let last: Texts | undefined;
let generation = -1;
let of = "";
let settling = false;

const now = (): Texts => ({
  format: workspace.format.value,
  definition: workspace.definition.value,
  input: workspace.input.value,
  mocks: debug.mocks.value,
});

/** Starts to record every change. */
export function recordSteps(): void {
  effect(() => {
    const texts = now();
    const fresh = workspace.generation.value !== generation;
    const tab = active.value;
    untracked(() => {
      if (fresh) {
        if (of !== "") others.set(of, steps.peek());
        generation = workspace.generation.peek();
        // A machine is opened in more than one turn of the event loop, which is not a step of the user.
        settling = true;
        setTimeout(() => {
          settling = false;
          last = now();
        });
        steps.value = tab === "" ? NONE : (others.get(tab) ?? NONE);
      } else if (last && !settling) note(last, texts);
      of = tab;
      last = texts;
    });
  });
}

function note(before: Texts, after: Texts): void {
  const byGesture = before.definition !== after.definition && lastGesture.before === before.definition && lastGesture.words !== "";
  steps.value = recorded(steps.peek(), before, after, {
    words: byGesture ? lastGesture.words : wordsOf(before, after),
    typed: !byGesture,
    at: Date.now(),
  });
  if (byGesture) lastGesture.words = "";
}

/** Restores the texts after a number of steps. In the editors this is a new step, which can be undone there. */
export function goTo(done: number): void {
  workspace.flush();
  const texts = textsAt(steps.peek(), done);
  if (!texts || done === steps.peek().done) return;
  // The changes made here are not recorded as a step.
  settling = true;
  if (texts.format !== workspace.format.peek()) workspace.edit({ format: texts.format, definition: texts.definition });
  else put(definitionEditor.peek(), workspace.definition.peek(), texts.definition, (definition) => workspace.edit({ definition }));
  put(editors.get("input-editor"), workspace.input.peek(), texts.input, (input) => workspace.edit({ input }));
  if (JSON.stringify(debug.mocks.peek()) !== JSON.stringify(texts.mocks)) debug.mocks.value = texts.mocks;
  settling = false;
  last = now();
  const { list } = steps.peek();
  steps.value = { list, done };
  say(done === 0 ? "All was taken back." : `As it was after: ${list[done - 1]!.words}`);
}

function put(editor: ReturnType<typeof definitionEditor.peek> | undefined, from: string, to: string, edit: (text: string) => void): void {
  if (from === to) return;
  if (!editor?.view.dom.isConnected || editor.text() !== from) return edit(to);
  editor.edit(changesOf(from, to));
  editor.flush();
}

/** Shows the list, and goes to the selected step. */
export async function showSteps(): Promise<void> {
  workspace.flush();
  const { list, done } = steps.peek();
  if (list.length === 0) return showToast("Nothing was changed since this machine was opened here.");
  const time = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });
  const option = (i: number) => ({
    id: String(i),
    title: i === 0 ? "As it was opened" : list[i - 1]!.words,
    detail: i === done ? "now" : i === 0 ? "" : time.format(list[i - 1]!.at),
  });
  const numbers = Array.from({ length: list.length + 1 }, (_, i) => list.length - i);
  const chosen = await pick({
    title: "What was done",
    placeholder: list.length > 8 ? "Search" : "",
    groups: [
      { title: "Taken back", options: numbers.filter((i) => i > done).map(option) },
      { title: "Done", options: numbers.filter((i) => i <= done).map(option) },
    ].filter(({ options }) => options.length > 0),
    chosen: String(done),
  });
  if (chosen) goTo(Number(chosen.id));
}
