// The Language Server Protocol, from its library: a file of its own in dist, which only `stepglass lsp` loads.

export * from "vscode-languageserver/node";
export { TextDocument } from "vscode-languageserver-textdocument";
