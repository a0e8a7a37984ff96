// <stepglass-debugger> from the tarball, on typical pages, under a strict content security policy.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { eventually, launch, open, serve, skip, until } from "../browser.mjs";
import { pack, root, runNpm } from "./tarball.mjs";

const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self' data:; require-trusted-types-for 'script'; trusted-types stepglass-debugger";
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let tarball;
before(() => {
  tarball = pack();
  mkdirSync(join(tarball.folder, "site"));
  runNpm(
    ["install", "--offline", "--no-audit", "--no-fund", "--no-package-lock", "--prefix", join(tarball.folder, "site"), tarball.path],
    join(tarball.folder, "site"),
  );
});
after(() => tarball?.remove());

/** Returns the size of modules with all of their imports. `away` are modules that are loaded already. */
function sizeOf(dist, names, away = new Map()) {
  const sizes = new Map();
  const visit = (name) => {
    if (sizes.has(name) || away.has(name)) return;
    const text = readFileSync(join(dist, name), "utf8");
    sizes.set(name, gzipSync(text, { level: 9 }).length);
    for (const [, other] of text.matchAll(/\bfrom"\.\/([\w-]+\.js)"/g)) visit(other);
  };
  names.forEach(visit);
  return { sizes, bytes: [...sizes.values()].reduce((sum, size) => sum + size, 0) };
}

// About half of the editor's 22 kB is its kernel, and 5 kB are the views, which the page has too. Preact and its signals would add 8.4 kB.
test("the component and its worker are at most 56.8 kB, and at most 78.9 kB with editing", () => {
  const dist = join(tarball.folder, "site/node_modules/stepglass/dist");
  const first = sizeOf(dist, ["debugger.js", "debugger-worker.js"]);
  assert.ok(first.bytes <= 56_800, `${first.bytes} bytes`);
  const editor = readdirSync(dist).filter(
    (name) => /^debugger-\w+\.js$/.test(name) && readFileSync(join(dist, name), "utf8").includes("edit-name"),
  );
  assert.equal(editor.length, 1);
  const editing = sizeOf(dist, editor, first.sizes);
  assert.ok(first.bytes + editing.bytes <= 78_900, `${first.bytes} and ${editing.bytes} bytes`);
  for (const file of readdirSync(dist).filter((name) => name.startsWith("debugger") && name.endsWith(".js"))) {
    // The addresses of queues in the patterns are texts of definitions, not requests.
    assert.doesNotMatch(readFileSync(join(dist, file), "utf8"), /cm-content|innerHTML|https?:\/\/(?!www\.w3\.org|json-schema|sqs\.)/, file);
  }
});

test("importing the component without a page does nothing", () => {
  execFileSync(process.execPath, ["--input-type=module", "-e", 'import "stepglass/debugger";'], {
    cwd: join(tarball.folder, "site"),
    stdio: "pipe",
  });
});

