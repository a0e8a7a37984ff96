// What AWS takes at most, and why a run cannot begin.

import type { Config } from "../model/share.ts";
import { bytes } from "../ui/format.ts";

export const PAYLOAD_LIMIT = 262_144;
export const HISTORY_LIMIT = 25_000;
/// Bytes that no JSON of a page has.
export const NO_LIMIT = 2 ** 31 - 1;
/// Levels of arrays and objects that the interpreter reads.
const DEPTH_LIMIT = 128;
/// AWS refuses these in a name, as it does every control character.
const REFUSED = /[\s<>{}[\]?*"#%\\^|~`$&,;:/\p{Cc}\p{Cs}]/u;

/// Throws the reason why AWS, or the interpreter, would not start an execution with this input and this name.
export function refuse(input: unknown, { name, payload }: Config): void {
  if (isDeeper(input, DEPTH_LIMIT))
    throw new Error(`The input is nested deeper than ${DEPTH_LIMIT} levels. The interpreter reads no deeper JSON.`);
  const size = new Blob([JSON.stringify(input)]).size;
  if (payload !== false && size > PAYLOAD_LIMIT)
    throw new Error(`The input is ${bytes(size)}. AWS takes at most ${bytes(PAYLOAD_LIMIT)}. This limit can be turned off in Config.`);
  const [bad] = (name && REFUSED.exec(name)) || [];
  if (bad !== undefined)
    throw new Error(
      `The execution's name “${name}” has ${/\s/.test(bad) ? "a space" : `the character ${bad}`}, which AWS refuses in a name. The name is set in Config.`,
    );
}

/// Without recursion: what is asked about is how deep it goes.
function isDeeper(value: unknown, most: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; ; depth++) {
    level = level.filter((one) => typeof one === "object" && one !== null);
    if (level.length === 0) return false;
    if (depth === most) return true;
    level = level.flatMap((one) => Object.values(one as object));
  }
}
