#!/usr/bin/env node
// The command `stepglass`. In dist it is a CommonJS file, because Node starts its loader of ES modules for a program that is an ES
// module.

import module from "node:module";
import { setFlagsFromString } from "node:v8";
import { validateLazily } from "./lazy-validation.ts";

// If Node caches the compiled code (22.1 and newer), the next start takes a third less time. The types are those of Node 20, which
// lack this function.
const { enableCompileCache } = module as { enableCompileCache?: () => unknown };
enableCompileCache?.();
validateLazily(setFlagsFromString);
// This is not an import, because an import would be loaded before these settings.
const { main, placed, say } = module.createRequire(import.meta.url)("./command.cjs") as typeof import("./command.ts");

// How long things that are still open at the end of a command, such as a connection of a module with tasks, may take to close, in
// milliseconds.
const GRACE = 2000;

// A program that reads the output through a pipe, such as `head`, may have read enough and closed the pipe.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  say(`cannot write to standard output: ${error.message}`);
  process.exit(2);
});
process.stderr.on("error", () => {});

// A module with tasks may throw an error that nothing catches.
for (const event of ["uncaughtException", "unhandledRejection"]) {
  process.on(event, (error) => {
    say(`uncaught error: ${placed(error)}`);
    process.exitCode = 1;
    process.exit();
  });
}

let ended = false;
process.on("beforeExit", () => {
  // If there is another listener, it knows what the process waits for.
  if (ended || process.listenerCount("beforeExit") > 1) return;
  ended = true;
  say("the command is waiting for something that can no longer happen");
  process.exitCode = 1;
});

main(process.argv.slice(2)).then((code) => {
  ended = true;
  process.exitCode = code;
  // The process must not exit before everything is written, because a pipe may be slow.
  process.stdout.write("", () => process.stderr.write("", () => setTimeout(() => process.exit(), GRACE).unref()));
});
