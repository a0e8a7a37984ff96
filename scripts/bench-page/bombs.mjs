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

export async function bombsOfThePage({ rows, chrome, server }) {
  rows.part("What would hold the interpreter's worker up: longest hold of its event loop in a first run, wall");
  const factor = calibrate();
  for (const title of CHOSEN) {
    const bomb = bombs.find((one) => one.title.startsWith(title));
    const runs = [await run(chrome, server, bomb), await run(chrome, server, bomb)];
    const least = (part) => Math.min(...runs.map((one) => one[part] ?? Infinity)) * factor;
    rows.row(title, least("hold"), "ms", { most: 50 });
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
  const button = page.getByRole("button", { name: "Run", exact: true }).first();
  const stop = page.getByRole("button", { name: "Stop", exact: true }).first();
  const once = async () => {
    await button.click();
    const shown = () => page.locator(".result").waitFor({ timeout: 30_000 });
    const ended = await page
      .locator(".result")
      .waitFor({ timeout: PATIENCE })
      .then(
        () => true,
        () => false,
      );
    if (ended) return undefined;
    const begun = performance.now();
    const clicked = await stop.click({ timeout: 1_000 }).then(
      () => true,
      () => false,
    );
    // What holds its worker for so long is ended by the page.
    const lasted = await shown().then(
      () => performance.now() - begun,
      () => Infinity,
    );
    return clicked ? lasted : undefined;
  };
  const worker = page.workers().find((one) => /interpreter|thread/.test(one.url())) ?? page.workers()[0];
  await worker.evaluate(watch);
  // The page may end a worker that a stop does not reach in time: what is known by then counts.
  let hold = 0;
  const ask = () =>
    worker
      .evaluate(() => globalThis.longestHold())
      .then(
        (longest) => (hold = longest),
        () => {},
      );
  const asking = setInterval(ask, 100);
  const stopped = await once();
  clearInterval(asking);
  await Promise.race([ask(), new Promise((resolve) => setTimeout(resolve, 2_000))]);
  await visitor.leave();
  return { hold, stop: stopped };
}

/** Runs in the worker: notes the longest time between two turns of its event loop. */
function watch() {
  const { port1, port2 } = new MessageChannel();
  let [longest, last] = [0, performance.now()];
  port1.onmessage = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    port2.postMessage(0);
  };
  port2.postMessage(0);
  globalThis.longestHold = () => Math.max(longest, performance.now() - last);
}
