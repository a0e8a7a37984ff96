// The findings of `stepglass validate` that its reports print.

import type { Diagnostic } from "../core/api/index.d.ts";

/** A problem in a definition. */
export interface Finding {
  diagnostic: Diagnostic;
  /** A fingerprint that does not change when other lines move. */
  fingerprint: string;
  /** Whether the baseline contains it. Undefined without a baseline. */
  known: boolean | undefined;
}

/** A checked definition with its problems, or a file that cannot be used. */
export interface Checked {
  /** The name of the file in messages: `<stdin>` for -. */
  name: string;
  file: string;
  /** The logical id in a template. */
  id: string | undefined;
  machine: string | undefined;
  /** The reason why it cannot be used. */
  problem: string | undefined;
  findings: Finding[];
}

/** Returns whether a finding makes the command fail: a new error, or with `strict` a new warning. */
export function fails({ diagnostic, known }: Finding, strict: boolean): boolean {
  return known !== true && (strict || diagnostic.severity === "error");
}

/** Returns the message with its advice. */
export function sentence({ message, help, fix }: Diagnostic): string {
  const advice = [help, fix?.title].filter((one) => one !== undefined);
  return advice.length === 0 ? message : `${message} (${advice.join("; ")})`;
}
