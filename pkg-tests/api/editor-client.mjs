// A client of `stepglass lsp`, based on the libraries of the Language Server Protocol.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { after } from "node:test";
import { pathToFileURL } from "node:url";
import { TextDocument } from "vscode-languageserver-textdocument";
import protocol from "vscode-languageserver-protocol/node";
import { command, folderWith } from "./command.mjs";

const { StreamMessageReader, StreamMessageWriter, createProtocolConnection } = protocol;

/** Capabilities of an editor that pulls diagnostics. */
const PULLS = {
  textDocument: {
    diagnostic: {},
    completion: { completionItem: { snippetSupport: true } },
    codeAction: { resolveSupport: { properties: ["edit"] } },
  },
};
/** Capabilities of an editor that diagnostics are pushed to. */
export const PUSHED = { textDocument: { publishDiagnostics: {} } };

/** Starts an editor in a folder with these files. */
export async function editor(files = {}, { capabilities = PULLS, initializationOptions, configuration, args = [] } = {}) {
  const { folder } = folderWith(files);
  const child = spawn(process.execPath, [command, "lsp", ...args], { cwd: folder });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (data) => (stderr += data));
  const ended = new Promise((done) => child.on("close", (code) => done(code)));
  after(() => child.kill());
  const connection = createProtocolConnection(new StreamMessageReader(child.stdout), new StreamMessageWriter(child.stdin));
  const pushed = new Map();
  const waiting = new Set();
  connection.onNotification("textDocument/publishDiagnostics", (params) => {
    pushed.set(params.uri, params);
    for (const look of waiting) look();
  });
  const registered = [];
  connection.onRequest(
    "client/registerCapability",
    ({ registrations }) => void registered.push(...registrations.map(({ method }) => method)),
  );
  connection.onRequest("workspace/configuration", ({ items }) => items.map(() => configuration?.() ?? null));
  const logged = [];
  connection.onNotification("window/logMessage", ({ message }) => logged.push(message));
  connection.listen();
  const uriOf = (name) => pathToFileURL(join(folder, name)).href;
  const { capabilities: server, serverInfo } = await connection.sendRequest("initialize", {
    processId: process.pid,
    rootUri: pathToFileURL(folder).href,
    workspaceFolders: [{ uri: pathToFileURL(folder).href, name: "folder" }],
    capabilities,
    initializationOptions,
  });
  await connection.sendNotification("initialized", {});
  const documents = new Map();
  return {
    connection,
    folder,
    server,
    serverInfo,
    registered,
    logged,
    uriOf,
    child,
    ended,
    stderr: () => stderr,

    /** Opens a document. `¦` marks the cursor, and is not part of the text. */
    async open(name, marked, languageId = /ya?ml$/.test(name) ? "yaml" : "json") {
      const text = marked.replaceAll("¦", "");
      const uri = name.includes("://") || name.startsWith("untitled:") ? name : uriOf(name);
      const document = TextDocument.create(uri, languageId, 1, text);
      documents.set(uri, document);
      await connection.sendNotification("textDocument/didOpen", { textDocument: { uri, languageId, version: 1, text } });
      const at = marked.indexOf("¦");
      return new Open(connection, document, at < 0 ? 0 : at, { pushed, waiting });
    },

    async end() {
      await connection.sendRequest("shutdown");
      await connection.sendNotification("exit");
      return ended;
    },
  };
}

/** An open document. */
class Open {
  #connection;
  #pushed;
  #waiting;

  constructor(connection, document, offset, { pushed, waiting }) {
    this.#connection = connection;
    this.document = document;
    this.offset = offset;
    this.#pushed = pushed;
    this.#waiting = waiting;
  }

  get uri() {
    return this.document.uri;
  }

  get text() {
    return this.document.getText();
  }

  position(at = this.offset) {
    return this.document.positionAt(typeof at === "number" ? at : this.text.indexOf(at));
  }

  /** Sends a request about a position: an offset, or the offset of a text. */
  ask(method, at, more = {}) {
    return this.#connection.sendRequest(`textDocument/${method}`, {
      textDocument: { uri: this.uri },
      position: this.position(at),
      ...more,
    });
  }

  /** Sends a request about the document. */
  about(method, more = {}) {
    return this.#connection.sendRequest(`textDocument/${method}`, { textDocument: { uri: this.uri }, ...more });
  }

  /** Returns the edits of a code action, which the server may have left out. */
  async resolved(action) {
    const { edit } = action.edit ? action : await this.#connection.sendRequest("codeAction/resolve", action);
    return edit.changes[this.uri];
  }

  /** Pulls the document's problems: `[text at the position, code]`. */
  async problems() {
    const { items } = await this.about("diagnostic");
    return items.map(({ range, code }) => [this.cut(range), code]);
  }

  /** Waits until the pushed problems satisfy `right`, and returns them. */
  told(right) {
    return new Promise((done) => {
      const look = () => {
        const params = this.#pushed.get(this.uri);
        if (params === undefined || !right(params.diagnostics)) return;
        this.#waiting.delete(look);
        done(params.diagnostics);
      };
      this.#waiting.add(look);
      look();
    });
  }

  /** Returns the text in a range. */
  cut(range) {
    return this.document.getText(range);
  }

  /** Returns the text after the edits of a response. */
  edited(edits) {
    return TextDocument.applyEdits(this.document, edits);
  }

  /** Replaces the first occurrence of `old`. */
  async replace(old, text) {
    const start = this.text.indexOf(old);
    const range = { start: this.position(start), end: this.position(start + old.length) };
    this.document = TextDocument.update(this.document, [{ range, text }], this.document.version + 1);
    await this.#connection.sendNotification("textDocument/didChange", {
      textDocument: { uri: this.uri, version: this.document.version },
      contentChanges: [{ range, text }],
    });
  }

  async close() {
    await this.#connection.sendNotification("textDocument/didClose", { textDocument: { uri: this.uri } });
  }
}
