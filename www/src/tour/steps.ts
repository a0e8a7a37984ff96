// The steps of the tour: a run of the first example fails, stepping back shows why, and the repaired machine succeeds.

import * as model from "../debugger/model.ts";
import { first } from "../examples/first.ts";
import { focused } from "../graph/focus.ts";
import * as prefs from "../prefs.ts";
import * as analysis from "../store/analysis.ts";
import * as execution from "../store/execution.ts";
import * as interpreter from "../store/interpreter.ts";
import * as panes from "../store/panes.ts";
import * as playback from "../store/playback.ts";
import * as runner from "../store/runner.ts";
import * as selection from "../store/selection.ts";
import { openOwn } from "./before.ts";
import { waitFor, wait } from "./wait.ts";

const CAUSE = "CheckStock";
const FAILS = "InStock?";
/** The line that keeps the order beside the answer of the warehouse. Without it, the answer replaces the order. */
const LINE = /\n\s*"ResultPath": "\$\.stock",/;

export interface Step {
  title: string;
  text: string;
  /** The selector of the element that gets a frame. */
  at: string;
  run(gone: AbortSignal): Promise<void>;
}

/** Runs the machine to its end. */
async function run(definition: string, gone: AbortSignal): Promise<void> {
  await openOwn({ ...first, title: first.title, definition }, first.id);
  await waitFor(() => analysis.graph.value?.byName.has(CAUSE) === true, gone);
  panes.showNarrow("graph");
  void runner.start();
  await waitFor(() => execution.run.value?.phase === "ended" && playback.cursor.value === execution.eventCount.value, gone);
}

function select(state: string, pane: "graph" | "inspect"): void {
  panes.showNarrow(pane);
  selection.selectState(state, "graph");
  focused.value = analysis.graph.peek()?.node(analysis.graph.peek()!.byName.get(state) ?? -1)?.id ?? null;
}

export const steps: readonly Step[] = [
  {
    title: "A run fails",
    text: "This machine takes an order. It fails at InStock?, which looks for $.stock and finds nothing there. The state is not wrong: something before it has lost the data.",
    at: `.canvas [data-node="/States/${FAILS}"]`,
    async run(gone) {
      await run(first.definition.replace(LINE, ""), gone);
      select(FAILS, "graph");
    },
  },
  {
    title: "Step back",
    text: "Each step back is a moment of the run: graph, data and events go along. The state before was CheckStock, which has just ended.",
    at: '#dock input[type="range"], .narrow-bar',
    async run(gone) {
      panes.showNarrow("graph");
      const [visit] = await interpreter.query("visitsOf", { state: CAUSE });
      if (!visit) throw new Error("the machine took another way");
      const to = visit.exit > 0 ? visit.exit : visit.enter;
      while (playback.cursor.peek() > to) {
        playback.goTo(playback.cursor.peek() - 1);
        await wait(prefs.motion() ? 700 : 0, gone);
      }
      await waitFor(() => playback.cursor.value === to, gone);
      select(CAUSE, "graph");
    },
  },
  {
    title: "See what was lost",
    text: "The inspector compares each stage with the one before. ResultPath is not set, so the answer has replaced the whole order: customer, items and total are gone.",
    at: "#inspector-pane, #left-inspector",
    async run(gone) {
      select(CAUSE, "inspect");
      await waitFor(() => model.runs.value.length > 0, gone);
    },
  },
  {
    title: "Repair and run",
    text: '"ResultPath": "$.stock" puts the answer beside the order, and the run succeeds. That was all. Now your own machine comes back, as it was.',
    at: ".status-text",
    async run(gone) {
      await run(first.definition, gone);
      select(CAUSE, "graph");
    },
  },
];
