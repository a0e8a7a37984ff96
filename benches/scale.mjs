// How time and memory grow with each thing that can be large: npm run bench -- --scale
//
// Each point has a process of its own. Time is the CPU of the fastest turn. Memory is the peak of the resident set over what it
// was before the work, so points under 8 MiB say nothing and are left out of the exponent.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { dirname, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

const FUNCTION = "arn:aws:lambda:us-east-1:123456789012:function:Work";
const MIB = 2 ** 20;
/** Turns of one point end after this much CPU, in microseconds. */
const ENOUGH = 200_000;
/** But there are at least this many turns, as long as they have not taken this much CPU together. */
const LEAST_TURNS = 3;
const LARGE = 2_000_000;
/** Before them, small work runs for this much CPU: code that the engine has not optimized yet would look like growth. */
const WARM_UP = 1_000_000;
/** A point that takes longer than this, in milliseconds, is left out, and all larger ones of its curve. */
const LONGEST = 90_000;
const LEAST_MEMORY = 8 * MIB;
/** Where a file has the table. */
const [BEGIN, END] = ["<!-- curves: npm run bench -- --scale -->", "<!-- /curves -->"];
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
    title: "bytes of a payload through three states",
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
    sizes: sizes(1, 100_000),
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
    title: "variables, assigned in a state and read in the next",
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
  await small();
  const work = curves[id].setUp(stepglass, n);
  const timed = async (run) => {
    const from = process.cpuUsage();
    await run();
    return Math.max(1, micros(process.cpuUsage(from)));
  };
  // Memory comes first: what the warm-up has needed and given back, the work would take without asking for more.
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  const peak = process.resourceUsage().maxRSS;
  const first = await timed(work);
  const { maxRSS } = process.resourceUsage();
  const memory = maxRSS > peak ? maxRSS * 1024 - before : 0;
  for (let spent = first; spent < WARM_UP;) spent += await timed(small);
  let [best, spent] = [first, 0];
  for (let turn = 0; spent < ENOUGH || (turn < LEAST_TURNS && spent < LARGE); turn++) {
    const took = await timed(work);
    best = Math.min(best, took);
    spent += took;
  }
  return { n, cpu: best, memory: Math.max(0, memory) };
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

/** One point, measured in a process of its own; undefined if that takes too long. */
function measured(id, n) {
  const { status, stdout, stderr, error } = spawnSync(
    process.execPath,
    ["--expose-gc", fileURLToPath(import.meta.url), "--point", id, String(n)],
    { encoding: "utf8", timeout: LONGEST },
  );
  if (error?.code === "ETIMEDOUT") return undefined;
  if (status !== 0) throw new Error(`${id} of ${n}: ${stderr.trim().split("\n").at(-1)}`);
  return JSON.parse(stdout);
}

/** Measures a curve and tells of it. */
function curve(id, quick) {
  const { title } = curves[id];
  const points = [];
  for (const n of quick ? curves[id].sizes.slice(0, -2) : curves[id].sizes) {
    const point = measured(id, n);
    if (point === undefined) {
      console.log(`  ${title}: ${n.toLocaleString("en")} took longer than ${LONGEST / 1000} s and is left out`);
      break;
    }
    points.push(point);
  }
  const time = exponent(points, ({ cpu }) => cpu) ?? NaN;
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
  return { id, title, points, time, allowed, memory, holds };
}

/** Measures curves, one after the other; draws them into the file `svg`, and writes them as a table into the file `markdown`. */
export function all(chosen = Object.keys(curves), { quick = false, svg, markdown } = {}) {
  // Before minutes of work: whether there is a place for the table.
  if (markdown) written(readFileSync(markdown, "utf8"), []);
  const began = performance.now();
  const results = chosen.map((id) => curve(id, quick));
  console.log(`all of it took ${((performance.now() - began) / 1000).toFixed(0)} s`);
  if (svg) writeFileSync(svg, drawing(results));
  if (markdown) writeFileSync(markdown, written(readFileSync(markdown, "utf8"), results, svg && relative(dirname(markdown), svg)));
  return results;
}

/** The text of a page with the table, and with the address of the picture, between the two comments that are for it. */
export function written(page, results, picture) {
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (after === undefined) throw new Error(`there is no place for the table: ${BEGIN} and, below it, ${END}`);
  return `${before}${BEGIN}\n${table(results, picture)}${END}${after}`;
}

/** The curves as a table of Markdown: the first and the last point of each, and the exponents; then the picture, if there is one. */
function table(results, picture) {
  const rows = results.map(({ title, points, time, memory, holds }) => {
    const [first, last] = [points[0], points.at(-1)];
    const cell = ({ n, cpu }) => `${n.toLocaleString("en")}: ${shown(cpu)} ms`;
    const heavy = last.memory >= LEAST_MEMORY ? `${(last.memory / MIB).toFixed(0)} MiB` : "little";
    const cells = [title, cell(first), `${cell(last)}, ${heavy}`, time.toFixed(2), memory?.toFixed(2) ?? "–", holds ? "yes" : "no"];
    return `| ${cells.join(" | ")} |`;
  });
  return [
    "| what grows | from | to, with its memory | time, exponent | memory, exponent | within the bounds |",
    "|---|---|---|---|---|---|",
    ...rows,
    "",
    ...(picture
      ? ["![Time and memory of each curve, on logarithmic scales, beside n log n](" + picture.split(sep).join("/") + ")", ""]
      : []),
    `Measured with Node ${process.versions.node} on ${cpus().length} × ${cpus()[0]?.model.trim()}.`,
    "",
  ].join("\n");
}

