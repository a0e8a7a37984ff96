// Finds the cases that were recorded from AWS. They are not part of this repository.
//
// A test uses them only if STEPGLASS_RECORDINGS names their folder, so that `npm test` checks the same in every clone. `.ci/run`
// sets the variable. Scripts that compare and measure also look beside the checkout.
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { root } from "./steps.mjs";

const folder = process.env.STEPGLASS_RECORDINGS || undefined;

/** Returns the path of a file of recorded cases, or the reason to skip a test that needs it: `{ file, skip }`. */
export function recordings(name) {
  if (folder === undefined) return { skip: "STEPGLASS_RECORDINGS does not name a folder of recorded cases" };
  const file = resolve(join(folder, name));
  if (!existsSync(file)) throw new Error(`STEPGLASS_RECORDINGS names ${folder}, which has no ${name}`);
  return { file, skip: false };
}

/** Says that a script has found no recorded cases, and what to do. */
export const NO_RECORDINGS = "there are no recorded cases: STEPGLASS_RECORDINGS names their folder";

/**
 * Returns the paths of those of the files that exist, for scripts: in the folder that STEPGLASS_RECORDINGS names, or else in
 * `../shared/conformance` beside the checkout.
 */
export function recordedFiles(...names) {
  const place = folder ?? join(root, "../shared/conformance");
  return names.map((name) => resolve(join(place, name))).filter((file) => existsSync(file));
}

/** Returns the cases in such files. Each line of a file is one as JSON. */
export function casesIn(file) {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line));
}
