// Reads the option --access: the file with the keys of a server.

import { readFileSync } from "node:fs";
import type { AccessOptions } from "../core/api/server.d.ts";
import { messageOf } from "../core/base/errors.ts";
import { isObject } from "../core/base/json.ts";
import { Unusable } from "../language/files/problem.ts";

/** Returns the keys of a file, and the file of the audit log. Throws Unusable. */
export function accessOf(file: string | undefined, audit: string | undefined): AccessOptions | undefined {
  if (file === undefined && audit !== undefined) throw new Unusable("--audit needs --access", { usage: true });
  if (file === undefined) return undefined;
  let read: unknown;
  try {
    read = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new Unusable(`--access: ${file} cannot be read: ${messageOf(error)}`);
  }
  if (!isObject(read) || !Array.isArray(read.keys)) throw new Unusable(`--access: ${file} must have the form {"keys": [{"name": …}]}`);
  return { ...(read as unknown as AccessOptions), ...(audit !== undefined && { audit }) };
}