const shown = (micro) => (micro / 1000).toLocaleString("en", { maximumSignificantDigits: 3 });

// Both sets have enough contrast on their own ground, which the picture brings along: no page shines through.
const LIGHT = { ground: "#fff", text: "#1b2733", faint: "#4a5a6a", axis: "#8796a5", time: "#0b57a8", memory: "#a8480b" };
const DARK = { ground: "#14191f", text: "#e8edf2", faint: "#a9b5c1", axis: "#5c6b7a", time: "#7cb8f5", memory: "#f0a365" };

const style = ({ ground, text, faint, axis, time, memory }) =>
  `.ground{fill:${ground}}.title{fill:${text}}.at{fill:${faint}}.axis{stroke:${axis}}.bound{stroke:${faint}}.time{stroke:${time}}.dot{fill:${time}}.memory{stroke:${memory}}.mark{fill:${memory}}`;

/** The curves as small pictures with logarithmic axes: time as a line, memory as a dashed one, n log n as a dotted one. */
export function drawing(results) {
  const [columns, width, height, head] = [2, 450, 216, 40];
  const rows = Math.ceil(results.length / columns);
  const [w, h] = [width - 140, height - 86];
  const span = (values) => [Math.floor(Math.log10(Math.min(...values))), Math.ceil(Math.log10(Math.max(...values)))];
  const scale =
    ([low, high], size) =>
    (value) =>
      ((Math.log10(value) - low) / Math.max(1, high - low)) * size;
  const parts = results.map(({ title, points, time, memory }, i) => {
    const [left, top] = [(i % columns) * width, head + Math.floor(i / columns) * height];
    const heavy = points.filter((one) => one.memory >= LEAST_MEMORY);
    const [ns, times, sizes] = [
      span(points.map(({ n }) => n)),
      span(points.map(({ cpu }) => cpu / 1000)),
      heavy.length > 0 ? span(heavy.map((one) => one.memory / MIB)) : [0, 1],
    ];
    const [x, y, m] = [scale(ns, w), scale(times, h), scale(sizes, h)];
    const at = (across, up) => `${across.toFixed(1)},${(h - up).toFixed(1)}`;
    const cost = ({ n }) => n * Math.log2(Math.max(n, 2));
    const last = points.at(-1);
    // Through the last point: a curve that grows faster than n log n lies below it at the left.
    const bound = points.map((one) => [x(one.n), y(((cost(one) / cost(last)) * last.cpu) / 1000)]).filter(([, up]) => up >= 0);
    const tick = (across, up, end, text) => `<text class="at" x="${across}" y="${up}" text-anchor="${end}">${text}</text>`;
    return `<g transform="translate(${left + 60} ${top + 40})">
<text class="title" y="-16">${title}</text>
<path class="axis" d="M0 0V${h}H${w}${heavy.length > 0 ? "V0" : ""}"/>
${tick(0, h + 15, "start", power(ns[0]))}${tick(w, h + 15, "end", power(ns[1]))}
${tick(-6, h, "end", `${power(times[0])} ms`)}${tick(-6, 8, "end", `${power(times[1])} ms`)}
${heavy.length > 0 ? `${tick(w + 6, h, "start", `${power(sizes[0])} MiB`)}${tick(w + 6, 8, "start", `${power(sizes[1])} MiB`)}` : ""}
<polyline class="bound" points="${bound.map(([across, up]) => at(across, up)).join(" ")}"/>
${heavy.length > 1 ? `<polyline class="memory" points="${heavy.map((one) => at(x(one.n), m(one.memory / MIB))).join(" ")}"/>` : ""}
${heavy.map((one) => `<circle class="mark" r="2.5" cx="${x(one.n).toFixed(1)}" cy="${(h - m(one.memory / MIB)).toFixed(1)}"/>`).join("")}
<polyline class="time" points="${points.map(({ n, cpu }) => at(x(n), y(cpu / 1000))).join(" ")}"/>
${points.map(({ n, cpu }) => `<circle class="dot" r="2.5" cx="${x(n).toFixed(1)}" cy="${(h - y(cpu / 1000)).toFixed(1)}"/>`).join("")}
${tick(w / 2, h + 30, "middle", `time n${raised(time.toFixed(2))}${memory === undefined ? "" : `, memory n${raised(memory.toFixed(2))}`}`)}
</g>`;
  });
  const [across, down] = [columns * width, head + rows * height];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${across}" height="${down}" viewBox="0 0 ${across} ${down}" font-family="system-ui, -apple-system, 'Segoe UI', Arial, sans-serif">
<style>.title{font-size:12.5px;font-weight:600}.at{font-size:11px}.axis{fill:none}.bound{fill:none;stroke-width:1.5;stroke-dasharray:2 4}.time{fill:none;stroke-width:2}.memory{fill:none;stroke-width:1.5;stroke-dasharray:5 3}${style(LIGHT)}@media (prefers-color-scheme:dark){${style(DARK)}}</style>
<rect class="ground" width="100%" height="100%"/>
<g transform="translate(60 26)">
<path class="time" d="M0 -4H28"/><text class="at" x="34">time (CPU, scale at the left)</text>
<path class="memory" d="M210 -4H238"/><text class="at" x="244">memory (scale at the right)</text>
<path class="bound" d="M412 -4H440"/><text class="at" x="446">n log n, through the last point</text>
</g>
${parts.join("\n")}
</svg>
`;
}

/** A power of ten, as people write it where that is short. */
function power(of) {
  if (of < -3 || of > 6) return `10${raised(of)}`;
  return of < 0 ? (10 ** of).toFixed(-of) : (10 ** of).toLocaleString("en");
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
