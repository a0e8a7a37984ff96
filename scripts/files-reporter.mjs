// Extends Node's reporter "spec": prints a line with the counts of each file, for scripts/test.mjs.
import * as reporters from "node:test/reporters";
import { inspect } from "node:util";

/** The prefix of the line with a file's result in JSON. */
export const RESULT = "RESULT ";

export default async function* (source) {
  // Some releases of Node export a function that makes a reporter, others a class.
  const spec = Reflect.construct(reporters.spec, []);
  let shown = "";
  spec.setEncoding("utf8").on("data", (text) => (shown += text));
  let counts = { passed: 0, failed: 0, skipped: 0 };
  let failures = [];
  for await (const event of source) {
    const { type, data } = event;
    // The totals at the end are those of the process, which are not needed.
    if (type === "test:diagnostic" && data.nesting === 0) continue;
    if (type === "test:summary") continue;
    await new Promise((done) => spec.write(event, done));
    if (type !== "test:pass" && type !== "test:fail") continue;
    if (type === "test:fail" && data.details?.type !== "suite") {
      failures.push(data.name);
      shown += reasonOf(data.details.error, shown);
    }
    if (data.details?.type !== "suite")
      counts[data.skip !== undefined && data.skip !== false ? "skipped" : type === "test:pass" ? "passed" : "failed"] += 1;
    if (data.nesting > 0) continue;
    yield `${shown}\n${RESULT}${JSON.stringify({ file: data.file, ok: type === "test:pass", seconds: data.details.duration_ms / 1000, counts, failures })}\n`;
    shown = "";
    counts = { passed: 0, failed: 0, skipped: 0 };
    failures = [];
  }
}

/**
 * Returns why a test failed, if the reporter has not printed it: since Node 26 it prints reasons only at the end of the process.
 */
function reasonOf(error, shown) {
  const reason = error?.cause ?? error;
  const message = String(reason?.message ?? reason).split("\n", 1)[0];
  return shown.includes(message) ? "" : `${inspect(reason).replaceAll(/^/gm, "    ")}\n`;
}
