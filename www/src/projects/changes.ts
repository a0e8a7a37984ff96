// The changes since the machine was last opened or saved: as lines, on the graph, and for running executions.

import { signal } from "@preact/signals";
import { h } from "preact";
import type { DefinitionComparison, StateChange } from "stepglass";
import { customOverlay } from "../debugger/layers.ts";
import type { OverState, Overlay } from "../debugger/onGraph.ts";
import { fit, glide } from "../graph/viewport.ts";
import { GraphIndex, isState } from "../model/graph.ts";
import * as analysis from "../store/analysis.ts";
import * as interpreter from "../store/interpreter.ts";
import * as opening from "../store/opening.ts";
import * as panes from "../store/panes.ts";
import { say } from "../store/notifications.ts";
import * as workspace from "../store/workspace.ts";
import { count } from "../ui/format.ts";
import { Ghosts } from "./Ghosts.tsx";
import { ghostsOf } from "./ghosts.ts";
import { activeTab, fileOf } from "./model.ts";

export const changesShown = signal(false);

/** Returns the text that the current one is compared with, and a description of its origin. */
export function before(): { text: string; format: "json" | "yaml"; whose: string } {
  const tab = activeTab.value;
  const file = fileOf(tab);
  if (tab?.base !== undefined && file) return { text: tab.base, format: workspace.format.value, whose: file.name };
  const { definition, format } = opening.opened.as;
  return { text: definition, format, whose: "the machine as it was opened" };
}

/** Returns the comparison of the two texts, or the reason why one of them cannot be read. */
export async function compared(): Promise<DefinitionComparison | { problem: string }> {
  const { text, format } = before();
  try {
    const [old, now] = await Promise.all([
      interpreter.query("json", { text, format }),
      interpreter.query("json", { text: workspace.definition.value, format: workspace.format.value }),
    ]);
    return await interpreter.query("change", { before: old, after: now });
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

/** Returns the graph of the old text, which has the positions of removed states; undefined if it cannot be drawn. */
async function graphBefore(): Promise<GraphIndex | undefined> {
  const { text, format } = before();
  try {
    const json = await interpreter.query("json", { text, format });
    return new GraphIndex((await interpreter.query("layOut", { json, ...analysis.drawnAs(json) })).graph);
  } catch {
    return undefined;
  }
}

/** Shows the changes over the graph: existing states by the kind of their change, and removed ones as ghosts. */
export async function showOnGraph({ states, machine }: DefinitionComparison): Promise<void> {
  const kinds = new Map(states.filter(({ change }) => change !== "removed").map((one) => [one.pointer, one]));
  const removed = states.filter(({ change }) => change === "removed");
  const names = removed.map(({ state }) => state);
  const renamed = new Map(states.flatMap(({ state, to }) => (to === undefined ? [] : [[state, to] as const])));
  const old = removed.length > 0 ? await graphBefore() : undefined;
  const lost = (index: GraphIndex) =>
    old &&
    ghostsOf(
      index,
      old,
      removed.map(({ pointer }) => pointer),
      renamed,
    );
  const title = "changes";
  customOverlay.value = (index: GraphIndex): Overlay => {
    const drawn = lost(index);
    return {
      title,
      nodes: new Map(index.graph.nodes.filter(isState).map(({ pointer }) => [pointer, overOf(kinds.get(pointer))])),
      edges: new Map(),
      legend: [
        { kind: "added", text: "added", sign: "+" },
        { kind: "changed", text: "changed", sign: "~" },
        ...(names.length > 0
          ? [{ kind: "removed", text: `removed: ${names.slice(0, 4).join(", ")}${names.length > 4 ? " …" : ""}`, sign: "−" }]
          : []),
      ],
      ...(drawn && { drawn: h(Ghosts, drawn) }),
      close() {
        customOverlay.value = null;
      },
    };
  };
  changesShown.value = false;
  panes.showNarrow("graph");
  showWhole(lost);
  say(
    `${count(states.length, "state")} changed on the graph${names.length > 0 ? `, removed: ${names.join(", ")}` : ""}${machine.length > 0 ? ", and fields of the machine" : ""}`,
  );
}

function overOf(found: StateChange | undefined): OverState {
  if (!found) return { kind: "none", title: "not changed" };
  if (found.change === "added") return { kind: "added", title: "added", sign: "+" };
  const title = found.change === "renamed" ? `renamed, was ${found.state}` : found.change;
  return { kind: "changed", title, sign: "~" };
}

/** Fits the graph together with its ghosts, which can be outside it. */
function showWhole(lost: (index: GraphIndex) => ReturnType<typeof ghostsOf> | undefined): void {
  const index = analysis.graph.peek();
  const ghosts = (index && lost(index)?.ghosts) ?? [];
  if (!index || ghosts.length === 0) return;
  const [left, top] = index.corner;
  const width = Math.max(index.graph.width, ...ghosts.map((ghost) => ghost.x - left + ghost.width + 12));
  const height = Math.max(index.graph.height, ...ghosts.map((ghost) => ghost.y - top + ghost.height + 12));
  fit(new GraphIndex({ ...index.graph, width, height }, index.corner), glide);
}
