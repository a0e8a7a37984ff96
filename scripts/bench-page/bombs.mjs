// What would hold the interpreter's worker up: some of the machines and expressions of `npm run bench -- --bombs`.
import { INPUT } from "../../benches/bomb-expressions.mjs";
import { bombs } from "../../benches/bombs.mjs";
import { visit } from "./browser.mjs";
import { link } from "./machines.mjs";
import { calibrate } from "./rows.mjs";

/** Of each kind one; the page has no handler that answers with a file. */
const CHOSEN = [
  "$map([1..10000000], function($x){$x})",
  "$sort of texts",
  "$fromMillis with a picture",
  "Pass in a loop",
  "a Pass with an error that is caught by itself",
  "all of the fuel, caught and tried again",
  "a Choice of 3000 rules, each with fib(8)",
  "an Output of 500 fields, each with fib(14)",
  "an inline Map of 3000 × fib(14)",
  "an ItemSelector of 3000 × fib(14)",
  "a Distributed Map of 3000 × fib(14)",
  "a Map that selects its whole input for each item",
  "a Parallel of 2,000 branches",
  "a payload nested 100 deep, a thousand times",
  "a variable that grows in a loop",
];
/** When an execution is stopped that has not ended by itself, in ms. */
const PATIENCE = 700;
/** What else the machine does makes a run worse, and none better. */
const RUNS = 3;

export async function bombsOfThePage({ rows, chrome, server }) {
  rows.part("What would hold the interpreter's worker up: its longest task in a first run, by the clock of this machine, and by its CPU");
  const factor = calibrate();
  for (const title of CHOSEN) {
    const bomb = bombs.find((one) => one.title.startsWith(title));
    const runs = [];
    while (runs.length < RUNS) runs.push(await run(chrome, server, bomb));
    const least = (part) => Math.min(...runs.map((one) => one[part] ?? Infinity));
    rows.row(title, least("wall"), "ms", { most: 50 });
    rows.row("  the most CPU of one", least("cpu") * factor, "ms", { most: 50 });
    if (runs.every(({ stop }) => stop !== undefined)) rows.row("  from the click on Stop to the result on the screen", least("stop"), "ms");
  }
}

async function run(chrome, server, { definition, input = INPUT }) {
  const given = typeof input === "function" ? input() : input;
  const visitor = await visit(chrome, server.url, {
    hash: link({ t: "Bomb", d: JSON.stringify(definition), i: JSON.stringify(given), c: "skip", o: { events: false } }),
    until: "ready",
  });
  const { page } = visitor;
  const tasks = await watchTasks(chrome, page);
  const stop = await clicks(page);
  const longest = await tasks();
  await visitor.leave();
  return { ...longest, stop };
}

/** Runs, and stops what does not end; how long the click on Stop took to show the result, if it was to be clicked. */
async function clicks(page) {
  const result = page.locator(".result");
  await page.getByRole("button", { name: "Run", exact: true }).first().click();
  const ended = await result.waitFor({ timeout: PATIENCE }).then(
    () => true,
    () => false,
  );
  if (ended) return undefined;
  const begun = performance.now();
  const clicked = await page
    .getByRole("button", { name: "Stop", exact: true })
    .first()
    .click({ timeout: 1_000 })
    .then(
      () => true,
      () => false,
    );
  // What holds its worker for so long is ended by the page.
  const lasted = await result.waitFor({ timeout: 30_000 }).then(
    () => performance.now() - begun,
    () => Infinity,
  );
  return clicked ? lasted : undefined;
}

/**
 * Notes the tasks of workers from here on, as the browser traces them: a watch of our own in the worker would keep a core busy.
 * Gives what ends that: the longest task in ms, and the most CPU of one.
 */
async function watchTasks(chrome, page) {
  const session = await chrome.newBrowserCDPSession();
  const events = [];
  session.on("Tracing.dataCollected", ({ value }) => events.push(...value));
  const complete = new Promise((resolve) => session.once("Tracing.tracingComplete", resolve));
  const includedCategories = ["toplevel", "blink.user_timing"];
  await session.send("Tracing.start", { transferMode: "ReportEvents", traceConfig: { includedCategories } });
  await page.evaluate(() => void performance.mark("watched"));
  return async () => {
    await session.send("Tracing.end");
    await complete;
    await session.detach();
    const thread = ({ pid, tid }) => `${pid} ${tid}`;
    const names = events.filter(({ name, args }) => name === "thread_name" && args.name.startsWith("DedicatedWorker"));
    const workers = new Set(names.map(thread));
    const from = events.find(({ name }) => name === "watched")?.ts;
    const tasks = events.filter(
      ({ ph, name, ts, ...event }) => ph === "X" && name.endsWith("RunTask") && ts >= from && workers.has(thread(event)),
    );
    if (tasks.length === 0) throw new Error("the browser has traced no task of a worker");
    const most = (part) => Math.max(...tasks.map((task) => task[part] ?? 0)) / 1000;
    return { wall: most("dur"), cpu: most("tdur") };
  };
}
