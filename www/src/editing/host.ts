// What the page does for the graph editor's kernel.

import type { Edited, Gesture } from "stepglass";
import { elementOf, focused } from "../graph/focus.ts";
import { statesIn } from "../graph-editor/kernel/adding.ts";
import { performing } from "../graph-editor/kernel/performing.ts";
import { type At, type EditorHost, type PerformOptions, type Plan, type Spot, execute } from "../graph-editor/kernel/plan.ts";
import { put, read } from "../graph-editor/view/clipboard.ts";
import * as prefs from "../prefs.ts";
import * as analysis from "../store/analysis.ts";
import * as selection from "../store/selection.ts";
import { say, showToast } from "../store/notifications.ts";
import { added } from "./added.ts";
import { apply, canEdit, edit, possible, toGraph } from "./gesture.ts";
import { dismissHint, showHint } from "./hints.ts";
import { keepMachine, machineOf } from "./machines.ts";
import { pick } from "./picking.ts";
import { recent, remember } from "./recent.ts";
import { askName } from "./rename.ts";
import { searchServices, serviceState } from "./services.ts";
import { chosenStates, multiSelect, stateAt } from "./selectedStates.ts";
import { fillIn, takeBack } from "./text.ts";

/** Selects states, without moving the focus. */
function select(ids: readonly string[]): void {
  const index = analysis.graph.peek();
  const names = [...new Set(ids.flatMap((id) => index?.node(index.byId.get(id) ?? -1)?.name ?? []))];
  const last = names.at(-1);
  selection.selectAlso(names);
  if (last === undefined || !names.includes(selection.selectedState.peek() ?? "")) selection.selectState(last ?? null, "graph");
}

/** Returns the point of the window that a question is placed at. The default is the middle of the graph. */
function spotOf(at: At): Spot | undefined {
  if (typeof at !== "string") return at;
  const svg = document.querySelector<SVGSVGElement>("svg.canvas");
  const box = svg && elementOf(svg, at)?.getBoundingClientRect();
  return box ? { x: box.right + 8, y: box.top } : undefined;
}

/** Moves to the first placeholder, unless it is in a pane that the user does not see. */
function fillInserted(inserted?: Edited): boolean {
  if (!inserted) return fillIn();
  // On a phone the definition is in another pane, and an on-screen keyboard would cover half of it.
  if (prefs.layoutSize() === "narrow") return false;
  dismissHint();
  if (!fillIn()) return false;
  showHint("fill");
  return true;
}

const patterns = () => import("../graph-editor/kernel/patterns.ts");

export const host: EditorHost = {
  state: () => ({
    index: analysis.graph.peek(),
    node: stateAt(),
    selected: chosenStates(),
    multiSelect: multiSelect.peek(),
  }),
  editable: canEdit,
  possible,
  edit,
  apply,
  takeBack,
  perform: (gesture, options) => execute(performing(gesture, options), host),

  pick({ at, move, ...choice }) {
    const spot = spotOf(at);
    return pick({ ...choice, ...(spot && { at: spot }), ...(move && { move: (id, by) => execute(move(id, by), host) }) });
  },
  name: askName,
  notify: (message, refused) => (refused ? showToast(message) : say(message)),
  select,
  selectByPresses: (on) => void (multiSelect.value = on),
  focus(id) {
    focused.value = id;
    toGraph(id);
  },
  fillIn: fillInserted,

  async catalog() {
    const { patternOptions } = await patterns();
    const states = analysis.latest.value?.states ?? statesIn(analysis.graph.peek());
    return { recent: recent(), patterns: patternOptions, search: searchServices, states };
  },
  remember,
  pattern: async (id) => (await patterns()).patternFor(id, new Set((analysis.latest.value?.states ?? []).map(({ name }) => name))),
  serviceState,
  added(done) {
    showHint("added");
    const [pointer] = done.select;
    if (pointer !== undefined) added.value = { state: pointer, caret: done.caret };
  },
  machineOf,
  extracted: keepMachine,

  putClipboard: put,
  clipboard: read,
};

/** Executes a plan of the graph editor. */
export const run = <T>(plan: Plan<T>): Promise<T> => execute(plan, host);

/** Applies a gesture. If nothing was changed, it shows why, and the result is undefined. */
export const perform = (gesture: Gesture, options?: PerformOptions): Promise<Edited | undefined> => host.perform(gesture, options);
