// What a newcomer sees: the servers that the README and CONTRIBUTING name, started by their own commands and opened in a browser.
//
// Each walk opens every pane and dialog that is loaded on demand. It fails on an error or a warning of the console, on a violation
// of the page's policy, on a failed request, and if a style sheet of the page was not loaded or was blocked.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { npm } from "../../scripts/setup.mjs";
import { borrow, skip } from "../browser.mjs";
import { openEverything, refused, root, started, visit } from "./newcomer.mjs";
import { GREETING } from "./playground.mjs";

const SERVE = [process.execPath, [join(root, "dist/cli.js"), "serve", "--port", "0"]];

/** The style sheets of the page's sources. Those of the component are strings in its scripts, and the console is a page of its own. */
const SHEETS = readdirSync(join(root, "www/src"), { recursive: true })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => file.endsWith(".css") && !/^(embed|console)\//.test(file));

describe("a newcomer's first page", { skip }, () => {
  let chrome;
  before(async () => (chrome = await borrow()));
  after(() => chrome?.close());

  const SIZES = [
    { width: 1280, height: 800 },
    { width: 360, height: 740 },
  ];
  for (const [name, command, sheets, path = ""] of [
    ["npm start", npm("start", "--", "--port", "0"), built],
    ["npm run dev", npm("run", "dev", "--", "--port", "0"), fromSources],
    ["stepglass serve", SERVE, built, "debugger/page/"],
  ]) {
    test(`${name} serves a page whose panes and dialogs are all styled`, async (t) => {
      const server = await started(...command);
      t.after(server.end);
      for (const size of SIZES) {
        const { visitor, loaded } = await visit(chrome, server.url + path, size);
        await visitor.ready();
        await openEverything(visitor, size.width < 640);
        assert.deepEqual(await refused(visitor.page), [], "style sheets that the page's policy refused");
        await sheets(visitor.page, loaded);
        await visitor.leave();
      }
    });
  }

  test("stepglass serve lists executions and shows one", async (t) => {
    const server = await started(...SERVE);
    t.after(server.end);
    const call = async (operation, body) => {
      const response = await fetch(server.url, {
        method: "POST",
        headers: { "content-type": "application/x-amz-json-1.0", "x-amz-target": `AWSStepFunctions.${operation}` },
        body: JSON.stringify(body),
      });
      return response.json();
    };
    const { stateMachineArn } = await call("CreateStateMachine", {
      name: "Greeting",
      definition: JSON.stringify(GREETING),
      roleArn: "arn:aws:iam::123456789012:role/StepFunctions",
    });
    await call("StartExecution", { stateMachineArn, name: "first" });
    for (const size of SIZES) {
      const { visitor } = await visit(chrome, `${server.url}debugger/`, size);
      const { page } = visitor;
      await page.getByRole("link", { name: "first" }).click();
      await page.locator("stepglass-debugger").getByText("Greet", { exact: true }).first().waitFor();
      await visitor.waitUntilQuiet();
      assert.deepEqual(await refused(page), []);
      await visitor.leave();
    }
  });

  /** Checks that every style sheet of the build was loaded. */
  function built(_, loaded) {
    const wanted = readdirSync(join(root, "www/dist/assets")).filter((file) => file.endsWith(".css"));
    assert.ok(wanted.length > 1);
    assert.deepEqual(
      wanted.filter((file) => !loaded.includes(file)),
      [],
      "openEverything() must open what loads these",
    );
  }

  /** Checks that every style sheet of the sources is on the page. */
  async function fromSources(page) {
    const found = await page.evaluate(() => [...document.querySelectorAll("[data-vite-dev-id]")].map((one) => one.dataset.viteDevId));
    assert.ok(SHEETS.length > 10);
    // The first style sheet imports others, which Vite puts into one element.
    const imported = readFileSync(join(root, "www/src/styles/index.css"), "utf8");
    const lacking = SHEETS.filter((file) => !imported.includes(basename(file)) && !/index\.css$/.test(file));
    assert.deepEqual(
      lacking.filter((file) => !found.some((id) => id.replaceAll("\\", "/").endsWith(file))),
      [],
    );
  }
});
