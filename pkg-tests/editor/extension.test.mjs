// The extension in an editor that has only what the extension uses of VS Code, with its own debug adapter.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, test } from "node:test";
import { gzipSync } from "node:zlib";
import { StateMachine } from "stepglass";
import { createEditor, documentOf, loadWith, mementoOf } from "./fake-vscode.mjs";

const extension = resolve(import.meta.dirname, "../../editors/vscode");
const manifest = JSON.parse(readFileSync(join(extension, "package.json"), "utf8"));

const ORDER = `{
  "StartAt": "Charge",
  "States": {
    "Charge": { "Type": "Task", "Resource": "arn:aws:lambda:us-east-1:123456789012:function:Charge", "Next": "Done" },
    "Done": { "Type": "Succeed" }
  }
}
`;

/** Activates the extension for web editors, with an open document of a virtual folder. */
async function activated({ text = ORDER, name = "order.asl.json", isTrusted = true, configure = () => {} } = {}) {
  const files = new Map();
  const editor = createEditor({ files, isTrusted });
  const { Uri } = editor.vscode;
  const uri = Uri.from({ scheme: "vscode-test-web", authority: "mount", path: `/${name}` });
  editor.vscode.workspace.textDocuments.push(documentOf(uri, text, "asl"));
  editor.vscode.window.activeTextEditor = { document: editor.vscode.workspace.textDocuments[0] };
  configure(editor.vscode, files);
  const extensionUri = Uri.parse("https://editor.test/stepglass");
  const wasm = readFileSync(join(extension, "dist/stepglass.wasm"));
  files.set(Uri.joinPath(extensionUri, "dist", "stepglass.wasm").toString(), wasm);
  // The language server has a test of its own. Here its worker never answers.
  globalThis.Worker = class {
    postMessage() {}
    terminate() {}
  };
  const subscriptions = [];
  const { activate } = loadWith(editor.vscode, join(extension, "dist/extension-web.js"));
  await activate({ subscriptions, extensionUri, extension: { id: "stepglass.stepglass" }, workspaceState: mementoOf() });
  return { ...editor, uri };
}

/** Resolves the configuration that VS Code would launch, as it does on F5. */
function resolved({ registered }, config = {}, folder) {
  const provider = registered.configurations.get("stepglass");
  const first = provider.resolveDebugConfiguration(folder, config);
  return first && provider.resolveDebugConfigurationWithSubstitutedVariables(folder, first);
}

/** Starts the adapter. `request` resolves to the response's body, `until` to the next event of a kind. */
async function session({ registered }) {
  const { implementation } = await registered.adapters.get("stepglass").createDebugAdapterDescriptor({});
  const events = [];
  const responses = new Map();
  const waiting = [];
  implementation.onDidSendMessage((message) => {
    if (message.type === "response") return responses.get(message.request_seq)(message);
    const at = waiting.findIndex(({ event }) => event === message.event);
    if (at < 0) events.push(message);
    else waiting.splice(at, 1)[0].done(message.body);
  });
  let seq = 0;
  const request = async (command, given) => {
    seq += 1;
    const answer = new Promise((done) => responses.set(seq, done));
    implementation.handleMessage({ seq, type: "request", command, arguments: given });
    const { success, message, body } = await answer;
    assert.ok(success, message);
    return body;
  };
  const until = (event) => {
    const at = events.findIndex((one) => one.event === event);
    if (at >= 0) return Promise.resolve(events.splice(at, 1)[0].body);
    return new Promise((done) => waiting.push({ event, done }));
  };
  return { request, until };
}

/** Launches a configuration, and returns the session at its first stop. */
async function stopped(editor, config) {
  const one = await session(editor);
  await one.request("initialize", { adapterID: "stepglass" });
  await one.request("launch", config);
  await one.request("configurationDone");
  await one.until("stopped");
  const frame = async () => (await one.request("stackTrace", { threadId: 1 })).stackFrames[0];
  return { ...one, frame };
}

