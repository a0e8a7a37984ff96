// The extension in a web editor.

import { Uri, workspace, type ExtensionContext } from "vscode";
import { LanguageClient } from "vscode-languageclient/browser";
import { start } from "./extension.ts";
import type { Platform } from "./platform.ts";
import { fromServer, toServer } from "./uris.ts";

const web: Platform = {
  createClient: async (context, options) => {
    const worker = new Worker(Uri.joinPath(context.extensionUri, "dist", "server-worker.js").toString(true), { name: "stepglass" });
    const module = await workspace.fs.readFile(Uri.joinPath(context.extensionUri, "dist", "stepglass.wasm"));
    const ready = new Promise<void>((resolve, reject) => {
      worker.onmessage = () => resolve();
      worker.onerror = (event) => reject(new Error(event.message || "the worker of the language server could not be loaded"));
    });
    worker.postMessage(module);
    await ready;
    worker.onmessage = null;
    const uriConverters = { code2Protocol: toServer, protocol2Code: fromServer };
    return new LanguageClient("stepglass", "Stepglass", worker, { ...options, uriConverters });
  },
  toServer,
  fromServer,
};

export function activate(context: ExtensionContext): Promise<void> {
  return start(context, web);
}
