// The capabilities that the adapter announces to clients.

import type { DebugProtocol } from "@vscode/debugprotocol";
import { FILTERS } from "./stops.ts";

/** A capability that is absent here is not supported. The reasons are in docs/debug-adapter.md. */
export const CAPABILITIES: DebugProtocol.Capabilities = {
  supportsConfigurationDoneRequest: true,
  supportsFunctionBreakpoints: true,
  supportsConditionalBreakpoints: true,
  supportsHitConditionalBreakpoints: true,
  supportsLogPoints: true,
  supportsDataBreakpoints: true,
  supportsBreakpointLocationsRequest: true,
  exceptionBreakpointFilters: FILTERS,
  supportsExceptionFilterOptions: true,
  supportsExceptionInfoRequest: true,
  supportsStepBack: true,
  supportsSteppingGranularity: true,
  supportsGotoTargetsRequest: true,
  supportsRestartRequest: true,
  supportsRestartFrame: true,
  supportsTerminateRequest: true,
  supportsDelayedStackTraceLoading: true,
  supportsSetVariable: true,
  supportsSetExpression: true,
  supportsEvaluateForHovers: true,
  supportsClipboardContext: true,
  supportsCompletionsRequest: true,
  completionTriggerCharacters: [".", "$"],
  supportsLoadedSourcesRequest: true,
};
