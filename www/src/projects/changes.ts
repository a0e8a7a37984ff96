// What has changed since the machine was opened or saved last: as lines, on the graph, and for executions that run.

import { signal } from "@preact/signals";
import type { DefinitionComparison } from "stepglass";
import { laidOver } from "../debugger/layers.ts";
import type { Overlay } from "../debugger/onGraph.ts";
import { type GraphIndex, isState } from "../model/graph.ts";
import * as interpreter from "../store/interpreter.ts";
import * as opening from "../store/opening.ts";
import * as panes from "../store/panes.ts";
import { say } from "../store/words.ts";
import * as workspace from "../store/workspace.ts";
import { count } from "../ui/format.ts";
import { activeTab, fileOf } from "./model.ts";

export const changesShown = signal(false);

/// The text that the present one is held against, and whose it is.
export function before(): { text: string; format: "json" | "yaml"; whose: string } {
  const tab = activeTab.value;
  const file = fileOf(tab);
  if (tab?.base !== undefined && file) return { text: tab.base, format: workspace.format.value, whose: file.name };
  const { definition, format } = opening.opened.as;
  return { text: definition, format, whose: "the machine as it was opened" };
}

/// The comparison of the two; why there is none where one cannot be read.
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

/// Lays the changes over the graph; those that the graph has no state for are told beside it.
export function showOnGraph({ states, machine }: DefinitionComparison): void {
  const kinds = new Map(states.filter(({ change }) => change !== "removed").map((one) => [one.pointer, one]));
  const removed = states.filter(({ change }) => change === "removed").map(({ state }) => state);
  const title = "changes";
  laidOver.value = (index: GraphIndex): Overlay => ({
    title,
    nodes: new Map(
      index.graph.nodes.filter(isState).map(({ pointer }) => {
        const found = kinds.get(pointer);
        if (!found) return [pointer, { kind: "none", title: "not changed" }];
        const kind = found.change === "added" ? "added" : "changed";
        const words =
          found.change === "renamed"
            ? `renamed, was ${found.state}`
            : found.change === "moved"
              ? "moved"
              : kind === "added"
                ? "added"
                : "changed";
        return [pointer, { kind, title: words, sign: kind === "added" ? "+" : "~" }];
      }),
    ),
    edges: new Map(),
    legend: [
      { kind: "added", text: "added", sign: "+" },
      { kind: "changed", text: "changed", sign: "~" },
      ...(removed.length > 0
        ? [{ kind: "removed", text: `removed: ${removed.slice(0, 4).join(", ")}${removed.length > 4 ? " …" : ""}`, sign: "−" }]
        : []),
    ],
    close() {
      laidOver.value = null;
    },
  });
  changesShown.value = false;
  panes.showNarrow("graph");
  say(
    `${count(states.length, "state")} changed on the graph${removed.length > 0 ? `, removed: ${removed.join(", ")}` : ""}${machine.length > 0 ? ", and fields of the machine" : ""}`,
  );
}
