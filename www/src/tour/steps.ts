// The steps of the tour on the first example. They happen on the page itself.

import { batch } from "@preact/signals";
import * as model from "../debugger/model.ts";
import * as session from "../debugger/session.ts";
import { first } from "../examples/first.ts";
import { focused } from "../graph/focus.ts";
import * as prefs from "../prefs.ts";
import * as analysis from "../store/analysis.ts";
import * as execution from "../store/execution.ts";
import * as interpreter from "../store/interpreter.ts";
import * as opening from "../store/opening.ts";
import * as panes from "../store/panes.ts";
import * as playback from "../store/playback.ts";
import * as runner from "../store/runner.ts";
import * as selection from "../store/selection.ts";
import { waitFor, wait } from "./wait.ts";

const STATE = "ChargeCard";

export interface Step {
  title: string;
  text: string;
  /** The selector of the element that gets a frame. */
  at: string;
  run(gone: AbortSignal): Promise<void>;
}

/** Opens the example in its original state. The previous workspace stays among the drafts. */
export async function prepare(gone: AbortSignal): Promise<void> {
  const { example } = opening.opened.source;
  if (example !== first.id || opening.isTouched() || execution.run.peek() !== null) opening.open(first, true, { example: first.id });
  prefs.graphMode.value = "graph";
  await waitFor(() => analysis.graph.value?.byName.has(STATE) === true, gone);
}

/** Waits until the run has stopped at another position than before. */
async function stop(act: () => void, gone: AbortSignal): Promise<void> {
  const before = model.stopped.peek();
  act();
  await waitFor(() => model.stopped.value !== before && model.position.value !== null, gone);
}

function look(pane: "graph" | "inspect" | "events"): void {
  panes.showNarrow(pane);
  selection.selectState(STATE, "graph");
  focused.value = analysis.graph.peek()?.node(analysis.graph.peek()!.byName.get(STATE) ?? -1)?.id ?? null;
}

async function entered(): Promise<number> {
  const [visit] = await interpreter.query("visitsOf", { state: STATE });
  if (!visit) throw new Error("the machine took another way");
  return visit.enter;
}

export const steps: readonly Step[] = [
  {
    title: "Break on a retry",
    text: "A breakpoint on ChargeCard waits for a retry, and the machine runs. The stock was not there at first, so two days have passed at once. Then the payment failed: the run has stopped before it is tried again.",
    at: `.canvas [data-node="/States/${STATE}"]`,
    async run(gone) {
      look("graph");
      // The example has a breakpoint that is disabled.
      const there = model.breakpoints.peek().find(({ kind, state }) => kind === "retry" && state === STATE);
      if (there?.id === undefined) session.addBreakpoint({ kind: "retry", state: STATE });
      else session.changeBreakpoint(there.id, { enabled: true });
      model.stops.value = true;
      await stop(() => void runner.start(), gone);
      look("graph");
    },
  },
  {
    title: "Step a stage",
    text: "A step can be as small as one stage of the data flow: what Parameters made, what the task answered, what ResultSelector left. The inspector has the value after each.",
    at: "#inspector-pane",
    async run(gone) {
      look("inspect");
      for (let i = 0; i < 2; i++) {
        await stop(() => session.step("stepStage"), gone);
        await wait(900, gone);
      }
    },
  },
  {
    title: "Drag back in time",
    text: "The timeline goes to every moment of the run, and the graph, the data and the events go along. This is the run when ChargeCard had just begun.",
    at: '#dock input[type="range"]',
    async run(gone) {
      look("graph");
      const to = await entered();
      const from = playback.cursor.peek();
      const moves = prefs.motion() ? 24 : 1;
      for (let i = 1; i <= moves; i++) {
        playback.goTo(Math.round(from + ((1 - from) * i) / moves));
        await wait(prefs.motion() ? 60 : 0, gone);
      }
      for (let i = 1; i <= moves; i++) {
        playback.goTo(Math.round(1 + ((to - 1) * i) / moves));
        await wait(prefs.motion() ? 40 : 0, gone);
      }
      await waitFor(() => model.position.value?.event === to, gone);
    },
  },
  {
    title: "Edit the value",
    text: "From here the run goes on with another value: the card 4242 becomes 0000, which the bank does not like. Each value in the inspector can be edited so.",
    at: "#inspector-pane",
    async run(gone) {
      look("inspect");
      const event = await interpreter.query("event", { id: await entered() });
      const text = (event as { stateEnteredEventDetails?: { input?: string } } | null)?.stateEnteredEventDetails?.input;
      const input = JSON.parse(text ?? "null") as { customer?: { card?: string } };
      const before = model.runs.peek().length;
      await session.setValue("input", { ...input, customer: { ...input.customer, card: "0000" } });
      await waitFor(() => model.runs.value.length > before, gone);
    },
  },
  {
    title: "Fork",
    text: "That made a second run, with the same past. It goes on to its own end: the card is refused, the error is caught and the customer is told. Both runs are in the list, to compare. Now it is your machine: change it, run it.",
    at: "#dock",
    async run(gone) {
      batch(() => {
        look("graph");
        panes.chooseDock("runs");
      });
      session.step("continue");
      await waitFor(() => execution.run.value?.phase === "ended", gone);
    },
  },
];
