// Suggests breakpoints after a run has ended: where it failed, where it retried, and the Choice before that. Each can be set with
// a click, and all can be dismissed.

import { effect, signal } from "@preact/signals";
import { type GraphIndex, isState } from "../model/graph.ts";
import type { RunOutcome } from "../model/protocol.ts";
import * as analysis from "../store/analysis.ts";
import * as execution from "../store/execution.ts";
import * as interpreter from "../store/interpreter.ts";
import * as playback from "../store/playback.ts";
import { Icon } from "../ui/Icon.tsx";
import { count } from "../ui/format.ts";
import * as model from "./model.ts";
import { toggleBreakpoint } from "./session.ts";

interface StopHint {
  state: string;
  why: string;
}

/** The maximum number of suggestions. */
const MOST = 3;

const found = signal<readonly StopHint[]>([]);
/** The number of the run whose suggestions the user has dismissed. */
const dismissed = signal(0);

/** Returns the visible suggestions. */
function shown(): readonly StopHint[] {
  const run = execution.run.value;
  if (!run || run.phase !== "ended" || run.id === dismissed.value || analysis.inside.value) return [];
  return found.value.filter(({ state }) => !model.byState.value.has(state)).slice(0, MOST);
}

effect(() => {
  const run = execution.run.value;
  const index = analysis.graph.value;
  found.value = [];
  if (!run || run.id === 0 || run.phase !== "ended" || run.recorded !== undefined || run.refused !== undefined || !index) return;
  const id = run.id;
  interpreter.query("outcome", {}).then(
    (outcome) => execution.run.peek()?.id === id && (found.value = outcome ? hintsOf(index, outcome) : []),
    () => {},
  );
});

function hintsOf(index: GraphIndex, { failure, retried, caught }: RunOutcome): StopHint[] {
  const hints = new Map<string, string>();
  const add = (state: string, why: string): void => {
    if (index.byName.has(state) && !hints.has(state)) hints.set(state, why);
  };
  if (failure) {
    add(failure.state, "it failed here");
    const choice = choiceBefore(index, failure.state);
    if (choice !== undefined) add(choice, "it was decided here");
  }
  for (const { state, times } of caught) add(state, times > 1 ? `${count(times, "error")} caught here` : "an error was caught here");
  for (const { state, retries } of retried) add(state, count(retries, "retry", "retries"));
  return [...hints].map(([state, why]) => ({ state, why }));
}

/** Returns the last Choice that the run passed on its way to a state. */
function choiceBefore(index: GraphIndex, state: string): string | undefined {
  const { nodes, edges } = index.graph;
  const into = new Map<string, string[]>();
  for (const { from, to } of edges) into.set(to, [...(into.get(to) ?? []), from]);
  const queue = [nodes[index.byName.get(state)!]!.id];
  const seen = new Set(queue);
  for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
    for (const from of into.get(id) ?? []) {
      const node = index.node(index.byId.get(from) ?? -1);
      if (!node || !isState(node) || seen.has(from) || playback.runOf(from).peek().entered === 0) continue;
      if (node.type === "Choice") return node.name;
      seen.add(from);
      queue.push(from);
    }
  }
  return undefined;
}

export function StopHints() {
  const hints = shown();
  if (hints.length === 0) return null;
  return (
    <section class="stop-hints" aria-label="Where a breakpoint would help">
      <span aria-hidden="true">Next time, pause before</span>
      {hints.map(({ state, why }) => (
        <button
          key={state}
          type="button"
          class="small"
          title={`Pause before ${state}: ${why}`}
          aria-label={`Pause before ${state}: ${why}`}
          onClick={() => toggleBreakpoint(state)}
        >
          <Icon name="ring" size={11} /> <b>{state}</b>
        </button>
      ))}
      <button
        type="button"
        class="plain square small"
        aria-label="Dismiss the hints"
        title="Dismiss"
        onClick={() => (dismissed.value = execution.run.peek()?.id ?? 0)}
      >
        <Icon name="close" size={13} />
      </button>
    </section>
  );
}

/** The same suggestions at the states, where a breakpoint would be drawn. */
export function StopRings({ index }: { index: GraphIndex }) {
  return (
    <>
      {shown().map(({ state, why }) => {
        const node = index.node(index.byName.get(state) ?? -1);
        if (!node) return null;
        return (
          <g
            key={state}
            class="stop-ring"
            data-stop-hint={state}
            // The ring is to the left of the state, so that a press on a small state still belongs to the state.
            transform={`translate(${node.x - 5} ${node.y + Math.min(node.height, 54) / 2})`}
            onClick={() => toggleBreakpoint(state)}
          >
            <title>{`Pause before ${state} next time: ${why}`}</title>
            <circle class="reach" r="11" />
            <circle r="6.5" />
          </g>
        );
      })}
    </>
  );
}
