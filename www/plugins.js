// The outputs of the page's build besides its bundles: the interpreter in two parts, the drawings of the gallery, and the service
// worker that stores the page for use without a network.
import { createHash, randomBytes } from "node:crypto";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parse } from "yaml";
import { makeParts } from "../scripts/parts.mjs";

const www = dirname(fileURLToPath(import.meta.url));
const THEMES = ["light", "dark"];

/** Builds `dist/parts` from the current module. */
export function interpreterParts() {
  return { name: "interpreter-parts", buildStart: () => makeParts("page") };
}

/** Writes `thumbs/NAME-light.svg` and `-dark.svg` for every example. The interpreter draws them. */
export function thumbnails() {
  const folder = join(www, "examples");
  const draw = async (id, theme) => {
    const { renderSvg } = await import(pathToFileURL(resolve(www, "../dist/node.js")).href);
    const json = join(folder, id, "machine.asl.json");
    const text = existsSync(json)
      ? readFileSync(json, "utf8")
      : JSON.stringify(parse(readFileSync(join(folder, id, "machine.asl.yaml"), "utf8"), { merge: true }));
    return renderSvg(text, { theme, background: false });
  };
  return {
    name: "thumbnails",
    async generateBundle() {
      for (const id of readdirSync(folder)) {
        for (const theme of THEMES) this.emitFile({ type: "asset", fileName: `thumbs/${id}-${theme}.svg`, source: await draw(id, theme) });
      }
    },
    configureServer(server) {
      server.middlewares.use(async (request, response, next) => {
        const [, id, theme] = /\/thumbs\/(\w+)-(light|dark)\.svg$/.exec(request.url ?? "") ?? [];
        if (id === undefined || !existsSync(join(folder, id))) return next();
        response.setHeader("content-type", "image/svg+xml");
        response.end(await draw(id, theme));
      });
    },
  };
}

/** Adds preload links for the page's own chunks, so that they load together with the first script and not after it. */
export function pageAtOnce() {
  return {
    name: "page-at-once",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler(html, { bundle }) {
        const chunks = Object.values(bundle ?? {});
        const page = chunks.find(({ type, facadeModuleId }) => type === "chunk" && facadeModuleId?.endsWith("/src/page.tsx"));
        if (!page) throw new Error("the page has no chunk of its own");
        return [page.fileName, ...page.imports]
          .filter((name) => !html.includes(name))
          .map((name) => ({ tag: "link", attrs: { rel: "modulepreload", crossorigin: true, href: `./${name}` }, injectTo: "head" }));
      },
    },
  };
}

/** Writes `sw.js` with the names of all files of the build. */
export function serviceWorker() {
  let out;
  return {
    name: "service-worker",
    apply: "build",
    configResolved: (config) => {
      out = config.build.outDir;
    },
    closeBundle() {
      const files = readdirSync(out, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) =>
          join(entry.parentPath ?? entry.path, entry.name)
            .slice(out.length + 1)
            .replaceAll("\\", "/"),
        )
        .filter((name) => name !== "sw.js" && !name.startsWith(".vite/"))
        .sort();
      const hash = createHash("sha256");
      for (const name of files) hash.update(name).update(readFileSync(join(out, name)));
      const source = readFileSync(join(www, "sw.js"), "utf8");
      const list = files.map((name) => (name === "index.html" ? "./" : name));
      writeFileSync(
        join(out, "sw.js"),
        source.replace('"VERSION"', JSON.stringify(hash.digest("hex").slice(0, 16))).replace('"FILES"', JSON.stringify(list)),
      );
    },
  };
}

/**
 * Returns the chunk for a module of a worker that is loaded with the worker. It is not the worker's own file, because WebKit
 * would run that a second time when a later chunk imports from it.
 */
export function besideEntry(id, modules) {
  const seen = new Set();
  const comes = (id) => {
    if (seen.has(id)) return false;
    seen.add(id);
    const { isEntry, importers } = modules.getModuleInfo(id);
    return isEntry || importers.some(comes);
  };
  return !modules.getModuleInfo(id).isEntry && comes(id) ? "thread" : null;
}

/**
 * The policy of the development server. Vite sends styles as inline `<style>` elements there, which the page's policy refuses;
 * a nonce admits these and nothing else, so that the page is still held to the policy of its build.
 */
export function developmentPolicy() {
  const nonce = randomBytes(16).toString("base64url");
  return {
    name: "development-policy",
    apply: "serve",
    config: (_, { isPreview }) => (isPreview ? {} : { html: { cspNonce: nonce } }),
    transformIndexHtml: {
      order: "pre",
      handler: (html) => html.replace("style-src 'self'", `style-src 'self' 'nonce-${nonce}'`),
    },
  };
}
