// Places each expression of the JSONata test suite in a machine, as people have done on AWS, and counts what becomes of it.
//
//   node scripts/jsonata-suite.mjs [FILE] [--json] [--list refused|failed|nothing]
//
// FILE has a case on each line, with its expression in `expr`: the suite is in the repository jsonata-js/jsonata, under
// test/test-suite/groups. Without FILE, the folder that STEPGLASS_RECORDINGS names has it (recordings.mjs). Each different
// expression is the member `v` of the Output of a Pass state that gets `{}` as its input: on AWS an expression has no context, so
// that a suite which reads its data from the context is mostly refused. The package in dist answers.
import { existsSync, readFileSync } from "node:fs";
import { recordings } from "./recordings.mjs";
import { simulate, validate } from "../dist/node.js";

const args = process.argv.slice(2);
const listed = args.includes("--list") ? args[args.indexOf("--list") + 1] : undefined;
const file = args.find((arg, i) => !arg.startsWith("--") && args[i - 1] !== "--list") ?? recordings("jsonata.jsonl").file;

if (file === undefined || !existsSync(file)) {
  console.error(
    `jsonata-suite: ${file === undefined ? "there are no cases: name a FILE, or set STEPGLASS_RECORDINGS" : `${file} does not exist`}`,
  );
  process.exit(2);
}
const cases = readFileSync(file, "utf8")
  .split("\n")
  .filter((line) => line.trim() !== "")
  .map((line) => JSON.parse(line));
const OUTCOMES = ["unsupported", "invalid", "failed", "nothing", "succeeded"];
/** The outcomes of the cases by what the suite expects, and those of the different expressions. */
const counts = Object.fromEntries(["raises", "nothing", "value", "names", "expressions"].map((what) => [what, empty()]));
const outcomes = new Map();
for (const one of cases) {
  const known = outcomes.get(one.expr);
  const outcome = known ?? outcomeOf(one.expr);
  outcomes.set(one.expr, outcome);
  counts[expected(one)][outcome.kind] += 1;
  if (beginsWithName(one.expr)) counts.names[outcome.kind] += 1;
  if (known !== undefined) continue;
  counts.expressions[outcome.kind] += 1;
  const kind = outcome.kind === "unsupported" || outcome.kind === "invalid" ? "refused" : outcome.kind;
  if (kind === listed) console.log(`${outcome.code ?? ""}\t${JSON.stringify(one.expr)}`);
}
if (args.includes("--json")) console.log(JSON.stringify(counts));
else if (listed === undefined) print();

function empty() {
  return Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0]));
}

/** What the suite expects of a case in its own context. */
function expected({ code, error, undefinedResult }) {
  if (code !== undefined || error !== undefined) return "raises";
  return undefinedResult ? "nothing" : "value";
}

/** Returns whether an expression begins with a name, which refers to the context. */
function beginsWithName(expression) {
  return /^\s*(`|(?!(function|true|false|null)\b)[A-Za-z_])/.test(expression);
}

/** What becomes of a machine with an expression: `kind` is a member of `counts`, `code` that of AWS's diagnostic or of JSONata. */
function outcomeOf(expression) {
  const state = { Type: "Pass", Output: { v: `{% ${expression} %}` }, End: true };
  const definition = { QueryLanguage: "JSONata", StartAt: "E", States: { E: state } };
  const refusal = validate(definition).find(({ severity }) => severity === "error");
  if (refusal !== undefined) {
    const code = refusal.aws?.[0]?.code;
    return { kind: code === "UNSUPPORTED_JSONATA_EXPRESSION" ? "unsupported" : "invalid", code: code ?? refusal.code };
  }
  const { status, output, cause = "" } = simulate(definition, {}, {});
  if (status !== "SUCCEEDED") {
    const nothing = cause.includes("returned nothing (undefined)");
    return { kind: nothing ? "nothing" : "failed", code: /evaluation\. ([A-Z]\d{4}):/.exec(cause)?.[1] };
  }
  return { kind: Object.hasOwn(output, "v") ? "succeeded" : "nothing" };
}

function print() {
  const heads = ["", "cases", "unsupported", "invalid", "fails", "nothing", "value"];
  const rows = [
    ["the suite raises an error", counts.raises],
    ["the suite gives nothing", counts.nothing],
    ["the suite gives a value", counts.value],
    ["cases that begin with a name", counts.names],
    ["different expressions", counts.expressions],
  ].map(([what, row]) => [what, Object.values(row).reduce((sum, count) => sum + count, 0), ...OUTCOMES.map((outcome) => row[outcome])]);
  for (const [what, ...cells] of [heads, ...rows]) console.log(what.padEnd(28) + cells.map((cell) => String(cell).padStart(12)).join(""));
  console.log(
    "\nunsupported, invalid: the definition is refused with UNSUPPORTED_JSONATA_EXPRESSION or INVALID_JSONATA_EXPRESSION; fails: the state fails; " +
      "nothing: it fails because the expression returns nothing; value: it succeeds.",
  );
}
