// The public API. The entries differ only in how they load the WebAssembly module.

export { init, initSync } from "../core/border/instance.ts";
export { StateMachine } from "../core/execution/machine.ts";
export { Execution } from "../core/execution/execution.ts";
export { Engine } from "../core/execution/engine.ts";
export { simulate } from "../core/execution/simulate.ts";
export { compare } from "../core/definition/compare.ts";
export { replayHistory } from "../core/execution/recorded.ts";
export {
  complete,
  layout,
  renderDiagnostics,
  renderMermaid,
  renderSvg,
  testState,
  validate,
  version,
} from "../core/definition/definition.ts";
export { language } from "../core/definition/language.ts";
export { Activity } from "../core/tasks/activity.ts";
export { s3Handlers } from "../core/tasks/objects.ts";
export { TaskResponse } from "../core/tasks/integration.ts";
export { JsonText } from "../core/tasks/json-text.ts";
export { DefinitionError, ExecutionError, InternalError, RestoreError, TaskCancelled, TaskError } from "../core/base/errors.ts";
