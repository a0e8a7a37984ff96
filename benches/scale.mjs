// How time and memory grow with each thing that can be large: npm run bench -- --scale
//
// Each point has a process of its own. Time is the CPU of the fastest turn. Memory is the peak of the resident set over what it
// was before the work, so points under 8 MiB say nothing and are left out of the exponent.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const FUNCTION = "arn:aws:lambda:us-east-1:123456789012:function:Work";
const MIB = 2 ** 20;
/** Turns of one point end after this much CPU, in microseconds. */
const ENOUGH = 200_000;
/** Before them, small work runs for as long: code that the engine has not optimized yet would look like growth. */
const WARM_UP = 1_500_000;
const LEAST_MEMORY = 8 * MIB;
/** An exponent is fitted through measurements: this much more than the allowed one is noise. */
const NOISE = 0.12;

/** A chain of states with Choices that go back, as definitions grow. 10,000 of them are within a definition's million characters. */
function chainOf(count) {
  const States = {};
  for (let i = 0; i < count; i++) {
    const Next = `S${i + 1}`;
    States[`S${i}`] =
      i % 10 === 9
        ? { Type: "Choice", Choices: [{ Variable: "$.n", NumericEquals: i, Next: `S${i - 5}` }], Default: Next }
        : i % 3 === 0
          ? { Type: "Task", Resource: FUNCTION, Next }
          : { Type: "Pass", Result: i, ResultPath: "$.i", Next };
  }
  States[`S${count}`] = { Type: "Succeed" };
  return { StartAt: "S0", States };
}

/** Passes one after the other, about `events` events. */
function loop(events) {
  return {
    StartAt: "Count",
    States: {
      Count: { Type: "Pass", Parameters: { "n.$": "States.MathAdd($.n, 1)" }, Next: "Enough" },
      Enough: {
        Type: "Choice",
        Choices: [{ Variable: "$.n", NumericGreaterThanEquals: Math.max(1, Math.floor(events / 4) - 1), Next: "End" }],
        Default: "Count",
      },
      End: { Type: "Succeed" },
    },
  };
}

function mapOf(mode) {
  const Processor = { StartAt: "One", States: { One: { Type: "Pass", End: true } } };
  if (mode) Processor.ProcessorConfig = { Mode: mode, ExecutionType: "STANDARD" };
  return { StartAt: "Each", States: { Each: { Type: "Map", ItemProcessor: Processor, ResultPath: null, End: true } } };
}

const UNLIMITED = { clock: "virtual", historyLimit: 0, payloadLimit: 2 ** 31, seed: 1 };

/** Runs a machine to its end, which must be a good one. */
async function succeeds(machine, input, options = {}) {
  const { status, error, cause } = await machine.start(input, { ...UNLIMITED, ...options }).result;
  if (status !== "SUCCEEDED") throw new Error(`${status}: ${error} ${cause}`);
}

/** From `least` to `most` by about three. */
function sizes(least, most) {
  const all = [];
  for (let power = least; power <= most; power *= 10) all.push(power, ...(power * 3 < most ? [power * 3] : []));
  return all;
}

