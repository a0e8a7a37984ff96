// Takes the pictures of docs/images from the built page:   npm run screenshots [-- NAME…]
//
// --gestures FOLDER [NAME…] takes pictures of every gesture while it is made instead, in all sizes, light and dark.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { launch, serve, skip } from "../pkg-tests/browser.mjs";
import { shrink } from "./png.mjs";
import { takeGestures } from "./screenshots/gestures.mjs";
import { root } from "./steps.mjs";
import { animate } from "./webp.mjs";

if (skip) {
  console.error(`screenshots: ${skip}`);
  process.exit(1);
}
const images = join(root, "docs/images");
mkdirSync(images, { recursive: true });
execFileSync(
  process.execPath,
  [join(root, "node_modules/vite/bin/vite.js"), "build", "--config", join(root, "www/vite.config.js"), "--logLevel", "warn"],
  { stdio: "inherit" },
);

const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };

const example = async (page, title) => {
  await page.getByTitle("Examples and recent drafts").click();
  await page.locator(".gallery button", { hasText: title }).click();
  await page.locator(".document", { hasText: title === "Empty" ? "Untitled" : title }).waitFor();
  await page.waitForTimeout(600);
};
const run = (page) => page.getByRole("button", { name: "Run", exact: true }).first().click();
const ended = (page) => page.locator(".result").waitFor({ state: "attached", timeout: 60_000 });

/** Runs to a breakpoint in an iteration of a Map. */
const pause = async (page) => {
  const pane = async (name) => {
    const button = page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name });
    if (await button.isVisible()) await button.click();
  };
  await example(page, "Map over items");
  await pane("Graph");
  await page.locator('[data-node$="/States/Shrink"]').click();
  await pane("Inspect");
  await page.getByRole("button", { name: "Breakpoint", exact: true }).click();
  await run(page);
  await page.locator(".pause-where").waitFor();
};

/** The pictures by name. Each function prepares the page. */
const pictures = {
  "page-light": {
    size: DESKTOP,
    async take(page) {
      await run(page);
      await ended(page);
      await page.locator('[data-node="/States/ChargeCard"]').click();
      await page.getByRole("tab", { name: /^Events/ }).click();
    },
  },
  "page-dark": {
    size: DESKTOP,
    options: { colorScheme: "dark" },
    async take(page) {
      await example(page, "Map over items");
      await run(page);
      await ended(page);
      await page.locator('[data-node$="/States/Shrink"]').click();
    },
  },
  gallery: {
    size: DESKTOP,
    async take(page) {
      await page.getByTitle("Examples and recent drafts").click();
      await page.waitForFunction(() => document.querySelectorAll(".gallery-drawing").length > 10);
      await page.waitForTimeout(600);
    },
  },
  export: {
    size: DESKTOP,
    async take(page) {
      await run(page);
      await ended(page);
      await page.getByRole("button", { name: "Export", exact: true }).click();
      await page.getByRole("dialog").waitFor();
    },
  },
  "debugger-light": { size: DESKTOP, take: pause },
  "debugger-dark": {
    size: { width: 1280, height: 1000 },
    options: { colorScheme: "dark" },
    async take(page) {
      await pause(page);
      await page.keyboard.press("Control+F11");
      await page.keyboard.press("Control+F11");
      await page.locator(".pause-where", { hasText: "after" }).waitFor();
      await page.getByRole("tab", { name: "Timeline" }).click();
      await page
        .getByRole("radiogroup")
        .last()
        .evaluate((stages) => stages.scrollIntoView({ block: "start" }));
    },
  },
  "phone-debugger": {
    size: PHONE,
    async take(page) {
      await pause(page);
      await page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name: "Graph" }).click();
    },
  },
  "phone-answer": {
    size: PHONE,
    async take(page) {
      await example(page, "A person decides");
      await page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name: "Graph" }).click();
      await page.locator("button.run").click();
      await page.getByRole("form", { name: "Answer of AskManager" }).waitFor();
    },
  },
  "phone-graph": {
    size: PHONE,
    async take(page) {
      await run(page);
      await ended(page);
      await page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name: "Graph" }).click();
    },
  },
  "phone-events": {
    size: PHONE,
    async take(page) {
      await run(page);
      await ended(page);
      await page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name: "Run" }).click();
      await page.getByRole("tab", { name: /^Events/ }).click();
    },
  },
};

