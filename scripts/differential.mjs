// Compares our JSONata with two other implementations on random expressions:   npm run differential [-- COUNT [SEED]]
//
// The crate `jsonata-core` answers every expression too; where it differs from us, jsonata-js of the version that AWS runs
// is asked. A difference is explained where jsonata-js answers as we do, or where a rule in fuzz/jsonata says why all
// three may differ. Ends with 1 where one is left. jsonata-js comes from benches/peer: npm run bench installs it.
//
//   npm run differential -- --conversions 10000 [SEED]
//
// compares machines in JSONPath with what `stepglass convert --jsonata` makes of them: scripts/conversions.mjs. It needs the
// built package, and ends with 1 where a failure became a success or a difference has no rule.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { isDeepStrictEqual } from "node:util";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";
import { fileURLToPath, pathToFileURL } from "node:url";
import { root, run } from "./steps.mjs";

const reference = join(root, "benches/peer/node_modules/jsonata/jsonata.js");
/**
 * Time limit of an expression in milliseconds. It is a thousand times what an expression needs, so an expression that exceeds it
 * does not end.
 */
const PATIENCE_MS = 1000;

async function compare() {
  const [count = "100000", first = "0"] = process.argv.slice(2);
  if (!existsSync(reference) && !run("npm", ["ci", "--silent", "--no-engine-strict"], { cwd: join(root, "benches/peer") })) process.exit(1);
  const differences = [];
  let equal = 0;
  let input;
  const oracle = spawn("cargo", ["run", "--quiet", "--release", "--manifest-path", "fuzz/jsonata/Cargo.toml", "--", count, first], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface({ input: oracle.stdout })) {
    const found = JSON.parse(line);
    if (found.equal === undefined) differences.push(found);
    else ({ equal, input } = found);
  }
  if (input === undefined) {
    console.error("differential: the comparison did not come to its end");
    process.exit(1);
  }
  const referee = new Referee(input);
  const tally = new Map();
  const open = [];
  for (const one of differences) {
    one.reference = await referee.ask(one.expression);
    const verdict = judge(one);
    tally.set(verdict ?? "not explained", (tally.get(verdict ?? "not explained") ?? 0) + 1);
    if (verdict === undefined) open.push(one);
  }
  referee.end();
  for (const { seed, body, ours, theirs, reference } of open) {
    console.log(`seed ${seed}: ${body}`);
    for (const [who, what] of Object.entries({ ours, "jsonata-core": theirs, "jsonata-js": reference }))
      console.log(`    ${who.padEnd(14)}${JSON.stringify(what).slice(0, 300)}`);
  }
  console.log(`${equal} equal, ${differences.length} different:`);
  for (const [verdict, times] of [...tally].sort(([, a], [, b]) => b - a)) console.log(`${String(times).padStart(8)}  ${verdict}`);
  process.exitCode = open.length > 0 ? 1 : 0;
}

/** Returns the explanation of a difference. */
function judge({ body, ours, theirs, reference, rule }) {
  if (same(ours, reference)) return "jsonata-js answers as we do";
  if (ours.error !== undefined && reference.error !== undefined && theirs.error !== undefined)
    return "all three refuse it, each with another error";
  if (reference.error === "S0211" && /\?\?|\?:/.test(body)) return "an operator that is younger than this jsonata-js";
  if (reference.error !== undefined && !/^[STDU]\d{4}$/.test(reference.error)) return "jsonata-js fails with an error of JavaScript's";
  if (/#\$i\.\//.test(body)) return "a regular expression as a step: what it finds of no text";
  if (/^\[.*\]\{.*\}\./.test(body)) return "the first step of a path is an array that is grouped: jsonata-js loses it";
  if (/\$\w+\(([^()]|\([^()]*\))*\?[,)]|\$(filter|map|single|f|g)\(\$[fg]/.test(body))
    return "a function that was an argument: jsonata-js wraps it, and so it is false";
  if (rule !== null) return rule;
  return undefined;
}

function same(a, b) {
  return a.error === b.error && isDeepStrictEqual(a.value, b.value);
}

/** Runs jsonata-js in a separate thread, which is ended if an expression does not end. */
class Referee {
  #input;
  #worker;
  #settle = () => {};

  constructor(input) {
    this.#input = input;
  }

  async ask(expression) {
    this.#worker ??= this.#start();
    const patience = setTimeout(() => this.#fail("no end"), PATIENCE_MS);
    const answer = await new Promise((resolve) => {
      this.#settle = resolve;
      this.#worker.postMessage(expression);
    });
    clearTimeout(patience);
    return answer;
  }

  end() {
    void this.#worker?.terminate();
  }

  #start() {
    const worker = new Worker(fileURLToPath(import.meta.url), { workerData: this.#input });
    worker.on("message", (answer) => this.#settle(answer));
    // jsonata-js leaves some of its own rejections unhandled. The thread cannot be used after that.
    worker.on("error", (error) => worker === this.#worker && this.#fail(error?.code ?? String(error)));
    return worker;
  }

  #fail(error) {
    this.end();
    this.#worker = undefined;
    this.#settle({ error });
  }
}

async function answer() {
  const { default: jsonata } = await import(pathToFileURL(reference).href);
  parentPort.on("message", async (expression) => {
    try {
      // Some functions change their input.
      const input = structuredClone(workerData);
      const value = await jsonata(expression).evaluate(input, { states: input });
      const text = JSON.stringify(value);
      parentPort.postMessage(text === undefined ? {} : { value: JSON.parse(text) });
    } catch (error) {
      parentPort.postMessage({ error: error?.code ?? String(error) });
    }
  });
}

async function compareMachines([count = "10000", seed = "1"]) {
  const [{ compareConversions }, { simulate, validate }] = await Promise.all([import("./conversions.mjs"), import("../dist/node.js")]);
  const { runs, machines, states, left, succeeded, failed, healed, thrown, rules, open } = compareConversions({
    simulate,
    validate,
    count: Number(count),
    seed: Number(seed),
  });
  for (const one of open.filter(Boolean)) console.log(`${JSON.stringify(one, null, 1)}\n`);
  console.log(`${runs} runs of ${machines} machines (${states} states converted, ${left} left); ${succeeded} succeeded, ${failed} failed`);
  for (const [rule, times] of rules) console.log(`${String(times).padStart(8)}  ${rule}`);
  console.log(`${String(healed).padStart(8)}  failures that became successes`);
  console.log(`${String(thrown).padStart(8)}  machines at which validation or conversion threw`);
  console.log(`${String(open.length - healed - thrown).padStart(8)}  differences without a rule`);
  process.exitCode = open.length > 0 ? 1 : 0;
}

const conversions = process.argv.indexOf("--conversions");
if (isMainThread && conversions > 0) await compareMachines(process.argv.slice(conversions + 1));
else if (isMainThread) await compare();
else await answer();
