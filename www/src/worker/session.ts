// The parts of the interpreter's worker that only a run, or a replayed one, needs. They are loaded with the first run.

export { ask, saveSession } from "stepglass/debug";
export { compare } from "stepglass";
export { coverageFile, coverageOf } from "./coverage.ts";
export { failureOf, operandsOf, scopesOf } from "./failure.ts";
export { flowOf } from "./flow.ts";
export { dataOf } from "./history.ts";
export { lanedSession, lanesOf } from "./lanes.ts";
export { refuse } from "./limits.ts";
export { outcomeOf } from "./outcome.ts";
export { problemOf } from "./machines.ts";
export { originOf } from "./origin.ts";
export { tryField } from "./attempt.ts";
export { Looking, lightsOf } from "./sources.ts";
export { ruled } from "./rules.ts";
export { Run } from "./run.ts";
export { valueOf, visitOf } from "./lastRun.ts";
export { Shown } from "./recordedExecution.ts";
export { ReplayedRun } from "./replayedRun.ts";
