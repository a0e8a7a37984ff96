// A bounded run of the random tests (tests/fuzz_*.rs), optimized:   npm run fuzz -- [--minutes N | --seconds 60] [--seed N | --counted] [--quick]
//
// Each round gives every target the seeds of its inputs, the next round those that come after them; rounds go on until the
// time is over. The first seed is 1, so that a run says something about the code and not about the day; try others with
// --seed. With --counted a run begins after the last seed in the table of docs/reliability.md, and a run without a failure is
// added to it: no case counts twice, and the next run goes on from there. What is counted is cases: docs/reliability.md says
// what a case of each test is, and what is checked of it. With --quick it takes the programs of `cargo test`: nothing is compiled
// for it, and its rounds are smaller, because these programs are slower. It begins after the seeds of `cargo test` itself.
import { execFile as execFileCallback, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { basename, join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { addRun, lastSeed } from "./counted.mjs";
import { output, root } from "./steps.mjs";

const execFile = promisify(execFileCallback);
const { values } = parseArgs({
  options: {
    minutes: { type: "string" },
    seconds: { type: "string", default: "60" },
    seed: { type: "string" },
    counted: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
  },
});
const table = join(root, "docs/reliability.md");
/** The first seed after those of `cargo test`, which uses up to 20,000 inputs from seed 1 on. */
const AFTER_TESTS = 20_001;
const seconds = values.minutes === undefined ? Number(values.seconds) : Number(values.minutes) * 60;
const first = values.counted ? lastSeed(readFileSync(table, "utf8")) + 1 : Number(values.seed ?? (values.quick ? AFTER_TESTS : 1));
if (!Number.isFinite(seconds) || !Number.isSafeInteger(first) || (values.counted && values.seed !== undefined)) {
  console.error("usage: npm run fuzz -- [--minutes N | --seconds N] [--seed N | --counted] [--quick]");
  process.exit(2);
}

// The commit of the tested programs. The head may change during the run.
const commit = output("git", ["describe", "--always", "--dirty"]) ?? "unknown";
const build = spawnSync(
  "cargo",
  [
    "test",
    // `cargo test` builds the whole workspace, so this reuses its programs.
    ...(values.quick ? ["--workspace"] : ["--profile", "fast", "--package", "stepglass"]),
    "--test",
    "fuzz_*",
    "--no-run",
    "--locked",
    "--message-format=json-render-diagnostics",
  ],
  {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 1 << 28,
  },
);
if (build.status !== 0) process.exit(1);
const programs = build.stdout
  .split("\n")
  .filter((line) => line.startsWith("{"))
  .map((line) => JSON.parse(line))
  .filter((message) => message.executable && message.target.name.startsWith("fuzz_"))
  .map((message) => message.executable);
if (programs.length === 0) {
  console.error("fuzz: no target tests/fuzz_*.rs was built");
  process.exit(1);
}

const end = Date.now() + seconds * 1000;
const INPUTS = values.quick ? 2_000 : 5_000;
const PARTS = values.quick ? 1 : 4;
const began = Date.now();
const cases = {};
let rounds = 0;
for (let seed = first; rounds === 0 || Date.now() < end; seed += INPUTS, rounds += 1) {
  // The targets are split into parts, because one of them needs as long as all others together.
  const left = programs.flatMap((program) => Array.from({ length: PARTS }, (_, i) => ({ program, seed: seed + (i * INPUTS) / PARTS })));
  const queue = async () => {
    for (let part; (part = left.shift()) !== undefined;) await search(part.program, part.seed);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, queue));
}
for (const [target, count] of Object.entries(cases)) console.log(`  ${target.padEnd(18)}${count.toLocaleString("en").padStart(14)} cases`);
const total = Object.values(cases).reduce((sum, count) => sum + count, 0);
const took = (Date.now() - began) / 1000;
console.log(
  `fuzz: ${total.toLocaleString("en")} cases in ${took.toFixed(0)} s, ${Math.round(total / took).toLocaleString("en")} a second, seeds ${first} to ${first + rounds * INPUTS - 1}`,
);
console.log(`fuzz: ${programs.length} targets, ${rounds} rounds of ${INPUTS} inputs each from seed ${first}: no failure`);
if (values.counted) {
  const run = {
    date: new Date().toISOString().slice(0, 10),
    commit,
    cases: total,
    first,
    last: first + rounds * INPUTS - 1,
  };
  writeFileSync(table, addRun(readFileSync(table, "utf8"), run));
  console.log("fuzz: added to the table in docs/reliability.md");
}

/** Runs a part of a target's inputs from a seed on, and counts them. A failure ends the run. */
async function search(program, seed) {
  const env = { ...process.env, STEPGLASS_FUZZ: String(INPUTS / PARTS), STEPGLASS_SEED: String(seed) };
  try {
    const { stdout } = await execFile(program, ["--nocapture"], { cwd: root, maxBuffer: 1 << 28, env });
    const target = /fuzz_[a-z]+/.exec(basename(program))[0];
    // The test runner writes on the same lines.
    for (const [, count] of stdout.matchAll(/fuzz: (\d+) cases/g)) cases[target] = (cases[target] ?? 0) + Number(count);
  } catch ({ message, stdout = message, stderr = "" }) {
    console.error(`${stdout}\n${stderr}\nfuzz: ${basename(program)} failed with STEPGLASS_SEED=${seed} STEPGLASS_FUZZ=${INPUTS / PARTS}`);
    process.exit(1);
  }
}
