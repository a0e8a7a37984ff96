// The definition that a graph shows: a whole document, or a state machine of a template.

import { Range, window, type TextDocument } from "vscode";
import type { BaseLanguageClient } from "vscode-languageclient";
import type { Platform } from "./platform.ts";
import { DEFINITIONS, EDIT_DEFINITION, MERMAID, type FoundDefinition } from "./server/protocol.ts";

/** An edit of a text, from `start` to before `end`. */
interface Edit {
  start: number;
  end: number;
  text: string;
}

/** An edit of a document, as the language server gives it. */
interface ServerEdit {
  range: { start: { line: number; character: number }; end: { line: number; character: number } };
  newText: string;
}

export class Definition {
  readonly document: TextDocument;
  /** The logical id of the machine; undefined if the document is a definition, or before `text()` has found out. */
  id: string | undefined;
  #platform: Platform;
  #client: Promise<BaseLanguageClient>;
  #choice: Promise<string | undefined> | undefined;

  constructor(document: TextDocument, platform: Platform, client: Promise<BaseLanguageClient>) {
    this.document = document;
    this.#platform = platform;
    this.#client = client;
  }

  /** The text that the graph shows. A machine of a template is shown as JSON, whatever its template is written in. */
  async text(): Promise<string> {
    // Documents with these languages are definitions, so their graphs need not wait for the server.
    if (/^asl/.test(this.document.languageId)) return this.document.getText();
    this.#choice ??= this.#choose();
    this.id = await this.#choice;
    if (this.id === undefined) return this.document.getText();
    const found = (await this.#all()).find(({ id }) => id === this.id);
    if (found === undefined) throw new Error(`The template has no definition of ${this.id} any more.`);
    return found.json;
  }

  /** Converts edits of that text to edits of the document. Undefined if the text has changed since. */
  async edits(before: string, edits: readonly Edit[]): Promise<{ range: Range; text: string }[] | undefined> {
    const { document, id } = this;
    if (id !== undefined) {
      const written = await this.#ask<ServerEdit[] | null>(EDIT_DEFINITION, { id, before, edits });
      return written?.map(({ range: { start, end }, newText }) => ({
        range: new Range(start.line, start.character, end.line, end.character),
        text: newText,
      }));
    }
    if (document.getText() !== before) return undefined;
    return edits.map(({ start, end, text }) => ({ range: new Range(document.positionAt(start), document.positionAt(end)), text }));
  }

  /** Draws the definition as a Mermaid diagram. */
  async mermaid(): Promise<string> {
    const drawn = await this.#ask<string | null>(MERMAID, this.id === undefined ? {} : { id: this.id });
    if (drawn === null) throw new Error("There is no definition to draw.");
    return drawn;
  }

  /** Returns the id of the only machine, or of the one that the user chooses. */
  async #choose(): Promise<string | undefined> {
    const ids = (await this.#all()).flatMap(({ id }) => (id === undefined ? [] : [id]));
    if (ids.length < 2) return ids[0];
    return (await window.showQuickPick(ids, { title: "Which state machine?" })) ?? ids[0];
  }

  #all(): Promise<FoundDefinition[]> {
    return this.#ask(DEFINITIONS, {});
  }

  async #ask<Answer>(request: string, given: object): Promise<Answer> {
    return (await this.#client).sendRequest(request, { uri: this.#platform.toServer(this.document.uri), ...given });
  }
}