/** What grows: the sizes, and what makes the work of one size. Work that is not in `setUp`'s answer is not timed. */
export const curves = {
  validate: {
    title: "validate, states of a definition",
    sizes: sizes(10, 10_000),
    setUp: ({ validate }, n) => {
      const text = JSON.stringify(chainOf(n));
      return () => validate(text);
    },
  },
  compile: {
    title: "new StateMachine, states of a definition",
    sizes: sizes(10, 10_000),
    setUp: ({ StateMachine }, n) => {
      const text = JSON.stringify(chainOf(n));
      return () => new StateMachine(text);
    },
  },
  layout: {
    title: "layout, states of a definition",
    sizes: sizes(10, 10_000),
    setUp: ({ layout }, n) => {
      const text = JSON.stringify(chainOf(n));
      return () => layout(text);
    },
  },
  history: {
    title: "an execution, events of its history",
    sizes: sizes(100, 1_000_000),
    setUp: ({ StateMachine }, n) => {
      const machine = new StateMachine(loop(n));
      return () => succeeds(machine, { n: 0 });
    },
  },
  inline: {
    title: "an inline Map, items",
    sizes: sizes(10, 1_000_000),
    setUp: ({ StateMachine }, n) => {
      const machine = new StateMachine(mapOf());
      const input = JSON.parse(`[${"1,".repeat(n - 1)}1]`);
      return () => succeeds(machine, input, { history: "none" });
    },
  },
  distributed: {
    title: "a Distributed Map, items",
    sizes: sizes(10, 1_000_000),
    setUp: ({ StateMachine }, n) => {
      const machine = new StateMachine(mapOf("DISTRIBUTED"));
      const input = JSON.parse(`[${"1,".repeat(n - 1)}1]`);
      return () => succeeds(machine, input);
    },
  },
  payload: {
    title: "a payload through three states and a Task, bytes",
    sizes: sizes(1000, 10_000_000),
    setUp: ({ StateMachine }, n) => {
      const machine = new StateMachine({
        StartAt: "A",
        States: {
          A: { Type: "Pass", Next: "B" },
          B: { Type: "Task", Resource: FUNCTION, Next: "C" },
          C: { Type: "Pass", Parameters: { "all.$": "$" }, End: true },
        },
      });
      const input = Array.from({ length: Math.ceil(n / 100) }, (_, id) => ({ id, text: "x".repeat(80) }));
      return () => succeeds(machine, input, { tasks: { Work: async (all) => all } });
    },
  },
  waiting: {
    title: "executions that wait at once",
    sizes: sizes(10, 100_000),
    setUp: ({ StateMachine }, n) => {
      const machine = new StateMachine({ StartAt: "W", States: { W: { Type: "Wait", Seconds: 86_400, End: true } } });
      return async () => {
        const all = Array.from({ length: n }, () => machine.start({ n }));
        await new Promise((resolve) => setImmediate(resolve));
        for (const one of all) one.abort();
        await Promise.allSettled(all.map(({ result }) => result));
      };
    },
  },
  retries: {
    title: "retries of a Task",
    sizes: sizes(10, 100_000),
    setUp: ({ StateMachine }, n) => {
      const Retry = [{ ErrorEquals: ["States.ALL"], MaxAttempts: n, BackoffRate: 1, IntervalSeconds: 1 }];
      const machine = new StateMachine({ StartAt: "T", States: { T: { Type: "Task", Resource: FUNCTION, Retry, End: true } } });
      return () => {
        let left = n;
        const Work = async () => {
          if (left-- > 0) throw new Error("not yet");
          return "done";
        };
        return succeeds(machine, {}, { tasks: { Work } });
      };
    },
  },
  variables: {
    title: "variables that a state assigns and the next one reads",
    sizes: sizes(1, 1000),
    setUp: ({ StateMachine }, n) => {
      const names = Array.from({ length: n }, (_, i) => `v${i}`);
      const machine = new StateMachine({
        QueryLanguage: "JSONata",
        StartAt: "Assigns",
        States: {
          Assigns: {
            Type: "Pass",
            Assign: Object.fromEntries(names.map((name, i) => [name, i])),
            Next: "Reads",
          },
          Reads: { Type: "Pass", Output: Object.fromEntries(names.map((name) => [name, `{% $${name} %}`])), End: true },
        },
      });
      return () => succeeds(machine, {});
    },
  },
};

const micros = ({ user, system }) => user + system;

/** One point, measured in this process. */
async function point(id, n) {
  const stepglass = await import("../dist/node.js");
  const small = curves[id].setUp(stepglass, Math.min(n, curves[id].sizes[2]));
  for (const from = process.cpuUsage(); micros(process.cpuUsage(from)) < WARM_UP;) await small();
  const work = curves[id].setUp(stepglass, n);
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  let [best, spent, first] = [Infinity, 0, undefined];
  while (spent < ENOUGH) {
    const from = process.cpuUsage();
    await work();
    const took = micros(process.cpuUsage(from));
    first ??= process.resourceUsage().maxRSS * 1024 - before;
    best = Math.min(best, took);
    spent += Math.max(took, 1);
  }
  return { n, cpu: best, memory: Math.max(0, first) };
}

/** Of a line through the logarithms, by least squares; over the upper half, where what is constant no longer counts. */
function exponent(points, of) {
  const upper = points.slice(-Math.max(3, Math.ceil(points.length / 2)));
  if (upper.length < 3) return undefined;
  const [x, y] = [upper.map(({ n }) => Math.log(n)), upper.map((one) => Math.log(of(one)))];
  const mean = (all) => all.reduce((sum, one) => sum + one, 0) / all.length;
  const [mx, my] = [mean(x), mean(y)];
  return x.reduce((sum, at, i) => sum + (at - mx) * (y[i] - my), 0) / x.reduce((sum, at) => sum + (at - mx) ** 2, 0);
}

