// Names, payloads, errors and keys that contain markup or code are shown as text and have no effect.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { renderSvg } from "stepglass";
import { skip } from "../browser.mjs";
import { runTest } from "./exported.mjs";
import { eventually, openFromMenu, until, visits } from "./playground.mjs";

const ELSEWHERE = "//evil.invalid/x";
const CALL = "pwned()";

/** At least a hundred payloads, each of which attacks another weakness. */
const payloads = [
  ...[
    "script",
    "SCRIPT",
    "scr\u0000ipt",
    "svg/onload",
    "style",
    "iframe",
    "object",
    "embed",
    "base",
    "link",
    "meta",
    "math",
    "template",
    "noscript",
    "title",
    "textarea",
    "xmp",
    "plaintext",
    "frameset",
    "form",
  ].flatMap((tag) => [`<${tag}>${CALL}</${tag.split("/")[0]}>`, `</${tag.split("/")[0]}><b>${CALL}`]),
  ...["onerror", "onload", "onclick", "onfocus", "ontoggle", "onbegin", "onanimationstart", "onpointerenter"].flatMap((handler) => [
    `<img src=x ${handler}=${CALL}>`,
    `" ${handler}="${CALL}" x="`,
    `' ${handler}='${CALL}' x='`,
  ]),
  ...["script", "image", "img", "iframe"].map((tag) => `<${tag} src=${ELSEWHERE}></${tag}>`),
  `<link rel=stylesheet href=${ELSEWHERE}>`,
  `<style>@import "${ELSEWHERE}";</style>`,
  `url(${ELSEWHERE})`,
  `@import '${ELSEWHERE}'`,
  `<svg><image href=${ELSEWHERE} /></svg>`,
  `<svg><use href="data:x#y"/></svg>`,
  `<svg><animate onbegin=${CALL} attributeName=x>`,
  `<svg><foreignObject><body onload=${CALL}>`,
  `<a href="javascript:${CALL}">x</a>`,
  `javascript:${CALL}`,
  `JaVaScRiPt:${CALL}`,
  `data:text/html,<script>${CALL}`,
  `vbscript:${CALL}`,
  `<a xlink:href="javascript:${CALL}">`,
  `<form action=javascript:${CALL}><button>`,
  `<input autofocus onfocus=${CALL}>`,
  `<details open ontoggle=${CALL}>`,
  `<video><source onerror=${CALL}></video>`,
  `<body onload=${CALL}>`,
  `<marquee onstart=${CALL}>`,
  `<isindex type=image src=1 onerror=${CALL}>`,
  `<!--<img src="--><img src=x onerror=${CALL}>`,
  `<![CDATA[<script>${CALL}</script>]]>`,
  `]]><script>${CALL}</script>`,
  `<?xml-stylesheet href="javascript:${CALL}"?>`,
  `<!DOCTYPE x [<!ENTITY y "z">]>`,
  "&lt;script&gt;",
  "&#x3c;script&#x3e;",
  "&amp;&quot;&apos;",
  "&nbsp;",
  "${" + CALL + "}",
  "{{" + CALL + "}}",
  "<%= " + CALL + " %>",
  "`${" + CALL + "}`",
  "{% $eval('1') %}",
  "$(" + CALL + ")",
  "'; " + CALL + "; '",
  '"); ' + CALL + '; ("',
  "*/" + CALL + "/*",
  "//" + CALL,
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "__defineGetter__",
  "then",
  "length",
  "innerHTML",
  "dangerouslySetInnerHTML",
  "nodeName",
  "ref",
  "key",
  "children",
  "class",
  "style",
  "\u202Egnp.exe",
  "\u2066x\u2069",
  "\u200B\u200D\uFEFF",
  "\u0000\u0001\u001F",
  "a\u0301\u0301\u0301\u0301",
  "\uD800",
  "\u{1F469}\u200D\u{1F680}",
  "\u2028\u2029",
  "\t\r\n",
  "Ω≈ç√",
  "ﷺ",
  "‮‮‮",
  "../../../etc/passwd",
  "C:\\con",
  "..%2f..",
  "%00",
  "%3Cscript%3E",
  "\\u003cscript\\u003e",
  "\\x3cscript\\x3e",
  "+ADw-script+AD4-",
  "=1+1",
  "@SUM(1)",
  "-1e999",
  "NaN",
  "null",
  "undefined",
  "true",
  "[object Object]",
  "/States/A",
  "~0~1",
  "#",
  "?",
  "*",
  "|",
  "🜁".repeat(20),
  "x".repeat(80),
];

