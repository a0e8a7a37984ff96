// The graph of a definition: an editor of the same document, beside its text.

import {
  Selection,
  TabInputCustom,
  TextEditorRevealType,
  Uri,
  ViewColumn,
  WorkspaceEdit,
  commands,
  debug,
  window,
  workspace,
  type CustomTextEditorProvider,
  type DebugSession,
  type DocumentSymbol,
  type ExtensionContext,
  type TextDocument,
  type TextEditor,
  type Webview,
  type WebviewPanel,
} from "vscode";
import type { BaseLanguageClient } from "vscode-languageclient";
import { TYPE, splitId } from "./configuration.ts";
import { Definition } from "./graph-definition.ts";
import { exportGraph } from "./graph-export.ts";
import { marksOf, type GraphEvent, type Mark } from "./marks.ts";
import type { Platform } from "./platform.ts";
import { outlineOf } from "./states.ts";
import { namedSymbol, symbolAt } from "./symbols.ts";
import type { FromGraph, PictureFormat, Time, ToGraph } from "./webview/messages.ts";
import { uriOf } from "./uris.ts";

export const GRAPH_COMMAND = "stepglass.showGraph";
const VIEW = "stepglass.graph";

/** How long the selection of the text must stand still until the graph follows it, in milliseconds. */
const PAUSE = 100;

export function registerGraph(context: ExtensionContext, platform: Platform, client: Promise<BaseLanguageClient>): void {
  const graphs = new Graphs(context.extensionUri, (document) => new Definition(document, platform, client));
  context.subscriptions.push(
    window.registerCustomEditorProvider(VIEW, graphs, {
      webviewOptions: { retainContextWhenHidden: true },
      supportsMultipleEditorsPerDocument: true,
    }),
    commands.registerCommand(GRAPH_COMMAND, (given?: Uri) => show(given)),
    commands.registerCommand("stepglass.exportGraph", async () => {
      const graph = graphs.active;
      if (graph === undefined) void window.showInformationMessage("Show the graph of a state machine first.");
      else await exportGraph({ definition: graph.definition, draw: (format) => graph.draw(format) });
    }),
    commands.registerCommand("stepglass.showText", (given?: Uri) => showText(given)),
    workspace.onDidChangeTextDocument(({ document }) => graphs.changed(document)),
    window.onDidChangeTextEditorSelection(({ textEditor }) => graphs.selected(textEditor)),
    debug.onDidReceiveDebugSessionCustomEvent(({ session, event, body }) => {
      if (session.type !== TYPE || event !== "stepglass/graph") return;
      const { definition } = session.configuration as { definition?: unknown };
      graphs.mark(session, typeof definition === "string" ? definition : undefined, body as GraphEvent);
    }),
    debug.onDidTerminateDebugSession((session) => graphs.unmark(session)),
  );
}

async function show(given: Uri | undefined): Promise<void> {
  const uri = given ?? window.activeTextEditor?.document.uri;
  if (uri === undefined) {
    void window.showInformationMessage("Open a state machine first.");
    return;
  }
  await commands.executeCommand("vscode.openWith", uri, VIEW, { viewColumn: ViewColumn.Beside, preserveFocus: true });
}

/** If a graph has the focus, moves it to the text: VS Code would open the text over the graph when a run stops. */
export async function leaveGraph(): Promise<void> {
  const input = window.tabGroups.activeTabGroup.activeTab?.input;
  if (!(input instanceof TabInputCustom) || input.viewType !== VIEW) return;
  const text = window.visibleTextEditors.find(({ document }) => document.uri.toString() === input.uri.toString());
  await window.showTextDocument(input.uri, { viewColumn: text?.viewColumn ?? ViewColumn.Beside });
}

async function showText(given: Uri | undefined): Promise<void> {
  const input = window.tabGroups.activeTabGroup.activeTab?.input;
  const uri = given ?? (input instanceof TabInputCustom ? input.uri : undefined);
  if (uri !== undefined) await window.showTextDocument(uri, { viewColumn: ViewColumn.Beside });
}

/** A run, as the graph of its definition shows it. */
interface ShownRun {
  session: DebugSession;
  /** The logical id, for a machine of a template. */
  id: string | undefined;
  marks: Record<string, Mark>;
  time: Time;
}

class Graphs implements CustomTextEditorProvider {
  #graphs = new Set<Graph>();
  /** The run on each document's graph, by the document's URI. */
  #runs = new Map<string, ShownRun>();
  #extension: Uri;
  #open: (document: TextDocument) => Definition;

  constructor(extension: Uri, open: (document: TextDocument) => Definition) {
    this.#extension = extension;
    this.#open = open;
  }

