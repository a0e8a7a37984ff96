// The extension on a desktop, and on remote machines.

import { Uri, type ExtensionContext } from "vscode";
import { LanguageClient, TransportKind } from "vscode-languageclient/node";
import { nodeHost } from "../../../js/cli/dap/host.ts";
import { start } from "./extension.ts";
import type { Platform } from "./platform.ts";

const desktop: Platform = {
  createClient: async (context, options) => {
    const module = Uri.joinPath(context.extensionUri, "dist", "server.js").fsPath;
    return new LanguageClient("stepglass", "Stepglass", { module, transport: TransportKind.ipc }, options);
  },
  toServer: (uri) => uri.toString(),
  fromServer: (uri) => Uri.parse(uri),
  openFile: (definition, substitutions) => nodeHost.open(definition, substitutions),
  loadTasks: (path) => nodeHost.loadTasks(path),
};

export function activate(context: ExtensionContext): Promise<void> {
  return start(context, desktop);
}