test("every command of the manifest is there, and every file that it names", async () => {
  const { registered } = await activated();
  for (const { command } of manifest.contributes.commands) assert.ok(registered.commands.has(command), command);
  for (const { viewType } of manifest.contributes.customEditors) assert.ok(registered.customEditors.has(viewType), viewType);
  for (const { id } of manifest.contributes.views.debug) assert.ok(registered.trees.has(id), id);
  for (const { type } of manifest.contributes.debuggers) assert.ok(registered.adapters.has(type), type);
});

test("the Test Explorer can run, debug and measure tests", async () => {
  const { registered } = await activated();
  assert.deepEqual(
    registered.profiles.map(({ label, loadDetailedCoverage }) => [label, loadDetailedCoverage !== undefined]),
    [
      ["Run", false],
      ["Debug", false],
      ["Coverage", true],
    ],
  );
});

test("F5 without a launch.json debugs the open definition with generated results", async () => {
  const editor = await activated();
  const config = resolved(editor);
  assert.equal(config.type, "stepglass");
  assert.equal(config.definition, editor.uri.toString());
  assert.equal(config.mocks, "generated");
  const { frame, request, until } = await stopped(editor, config);
  const { name, line, source } = await frame();
  assert.deepEqual([name, line, source.path], ["Charge", 4, editor.uri.toString()]);
  await request("next", { threadId: 1 });
  await until("stopped");
  assert.equal((await frame()).name, "Done");
  await request("stepBack", { threadId: 1 });
  await until("stopped");
  assert.equal((await frame()).name, "Charge");
});

test("a stop marks the line of a state, not its whole text", async () => {
  const editor = await activated();
  const { frame } = await stopped(editor, resolved(editor));
  assert.equal((await frame()).endLine, undefined);
});

test("a run stops at its first state only if there is no breakpoint in the file", async () => {
  const editor = await activated({
    configure: (vscode) => {
      const uri = vscode.Uri.from({ scheme: "vscode-test-web", authority: "mount", path: "/order.asl.json" });
      vscode.debug.breakpoints.push({ enabled: true, location: { uri } });
    },
  });
  assert.equal(resolved(editor).stopOnEntry, false);
  assert.equal(resolved(await activated()).stopOnEntry, true);
  assert.equal(
    resolved(await activated(), { type: "stepglass", request: "launch", definition: "${file}", stopOnEntry: false }).stopOnEntry,
    false,
  );
});

test("${file} and ${workspaceFolder} are URIs in virtual folders", async () => {
  const editor = await activated();
  const folder = { uri: editor.vscode.Uri.parse("vscode-test-web://mount/"), name: "folder", index: 0 };
  const config = resolved(
    editor,
    { type: "stepglass", request: "launch", definition: "${file}", history: "${workspaceFolder}/one.sfnrun", tasks: "tasks.mjs" },
    folder,
  );
  assert.equal(config.definition, "vscode-test-web://mount/order.asl.json");
  assert.match(config.history, /^vscode-test-web:\/\/mount\/+one\.sfnrun$/);
  assert.equal(config.tasks, "vscode-test-web://mount/tasks.mjs");
});

test("without a definition F5 says what to do", async () => {
  const editor = await activated();
  editor.vscode.window.activeTextEditor = undefined;
  assert.equal(resolved(editor), undefined);
  assert.deepEqual(editor.shown, ["Open a state machine first, or give the configuration a definition."]);
});

test("no module with handlers is loaded in a folder that is not trusted, or in a web editor", async () => {
  for (const [isTrusted, reason] of [
    [false, /this folder is not trusted/],
    [true, /cannot be loaded in a web editor/],
  ]) {
    const editor = await activated({ isTrusted });
    const { request } = await session(editor);
    await request("initialize", { adapterID: "stepglass" });
    await assert.rejects(request("launch", { ...resolved(editor), mocks: undefined, tasks: "/tasks.mjs" }), reason);
  }
});

