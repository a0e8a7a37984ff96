// What the adapter can do, as it says to clients.

import type { DebugProtocol } from "@vscode/debugprotocol";
import { FILTERS } from "./stops.ts";

/** What is absent here is not supported; docs/debug-adapter.md says why. */
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
