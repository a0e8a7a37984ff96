// How long a link with a definition in it is.
import { gallery } from "../../pkg-tests/api/examples.mjs";
import { casesIn, recordedFiles } from "../recordings.mjs";
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

/** Returns the lengths of the links of the recorded definitions; none if these are not there. */
function conformance() {
  return recordedFiles("definitions.jsonl")
    .flatMap(casesIn)
    .map(({ definition }) => definition)
    .filter((definition) => definition !== undefined)
    .map((definition) => lengthOf("Definition", "json", typeof definition === "string" ? definition : JSON.stringify(definition, null, 2)));
}
