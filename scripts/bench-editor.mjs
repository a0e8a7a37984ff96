// Measures the debug adapter as an editor sees it: `stepglass dap` on standard input and output, with the client of
// @vscode/debugadapter-testsupport.
//
//   npm run bench:editor            prints the figures, each beside its target
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { Editor } from "../pkg-tests/api/dap-client.mjs";
import { root } from "./steps.mjs";

const RUNS = 7;
const folder = mkdtempSync(join(tmpdir(), "stepglass-bench-"));

/** Returns a chain of states, half of which transform data. */
function chain(count) {
  const states = Array.from({ length: count }, (_, i) => [
    `State ${i}`,
    { Type: "Pass", ...(i % 2 === 0 && { Parameters: { "n.$": "$.n" } }), ...(i < count - 1 ? { Next: `State ${i + 1}` } : { End: true }) },
  ]);
  return { StartAt: "State 0", States: Object.fromEntries(states) };
}

/** Returns a loop with about `events` events. */
const loop = (events) => ({
  StartAt: "Count",
  States: {
    Count: { Type: "Pass", Parameters: { "n.$": "States.MathAdd($.n, 1)" }, Next: "More" },
    More: { Type: "Choice", Choices: [{ Variable: "$.n", NumericLessThan: Math.floor((events - 4) / 4), Next: "Count" }], Default: "End" },
    End: { Type: "Succeed" },
  },
});

function write(name, definition) {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify(definition, null, 2));
  return path;
}

async function started() {
  const child = spawn(process.execPath, [join(root, "dist/cli.js"), "dap"], { stdio: ["pipe", "pipe", "inherit"] });
  const editor = await Editor.connect({ readable: child.stdout, writable: child.stdin });
  return { child, editor };
}

const timed = async (act) => {
  const began = performance.now();
  await act();
  return performance.now() - began;
};
const median = (times) => times.toSorted((a, b) => a - b)[times.length >> 1];
const worst = (times) => Math.max(...times);
const milliseconds = (time) => `${time.toFixed(1)} ms`;

function print(what, figure, target) {
  console.log(`${what.padEnd(56)} ${figure.padStart(22)}   ${target}`);
}

/** Returns the memory of a process in MiB, if the system is Linux. */
function memory({ pid }) {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
  } catch {
    return Number.NaN;
  }
}

try {
  const short = write("chain.asl.json", chain(50));
  const answers = [];
  const first = [];
  for (let i = 0; i < RUNS; i++) {
    const began = performance.now();
    const { editor } = await started();
    answers.push(performance.now() - began);
    await editor.launch({ definition: short, input: { n: 1 }, stopOnEntry: true });
    await editor.stop();
    first.push(performance.now() - began);
    await editor.ask("disconnect", {});
  }
  print("start of the process to the answer to initialize", milliseconds(median(answers)), "");
  print("start of the process to the first stop, 50 states", milliseconds(median(first)), "at most 300 ms");

  const { editor, child } = await started();
  const long = write("loop.asl.json", loop(25_000));
  await editor.launch({ definition: long, input: { n: 0 }, stopOnEntry: true, stopOnEnd: true });
  await editor.stop();
  const steps = [];
  for (let i = 0; i < 100; i++) steps.push(await timed(() => editor.stop("next")));
  print(
    "a step with its stack, 100 steps: median, worst",
    `${milliseconds(median(steps))}, ${milliseconds(worst(steps))}`,
    "at most 20 ms",
  );
  const run = await timed(() => editor.stop("continue"));
  const { events } = editor.taken("stepglass/graph").at(-1);
  print(`continue to the end, ${events.toLocaleString("en")} events`, milliseconds(run), "");
  const back = [];
  for (let i = 0; i < 30; i++) back.push(await timed(() => editor.stop("stepBack")));
  print(
    `stepBack from event ${events.toLocaleString("en")}: median, worst`,
    `${milliseconds(median(back))}, ${milliseconds(worst(back))}`,
    "at most 50 ms",
  );
  print("reverseContinue over all of them", milliseconds(await timed(() => editor.stop("reverseContinue"))), "at most 50 ms");
  print("memory of the adapter", `${memory(child).toFixed(0)} MiB`, "");
  await editor.ask("disconnect", {});
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit();