test("Run and Debug above a definition start it", async () => {
  const editor = await activated();
  const [document] = editor.vscode.workspace.textDocuments;
  const lenses = await editor.registered.lenses[0].provideCodeLenses(document);
  assert.deepEqual(
    lenses.map(({ range, command }) => [range.start.line, command.command]),
    [
      [1, "stepglass.run"],
      [1, "stepglass.debug"],
      [1, "stepglass.showGraph"],
    ],
  );
  await editor.registered.commands.get("stepglass.run")(editor.uri);
  await editor.registered.commands.get("stepglass.debug")(editor.uri);
  assert.deepEqual(
    editor.started.map(({ config, options }) => [config.definition, options.noDebug]),
    [
      [editor.uri.toString(), true],
      [editor.uri.toString(), false],
    ],
  );
});

/** The outline of ORDER, as the language server returns it. */
function outline({ Range }) {
  const symbol = (name, detail, line) => {
    const range = new Range(line, 4, line, 100);
    return { name, detail, range, selectionRange: new Range(line, 4, line, 10), children: [] };
  };
  return [symbol("Charge", "Task", 3), symbol("Done", "Succeed", 4)];
}

const titles = async ({ registered, vscode }) => {
  const lenses = await registered.lenses[0].provideCodeLenses(vscode.workspace.textDocuments[0]);
  return lenses.map(({ command, range }) => [range.start.line, command.title.replace(/^\$\(.*?\) /, "")]).slice(3);
};

test("Mock above a task gives it a result in later runs, and an empty answer takes it back", async () => {
  const editor = await activated({ configure: (vscode) => (vscode.commands.executeCommand = async () => outline(vscode)) });
  assert.deepEqual(await titles(editor), [[3, "Mock"]]);
  const mock = async (answer) => {
    editor.vscode.window.showInputBox = async ({ validateInput }) => (assert.equal(validateInput(answer), undefined), answer);
    await editor.registered.commands.get("stepglass.mock")(editor.uri, "Charge");
  };
  await mock('{"amount": 77}');
  assert.deepEqual(await titles(editor), [[3, "Mocked"]]);
  const { request, until, frame } = await stopped(editor, resolved(editor));
  await request("next", { threadId: 1 });
  await until("stopped");
  assert.equal((await request("evaluate", { expression: "$.amount", frameId: (await frame()).id })).result, "77");
  await mock("");
  assert.equal(resolved(editor).mocks, "generated");
});

test("Rerun from here runs a state again in the run that is debugged", async () => {
  const editor = await activated({ configure: (vscode) => (vscode.commands.executeCommand = async () => outline(vscode)) });
  const { request, until, frame } = await stopped(editor, { ...resolved(editor), stopOnEnd: true });
  await request("next", { threadId: 1 });
  await until("stopped");
  editor.vscode.debug.activeDebugSession = { type: "stepglass", customRequest: request };
  assert.deepEqual(await titles(editor), [
    [3, "Mock"],
    [3, "Rerun from here"],
    [4, "Rerun from here"],
  ]);
  await editor.registered.commands.get("stepglass.rerunFrom")(editor.uri, "Charge");
  assert.deepEqual(editor.shown, []);
  const { result } = await request("evaluate", { expression: ".runs", context: "repl" });
  assert.match(result, /again from Charge/);
  assert.notEqual(await frame(), undefined);
});

test("the values of the paths in the state where a run stands are shown", async () => {
  const text = ORDER.replace('"Next": "Done"', '"InputPath": "$.order", "Next": "Done"').replace(
    '"Succeed"',
    '"Succeed", "InputPath": "$.b"',
  );
  const editor = await activated({ text, configure: (vscode) => (vscode.commands.executeCommand = async () => outline(vscode)) });
  const { Range, workspace } = editor.vscode;
  const at = new Range(3, 4, 3, 10);
  const values = await editor.registered.inlineValues[0].provideInlineValues(workspace.textDocuments[0], new Range(0, 0, 9, 0), {
    stoppedLocation: at,
  });
  assert.deepEqual(
    values.map(({ expression, range }) => [expression, range.start.line]),
    [["$.order", 3]],
  );
});

