// The command `stepglass console` shows the executions of a store in a browser, without changing anything.

import { messageOf } from "../core/base/errors.ts";
import { Unusable } from "../language/files/problem.ts";
import { accessOf } from "./access.ts";
import { defineCommand, type Options, type Values } from "./command.ts";
import { whole } from "./numbers.ts";
import { openedStore } from "./opened-store.ts";
import { shutdownSignal } from "./shutdown.ts";

const help = `stepglass console --store STORE [options]

Shows the executions of a store in a browser: lists with filters, counts over time, each execution in the debugger. It only
reads, so it can run beside the Runtime or the server that writes to the store.

  stepglass console --store sqlite:orders.db              the SQLite file of a Runtime
  stepglass console --store postgres://user@host/app      a PostgreSQL database; needs the package pg
  stepglass console --store ./data                        the folder of stepglass serve --data

To signal, stop, redrive and migrate executions, too, serve the console from the program that runs them, with serveConsole()
of stepglass/server. stepglass serve has the same pages, at /debugger/.

Options
      --store STORE      sqlite:FILE, a folder of stepglass serve, or postgres://…; SQLite needs Node 22.13 or newer
      --codecs MODULE    the codecs of an encoded store: a module whose default export is their list
      --host ADDRESS     default 127.0.0.1; 0.0.0.0 lets other machines connect: set --access
      --access FILE      checks tokens: JSON with {"keys": [{"name", "token", "prefix"}]}
  -p, --port NUMBER      default 8084; 0 chooses a free port
      --allow-host NAME  also serves the pages under this host name; can be repeated
      --json             prints one line of JSON once it listens: {"url", "port", "pid"}

Exit code: 0 stopped by a signal; 2 wrong usage, a store that cannot be read, or it cannot listen.
`;

const options = {
  store: { type: "string", file: true },
  codecs: { type: "string", file: true },
  host: { type: "string" },
  access: { type: "string", file: true },
  port: { type: "string", short: "p" },
  "allow-host": { type: "string", multiple: true },
  json: { type: "boolean" },
} as const satisfies Options;

export const command = defineCommand({
  name: "console",
  summary: "show the executions of a store in a browser, beside what runs them",
  help,
  options,
  run: show,
});

const PORT = 8084;

async function show(files: string[], values: Values<typeof options>): Promise<number> {
  if (files.length > 0) throw new Unusable(`console takes no files, but was given ${files[0]}`, { usage: true });
  if (values.store === undefined) throw new Unusable("--store says which store", { usage: true });
  const port = values.port === undefined ? PORT : whole(values.port, "--port", 0, 65_535);
  const host = values.host ?? "127.0.0.1";
  const access = accessOf(values.access, undefined);
  const service = await openedStore(values.store.replace(/^sqlite:(\/\/)?/, ""), { reads: true, codecs: values.codecs });
  const [{ Endpoint }, { storeSource }, { component, playground }, { Access }] = await Promise.all([
    import("../server/http.ts"),
    import("../server/pages/source.ts"),
    import("../entries/wasm-file.ts"),
    import("../server/protocol/access.ts"),
  ]);
  const endpoint = new Endpoint(undefined, {
    log: () => {},
    source: storeSource(service),
    ...{ page: playground, component },
    ...(access !== undefined && { access: new Access(access) }),
    ...(values["allow-host"] !== undefined && { allowHosts: values["allow-host"] }),
  });
  try {
    const taken = await endpoint.listen(port, host).catch((error: unknown) => {
      throw new Unusable(`cannot listen on ${host}, port ${port}: ${messageOf(error)}`);
    });
    const shown = host.includes(":") ? `[${host}]` : host === "0.0.0.0" ? "127.0.0.1" : host;
    const url = `http://${shown}:${taken}/debugger/`;
    if (values.json) process.stdout.write(`${JSON.stringify({ url, port: taken, pid: process.pid })}\n`);
    else process.stdout.write(`Console   ${url}\n`);
    await shutdownSignal();
    return 0;
  } finally {
    await endpoint.close(0);
    await service.close();
  }
}
