// `stepglass lsp`, with a client of the protocol's own libraries.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DiagnosticSeverity, InsertTextFormat, SymbolKind } from "vscode-languageserver-protocol";
import { PUSHED, editor } from "./editor-client.mjs";

const json = `{
  "Comment": "Bücher 😀",
  "StartAt": "Charge 😀",
  "States": {
    "Charge 😀": {
      "Type": "Task",
      "Resource": "arn:aws:states:::lambda:invoke",
      "Parameters": { "FunctionName": "charge", "Payload.$": "States.Format('{}', $.id)" },
      "Assign": { "total.$": "$.Payload.total" },
      "Next": "Both"
    },
    "Both": {
      "Type": "Parallel",
      "Branches": [
        {
          "StartAt": "Ship",
          "States": {
            "Ship": { "Type": "Pass", "Parameters": { "sum.$": "$total" }, "End": true }
          }
        }
      ],
      "Next": "Done"
    },
    "Done": { "Type": "Succeed" }
  }
}
`;
const yaml = `# An order
Comment: Bücher 😀
StartAt: Charge 😀
States:
  Charge 😀:
    Type: Task
    Resource: arn:aws:states:::lambda:invoke
    Parameters: { FunctionName: charge, Payload.$: "States.Format('{}', $.id)" }
    Assign:
      total.$: $.Payload.total
    Next: Both
  Both:
    Type: Parallel
    Branches:
      - StartAt: Ship
        States:
          Ship: { Type: Pass, Parameters: { sum.$: $total }, End: true }
    Next: Done
  "Done":
    Type: Succeed
`;
const indented = (text, by) => text.replaceAll(/^(?=.)/gm, " ".repeat(by));
const resources = (properties) => `AWSTemplateFormatVersion: "2010-09-09"
Resources:
  Charge:
    Type: AWS::Lambda::Function
  Orders:
    Type: AWS::StepFunctions::StateMachine
    Properties:
      RoleArn: arn:aws:iam::123456789012:role/orders
${properties}  After:
    Type: AWS::SNS::Topic
`;
const template = (definition) => ({
  Resources: { Orders: { Type: "AWS::StepFunctions::StateMachine", Properties: { RoleArn: "arn:aws:iam::1:role/r", ...definition } } },
});

/** The same definition in every notation: the name of a document, and its text. */
const forms = {
  JSON: ["order.asl.json", json],
  YAML: ["order.asl.yaml", yaml],
  "a block of a template": ["block.yaml", resources(`      DefinitionString: !Sub |\n${indented(json, 8)}`)],
  "a string of a template in JSON": ["string.json", JSON.stringify(template({ DefinitionString: json }), null, 2)],
  "Fn::Sub with values in JSON": [
    "sub.json",
    JSON.stringify(template({ DefinitionString: { "Fn::Sub": [json, { Name: "x" }] } }), null, 2),
  ],
  "a single-quoted string of a template": [
    "single.yaml",
    resources(`      DefinitionString: '${json.replaceAll("'", "''").replaceAll("\n", "")}'\n`),
  ],
  "an object of a template in JSON": ["object.json", JSON.stringify(template({ Definition: JSON.parse(json) }), null, 2)],
  "an object of a template in YAML": ["object.yaml", resources(`      Definition:\n${indented(yaml, 8)}`)],
  "serverless.yml": [
    "serverless.yml",
    `service: x\nstepFunctions:\n  stateMachines:\n    Orders:\n      definition:\n${indented(yaml, 8)}`,
  ],
};
const each = (title, run) => {
  for (const [form, [name, text]] of Object.entries(forms)) test(`${title}: ${form}`, () => run(name, text, form));
};
/** Returns the position of a word's nth occurrence, one character into it. */
const nth = (text, word, n = 0) => {
  let at = -1;
  for (let i = 0; i <= n; i++) at = text.indexOf(word, at + 1);
  assert.ok(at >= 0, `${word} ${n}`);
  return at + 1;
};
const open = editor();
let opened = 0;
/** A document with a unique name. */
const opening = async (name, text, languageId) => (await open).open(`${opened++}/${name}`, text, languageId);

