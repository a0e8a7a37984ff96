// The audit log: who has changed what, and what was refused.

import { openSync, writeSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { AccessOptions, AuditEntry } from "../../core/api/server.d.ts";
import { messageOf, misuse } from "../../core/base/errors.ts";
import { shown } from "../../core/base/shown.ts";

/** Writes an entry, with the time. */
export type Audit = (entry: Omit<AuditEntry, "time">) => void;

/** Returns the log for an option. Throws INVALID_OPTION if its file cannot be opened. */
export function auditOf(to: NonNullable<AccessOptions["audit"]>): Audit {
  if (typeof to === "function") return (entry) => to({ time: new Date().toISOString(), ...entry });
  if (typeof to !== "string" && !(to instanceof URL))
    throw misuse("INVALID_OPTION", `access.audit must be a file or a function, not ${shown(to)}`);
  const path = typeof to === "string" ? to : fileURLToPath(to);
  let file: number;
  try {
    file = openSync(path, "a", 0o600);
  } catch (error) {
    throw misuse("INVALID_OPTION", `access.audit: ${path} cannot be written: ${messageOf(error)}`);
  }
  // A line is written before the answer is sent, so that no change goes without one.
  return (entry) => void writeSync(file, `${JSON.stringify({ time: new Date().toISOString(), ...entry })}\n`);
}