/** Opens the graph of the open document. `sent` has the messages to it, and `receive` is what it sends. */
function graphOf({ registered, vscode }) {
  const sent = [];
  let receive;
  const webview = {
    cspSource: "https://editor.test",
    asWebviewUri: (uri) => uri,
    onDidReceiveMessage: (listen) => (receive = listen),
    postMessage: async (message) => sent.push(message),
  };
  const [document] = vscode.workspace.textDocuments;
  registered.customEditors.get("stepglass.graph").resolveCustomTextEditor(document, { webview, active: true, onDidDispose() {} });
  receive({ kind: "ready" });
  return { sent, receive: (message) => receive(message) };
}

test("the graph shows where a run is, and its time line goes to an event", async () => {
  const editor = await activated();
  const graph = graphOf(editor);
  const asked = [];
  const session = {
    id: "1",
    type: "stepglass",
    configuration: { definition: editor.uri.toString() },
    customRequest: async (...request) => void asked.push(request),
  };
  const body = { current: ["Charge"], states: { Charge: { status: "running", visits: 1 } }, event: 3, events: 8 };
  editor.registered.fire.custom({ session, event: "stepglass/graph", body });
  const { marks, time } = graph.sent.findLast(({ kind }) => kind === "marks");
  assert.deepEqual([marks, time], [body.states, { event: 3, events: 8 }]);
  graph.receive({ kind: "goto", event: 2 });
  assert.deepEqual(asked, [["stepglass/goto", { event: 2 }]]);
});

test("a graph is exported to a file", async () => {
  const editor = await activated();
  const graph = graphOf(editor);
  const written = [];
  Object.assign(editor.vscode.window, {
    showQuickPick: async (formats) => formats.find(({ label }) => label === "SVG"),
    showSaveDialog: async ({ defaultUri }) => defaultUri,
  });
  editor.vscode.workspace.fs.writeFile = async (uri, bytes) => void written.push([uri.path, new TextDecoder().decode(bytes)]);
  const send = graph.sent.push.bind(graph.sent);
  graph.sent.push = (message) => {
    if (message.kind === "draw") graph.receive({ kind: "picture", data: `<svg>${message.format}</svg>` });
    return send(message);
  };
  await editor.registered.commands.get("stepglass.exportGraph")();
  assert.deepEqual(
    written.map(([path, text]) => [path.split("/").at(-1), text]),
    [["order.svg", "<svg>svg</svg>"]],
  );
});

test("recent runs are listed with how they ended, run again, and deleted", async () => {
  const editor = await activated();
  const { registered, started } = editor;
  const tree = registered.trees.get("stepglass.runs");
  const session = { id: "1", type: "stepglass", configuration: { ...resolved(editor), __sessionId: "1" } };
  registered.fire.started(session);
  registered.fire.started({ id: "2", type: "node", configuration: {} });
  const [run] = tree.getChildren();
  assert.deepEqual([tree.getChildren().length, run.status, run.config.__sessionId], [1, "running", undefined]);
  const tracker = registered.trackers.get("stepglass").createDebugAdapterTracker(session);
  tracker.onDidSendMessage({ type: "event", event: "exited", body: { exitCode: 1 } });
  assert.equal(tree.getTreeItem(tree.getChildren()[0]).iconPath.id, "error");
  await registered.commands.get("stepglass.runs.rerun")(run);
  assert.equal(started[0].config.definition, editor.uri.toString());
  await registered.commands.get("stepglass.runs.delete")(run);
  assert.deepEqual(tree.getChildren(), []);
});