/** The films by name. `shoot` takes a picture that is shown for a number of milliseconds. */
const films = {
  async run(page, shoot) {
    await shoot(700);
    await run(page);
    for (let i = 0; i < 26; i++) {
      await page.waitForTimeout(60);
      await shoot(130);
    }
    await ended(page);
    await page.waitForTimeout(300);
    await shoot(2500);
  },
  async build(page, shoot) {
    const still = async (duration) => {
      await page.waitForTimeout(450);
      await shoot(duration);
    };
    const choose = async (words, rest = 700) => {
      await page.locator(".picker-option").first().waitFor();
      await still(rest);
      for (const word of words.match(/.{1,4}/g)) {
        await page.keyboard.type(word);
        await shoot(160);
      }
      await page.locator(".picker-option").first().waitFor();
      await still(700);
      await page.keyboard.press("Enter");
      await still(900);
    };
    const name = async (text) => {
      await page.keyboard.press("F2");
      await page.keyboard.type(text);
      await shoot(500);
      await page.keyboard.press("Enter");
      await still(800);
    };
    // Hints that appear only once would cover the page.
    await page.evaluate(() => localStorage.setItem("stepglass.hints", JSON.stringify(["added", "joined", "several", "fill"])));
    await page.reload();
    await page.locator("[data-node]").first().waitFor();
    await example(page, "Empty");
    await still(1_000);
    await page.getByRole("button", { name: /^Blank canvas/ }).click();
    await choose("task");
    await name("Charge");
    await page.keyboard.press("a");
    await choose("sqs send");
    await page.locator('[data-insert="/States/Charge/Next"]').click();
    await choose("choice");
    await name("Paid?");
    await run(page);
    for (let i = 0; i < 8; i++) {
      await page.waitForTimeout(60);
      await shoot(130);
    }
    await still(2_500);
  },
};

const [first, folder, ...names] = process.argv.slice(2);
const wanted = process.argv.slice(2);
const chrome = await launch({ whole: true });
const site = await serve(join(root, "www/dist"));
try {
  if (first === "--gestures") await takeGestures(open, folder ?? "gestures", names);
  else await takePictures();
} finally {
  await chrome.close();
  await site.close();
}

async function takePictures() {
  for (const [name, { size, options, take }] of Object.entries(pictures)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const page = await open(size, { reducedMotion: "reduce", ...options });
    await take(page);
    // Temporary messages must not be on the picture.
    await page.locator(".toast").waitFor({ state: "detached" });
    await page.mouse.move(0, 0);
    await page.waitForTimeout(600);
    save(`${name}.png`, shrink(await page.screenshot()));
    await page.context().close();
  }
  for (const [name, play] of Object.entries(films)) if (wanted.length === 0 || wanted.includes(name)) await film(name, play);
}

async function open(viewport, options = {}) {
  const context = await chrome.newContext({ viewport, serviceWorkers: "block", ...options });
  const page = await context.newPage();
  await page.goto(site.url);
  await page.locator("[data-node]").first().waitFor();
  await page.waitForTimeout(900);
  return page;
}

/** Records a film of what `play` does. */
async function film(name, play) {
  const size = { width: 960, height: 600 };
  const page = await open(size, { reducedMotion: "no-preference" });
  const worker = await page.context().newPage();
  const shots = [];
  await play(page, async (duration) => shots.push({ png: await page.screenshot(), duration }));
  // Chromium has the encoder. Each picture is reduced to what has changed since the previous one.
  const frames = [];
  for (const { png, duration } of shots) {
    const frame = await worker.evaluate(
      async ([data, first]) => {
        const image = await createImageBitmap(await (await fetch(data)).blob());
        const canvas = new OffscreenCanvas(image.width, image.height);
        const context = canvas.getContext("2d", { willReadFrequently: true });
        context.drawImage(image, 0, 0);
        const now = new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer);
        const before = globalThis.before;
        globalThis.before = now;
        let [left, top, right, bottom] = first || !before ? [0, 0, image.width, image.height] : [image.width, image.height, 0, 0];
        if (!first && before) {
          for (let y = 0; y < image.height; y++) {
            for (let x = 0; x < image.width; x++) {
              if (now[y * image.width + x] === before[y * image.width + x]) continue;
              left = Math.min(left, x);
              right = Math.max(right, x + 1);
              top = Math.min(top, y);
              bottom = Math.max(bottom, y + 1);
            }
          }
          if (right <= left) return null;
          left -= left % 2;
          top -= top % 2;
        }
        const part = new OffscreenCanvas(right - left, bottom - top);
        part.getContext("2d").drawImage(canvas, -left, -top);
        const bytes = new Uint8Array(await (await part.convertToBlob({ type: "image/webp", quality: 0.78 })).arrayBuffer());
        return { bytes: Array.from(bytes), x: left, y: top, width: right - left, height: bottom - top };
      },
      [`data:image/png;base64,${png.toString("base64")}`, frames.length === 0],
    );
    if (frame === null) frames.at(-1).duration += duration;
    else frames.push({ ...frame, webp: Buffer.from(frame.bytes), duration });
  }
  save(`${name}.webp`, animate({ ...size, frames }));
  await page.context().close();
}

function save(name, bytes) {
  writeFileSync(join(images, name), bytes);
  console.log(`${name.padEnd(20)} ${(bytes.length / 1000).toFixed(0).padStart(5)} kB`);
}
