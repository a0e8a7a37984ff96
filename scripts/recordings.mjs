// Finds the cases that were recorded from AWS. They are not part of this repository.
//
// A test uses them only if STEPGLASS_RECORDINGS names their folder, so that `npm test` checks the same in every clone. `.ci/run`
// sets the variable. `npm run conformance` also looks beside the checkout.
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

const folder = process.env.STEPGLASS_RECORDINGS || undefined;

/** Returns the path of a file of recorded cases, or the reason to skip a test that needs it: `{ file, skip }`. */
export function recordings(name) {
  if (folder === undefined) return { skip: "STEPGLASS_RECORDINGS does not name a folder of recorded cases" };
  const file = resolve(join(folder, name));
  if (!existsSync(file)) throw new Error(`STEPGLASS_RECORDINGS names ${folder}, which has no ${name}`);
  return { file, skip: false };
}
