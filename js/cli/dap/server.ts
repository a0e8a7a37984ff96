// Serves the debug adapter on standard input and output, or on a port.

import { createServer, type AddressInfo, type Socket } from "node:net";
import { DebugAdapter } from "../../debugger/dap/adapter.ts";
import { messageOf } from "../../core/base/errors.ts";
import { Unusable, say } from "../../language/files/problem.ts";
import { nodeHost } from "./host.ts";
import { MessageReader, written } from "./stream.ts";

/**
 * Connects an adapter to a stream of messages. Returns how to feed and to end it; `end` is called when the client has disconnected.
 */
function connected(write: (text: string) => void, end: () => void): { add(bytes: Buffer): void; dispose(): void } {
  const adapter = new DebugAdapter(nodeHost);
  adapter.onDidSendMessage((message) => {
    write(written(message));
    if (message.type === "response" && message.command === "disconnect") end();
  });
  const reader = new MessageReader((message) => adapter.handleMessage(message));
  return {
    add(bytes) {
      try {
        reader.add(bytes);
      } catch (error) {
        say(`what came is no message of the Debug Adapter Protocol: ${messageOf(error)}`);
        end();
      }
    },
    dispose: () => adapter.dispose(),
  };
}

/** Serves one editor on standard input and output, until it disconnects or exits. */
export function serveStreams(): Promise<number> {
  const { stdin, stdout } = process;
  const write = stdout.write.bind(stdout) as (text: string) => boolean;
  // Standard output belongs to the protocol, so what handlers print goes to standard error.
  console.log = console.info = console.debug = console.error;
  stdout.write = process.stderr.write.bind(process.stderr) as typeof stdout.write;
  return new Promise((done) => {
    const end = (): void => {
      adapter.dispose();
      stdin.destroy();
      write("");
      done(0);
    };
    const adapter = connected(write, end);
    stdin.on("data", (bytes: Buffer) => adapter.add(bytes));
    stdin.on("end", end);
  });
}

/** Serves every editor that connects to a port of this machine, each with its own session. */
export function servePort(port: number): Promise<number> {
  return new Promise((done, fail) => {
    const server = createServer((socket: Socket) => {
      // Messages are small and the editor waits for them, so they are not delayed.
      socket.setNoDelay(true);
      const adapter = connected(
        (text) => socket.write(text),
        () => socket.end(),
      );
      socket.on("data", (bytes: Buffer) => adapter.add(bytes));
      socket.on("close", () => adapter.dispose());
      socket.on("error", () => adapter.dispose());
    });
    server.on("error", (error) => fail(new Unusable(`cannot listen on port ${port}: ${messageOf(error)}`)));
    server.listen(port, "127.0.0.1", () => {
      process.stderr.write(`stepglass dap listens on 127.0.0.1:${(server.address() as AddressInfo).port}\n`);
    });
    for (const signal of ["SIGINT", "SIGTERM"] as const)
      process.once(signal, () => {
        server.close();
        done(0);
        process.exit(0);
      });
  });
}
