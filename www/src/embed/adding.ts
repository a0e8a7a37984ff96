// The component's menu of states to add: state types, patterns, copies of states, and service calls.

import type { StateType } from "stepglass";
import { TYPES, type Way, type Where, pasted, placed, additionsBehindOf } from "../graph-editor/kernel/gestures.ts";
import { type GraphEdge, isState } from "../model/graph.ts";
import type { OptionGroup } from "../graph-editor/kernel/options.ts";
import { languageOf, serviceOptions, serviceTask } from "../graph-editor/kernel/services.ts";
import { scopeOf, transitionTitle, insertableTransitions } from "../graph-editor/kernel/transitions.ts";
import type { EditorContext } from "./editorContext.ts";
import type { Spot } from "./picker.ts";

/** These modules are files of their own, so that they are loaded only when they are used. */
const patterns = () => import("../graph-editor/kernel/patterns.ts");
const table = () => import("../../../js/entries/integrations.ts");

function copies({ owner }: EditorContext): OptionGroup {
  const options = (owner.index()?.graph.nodes ?? []).filter(isState).map(({ id, name, type }) => ({
    id: `copy ${id}`,
    title: `A copy of ${name}`,
    detail: type,
    type,
  }));
  return { title: "Copies", options: options.slice(0, 500), searched: options.length > 6 };
}

async function add(editor: EditorContext, title: string, ways: readonly Way[], at: Spot): Promise<void> {
  const [only] = ways;
  const chosen = await editor.picker.pick({
    title: ways.length === 1 && only!.title !== "" ? `${title}: ${only!.title}` : title,
    placeholder: "State, pattern or service",
    groups: [{ title: "States", options: TYPES }, copies(editor)],
    more: () => patterns().then(({ patternOptions }) => [{ title: "Patterns", options: patternOptions }]),
    search: (text) => serviceOptions(table, text),
    modes: ways,
    at,
  });
  const way = ways.find(({ id }) => id === chosen?.mode) ?? only;
  if (!chosen || !way) return;
  const space = chosen.id.indexOf(" ");
  const rest = chosen.id.slice(space + 1);
  switch (chosen.id.slice(0, Math.max(0, space))) {
    case "copy": {
      const asl = await editor.aslOf([rest]);
      if (asl !== undefined) await editor.perform(pasted(asl, way.where), at);
      return;
    }
    case "pattern":
      return insertPattern(editor, rest, way.where, at);
    case "service":
      return insertService(editor, rest, way.where, at);
    default:
      await editor.perform(placed({ type: chosen.id as StateType }, way.where), at);
  }
}

/** Inserts a pattern with mocks for its tasks, so that it can run at once, and with placeholders to fill in. */
async function insertPattern(editor: EditorContext, id: string, where: Where, at: Spot): Promise<void> {
  const { owner } = editor;
  const { patternFor } = await patterns();
  const names = (owner.index()?.graph.nodes ?? []).filter(isState).map(({ name }) => name);
  const pattern = patternFor(id, new Set(names))!;
  owner.prepare(pattern.mocks, names.length === 0 ? pattern.input : undefined);
  const done = await editor.perform(pasted(pattern.asl, where), at);
  const [stop] = done?.stops ?? [];
  if (stop) editor.fillIn(stop.start);
}

async function insertService(editor: EditorContext, id: string, where: Where, at: Spot): Promise<void> {
  const language = languageOf(await editor.json().catch(() => ""));
  await editor.perform(placed(await serviceTask(table, id, language), where), at);
}

export async function insertOn(editor: EditorContext, edge: GraphEdge, at: Spot): Promise<void> {
  await add(
    editor,
    `Insert a state: ${transitionTitle(editor.owner.index()!, edge)}`,
    [{ id: edge.id, title: "", where: { edge: edge.id } }],
    at,
  );
}

/** Inserts a state into a transition of the focused state. */
export async function insertHere(editor: EditorContext): Promise<void> {
  const [index, node] = [editor.owner.index(), editor.current()];
  if (!index || !node) return createHere(editor);
  const ways = insertableTransitions(index, node).map((edge) => ({
    id: edge.id,
    title: transitionTitle(index, edge),
    where: { edge: edge.id },
  }));
  if (ways.length === 0) return editor.refuse(`nothing can come after \`${node.name}\``);
  await add(editor, `Insert a state on a transition of ${node.name}`, ways, editor.spot());
}

export async function appendTo(editor: EditorContext, id: string, at: Spot): Promise<void> {
  const index = editor.owner.index()!;
  const { ways, refused } = additionsBehindOf(id, await editor.possible(id));
  if (ways.length === 0) return editor.refuse(refused);
  await add(editor, `Add a state after ${index.node(index.byId.get(id) ?? -1)?.name ?? ""}`, ways, at);
}

export async function appendHere(editor: EditorContext, at = editor.spot()): Promise<void> {
  const node = editor.current();
  await (node ? appendTo(editor, node.id, at) : createHere(editor, at));
}

export async function createIn(editor: EditorContext, scope: string, at: Spot): Promise<void> {
  await add(editor, "Add a state", [{ id: "create", title: "", where: { scope } }], at);
}

/** Adds a state in the scope of the focused state. */
export async function createHere(editor: EditorContext, at = editor.spot()): Promise<void> {
  const node = editor.current();
  await createIn(editor, node ? scopeOf(node.id) : "", at);
}

export async function branchHere(editor: EditorContext): Promise<void> {
  const node = editor.current()!;
  await add(editor, `Add a branch to ${node.name}`, [{ id: "branch", title: "", where: { from: node.id, as: "branch" } }], editor.spot());
}
