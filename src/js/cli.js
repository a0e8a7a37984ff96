#!/usr/bin/env node
// The command.

import { main } from "./cli/main.js";

// Who reads may have read enough: stepglass test | head
process.stdout.on("error", (error) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

process.exitCode = await main(process.argv.slice(2));
