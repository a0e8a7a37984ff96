// The engine's settings, which are part of the options, and the collector of a process that measures coverage.

import type { Limits, MachineType } from "../api/index.d.ts";
import type { EngineSettings } from "../border/facts.ts";

/** The limits that the engine itself applies. */
const ENGINE_LIMITS = ["history", "payloadLimit", "historyLimit", "stepBudget", "trace"] as const;

/**
 * The limits of an execution. Executions that its tasks start get the same ones, but with
 * `machine.start()` not `trace`.
 */
export const LIMITS = [...ENGINE_LIMITS, "strict"] as const;

// A process that measures coverage has a function under this key, which all copies of this package share.
const COLLECTOR = Symbol.for("stepglass.coverage");

/** Receives how often an execution has used each part of its definition. */
type Collector = (use: { digest: string; name: string; definition: string; hits: Record<string, number> }) => void;

/** Returns the collector of this process, if there is one. */
export function collector(): Collector | undefined {
  return (globalThis as { [COLLECTOR]?: Collector })[COLLECTOR];
}

/** The options from which engines are made. If there is an observer, the engine is set to produce what it observes. */
interface Given extends Limits {
  onStage?: unknown;
  onChild?: unknown;
  coverage?: boolean;
  confirmedActivities?: boolean;
}

/** Returns the settings of the engine, which are part of the options. */
export function engineSettings(options: Given, type: MachineType): EngineSettings {
  const settings: EngineSettings = { express: type === "EXPRESS" };
  if (options.confirmedActivities) settings.confirmedActivities = true;
  if (options.onStage !== undefined) settings.trace = true;
  if (options.onChild !== undefined) settings.childHistories = true;
  const limits = Object.fromEntries(ENGINE_LIMITS.filter((name) => options[name] !== undefined).map((name) => [name, options[name]]));
  return { ...settings, ...limits, ...counting(options) };
}

/** Returns the setting with which the engine counts which parts of the definition are used. */
export function counting({ coverage }: { coverage?: boolean }): EngineSettings {
  return coverage || collector() !== undefined ? { coverage: true } : {};
}
