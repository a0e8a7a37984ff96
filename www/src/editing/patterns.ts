// Inserts patterns. An inserted pattern can run at once, and the focus moves to its placeholders.

import * as model from "../debugger/model.ts";
import { patternFor, patternOptions } from "../model/patterns.ts";
import * as analysis from "../store/analysis.ts";
import * as workspace from "../store/workspace.ts";
import { type Where, pasted } from "./add.ts";
import { type Spot, canEdit, perform } from "./gesture.ts";
import { dismissHint, showHint } from "./hints.ts";
import { pick } from "./picking.ts";
import { fillIn } from "./text.ts";
import * as prefs from "../prefs.ts";

export { patternOptions } from "../model/patterns.ts";

/** Asks for a pattern. */
export async function choosePattern(at: Spot): Promise<void> {
  if (!canEdit()) return;
  const chosen = await pick({
    title: "Begin with a pattern",
    placeholder: "Pattern",
    groups: [{ title: "", options: patternOptions }],
    at,
  });
  if (chosen) await insertPattern(chosen.id.slice("pattern ".length), { scope: "" }, { at });
}

/** Inserts a pattern with its mocks, and moves the focus to its placeholders. */
export async function insertPattern(id: string, where: Where, options: { at?: Spot }): Promise<void> {
  const pattern = patternFor(id, new Set((analysis.latest.value?.states ?? []).map(({ name }) => name)));
  if (!pattern) return;
  workspace.flush();
  const empty = workspace.definition.value.trim() === "";
  // The interpreter converts the pattern to the machine's query language.
  const done = await perform(pasted(pattern.asl, where), { ...options, fill: true });
  if (!done) return;
  model.mocks.value = { ...model.mocks.value, ...pattern.mocks };
  if (empty && /^\s*(\{\s*\})?\s*$/.test(workspace.input.value)) workspace.edit({ input: `${JSON.stringify(pattern.input, null, 2)}\n` });
  // On a phone the definition is in another pane, and an on-screen keyboard would cover half of it.
  if (done.stops.length === 0 || prefs.layoutSize() === "narrow") return;
  dismissHint();
  if (fillIn()) showHint("fill");
}
