// Executions that ran elsewhere. They can be displayed, replayed, and debugged with their answers.

import type { ReplayReport } from "../model/protocol.ts";
import type { Recorded } from "../model/recorded.ts";
import { analyze, drawnGraph, graph, settled } from "./analysis.ts";
import { type RunState, run } from "./execution.ts";
import { client } from "./interpreter.ts";
import { GraphIndex } from "../model/graph.ts";
import { open } from "./opening.ts";
import * as playback from "./playback.ts";
import { show, start } from "./runner.ts";
import { showAlarm, showToast } from "./notifications.ts";
import * as workspace from "./workspace.ts";

/**
 * Shows events that were recorded elsewhere as a run of the current definition, of the one that comes with them, or of one that
 * is reconstructed from the events.
 */
export async function showRecorded(recorded: Recorded): Promise<void> {
  workspace.flush();
  const { statesOf } = await import("../model/recorded.ts");
  const states = statesOf(recorded.events);
  if (recorded.definition !== undefined) openItsMachine(recorded, recorded.definition);
  await Promise.all([analyze(), playback.loadReader()]);
  const unknown = (): string[] => states.filter((name) => !graph.value?.byName.has(name));
  if (recorded.definition === undefined && states.length > 0 && unknown().length * 2 > states.length) {
    const { sketchOf } = await import("../model/sketch.ts");
    const drawn = sketchOf(recorded.events, recorded.title);
    if (drawn !== undefined) {
      openItsMachine(recorded, drawn);
      workspace.edit({ sketched: recorded });
      await settled();
    }
  }
  if (!graph.value)
    throw new Error(
      "The page has no definition that this history could be of, and the history has no states. Open the machine first, then its history.",
    );
  const foreign = unknown();
  const begun: RunState = {
    id: 0,
    phase: "starting",
    definition: workspace.definition.value,
    clock: "real",
    seed: workspace.seed.value,
    recorded: recorded.title,
  };
  show(begun);
  if (recorded.input !== undefined) workspace.edit({ input: pretty(recorded.input) });
  const { have, index } = drawnGraph();
  const { run: id, graph: whole } = await client.call("show", {
    definition: workspace.definition.value,
    format: workspace.format.value,
    events: recorded.events,
    result: recorded.result,
    have,
  });
  if (run.value !== begun) return;
  playback.setGraph(whole ? new GraphIndex(whole) : index!);
  run.value = { ...begun, id, phase: "running" };
  if (foreign.length > 0) {
    const names = foreign.slice(0, 5).join(", ") + (foreign.length > 5 ? " …" : "");
    showAlarm(
      `The history is of another definition: it has ${foreign.length === 1 ? "a state" : `${foreign.length} states`} that this one does not have (${names}).`,
    );
  } else showToast(`Showing the execution ${recorded.title}: ${recorded.events.length} events.`);
}

function openItsMachine({ title, input }: Recorded, definition: string): void {
  open({ title, format: "json", definition, input: input ?? "{}", tasks: "", clock: "skip", seed: 1 }, true, { brought: true });
}

/** Adds events to the recorded execution on screen. */
export async function showMore(events: Recorded["events"], result: Recorded["result"]): Promise<void> {
  const shown = run.value;
  if (shown?.recorded !== undefined) await client.call("showMore", { run: shown.id, events, result });
}

/** Replays the recorded execution on screen with its answers, and compares the result. */
export async function replayRecorded(): Promise<ReplayReport> {
  const shown = run.value?.id;
  const report = await client.call("replay", { definition: workspace.definition.value, format: workspace.format.value });
  if (run.value?.id === shown && run.value) run.value = { ...run.value, replayed: true };
  return report;
}

/** Starts a run of the current definition, paused before its first state, in which tasks answer as recorded. */
export async function debugRecorded(title: string, { tasks, input, startTime }: ReplayReport): Promise<void> {
  workspace.edit({
    recordedAnswers: { title, tasks, ...(startTime !== undefined && { startTime }) },
    ...(input !== undefined && { input: `${JSON.stringify(input, null, 2)}\n` }),
  });
  await start({ paused: true });
}

function pretty(json: string): string {
  try {
    return `${JSON.stringify(JSON.parse(json), null, 2)}\n`;
  } catch {
    return json;
  }
}
