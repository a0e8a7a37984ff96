// What of the options concerns the engine, and the collector of a process that wants to know what executions use.

import type { Limits, MachineType } from "../api/index.d.ts";
import type { EngineSettings } from "../border/facts.ts";

/** Options of an execution that its engine is given; those that its tasks start are given them too. */
export const LIMITS = ["history", "payloadLimit", "historyLimit", "stepBudget", "trace"] as const;

// Whoever collects the coverage of a process puts a function here; copies of this package share it.
const COLLECTOR = Symbol.for("stepglass.coverage");

/** Takes what an execution has used of its definition. */
type Collector = (use: { digest: string; name: string; definition: string; hits: Record<string, number> }) => void;

/** The collector of this process, where there is one. */
export function collector(): Collector | undefined {
  return (globalThis as { [COLLECTOR]?: Collector })[COLLECTOR];
}

/** Options that engines are made with; whoever observes what they ask for has it asked for. */
interface Given extends Limits {
  onStage?: unknown;
  onChild?: unknown;
  coverage?: boolean;
  confirmedActivities?: boolean;
}

/** What of the options concerns the engine. */
export function engineSettings(options: Given, type: MachineType): EngineSettings {
  const settings: EngineSettings = { express: type === "EXPRESS" };
  if (options.confirmedActivities) settings.confirmedActivities = true;
  if (options.onStage !== undefined) settings.trace = true;
  if (options.onChild !== undefined) settings.childHistories = true;
  const limits = Object.fromEntries(LIMITS.filter((name) => options[name] !== undefined).map((name) => [name, options[name]]));
  return { ...settings, ...limits, ...counting(options) };
}

/** Whether the engine counts what is used. */
export function counting({ coverage }: { coverage?: boolean }): EngineSettings {
  return coverage || collector() !== undefined ? { coverage: true } : {};
}
