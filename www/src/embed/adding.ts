// The component's menu of states to add: state types, patterns, copies of states, and service calls.

import type { StateType } from "stepglass";
import { TYPES, type Way, type Where, pasted, placed, waysBehindOf } from "../model/gestures.ts";
import { type GraphEdge, isState } from "../model/graph.ts";
import type { OptionGroup } from "../model/options.ts";
import { languageOf, serviceOptions, serviceTask } from "../model/services.ts";
import { scopeOf, wayTitle, waysAt } from "../model/transitions.ts";
import type { Making } from "./editorContext.ts";
import type { Spot } from "./picker.ts";

/** These modules are files of their own, so that they are loaded only when they are used. */
const patterns = () => import("../model/patterns.ts");
const table = () => import("../../../js/entries/integrations.ts");

function copies({ owner }: Making): OptionGroup {
  const options = (owner.index()?.graph.nodes ?? []).filter(isState).map(({ id, name, type }) => ({
    id: `copy ${id}`,
    title: `A copy of ${name}`,
    detail: type,
    type,
  }));
  return { title: "Copies", options: options.slice(0, 500), searched: options.length > 6 };
}

async function add(pen: Making, title: string, ways: readonly Way[], at: Spot): Promise<void> {
  const [only] = ways;
  const chosen = await pen.picker.pick({
    title: ways.length === 1 && only!.title !== "" ? `${title}: ${only!.title}` : title,
    placeholder: "State, pattern or service",
    groups: [{ title: "States", options: TYPES }, copies(pen)],
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
      const asl = await pen.aslOf([rest]);
      if (asl !== undefined) await pen.perform(pasted(asl, way.where), at);
      return;
    }
    case "pattern":
      return insertPattern(pen, rest, way.where, at);
    case "service":
      return insertService(pen, rest, way.where, at);
    default:
      await pen.perform(placed({ type: chosen.id as StateType }, way.where), at);
  }
}

/** Inserts a pattern with mocks for its tasks, so that it can run at once, and with placeholders to fill in. */
async function insertPattern(pen: Making, id: string, where: Where, at: Spot): Promise<void> {
  const { owner } = pen;
  const { patternFor } = await patterns();
  const names = (owner.index()?.graph.nodes ?? []).filter(isState).map(({ name }) => name);
  const pattern = patternFor(id, new Set(names))!;
  owner.prepare(pattern.mocks, names.length === 0 ? pattern.input : undefined);
  const done = await pen.perform(pasted(pattern.asl, where), at);
  const [stop] = done?.stops ?? [];
  if (stop) pen.fillIn(stop.start);
}

async function insertService(pen: Making, id: string, where: Where, at: Spot): Promise<void> {
  const language = languageOf(await pen.json().catch(() => ""));
  await pen.perform(placed(await serviceTask(table, id, language), where), at);
}

export async function insertOn(pen: Making, edge: GraphEdge, at: Spot): Promise<void> {
  await add(pen, `Insert a state: ${wayTitle(pen.owner.index()!, edge)}`, [{ id: edge.id, title: "", where: { edge: edge.id } }], at);
}

/** Inserts a state into a transition of the focused state. */
export async function insertHere(pen: Making): Promise<void> {
  const [index, node] = [pen.owner.index(), pen.here()];
  if (!index || !node) return createHere(pen);
  const ways = waysAt(index, node).map((edge) => ({ id: edge.id, title: wayTitle(index, edge), where: { edge: edge.id } }));
  if (ways.length === 0) return pen.refuse(`nothing can come after \`${node.name}\``);
  await add(pen, `Insert a state on a transition of ${node.name}`, ways, pen.spot());
}

export async function appendTo(pen: Making, id: string, at: Spot): Promise<void> {
  const index = pen.owner.index()!;
  const { ways, refused } = waysBehindOf(id, await pen.possible(id));
  if (ways.length === 0) return pen.refuse(refused);
  await add(pen, `Add a state after ${index.node(index.byId.get(id) ?? -1)?.name ?? ""}`, ways, at);
}

export async function appendHere(pen: Making, at = pen.spot()): Promise<void> {
  const node = pen.here();
  await (node ? appendTo(pen, node.id, at) : createHere(pen, at));
}

export async function createIn(pen: Making, scope: string, at: Spot): Promise<void> {
  await add(pen, "Add a state", [{ id: "create", title: "", where: { scope } }], at);
}

/** Adds a state in the scope of the focused state. */
export async function createHere(pen: Making, at = pen.spot()): Promise<void> {
  const node = pen.here();
  await createIn(pen, node ? scopeOf(node.id) : "", at);
}

export async function branchHere(pen: Making): Promise<void> {
  const node = pen.here()!;
  await add(pen, `Add a branch to ${node.name}`, [{ id: "branch", title: "", where: { from: node.id, as: "branch" } }], pen.spot());
}
