// The graph of a definition: an editor of the same document, beside its text.

import {
  Range,
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
  type DocumentSymbol,
  type ExtensionContext,
  type TextDocument,
  type TextEditor,
  type Webview,
  type WebviewPanel,
} from "vscode";
import { TYPE } from "./configuration.ts";
import { marksOf, type GraphEvent, type Mark } from "./marks.ts";
import { outlineOf } from "./states.ts";
import { namedSymbol, symbolAt } from "./symbols.ts";
import type { FromGraph, ToGraph } from "./webview/messages.ts";
import { uriOf } from "./uris.ts";

export const GRAPH_COMMAND = "stepglass.showGraph";
const VIEW = "stepglass.graph";

/** How long the selection of the text must stand still until the graph follows it, in milliseconds. */
const PAUSE = 100;

export function registerGraph(context: ExtensionContext): void {
  const graphs = new Graphs(context.extensionUri);
  context.subscriptions.push(
    window.registerCustomEditorProvider(VIEW, graphs, {
      webviewOptions: { retainContextWhenHidden: true },
      supportsMultipleEditorsPerDocument: true,
    }),
    commands.registerCommand(GRAPH_COMMAND, (given?: Uri) => show(given)),
    commands.registerCommand("stepglass.showText", (given?: Uri) => showText(given)),
    workspace.onDidChangeTextDocument(({ document }) => graphs.changed(document)),
    window.onDidChangeTextEditorSelection(({ textEditor }) => graphs.selected(textEditor)),
    debug.onDidReceiveDebugSessionCustomEvent(({ session, event, body }) => {
      if (session.type !== TYPE || event !== "stepglass/graph") return;
      const { definition } = session.configuration as { definition?: unknown };
      graphs.mark(session.id, typeof definition === "string" ? definition : undefined, body as GraphEvent);
    }),
    debug.onDidTerminateDebugSession((session) => graphs.unmark(session.id)),
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

class Graphs implements CustomTextEditorProvider {
  #graphs = new Set<Graph>();
  /** The run on each document's graph, by the document's URI. */
  #runs = new Map<string, { session: string; marks: Record<string, Mark> }>();
  #extension: Uri;

  constructor(extension: Uri) {
    this.#extension = extension;
  }

  resolveCustomTextEditor(document: TextDocument, panel: WebviewPanel): void {
    const graph = new Graph(document, panel, this.#extension);
    this.#graphs.add(graph);
    panel.onDidDispose(() => this.#graphs.delete(graph));
    graph.marks = this.#runs.get(document.uri.toString())?.marks;
  }

  changed(document: TextDocument): void {
    for (const graph of this.#of(document.uri)) graph.write();
  }

  selected(editor: TextEditor): void {
    for (const graph of this.#of(editor.document.uri)) graph.follow(editor);
  }

  mark(session: string, definition: string | undefined, event: GraphEvent): void {
    // What a template has is no document of a graph.
    if (definition === undefined || definition.includes("#")) return;
    const uri = uriOf(definition);
    const marks = marksOf(event);
    this.#runs.set(uri.toString(), { session, marks });
    for (const graph of this.#of(uri)) {
      graph.marks = marks;
      const current = event.current[0];
      if (current !== undefined) graph.reveal(current);
    }
  }

  unmark(session: string): void {
    for (const [uri, run] of this.#runs) {
      if (run.session !== session) continue;
      this.#runs.delete(uri);
      for (const graph of this.#of(Uri.parse(uri))) graph.marks = undefined;
    }
  }

  #of(uri: Uri): Graph[] {
    return [...this.#graphs].filter(({ document }) => document.uri.toString() === uri.toString());
  }
}

class Graph {
  readonly document: TextDocument;
  #webview: Webview;
  #marks: Record<string, Mark> | undefined;
  #isReady = false;
  /** Edits are applied one after the other. */
  #edits: Promise<void> = Promise.resolve();
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The state that was selected last, on either side. */
  #state = "";

  constructor(document: TextDocument, panel: WebviewPanel, extension: Uri) {
    this.document = document;
    this.#webview = panel.webview;
    const folder = Uri.joinPath(extension, "dist");
    panel.webview.options = { enableScripts: true, localResourceRoots: [folder] };
    panel.webview.onDidReceiveMessage((message: FromGraph) => this.#receive(message));
    panel.webview.html = pageOf(panel.webview, folder);
    panel.onDidDispose(() => clearTimeout(this.#timer));
  }

  set marks(marks: Record<string, Mark> | undefined) {
    this.#marks = marks;
    this.#send({ kind: "marks", ...(marks && { marks }) });
  }

  /** Shows the present text. */
  write(): void {
    this.#send({ kind: "text", text: this.document.getText() });
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
        this.marks = this.#marks;
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
    const { document } = this;
    if (document.getText() === before) {
      const all = new WorkspaceEdit();
      for (const { start, end, text } of edits)
        all.replace(document.uri, new Range(document.positionAt(start), document.positionAt(end)), text);
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
    editor.revealRange(found.range as Range, TextEditorRevealType.InCenterIfOutsideViewport);
  }

  #symbols(): Promise<DocumentSymbol[]> {
    return outlineOf(this.document.uri);
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
