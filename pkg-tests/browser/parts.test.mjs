// The interpreter is loaded in two parts: the first, which opens and runs a machine, with the page, the rest on demand.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { skip } from "../browser.mjs";
import { eventually, visits } from "./playground.mjs";
import { builtPage } from "../../scripts/page.mjs";

/** These functions are used in no example, and the first part lacks them. */
const RARE = {
  definition: {
    QueryLanguage: "JSONata",
    StartAt: "Write",
    States: { Write: { Type: "Pass", Output: "{% {'year': $formatInteger(1999, 'I'), 'words': $formatInteger(21, 'w')} %}", End: true } },
  },
  output: { year: "MCMXCIX", words: "twenty-one" },
};
const { profile } = JSON.parse(readFileSync(resolve(import.meta.dirname, "../../dist/.built.json"), "utf8"));
const dist = builtPage();
const REST = /\/rest-[^/]*\.wasm$/;

describe("the interpreter's two parts", { skip }, () => {
  const { site } = visits();

  /** Returns a visitor, and the parts that the page has requested. `rest` may intercept the request for the second part. */
  async function begin(rest) {
    const asked = [];
    const visitor = await site.visit({
      async before(page) {
        page.context().on("request", (request) => {
          const part = /\/(first|rest)-[^/]*\.wasm$/.exec(request.url());
          if (part) asked.push(part[1]);
        });
        if (rest) await page.context().route(REST, rest);
      },
    });
    await visitor.ready();
    return { visitor, page: visitor.page, asked };
  }

  test("loads the rest with the first run, not with the page", async () => {
    const { visitor, page, asked } = await begin();
    await page.waitForTimeout(1_000);
    assert.deepEqual(asked, ["first"]);
    await visitor.run();
    await visitor.result();
    await page.getByRole("textbox", { name: "Definition", exact: true }).press("ControlOrMeta+ ");
    await page.getByRole("listbox").waitFor();
    assert.deepEqual(asked, ["first", "rest"]);
    await visitor.leave();
  });

  test(
    "loads at most 600 kB at first, including what follows until the page is idle",
    { skip: profile !== "release" && `the WebAssembly is of profile ${profile}` },
    async () => {
      const asked = new Set();
      const visitor = await site.visit({
        async before(page) {
          page.context().on("request", (request) => asked.add(new URL(request.url()).pathname));
          // Chromium may report the position of the pointer by itself. The page must not take it for the first action, which loads
          // the editing.
          await page.addInitScript(() => addEventListener("pointermove", (event) => event.stopImmediatePropagation(), true));
        },
      });
      await visitor.ready();
      await visitor.page.waitForTimeout(1_000);
      const files = [...asked].map((path) => (path === "/" ? "index.html" : path.slice(1)));
      assert.ok(files.some((file) => file.endsWith(".wasm")) && files.some((file) => file.includes("codemirror")), files.join(" "));
      const kilobytes = files.reduce((sum, file) => sum + gzipSync(readFileSync(join(dist, file))).length, 0) / 1000;
      assert.ok(kilobytes <= 600, `${kilobytes} kB`);
      await visitor.leave();
    },
  );

  test("gives the same result for a run that needs the rest before it is loaded", async () => {
    const { visitor, asked } = await begin(async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      await route.continue();
    });
    await visitor.open(RARE);
    await visitor.run();
    await visitor.result();
    await eventually(() => visitor.output(), RARE.output);
    assert.ok(asked.includes("rest"));
    await visitor.leave();
  });

  test("runs examples without the rest, and explains and retries for a run that needs it", async () => {
    let reachable = false;
    const { visitor, page } = await begin((route) => (reachable ? route.continue() : route.abort()));
    await visitor.run();
    await visitor.result();
    await visitor.tab("Definition");
    await visitor.editor("Definition").press("Shift+Alt+f");
    await page.getByText("The rest of the interpreter could not be loaded").first().waitFor();
    // A run that cannot go on ends, and the page keeps working.
    await visitor.open(RARE);
    await visitor.run();
    await page.getByText("The rest of the interpreter could not be loaded").first().waitFor();
    await page.getByRole("button", { name: "Run", exact: true }).first().and(page.locator(":enabled")).waitFor();
    reachable = true;
    await visitor.open(RARE);
    await visitor.run();
    await visitor.result();
    await eventually(() => visitor.output(), RARE.output);
    await page.context().close();
  });
});