describe("hostile texts", { skip }, () => {
  const { site } = visits();

  const hash = (workspace) => `#v1.${deflateRawSync(Buffer.from(JSON.stringify(workspace))).toString("base64url")}`;
  const lambda = "arn:aws:lambda:us-east-1:123456789012:function:F";

  test("are at least a hundred, all different", () => {
    assert.ok(new Set(payloads).size >= 100, `${new Set(payloads).size}`);
    assert.equal(new Set(payloads).size, payloads.length);
  });

  /** A machine in which every text is one of these. */
  function machine(texts) {
    const names = texts.map((text, i) => `${i} ${text.replaceAll("\uD800", "?")}`.slice(0, 80));
    const States = {};
    names.forEach((name, i) => {
      const text = texts[i];
      const next = names[i + 1] ?? "Call";
      States[name] =
        i % 3 === 0
          ? {
              Type: "Choice",
              Comment: text,
              Choices: [
                { Variable: "$.never", IsPresent: true, Next: next },
                { Variable: "$.text", StringEquals: text, Next: next },
              ],
              Default: next,
            }
          : { Type: "Pass", Comment: text, Result: { [text]: text, list: [text] }, ResultPath: "$.result", Next: next };
    });
    States.Call = {
      Type: "Task",
      Resource: lambda,
      Retry: [{ ErrorEquals: [texts[0]], MaxAttempts: 1 }],
      Catch: [{ ErrorEquals: ["States.TaskFailed"], ResultPath: "$.caught", Next: "End" }],
      Next: "End",
    };
    States.End = { Type: "Fail", Error: texts.at(-1), Cause: texts.join(" ") };
    return { names, definition: { Comment: texts.join(" ").slice(0, 500), StartAt: names[0], States } };
  }

  const groups = Array.from({ length: Math.ceil(payloads.length / 54) }, (_, i) => payloads.slice(i * 54, i * 54 + 54));
  groups.forEach((texts, g) =>
    test(`are shown as text: ${g * 54 + 1} to ${g * 54 + texts.length}`, async () => {
      const { names, definition } = machine(texts);
      const input = Object.fromEntries(texts.map((text) => [text, text]));
      const tasks = `export default { F: () => { console.log(...${JSON.stringify(texts)}); throw Object.assign(new Error(${JSON.stringify(texts.join(" "))}), { name: ${JSON.stringify(texts[1])} }); } };`;
      const visitor = await site.visit({
        hash: hash({ t: texts[0], f: "json", d: JSON.stringify(definition, null, 1), i: JSON.stringify({ ...input, text: "" }), k: tasks }),
        before: (page) => page.addInitScript(() => (globalThis.pwned = () => (globalThis.wasPwned = true))),
      });
      const { page } = visitor;
      await visitor.ready();
      await visitor.run();
      await page.getByRole("button", { name: "Run it" }).click();
      const result = await visitor.result();
      await eventually(() => result.innerText(), /FAILED/);
      await visitor.tab("Console");
      await until(async () =>
        assert.ok((await page.locator(".console").innerText()).includes(texts.find((text) => /^[ -~]+$/.test(text)) ?? "")),
      );
      await visitor.tab("Events");
      await page.getByRole("listbox").waitFor();
      // Selects every state, so that the inspector shows each of them.
      const labels = await page.evaluate(async () => {
        const found = [];
        for (const node of document.querySelectorAll("[data-node]")) {
          node.dispatchEvent(new MouseEvent("click", { bubbles: true }));
          found.push(node.getAttribute("aria-label"));
          await new Promise((resolve) => setTimeout(resolve, 16));
        }
        return found;
      });
      for (const [i, name] of names.entries()) {
        const word = name.replace(/[\s\u0000-\u001f]+/g, " ");
        if (i < 3)
          assert.ok(
            labels.some((label) => label.replace(/[\s\u0000-\u001f]+/g, " ").includes(word)),
            `${JSON.stringify(name)} is the name of a state`,
          );
      }
      for (const dialog of ["Share", "Export"]) {
        await page.getByRole("button", { name: dialog, exact: true }).click();
        await page.getByRole("dialog").waitFor();
        await page.keyboard.press("Escape");
      }
      const state = await page.evaluate(() => ({
        pwned: globalThis.wasPwned === true,
        polluted: {}.polluted !== undefined || Object.keys(Object.prototype).length > 0,
        strange: [...document.querySelectorAll("script, iframe, object, embed, base, img, video, marquee, form, foreignObject, use, image")]
          .filter(
            (element) =>
              !element.closest(".dialog, .answer") &&
              !(element.localName === "script" && element.src.startsWith(location.origin)) &&
              !(element.localName === "iframe" && element.src === `${location.origin}/sandbox.html`),
          )
          .map((element) => element.outerHTML.slice(0, 200)),
        handlers: [...document.querySelectorAll("*")].filter((element) => [...element.attributes].some(({ name }) => /^on/i.test(name)))
          .length,
      }));
      assert.deepEqual(state, { pwned: false, polluted: false, strange: [], handlers: 0 });
      // One of the texts in the input has a lone surrogate, which JSON cannot express: the console says so, and nothing else.
      const loss = visitor.problems.findIndex((problem) => problem.includes("a lone surrogate becomes U+FFFD"));
      if (loss >= 0) visitor.problems.splice(loss, 1);
      await visitor.leave();

      // Opens the drawing as a document of its own.
      const svg = renderSvg(JSON.stringify(definition));
      const drawing = await site.visit({
        hash: "drawing.svg",
        before: async (other) => {
          await other.addInitScript(() => (globalThis.pwned = () => (globalThis.wasPwned = true)));
          await other.route("**/drawing.svg", (route) => route.fulfill({ contentType: "image/svg+xml", body: svg }));
        },
      });
      await eventually(() => drawing.page.evaluate(() => document.documentElement.localName), "svg", "it is well-formed");
      await eventually(
        () =>
          drawing.page.evaluate(() => globalThis.wasPwned === true || document.querySelector("script, foreignObject, image, a") !== null),
        false,
      );
      await drawing.leave();
    }),
  );

  /** Nothing on the page has become what a payload tries to create. */
  const harmless = async (page, where) => {
    const found = await page.evaluate(() => ({
      pwned: globalThis.wasPwned === true,
      polluted: {}.polluted !== undefined || Object.keys(Object.prototype).length > 0,
      strange: [
        ...document.querySelectorAll(
          "script, iframe, object, embed, base, img, video, marquee, foreignObject:not(.selector), use, image, math, xmp, plaintext, frameset",
        ),
      ]
        .filter(
          (element) =>
            !(element.localName === "script" && element.src.startsWith(location.origin)) &&
            !(element.localName === "iframe" && element.src === `${location.origin}/sandbox.html`),
        )
        .map((element) => element.outerHTML.slice(0, 200)),
      // Only addresses of the page itself, and of objects that it created.
      links: [...document.querySelectorAll("[href], [src], [action], [formaction]")]
        .map((element) => ["href", "src", "action", "formaction"].map((name) => element.getAttribute(name) ?? "").join(""))
        .filter(
          (address) =>
            !/^(#|blob:|\.\/|sandbox\.html|assets\/|data:image\/svg)/.test(address) &&
            new URL(address, location.href).origin !== location.origin,
        ),
      handlers: [...document.querySelectorAll("*")].filter((element) => [...element.attributes].some(({ name }) => /^on/i.test(name)))
        .length,
    }));
    assert.deepEqual(found, { pwned: false, polluted: false, strange: [], links: [], handlers: 0 }, where);
  };
  const armed = (page) => page.addInitScript(() => (globalThis.pwned = () => (globalThis.wasPwned = true)));

  test("are shown as text in every field of a link", async () => {
    const visitor = await site.visit({ before: armed });
    const { page } = visitor;
    await visitor.ready();
    await visitor.tab("Config");
    const definition = JSON.stringify({ StartAt: "A", States: { A: { Type: "Task", Resource: lambda, End: true } } });
    for (const text of payloads) {
      const kept = text.replace("\uD800", "?");
      const workspace = {
        t: kept,
        d: definition,
        i: JSON.stringify(kept),
        n: [[kept, JSON.stringify(kept)]],
        p: kept,
        q: { [kept]: 1 },
        o: { name: kept, arn: kept },
        m: { [kept]: { mode: "error", error: kept, cause: kept }, A: { mode: "expression", expression: kept } },
        x: [[kept, kept]],
        b: [
          { kind: "entry", state: kept, condition: kept, log: kept, hit: kept },
          { kind: "transition", from: kept, to: kept },
        ],
      };
      await page.evaluate((to) => (location.hash = to), hash(workspace));
      await page.locator(".toast", { hasText: "Opened" }).waitFor();
      await page.waitForFunction(() => location.hash === "");
    }
    for (const tab of ["Config", "Mocks", "Input", "Tasks", "Definition", "Breakpoints"]) {
      await visitor.tab(tab);
      await harmless(page, tab);
    }
    await visitor.leave();
  });

  test("are shown as text in every pane, and in every file that is made from a run", async () => {
    const usable = payloads.filter((text) => text !== "\uD800" && !/[\u0000-\u001f\u007f]/.test(text) && text.length <= 80);
    assert.ok(usable.length >= 100);
    // Names are written literally, because `__proto__` is one of them.
    const members = (entries) => `{${entries.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(",")}}`;
    const states = usable.map((text, i) => {
      const Next = usable[i + 1] ?? "Each item";
      const task = {
        Type: "Task",
        Resource: lambda,
        Parameters: { text },
        ResultPath: "$.last",
        Catch: [[text], ["States.ALL"]].map((ErrorEquals) => ({ ErrorEquals, ResultPath: "$.last", Next })),
        Next,
      };
      const choice = { Type: "Choice", Choices: [{ Variable: "$.last", StringEquals: text, Next }], Default: Next };
      return [text, JSON.stringify([task, { Type: "Pass", Result: { [text]: text }, ResultPath: "$.last", Next }, choice][i % 3])];
    });
    const each = {
      Type: "Map",
      ItemsPath: "$.items",
      ItemProcessor: {
        StartAt: "In <b>",
        States: { "In <b>": { Type: "Task", Resource: lambda, Parameters: { "text.$": "$" }, End: true } },
      },
      End: true,
    };
    const definition = `{"StartAt":${JSON.stringify(usable[0])},"States":${members([...states, ["Each item", JSON.stringify(each)]])}}`;
    const tasks =
      "export default { F: ({ text }) => { if (text.length % 2) throw Object.assign(new Error(text), { name: text }); return text; } };";
    const visitor = await site.visit({
      before: armed,
      hash: hash({
        t: `*/ ${CALL}; /*\n${CALL} // "';\n\u2028${CALL}`,
        d: definition,
        i: JSON.stringify({ items: usable.filter((text) => text.length % 2 === 0).slice(0, 30) }),
        k: tasks,
      }),
    });
    const { page } = visitor;
    await visitor.ready();
    await visitor.run();
    await page.getByRole("button", { name: "Run it" }).click();
    await eventually(() => visitor.result().then((result) => result.innerText()), /SUCCEEDED/);
    const steps = {
      "the strip of iterations": () => page.getByRole("slider", { name: /Each item/ }).press("ArrowRight"),
      "the table": async () => {
        await page.getByRole("button", { name: "Table", exact: true }).click();
        await page.locator(".state-table").waitFor();
      },
      "the graph again": () => page.getByRole("button", { name: "Graph", exact: true }).click(),
      "the time line": () => visitor.tab("Timeline"),
      watching: async () => {
        await visitor.tab("Watch");
        for (const text of usable.slice(0, 12)) {
          await page.getByLabel("Expression to watch").fill(text);
          await page.keyboard.press("Enter");
        }
      },
      "the menu of a state": async () => {
        await page.locator("[data-node]").nth(3).focus();
        await page.keyboard.press("Shift+F10");
        await page.getByRole("menu").waitFor();
        await harmless(page, "a menu");
        await page.keyboard.press("Escape");
      },
      "going to a state": async () => {
        await page.keyboard.press("Control+Shift+O");
        await page.getByRole("dialog", { name: "Go to a state" }).waitFor();
        await harmless(page, "the list of states");
        await page.keyboard.press("Escape");
      },
      commands: async () => {
        await page.keyboard.press("F1");
        await page.getByRole("combobox", { name: "Command or state" }).fill("script");
        await harmless(page, "the palette");
        await page.keyboard.press("Escape");
      },
      sharing: async () => {
        await page.getByRole("button", { name: "Share" }).click();
        await page.getByRole("dialog", { name: "Share" }).waitFor();
        await harmless(page, "the dialog");
        await page.keyboard.press("Escape");
      },
      "two runs compared": async () => {
        await visitor.tab("Tasks");
        await visitor.write("Task handlers, JavaScript", tasks.replace("return text", "return text + text"));
        await visitor.run();
        await eventually(async () => (await visitor.result()).innerText(), /SUCCEEDED/);
        await visitor.tab("Runs");
        await page
          .getByRole("button", { name: /Compare/ })
          .first()
          .click();
        await page.getByRole("listbox", { name: "Visits of both runs" }).waitFor();
        await page.locator(".compare-data").waitFor();
        await harmless(page, "the comparison");
        await page.keyboard.press("Escape");
      },
      coverage: async () => {
        await visitor.tab("Coverage");
        await page.getByRole("button", { name: "Show on the graph" }).click();
        for (const format of ["Save JSON", "Save LCOV"]) {
          const { bytes } = await visitor.download(page.getByRole("button", { name: format }));
          if (format === "Save JSON") JSON.parse(bytes);
          else
            for (const line of bytes.toString().trim().split("\n"))
              assert.match(line, /^(TN:|SF:|DA:\d|LF:\d|LH:\d|FN:\d|FNDA:\d|FNF:\d|FNH:\d|BRDA:\d|BRF:\d|BRH:\d|end_of_record)/);
        }
      },
    };
    for (const [where, step] of Object.entries(steps)) {
      await step();
      await harmless(page, where);
    }
    // A name cannot break out of the strings and comments of the exported test.
    await page.getByRole("button", { name: "Export", exact: true }).click();
    for (const runner of ["node:test", "vitest"]) {
      await page.getByLabel("Test for").selectOption(runner);
      const { name, bytes } = await visitor.download(page.getByRole("button", { name: "Test file" }));
      assert.match(name, /^[\p{L}\p{N}-]+\.test\.mjs$/u);
      if (runner === "vitest") continue;
      const printed = runTest(`globalThis.pwned = () => { console.log("was", "pwned"); process.exit(0); };\n${bytes}`);
      assert.match(printed, /pass 1\b/);
      assert.doesNotMatch(printed, /was pwned/);
    }
    for (const file of ["MockConfigFile.json", "History, as AWS has it", "JSON"])
      JSON.parse((await visitor.download(page.getByRole("button", { name: file, exact: true }))).bytes);
    const { bytes: session } = await visitor.download(page.getByRole("button", { name: "Session file" }));
    await page.keyboard.press("Escape");
    await visitor.example("Hello");
    await visitor.importText(session.toString());
    await page.getByRole("dialog", { name: "Run this link's code?" }).getByRole("button", { name: "Run it" }).click();
    await visitor.tab("Runs");
    await page
      .getByRole("tree", { name: "Runs" })
      .getByText(/^Run 2$/)
      .waitFor();
    await harmless(page, "a session file");
    await visitor.leave();
  });

  test("are refused or shown as text in files of every kind", async () => {
    const visitor = await site.visit({
      before: (page) => page.addInitScript(() => (globalThis.pwned = () => (globalThis.wasPwned = true))),
    });
    await visitor.ready();
    const { page } = visitor;
    const evil = `<img src=x onerror=${CALL}>`;
    const files = [
      {
        Resources: {
          [evil]: {
            Type: "AWS::StepFunctions::StateMachine",
            Properties: { DefinitionString: `{"StartAt":"${evil.replaceAll('"', "")}","States":{}}` },
          },
          __proto__: { Type: "AWS::Serverless::StateMachine", Properties: { DefinitionUri: evil } },
        },
      },
      { events: [{ id: 1, type: evil, timestamp: 1 }] },
      {
        kind: "stepglass/session/1",
        t: evil,
        d: `{"StartAt": "A", "States": {"A": {"Type": "Succeed", "Comment": "${evil}"}}}`,
        n: [[evil, evil]],
        b: [{ kind: "entry", state: evil, __proto__: { x: 1 } }],
        p: evil,
      },
      { definition: evil, name: evil },
      `Resources:\n  ${JSON.stringify(evil)}: { Type: "AWS::StepFunctions::StateMachine", Properties: { DefinitionString: !Sub "\${${evil}}" } }`,
      `a: &a [*a, *a]`,
      `{"__proto__": {"polluted": true}, "StartAt": "A", "States": {"A": {"Type": "Succeed"}}}`,
    ];
    for (const file of files) {
      await openFromMenu(page, "Import");
      await page.getByLabel("Text", { exact: true }).fill(typeof file === "string" ? file : JSON.stringify(file));
      await page.getByRole("button", { name: "Open the text" }).click();
      // The file opens, which closes the dialog; or it is refused with a reason; or another dialog asks for more.
      const { dialog, reason } = await until(async () => {
        const shown = page.getByRole("dialog");
        const dialog = (await shown.count()) > 0 ? await shown.getByRole("heading").first().innerText({ timeout: 1_000 }) : "";
        const reason = dialog === "Import" ? await shown.getByRole("alert").innerText({ timeout: 1_000 }) : "";
        assert.ok(dialog !== "Import" || reason !== "");
        return { dialog, reason };
      });
      assert.ok(dialog !== "Import" || reason.length > 10, reason);
      if (dialog !== "") await page.keyboard.press("Escape");
      await eventually(() => page.getByRole("dialog").count(), 0);
    }
    await eventually(
      () => page.evaluate(() => [globalThis.wasPwned, {}.polluted, document.querySelector("img")]),
      [undefined, undefined, null],
    );
    await visitor.leave();
  });

  test("an endless machine does not freeze the page, and ends as on AWS", async () => {
    const loop = {
      StartAt: "A",
      States: {
        A: { Type: "Pass", Next: "B" },
        B: { Type: "Choice", Choices: [{ Variable: "$.stop", IsPresent: true, Next: "C" }], Default: "A" },
        C: { Type: "Succeed" },
      },
    };
    const visitor = await site.visit({ hash: hash({ t: "Endless", d: JSON.stringify(loop), i: "{}" }) });
    await visitor.ready();
    await visitor.run();
    await visitor.state("C").click();
    await visitor.page.locator('[data-node="/States/C"][aria-pressed="true"]').waitFor();
    const result = await visitor.result();
    await eventually(() => result.innerText(), /FAILED[\s\S]*25,?000|history/i);
    await visitor.leave();
  });
});
