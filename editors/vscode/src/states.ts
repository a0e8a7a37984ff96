// The states of a document, as the language server lists them.

import { commands, type DocumentSymbol, type Uri } from "vscode";

/** Returns the outline of a document: its states, or the state machines of a template with their states. */
export async function outlineOf(uri: Uri): Promise<DocumentSymbol[]> {
  const found: unknown = await commands.executeCommand("vscode.executeDocumentSymbolProvider", uri);
  return Array.isArray(found) ? (found as DocumentSymbol[]) : [];
}
