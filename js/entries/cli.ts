#!/usr/bin/env node
// The command. In dist it is CommonJS: Node starts its loader of ES modules for a program that is one.

import module from "node:module";

// Where Node keeps what it has compiled (22.1 and newer), the next start takes a third less. Its types are those of Node 20.
const { enableCompileCache } = module as { enableCompileCache?: () => unknown };
enableCompileCache?.();
// Not an import: it would be loaded before the cache is there.
const { main, placed, say } = module.createRequire(import.meta.url)("./command.cjs") as typeof import("./command.ts");

// What is still open when a command has ended (a connection of a module with tasks) is given so long.
const GRACE = 2000;

// Who reads may have read enough: stepglass test | head
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  say(`cannot write to standard output: ${error.message}`);
  process.exit(2);
});
process.stderr.on("error", () => {});

// A module with tasks may throw where nobody waits for it.
for (const event of ["uncaughtException", "unhandledRejection"]) {
  process.on(event, (error) => {
    say(`uncaught error: ${placed(error)}`);
    process.exitCode = 1;
    process.exit();
  });
}

let ended = false;
process.on("beforeExit", () => {
  // Who listens besides knows what it waits for.
  if (ended || process.listenerCount("beforeExit") > 1) return;
  ended = true;
  say("the command is waiting for something that can no longer happen");
  process.exitCode = 1;
});

main(process.argv.slice(2)).then((code) => {
  ended = true;
  process.exitCode = code;
  // Not before everything is written: a pipe may be slow.
  process.stdout.write("", () => process.stderr.write("", () => setTimeout(() => process.exit(), GRACE).unref()));
});
