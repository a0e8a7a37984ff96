// Exports the library of the Language Server Protocol. It becomes a separate file in dist, which only `stepglass lsp` loads.

export * from "vscode-languageserver/node";
export { TextDocument } from "vscode-languageserver-textdocument";
