// The contents of menus for gestures: the states that can be added, where they go, and the possible targets of transitions.

import type { Gesture, NewEdge, NewState, PossibleGesture, StateType } from "stepglass";
import { pointerSteps } from "stepglass/pointer";
import type { GraphEdge, GraphIndex, GraphNode } from "../../model/graph.ts";
import type { Mode, Option, OptionGroup } from "./options.ts";
import { fieldTitle, transitionTitle } from "./transitions.ts";

/** Where the chosen state goes: on a transition, behind a state, or into a scope without a transition. */
export type Where = { edge: string } | { from: string; as: NewEdge | "branch" } | { scope: string };

export const TYPES: readonly (Option & { type: StateType })[] = [
  { id: "Task", type: "Task", title: "Task", detail: "Calls a function or a service", words: "lambda invoke activity resource" },
  { id: "Choice", type: "Choice", title: "Choice", detail: "Goes on by the first rule that matches", words: "if branch condition switch" },
  { id: "Pass", type: "Pass", title: "Pass", detail: "Makes its output from its input", words: "transform set result" },
  { id: "Wait", type: "Wait", title: "Wait", detail: "Lets time pass", words: "delay sleep timer seconds until" },
  { id: "Parallel", type: "Parallel", title: "Parallel", detail: "Runs branches side by side", words: "fork branches concurrent" },
  { id: "Map", type: "Map", title: "Map", detail: "Does the same for each item", words: "loop for each iterate distributed" },
  { id: "Succeed", type: "Succeed", title: "Succeed", detail: "Ends well", words: "end stop done" },
  { id: "Fail", type: "Fail", title: "Fail", detail: "Ends with an error", words: "error throw stop" },
];

/** The containers that states can be wrapped in. */
export const AROUND: readonly OptionGroup[] = [
  {
    title: "",
    options: [
      { id: "Parallel", title: "A Parallel", detail: "To run something else beside it", type: "Parallel" },
      { id: "Map", title: "A Map", detail: "To do it for each item", type: "Map" },
    ],
  },
];

/** The title of the question before a gesture that removes fields: `Wait has no Retry, Catch: this removes them`. */
export function lostTitle(gesture: Gesture, losses: readonly { pointer: string; message: string }[]): string {
  const paths = losses.map(({ pointer }) => pointerSteps(pointer));
  // A state of another type loses the fields that its type does not have.
  if (gesture.kind === "retype" && paths.every((path) => path.at(-3) === "States")) {
    const names = paths.map((path) => path.at(-1)!);
    return `${gesture.type} has no ${names.join(", ")}: this removes ${names.length === 1 ? "it" : "them"}`;
  }
  return `This takes away: ${losses.map(({ message }) => message).join("; ")}`;
}

/** The answers to that question. */
export const SURE: readonly OptionGroup[] = [
  {
    title: "",
    options: [
      { id: "yes", title: "Do it" },
      { id: "no", title: "Leave it as it is" },
    ],
  },
];

export const placed = (state: NewState, where: Where): Gesture =>
  "edge" in where
    ? { kind: "insert", edge: where.edge, state }
    : "from" in where
      ? { kind: "append", from: where.from, as: where.as, state }
      : { kind: "create", scope: where.scope, state };

export const pasted = (asl: string, where: Where): Gesture => ({ kind: "paste", asl, ...where });

const BEHIND: Record<NewEdge | "branch", string> = {
  next: "Next",
  rule: "Another rule",
  default: "Default",
  catch: "On an error",
  branch: "New branch",
};
/** The kinds of a new transition. */
export const KINDS: Record<NewEdge, string> = { next: "Next, after it", rule: "Another rule", default: "Default", catch: "On an error" };

export type Way = Mode & { where: Where };

/** Returns what can be added behind a state: the kinds of transition that it does not have yet, or can have several of. */
export function additionsBehindOf(state: string, all: readonly PossibleGesture[]): { ways: Way[]; refused: string | undefined } {
  const found = all.filter(({ kind }) => kind === "append");
  const ways = found
    .filter(({ refused }) => !refused)
    .map(({ as = "next" }) => ({ id: as, title: BEHIND[as], where: { from: state, as } }));
  return { ways, refused: found.find(({ refused }) => refused)?.refused?.message };
}

