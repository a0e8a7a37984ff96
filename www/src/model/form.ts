// The data that a form shows of a state or of the machine: its values as written in the text, and their ranges.

import type { FieldOrigin, FieldValue } from "./field.ts";

export type QueryLanguage = "JSONPath" | "JSONata";

export interface Formed {
  /** The JSON Pointer of the state; empty for the machine. */
  pointer: string;
  /** The name of the state; empty for the machine. */
  name: string;
  /** The fields as written, without nested states. A placeholder without quotes is represented by its text. */
  fields: Record<string, unknown>;
  /** The query language of the state, or of the machine. */
  language: QueryLanguage;
  machineLanguage: QueryLanguage;
  /** The possible targets of a transition: the states of the same scope, or those of the machine. */
  targets: string[];
  /** The names of nested states, by the pointer of their scope. */
  scopes: Record<string, string[]>;
  /** The range of each member and element in the text, by pointer. Empty if the text is YAML that cannot be read as a whole. */
  places: Record<string, [from: number, to: number]>;
  /** The pointers of the values that are placeholders without quotes. */
  bare: string[];
}

/** Why there is no form, and where in the text the problem is. */
export interface Unformed {
  unreadable: string;
  at?: [from: number, to: number];
}

/** The results of a Choice state's rules for the data of the last visit. */
export interface Decided {
  rules: DecidedRule[];
  /** Set if there is no data. */
  lacks?: true;
  from?: FieldOrigin;
  run?: number;
}

export interface DecidedRule {
  /** Whether the rule matches. Absent if that cannot be determined. */
  holds?: boolean;
  /** Why the evaluation fails. */
  cause?: string;
  /** The operands that the rule reads, each with its value or the reason why it has none. */
  tests: { text: string; value?: unknown; missing?: string }[];
}

/** How the retriers and catchers of a state handle the errors of the last visit that had an error. */
export type Handled =
  | { lacks: "not visited" | "no error"; run?: number }
  | {
      lacks?: never;
      /** The number of the run. */
      run: number;
      /** The error of each attempt, in order. */
      errors: string[];
      retriers: HandledRetrier[];
      catchers: HandledCatcher[];
    };

export interface HandledError {
  /** The number of the attempt, from 1. */
  attempt: number;
  error: string;
  cause?: string;
  /** The names in `ErrorEquals` that match it, for retriers and for catchers. */
  retriedBy: readonly string[];
  caughtBy: readonly string[];
  /** The retrier that handled it in the run, and the delay in milliseconds. */
  retried?: { retrier: number; waited: number };
  /** The catcher that handled it in the run. */
  caught?: number;
}

export interface HandledRetrier {
  /** The errors that the retrier matches. */
  matched: { attempt: number; error: string }[];
  /** Whether the retrier has matched more errors than `MaxAttempts`. */
  usedUp: boolean;
  most: number;
  /** The delay of each retry in milliseconds. Absent if the retrier had another text in the run. */
  waited?: number[];
}

export interface HandledCatcher {
  /** The error that the catcher matches. */
  error?: string;
  cause?: string;
  /** The input of the next state. */
  output?: FieldValue;
  assigned?: FieldValue;
}
