// What would hold a host up if it could: expressions without end or bound (tests/corpus/bombs.json) and machines
// (bomb-machines.mjs), through the package. Each runs in a process of its own and is aborted after a while.
//
//   node benches/bombs.mjs              all of them
//   node benches/bombs.mjs INDEX        one of them; prints {status, error, hold, abort, cpu, memory}
//
// A hold is the time between two turns of the event loop: of the wall's and the process's CPU the smaller, because other
// processes hold it up too; so is the wait for an abort. Memory is what the resident set has grown by at its peak since a
// machine that ran before: the module is loaded and warm then.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { INPUT, expressions, pass } from "./bomb-expressions.mjs";
import { machines } from "./bomb-machines.mjs";

/** The limits, in milliseconds and mebibytes. */
const HOLD = 50;
const ABORT = 100;
const MEMORY = 256;
/** When an execution is aborted that has not ended by itself. */
const PATIENCE = 300;

/** `{title, definition, input, options}` of each. */
export const bombs = [...expressions, ...machines];

const index = process.argv[2];
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (index === undefined) process.exitCode = all().over > 0 ? 1 : 0;
  else process.stdout.write(`${JSON.stringify(await one(bombs[index]))}\n`);
}

/** Runs all and prints a line for each; how many are over a limit. */
export function all() {
  let over = 0;
  console.log(
    `limits: ${HOLD} ms without the event loop, ${ABORT} ms until an abort acts, ${MEMORY} MiB\n     hold    abort      CPU   memory  end`,
  );
  const measured = bombs.map(({ title }, i) => {
    // A busy machine makes one run slow and seldom two.
    let result = fresh(i);
    if (!within(result)) result = [result, fresh(i)].sort((a, b) => (a.hold ?? Infinity) - (b.hold ?? Infinity))[0];
    const met = within(result);
    if (!met) over += 1;
    const shown = title.length > 100 ? `${title.slice(0, 97)}…` : title;
    const ms = (n, width) => (n === undefined ? "–".padStart(width + 3) : `${n.toFixed(0).padStart(width)} ms`);
    console.log(
      `${met ? "✓" : "✗"}${ms(result.hold, 5)}${ms(result.abort, 6)}${ms(result.cpu, 6)}${(result.memory ?? NaN).toFixed(0).padStart(5)} MiB  ${(result.code ?? result.error ?? result.status ?? "?").padEnd(9)} ${shown}`,
    );
    return { bomb: shown, ...result, met };
  });
  const largest = (part) => Math.max(...measured.map((one) => one[part] ?? 0)).toFixed(0);
  console.log(
    `\n${bombs.length - over} of ${bombs.length} within the limits; longest hold ${largest("hold")} ms, longest wait for an abort ${largest("abort")} ms, most memory ${largest("memory")} MiB`,
  );
  return { over, measured };
}

function within({ hold, abort, memory, status }) {
  return hold <= HOLD && (abort === undefined || abort <= ABORT) && memory <= MEMORY && status !== undefined;
}

function fresh(i) {
  const { status, stdout } = spawnSync(process.execPath, ["--expose-gc", fileURLToPath(import.meta.url), String(i)], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    timeout: 120_000,
  });
  return status === 0 ? JSON.parse(stdout) : { error: "the process ended", memory: NaN };
}

async function one({ definition, input = INPUT, options = {} }) {
  const { StateMachine, simulate } = await import("../dist/node.js");
  for (let i = 0; i < 3; i++) simulate(pass("($f:=function($n){$n=0?0:$f($n-1)};$f(20000))"), INPUT);
  await new Promise((resolve) => setTimeout(resolve, 50));
  globalThis.gc?.();
  let machine;
  try {
    machine = new StateMachine(definition);
  } catch (thrown) {
    // What is too deep, or no pattern at all, is a diagnostic already.
    return { status: thrown.name, error: thrown.code, hold: 0, cpu: 0, memory: 0 };
  }
  const memory = process.memoryUsage().rss;
  const tasks = { Work: (given) => given, Late: () => new Promise(() => {}), "s3:putObject": () => ({}), ...options.tasks };
  const controller = new AbortController();
  const cpu = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  };
  // An input is the caller's own to make.
  const given = typeof input === "function" ? input() : input;
  const begun = cpu();
  let [hold, last, used, going] = [0, performance.now(), cpu(), true];
  const look = () => {
    const [now, spent] = [performance.now(), cpu()];
    hold = Math.max(hold, Math.min(now - last, spent - used));
    [last, used] = [now, spent];
    if (going) setImmediate(look);
  };
  setImmediate(look);
  const { result } = machine.start(given, { tasks, clock: "virtual", ...options, signal: controller.signal });
  let aborted;
  const timer = setTimeout(() => {
    aborted = { at: performance.now(), cpu: cpu() };
    controller.abort();
  }, PATIENCE);
  const { status, error, cause } = await result;
  const abort = aborted && Math.min(performance.now() - aborted.at, cpu() - aborted.cpu);
  clearTimeout(timer);
  look();
  going = false;
  const code = /\b([A-Z]\d{4}):/.exec(cause ?? "")?.[1];
  return {
    status,
    error,
    code,
    hold,
    abort,
    cpu: cpu() - begun,
    memory: Math.max(0, process.resourceUsage().maxRSS / 1024 - memory / 2 ** 20),
  };
}
