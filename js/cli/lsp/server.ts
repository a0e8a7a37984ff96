// The language server, on standard input and output.

import { fileURLToPath } from "node:url";
import type { TextEdit, TextRange } from "../../core/api/index.d.ts";
import { version } from "../../core/definition/definition.ts";
import { Unusable } from "../../language/files/problem.ts";
import { readThrough } from "../../language/files/reading.ts";
import { Reading } from "./document.ts";
import { hintsIn } from "./hints.ts";
import { definitionAt, highlightsAt, linksOf, referencesAt, renamable, renamed, symbolsOf, type Opened } from "./names.ts";
import { diagnosticsOf, rangeOf } from "./problems.ts";
import {
  CodeActionKind,
  DidChangeConfigurationNotification,
  DidChangeWatchedFilesNotification,
  DocumentDiagnosticReportKind,
  LSPErrorCodes,
  ProposedFeatures,
  ResponseError,
  TextDocument,
  TextDocumentSyncKind,
  TextDocuments,
  createConnection,
  type CancellationToken,
  type ClientCapabilities,
  type Connection,
  type InitializeParams,
  type InitializeResult,
  type Position,
  type Range,
  type SemanticTokens,
} from "./protocol.ts";
import { documentOf, resolved } from "./refactorings.ts";
import { DEFAULTS, settingsFrom, type Settings } from "./settings.ts";
import { LEGEND, tokensOf } from "./tokens.ts";
import { symbolsBelow } from "./workspace.ts";
import { actionsIn, completionsAt, foldsOf, formatted, hoverAt, selectionsAt } from "./writing.ts";

/** Delay after the last change before problems are sent, in milliseconds. */
const PAUSE = 150;

/** Serves an editor. The process ends with the connection. */
export function serve(): Promise<never> {
  // Standard output belongs to the protocol.
  console.log = console.error;
  const connection = createConnection(ProposedFeatures.all, process.stdin, process.stdout);
  new LanguageServer(connection);
  connection.listen();
  return new Promise(() => {});
}

/** The language server on a connection, which the caller opens and begins to listen to. `forget` gets the paths of changed files. */
export class LanguageServer {
  #connection: Connection;
  #documents = new TextDocuments(TextDocument);
  #readings = new Map<string, { version: number; reading: Reading }>();
  #timers = new Map<string, NodeJS.Timeout>();
  #capabilities: ClientCapabilities = {};
  #folders: string[] = [];
  #settings: Settings = DEFAULTS;
  /** Increases when the settings change, or files that templates include. */
  #generation = 0;

