// Gestures on the graph. The interpreter turns each into a minimal edit of the text, and the editor makes it a step that can be
// undone.

import type { Edited, Gesture, PossibleGesture, RefusedEdit } from "stepglass";
import { focusNode, focused, refocus } from "../graph/focus.ts";
import { fit, glide, moved, reveal, size, view } from "../graph/viewport.ts";
import { SURE, lostTitle } from "../model/gestures.ts";
import type { GraphIndex } from "../model/graph.ts";
import type { Drawn } from "../model/protocol.ts";
import * as analysis from "../store/analysis.ts";
import * as interpreter from "../store/interpreter.ts";
import * as selection from "../store/selection.ts";
import { say, showToast } from "../store/notifications.ts";
import * as workspace from "../store/workspace.ts";
import { sentence, unticked } from "../ui/format.ts";
import { pick } from "./picking.ts";
import { write } from "./text.ts";

/** The position of a menu that a gesture needs, in px of the window. */
export interface Spot {
  x: number;
  y: number;
}

/** Returns whether the shown definition can be edited. The definition of a child execution cannot. */
export function canEdit(): boolean {
  if (!analysis.inside.value) return true;
  showToast(`Go back to ${workspace.title.value} first: the machines that tasks start are changed under Mocks.`);
  return false;
}

const words = (text: string): string => unticked(sentence(text));

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
export function preview(gesture: Gesture, ahead?: Drawn): Promise<Edited | RefusedEdit> {
  workspace.flush();
  const { definition, format } = workspace;
  return interpreter.query("edit", { text: definition.value, format: format.value, gesture, problems: false, ...(ahead && { ahead }) });
}

/** The description of the last gesture, and the text that it was applied to. */
export const lastGesture = { before: "", words: "" };

interface Options {
  /** The position of questions, if there are any. */
  at?: Spot;
  /** Whether the focus moves to the part of the text that must be filled in. */
  fill?: boolean;
  /** Whether the user is asked before fields are removed. */
  careful?: boolean;
}

/** Applies a gesture. If nothing was changed, it shows why and returns undefined. */
export async function perform(gesture: Gesture, options: Options = {}): Promise<Edited | undefined> {
  if (!canEdit()) return undefined;
  for (let tries = 0; tries < 3; tries++) {
    workspace.flush();
    const text = workspace.definition.value;
    let done: Edited | RefusedEdit;
    try {
      done = await preview(gesture, analysis.drawnAs(text));
    } catch (error) {
      showToast((error as Error).message);
      return undefined;
    }
    // The user has typed in the meantime.
    workspace.flush();
    if (workspace.definition.value !== text) continue;
    if ("refused" in done) return refused(gesture, done.refused, options);
    if (options.careful && done.losses.length > 0 && !(await sure(done, options.at))) return undefined;
    await settle(text, gesture, done, options.fill === true);
    return done;
  }
  showToast("The text is being changed. Try again.");
  return undefined;
}

async function refused(
  gesture: Gesture,
  { code, message, choices }: RefusedEdit["refused"],
  options: Options,
): Promise<Edited | undefined> {
  if (code === "ambiguous" && choices && gesture.kind === "delete") {
    const to = await pick({
      title: words(message),
      placeholder: "Where the transitions go",
      groups: [
        { title: "", options: choices.map((choice) => ({ id: choice.to ?? "", title: choice.to === null ? "Nowhere" : choice.name })) },
      ],
      ...(options.at && { at: options.at }),
    });
    if (to === undefined) return undefined;
    return perform({ ...gesture, to: to.id === "" ? null : to.id }, options);
  }
  showToast(words(message));
  return undefined;
}

async function sure({ losses }: Edited, at: Spot | undefined): Promise<boolean> {
  const chosen = await pick({
    title: unticked(lostTitle(losses)),
    placeholder: "",
    groups: SURE,
    ...(at && { at }),
  });
  return chosen?.id === "yes";
}

/** Writes the edits and updates the graph, the selection and the focus. Problems are searched for afterwards. */
async function settle(before: string, gesture: Gesture, done: Edited, fill: boolean): Promise<void> {
  Object.assign(lastGesture, { before, words: words(done.announce).replace(/\.$/, "") });
  write(before, done, fill);
  const held = document.activeElement;
  analysis.withGraph(() => {
    const now = document.activeElement;
    // If the user has moved the focus in the meantime, it stays there.
    if (now === held || now === document.body || held?.isConnected === false) chooseAll(done.select);
  });
  const after = workspace.definition.value;
  await analysis.settled();
  const introduced = analysis.errorCount.value > 0 && workspace.definition.value === after ? await introducedBy(before, gesture) : [];
  say(
    [
      words(done.announce),
      ...done.losses.map(({ message }) => words(message)),
      ...(introduced.length > 0
        ? [`New ${introduced.length === 1 ? "problem" : "problems"}: ${introduced.map(({ message }) => words(message)).join("; ")}`]
        : []),
    ]
      .map((part) => part.replace(/\.?$/, "."))
      .join(" "),
  );
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
