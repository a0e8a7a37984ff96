// What moves on the graph: the view, the states of a run, and the marks that go along its lines.
import { visit } from "./browser.mjs";
import { clockwork, crowd, link, linkTo, round } from "./machines.mjs";
import { best, calibrate } from "./rows.mjs";

/** So many lines at once have something on its way; beyond that a line only changes its colour. */
const ACTIVE = 24;

export async function graph({ rows, chrome, server }) {
  rows.part("The graph, CPU of the main thread");
  for (const [count, status, scrub] of [
    [50, 3, 16],
    [500, 6, 16],
    [2000, 16, 24],
  ])
    await looking({ rows, chrome, server }, count, { status, scrub });
  await played({ rows, chrome, server });
  await animated({ rows, chrome, server });
  await crowded({ rows, chrome, server });
}

async function looking({ rows, chrome, server }, count, { status, scrub }) {
  const visitor = await visit(chrome, server.url, { hash: linkTo(round(count)), until: "ready" });
  const { page } = visitor;
  const states = `${count.toLocaleString("en")} states`;
  const factor = calibrate();
  const each = async (times, act) => {
    await page.waitForTimeout(300);
    return ((await visitor.costOf(() => act(times))) / times) * factor;
  };
  const wheel = (frames, keys) =>
    page
      .locator(".canvas")
      .first()
      .evaluate(
        async (element, [n, keys]) => {
          for (let i = 0; i < n; i++) {
            element.dispatchEvent(
              new WheelEvent("wheel", { deltaY: i % 2 ? -6 : 9, clientX: 700, clientY: 400, bubbles: true, cancelable: true, ...keys }),
            );
            await new Promise((resolve) => requestAnimationFrame(resolve));
          }
        },
        [frames, keys],
      );
  rows.row(`pan, ${states}, a frame`, await best(4, () => each(40, (frames) => wheel(frames, {}))), "ms", { most: 4 });
  rows.row(`zoom, ${states}, a frame`, await best(4, () => each(40, (frames) => wheel(frames, { ctrlKey: true }))), "ms", { most: 4 });

  await page.getByRole("button", { name: "Run", exact: true }).first().click();
  await page.locator(".result").waitFor({ state: "attached", timeout: 120_000 });
  const slider = page.getByLabel("Event shown");
  const scrubTo = (values) =>
    slider.evaluate(async (element, to) => {
      for (const value of to) {
        element.value = String(value);
        element.dispatchEvent(new Event("input", { bubbles: true }));
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      }
    }, values);
  const events = Number(await slider.getAttribute("max"));
  await scrubTo([10, 20, 30]);
  let random = 7;
  const anywhere = Array.from({ length: 40 }, () => (random = (random * 48271) % 2147483647) % events);
  rows.row(
    `scrub over ${events.toLocaleString("en")} events, ${states}, all panes, a place`,
    await best(4, () => each(anywhere.length, () => scrubTo(anywhere))),
    "ms",
    { most: scrub },
  );
  // From one event to the next a state is entered or left.
  const next = Array.from({ length: 40 }, (_, i) => 40 + i);
  const change = () => best(4, () => each(next.length, () => scrubTo(next)));
  rows.row(`status change, ${states}, all panes`, await change(), "ms", count === 2000 ? { most: status } : {});
  // The other panes are behind the graph in a narrow window.
  await page.setViewportSize({ width: 600, height: 900 });
  await page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name: "Graph" }).click();
  await page.locator(".narrow-pane .canvas").waitFor();
  await scrubTo([10, 20, 30]);
  rows.row(`status change, ${states}, on the graph`, await change(), "ms", { most: status });
  await visitor.leave();
}

/** The view is moved by hand while 25,000 events are played again. */
async function played({ rows, chrome, server }) {
  const visitor = await visit(chrome, server.url, { hash: linkTo(round(2000)), until: "ready", motion: true });
  const { page } = visitor;
  const factor = calibrate();
  await page.getByRole("button", { name: "Run", exact: true }).first().click();
  await page.locator(".result").waitFor({ state: "attached", timeout: 120_000 });
  const pan = async (frames) => {
    await page.getByRole("button", { name: "Play again" }).click();
    return (
      ((await visitor.costOf(() =>
        page
          .locator(".canvas")
          .first()
          .evaluate(async (element, n) => {
            for (let i = 0; i < n; i++) {
              element.dispatchEvent(
                new WheelEvent("wheel", { deltaY: i % 2 ? -6 : 9, clientX: 700, clientY: 400, bubbles: true, cancelable: true }),
              );
              await new Promise((resolve) => requestAnimationFrame(resolve));
            }
          }, frames),
      )) /
        frames) *
      factor
    );
  };
  rows.row("pan, 2,000 states, while the run is played again, a frame", await best(4, () => pan(40)), "ms", { most: 16 });
  await visitor.leave();
}

/** The marks that go along lines are slowed down, so that 24 are on their way at once, and then the run is paused: they go on. */
async function animated({ rows, chrome, server }) {
  const visitor = await visit(chrome, server.url, {
    hash: link({ t: "Clockwork", d: clockwork(28), i: "{}", c: "x60" }),
    until: "ready",
    motion: true,
  });
  const { page, session } = visitor;
  await session.send("Animation.enable");
  const factor = calibrate();
  await page.getByRole("button", { name: "Run", exact: true }).first().click();
  await page.getByRole("button", { name: "Pause", exact: true }).waitFor();
  await page.getByRole("button", { name: "Fit the graph" }).click();
  await page.waitForTimeout(500);
  // So near that lines are drawn one by one; and the view does not go along any more.
  for (let i = 0; i < 2; i++) await page.getByRole("button", { name: "Zoom in" }).click();
  await session.send("Animation.setPlaybackRate", { playbackRate: 0.005 });
  await page.waitForFunction((most) => document.querySelectorAll(".token").length >= most, ACTIVE);
  await page.keyboard.press("F8");
  await page.locator(".pause-where").waitFor();
  await page.waitForTimeout(400);
  const share = await best(3, async () => {
    const from = performance.now();
    const cost = await visitor.costOf(() => page.waitForTimeout(1_000));
    const share = (cost / (performance.now() - from)) * 100 * factor;
    // One or two have come to their end.
    const moving = await page.locator(".token").count();
    if (moving < ACTIVE * 0.8) throw new Error(`only ${moving} marks were on their way`);
    return (share * ACTIVE) / moving;
  });
  const fps = await framesOf(page);
  rows.row(`${ACTIVE} lines with something on its way, main thread's share of one core`, share, "%", { most: 15 });
  rows.row("  frames a second meanwhile, wall", fps, "", { least: 58 });
  await visitor.leave();
}

/** Frames a second. */
const framesOf = (page) =>
  page.evaluate(async () => {
    const from = performance.now();
    let frames = 0;
    while (performance.now() - from < 1000) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
      frames += 1;
    }
    return (frames * 1000) / (performance.now() - from);
  });

/** More states than anybody looks at. */
async function crowded({ rows, chrome, server }) {
  const visitor = await visit(chrome, server.url, { hash: linkTo(crowd(10_000)) });
  const { page } = visitor;
  await page.waitForTimeout(500);
  rows.row(
    "10,000 states: nodes that are drawn at first, folded",
    await page.evaluate(() => document.querySelectorAll("[data-node]").length),
    "",
    { most: 1_000 },
  );
  rows.row("  a note that says so", await page.getByText("Map states begin folded").count(), "", { least: 1 });
  rows.row("  graph painted, wall", (await visitor.at("painted")) / 1000, "s");
  await visitor.leave();
}
