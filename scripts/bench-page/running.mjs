// Running and stepping.
import { readFileSync, readdirSync } from "node:fs";
import { painted, visit } from "./browser.mjs";
import { link, mapped, round } from "./machines.mjs";
import { best, calibrate, quantile } from "./rows.mjs";

export async function running({ rows, chrome, server }) {
  rows.part("Running");
  await stepping({ rows, chrome, server });
  await endless({ rows, chrome, server });
  await iterations({ rows, chrome, server });
}

/** From the click on a step until the frame that shows the pause after it. */
async function stepping({ rows, chrome, server }) {
  const factor = calibrate();
  const took = await best(3, async () => {
    const { page, leave } = await visit(chrome, server.url, { until: "ready" });
    // The steps stand there once something is paused.
    await page.getByRole("button", { name: "Step", exact: true }).click();
    await page.locator(".pause-where").waitFor();
    const over = page.getByRole("button", { name: "Over", exact: true });
    const times = await over.evaluate(async (button) => {
      const shown = () => document.querySelector(".pause-where")?.textContent;
      const took = [];
      for (let i = 0; i < 12 && !button.disabled; i++) {
        const before = shown();
        const started = performance.now();
        button.click();
        while (shown() === before || shown() === undefined) {
          if (document.querySelector(".result") || performance.now() - started > 5_000) return took;
          await new Promise((resolve) => setTimeout(resolve));
        }
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
        took.push(performance.now() - started);
      }
      return took;
    });
    await leave();
    if (times.length < 2) throw new Error("the example takes no steps");
    return quantile(times);
  });
  rows.row("step command until the paused state is shown, wall, median", took * factor, "ms", { most: 50 });
}

/** A round that nobody stops, with all panes open. */
async function endless({ rows, chrome, server }) {
  const visitor = await visit(chrome, server.url, {
    hash: link({ t: "Endless", d: round(5), i: "{}", c: "skip", o: { events: false } }),
    until: "ready",
    motion: true,
  });
  const { page } = visitor;
  const factor = calibrate();
  await page.getByRole("button", { name: "Run", exact: true }).first().click();
  await page.waitForFunction(() => Number(document.querySelector('[aria-label="Event shown"]')?.max) > 1_000);
  const thread = await threadTime(chrome);
  const events = () => page.getByLabel("Event shown").evaluate((slider) => Number(slider.max));
  let fastest = 0;
  let frame = Infinity;
  let wall = 0;
  for (let i = 0; i < 3; i++) {
    const [before, from, begun] = [thread(), await events(), performance.now()];
    let frames = 0;
    const cost = await visitor.costOf(async () => {
      frames = await page.evaluate(async () => {
        const begun = performance.now();
        for (let frames = 0; ; frames++) {
          await new Promise((resolve) => requestAnimationFrame(resolve));
          if (performance.now() - begun > 1_000) return frames;
        }
      });
    });
    // A transition is a state entered and left.
    const transitions = ((await events()) - from) / 2;
    wall = Math.max(wall, (transitions / (performance.now() - begun)) * 1000);
    fastest = Math.max(fastest, before === undefined ? wall : ((transitions / (thread() - before)) * 1000) / factor);
    frame = Math.min(frame, (cost / frames) * factor);
  }
  await page.getByRole("button", { name: "Stop", exact: true }).first().click();
  await page.locator(".result").waitFor({ timeout: 60_000 });
  rows.row("run without stops, Pass and Choice, in a second of its thread's CPU", fastest, "transitions", { least: 20_000 });
  rows.row("  the same in a second, wall", wall, "transitions");
  rows.row("  a frame of the page meanwhile, main thread's CPU", frame, "ms", { most: 20 });
  await visitor.leave();
}

/** CPU ms of the interpreter's thread so far, where the system tells. */
async function threadTime(chrome) {
  const threads = await threadsOf(chrome);
  const time = ({ process, thread }) => Number(readFileSync(`/proc/${process}/task/${thread}/schedstat`, "utf8").split(" ")[0]) / 1e6;
  return () => (threads.length === 0 ? undefined : Math.max(...threads.map(time)));
}

/** The threads of workers, and their processes. */
async function threadsOf(chrome) {
  const session = await chrome.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  return processInfo.flatMap(({ id: process }) => {
    try {
      const threads = readdirSync(`/proc/${process}/task`).filter((thread) =>
        readFileSync(`/proc/${process}/task/${thread}/comm`, "utf8").startsWith("DedicatedWorker"),
      );
      return threads.map((thread) => ({ process, thread }));
    } catch {
      return [];
    }
  });
}

