// The types of the fields that our code reads; field-table.ts has all fields. A definition that was not compiled can contain any values, so its readers must check them.

import type { JsonObject, JsonValue } from "../base/json.ts";
import type { StateType } from "./field-table.ts";

/** The languages of a definition's expressions. */
export type QueryLanguage = "JSONPath" | "JSONata";

/** The states of a machine, of a branch, or of a Map's processor. */
export interface Scope {
  StartAt: string;
  States: Record<string, StateFields>;
}

/** A whole definition. */
export interface MachineDefinition extends Scope {
  Comment?: string;
  QueryLanguage?: QueryLanguage;
  Version?: string;
  TimeoutSeconds?: number;
}

/** The fields of a state of any type. */
export interface StateFields extends ErrorHandling, DataFlow {
  Type: StateType;
  Comment?: string;
  QueryLanguage?: QueryLanguage;
  Next?: string;
  End?: boolean;
  /** Task. */
  Resource?: string;
  TimeoutSeconds?: number | string;
  TimeoutSecondsPath?: string;
  HeartbeatSeconds?: number | string;
  HeartbeatSecondsPath?: string;
  Credentials?: JsonValue;
  /** Choice. */
  Choices?: ChoiceRule[];
  Default?: string;
  /** Wait. */
  Seconds?: number | string;
  SecondsPath?: string;
  Timestamp?: string;
  TimestampPath?: string;
  /** Fail. */
  Error?: string;
  ErrorPath?: string;
  Cause?: string;
  CausePath?: string;
  /** Parallel. */
  Branches?: Scope[];
  /** Map. */
  ItemProcessor?: Scope;
  Iterator?: Scope;
  Items?: JsonValue;
  ItemsPath?: string;
  ItemSelector?: JsonValue;
  ItemReader?: ServiceCall;
  ItemBatcher?: JsonObject;
  ResultWriter?: ServiceCall;
  MaxConcurrency?: number | string;
  MaxConcurrencyPath?: string;
  ToleratedFailureCount?: number | string;
  ToleratedFailureCountPath?: string;
  ToleratedFailurePercentage?: number | string;
  ToleratedFailurePercentagePath?: string;
}

/** The fields through which data flows into a state and out of it. */
interface DataFlow {
  InputPath?: string | null;
  Parameters?: JsonValue;
  Arguments?: JsonValue;
  Result?: JsonValue;
  ResultSelector?: JsonValue;
  ResultPath?: string | null;
  OutputPath?: string | null;
  Output?: JsonValue;
  Assign?: JsonObject;
}

/** The fields that handle errors. */
interface ErrorHandling {
  Retry?: Retrier[];
  Catch?: Catcher[];
}

/** An element of `Retry`. */
export interface Retrier {
  ErrorEquals: string[];
}

/** An element of `Catch`. */
export interface Catcher extends Pick<DataFlow, "ResultPath" | "Output" | "Assign"> {
  ErrorEquals: string[];
  Next: string;
}

/**
 * An element of `Choices`, or a rule inside of one, which has no Next. A comparison of JSONPath is a member with the name of its
 * operator, such as `NumericGreaterThan`.
 */
export interface ChoiceRule extends Pick<DataFlow, "Output" | "Assign"> {
  Next?: string;
  Condition?: string;
  Variable?: string;
  And?: ChoiceRule[];
  Or?: ChoiceRule[];
  Not?: ChoiceRule;
}

/** `ItemReader` or `ResultWriter`. */
interface ServiceCall {
  Resource?: string;
  Parameters?: JsonValue;
  Arguments?: JsonValue;
}
