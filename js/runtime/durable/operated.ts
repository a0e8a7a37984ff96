// The parts of a runtime that a console uses.

import type { Cancellation } from "./cancellation.ts";
import type { Host } from "./host.ts";
import type { Signals } from "./signals.ts";

/** The method of a runtime that returns these parts. It is no part of the public interface. */
export const OPERATED: unique symbol = Symbol.for("stepglass.OperatedRuntime");

/** The parts of a runtime that a console uses. */
export interface OperatedRuntime {
  readonly host: Host;
  readonly signals: Signals;
  readonly cancellation: Cancellation;
  /** Sends a signal, with the interceptors around it. `payload` is JSON text. */
  sendSignal(arn: string, name: string, payload: string, id?: string): Promise<void>;
  /** Continues an execution with the registered definition of its machine. Returns false if it already has that definition. */
  migrate(arn: string): Promise<boolean>;
  /** Returns the registered machines. */
  machines(): { arn: string; name: string }[];
}
