// Runs recorded executions again.

import * as module from "../../../dist/glue.js";
import type { Definition, RecordedHistory, ReplayHistoryOptions, HistoryReplay } from "../api/index.d.ts";
import { call } from "../border/instance.ts";
import { misuse } from "../base/errors.ts";
import { argumentText } from "../tasks/integration.ts";
import { seedOf } from "../base/random.ts";
import { compileSettings, machineSettings } from "../definition/settings.ts";
import { StateMachine } from "./machine.ts";
import { engineSettings } from "./settings.ts";
import { checkOptions } from "../base/options.ts";
import { shown } from "../base/shown.ts";

const OPTIONS = [
  "type",
  "jsonata",
  "substitutions",
  "name",
  "arn",
  "roleArn",
  "stateMachineName",
  "stateMachineArn",
  "seed",
  "payloadLimit",
  "historyLimit",
  "trace",
];
const NAMES = ["name", "arn", "roleArn", "stateMachineName", "stateMachineArn"] as const;

/** Runs a recorded execution again with the recorded answers of its tasks. Returns where the definition first does something else. */
export function replayHistory(definition: Definition, history: RecordedHistory, options: ReplayHistoryOptions = {}): HistoryReplay {
  checkOptions(options, OPTIONS, "replayHistory()");
  const compiled = compileSettings(options);
  const text = new StateMachine(definition, machineSettings(options)).definition; // It throws if there are problems.
  // The names are parts of the ARN.
  const [, account, machine, execution] = /^(arn:[^:]*:states:[^:]*:[^:]*):execution:([^:]+):([^:]+)/.exec(options.arn ?? "") ?? [];
  const derived: Partial<Record<(typeof NAMES)[number], string>> =
    account === undefined ? {} : { name: execution, stateMachineName: machine, stateMachineArn: `${account}:stateMachine:${machine}` };
  const names = Object.fromEntries(NAMES.map((name) => [name, options[name] ?? derived[name]]).filter(([, value]) => value !== undefined));
  const recorded = historyText(history);
  const settings = engineSettings(options, options.type ?? "STANDARD");
  return JSON.parse(call(module.replayHistory, text, recorded, compiled, settings, names, seedOf(options.seed ?? 0)));
}

/** Returns the JSON text of a history. The SDK returns an object with Dates, which become texts in JSON. */
function historyText(history: unknown): string {
  if (typeof history === "string") return history;
  if (typeof history === "object" && history !== null) return argumentText(history, "the history");
  throw misuse(
    "INVALID_ARGUMENT",
    `a history must be what GetExecutionHistory returns: an object with events, an array of events, or the JSON text of either, not ${shown(history)}`,
  );
}
