// Values on the graph: each state shows its last output up to the displayed position instead of its caption.

import { effect, signal } from "@preact/signals";
import { isState } from "../model/graph.ts";
import type { Path } from "../model/stages.ts";
import { recall, remember } from "../prefs.ts";
import * as analysis from "../store/analysis.ts";
import * as execution from "../store/execution.ts";
import * as interpreter from "../store/interpreter.ts";
import * as playback from "../store/playback.ts";
import { say } from "../store/notifications.ts";
import * as workspace from "../store/workspace.ts";
import { pins } from "../values/pins.ts";

/** The maximum number of states. Values are not shown in larger machines. */
const MOST = 2_000;
const NONE: ReadonlyMap<string, string> = new Map();

/** The outputs by the state's JSON Pointer. */
export const outputs = signal<ReadonlyMap<string, string>>(NONE);

export const liveValues = signal(recall("live", false, (value: unknown): value is boolean => typeof value === "boolean"));

export function toggleLiveValues(): void {
  liveValues.value = !liveValues.value;
  remember("live", liveValues.value);
  say(liveValues.value ? "States show their outputs" : "States show what they call");
}

let going = false;
let again = false;

/** There is one request at a time. If something changes meanwhile, another request follows the answer. */
function ask(): void {
  if (going) {
    again = true;
    return;
  }
  const index = analysis.graph.peek();
  if (!index || !liveValues.peek()) return;
  const entered = index.graph.nodes.filter((node) => isState(node) && playback.runOf(node.id).peek().entered > 0).slice(0, MOST);
  going = true;
  interpreter
    .query("outputs", { states: entered.map(({ name }) => name), pins: Object.fromEntries(pins.peek()) })
    .then(
      (found) => {
        if (!liveValues.peek() || analysis.graph.peek() !== index) return;
        outputs.value = new Map(entered.flatMap(({ pointer }, i): [string, string][] => (found[i] == null ? [] : [[pointer, found[i]]])));
      },
      () => {},
    )
    .finally(() => {
      going = false;
      if (again) requestAnimationFrame(ask);
      again = false;
    });
}

effect(() => {
  const run = execution.run.value;
  void playback.cursor.value;
  void execution.eventCount.value;
  void pins.value;
  if (!liveValues.value || !analysis.graph.value || !run || run.id === 0) {
    outputs.value = NONE;
    return;
  }
  ask();
});

effect(() => {
  void workspace.generation.value;
  pins.value = new Map<string, Path>();
});
