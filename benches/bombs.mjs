// Expressions without end or bound (tests/corpus/bombs.json) through the package: what each costs before it is refused.
//
//   node benches/bombs.mjs              all of them, each in a process of its own
//   node benches/bombs.mjs INDEX        one of them; prints {error, cause, cpu, wall, rss}
//
// CPU is the process's, all threads; memory is what its resident set has grown by at its peak. Both are counted from a
// machine that ran before: the module is loaded and warm then.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const MILLISECONDS = 250;
const MEBIBYTES = 64;
/** How a bomb may end: refused when it runs, or when it is compiled, or with a value that is too large for a payload. */
const ANSWERS = new Set(["States.QueryEvaluationError", "States.DataLimitExceeded", "DefinitionError"]);

const entries = JSON.parse(readFileSync(new URL("../tests/corpus/bombs.json", import.meta.url), "utf8"));
/** An expression is a text, or an array of texts and of `[text, times]`. */
export const bombs = entries.map((entry) => (typeof entry === "string" ? entry : entry.map((part) => (typeof part === "string" ? part : part[0].repeat(part[1]))).join("")));

const index = process.argv[2];
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (index === undefined) all();
  else process.stdout.write(`${JSON.stringify(await one(bombs[index]))}\n`);
}

/** Runs all and prints a line for each; how many are over a limit. */
export function all() {
  let over = 0;
  console.log(`limits: ${MILLISECONDS} ms of CPU, ${MEBIBYTES} MiB\n      CPU     wall   memory  error`);
  const measured = bombs.map((expression, i) => {
    const { status, stdout } = spawnSync(process.execPath, ["--expose-gc", fileURLToPath(import.meta.url), String(i)], { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
    const result = status === 0 ? JSON.parse(stdout) : { error: "the process ended", cause: "", cpu: NaN, wall: NaN, rss: NaN };
    // What is large and yet within all budgets may have a value, in time.
    const met = result.cpu < MILLISECONDS && result.rss < MEBIBYTES && (result.error === undefined || ANSWERS.has(result.error));
    if (!met) over += 1;
    const shown = expression.length > 100 ? `${expression.slice(0, 97)}…` : expression;
    console.log(`${met ? "✓" : "✗"}${result.cpu.toFixed(0).padStart(5)} ms${result.wall.toFixed(0).padStart(6)} ms${result.rss.toFixed(0).padStart(5)} MiB  ${(result.code ?? result.error ?? "a value").padEnd(8)} ${shown}`);
    return { expression: shown, ...result, met };
  });
  console.log(`\n${bombs.length - over} of ${bombs.length} within the limits`);
  return { over, measured };
}

async function one(expression) {
  const { StateMachine, simulate } = await import("../dist/node.js");
  const definition = (text) => ({ QueryLanguage: "JSONata", StartAt: "P", States: { P: { Type: "Pass", Output: `{% ${text} %}`, End: true } } });
  const input = { a: [1, 2, 3], s: "a".repeat(32), o: { x: { y: 1 } } };
  // The work of compiling hot code in the background is not the expression's.
  for (let i = 0; i < 3; i++) simulate(definition("($f:=function($n){$n=0?0:$f($n-1)};$f(20000))"), input);
  await new Promise((resolve) => setTimeout(resolve, 50));
  globalThis.gc?.();
  const rss = process.memoryUsage().rss;
  const cpu = process.cpuUsage();
  const start = performance.now();
  let result;
  try {
    result = simulate(new StateMachine(definition(expression)), input);
  } catch (thrown) {
    // What is too deep, or no pattern at all, is a diagnostic already.
    result = { error: thrown.name, cause: thrown.message };
  }
  const wall = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  const peak = process.resourceUsage().maxRSS / 1024 - rss / 2 ** 20;
  const code = /\b([A-Z]\d{4}):/.exec(result.cause ?? "")?.[1];
  return { status: result.status, error: result.error, code, cause: result.cause?.slice(0, 300), cpu: (user + system) / 1000, wall, rss: Math.max(peak, 0) };
}
