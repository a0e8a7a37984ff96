// What differs between a desktop and a web editor.

import type { ExtensionContext, Uri } from "vscode";
import type { BaseLanguageClient, LanguageClientOptions } from "vscode-languageclient";
import type { DebugProgram } from "../../../js/core/api/dap.d.ts";
import type { TaskHandlers } from "../../../js/core/api/index.d.ts";

export interface Platform {
  /** Creates the client of the server, which `start()` starts. */
  createClient(context: ExtensionContext, options: LanguageClientOptions): Promise<BaseLanguageClient>;
  /** Returns the URI of a document as the server knows it, and the reverse. */
  toServer(uri: Uri): string;
  fromServer(uri: string): Uri;
  /** Opens a definition on the disk. Undefined if there is no disk. */
  openFile?(definition: string, substitutions: Record<string, unknown>): DebugProgram;
  /** Loads a module with task handlers. Undefined if none can be loaded. */
  loadTasks?(path: string): Promise<TaskHandlers>;
}
