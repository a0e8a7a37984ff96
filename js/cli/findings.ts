// What `stepglass validate` has found, as its reports tell it.

import type { Diagnostic } from "../api/index.d.ts";

/** A problem in a definition. */
export interface Finding {
  diagnostic: Diagnostic;
  /** What stays the same when other lines move. */
  fingerprint: string;
  /** Whether the baseline has it; undefined without a baseline. */
  known: boolean | undefined;
}

/** A definition and its problems, or a file that cannot be used. */
export interface Checked {
  /** What messages call the file: `<stdin>` for -. */
  name: string;
  file: string;
  /** Its logical id, where it stands in a template itself. */
  id: string | undefined;
  machine: string | undefined;
  /** Why it cannot be used. */
  problem: string | undefined;
  findings: Finding[];
}

/** Whether a problem is one that fails: a new error, or with `strict` a new warning. */
export function fails({ diagnostic, known }: Finding, strict: boolean): boolean {
  return known !== true && (strict || diagnostic.severity === "error");
}

/** The message with its advice. */
export function sentence({ message, help, fix }: Diagnostic): string {
  const advice = [help, fix?.title].filter((one) => one !== undefined);
  return advice.length === 0 ? message : `${message} (${advice.join("; ")})`;
}
