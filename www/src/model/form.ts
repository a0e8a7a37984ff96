// What a form shows of a state or of the machine: its values as they are written, and where.

import type { FieldOrigin, FieldValue } from "./field.ts";

export type QueryLanguage = "JSONPath" | "JSONata";

export interface Formed {
  /// The state's place in the definition; empty for the machine.
  pointer: string;
  /// Empty for the machine.
  name: string;
  /// As they are written, without the states inside. A bare placeholder is its text.
  fields: Record<string, unknown>;
  /// That of the state, or of the machine.
  language: QueryLanguage;
  machineLanguage: QueryLanguage;
  /// The states that a transition can lead to: those beside the state, or those of the machine.
  targets: string[];
  /// The names of states inside, by the pointer of their scope.
  scopes: Record<string, string[]>;
  /// By pointer: from where to where a member or an element reaches in the text. None where the text is YAML that cannot be read whole.
  places: Record<string, [from: number, to: number]>;
  /// Pointers of values that are placeholders without quotes.
  bare: string[];
}

/// Why there is no form, and where in the text that shows.
export interface Unformed {
  unreadable: string;
  at?: [from: number, to: number];
}

/// What the rules of a Choice make of the last visit's data.
export interface Decided {
  rules: DecidedRule[];
  /// There is no data.
  lacks?: true;
  from?: FieldOrigin;
  run?: number;
}

export interface DecidedRule {
  /// Absent where it cannot be said.
  holds?: boolean;
  /// Why it fails.
  cause?: string;
  /// What it reads, each with its value or why there is none.
  tests: { text: string; value?: unknown; missing?: string }[];
}

/// What retriers and catchers make of the errors of the state's last visit that had one.
export type Handled =
  | { lacks: "not visited" | "no error"; run?: number }
  | {
      lacks?: never;
      /// The number of the run.
      run: number;
      /// By attempt, in their order.
      errors: string[];
      retriers: HandledRetrier[];
      catchers: HandledCatcher[];
    };

export interface HandledError {
  /// Counted from 1.
  attempt: number;
  error: string;
  cause?: string;
  /// The retrier that took it in the run, and for how many milliseconds it waited.
  retried?: { retrier: number; waited: number };
  /// The catcher that took it in the run.
  caught?: number;
}

export interface HandledRetrier {
  /// The errors that it takes.
  matched: { attempt: number; error: string }[];
  /// It has taken more of them than it tries again for.
  usedUp: boolean;
  most: number;
  /// For how many milliseconds it waited each time; absent where it was written otherwise in the run.
  waited?: number[];
}

export interface HandledCatcher {
  /// The error that it takes.
  error?: string;
  cause?: string;
  /// What the next state gets.
  output?: FieldValue;
  assigned?: FieldValue;
}
