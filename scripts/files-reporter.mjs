// Node's reporter "spec", file by file: each with a line of its counts, for scripts/test.mjs.
import { setImmediate } from "node:timers/promises";
import * as reporters from "node:test/reporters";

/** What begins the line with a file's result, in JSON. */
export const RESULT = "RESULT ";

export default async function* (source) {
  // A function that makes one in some releases of Node, a class in others.
  const spec = Reflect.construct(reporters.spec, []);
  let counts = { passed: 0, failed: 0, skipped: 0 };
  let failures = [];
  for await (const event of source) {
    const { type, data } = event;
    // The sums at the end are those of the process, which are not of interest.
    if (type === "test:diagnostic" && data.nesting === 0) continue;
    if (type === "test:summary") continue;
    spec.write(event);
    if (type !== "test:pass" && type !== "test:fail") continue;
    if (type === "test:fail" && data.details?.type !== "suite") failures.push(data.name);
    if (data.details?.type !== "suite")
      counts[data.skip !== undefined && data.skip !== false ? "skipped" : type === "test:pass" ? "passed" : "failed"] += 1;
    if (data.nesting > 0) continue;
    await setImmediate();
    yield `${spec.read() ?? ""}\n${RESULT}${JSON.stringify({ file: data.file, ok: type === "test:pass", seconds: data.details.duration_ms / 1000, counts, failures })}\n`;
    counts = { passed: 0, failed: 0, skipped: 0 };
    failures = [];
  }
}