/** Returns whether a state can have a transition of this kind at all. */
const canHave = (found: readonly PossibleGesture[], as: PossibleGesture["as"]): boolean =>
  !found.some((one) => one.kind === "append" && one.as === as && one.refused !== undefined);

/** A transition of a state that can be redirected, or that can be added to it. */
interface Leading extends Mode {
  gesture(to: string): Gesture;
  targets: readonly { pointer: string; name: string; type: string }[];
}

/**
 * Returns the transitions of a state that can be redirected or added, the existing ones first, or the reason why there are none.
 */
export function leadings(index: GraphIndex, state: string, found: readonly PossibleGesture[]): Leading[] | string {
  const all = found.filter(({ kind }) => kind === "connect");
  const led = all.some(({ edge }) => edge === `${state}/Next`);
  // Existing transitions can be redirected. Those that can be added are listed after them.
  const able = all
    .filter(({ refused, targets, as }) => !refused && (targets?.length ?? 0) > 0 && (as === undefined || canHave(found, as)))
    .filter(({ as }) => as !== "next" || !led)
    .sort((a, b) => Number(a.edge === undefined) - Number(b.edge === undefined));
  if (able.length === 0) return all.find(({ refused }) => refused)?.refused?.message ?? "there is no state that it can lead to";
  return able.map(({ edge, as = "next", targets = [] }) => {
    const drawn = edge === undefined ? undefined : index.graph.edges.find(({ id }) => id === edge);
    return {
      id: edge ?? as,
      title: drawn ? transitionTitle(index, drawn) : edge === undefined ? BEHIND[as] : fieldTitle(edge),
      gesture: (to) => (edge === undefined ? { kind: "connect", from: state, as: as as NewEdge, to } : { kind: "connect", edge, to }),
      targets,
    };
  });
}

/** Returns the possible target states, each once. */
export const targetOptions = (targets: readonly { pointer: string; name: string; type: string }[]): Option[] =>
  [...new Map(targets.map((target) => [target.pointer, target])).values()].map(({ pointer, name, type }) => ({
    id: pointer,
    title: name,
    detail: type,
    type: type as StateType,
  }));

/** Returns the states that a transition can be dragged to: the transition `edge`, or a new one. */
export function targetsOf(all: readonly PossibleGesture[], edge: string | undefined): Set<string> {
  const led = all.filter((one) => one.kind === "connect" && one.edge === edge && (one.as === undefined || canHave(all, one.as)));
  return new Set(led.flatMap((one) => (one.refused ? [] : (one.targets ?? []).map(({ pointer }) => pointer))));
}

/** Returns the kinds that a new transition to the state `to` can have. */
export function kindsTo(all: readonly PossibleGesture[], to: string): NewEdge[] {
  const found = all.filter(({ kind, edge }) => kind === "connect" && edge === undefined);
  return found.flatMap(({ as, refused, targets }) =>
    as !== undefined && as !== "branch" && !refused && canHave(all, as) && targets?.some(({ pointer }) => pointer === to) ? [as] : [],
  );
}

/**
 * Returns the rules and catchers of a state in the order of their evaluation. The id of each is its position in the definition.
 */
export function orderOf(index: GraphIndex, node: GraphNode): OptionGroup[] {
  const edges = (index.out[index.byId.get(node.id) ?? -1] ?? []).map((e) => index.graph.edges[e]!);
  const of = (kind: GraphEdge["kind"], field: string, title: string): OptionGroup => ({
    title,
    options: edges
      .filter((edge) => edge.kind === kind)
      .sort((a, b) => (a.index ?? 0) - (b.index ?? 0))
      .map((edge) => ({
        id: `${node.id}/${field}/${edge.index}`,
        title: transitionTitle(index, edge),
        ...(kind === "choice" && edge.label !== undefined && { detail: edge.title ?? edge.label }),
      })),
  });
  return [of("choice", "Choices", "Rules"), of("catch", "Catch", "Catchers")].filter(({ options }) => options.length > 0);
}

/** Returns the message that a state has nothing to reorder. */
export const noOrder = ({ name, type }: GraphNode): string =>
  `\`${name}\` has no ${type === "Choice" ? "rules" : "catchers"} to put in another order`;

/** The options that select several states, starting from one. */
export const ALONG: readonly OptionGroup[] = [
  {
    title: "",
    options: [
      { id: "up", title: "Upstream: all that leads here" },
      { id: "down", title: "Downstream: all that it leads to" },
    ],
  },
];
