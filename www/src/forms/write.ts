// Applies the changes of a form as gestures. Several gestures become one edit of the text, which is one step in the undo history.

import { ChangeSet } from "@codemirror/state";
import type { Edited, Gesture, RefusedEdit, TextEdit } from "stepglass";
import { canEdit } from "../editing/gesture.ts";
import { write } from "../editing/text.ts";
import * as interpreter from "../store/interpreter.ts";
import { say, showToast } from "../store/notifications.ts";
import * as workspace from "../store/workspace.ts";
import { sentence, unticked } from "../ui/format.ts";
import { SETTINGS } from "./fields.ts";
import { isPlaceholder, same } from "./values.ts";
import { shown } from "./current.ts";

/** A number that replaces a placeholder without quotes while the core works. */
const STAND_IN = 918_273_645;

const words = (text: string): string => unticked(sentence(text)).replace(/\.?$/, ".");

/** Gestures run one after another, because each applies to the text that the previous one has produced. */
let last: Promise<unknown> = Promise.resolve();

/** Applies gestures as one step. Returns the reason if they are refused. */
export function change(...gestures: Gesture[]): Promise<string | undefined> {
  const next = last.then(() => make(gestures));
  last = next.catch(() => {});
  return next;
}

/**
 * Applies a change for a control that has no place for the reason of a refusal, which is shown as a notice. Returns whether it
 * was applied.
 */
export async function reportRefusal(changing: Promise<string | undefined>): Promise<boolean> {
  const refused = await changing;
  if (refused !== undefined) showToast(refused);
  return refused === undefined;
}

/** Sets a field, or removes it if there is no value. An unchanged value is not written. */
export function put(at: string, value: unknown, was: unknown): Promise<string | undefined> {
  if (same(value, was)) return Promise.resolve(undefined);
  return change(value === undefined ? { kind: "remove", at: emptied(at) } : { kind: "set", at, value });
}

/** Returns the pointer of the object to remove together with a field: settings that have no other field. */
function emptied(at: string): string {
  const around = at.slice(0, at.lastIndexOf("/"));
  if (!SETTINGS.has(around.slice(around.lastIndexOf("/") + 1))) return at;
  const others = Object.keys(shown.peek()?.places ?? {}).some(
    (one) => one.startsWith(`${around}/`) && one !== at && !one.startsWith(`${at}/`),
  );
  return others ? at : emptied(around);
}

async function make(gestures: readonly Gesture[]): Promise<string | undefined> {
  if (!canEdit()) return "The definition of a started machine is changed under Mocks.";
  for (let tries = 0; tries < 3; tries++) {
    workspace.flush();
    const before = workspace.definition.value;
    let done: Edited;
    try {
      const found = await together(before, gestures);
      if ("refused" in found) return words(found.refused.message);
      done = found;
    } catch (error) {
      return (error as Error).message;
    }
    workspace.flush();
    if (workspace.definition.value !== before) continue;
    if (done.edits.length > 0) write(before, done, false);
    tell(done);
    return undefined;
  }
  return "The text is being changed. Try again.";
}

function tell({ announce, losses, introduces }: Edited): void {
  const errors = introduces.filter(({ severity }) => severity === "error");
  say([words(announce), ...[...losses, ...errors].map(({ message }) => words(message))].join(" "));
}

/** Applies gestures one after another. Returns the edits of the original text. */
async function together(before: string, gestures: readonly Gesture[]): Promise<Edited | RefusedEdit> {
  let text = before;
  let changes = ChangeSet.empty(before.length);
  let all: Edited | undefined;
  const format = workspace.format.value;
  for (const gesture of gestures) {
    const bare = format === "json" && isBare(gesture);
    const found = await interpreter.query("edit", { text, format, gesture: bare ? { ...gesture, value: STAND_IN } : gesture });
    if ("refused" in found) return found;
    const done = bare ? withPlaceholder(found, String(gesture.value)) : found;
    const step = ChangeSet.of(
      done.edits.map(({ start, end, text: insert }) => ({ from: start, to: end, insert })),
      text.length,
    );
    changes = changes.compose(step);
    text = applied(text, done.edits);
    all = all
      ? {
          ...done,
          announce: `${all.announce} ${done.announce}`,
          losses: [...all.losses, ...done.losses],
          // Only the problems of the final text count.
          introduces: [...all.introduces, ...done.introduces],
        }
      : done;
  }
  const edits: TextEdit[] = [];
  changes.iterChanges((start, end, _from, _to, insert) => edits.push({ start, end, text: insert.toString() }), true);
  return { ...all!, edits };
}

function applied(text: string, edits: readonly TextEdit[]): string {
  let out = text;
  for (const { start, end, text: put } of [...edits].reverse()) out = out.slice(0, start) + put + out.slice(end);
  return out;
}

/** Returns whether a gesture sets a placeholder where one without quotes was. The new one has no quotes either. */
function isBare(gesture: Gesture): gesture is Gesture & { kind: "set" } {
  return gesture.kind === "set" && isPlaceholder(gesture.value) && (shown.peek()?.bare.includes(gesture.at) ?? false);
}

function withPlaceholder(done: Edited, placeholder: string): Edited {
  const edits = done.edits.map((edit) => ({ ...edit, text: edit.text.replace(String(STAND_IN), placeholder) }));
  return { ...done, edits };
}