  constructor(connection: Connection, { forget }: { forget?: (paths: string[]) => void } = {}) {
    this.#connection = connection;
    connection.onInitialize((params) => this.#initialize(params));
    connection.onInitialized(() => this.#initialized());
    connection.onDidChangeConfiguration(({ settings }) => this.#configure(settings?.stepglass));
    connection.onDidChangeWatchedFiles(({ changes }) => {
      forget?.(changes.map(({ uri }) => pathOf(uri)));
      this.refresh();
    });
    this.#documents.onDidChangeContent(({ document: { uri } }) => this.#changed(uri));
    this.#documents.onDidClose(({ document: { uri } }) => this.#closed(uri));
    this.#documents.listen(connection);
    this.#listen();
    this.#listenForAdditions();
    // The text of an open document takes precedence over its file.
    readThrough((file) => {
      if (file === "-") throw new Unusable("standard input belongs to the protocol");
      return this.#documents
        .all()
        .find(({ uri }) => uri.startsWith("file:") && pathOf(uri) === file)
        ?.getText();
    });
  }

  #initialize({ capabilities, initializationOptions, workspaceFolders, rootUri }: InitializeParams): InitializeResult {
    this.#capabilities = capabilities;
    const roots = workspaceFolders?.map(({ uri }) => uri) ?? (rootUri ? [rootUri] : []);
    this.#folders = roots.filter((uri) => uri.startsWith("file:")).map((uri) => pathOf(uri));
    this.#settings = this.#read(initializationOptions);
    return {
      serverInfo: { name: "stepglass", version: version() },
      capabilities: {
        positionEncoding: "utf-16",
        textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental },
        diagnosticProvider: { identifier: "stepglass", interFileDependencies: true, workspaceDiagnostics: false },
        completionProvider: { triggerCharacters: ['"', ".", "$"] },
        hoverProvider: true,
        definitionProvider: true,
        referencesProvider: true,
        documentHighlightProvider: true,
        documentSymbolProvider: true,
        workspaceSymbolProvider: true,
        documentLinkProvider: {},
        renameProvider: { prepareProvider: true },
        documentFormattingProvider: true,
        foldingRangeProvider: true,
        selectionRangeProvider: true,
        codeActionProvider: {
          codeActionKinds: [CodeActionKind.QuickFix, CodeActionKind.RefactorRewrite, CodeActionKind.RefactorInline],
          resolveProvider: true,
        },
        semanticTokensProvider: { legend: LEGEND, full: true, range: true },
        inlayHintProvider: true,
        workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
      },
    };
  }

  async #initialized(): Promise<void> {
    const { workspace } = this.#capabilities;
    const { client } = this.#connection;
    if (workspace?.didChangeConfiguration?.dynamicRegistration)
      await client.register(DidChangeConfigurationNotification.type, { section: "stepglass" });
    if (workspace?.didChangeWatchedFiles?.dynamicRegistration)
      await client.register(DidChangeWatchedFilesNotification.type, { watchers: [{ globPattern: "**/*.{json,yaml,yml}" }] });
    if (workspace?.workspaceFolders)
      this.#connection.workspace.onDidChangeWorkspaceFolders(({ added, removed }) => {
        const gone = new Set(removed.map(({ uri }) => pathOf(uri)));
        this.#folders = [...this.#folders.filter((folder) => !gone.has(folder)), ...added.map(({ uri }) => pathOf(uri))];
      });
    if (workspace?.configuration) await this.#configure(undefined);
  }

  #listen(): void {
    const on = this.#connection;
    on.onCompletion(({ textDocument, position }) =>
      this.#at(textDocument, position, null, (opened, offset) => {
        const snippets = this.#capabilities.textDocument?.completion?.completionItem?.snippetSupport === true;
        return completionsAt(opened, offset, snippets);
      }),
    );
    on.onHover(({ textDocument, position }) => this.#at(textDocument, position, null, hoverAt));
    on.onDefinition(({ textDocument, position }) => this.#at(textDocument, position, [], definitionAt));
    on.onReferences(({ textDocument, position, context }) =>
      this.#at(textDocument, position, [], (opened, offset) => referencesAt(opened, offset, context.includeDeclaration)),
    );
    on.onDocumentHighlight(({ textDocument, position }) => this.#at(textDocument, position, [], highlightsAt));
    on.onPrepareRename(({ textDocument, position }) => this.#at(textDocument, position, null, renamable));
    on.onRenameRequest(({ textDocument, position, newName }) =>
      this.#at(textDocument, position, null, (opened, offset) => ({
        changes: { [textDocument.uri]: renamed(opened, offset, newName) },
      })),
    );
    on.onDocumentSymbol(({ textDocument }) => this.#in(textDocument, [], symbolsOf));
    on.onDocumentLinks(({ textDocument }) => this.#in(textDocument, [], linksOf));
    on.onFoldingRanges(({ textDocument }) => this.#in(textDocument, [], foldsOf));
    on.onSelectionRanges(({ textDocument, positions }) =>
      this.#in(textDocument, [], (opened) =>
        selectionsAt(
          opened,
          positions.map((position) => opened.document.offsetAt(position)),
        ),
      ),
    );
    on.onDocumentFormatting(({ textDocument, options }) => this.#in(textDocument, [], (opened) => formatted(opened, indentOf(options))));
    on.onWorkspaceSymbol(({ query }, token) => symbolsBelow(this.#folders, query, () => checkWanted(token)));
    on.languages.diagnostics.on(({ textDocument, previousResultId }) => {
      const opened = this.#opened(textDocument.uri);
      if (opened === undefined) return { kind: DocumentDiagnosticReportKind.Full, items: [] };
      const resultId = `${opened.document.version}.${this.#generation}`;
      if (resultId === previousResultId) return { kind: DocumentDiagnosticReportKind.Unchanged, resultId };
      return { kind: DocumentDiagnosticReportKind.Full, resultId, items: diagnosticsOf(opened.document, opened.reading, this.#settings) };
    });
  }

  /** Answers what an editor adds to a document: code actions, tokens and hints. */
  #listenForAdditions(): void {
    const on = this.#connection;
    on.onCodeAction(({ textDocument, range, context }) =>
      this.#in(textDocument, [], (opened) => {
        const wanted = (kind = "") => context.only?.some((one) => kind === one || kind.startsWith(`${one}.`)) ?? true;
        const found = actionsIn(opened, range, context.diagnostics, this.#settings).filter(({ kind }) => wanted(kind));
        const later = this.#capabilities.textDocument?.codeAction?.resolveSupport?.properties.includes("edit");
        return later ? found : found.flatMap((action) => (action.edit ? [action] : (resolved(opened, action) ?? [])));
      }),
    );
    on.onCodeActionResolve((action) => {
      const found = action.edit ? action : this.#in({ uri: documentOf(action) }, undefined, (opened) => resolved(opened, action));
      if (found === undefined) throw new ResponseError(LSPErrorCodes.ContentModified, "the document has changed");
      return found;
    });
    const none: SemanticTokens = { data: [] };
    on.languages.semanticTokens.on(({ textDocument }) => this.#in(textDocument, none, (opened) => tokensOf(opened)));
    on.languages.semanticTokens.onRange(({ textDocument, range }) =>
      this.#in(textDocument, none, (opened) => tokensOf(opened, spanOf(opened.document, range))),
    );
    on.languages.inlayHint.on(({ textDocument, range }) =>
      this.#in(textDocument, [], (opened) => hintsIn(opened, spanOf(opened.document, range), this.#settings)),
    );
  }

  /** Returns the answer about a document, or `none` if it is not open. */
  #in<Answer>({ uri }: { uri: string }, none: Answer, answer: (opened: Opened) => Answer): Answer {
    const opened = this.#opened(uri);
    return opened === undefined ? none : answer(opened);
  }

  /** Returns the answer about a position of a document. */
  #at<Answer>({ uri }: { uri: string }, position: Position, none: Answer, answer: (opened: Opened, offset: number) => Answer): Answer {
    const opened = this.#opened(uri);
    return opened === undefined ? none : answer(opened, opened.document.offsetAt(position));
  }

  /** Returns the definitions in an open document as JSON. Those of a template have their logical ids. */
  definitionsIn(uri: string): { id?: string; json: string }[] {
    return this.#in({ uri }, [], ({ reading }) => reading.parts.map(({ id, json }) => ({ json, ...(id !== undefined && { id }) })));
  }

  /**
   * Converts edits of a definition's JSON to edits of its document. Undefined if the JSON is not `before`, or if the document cannot
   * express them.
   */
  editsOf({
    uri,
    id,
    before,
    edits,
  }: {
    uri: string;
    id: string;
    before: string;
    edits: TextEdit[];
  }): { range: Range; newText: string }[] | undefined {
    return this.#in({ uri }, undefined, ({ document, reading }) => {
      const part = reading.parts.find((one) => one.id === id && one.json === before);
      return part?.edits(edits)?.map((edit) => ({ range: rangeOf(document, edit), newText: edit.text }));
    });
  }

  #opened(uri: string): Opened | undefined {
    const document = this.#documents.get(uri);
    if (document === undefined) return undefined;
    const { version: at, languageId } = document;
    let known = this.#readings.get(uri);
    if (known?.version !== at) {
      known = { version: at, reading: new Reading(pathOf(uri), languageId, document.getText()) };
      this.#readings.set(uri, known);
    }
    return { document, reading: known.reading };
  }

  // -------------------------------------------------------------------------------------------- problems

  /** Whether the editor requests problems itself. */
  get #pulls(): boolean {
    return this.#capabilities.textDocument?.diagnostic !== undefined;
  }

  #changed(uri: string): void {
    if (this.#pulls) return;
    clearTimeout(this.#timers.get(uri));
    this.#timers.set(
      uri,
      setTimeout(() => this.#push(uri), PAUSE),
    );
  }

  #push(uri: string): void {
    this.#timers.delete(uri);
    const opened = this.#opened(uri);
    if (opened === undefined) return;
    const { document, reading } = opened;
    const diagnostics = diagnosticsOf(document, reading, this.#settings);
    void this.#connection.sendDiagnostics({ uri, version: document.version, diagnostics });
  }

  #closed(uri: string): void {
    clearTimeout(this.#timers.get(uri));
    this.#timers.delete(uri);
    this.#readings.delete(uri);
    if (!this.#pulls) void this.#connection.sendDiagnostics({ uri, diagnostics: [] });
  }

  /** Updates the problems of all documents after something that they depend on has changed. */
  refresh(): void {
    this.#generation += 1;
    // The parsed data of a template depends on the files that it includes.
    this.#readings.clear();
    if (!this.#pulls) for (const { uri } of this.#documents.all()) this.#changed(uri);
    else if (this.#capabilities.workspace?.diagnostics?.refreshSupport) this.#connection.languages.diagnostics.refresh();
  }

  // -------------------------------------------------------------------------------------------- settings

  async #configure(sent: unknown): Promise<void> {
    const asked = this.#capabilities.workspace?.configuration;
    const given: unknown = asked ? await this.#connection.workspace.getConfiguration("stepglass") : sent;
    if (given !== null && given !== undefined) this.#settings = this.#read(given);
    this.refresh();
  }

  #read(given: unknown): Settings {
    return settingsFrom(given, (problem) => this.#connection.console.warn(problem));
  }
}

/** Returns the path of a document. An unsaved document has only a name. */
export function pathOf(uri: string): string {
  try {
    if (uri.startsWith("file:")) return fileURLToPath(uri);
  } catch {
    // The path of another machine is treated like a name.
  }
  try {
    return decodeURIComponent(uri.replace(/^[a-z][\w+.-]*:\/*/i, "")) || "untitled";
  } catch {
    return "untitled";
  }
}

function spanOf(document: TextDocument, { start, end }: Range): TextRange {
  return { start: document.offsetAt(start), end: document.offsetAt(end) };
}

function indentOf({ tabSize }: { tabSize: number }): number {
  return Number.isInteger(tabSize) ? Math.max(1, Math.min(8, tabSize)) : 2;
}

/** Throws if the editor has cancelled the request. */
function checkWanted(token: CancellationToken): void {
  if (token.isCancellationRequested) throw new ResponseError(LSPErrorCodes.RequestCancelled, "cancelled");
}