  /** The graph that has the focus. */
  get active(): Graph | undefined {
    return [...this.#graphs].find(({ isActive }) => isActive);
  }

  resolveCustomTextEditor(document: TextDocument, panel: WebviewPanel): void {
    const graph = new Graph(this.#open(document), panel, this.#extension);
    this.#graphs.add(graph);
    panel.onDidDispose(() => this.#graphs.delete(graph));
    graph.run = this.#runs.get(document.uri.toString());
  }

  changed(document: TextDocument): void {
    for (const graph of this.#of(document.uri)) graph.write();
  }

  selected(editor: TextEditor): void {
    for (const graph of this.#of(editor.document.uri)) graph.follow(editor);
  }

  mark(session: DebugSession, definition: string | undefined, event: GraphEvent): void {
    if (definition === undefined) return;
    const [file, id] = splitId(definition);
    const uri = uriOf(file);
    const run = { session, id, marks: marksOf(event), time: { event: event.event, events: event.events } };
    this.#runs.set(uri.toString(), run);
    for (const graph of this.#of(uri)) {
      graph.run = run;
      const current = event.current[0];
      if (current !== undefined) graph.reveal(current);
    }
  }

  unmark({ id }: DebugSession): void {
    for (const [uri, run] of this.#runs) {
      if (run.session.id !== id) continue;
      this.#runs.delete(uri);
      for (const graph of this.#of(Uri.parse(uri))) graph.run = undefined;
    }
  }

  #of(uri: Uri): Graph[] {
    return [...this.#graphs].filter(({ document }) => document.uri.toString() === uri.toString());
  }
}

class Graph {
  readonly definition: Definition;
  readonly document: TextDocument;
  #panel: WebviewPanel;
  #webview: Webview;
  #run: ShownRun | undefined;
  /** Who waits for a picture. */
  #drawn: ((data: string) => void) | undefined;
  #isReady = false;
  /** Edits are applied one after the other. */
  #edits: Promise<void> = Promise.resolve();
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The state that was selected last, on either side. */
  #state = "";

  constructor(definition: Definition, panel: WebviewPanel, extension: Uri) {
    this.definition = definition;
    this.document = definition.document;
    this.#panel = panel;
    this.#webview = panel.webview;
    const folder = Uri.joinPath(extension, "dist");
    panel.webview.options = { enableScripts: true, localResourceRoots: [folder] };
    panel.webview.onDidReceiveMessage((message: FromGraph) => this.#receive(message));
    panel.webview.html = pageOf(panel.webview, folder);
    panel.onDidDispose(() => clearTimeout(this.#timer));
  }

  get isActive(): boolean {
    return this.#panel.active;
  }

  set run(run: ShownRun | undefined) {
    this.#run = run;
    const { id } = this.definition;
    const isOwn = run !== undefined && (run.id === undefined || id === undefined || run.id === id);
    this.#send({ kind: "marks", ...(isOwn && { marks: run.marks, time: run.time }) });
  }

  /** Shows the present text. */
  write(): void {
    this.definition.text().then(
      (text) => this.#send({ kind: "text", text }),
      (error: Error) => void window.showErrorMessage(error.message),
    );
  }

  /** Returns a picture of the graph: an SVG document, or a PNG file in base64. */
  draw(format: PictureFormat): Promise<string> {
    return new Promise((done) => {
      this.#drawn = done;
      this.#send({ kind: "draw", format });
    });
  }

  /** Selects a state. */
  reveal(state: string): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#send({ kind: "select", state });
  }

  /** Selects the state at the cursor of a text editor. */
  follow(editor: TextEditor): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      void this.#symbols().then((symbols) => this.reveal(symbolAt(symbols, editor.selection.active)?.name ?? this.#state));
    }, PAUSE);
  }

  #send(message: ToGraph): void {
    if (this.#isReady) void this.#webview.postMessage(message);
  }

  #receive(message: FromGraph): void {
    switch (message.kind) {
      case "ready":
        this.#isReady = true;
        this.write();
        this.run = this.#run;
        return;
      case "goto":
        void this.#run?.session.customRequest("stepglass/goto", { event: message.event });
        return;
      case "picture":
        this.#drawn?.(message.data);
        return;
      case "change":
        this.#edits = this.#edits.then(() => this.#apply(message));
        return;
      case "select":
        void this.#select(message.state);
        return;
      case "save":
        void this.document.save();
        return;
      case "undo":
      case "redo":
        void commands.executeCommand(message.kind);
        return;
      case "problem":
        void window.showErrorMessage(message.message);
    }
  }

  /** Makes the edits of a gesture in the document, as one step of its undo history. */
  async #apply({ before, edits }: Extract<FromGraph, { kind: "change" }>): Promise<void> {
    const { version } = this.document;
    const written = await this.definition.edits(before, edits);
    if (written !== undefined && this.document.version === version) {
      const all = new WorkspaceEdit();
      for (const { range, text } of written) all.replace(this.document.uri, range, text);
      if (await workspace.applyEdit(all)) return;
    }
    // The text has changed meanwhile, so the gesture is dropped.
    this.write();
  }

  async #select(state: string): Promise<void> {
    this.#state = state;
    const editor = window.visibleTextEditors.find(({ document }) => document.uri.toString() === this.document.uri.toString());
    if (state === "" || editor === undefined) return;
    const found = namedSymbol(await this.#symbols(), state);
    if (found === undefined) return;
    const { start } = found.selectionRange;
    editor.selection = new Selection(start, start);
    editor.revealRange(found.range, TextEditorRevealType.InCenterIfOutsideViewport);
  }

  async #symbols(): Promise<DocumentSymbol[]> {
    const all = await outlineOf(this.document.uri);
    const { id } = this.definition;
    return id === undefined ? all : (all.find(({ name }) => name === id)?.children ?? []);
  }
}

/** Returns the page of a graph. Its policy allows nothing but the extension's own files. */
function pageOf(webview: Webview, folder: Uri): string {
  const at = (name: string): string => webview.asWebviewUri(Uri.joinPath(folder, name)).toString();
  const own = webview.cspSource;
  const policy = [
    "default-src 'none'",
    `script-src ${own} 'wasm-unsafe-eval'`,
    `style-src ${own}`,
    "worker-src blob:",
    "img-src data:",
    `connect-src ${own} blob:`,
    `font-src ${own}`,
  ].join("; ");
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="${policy}" />
    <link rel="stylesheet" href="${at("graph.css")}" />
    <title>Graph</title>
  </head>
  <body data-worker="${at("debugger-worker.js")}" data-wasm="${at("stepglass.wasm")}">
    <script type="module" src="${at("graph.js")}"></script>
  </body>
</html>`;
}