describe("the component", { skip }, () => {
  let site;
  let chrome;
  before(async () => {
    site = await serve(join(tarball.folder, "site"), { "content-security-policy": POLICY });
    chrome = await launch();
  });
  after(async () => {
    await chrome?.close();
    await site?.close();
  });

  let pages = 0;
  const GREETING = {
    StartAt: "Each",
    States: {
      Each: {
        Type: "Map",
        ItemsPath: "$.names",
        MaxConcurrency: 1,
        ItemProcessor: {
          StartAt: "Greet",
          States: { Greet: { Type: "Task", Resource: "arn:aws:lambda:us-east-1:123456789012:function:Greet", End: true } },
        },
        Next: "Done",
      },
      Done: { Type: "Succeed" },
    },
  };

  /** Opens a page with this body and this script. The test fails if the page has reported a problem at its end. */
  const visit = (name, { body, script = "", files = {} }, look) =>
    test(name, async () => {
      const at = `page${++pages}`;
      const folder = join(tarball.folder, "site", at);
      mkdirSync(folder);
      const head = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${name}</title><link rel="icon" href="data:,"><script type="module" src="main.js"></script></head>`;
      writeFileSync(join(folder, "index.html"), `${head}<body><main><h1>${name}</h1>${body}</main></body></html>`);
      writeFileSync(join(folder, "main.js"), `import "../node_modules/stepglass/dist/debugger.js";\n${script}`);
      for (const [file, text] of Object.entries(files))
        writeFileSync(join(folder, file), typeof text === "string" ? text : JSON.stringify(text));
      const { page, problems } = await open(chrome, `${site.url}${at}/`);
      await look(page);
      assert.deepEqual(problems, []);
      await page.close();
    });
  const node = (page, name) => page.locator(`[data-node$="/States/${name}"]`);

  test("works as the page of the documentation shows", async () => {
    const [, html] = /```html\n([\s\S]*?)```/.exec(readFileSync(join(root, "docs/debugger.md"), "utf8"));
    writeFileSync(join(tarball.folder, "site/index.html"), html.replace("<title>", '<link rel="icon" href="data:,"><title>'));
    const { page, problems } = await open(chrome, site.url);
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByRole("button", { name: /^ChargeCard.*failed, will retry/ }).waitFor();
    await page.getByRole("button", { name: "Continue" }).click();
    await page.locator(".status-line", { hasText: "Succeeded" }).waitFor();
    await page.getByRole("button", { name: /^ChargeCard/ }).click();
    await page.getByRole("region", { name: "Output" }).filter({ hasText: "R-1" }).waitFor();
    assert.deepEqual(problems, []);
    await page.close();
  });

  visit(
    "steps into a Map, over, out and back, stops at breakpoints, and lets the page handle tasks",
    {
      body: `<stepglass-debugger definition='${JSON.stringify(GREETING)}' input='{"names": ["Ada", "Bo"]}' breakpoints="Greet" view="graph data events code"></stepglass-debugger>`,
      script: `
        const element = document.querySelector("stepglass-debugger");
        window.seen = [];
        for (const type of ["asl-paused", "asl-complete", "asl-diagnostics"]) element.addEventListener(type, ({ detail }) => window.seen.push([type, detail.state ?? detail.status ?? detail.diagnostics.length]));
        element.addEventListener("asl-task", (event) => event.respondWith(event.task.input === "Bo" ? Promise.reject(Object.assign(new Error("no"), { name: "Shy" })) : Promise.resolve("Hello " + event.task.input)));
      `,
    },
    async (page) => {
      const element = page.locator("stepglass-debugger");
      await node(page, "Greet").waitFor();
      const call = (method, ...args) => element.evaluate(async (one, [name, given]) => void (await one[name](...given)), [method, args]);
      await call("run");
      await page.getByRole("button", { name: /^Greet.*running/ }).waitFor();
      await call("step", "out");
      await page.locator(".status-line", { hasText: "Each" }).waitFor();
      await call("step", "back");
      await call("run");
      await page.locator(".status-line", { hasText: "Greet" }).waitFor();
      await call("run");
      await page.locator(".status-line", { hasText: "Failed: Shy" }).waitFor();
      await until(async () => {
        const seen = await page.evaluate(() => window.seen);
        assert.deepEqual(seen[0], ["asl-diagnostics", 0]);
        assert.deepEqual(
          seen.find(([type]) => type === "asl-paused"),
          ["asl-paused", "Greet"],
        );
        assert.deepEqual(seen.at(-1), ["asl-complete", "FAILED"]);
      });
      await call("goto", 3);
      await page.getByRole("slider", { name: "Event shown" }).and(page.locator('[aria-valuetext^="Event 3 of"]')).waitFor();
      assert.match(await element.evaluate((one) => one.exportSvg()), /^<svg [\s\S]*Greet/);
    },
  );

  visit(
    "fits names into their boxes in the page's font, with no sign over them",
    {
      body: "<stepglass-debugger></stepglass-debugger>",
      script: `
        const element = document.querySelector("stepglass-debugger");
        // These letters are twice as wide as the drawing assumes.
        element.style.setProperty("--sans", "monospace");
        const names = ["illicitFillingList", "till it is filled", "lilliput"];
        const States = Object.fromEntries(names.map((name, i) => [name, { Type: "Pass", ...(i < 2 ? { Next: names[i + 1] } : { End: true }) }]));
        element.setAttribute("definition", JSON.stringify({ StartAt: names[0], States }));
      `,
    },
    async (page) => {
      const faults = () =>
        page.locator("g.node").evaluateAll((nodes) =>
          nodes.flatMap((node) => {
            const box = node.querySelector(".box").getBoundingClientRect();
            const signs = [...node.querySelectorAll(".badges > *")].map((sign) => sign.getBoundingClientRect());
            return [...node.querySelectorAll(".name, .caption")].flatMap((text) => {
              const { left, right, bottom } = text.getBoundingClientRect();
              // A line is as high as its font; its letters end above that.
              const low = bottom - 5;
              return right > box.right || signs.some((sign) => left < sign.right && sign.left < right && sign.top < low)
                ? [text.textContent]
                : [];
            });
          }),
        );
      await eventually(() => page.locator("g.node").count(), 3);
      await eventually(faults, []);
      await page.getByRole("button", { name: "Run", exact: true }).click();
      await page.locator(".status-line", { hasText: "Succeeded" }).waitFor();
      await eventually(() => page.locator("g.node .badges .status").count(), 3);
      await eventually(faults, []);
    },
  );

  visit(
    "is attached to an execution of the page, and observes it",
    {
      body: "<stepglass-debugger view='graph data events'></stepglass-debugger>",
      script: `
        import { StateMachine, init } from "../node_modules/stepglass/dist/web.js";
        await init();
        const definition = ${JSON.stringify(GREETING)};
        let answer;
        const tasks = { Greet: (name) => name === "Ada" ? "Hello Ada" : new Promise((resolve) => (answer = resolve)) };
        const execution = new StateMachine(definition).start({ names: ["Ada", "Bo"] }, { tasks });
        window.goOn = () => answer("Hello Bo");
        window.over = document.querySelector("stepglass-debugger").attach(execution, { definition });
      `,
    },
    async (page) => {
      await page.getByRole("button", { name: /^Each.*1 of 2 items done/ }).waitFor();
      await eventually(() => page.getByRole("button", { name: "Run", exact: true }).count(), 0, "there is nothing to run");
      await page.evaluate(() => window.goOn());
      await page.evaluate(() => window.over);
      await page.locator(".status-line", { hasText: "Succeeded" }).waitFor();
      await page.getByRole("button", { name: /^Each.*succeeded/ }).waitFor();
      // The end is also reported to an element that shows the past and returns to the present.
      const shown = page.getByRole("slider", { name: "Event shown" });
      await shown.press("Home");
      await page.locator(".status-line", { hasText: /^Event/ }).waitFor();
      await shown.press("End");
      await page.locator(".status-line", { hasText: "Succeeded" }).waitFor();
    },
  );

  visit(
    "shows a recorded history read-only, and several elements share one worker that is loaded when they become visible",
    {
      body: `<stepglass-debugger src="machine.json" history="history.json" readonly></stepglass-debugger><stepglass-debugger src="machine.json" readonly view="graph"></stepglass-debugger>
        <p style="height: 4000px"></p><stepglass-debugger id="far" src="machine.json"><b>The graph of a greeting</b></stepglass-debugger>`.replace(
        ' style="height: 4000px"',
        ' class="tall"',
      ),
      script: "const sheet = new CSSStyleSheet(); sheet.replaceSync('.tall { height: 4000px }'); document.adoptedStyleSheets = [sheet];",
      files: {
        "machine.json": { StartAt: "A", States: { A: { Type: "Fail", Error: "Wanted" } } },
        "history.json": {
          events: [
            { id: 1, previousEventId: 0, timestamp: 1767225600, type: "ExecutionStarted", executionStartedEventDetails: { input: "{}" } },
            {
              id: 2,
              previousEventId: 0,
              timestamp: 1767225600,
              type: "FailStateEntered",
              stateEnteredEventDetails: { name: "A", input: "{}" },
            },
            { id: 3, previousEventId: 2, timestamp: 1767225601, type: "ExecutionFailed", executionFailedEventDetails: { error: "Wanted" } },
          ],
        },
      },
    },
    async (page) => {
      await page.locator(".status-line", { hasText: "Failed: Wanted" }).waitFor();
      await page
        .getByRole("button", { name: /^A .*, failed/ })
        .first()
        .waitFor();
      await eventually(() => page.locator("#far").getByRole("group").count(), 0, "nobody has looked at it yet");
      await page.getByText("The graph of a greeting").scrollIntoViewIfNeeded();
      await page.locator("#far").getByRole("button", { name: /^A / }).waitFor();
      await eventually(() => page.getByText("The graph of a greeting").isVisible(), false);
      await eventually(() => page.workers().length, 1);
    },
  );

  visit(
    "asks its viewer for the result of a task, by keyboard and without a violation, in both themes",
    {
      body: `<stepglass-debugger definition='${JSON.stringify(GREETING)}' input='{"names": ["Ada"]}' theme="dark" view="graph data events code"></stepglass-debugger>`,
    },
    async (page) => {
      const violations = () =>
        page.evaluate(async () => {
          const { violations: found } = await globalThis.axe.run(document, {
            runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
          });
          return found.map(
            ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html.slice(0, 120)} ${failureSummary}`).join(" | ")}`,
          );
        });
      await node(page, "Greet").waitFor();
      // The policy allows no script except through the debugger's trusted types policy.
      const session = await page.context().newCDPSession(page);
      await session.send("Runtime.evaluate", { expression: axe });
      await page.getByRole("button", { name: "Run", exact: true }).focus();
      await page.keyboard.press("Enter");
      await page.getByRole("form", { name: "Answer of Greet" }).waitFor();
      await eventually(violations, []);
      await page.locator("stepglass-debugger").evaluate((one) => one.setAttribute("theme", "light"));
      await eventually(violations, []);
      await page.getByLabel("Result of Greet (JSON)").fill('"Hello"');
      await page.getByLabel("Result of Greet (JSON)").press("Tab");
      await page.keyboard.press("Enter");
      await page.locator(".status-line", { hasText: "Succeeded" }).waitFor();
      await node(page, "Each").focus();
      await page.keyboard.press("ArrowDown");
      await eventually(
        () => page.evaluate(() => document.querySelector("stepglass-debugger").shadowRoot.activeElement.getAttribute("aria-label")),
        /^Done/,
      );
    },
  );

  const WAITS = {
    StartAt: "Nap",
    States: {
      Nap: { Type: "Wait", Seconds: 60, Next: "Charge" },
      Charge: { Type: "Task", Resource: "arn:aws:lambda:us-east-1:123456789012:function:Charge", End: true },
    },
  };

  visit(
    "counts a position in a long run from the run's end",
    {
      body: '<stepglass-debugger src="machine.json" at="3"></stepglass-debugger>',
      files: {
        "machine.json": {
          StartAt: "Begin",
          States: {
            Begin: { Type: "Pass", Result: { n: 0 }, Next: "Add" },
            Add: { Type: "Pass", Parameters: { "n.$": "States.MathAdd($.n, 1)" }, Next: "Enough" },
            Enough: { Type: "Choice", Choices: [{ Variable: "$.n", NumericLessThan: 2000, Next: "Add" }], Default: "Done" },
            Done: { Type: "Succeed" },
          },
        },
      },
    },
    async (page) => {
      // The start and the end, Begin, Done, and two states 2,000 times, each entered and left.
      await page.getByRole("slider", { name: "Event shown" }).and(page.locator('[aria-valuetext^="Event 3 of 8006"]')).waitFor();
    },
  );

  visit(
    "supports each attribute, property, method and event as documented",
    {
      body: `
        <stepglass-debugger id="at" src="machine.json" mocks="mocks.json" input="input.json" at="3" height="300" view="graph data"></stepglass-debugger>
        <stepglass-debugger id="auto" src="machine.json" mocks='{"Charge": {"output": 1}}' autoplay controls="run" lang="de"></stepglass-debugger>
        <stepglass-debugger id="manual" src="machine.json" mocks='{"Charge": {"output": 1}}' speed="manual" playground="https://example.org/play/" theme="contrast"></stepglass-debugger>
        <stepglass-debugger id="placed" src="machine.json" worker-src="../node_modules/stepglass/dist/debugger-worker.js" wasm-src="../node_modules/stepglass/dist/stepglass.wasm" readonly></stepglass-debugger>
        <stepglass-debugger id="set" view="code events"></stepglass-debugger>`,
      script: `
        window.opened = [];
        window.open = (address) => void window.opened.push(String(address));
        window.told = [];
        for (const type of ["asl-event", "asl-paused", "asl-complete"]) document.addEventListener(type, (event) => window.told.push([event.target.id, type, event.detail.event?.type ?? event.detail.status ?? event.detail.reason]));
        const sheet = new CSSStyleSheet();
        sheet.replaceSync("#manual::part(toolbar) { background: rgb(1, 2, 3) } #manual::part(node) { opacity: 0.5 } #manual::part(edge) { stroke: rgb(4, 5, 6) }");
        document.adoptedStyleSheets = [sheet];
      `,
      files: { "machine.json": WAITS, "mocks.json": { Charge: { output: { paid: true } } }, "input.json": { total: 42 } },
    },
    async (page) => {
      const of = (id) => page.locator(`#${id}`);
      const told = (id, type) =>
        page.evaluate(
          ([wanted, kind]) => window.told.filter(([from, what]) => from === wanted && what === kind).map(([, , detail]) => detail),
          [id, type],
        );

      // The attributes at, height, input and mocks, as addresses.
      await of("at").getByRole("slider", { name: "Event shown" }).and(page.locator('[aria-valuetext^="Event 3 of 9"]')).waitFor();
      await eventually(async () => (await of("at").boundingBox()).height, 300);
      await eventually(async () => (await told("at", "asl-event")).slice(0, 2), ["ExecutionStarted", "WaitStateEntered"]);
      await eventually(() => told("at", "asl-complete"), ["SUCCEEDED"]);
      await of("at").evaluate((one) => one.setAttribute("at", "5"));
      await of("at").getByRole("slider").and(page.locator('[aria-valuetext^="Event 5 of 9"]')).waitFor();
      await eventually(() => of("at").evaluate((one) => one.shadowRoot.querySelector("[lang]").lang), "en");

      // The attributes autoplay and controls.
      await of("auto").scrollIntoViewIfNeeded();
      await of("auto").locator(".status-line", { hasText: "Succeeded" }).waitFor();
      await eventually(
        () =>
          of("auto")
            .getByRole("button")
            .filter({ visible: true })
            .evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")).filter((name) => !name.includes(","))),
        ["Run again", "Restart"],
      );

      // The attributes speed, theme and playground, and ::part.
      await of("manual").scrollIntoViewIfNeeded();
      await of("manual").getByRole("button", { name: "Run", exact: true }).click();
      await of("manual").getByRole("button", { name: "Next timer" }).click();
      await of("manual").locator(".status-line", { hasText: "Succeeded" }).waitFor();
      const looks = () =>
        of("manual").evaluate((one) => {
          const style = (part, name) => getComputedStyle(one.shadowRoot.querySelector(`[part~="${part}"]`))[name];
          return [style("toolbar", "backgroundColor"), style("node", "opacity"), style("edge", "stroke")];
        });
      await eventually(looks, ["rgb(1, 2, 3)", "0.5", "rgb(4, 5, 6)"]);
      await of("manual").getByRole("button", { name: "Open in playground" }).click();
      await page.waitForFunction(() => window.opened.length > 0);
      await eventually(() => page.evaluate(() => window.opened[0]), /^https:\/\/example\.org\/play\/#v1\./);

      // The attributes readonly, worker-src and wasm-src: another address starts another worker.
      await of("placed").scrollIntoViewIfNeeded();
      await of("placed").getByRole("button", { name: /^Nap/ }).waitFor();
      await eventually(() => of("placed").getByRole("button", { name: "Run", exact: true }).count(), 0);

      // The members definition, step, fork, restart and pause.
      await of("set").evaluate(
        (one) => void (one.definition = { StartAt: "A", States: { A: { Type: "Pass", Next: "B" }, B: { Type: "Succeed" } } }),
      );
      await of("set").getByText('"Succeed"').waitFor();
      await page.waitForFunction(() => !document.querySelector("#set").shadowRoot.querySelector('[aria-label="Run"].tool').hidden);
      const end = await of("set").evaluate(async (one) => {
        await one.step();
        await one.step();
        await one.run();
        await one.goto(2);
        await one.fork();
        await one.step("over");
        await one.pause();
        await one.restart();
        await one.run();
        return one.definition;
      });
      assert.match(end, /"StartAt": "A"/);
      await of("set").locator(".status-line", { hasText: "Succeeded" }).waitFor();
      await until(async () => assert.ok((await told("set", "asl-paused")).length >= 2));
    },
  );

  const PASS = JSON.stringify({ StartAt: "P", States: { P: { Type: "Pass", End: true } } });
  const huge = JSON.stringify({ text: "x".repeat(300_000) });
  const refused = `<stepglass-debugger id="large" definition='${PASS}' input='${huge}'></stepglass-debugger><stepglass-debugger id="deep" definition='${PASS}' input='${"[".repeat(129)}${"]".repeat(129)}' autoplay></stepglass-debugger>`;
  visit("says why a run cannot start", { body: refused }, async (page) => {
    await page.locator("#large").getByText("Not started: The input is 293 KiB. AWS takes at most 256 KiB.").waitFor();
    await page.locator("#deep").getByText("Not started: nested deeper than 128 levels").waitFor();
  });

  visit(
    "says what is wrong if there is no machine",
    { body: '<stepglass-debugger definition="{ no"></stepglass-debugger>' },
    async (page) => {
      await page.getByRole("alert").filter({ hasText: "cannot be shown" }).waitFor();
    },
  );

  const ORDER = `{
  "StartAt": "Charge",
  "States": {
    "Charge": { "Type": "Pass", "Next": "Ship" },
    "Ship": { "Type": "Succeed" }
  }
}`;
  const NOTES = "StartAt: Charge\nStates:\n  # takes the money\n  Charge:\n    Type: Pass\n    Next: Ship\n  Ship:\n    Type: Succeed\n";
  const both = `<stepglass-debugger id="json" editable view="graph code" definition='${ORDER}'></stepglass-debugger>
    <stepglass-debugger id="yaml" editable view="graph code" definition="${NOTES}"></stepglass-debugger>`;
  const listening = `
    window.told = [];
    for (const type of ["change", "save"]) document.addEventListener(type, (event) => {
      if (event.detail) window.told.push({ type, id: event.target.id, ...event.detail });
    });
  `;
  const textOf = (page, id) => page.locator(`#${id}`).evaluate((one) => one.definition);
  const state = (page, id, name) => page.locator(`#${id} [data-node$="/States/${name}"]`);
  const said = (page, id) => page.locator(`#${id} .said`);
  const choose = async (page, text) => {
    await page.getByRole("option").first().waitFor();
    await page.keyboard.type(text);
    await page.keyboard.press("Enter");
  };
  const violationsOf = (page) =>
    page.evaluate(async () => {
      const { violations } = await globalThis.axe.run(document, {
        runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
      });
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`);
    });

  test("edits as the page of the documentation shows", async () => {
    const docs = readFileSync(join(root, "docs/debugger.md"), "utf8");
    const [, html] = /## Editing[\s\S]*?```html\n([\s\S]*?)```/.exec(docs);
    const [, script] = /```js\n(\/\/ edit\.js[\s\S]*?)```/.exec(docs);
    writeFileSync(join(tarball.folder, "site/edit.html"), html.replace("<title>", '<link rel="icon" href="data:,"><title>'));
    writeFileSync(join(tarball.folder, "site/edit.js"), script);
    const { page, problems } = await open(chrome, `${site.url}edit.html`);
    await node(page, "Charge").click();
    await page.keyboard.press("a");
    await choose(page, "wait");
    await node(page, "Wait").waitFor();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await eventually(() => page.evaluate(() => localStorage.getItem("order")), /"Next": "Wait"/);
    assert.deepEqual(problems, []);
    await page.close();
  });

  visit("is edited by keyboard, in JSON and in YAML, each with a history of its own", { body: both, script: listening }, async (page) => {
    for (const [id, before] of [
      ["json", ORDER],
      ["yaml", NOTES],
    ]) {
      await page.locator(`#${id}`).scrollIntoViewIfNeeded();
      await state(page, id, "Charge").focus();
      await page.keyboard.press("i");
      await choose(page, "task");
      await said(page, id).getByText("Task added between Charge and Ship.").waitFor();
      await eventually(() => page.locator(`#${id}`).evaluate((one) => one.shadowRoot.activeElement?.dataset.node), "/States/Task");
      await page.keyboard.press("F2");
      await page.keyboard.type("Pay");
      await page.keyboard.press("Enter");
      await state(page, id, "Pay").waitFor();
      await page.keyboard.press("r");
      await choose(page, "wait");
      await page.getByRole("option", { name: "Do it" }).waitFor();
      await page.keyboard.press("Enter");
      await eventually(() => textOf(page, id), /"?Type"?: "?Wait/);
      await page.keyboard.press("g");
      await page.getByRole("option", { name: /^A Parallel/ }).waitFor();
      await page.keyboard.press("Enter");
      await eventually(() => textOf(page, id), /Branches/);
      const wrapped = await textOf(page, id);
      for (let i = 0; i < 4; i++) await page.keyboard.press("ControlOrMeta+z");
      await eventually(() => textOf(page, id), before);
      for (let i = 0; i < 4; i++) await page.keyboard.press("ControlOrMeta+y");
      await eventually(() => textOf(page, id), wrapped);
      for (let i = 0; i < 4; i++) await page.keyboard.press("ControlOrMeta+z");
      await eventually(() => textOf(page, id), before);
    }
    // The edits of each change apply to the text before it.
    const texts = { json: ORDER, yaml: NOTES };
    for (const { id, definition, edits, announce } of await page.evaluate(() => window.told)) {
      const made = [...edits]
        .reverse()
        .reduce((text, { start, end, text: put }) => text.slice(0, start) + put + text.slice(end), texts[id]);
      assert.equal(made, definition, announce);
      texts[id] = definition;
    }
    await eventually(() => page.workers().length, 1);
  });

  visit("is edited by mouse: insert, connect, rename, delete, and the text", { body: both, script: listening }, async (page) => {
    await state(page, "json", "Charge").click();
    await page.locator('#json [data-insert="/States/Charge/Next"]').click();
    await choose(page, "choice");
    await state(page, "json", "Choice").waitFor();
    // Drags from the state's port to another state.
    await state(page, "json", "Choice").click({ button: "right" });
    await page.getByRole("option", { name: /^Rename…/ }).click();
    await page.keyboard.type("Paid?");
    await page.keyboard.press("Enter");
    await eventually(() => textOf(page, "json"), /"Next": "Paid\?"/);
    await page.locator('#json [data-node="/States/Charge"]').click({ button: "right" });
    await page.getByRole("option", { name: /^Add a state that/ }).click();
    await choose(page, "fail");
    await state(page, "json", "Fail").waitFor();
    const centre = async (locator) => {
      const { x, y, width, height } = await locator.boundingBox();
      return [x + width / 2, y + height / 2];
    };
    await page.locator('#json [data-node="/States/Paid?"]').hover();
    const port = page.locator('#json [data-port="/States/Paid?"]');
    await port.waitFor();
    await page.mouse.move(...(await centre(port)));
    await page.mouse.down();
    await page.mouse.move(...(await centre(state(page, "json", "Fail"))), { steps: 4 });
    await page.locator("#json .target.hit").waitFor();
    await page.mouse.up();
    await eventually(() => textOf(page, "json"), /"Next": "Fail"/);
    await page.locator("#json").getByRole("button", { name: "Undo" }).click();
    await said(page, "json").getByText("Undone.").waitFor();

    // Text that is typed changes the machine, and is undone in the same history.
    const area = page.locator("#yaml").getByRole("textbox", { name: "Definition" });
    await area.fill(NOTES.replaceAll("Ship", "Send"));
    await state(page, "yaml", "Send").waitFor();
    await area.fill("StartAt: [");
    await page.locator("#yaml").getByText("The graph shows an earlier text").waitFor();
    await page.locator("#yaml").getByRole("button", { name: "Undo" }).click();
    await state(page, "yaml", "Send").waitFor();
    await area.press("ControlOrMeta+z");
    await eventually(() => textOf(page, "yaml"), NOTES);
  });

  visit("copies between two elements, and reports when it is saved", { body: both, script: listening }, async (page) => {
    await state(page, "json", "Charge").click();
    await page.keyboard.press("ControlOrMeta+c");
    await said(page, "json").getByText("Copied 1 state.").waitFor();
    await state(page, "yaml", "Charge").click();
    await page.keyboard.press("ControlOrMeta+v");
    await state(page, "yaml", "Charge 2").waitFor();
    await eventually(() => textOf(page, "yaml"), /Next: Charge 2\n/);
    const save = page.locator("#yaml").getByRole("button", { name: "Save", exact: true });
    await eventually(() => save.isEnabled(), true);
    await page.evaluate(() => document.addEventListener("save", (event) => event.preventDefault(), { once: true }));
    await save.click();
    assert.deepEqual(
      (await page.evaluate(() => window.told)).filter(({ type }) => type === "save").map(({ id, definition }) => [id, definition]),
      [["yaml", await textOf(page, "yaml")]],
    );
    assert.equal(await page.locator("#yaml").evaluate((one) => one.unsaved), true);
    await state(page, "yaml", "Charge 2").focus();
    await page.keyboard.press("ControlOrMeta+s");
    await said(page, "yaml").getByText("Saved.").waitFor();
    await eventually(() => save.isDisabled(), true);
    assert.equal(await page.locator("#yaml").evaluate((one) => one.unsaved), false);
  });

  visit(
    "builds a machine from nothing without a violation, and is read-only without the attribute",
    {
      body: `<stepglass-debugger id="new" editable view="graph code" theme="dark"></stepglass-debugger>
      <stepglass-debugger id="shown" definition='${ORDER}'></stepglass-debugger>`,
    },
    async (page) => {
      const session = await page.context().newCDPSession(page);
      await session.send("Runtime.evaluate", { expression: axe });
      await page.getByRole("button", { name: "Add the first state" }).click();
      await page.getByRole("option").first().waitFor();
      await eventually(() => violationsOf(page), []);
      await choose(page, "pass");
      await state(page, "new", "Pass").waitFor();
      await page.keyboard.press("Shift+F10");
      await page.getByRole("option", { name: /^Delete/ }).waitFor();
      await eventually(() => violationsOf(page), []);
      await page.keyboard.type("delete");
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: "Add the first state" }).waitFor();
      await state(page, "shown", "Charge").focus();
      for (const key of ["Delete", "a", "F2"]) await page.keyboard.press(key);
      assert.equal(await page.getByRole("option").count(), 0);
      assert.equal(await textOf(page, "shown"), ORDER);
      await page.locator("#shown").evaluate((one) => (one.editable = true));
      await page.locator("#shown").getByRole("toolbar", { name: "Edit" }).waitFor();
      await state(page, "shown", "Charge").focus();
      await page.keyboard.press("Delete");
      await eventually(() => textOf(page, "shown"), /"StartAt": "Ship"/);
      await page.locator("#shown").evaluate((one) => (one.editable = false));
      await eventually(() => page.locator("#shown").getByRole("toolbar", { name: "Edit" }).count(), 0);
    },
  );

  const FLOW = JSON.stringify({
    StartAt: "Take",
    States: {
      Take: { Type: "Pass", Next: "Charge" },
      Charge: { Type: "Pass", Next: "Pack" },
      Pack: { Type: "Pass", Next: "Both" },
      Both: {
        Type: "Parallel",
        Branches: ["Ring", "Write"].map((name) => ({ StartAt: name, States: { [name]: { Type: "Pass", End: true } } })),
        Next: "Which?",
      },
      "Which?": {
        Type: "Choice",
        Choices: [
          { Variable: "$.a", IsPresent: true, Next: "Good" },
          { Variable: "$.b", IsPresent: true, Next: "Bad" },
        ],
        Default: "Good",
      },
      Good: { Type: "Succeed" },
      Bad: { Type: "Fail" },
    },
  });
  const flow = `<stepglass-debugger id="json" editable view="graph code" definition='${FLOW}'></stepglass-debugger>`;
  const selected = (page) => page.locator("#json .edit-layer > .target").count();
  const menu = async (page, title) => {
    await page.keyboard.press("Shift+F10");
    await choose(page, title);
  };

  visit(
    "offers patterns that run at once, and finds service calls, whose table is loaded on demand",
    { body: `<stepglass-debugger id="new" editable view="graph code"></stepglass-debugger>`, script: listening },
    async (page) => {
      const asked = [];
      page.on("request", (request) => asked.push(request.url()));
      const session = await page.context().newCDPSession(page);
      await session.send("Runtime.evaluate", { expression: axe });
      await page.getByRole("button", { name: "Add the first state" }).click();
      await page.getByRole("option", { name: /^Retry with back-off/ }).waitFor();
      await eventually(() => violationsOf(page), []);
      assert.ok(!asked.some((url) => url.endsWith("integrations.js")));
      await choose(page, "retry with");
      // The text is beside the graph: Tab goes from one placeholder to the next.
      const area = page.getByRole("textbox", { name: "Definition" });
      const chosen = () => area.evaluate((one) => one.value.slice(one.selectionStart, one.selectionEnd));
      await eventually(chosen, /^\$\{[^}]+\}$/);
      await page.keyboard.press("Escape");
      const [first] = JSON.parse(await textOf(page, "new")).StartAt.split("\n");
      await page.getByRole("button", { name: "Run", exact: true }).click();
      await page.locator(".status-line", { hasText: "Succeeded" }).waitFor();

      await state(page, "new", first).focus();
      await page.keyboard.press("i");
      await page.getByRole("option").first().waitFor();
      await page.keyboard.type("sqs send");
      const found = page.getByRole("option", { name: /^SQS: sendMessage sqs:sendMessage$/ });
      await found.waitFor();
      await eventually(() => violationsOf(page), []);
      assert.ok(asked.some((url) => url.endsWith("integrations.js")));
      await found.click();
      await state(page, "new", "Send message").waitFor();
      await eventually(() => textOf(page, "new"), /"Resource": "arn:aws:states:::sqs:sendMessage"/);
      await eventually(() => textOf(page, "new"), /"QueueUrl"/);
      // A search without a result says so.
      await page.keyboard.press("a");
      await page.getByRole("option").first().waitFor();
      await page.keyboard.type("nothing like it");
      await page.getByText("Nothing matches “nothing like it”.").waitFor();
      await page.keyboard.press("Escape");
    },
  );

  visit(
    "selects several states by mouse and keyboard, extracts them as a machine, and inlines it again",
    { body: flow, script: listening },
    async (page) => {
      const session = await page.context().newCDPSession(page);
      await session.send("Runtime.evaluate", { expression: axe });
      const box = async (name) => state(page, "json", name).locator(".box").first().boundingBox();
      await state(page, "json", "Charge").waitFor();
      const [from, to] = [await box("Charge"), await box("Pack")];
      await page.keyboard.down("Shift");
      await page.mouse.move(from.x - 20, from.y - 8);
      await page.mouse.down();
      await page.mouse.move(to.x + to.width + 12, to.y + to.height + 8, { steps: 5 });
      await page.locator("#json .lasso").waitFor();
      await page.mouse.up();
      await page.keyboard.up("Shift");
      await said(page, "json").getByText("2 states selected.").waitFor();
      await eventually(() => selected(page), 2);
      await state(page, "json", "Pack").focus();
      await menu(page, "make it a machine");
      await eventually(() => page.evaluate(() => window.told.length), 1);
      const [{ machine, definition, announce }] = await page.evaluate(() => window.told);
      assert.deepEqual(Object.keys(JSON.parse(machine.definition).States), ["Charge", "Pack"], announce);
      assert.match(definition, new RegExp(`stateMachine:${machine.name}"`));
      assert.deepEqual(await page.locator("#json").evaluate((one) => one.machines), { [machine.name]: machine.definition });
      const [task] = Object.entries(JSON.parse(definition).States).find(([, { Type }]) => Type === "Task");
      await state(page, "json", task).focus();
      await menu(page, "replace it by");
      await state(page, "json", "Charge").waitFor();
      await eventually(async () => Object.keys(JSON.parse(await textOf(page, "json")).States).includes("Pack"), true);

      // By keyboard: states beside it, the states that follow, one by one, and none.
      await state(page, "json", "Take").focus();
      await page.keyboard.press("ControlOrMeta+a");
      await eventually(() => selected(page), 7);
      await page.keyboard.press("Escape");
      await eventually(() => selected(page), 0);
      await state(page, "json", "Both").focus();
      await page.keyboard.press("Alt+s");
      await page.getByRole("option", { name: /^Downstream/ }).waitFor();
      await eventually(() => violationsOf(page), []);
      await page.keyboard.press("d");
      await said(page, "json").getByText("4 states selected.").waitFor();
      await page.keyboard.press("Escape");
      // By clicks, without Shift.
      await state(page, "json", "Good").focus();
      await menu(page, "select several");
      await state(page, "json", "Bad").click();
      await said(page, "json").getByText("2 states selected.").waitFor();
    },
  );

  visit("reorders rules and branches, by keyboard and by buttons", { body: flow, script: listening }, async (page) => {
    const session = await page.context().newCDPSession(page);
    await session.send("Runtime.evaluate", { expression: axe });
    const read = async () => JSON.parse(await textOf(page, "json")).States;
    const rules = async () => (await read())["Which?"].Choices.map(({ Variable }) => Variable);
    await state(page, "json", "Which?").focus();
    await page.keyboard.press("o");
    await page.getByRole("option", { name: /^Rule 1/ }).waitFor();
    await eventually(() => violationsOf(page), []);
    await page.keyboard.press("Alt+ArrowDown");
    await eventually(rules, ["$.b", "$.a"]);
    await page.getByRole("button", { name: "Move up" }).click();
    await eventually(rules, ["$.a", "$.b"]);
    await page.keyboard.press("Escape");
    await eventually(() => page.getByRole("option").count(), 0);
    const branches = async () => (await read()).Both.Branches.map(({ StartAt }) => StartAt);
    await state(page, "json", "Ring").focus();
    await page.keyboard.press("Alt+ArrowRight");
    await eventually(branches, ["Write", "Ring"]);
    await state(page, "json", "Write").focus();
    await menu(page, "remove the branch");
    await eventually(branches, ["Ring"]);
    await page.keyboard.press("ControlOrMeta+z");
    await eventually(branches, ["Write", "Ring"]);
  });

  const assigns = `<stepglass-debugger id="json" editable view="graph code" definition='{"QueryLanguage": "JSONata", "StartAt": "Charge", "States": {"Charge": {"Type": "Pass", "Assign": {"total": 1}, "Next": "Ship"}, "Ship": {"Type": "Pass", "Output": "{% $total %}", "End": true}}}'></stepglass-debugger>`;
  visit("renames a variable, refuses a name that is taken, and removes a transition by its menu", { body: assigns }, async (page) => {
    await state(page, "json", "Charge").press("F2");
    await page.getByRole("textbox", { name: "Name of Charge" }).fill("Ship");
    await page.getByText("There is a state of this name.").waitFor();
    await page.keyboard.press("Escape");
    await menu(page, "rename a variable");
    await page.getByRole("combobox", { name: "New name of $total" }).fill("sum");
    await page.keyboard.press("Enter");
    await eventually(() => textOf(page, "json"), /"sum": 1[^]*\$sum/);
    await page.locator('#json [data-insert="/States/Charge/Next"]').click({ button: "right" });
    await page.getByRole("option", { name: "Remove the transition" }).click();
    await eventually(async () => (await textOf(page, "json")).includes('"Next"'), false);
  });

  visit(
    "replaces tasks by machines of the page, and says so if there is none",
    {
      body: `<stepglass-debugger id="json" editable machines='{"Pay": {"StartAt": "Charge", "States": {"Charge": {"Type": "Pass", "End": true}}}}' definition='${JSON.stringify(
        {
          StartAt: "Run",
          States: {
            Run: {
              Type: "Task",
              Resource: "arn:aws:states:::states:startExecution.sync:2",
              Parameters: { StateMachineArn: "arn:aws:states:us-east-1:123456789012:stateMachine:Pay", "Input.$": "$" },
              Next: "Other",
            },
            Other: {
              Type: "Task",
              Resource: "arn:aws:states:::states:startExecution.sync:2",
              Parameters: { StateMachineArn: "arn:aws:states:us-east-1:123456789012:stateMachine:Nobody", "Input.$": "$" },
              End: true,
            },
          },
        },
      )}'></stepglass-debugger>`,
    },
    async (page) => {
      await state(page, "json", "Other").focus();
      await menu(page, "replace it by");
      await said(page, "json").getByText('This page does not have the machine that "Other" starts.').waitFor();
      await state(page, "json", "Run").focus();
      await menu(page, "replace it by");
      await state(page, "json", "Charge").waitFor();
    },
  );

  test("is edited by touch", async () => {
    const folder = join(tarball.folder, "site/touched");
    mkdirSync(folder);
    const html = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Touched</title><link rel="icon" href="data:,"><script type="module" src="../node_modules/stepglass/dist/debugger.js"></script><body><h1>Touched</h1><stepglass-debugger id="json" editable definition='${ORDER}'></stepglass-debugger>`;
    writeFileSync(join(folder, "index.html"), html);
    const phone = await chrome.newContext({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 800 } });
    const { page, problems } = await open(phone, `${site.url}touched/`);
    await page.locator('#json [data-insert="/States/Charge/Next"]').tap();
    await page.getByRole("option", { name: /^Wait/ }).tap();
    await state(page, "json", "Wait").waitFor();
    await state(page, "json", "Wait").tap();
    await page.getByRole("button", { name: "More of the state" }).tap();
    await page.getByRole("option", { name: /^Delete/ }).tap();
    await eventually(() => textOf(page, "json"), ORDER);
    assert.deepEqual(problems, []);
    await phone.close();
  });
});
