// What the interpreter's thread does with each text.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "../steps.mjs";
import { mixed } from "./machines.mjs";
import { calibrate } from "./rows.mjs";

const entry = pathToFileURL(join(root, "dist/node.js")).href;

export async function layouts({ rows }) {
  rows.part("Reading a definition, in a thread of its own");
  const { layout, validate } = await import(entry);
  const factor = calibrate();
  const sizes = [50, 500, 2000];
  const texts = sizes.map(mixed);
  const least = (work) => leastOf(work) * factor;
  for (const [i, count] of sizes.entries())
    rows.row(
      `layout, ${count.toLocaleString("en")} states, CPU`,
      least(() => layout(texts[i])),
      "ms",
      { most: [3, 20, 80][i] },
    );
  for (const [i, count] of sizes.entries())
    rows.row(`layout, ${count.toLocaleString("en")} states, the first call of a thread, CPU`, firstCall(count) * factor, "ms", {
      most: [20, 120, 350][i],
    });
  for (const [i, count] of sizes.entries())
    rows.row(
      `parse and diagnostics, ${count.toLocaleString("en")} states, CPU`,
      least(() => validate(texts[i])),
      "ms",
      { most: [5, 40, 160][i] },
    );
}

/** The least CPU ms of a call, of as many as fit in a second. */
function leastOf(work) {
  let least = Infinity;
  const until = performance.now() + 1_000;
  for (let i = 0; i < 12 || performance.now() < until; i++) {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

/**
 * In a process that has laid out nothing yet. The process's CPU has its compiler's threads in it, and the wall-clock time has
 * what others do: the lesser of both is still no less than the CPU of the thread that lays out.
 */
function firstCall(count) {
  const code = `
    const { layout } = await import(${JSON.stringify(entry)});
    const { mixed } = await import(${JSON.stringify(import.meta.resolve("./machines.mjs"))});
    const text = mixed(${count});
    const [cpu, wall] = [process.cpuUsage(), performance.now()];
    layout(text);
    const { user, system } = process.cpuUsage(cpu);
    console.log(Math.min((user + system) / 1000, performance.now() - wall));`;
  return Math.min(
    ...Array.from({ length: 9 }, () =>
      Number.parseFloat(execFileSync(process.execPath, ["--input-type=module", "-e", code], { encoding: "utf8" })),
    ),
  );
}
