// The menu of states to add: state types, patterns, copies of states, and service calls.

import type { NewState, StateType } from "stepglass";
import { TYPES, type Where, pasted, placed, additionsBehindOf } from "../model/gestures.ts";
import { recall, remember } from "../prefs.ts";
import * as analysis from "../store/analysis.ts";
import { added } from "./added.ts";
import { type Spot, perform, possible } from "./gesture.ts";
import { type Mode, type Option, type OptionGroup, pick } from "./picking.ts";
import { searchServices, serviceState } from "./services.ts";
import { showHint } from "./hints.ts";

export { type Where, canHave, pasted } from "../model/gestures.ts";

const MOST_RECENT = 3;
const RECENT = "recent ";
const isList = (value: unknown): value is string[] => Array.isArray(value) && value.every((one) => typeof one === "string");
const recent = (): string[] => recall<string[]>("added", [], isList);

function remind(id: string): void {
  remember("added", [id, ...recent().filter((other) => other !== id)].slice(0, 8));
}

/**
 * Returns the groups of the menu, optionally with the most recent ones first. The interpreter adds what a type needs: a Parallel
 * and a Map get a first state, a Choice gets a rule.
 */
export async function groupsFor(recently = true): Promise<OptionGroup[]> {
  const { patternOptions: shown } = await import("./patterns.ts");
  const states = (analysis.latest.value?.states ?? []).map(({ name, type, pointer }): Option => ({
    id: `copy ${pointer}`,
    title: `A copy of ${name}`,
    detail: type,
    ...(TYPES.some((one) => one.type === type) && { type: type as StateType }),
  }));
  const all = [...TYPES, ...shown];
  const last = (recently ? recent() : []).flatMap((id) => all.find((one) => one.id === id) ?? []).slice(0, MOST_RECENT);
  return [
    // A recent option is also in its own group, where users who know its position find it.
    ...(last.length > 1 ? [{ title: "Recent", options: last.map((one) => ({ ...one, id: RECENT + one.id })) }] : []),
    { title: "States", options: TYPES },
    { title: "Patterns", options: shown },
    { title: "Copies", options: states.slice(0, 500), searched: states.length > 6 },
  ];
}

interface Asked {
  title: string;
  at?: Spot | undefined;
  /** The possible positions; the first one is the default. */
  ways: readonly (Mode & { where: Where })[];
}

/** Asks which state to add, and adds it. */
export async function addAt({ title, at, ways }: Asked): Promise<void> {
  const [only] = ways;
  const chosen = await pick({
    title: ways.length === 1 && only!.title !== "" ? `${title}: ${only!.title}` : title,
    placeholder: "State, pattern or service",
    groups: await groupsFor(),
    modes: ways,
    search: searchServices,
    ...(at && { at }),
  });
  const way = ways.find(({ id }) => id === chosen?.mode) ?? ways[0];
  if (chosen && way) await add(chosen.id, way.where, at);
}

/** Adds the state of a menu option. */
export async function add(option: string, where: Where, at?: Spot): Promise<void> {
  const id = option.startsWith(RECENT) ? option.slice(RECENT.length) : option;
  const [kind, rest] = [id.slice(0, id.indexOf(" ")), id.slice(id.indexOf(" ") + 1)];
  const options = at ? { at } : {};
  if (kind === "pattern") {
    const { insertPattern } = await import("./patterns.ts");
    remind(id);
    return insertPattern(rest, where, options);
  }
  if (kind === "copy") {
    const { copied } = await import("./clipboard.ts");
    const asl = await copied([rest]);
    if (asl !== undefined) await perform(pasted(asl, where), options);
    return;
  }
  if (kind === "service") {
    await put(await serviceState(rest), where, at);
    return;
  }
  remind(id);
  await put({ type: id as StateType }, where, at);
}

async function put(state: NewState, where: Where, at: Spot | undefined): Promise<void> {
  const done = await perform(placed(state, where), at ? { at } : {});
  if (!done) return;
  showHint("added");
  const [pointer] = done.select;
  if (pointer !== undefined) added.value = { state: pointer, caret: done.caret };
}

/** Returns what can be added behind a state: the kinds of transition that it does not have yet, or can have several of. */
export const additionsBehind = async (state: string): Promise<ReturnType<typeof additionsBehindOf>> =>
  additionsBehindOf(state, await possible(state));