test("a fetched execution is opened with its own definition, and a history in JSON with the one that is open", async () => {
  const history = new StateMachine(ORDER).start({}, { tasks: { Charge: () => ({ amount: 5 }) }, clock: "virtual", startTime: 0 });
  await history.result;
  const events = history.history();
  const stateMachine = { name: "Orders", definition: ORDER };
  const document = JSON.stringify({ stateMachine, history: events });
  const editor = await activated({
    configure: (vscode, files) => {
      const at = (name) => vscode.Uri.from({ scheme: "vscode-test-web", authority: "mount", path: name }).toString();
      files.set(at("/one.sfnrun"), gzipSync(document));
      files.set(at("/one.json"), new TextEncoder().encode(JSON.stringify({ events })));
    },
  });
  for (const name of ["/one.sfnrun", "/one.json"]) {
    await editor.registered.commands.get("stepglass.openRecorded")(
      editor.vscode.Uri.from({ scheme: "vscode-test-web", authority: "mount", path: name }),
    );
    const { request, until, frame } = await stopped(editor, resolved(editor, editor.started.at(-1).config));
    assert.equal((await frame()).name, "Charge");
    await request("next", { threadId: 1 });
    await until("stopped");
    assert.equal((await request("evaluate", { expression: "$.amount", frameId: (await frame()).id })).result, "5");
  }
  editor.vscode.window.activeTextEditor = undefined;
  await editor.registered.commands.get("stepglass.openRecorded")({ path: "/one.json" });
  assert.match(editor.shown[0], /Open the definition first/);
});

test("a definition whose text has errors says so instead of running", async () => {
  const editor = await activated({ text: ORDER.replace('"Next": "Done"', '"Next": "Nowhere"') });
  const { request } = await session(editor);
  await request("initialize", { adapterID: "stepglass" });
  await assert.rejects(request("launch", resolved(editor)), /Nowhere/);
});

/** Activates the extension for desktops, with files in a folder. The language server has a test of its own and does not start. */
async function onDesktop({ isTrusted = true } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "stepglass-desktop-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "order.asl.json"), ORDER);
  writeFileSync(join(folder, "tasks.mjs"), "export const Charge = (input) => ({ charged: input.total });\n");
  writeFileSync(join(folder, "template.json"), JSON.stringify(template(JSON.parse(ORDER))));
  const files = new Map();
  const editor = createEditor({ files, isTrusted });
  const extensionUri = editor.vscode.Uri.file(extension);
  const wasm = editor.vscode.Uri.joinPath(extensionUri, "dist", "stepglass.wasm");
  files.set(wasm.toString(), readFileSync(join(extension, "dist/stepglass.wasm")));
  const { activate } = loadWith(editor.vscode, join(extension, "dist/extension.js"));
  await activate({ subscriptions: [], extensionUri, extension: { id: "stepglass.stepglass" }, workspaceState: mementoOf() });
  return { ...editor, folder };
}

const template = (Definition) => ({
  Transform: "AWS::Serverless-2016-10-31",
  Resources: {
    Orders: { Type: "AWS::Serverless::StateMachine", Properties: { Definition, Role: "arn:aws:iam::123456789012:role/orders" } },
  },
});

test("on a desktop, the tasks of a module are run, with the input of the configuration", async () => {
  const editor = await onDesktop();
  const config = { type: "stepglass", request: "launch", name: "one", stopOnEntry: true, input: { total: 5 } };
  const { folder } = editor;
  const { request, until, frame } = await stopped(editor, {
    ...config,
    definition: join(folder, "order.asl.json"),
    tasks: join(folder, "tasks.mjs"),
  });
  assert.equal((await frame()).source.path, join(folder, "order.asl.json"));
  await request("next", { threadId: 1 });
  await until("stopped");
  const { result } = await request("evaluate", { expression: "$.charged", frameId: (await frame()).id, context: "watch" });
  assert.equal(result, "5");
});

test("on a desktop, a machine of a template is debugged in the template", async () => {
  const editor = await onDesktop();
  const definition = `${join(editor.folder, "template.json")}#Orders`;
  const { frame } = await stopped(editor, { type: "stepglass", request: "launch", definition, mocks: "generated", stopOnEntry: true });
  assert.equal((await frame()).source.path, join(editor.folder, "template.json"));
});

test("on a desktop, a folder that is not trusted loads no module", async () => {
  const editor = await onDesktop({ isTrusted: false });
  const { request } = await session(editor);
  await request("initialize", { adapterID: "stepglass" });
  const definition = join(editor.folder, "order.asl.json");
  await assert.rejects(request("launch", { definition, tasks: join(editor.folder, "tasks.mjs") }), /this folder is not trusted/);
});
