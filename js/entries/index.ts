// The public API. The entries differ only in how they load the WebAssembly module.

export { init, initSync } from "../border/instance.ts";
export { StateMachine } from "../execution/machine.ts";
export { Execution } from "../execution/execution.ts";
export { Engine } from "../execution/engine.ts";
export { simulate } from "../execution/simulate.ts";
export { compare } from "../definition/compare.ts";
export { replayHistory } from "../execution/recorded.ts";
export { complete, layout, renderDiagnostics, renderMermaid, renderSvg, testState, validate, version } from "../definition/definition.ts";
export { language } from "../definition/language.ts";
export { Activity } from "../tasks/activity.ts";
export { s3Handlers } from "../tasks/objects.ts";
export { TaskResponse } from "../tasks/integration.ts";
export { JsonText } from "../tasks/json-text.ts";
export { DefinitionError, ExecutionError, InternalError, RestoreError, TaskCancelled, TaskError } from "../base/errors.ts";