/** Measures curves, one after the other, and tells of each. */
export function all(chosen = Object.keys(curves), { quick = false, svg } = {}) {
  const results = chosen.map((id) => {
    const { title } = curves[id];
    const points = [];
    for (const n of quick ? curves[id].sizes.slice(0, -2) : curves[id].sizes) {
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        ["--expose-gc", fileURLToPath(import.meta.url), "--point", id, String(n)],
        {
          encoding: "utf8",
        },
      );
      if (status !== 0) throw new Error(`${id} of ${n}: ${stderr.trim().split("\n").at(-1)}`);
      points.push(JSON.parse(stdout));
    }
    const time = exponent(points, ({ cpu }) => cpu);
    const allowed = exponent(points, ({ n }) => n * Math.log2(Math.max(n, 2)));
    const heavy = points.filter(({ memory }) => memory >= LEAST_MEMORY);
    const memory = exponent(heavy, (one) => one.memory);
    const holds = time <= allowed + NOISE && (memory === undefined || memory <= 1 + NOISE);
    console.log(
      `${holds ? "✓" : "✗"} ${title}: time n^${time.toFixed(2)}, memory ${memory === undefined ? "too small to tell" : `n^${memory.toFixed(2)}`}`,
    );
    for (const one of points)
      console.log(
        `    ${one.n.toLocaleString("en").padStart(12)} ${`${shown(one.cpu)} ms`.padStart(12)} ${`${(one.memory / MIB).toFixed(1)} MiB`.padStart(12)}`,
      );
    return { id, title, points, time, memory, holds };
  });
  if (svg) writeFileSync(svg, drawing(results));
  return results;
}

const shown = (micro) => (micro / 1000).toLocaleString("en", { maximumSignificantDigits: 3 });

/** The curves as small pictures with logarithmic axes: time as a line, memory as a dashed one. */
export function drawing(results) {
  const [columns, width, height, pad] = [2, 380, 200, 44];
  const rows = Math.ceil(results.length / columns);
  const parts = results.map(({ title, points, time, memory }, i) => {
    const [left, top] = [(i % columns) * width, Math.floor(i / columns) * height];
    const [w, h] = [width - pad - 24, height - 76];
    const span = (values) => [Math.floor(Math.log10(Math.min(...values))), Math.ceil(Math.log10(Math.max(...values)))];
    const along = (values) => span(values.filter((value) => value > 0));
    const [x0, x1] = along(points.map(({ n }) => n));
    const lineOf = (kept, of) => {
      const [y0, y1] = along(kept.map(of));
      return kept
        .map(
          (one) =>
            `${(((Math.log10(one.n) - x0) / (x1 - x0)) * w).toFixed(1)},${(h - ((Math.log10(of(one)) - y0) / Math.max(1, y1 - y0)) * h).toFixed(1)}`,
        )
        .join(" ");
    };
    const heavy = points.filter((one) => one.memory >= LEAST_MEMORY);
    const [t0, t1] = along(points.map(({ cpu }) => cpu / 1000));
    return `<g transform="translate(${left + pad} ${top + 40})">
<text class="title" y="-16">${title}</text>
<path class="axis" d="M0 0V${h}H${w}"/>
<text class="at" x="0" y="${h + 16}">10${raised(x0)}</text><text class="at" x="${w}" y="${h + 16}" text-anchor="end">10${raised(x1)}</text>
<text class="at" x="-6" y="${h}" text-anchor="end">10${raised(t0)} ms</text><text class="at" x="-6" y="8" text-anchor="end">10${raised(t1)} ms</text>
${heavy.length > 1 ? `<polyline class="memory" points="${lineOf(heavy, (one) => one.memory)}"/>` : ""}
<polyline class="time" points="${lineOf(points, ({ cpu }) => cpu / 1000)}"/>
<text class="at" x="${w / 2}" y="${h + 16}" text-anchor="middle">time n${raised(time.toFixed(2))}${memory === undefined ? "" : `, memory n${raised(memory.toFixed(2))}`}</text>
</g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${columns * width}" height="${rows * height}" viewBox="0 0 ${columns * width} ${rows * height}" font-family="system-ui, sans-serif">
<style>.title{font-size:13px;font-weight:600;fill:#1b2733}.at{font-size:11px;fill:#4a5a6a}.axis{fill:none;stroke:#9aa8b5}.time{fill:none;stroke:#0b57a8;stroke-width:2}.memory{fill:none;stroke:#a8480b;stroke-width:1.5;stroke-dasharray:4 3}</style>
<rect width="100%" height="100%" fill="#fff"/>
${parts.join("\n")}
</svg>
`;
}

/** A number as an exponent is written. */
function raised(number) {
  return String(number).replace(/[-.\d]/g, (sign) => ({ "-": "⁻", ".": "·" })[sign] ?? "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(sign)]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [what, id, n] = process.argv.slice(2);
  if (what === "--point") process.stdout.write(`${JSON.stringify(await point(id, Number(n)))}\n`);
  else all();
}
