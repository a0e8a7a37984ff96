// The public API; the entries differ only in how the WebAssembly module gets here.

export { init, initSync } from "./instance.js";
export { StateMachine } from "./machine.js";
export { Execution } from "./execution.js";
export { Engine } from "./engine.js";
export { simulate } from "./simulate.js";
export { compare } from "./compare.js";
export { replayHistory } from "./recorded.js";
export { complete, layout, renderDiagnostics, renderMermaid, renderSvg, testState, validate, version } from "./definition.js";
export { language } from "./language.js";
export { Activity } from "./activity.js";
export { s3Handlers } from "./objects.js";
export { TaskResponse } from "./integration.js";
export { DefinitionError, ExecutionError, InternalError, RestoreError, TaskCancelled, TaskError } from "./errors.js";
