// Activation, which desktop and web editors share.

import { workspace, type ExtensionContext } from "vscode";
import type { LanguageClientOptions } from "vscode-languageclient";
import { registerDebugger } from "./debugger.ts";
import { registerGraph } from "./graph.ts";
import { registerInlineValues } from "./inlineValues.ts";
import { registerLenses } from "./lenses.ts";
import { GivenResults } from "./mocks.ts";
import type { Platform } from "./platform.ts";
import { READ_FILE, type ReadFile } from "./server/protocol.ts";
import { registerRuns } from "./runs.ts";
import { registerTests } from "./tests.ts";

/** The server decides itself which of these documents have definitions. */
const LANGUAGES = ["asl", "asl-yaml", "json", "jsonc", "yaml", "terraform"];

export async function start(context: ExtensionContext, platform: Platform): Promise<void> {
  const options: LanguageClientOptions = {
    documentSelector: LANGUAGES.map((language) => ({ language })),
    synchronize: { configurationSection: "stepglass" },
  };
  const client = platform.createClient(context, options).then(async (created) => {
    context.subscriptions.push({ dispose: () => void created.stop() });
    created.onRequest(READ_FILE, ({ uri }: ReadFile) => textOf(platform.fromServer(uri)));
    await created.start();
    return created;
  });
  // The extension is active before its server is ready.
  client.catch((error: Error) => console.error(`Stepglass: the language server has not started: ${error.message}`));
  const results = new GivenResults(context);
  registerDebugger(context, platform, client, results);
  registerGraph(context, platform, client);
  registerTests(context, platform, client);
  registerLenses(context, results);
  registerInlineValues(context);
  registerRuns(context);
}

async function textOf(uri: Parameters<typeof workspace.fs.readFile>[0]): Promise<string | null> {
  try {
    return new TextDecoder().decode(await workspace.fs.readFile(uri));
  } catch {
    return null;
  }
}
