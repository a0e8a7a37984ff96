// The kinds of breakpoints as commands of a menu: those of a state, and those of its transitions.

import type { NodeCommand } from "./onGraph.ts";
import { type GraphEdge, type GraphNode, isState } from "../model/graph.ts";
import type { Breakpoint } from "../model/protocol.ts";
import * as analysis from "../store/analysis.ts";
import * as selection from "../store/selection.ts";
import { say } from "../store/notifications.ts";
import * as model from "./model.ts";
import * as session from "./session.ts";

type Kind = "exit" | "error" | "retry" | "catch" | "iteration";

const LABELS: Record<Kind, string> = {
  exit: "Stop after it",
  error: "Stop on an error",
  retry: "Stop before a retry",
  catch: "Stop when an error is caught",
  iteration: "Stop at each iteration",
};

const FAILS = new Set<GraphNode["type"]>(["Task", "Map", "Parallel"]);

/** Returns the breakpoints of a state other than that before it, and those of its transitions. */
export function stopCommands(node: GraphNode): NodeCommand[] {
  if (!isState(node)) return [];
  const ways = transitionsFrom(node);
  const kinds: Kind[] = ["exit"];
  if (FAILS.has(node.type)) kinds.push("error");
  if (node.retries) kinds.push("retry");
  if (ways.some(({ kind }) => kind === "catch")) kinds.push("catch");
  if (node.type === "Map") kinds.push("iteration");
  return [
    ...kinds.map((kind): NodeCommand => {
      const there = (): Breakpoint | undefined => model.here.value.find((one) => one.kind === kind && one.state === node.name);
      return {
        id: `stop-${kind}`,
        group: "stops",
        label: LABELS[kind],
        checked: () => counts(there()),
        run: () => toggle(there(), { kind, state: node.name }),
      };
    }),
    ...ways.map((edge) => wayCommand(edge, `Stop on the transition to ${nameOf(edge.to)}`)),
  ];
}

/** Further commands for a transition, which other parts of the page set. */
export const transitionExtensions: { commands(edge: GraphEdge): NodeCommand[] } = { commands: () => [] };

/** Returns the commands for a transition. */
export function transitionMenu(edge: GraphEdge): NodeCommand[][] {
  const [from, to] = [nameOf(edge.from), nameOf(edge.to)];
  const there = breakpointOn(edge);
  const more = transitionExtensions.commands(edge);
  return [
    ...(more.length > 0 ? [more] : []),
    [
      wayCommand(edge, "Breakpoint on this transition"),
      ...(there ? [{ id: "way-edit", group: "way", label: "Edit the breakpoint", run: () => session.showBreakpoint(there.id!) }] : []),
    ],
    [from, to].map((name, i) => ({ id: `way-${i}`, group: "go", label: `Choose ${name}`, run: () => selection.selectState(name, "page") })),
  ];
}

/** Returns the description of a transition: `From A to B, if …`. */
export function transitionInWords(edge: GraphEdge): string {
  const why = edge.title ?? edge.label;
  return `From ${nameOf(edge.from)} to ${nameOf(edge.to)}${edge.kind === "default" ? ", if no rule matches" : why === undefined ? "" : `, ${edge.kind === "catch" ? "on" : "if"} ${why}`}`;
}

/** Returns whether a run can stop on a transition, which must lead from one state to another. */
export const canStopOn = (edge: GraphEdge): boolean => edge.kind !== "start" && edge.kind !== "end" && nameOf(edge.to) !== "";

function wayCommand(edge: GraphEdge, label: string): NodeCommand {
  const [from, to] = [nameOf(edge.from), nameOf(edge.to)];
  return {
    id: `way ${to}`,
    group: "stops",
    label,
    checked: () => counts(breakpointOn(edge)),
    run: () => toggle(breakpointOn(edge), { kind: "transition", from, to, state: to }),
  };
}

/** Returns the transitions of a state, one for each target. */
function transitionsFrom(node: GraphNode): GraphEdge[] {
  const found = new Map<string, GraphEdge>();
  for (const edge of analysis.graph.value?.graph.edges ?? [])
    if (edge.from === node.id && canStopOn(edge) && !found.has(edge.to)) found.set(edge.to, edge);
  return [...found.values()];
}

const counts = (one: Breakpoint | undefined): boolean => one !== undefined && one.enabled !== false;

function breakpointOn(edge: GraphEdge): Breakpoint | undefined {
  const [from, to] = [nameOf(edge.from), nameOf(edge.to)];
  return model.here.value.find((one) => one.kind === "transition" && one.from === from && one.to === to);
}

/** Toggles a breakpoint. A disabled one is enabled again with all its settings. */
function toggle(there: Breakpoint | undefined, one: Breakpoint): void {
  const words = `${model.describe(there ?? one)}${one.kind === "transition" ? "" : `: ${one.state}`}`;
  if (!there) session.addBreakpoint(one);
  else if (counts(there)) session.removeBreakpoint(there.id!);
  else session.changeBreakpoint(there.id!, { enabled: true });
  say(counts(there) ? `Removed the breakpoint ${words}` : `Breakpoint ${words}`);
}

/** Returns the name of the state at an end of a transition, or "" if it does not exist. */
function nameOf(id: string): string {
  const index = analysis.graph.value;
  const node = index?.node(index.byId.get(id) ?? -1);
  return node && isState(node) ? node.name : "";
}
