// What a form shows of a state or of the machine: its values as they are written, and where.

import type { FieldOrigin } from "./field.ts";

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
