// Parses the output of a test command: how many tests passed, and which failed.
import { stripVTControlCharacters } from "node:util";

const NODE_COUNTS = { pass: "passed", fail: "failed", cancelled: "failed", skipped: "skipped", todo: "skipped" };
/** Number of lines that the summary shows of a command without tests. */
const LAST_LINES = 5;

/** Reads the output of cargo's and Node's test runners. Other commands count as one test, which passes if they exit with 0. */
export class TestOutput {
  counts = { passed: 0, failed: 0, skipped: 0 };
  /** The names of the failed tests. Those of Node begin with the file and the line. */
  failures = [];
  #rest = "";
  #place;
  #last = [];

  /** Parses the next part of the output. */
  read(chunk) {
    const lines = (this.#rest + chunk).split("\n");
    this.#rest = lines.pop();
    for (const line of lines) this.#line(stripVTControlCharacters(line));
  }

  /** Returns the result once the command has exited: `{ ok, counts, failures }`. */
  end(code) {
    if (this.#rest !== "") this.#line(stripVTControlCharacters(this.#rest));
    const { counts } = this;
    const tests = counts.passed + counts.failed + counts.skipped;
    if (tests === 0) counts.passed += code === 0 ? 1 : 0;
    if (code !== 0 && counts.failed === 0) counts.failed += 1;
    const failures = code !== 0 && this.failures.length === 0 ? [`exit code ${code}: ${this.#last.join(" / ")}`] : this.failures;
    return { ok: code === 0, counts, failures };
  }

  #line(line) {
    if (line.trim() !== "") this.#last = [...this.#last, line.trim()].slice(-LAST_LINES);
    const cargo = /^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored/.exec(line);
    if (cargo) {
      this.counts.passed += Number(cargo[1]);
      this.counts.failed += Number(cargo[2]);
      this.counts.skipped += Number(cargo[3]);
    }
    const node = /^ℹ (pass|fail|cancelled|skipped|todo) (\d+)$/.exec(line);
    if (node) this.counts[NODE_COUNTS[node[1]]] += Number(node[2]);
    const [, failed] = /^test (.+) \.\.\. FAILED$/.exec(line) ?? [];
    if (failed !== undefined) this.failures.push(failed);
    // At its end, Node's reporter lists each failed test after a line with its position.
    const [, place] = /^test at (.+)$/.exec(line) ?? [];
    const [, name] = /^✖ (.+) \([\d.]+ms\)$/.exec(line) ?? [];
    if (this.#place !== undefined && name !== undefined) this.failures.push(`${this.#place} ${name}`);
    this.#place = place;
  }
}
