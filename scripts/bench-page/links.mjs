// How long a link with a definition in it is.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gallery } from "../../pkg-tests/api/examples.mjs";
import { root } from "../steps.mjs";
import { link } from "./machines.mjs";
import { quantile } from "./rows.mjs";

export function links({ rows }) {
  rows.part("Links");
  const lengths = gallery().map(({ title, format, definition }) => lengthOf(title, format, definition));
  rows.row("share link of a definition, median of the gallery", quantile(lengths), "characters", { most: 1000 });
  rows.row("  the longest, of 54 states", Math.max(...lengths), "characters");
  const others = conformance();
  if (others.length > 0)
    rows.row(`the same of ${others.length} definitions of the conformance cases, as people write them`, quantile(others), "characters", {
      most: 1000,
    });
}

const lengthOf = (t, f, d) => link({ t, f, d, i: "", k: "", c: "skip", s: 1 }).length;

/** Read where they lie; without them there are none. */
function conformance() {
  const file = join(root, "../shared/conformance/definitions.jsonl");
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line).definition)
    .filter((definition) => definition !== undefined)
    .map((definition) => lengthOf("Definition", "json", typeof definition === "string" ? definition : JSON.stringify(definition, null, 2)));
}
