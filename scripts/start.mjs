// Serves the page and prints its address:   npm start [-- --port 5173] [--host 0.0.0.0] [--dev]
//
// Sets up first (scripts/setup.mjs), builds what is out of date, and serves the built page as any static host does, until
// Ctrl+C. `--dev` builds the WebAssembly quickly and unoptimized where it is out of date.
//
// `npm run dev` is the same with `--reload`: Vite's development server, which shows changes of www at once.
import { once } from "node:events";
import { createServer } from "node:net";
import { parseArgs } from "node:util";
import { buildPage, viteConfig } from "./page.mjs";
import { Missing, main, setUp } from "./setup.mjs";

let options;
try {
  options = parseArgs({
    options: {
      port: { type: "string" },
      host: { type: "string", default: "localhost" },
      dev: { type: "boolean", default: false },
      reload: { type: "boolean", default: false },
    },
  }).values;
  if (options.port !== undefined && !(/^\d+$/.test(options.port) && Number(options.port) < 65_536))
    throw new Error(`--port takes a number from 0 to 65535, not ${options.port}`);
} catch (error) {
  console.error(`start: ${error.message}\nusage: npm start [-- --port N] [--host ADDRESS] [--dev]`);
  process.exit(2);
}

await main(async () => {
  await setUp({ dev: options.dev, anyProfile: true });
  if (!options.reload) buildPage({ ifStale: true });
  const server = await (options.reload ? develop() : preview());
  const { local, network } = server.resolvedUrls;
  for (const url of [...local, ...network]) console.log(`Stepglass is served at ${url}`);
  console.log("Ctrl+C stops it.");
});

/** Vite's own server for a build: the files of www/dist with the headers of `preview` in www/vite.config.js. */
async function preview() {
  const vite = await import("vite");
  return vite.preview({ configFile: viteConfig, preview: await address(5173) });
}

/**
 * The development server. Its port differs from the one of `npm start`, because the service worker of a built page stays
 * registered for its origin.
 */
async function develop() {
  const vite = await import("vite");
  const server = await vite.createServer({ configFile: viteConfig, server: await address(5174), clearScreen: false });
  return server.listen();
}

/** Where to listen. Vite takes the next free port if the usual one is taken; a port that was asked for is taken or refused. */
async function address(usual) {
  const { host, port } = options;
  if (port === undefined) return { host, port: usual, strictPort: false };
  const probe = createServer().listen({ host, port: Number(port) });
  try {
    await once(probe, "listening");
    return { host, port: probe.address().port, strictPort: true };
  } catch (error) {
    throw new Missing(`The page cannot be served on ${host}, port ${port}: ${error.message}.`, [
      `npm ${options.reload ? "run dev" : "start"} -- --port N   (0 takes any free port)`,
    ]);
  } finally {
    probe.close();
  }
}
