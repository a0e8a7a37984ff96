// Serves the page and prints its address:   npm start [-- --port 3000] [--host 0.0.0.0] [--dev]
//
// Sets up first (scripts/setup.mjs). Serves until Ctrl+C; changes of www reload by themselves, changes of src by the
// next start. `--dev` builds the WebAssembly quickly and unoptimized where it is stale.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { main, setUp } from "./setup.mjs";
import { root } from "./steps.mjs";

let options;
try {
  options = parseArgs({
    options: {
      port: { type: "string", default: "5173" },
      host: { type: "string", default: "localhost" },
      dev: { type: "boolean", default: false },
    },
  }).values;
} catch (error) {
  console.error(`start: ${error.message}\nusage: npm start [-- --port N] [--host ADDRESS] [--dev]`);
  process.exit(2);
}

await main(async () => {
  await setUp({ dev: options.dev, anyProfile: true });
  const page = join(root, "www/index.html");
  if (!existsSync(page)) {
    console.error(`start: there is no page to serve: ${page} is missing`);
    process.exit(1);
  }
  const { createServer } = await import("vite");
  const server = await createServer({
    configFile: join(root, "www/vite.config.js"),
    server: { port: Number(options.port), host: options.host },
    clearScreen: false,
  });
  await server.listen();
  const { local, network } = server.resolvedUrls;
  for (const url of [...local, ...network]) console.log(`Stepglass is served at ${url}`);
  console.log("Ctrl+C stops it.");
});
