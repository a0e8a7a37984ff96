// `npm start`: the address that it prints serves the page, with the interpreter in it.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { dirname, resolve } from "node:path";
import { createInterface } from "node:readline";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { launch, open, skip } from "../browser.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const server = spawn(process.execPath, ["scripts/start.mjs", "--port", "0"], { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
after(() => server.kill());

async function address() {
  for await (const line of createInterface({ input: server.stdout })) {
    const url = /served at (http:\S+)/.exec(line)?.[1];
    if (url) return url;
  }
  throw new Error("npm start ended without an address");
}

test("npm start prints an address that serves the page", async (t) => {
  const url = await address();
  const response = await fetch(url);
  assert.equal(response.status, 200);
  assert.match(await response.text(), /<title>[^<]*Stepglass/);

  await t.test("which loads in Chromium without a problem", { skip }, async () => {
    const chrome = await launch();
    try {
      const { page, problems } = await open(chrome, url);
      await page.waitForLoadState("networkidle");
      assert.deepEqual(problems, []);
    } finally {
      await chrome.close();
    }
  });
});
