// The lines that are printed, and the units that they are in.
import { execFileSync } from "node:child_process";

/** What the loop takes on the machine that the targets are of, in CPU ms. */
const REFERENCE = 730;

/** Lines of figures, each with its target: `most` or `least`. */
export class Rows {
  constructor(json) {
    this.json = json;
    this.all = [];
  }

  /** One figure; without a target it is told and not judged. */
  row(what, value, unit, { most, least } = {}) {
    const target = most ?? least;
    const met = target === undefined ? undefined : most !== undefined ? value <= most : value >= least;
    this.all.push({ what, value, unit, ...(most !== undefined && { most }), ...(least !== undefined && { least }), met });
    if (this.json) return;
    const shown = value < 10 ? value.toFixed(value < 0.1 ? 3 : 1) : Math.round(value).toLocaleString("en");
    const limit = target === undefined ? "" : `  (at ${most !== undefined ? "most" : "least"} ${target.toLocaleString("en")})`;
    console.log(`${met === undefined ? "   " : met ? "ok " : "NO "} ${what.padEnd(70)} ${shown.padStart(8)} ${unit}${limit}`);
  }

  /** A headline between them. */
  part(title) {
    if (!this.json) console.log(`\n${title}`);
  }

  get missed() {
    return this.all.filter(({ met }) => met === false).length;
  }
}

/**
 * What a CPU millisecond of this machine is in the targets' units, now: a slow machine gives the same figures. The loop is a
 * process of its own, because what is compiled before must not matter.
 */
export function calibrate(times = 2) {
  const code =
    "const b = process.cpuUsage(); let x = 0; for (let i = 0; i < 1e8; i++) x = (x * 31 + i) | 0; const { user, system } = process.cpuUsage(b); console.log((user + system) / 1000, x);";
  return (
    REFERENCE /
    Math.min(...Array.from({ length: times }, () => Number.parseFloat(execFileSync(process.execPath, ["-e", code], { encoding: "utf8" }))))
  );
}

/** The middle one, or another share of them. */
export function quantile(values, share = 0.5) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

/** The least of some rounds: what else the machine does makes a round worse, and none better. */
export async function best(rounds, measure) {
  let least = Infinity;
  for (let i = 0; i < rounds; i++) least = Math.min(least, await measure(i));
  return least;
}
