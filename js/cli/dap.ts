// The command `stepglass dap` debugs in editors with the Debug Adapter Protocol; the adapter is in `../debugger/dap/`.

import { Unusable } from "../language/files/problem.ts";
import { defineCommand, type Options, type Values } from "./command.ts";

const help = `stepglass dap [options]

Debugs state machines in editors by the Debug Adapter Protocol, on standard input and output. An editor starts it itself;
docs/editors.md has the settings for VS Code, Neovim, Emacs and Helix, docs/debug-adapter.md everything it can do.

  stepglass dap                    what an editor runs
  stepglass dap --port 4711        waits for editors that connect to a port of this machine

The editor sends what to debug, for example:

  { "request": "launch", "definition": "template.yaml#OrderMachine", "input": { "id": 7 }, "tasks": "tasks.mjs" }
  { "request": "launch", "definition": "order.asl.json", "mocks": "generated" }
  { "request": "launch", "test": "order.stepglass.yaml#a declined card is tried again" }
  { "request": "launch", "definition": "order.asl.json", "history": "history.json" }
  { "request": "attach", "executionArn": "arn:aws:states:…", "server": "http://127.0.0.1:8083" }

Options
      --port PORT     listens on this port, 0 for a free one; prints the address to standard error
      --stdio         accepted, as some editors pass it

Exit code: 0 the editor ended it; 2 wrong usage, or the port is taken.
`;

const options = { port: { type: "string" }, stdio: { type: "boolean" } } as const satisfies Options;

export const command = defineCommand({ name: "dap", summary: "debug in editors (Debug Adapter Protocol)", help, options, run: dap });

async function dap(given: string[], { port }: Values<typeof options>): Promise<number> {
  if (given.length > 0) throw new Unusable("dap takes no files: the editor says what to debug", { usage: true });
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) < 65_536))
    throw new Unusable("--port must be a number from 0 to 65535", { usage: true });
  const { servePort, serveStreams } = await import("./dap/server.ts");
  return port === undefined ? serveStreams() : servePort(Number(port));
}
