// AWS's limits for the start of an execution.

import { unreadable } from "stepglass/start";
import type { Config } from "../model/runReport.ts";
import { bytes } from "../ui/format.ts";

export const PAYLOAD_LIMIT = 262_144;
export const HISTORY_LIMIT = 25_000;
/** More bytes than any JSON of the page has. */
export const NO_LIMIT = 2 ** 31 - 1;
/** AWS refuses these characters in a name, and all control characters. */
const REFUSED = /[\s<>{}[\]?*"#%\\^|~`$&,;:/\p{Cc}\p{Cs}]/u;

/** Throws the reason why AWS, or the interpreter, would not start an execution with this input (JSON) and this name. */
export function refuse(input: string, { name, payload }: Config): void {
  const problem = unreadable(input);
  if (problem) throw new Error(`The input ${problem.reason} at character ${problem.at}. The interpreter does not read such JSON.`);
  // A UTF-16 code unit takes at most three bytes in UTF-8.
  const size = payload === false || input.length * 3 <= PAYLOAD_LIMIT ? 0 : new Blob([input]).size;
  if (size > PAYLOAD_LIMIT)
    throw new Error(`The input is ${bytes(size)}. AWS takes at most ${bytes(PAYLOAD_LIMIT)}. This limit can be turned off in Config.`);
  const [bad] = (name && REFUSED.exec(name)) || [];
  if (bad !== undefined)
    throw new Error(
      `The execution's name “${name}” has ${/\s/.test(bad) ? "a space" : `the character ${bad}`}, which AWS refuses in a name. The name is set in Config.`,
    );
}
