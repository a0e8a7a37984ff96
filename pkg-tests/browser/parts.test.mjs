// The interpreter comes in two parts: what opens and runs a machine comes with the page, the rest when somebody needs it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { skip } from "../browser.mjs";
import { comes, visits } from "./playground.mjs";
import { builtPage } from "../../scripts/page.mjs";

/** Functions that no example uses: the first part lacks them. */
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

  /** A visitor, and which parts they have asked for so far; `rest` may stand in the way of the second one. */
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

  test("the rest comes with the first run, not with the page", async () => {
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
    "the first load is at most 600 kB, all that the page asks for until it stands idle",
    { skip: profile !== "release" && `the WebAssembly is of profile ${profile}` },
    async () => {
      const asked = new Set();
      const visitor = await site.visit({
        async before(page) {
          page.context().on("request", (request) => asked.add(new URL(request.url()).pathname));
          // Chromium may tell a page once, by itself, where the pointer is: that is no visitor's first deed, with which the editing comes.
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

  test("a run that needs the rest before it has come gives the same answer", async () => {
    const { visitor, asked } = await begin(async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      await route.continue();
    });
    await visitor.open(RARE);
    await visitor.run();
    await visitor.result();
    await comes(() => visitor.output(), RARE.output);
    assert.ok(asked.includes("rest"));
    await visitor.leave();
  });

  test("where the rest cannot be had, examples run, and what needs it says why and tries again", async () => {
    let reachable = false;
    const { visitor, page } = await begin((route) => (reachable ? route.continue() : route.abort()));
    await visitor.run();
    await visitor.result();
    await visitor.tab("Definition");
    await visitor.editor("Definition").press("Shift+Alt+f");
    await page.getByText("The rest of the interpreter could not be loaded").first().waitFor();
    // A run that cannot go on ends, and the page goes on.
    await visitor.open(RARE);
    await visitor.run();
    await page.getByText("The rest of the interpreter could not be loaded").first().waitFor();
    await page.getByRole("button", { name: "Run", exact: true }).first().and(page.locator(":enabled")).waitFor();
    reachable = true;
    await visitor.open(RARE);
    await visitor.run();
    await visitor.result();
    await comes(() => visitor.output(), RARE.output);
    await page.context().close();
  });
});