/** Ten thousand iterations: what the interpreter's thread holds, and whether one can still go among them. */
async function iterations({ rows, chrome, server }) {
  const input = JSON.stringify(Array.from({ length: 10_000 }, (_, i) => (i % 400 === 7 ? "x" : `item ${i}`)));
  const visitor = await visit(chrome, server.url, {
    hash: link({ t: "Map", d: mapped(), i: input, c: "skip", o: { events: false } }),
    until: "ready",
  });
  const { page } = visitor;
  const factor = calibrate();
  await page.getByRole("button", { name: "Run", exact: true }).first().click();
  await page.locator(".result").waitFor({ timeout: 120_000 });
  await page.waitForTimeout(1000);
  const process = (await threadsOf(chrome))[0]?.process;
  const scripts = await threadHeap(chrome);
  const memory = process === undefined ? undefined : webAssemblyMemory(process);
  if (memory === undefined) rows.row("10,000 iterations of a Map: scripts of the interpreter's thread", scripts / 1e6, "MB");
  else {
    rows.row("10,000 iterations of a Map: what the interpreter's thread holds", (scripts + memory) / 1e6, "MB", { most: 150 });
    rows.row("  of it the WebAssembly's memory", memory / 1e6, "MB");
    rows.row("  the page's whole process", written(process) / 1e6, "MB");
  }
  await page.getByRole("button", { name: "Fit the graph" }).click();
  const next = page.locator(".graph-frame").getByRole("button", { name: "Next iteration" }).first();
  await next.click();
  const step = async () => {
    const times = 20;
    const cost = await visitor.costOf(async () => {
      await next.evaluate(async (button, n) => {
        for (let i = 0; i < n; i++) {
          button.click();
          await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
        }
      }, times);
      await painted(page);
    });
    return (cost / times) * factor;
  };
  rows.row("  to the next iteration, all panes, main thread's CPU", await best(3, step), "ms", { most: 24 });
  await visitor.leave();
}

/** Bytes of scripts and buffers that the page's worker holds. */
async function threadHeap(chrome) {
  const session = await chrome.newBrowserCDPSession();
  const { targetInfos } = await session.send("Target.getTargets");
  const { sessionId } = await session.send("Target.attachToTarget", {
    targetId: targetInfos.find(({ type }) => type === "worker").targetId,
    flatten: false,
  });
  let id = 0;
  const answers = new Map();
  session.on("Target.receivedMessageFromTarget", ({ message }) => {
    const { id: of, result } = JSON.parse(message);
    answers.get(of)?.(result);
  });
  const send = (method) =>
    new Promise((resolve) => {
      answers.set(++id, resolve);
      void session.send("Target.sendMessageToTarget", { sessionId, message: JSON.stringify({ id, method, params: {} }) });
    });
  await send("HeapProfiler.collectGarbage");
  const { usedSize, embedderHeapUsedSize = 0, backingStorageSize = 0 } = await send("Runtime.getHeapUsage");
  await session.detach();
  return usedSize + embedderHeapUsedSize + backingStorageSize;
}

/**
 * Bytes of the WebAssembly's memory in a process; undefined where it is not found. V8 lays a memory at a multiple of 4 GiB, in
 * pages of 64 KiB, with as much as an index can reach behind it kept out of reach.
 */
function webAssemblyMemory(process) {
  const GIB_4 = 2n ** 32n;
  const maps = readFileSync(`/proc/${process}/maps`, "utf8").matchAll(/^([0-9a-f]+)-([0-9a-f]+) (\S+)/gm);
  const parts = [...maps].map(([, from, to, rights]) => ({ from: BigInt(`0x${from}`), to: BigInt(`0x${to}`), rights }));
  const memories = parts.filter(({ from, to, rights }, i) => {
    const behind = parts[i + 1];
    return (
      rights === "rw-p" &&
      from % GIB_4 === 0n &&
      (to - from) % 65536n === 0n &&
      behind?.from === to &&
      behind.rights === "---p" &&
      behind.to - from >= GIB_4
    );
  });
  return memories.length === 0 ? undefined : Number(memories.reduce((sum, { from, to }) => sum + to - from, 0n));
}

/** Bytes that a process has written to. */
const written = (process) => Number(/^Private_Dirty:\s+(\d+) kB/m.exec(readFileSync(`/proc/${process}/smaps_rollup`, "utf8"))?.[1]) * 1024;
