// Gestures on the page: the interpreter turns each into a minimal edit of the text, and the editor makes it a step that can be
// undone.

import type { Edited, Gesture, PossibleGesture, RefusedEdit } from "stepglass";
import * as model from "../debugger/model.ts";
import { focusNode, focused, refocus } from "../graph/focus.ts";
import { fit, glide, moved, reveal, size, view } from "../graph/viewport.ts";
import { announcement, whole } from "../graph-editor/kernel/messages.ts";
import type { EditorHost, PerformOptions } from "../graph-editor/kernel/plan.ts";
import type { GraphIndex } from "../model/graph.ts";
import type { Drawn, Mock } from "../model/protocol.ts";
import * as analysis from "../store/analysis.ts";
import * as interpreter from "../store/interpreter.ts";
import { say, showToast } from "../store/notifications.ts";
import * as selection from "../store/selection.ts";
import * as workspace from "../store/workspace.ts";
import { write } from "./text.ts";

/** Returns whether the shown definition can be edited. The definition of a child execution cannot. */
export function canEdit(): boolean {
  if (!analysis.inside.value) return true;
  showToast(`Go back to ${workspace.title.value} first: the machines that tasks start are changed under Mocks.`);
  return false;
}

/** Returns the gestures that are possible for a state, an edge, a scope, or several states. */
export function possible(place: string | readonly string[]): Promise<PossibleGesture[]> {
  workspace.flush();
  const { definition, format } = workspace;
  return interpreter.query("gestures", {
    text: definition.value,
    format: format.value,
    place: typeof place === "string" ? place : [...place],
  });
}

/** Returns the result of a gesture without applying it. */
function preview(gesture: Gesture, ahead?: Drawn): Promise<Edited | RefusedEdit> {
  workspace.flush();
  const { definition, format } = workspace;
  return interpreter.query("edit", { text: definition.value, format: format.value, gesture, problems: false, ...(ahead && { ahead }) });
}

/** Returns the edits of a gesture for the current text. */
export async function edit(gesture: Gesture): ReturnType<EditorHost["edit"]> {
  workspace.flush();
  const before = workspace.definition.value;
  try {
    const done = await preview(gesture, gesture.kind === "copy" ? undefined : analysis.drawnAs(before));
    // The user may have typed in the meantime.
    workspace.flush();
    return { before, done, stale: workspace.definition.value !== before };
  } catch (error) {
    return { failed: (error as Error).message };
  }
}

/** The description of the last gesture, and the text that it was applied to. */
export const lastGesture = { before: "", words: "" };

/** Writes the edits and updates the graph, the selection and the focus. Problems are searched for afterwards. */
export async function apply(
  { before, done }: { before: string; done: Edited },
  gesture: Gesture,
  { pattern }: PerformOptions,
): Promise<void> {
  const empty = before.trim() === "";
  Object.assign(lastGesture, { before, words: whole(done.announce).replace(/\.$/, "") });
  write(before, done, pattern !== undefined);
  if (pattern) {
    model.mocks.value = { ...model.mocks.value, ...(pattern.mocks as Record<string, Mock>) };
    if (empty && /^\s*(\{\s*\})?\s*$/.test(workspace.input.value)) workspace.edit({ input: `${JSON.stringify(pattern.input, null, 2)}\n` });
  }
  const active = document.activeElement;
  analysis.withGraph(() => {
    const now = document.activeElement;
    // If the user has moved the focus in the meantime, it stays there.
    if (now === active || now === document.body || active?.isConnected === false) chooseAll(done.select);
  });
  const after = workspace.definition.value;
  await analysis.settled();
  const introduced = analysis.errorCount.value > 0 && workspace.definition.value === after ? await introducedBy(before, gesture) : [];
  say(announcement(done, introduced));
}

/** Returns the errors that a gesture has introduced. */
async function introducedBy(text: string, gesture: Gesture): Promise<Edited["introduces"]> {
  const done = await interpreter.query("edit", { text, format: workspace.format.value, gesture });
  return "refused" in done ? [] : done.introduces.filter(({ severity }) => severity === "error");
}

/** Selects states by their pointers, and moves the focus to the first. */
function chooseAll(pointers: readonly string[]): void {
  const index = analysis.graph.value;
  const nodes = pointers.flatMap((pointer) => index?.node(index.byId.get(pointer) ?? -1) ?? []);
  const [first] = nodes;
  if (!first) return;
  selection.selectState(first.name, "graph");
  selection.selectAlso(nodes.map(({ name }) => name));
  focused.value = first.id;
  // If the user has not moved the view, the whole graph stays visible.
  if (moved.peek() || !outgrown(index!)) reveal(first.id);
  else fit(index!, glide);
  toGraph(first.id);
}

/** Returns whether a part of the graph is out of view. */
function outgrown({ graph, corner }: GraphIndex): boolean {
  const { k, ...to } = view.peek();
  const { width, height } = size.peek();
  const [x, y] = [to.x + corner[0] * k, to.y + corner[1] * k];
  return x < 0 || y < 0 || graph.width * k + x > width || graph.height * k + y > height;
}

/** Returns the focus to a state of the graph, unless the user is typing. */
export function toGraph(id: string | null): void {
  if (id === null || document.activeElement?.closest("#left, #inspector-pane, .picker")) return;
  const back = (): boolean => {
    const svg = document.querySelector<SVGSVGElement>("svg.canvas");
    return svg !== null && focusNode(svg, id);
  };
  if (back()) return;
  // The state gets the focus when it is drawn, with a new graph or as soon as it is visible.
  refocus.id = id;
  requestAnimationFrame(() => refocus.id === id && back() && (refocus.id = null));
}
