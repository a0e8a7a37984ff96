// The server in a web editor: a worker. It has no file system; the extension reads files for it.

import { BrowserMessageReader, BrowserMessageWriter, ProposedFeatures, createConnection } from "vscode-languageserver/browser";
import { initSync } from "../../../../js/core/border/instance.ts";
import type { Connection } from "../../../../js/cli/lsp/protocol.ts";
import { pathToFileURL } from "../shims/url.ts";
import { files } from "../shims/fs.ts";
import { READ_FILE } from "./protocol.ts";
import { serve } from "./service.ts";

const scope = globalThis as unknown as DedicatedWorkerGlobalScope;

// The first message is the WebAssembly module. All others belong to the Language Server Protocol.
scope.onmessage = ({ data }: MessageEvent<Uint8Array>) => {
  scope.onmessage = null;
  initSync(data);
  const connection = createConnection(ProposedFeatures.all, new BrowserMessageReader(scope), new BrowserMessageWriter(scope));
  serve(connection as unknown as Connection, {
    forget: (paths) => files.forget(paths),
    fetchMissing: () =>
      files.fetchMissing(async (path) => {
        const text: string | null = await connection.sendRequest(READ_FILE, { uri: pathToFileURL(path).href });
        return text ?? undefined;
      }),
  });
  scope.postMessage("ready");
};
