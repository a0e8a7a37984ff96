// The lists and the menus of a component's graph editor.

import { type EditorCommand, menuOf, transitionMenuOf } from "../graph-editor/kernel/commands.ts";
import type { EditorHost, Plan, Spot } from "../graph-editor/kernel/plan.ts";
import type { Over } from "../graph-editor/kernel/signs.ts";
import { statesOf } from "../graph-editor/kernel/state.ts";
import { transitionTitle } from "../graph-editor/kernel/transitions.ts";
import { Picker } from "../graph-editor/view/picker.ts";
import { shown } from "../keys/chord.ts";
import type { GraphNode } from "../model/graph.ts";
import { svg } from "../ui/dom.ts";
import { glyphOf } from "../ui/services.ts";
import type { Owner } from "./owner.ts";

/** In a window of at most this width, lists are at the lower edge. */
const NARROW = 600;

/** Returns the picture of a state's type, or of the service that a task calls. */
function tile(type: GraphNode["type"], service: string | undefined): Element {
  return svg(
    "svg",
    { class: `tile-of node type-${type.toLowerCase()}`, width: 26, height: 26, viewBox: "-3 -3 26 26", "aria-hidden": "true" },
    svg("rect", { class: "tile", x: -3, y: -3, width: 26, height: 26, rx: 6 }),
    svg("path", { class: "glyph", d: glyphOf({ type, ...(service !== undefined && { detail: service }) }) }),
  );
}

export const pickerIn = ({ shell }: Owner, middle: () => Spot): Picker =>
  new Picker({ parent: () => shell, popover: true, narrow: () => innerWidth < NARROW, middle, tile });

interface Entry {
  id: string;
  label?: string;
  keys?: readonly string[];
  plan(at: Spot): Plan<unknown>;
}

async function open(
  picker: Picker,
  title: string,
  entries: readonly Entry[],
  at: Spot,
  filter: boolean,
): Promise<Plan<unknown> | undefined> {
  const options = entries.map(({ id, label = "", keys }) => ({ id, title: label, ...(keys && { detail: shown(keys[0]!) }) }));
  const chosen = await picker.pick({ title, ...(filter && { placeholder: "What to do" }), groups: [{ title: "", options }], at });
  return entries.find(({ id }) => id === chosen?.id)?.plan(at);
}

/** Opens the menu of the focused state, or of the selected ones. `before` is called before the chosen command is executed. */
export async function stateMenu(
  picker: Picker,
  host: EditorHost,
  at: Spot,
  before: (id: string) => void,
): Promise<Plan<unknown> | undefined> {
  const state = host.state();
  const { node } = state;
  if (!node) return undefined;
  const states = statesOf(state);
  const entry = ({ plan, ...command }: EditorCommand): Entry => ({
    ...command,
    plan() {
      // The list has returned the focus to where it was before, which may have been a button.
      before(node.id);
      return plan(host.state());
    },
  });
  const title = states.length > 1 ? `${states.length} states` : node.name;
  return open(picker, title, menuOf(node, state, true).map(entry), at, true);
}

/** Opens the menu of a transition. */
export async function transitionMenu(
  picker: Picker,
  host: EditorHost,
  edge: NonNullable<Over["edge"]>,
  at: Spot,
): Promise<Plan<unknown> | undefined> {
  const { index } = host.state();
  return index ? open(picker, transitionTitle(index, edge), transitionMenuOf(index, edge), at, false) : undefined;
}