describe("stepglass lsp", () => {
  test("announces its capabilities", async () => {
    const { server, serverInfo } = await open;
    assert.equal(serverInfo.name, "stepglass");
    assert.equal(server.positionEncoding, "utf-16");
    assert.equal(server.textDocumentSync.change, 2);
    for (const provider of [
      "hover",
      "definition",
      "references",
      "documentHighlight",
      "documentSymbol",
      "documentFormatting",
      "foldingRange",
      "inlayHint",
    ])
      assert.equal(server[`${provider}Provider`], true, provider);
    assert.equal(server.renameProvider.prepareProvider, true);
  });

  each("finds no problem in what is right", async (name, text) => {
    const document = await opening(name, text);
    assert.deepEqual(await document.problems(), []);
  });

  each("tells a problem at its place, in UTF-16 units, and mends it", async (name, text) => {
    const wrong = text.replace(/(Next\\?"?: ?\\?"?)Done/, "$1Dome");
    const document = await opening(name, wrong);
    const { items } = await document.about("diagnostic");
    assert.equal(items.length, 1, JSON.stringify(items));
    const [{ range, code, severity, source, message }] = items;
    assert.deepEqual([code, severity, source], ["unknown-target", DiagnosticSeverity.Error, "stepglass"]);
    assert.match(message, /`Dome`/);
    assert.match(document.cut(range), /^(\\?")?Dome(\\?")?$/);
    const actions = await document.about("codeAction", { range, context: { diagnostics: items } });
    const [first] = actions;
    assert.match(first.title, /Done/);
    assert.deepEqual([first.kind, first.isPreferred, first.diagnostics[0].code], ["quickfix", true, "unknown-target"]);
    assert.equal(document.edited(first.edit.changes[document.uri]), text);
    const none = await document.about("codeAction", { range, context: { diagnostics: items, only: ["refactor"] } });
    assert.ok(none.every(({ kind }) => kind !== "quickfix"));
  });

  each("converts a state to JSONata", async (name, text) => {
    const document = await opening(name, text);
    const range = { start: document.position(nth(text, "Ship", 1)), end: document.position(nth(text, "Ship", 1)) };
    const actions = await document.about("codeAction", { range, context: { diagnostics: [] } });
    const action = actions.find(({ title }) => title === "Convert `Ship` to JSONata");
    if (action === undefined) return assert.match(name, /yaml|yml/, "a template that would be laid out anew stays as it is");
    assert.equal(action.kind, "refactor.rewrite");
    const after = document.edited(action.edit.changes[document.uri]);
    assert.match(after, /QueryLanguage(\\?"|: ?|\\?": ?)+JSONata/);
    assert.deepEqual(await (await opening(name, after)).problems(), []);
  });

  each("explains", async (name, text) => {
    const document = await opening(name, text);
    const told = async (at) => (await document.ask("hover", at))?.contents.value;
    assert.match(await told(nth(text, "StartAt")), /^\*\*StartAt/);
    assert.match(await told(nth(text, "States.Format") + 8), /States\.Format\(template, value…\)/);
    assert.match(await told(nth(text, "Charge 😀")), /Charge 😀 · Task/);
    const { range } = await document.ask("hover", nth(text, "Charge 😀"));
    assert.equal(document.cut(range), "Charge 😀");
  });

  each("goes to where a state or variable is defined, and to its uses", async (name, text) => {
    const document = await opening(name, text);
    const [target, ...others] = await document.ask("definition", nth(text, "Charge 😀"));
    assert.equal(others.length, 0);
    assert.equal(document.cut(target.range), "Charge 😀");
    assert.equal(document.document.offsetAt(target.range.start), nth(text, "Charge 😀", 1) - 1);
    const uses = await document.ask("references", nth(text, "Done"), { context: { includeDeclaration: true } });
    assert.deepEqual(
      uses.map(({ range }) => document.cut(range)),
      ["Done", "Done"],
    );
    assert.equal((await document.ask("references", nth(text, "Done"), { context: { includeDeclaration: false } })).length, 1);
    const marks = await document.ask("documentHighlight", nth(text, "$total") + 1);
    assert.deepEqual(
      marks.map(({ range, kind }) => [document.cut(range), kind]),
      [
        ["total", 3],
        ["total", 2],
      ],
    );
  });

  each("renames a state and a variable", async (name, text) => {
    const document = await opening(name, text);
    const at = nth(text, "Both");
    const { range, placeholder } = await document.ask("prepareRename", at);
    assert.deepEqual([document.cut(range), placeholder], ["Both", "Both"]);
    const { changes } = await document.ask("rename", at, { newName: 'Ship "it"' });
    const after = document.edited(changes[document.uri]);
    assert.ok(!/Both/.test(after), after);
    const renamed = await opening(name, after);
    assert.deepEqual(await renamed.problems(), []);
    const [found] = await renamed.ask("definition", nth(after, "Ship"));
    assert.ok(found);
    const variable = await document.ask("rename", nth(text, "$total") + 1, { newName: "sum" });
    assert.equal(document.edited(variable.changes[document.uri]), text.replace("total.$", "sum.$").replace("$total", "$sum"));
    await assert.rejects(document.ask("rename", at, { newName: "Done" }), /already|exists|used/i);
    await assert.rejects(document.ask("rename", nth(text, "Comment"), { newName: "x" }), /no name of a state or a variable/);
    assert.equal(await document.ask("prepareRename", nth(text, "Comment")), null);
  });

  each("outlines and folds", async (name, text) => {
    const document = await opening(name, text);
    let symbols = await document.about("documentSymbol");
    if (symbols[0].kind === SymbolKind.Module) {
      assert.equal(symbols[0].name, "Orders");
      symbols = symbols[0].children;
    }
    assert.deepEqual(
      symbols.map((one) => [one.name, one.detail, one.children.map(({ name }) => name)]),
      [
        ["Charge 😀", "Task", []],
        ["Both", "Parallel", ["Ship"]],
        ["Done", "Succeed", []],
      ],
    );
    for (const { selectionRange, name } of symbols) assert.match(document.cut(selectionRange), new RegExp(`^(\\\\?")?${name}(\\\\?")?$`));
    const folds = await document.about("foldingRange");
    for (const { startLine, endLine } of folds) assert.ok(endLine > startLine);
    const line = document.position(nth(text, "Both", 1)).line;
    if (!/^(string|sub|single)/.test(name))
      assert.ok(
        folds.some(({ startLine }) => startLine === line),
        JSON.stringify(folds),
      );
    const [selection] = await document.about("selectionRange", { positions: [document.position(nth(text, "Both", 1))] });
    const around = [];
    for (let at = selection; at; at = at.parent) around.push(document.cut(at.range));
    assert.match(around[0], /^(\\?")?Both(\\?")?$/);
    assert.equal(around.at(-1), text);
    assert.ok(
      around.some((one) => /^(\\?")?Both(.|\n)+Next/.test(one)),
      around.join("\n---\n"),
    );
  });

  each("colours names and the parts of expressions", async (name, text) => {
    const document = await opening(name, text);
    const { legend } = (await open).server.semanticTokensProvider;
    const { data } = await document.about("semanticTokens/full");
    const found = [];
    let [line, character] = [0, 0];
    for (let i = 0; i < data.length; i += 5) {
      character = data[i] === 0 ? character + data[i + 1] : data[i + 1];
      line += data[i];
      const range = { start: { line, character }, end: { line, character: character + data[i + 2] } };
      found.push(`${document.cut(range)} ${legend.tokenTypes[data[i + 3]]}${data[i + 4] === 1 ? " declaration" : ""}`);
    }
    for (const expected of ["Charge 😀 function", "Charge 😀 function declaration", "Ship function declaration", "total variable"])
      assert.ok(found.includes(expected), `${expected}: ${found.join(", ")}`);
    for (const expected of ["States.Format method", "$ keyword", "id property", "Payload property", "total variable declaration"])
      assert.ok(found.includes(expected), `${expected}: ${found.join(", ")}`);
    const range = { start: document.position(nth(text, "Done", 1)), end: document.position(nth(text, "Done", 1)) };
    const near = await document.about("semanticTokens/range", { range });
    assert.equal(near.data.length, 5);
  });

  each("says behind a state where it leads", async (name, text) => {
    const document = await opening(name, text);
    const range = { start: document.position(0), end: document.position(text.length) };
    const hints = await document.about("inlayHint", { range });
    // In a string of one line there is nothing that a hint would save.
    const lines = /^(string|sub|single)/.test(name) ? [] : ["→ Both", "→ Done"];
    assert.deepEqual(
      hints.filter(({ label }) => label.startsWith("→")).map(({ label }) => label),
      lines,
    );
    for (const { position } of hints)
      assert.equal(document.text.slice(document.document.offsetAt(position)).split("\n")[0].trim(), "", "at the end of a line");
  });

  each("refactors states", async (name, text) => {
    const document = await opening(name, text);
    const tried = async (state, titles) => {
      const at = document.position(nth(text, state, 1));
      const actions = await document.about("codeAction", {
        range: { start: at, end: at },
        context: { diagnostics: [], only: ["refactor"] },
      });
      for (const title of titles) {
        const action = actions.find((one) => one.title === title);
        assert.ok(action, `${title}: ${actions.map((one) => one.title).join(", ")}`);
        const after = document.edited(await document.resolved(action));
        assert.deepEqual(await (await opening(name, after)).problems(), [], `${title}: ${after}`);
      }
    };
    await tried("Charge 😀", ["Catch the errors of `Charge 😀`", "Retry `Charge 😀`"]);
    await tried("Ship", ["Put `Ship` into a Parallel", "Put `Ship` into a Map"]);
    await tried("Both", ["Replace `Both` with the states inside it"]);
  });

  each("completes states", async (name, text) => {
    const document = await opening(name, text.replace(/(Next\\?"?: ?\\?"?)Done/, "$1D"));
    const at = document.text.search(/Next\\?"?: ?\\?"?D/);
    const { items } = await document.ask("completion", at + /Next\\?"?: ?\\?"?D/.exec(document.text)[0].length);
    const done = items.find(({ label }) => label === "Done");
    assert.ok(done, JSON.stringify(items));
    assert.equal(document.edited([done.textEdit]), text);
  });
});

describe("stepglass lsp completes", () => {
  /** Returns the text after a completion at `¦` was accepted, with `$0` at the cursor. */
  async function taken(name, marked, label) {
    const document = await opening(name, marked);
    const { items } = await document.ask("completion");
    const item = items.find((one) => one.label === label);
    assert.ok(item, `${label} is not among ${items.map((one) => one.label).join(", ")}`);
    const written = document.cut(item.textEdit.range);
    assert.ok(item.filterText.startsWith(/^["']?/.exec(written)[0]), `${item.filterText} is not found for ${written}`);
    const { newText, range } = item.textEdit;
    // A backslash in a snippet escapes the next character.
    const text = item.insertTextFormat === InsertTextFormat.Snippet ? newText.replaceAll(/\\([\\$}])/g, "$1") : newText;
    return [document.edited([{ range, newText: text }]), item.insertTextFormat];
  }

  test("fields, with an initial value", async () => {
    const [after, format] = await taken("a.asl.json", '{ "StartAt": "A", "States": { "A": { "Type": "Pass", "Ne¦" } } }', "Next");
    assert.equal(after, '{ "StartAt": "A", "States": { "A": { "Type": "Pass", "Next": "$0" } } }');
    assert.equal(format, InsertTextFormat.Snippet);
    const [bare] = await taken("a.asl.json", '{ "StartAt": "A", "States": { "A": { "Type": "Pass", ¦ } } }', "End");
    assert.match(bare, /"End": true/);
    const [block] = await taken("a.asl.yaml", "StartAt: A\nStates:\n  A:\n    Type: Pass\n    Ne¦", "Next");
    assert.equal(block, "StartAt: A\nStates:\n  A:\n    Type: Pass\n    Next: ");
    const [escaped] = await taken("a.asl.yaml", "StartAt: A\nStates:\n  A:\n    Type: Pass\n    ¦", "Parameters");
    assert.match(escaped, /Parameters:/);
  });

  test("types, paths, functions and errors", async () => {
    const state = (fields) => `{ "StartAt": "A", "States": { "A": { ${fields} } } }`;
    assert.match((await taken("a.asl.json", state('"Type": "Ta¦"'), "Task"))[0], /"Type": "Task"/);
    assert.match(
      (await taken("a.asl.json", state('"Type": "Pass", "Parameters": { "a.$": "States.Arr¦" }'), "ArrayLength"))[0],
      /States\.ArrayLength/,
    );
    assert.match(
      (await taken("a.asl.json", state('"Type": "Task", "Retry": [{ "ErrorEquals": ["States.T¦"] }]'), "States.Timeout"))[0],
      /"States\.Timeout"/,
    );
  });

  test("in strings and blocks of templates, with their escapes", async () => {
    const block = resources(
      '      DefinitionString: |\n        {\n          "StartAt": "A",\n          "States": { "A": { "Type": "Pass", "Ne¦" } }\n        }\n',
    );
    assert.equal((await taken("t.yaml", block, "Next"))[0], block.replace('"Ne¦"', '"Next": "$0"'));
    const string = JSON.stringify(template({ DefinitionString: '{ "StartAt": "A", "States": { "A": { "Type": "Pass", "Ne¦" } } }' }));
    assert.equal((await taken("t.json", string, "Next"))[0], string.replace('\\"Ne¦\\"', '\\"Next\\": \\"$0\\"'));
  });

  test("refactorings with their edits for editors that do not resolve actions", async () => {
    const plain = await editor({}, { capabilities: {} });
    const document = await plain.open("a.asl.json", '{ "StartAt": "A¦", "States": { "A": { "Type": "Pass", "End": true } } }');
    const at = document.position('"Pass"');
    const actions = await document.about("codeAction", { range: { start: at, end: at }, context: { diagnostics: [] } });
    assert.ok(actions.some(({ title }) => title === "Put `A` into a Map"));
    assert.ok(actions.every(({ edit }) => edit !== undefined));
  });

  test("without snippets for editors that do not support them", async () => {
    const plain = await editor({}, { capabilities: {} });
    const document = await plain.open("a.asl.json", '{ "StartAt": "A", "States": { "A": { "Type": "Pass", "Ne¦" } } }');
    const { items } = await document.ask("completion");
    assert.ok(items.every(({ insertTextFormat, textEdit }) => insertTextFormat === 1 && !textEdit.newText.includes("$0")));
  });
});

describe("stepglass lsp formats", () => {
  test("JSON with the editor's indentation, YAML with its comments, and JSON in blocks of templates", async () => {
    const formatted = async (name, text, tabSize = 2) => {
      const document = await opening(name, text);
      return document.edited(await document.about("formatting", { options: { tabSize, insertSpaces: true } }));
    };
    assert.equal(
      await formatted("a.asl.json", '{"StartAt":"A",\n"States":{"A":{"Type":"Succeed"}}}', 4),
      '{\n    "StartAt": "A",\n    "States": {"A": {"Type": "Succeed"}}\n}\n',
    );
    assert.equal(
      await formatted("a.asl.yaml", "StartAt:   A # first\nStates:\n    A: {Type: Succeed}\n"),
      "StartAt: A # first\nStates:\n  A: { Type: Succeed }\n",
    );
    const block = (inside) => resources(`      DefinitionString: |\n${indented(inside, 8)}`);
    assert.equal(
      await formatted("t.yaml", block('{"StartAt":"A",\n"States":{"A":{"Type":"Succeed"}}}\n')),
      block('{\n  "StartAt": "A",\n  "States": {"A": {"Type": "Succeed"}}\n}\n'),
    );
    const object = JSON.stringify(template({ Definition: JSON.parse(json) }));
    assert.equal(await formatted("t.json", object), object);
    assert.equal(await formatted("broken.asl.yaml", "StartAt: [\n"), "StartAt: [\n");
  });
});

describe("stepglass lsp with unfinished texts", () => {
  test("answers at every position of every prefix of a text", async () => {
    const { stderr } = await open;
    for (const [name, text] of Object.values(forms)) {
      for (const share of [0.2, 0.55, 0.8]) {
        const half = text.slice(0, Math.floor(text.length * share));
        const document = await opening(name, half);
        const at = half.length;
        const requests = ["completion", "hover", "definition", "documentHighlight", "prepareRename"].map((method) =>
          document.ask(method, at),
        );
        const whole = ["documentSymbol", "foldingRange", "diagnostic"].map((method) => document.about(method));
        const [range] = [{ start: document.position(0), end: document.position(at) }];
        await Promise.all([...requests, ...whole, document.about("codeAction", { range, context: { diagnostics: [] } })]);
        await document.about("formatting", { options: { tabSize: 2, insertSpaces: true } });
        await document.about("selectionRange", { positions: [document.position(at)] });
        await document.close();
      }
    }
    assert.equal(stderr(), "");
  });

  test("offers the first fixes of a long YAML document, and those at a position", async () => {
    const state = (i) => `  S${i}:\n    Type: Pass\n    Wrong: 1\n    ${i < 399 ? `Next: S${i + 1}` : "End: true"}\n`;
    const text = `StartAt: S0\nStates:\n${Array.from({ length: 400 }, (_, i) => state(i)).join("")}`;
    const document = await opening("long.asl.yaml", text);
    const context = { diagnostics: [], only: ["quickfix"] };
    const within = async (start, end) => {
      const range = { start: document.position(start), end: document.position(end) };
      return (await document.about("codeAction", { range, context })).map(({ title }) => title);
    };
    const all = await within(0, text.length);
    assert.deepEqual([all[0], new Set(all).size], ["Remove `Wrong`", 1]);
    // Each check copies the whole text; four hundred of them would take a quarter of a minute.
    assert.ok(all.length < 60, `${all.length} changes`);
    const last = text.lastIndexOf("Wrong");
    assert.deepEqual(await within(last, last + 5), ["Remove `Wrong`"]);
    await document.close();
  });

  test("reports a document that cannot be parsed once", async () => {
    const broken = async (name, text) => {
      const document = await opening(name, text);
      return (await document.about("diagnostic")).items.map(({ code }) => code);
    };
    assert.deepEqual(await broken("a.asl.json", '{ "StartAt": '), ["invalid-json"]);
    assert.deepEqual(await broken("a.asl.yaml", 'StartAt: "A\nStates:\n'), ["invalid-yaml"]);
    assert.deepEqual(await broken("a.asl.json", ""), ["not-an-object"]);
    assert.deepEqual(await broken("deep.asl.json", "[".repeat(50_000)), ["invalid-json"]);
    assert.equal((await broken("deep.asl.yaml", "[".repeat(50_000))).length, 1);
    const [, object] = forms["an object of a template in YAML"];
    assert.deepEqual(await broken("t.yaml", object.replace("Next: Both", 'Next: "Both')), ["invalid-yaml"]);
    const [, string] = forms["a block of a template"];
    const document = await opening("t.yaml", string.replace('"Next": "Done"', '"Next": "Done'));
    const { items } = await document.about("diagnostic");
    assert.deepEqual([items.length, items[0].code], [1, "invalid-json"]);
    assert.ok(Math.abs(items[0].range.start.line - document.position('"Next": "Done').line) <= 1, JSON.stringify(items));
  });

  test("reports the problems of machines in Terraform", async () => {
    const text = `resource "aws_sfn_state_machine" "orders" {
  definition = jsonencode({
    StartAt = "A"
    States = { A = { Type = "Pass", Next = "Missing" } }
  })
}
`;
    const document = await opening("main.tf", text, "terraform");
    assert.deepEqual((await document.problems()).map(([, code]) => code).includes("unknown-target"), true);
    assert.equal(await document.ask("hover", nth(text, "StartAt")), null);
  });

  test("reports nothing in a document that is not a definition", async () => {
    for (const [name, text] of [
      ["docker-compose.yaml", "services:\n  a: [\n"],
      ["package.json", '{ "name": '],
      ["topic.yaml", "Resources:\n  A:\n    Type: AWS::SNS::Topic\n"],
      ["empty.yaml", ""],
    ]) {
      const document = await opening(name, text);
      assert.deepEqual(await document.problems(), [], name);
      assert.deepEqual(await document.about("documentSymbol"), []);
      assert.equal(await document.ask("hover", 0), null);
    }
    const plain = await opening("machine.json", '{ "StartAt": "B", "States": { "A": { "Type": "Succeed" } } }');
    assert.equal((await plain.problems()).length > 0, true);
    const unsaved = await (await open).open("untitled:Untitled-1", "StartAt: B\nStates:\n  A: { Type: Succeed }\n", "yaml");
    assert.deepEqual((await unsaved.problems())[0], ["B", "unknown-target"]);
    const called = await (await open).open("untitled:Untitled-2", "{}", "asl-json");
    assert.equal((await called.problems()).length > 0, true);
  });

  test("returns nothing for documents that are not open", async () => {
    const { connection } = await open;
    const textDocument = { uri: "file:///nowhere.asl.json" };
    const position = { line: 0, character: 0 };
    assert.equal(await connection.sendRequest("textDocument/hover", { textDocument, position }), null);
    assert.deepEqual((await connection.sendRequest("textDocument/diagnostic", { textDocument })).items, []);
    await assert.rejects(connection.sendRequest("textDocument/nothing", {}), /Unhandled method/);
  });
});

describe("stepglass lsp during edits", () => {
  test("applies changes, also between the halves of a surrogate pair, and notices when nothing changed", async () => {
    const document = await opening("a.asl.json", json);
    const first = await document.about("diagnostic");
    assert.deepEqual([first.kind, first.items], ["full", []]);
    assert.equal((await document.about("diagnostic", { previousResultId: first.resultId })).kind, "unchanged");
    await document.replace('"StartAt": "Charge 😀"', '"StartAt": "Charge 😀😀"');
    assert.deepEqual(await document.problems(), [['"Charge 😀😀"', "unknown-target"]]);
    await document.replace("Charge 😀😀", "Charge 😀");
    assert.deepEqual(await document.problems(), []);
  });

  test("pushes problems to editors that do not pull them, and removes them", async () => {
    const { open } = await editor({}, { capabilities: PUSHED });
    const document = await open("a.asl.yaml", yaml.replace("Next: Done", "Next: Dome"));
    const [{ code, range }] = await document.told((list) => list.length === 1);
    assert.deepEqual([code, document.cut(range)], ["unknown-target", "Dome"]);
    await document.replace("Next: Dome", "Next: Done");
    assert.deepEqual(await document.told((list) => list.length === 0), []);
    await document.replace("Next: Done", "Next: Dome");
    await document.told((list) => list.length === 1);
    await document.close();
    assert.deepEqual(await document.told((list) => list.length === 0), []);
  });

  test("drops a cancelled request, and answers the others", async () => {
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`${i}.asl.json`, json]));
    const { connection } = await editor(many);
    const { CancellationTokenSource } = (await import("vscode-languageserver-protocol/node")).default;
    const cancelled = new CancellationTokenSource();
    const unwanted = connection.sendRequest("workspace/symbol", { query: "" }, cancelled.token);
    cancelled.cancel();
    await assert.rejects(unwanted, ({ code }) => code === -32800);
    assert.equal((await connection.sendRequest("workspace/symbol", { query: "bth" })).length, 200);
  });
});

describe("stepglass lsp in a folder", () => {
  const sam = `Resources:
  Orders:
    Type: AWS::Serverless::StateMachine
    Properties:
      DefinitionUri: machines/order.asl.yaml
  Lost:
    Type: AWS::Serverless::StateMachine
    Properties:
      DefinitionUri: machines/lost.asl.yaml
`;

  test("goes from a template to the file of a definition, and reports a missing file", async () => {
    const { open, uriOf } = await editor({ "machines/order.asl.yaml": yaml });
    const document = await open("template.yaml", sam);
    const [target] = await document.ask("definition", nth(sam, "machines/order"));
    assert.equal(target.uri, uriOf("machines/order.asl.yaml"));
    const links = await document.about("documentLink");
    assert.deepEqual(
      links.map((link) => [document.cut(link.range), link.target]),
      [
        ["machines/order.asl.yaml", uriOf("machines/order.asl.yaml")],
        ["machines/lost.asl.yaml", uriOf("machines/lost.asl.yaml")],
      ],
    );
    const { items } = await document.about("diagnostic");
    assert.deepEqual([items.length, document.cut(items[0].range)], [1, "machines/lost.asl.yaml"]);
    assert.match(items[0].message, /no such file/);
  });

  test("finds states in all files, and uses the text of open documents", async () => {
    const { open, connection, uriOf } = await editor({
      "a.asl.json": json,
      "b/template.yaml": forms["a block of a template"][1],
      "node_modules/c.asl.json": json,
    });
    const found = await connection.sendRequest("workspace/symbol", { query: "chrg" });
    assert.deepEqual(
      found.map(({ name, containerName, location }) => [name, containerName, location.uri]),
      [
        ["Charge 😀", "a.asl.json · Task", uriOf("a.asl.json")],
        ["Charge 😀", "b/template.yaml · Task", uriOf("b/template.yaml")],
      ],
    );
    await open("a.asl.json", json.replaceAll("Charge", "Refund"));
    assert.deepEqual(
      (await connection.sendRequest("workspace/symbol", { query: "refund" })).map(({ name }) => name),
      ["Refund 😀"],
    );
  });
});

describe("the settings of stepglass lsp", () => {
  const warned = '{ "StartAt": "A", "States": { "A": { "Type": "Pass", "Parameters": { "a": "$.b" }, "End": true } } }';
  const placeholder = '{ "StartAt": "A", "TimeoutSeconds": ${Seconds}, "States": { "A": { "Type": "Succeed" } } }';
  const expression = (text) =>
    JSON.stringify({ QueryLanguage: "JSONata", StartAt: "A", States: { A: { Type: "Succeed", Output: `{% ${text} %}` } } });

  test("apply: strict, type, the version of JSONata, values and a query language", async () => {
    const problems = async (initializationOptions, text) => {
      const { open } = await editor({}, { initializationOptions });
      const document = await open("a.asl.json", text);
      return (await document.about("diagnostic")).items.map(({ code, severity }) => [code, severity]);
    };
    const [warning] = await problems({}, warned);
    assert.equal(warning[1], DiagnosticSeverity.Warning);
    assert.deepEqual(await problems({ strict: true }, warned), [[warning[0], DiagnosticSeverity.Error]]);
    const old = await problems({}, expression("$states.input.a ?? 1"));
    assert.equal(old.length, 1);
    assert.deepEqual(await problems({ jsonata: "2.1" }, expression("$states.input.a ?? 1")), []);
    assert.deepEqual(await problems({}, placeholder), [["placeholder", DiagnosticSeverity.Warning]]);
    assert.deepEqual(await problems({ substitutions: { Seconds: 5 } }, placeholder), []);
    assert.deepEqual(await problems({ queryLanguage: "JSONata" }, '{ "StartAt": "A", "States": { "A": { "Type": "Succeed" } } }'), [
      ["query-language", DiagnosticSeverity.Warning],
    ]);
    const token =
      '{ "StartAt": "A", "States": { "A": { "Type": "Task", "Resource": "arn:aws:states:::lambda:invoke.waitForTaskToken", "Parameters": { "FunctionName": "f", "Payload": { "t.$": "$$.Task.Token" } }, "End": true } } }';
    assert.deepEqual(await problems({}, token), []);
    assert.equal((await problems({ type: "EXPRESS" }, token)).length, 1);
    const many = await problems(
      { maxProblems: 2 },
      JSON.stringify({ StartAt: "A", States: Object.fromEntries(["A", "B", "C", "D"].map((name) => [name, { Type: "Pass", Next: "X" }])) }),
    );
    assert.equal(many.length, 3);
    assert.equal(many[2][0], "more-problems");
  });

  test("can change, and wrong ones are reported", async () => {
    let settings = { strict: true };
    const capabilities = { workspace: { configuration: true, didChangeConfiguration: { dynamicRegistration: true } }, ...PUSHED };
    const { open, connection, registered, logged } = await editor({}, { capabilities, configuration: () => settings });
    const document = await open("a.asl.json", warned);
    await document.told(([first]) => first?.severity === DiagnosticSeverity.Error);
    assert.deepEqual(registered, ["workspace/didChangeConfiguration"]);
    settings = { strict: "yes" };
    await connection.sendNotification("workspace/didChangeConfiguration", { settings: null });
    await document.told(([first]) => first?.severity === DiagnosticSeverity.Warning);
    assert.ok(
      logged.some((message) => /stepglass\.strict must be true or false, not "yes"/.test(message)),
      logged.join(),
    );
    const pushed = await editor({}, { capabilities: PUSHED });
    const other = await pushed.open("a.asl.json", warned);
    await pushed.connection.sendNotification("workspace/didChangeConfiguration", { settings: { stepglass: { strict: true } } });
    await other.told(([first]) => first?.severity === DiagnosticSeverity.Error);
  });
});

describe("stepglass lsp as a process", () => {
  test("ends when its editor says so, and accepts the options that editors pass", async () => {
    const polite = await editor({}, { args: ["--stdio", `--clientProcessId=${process.pid}`] });
    assert.equal(await polite.end(), 0);
    const gone = await editor();
    gone.child.stdin.end();
    assert.equal(await gone.ended, 1);
  });
});
