// The entry for browsers and bundlers: `await init()` fetches the module from beside this file. It comes in two files. The first one
// runs machines. The rest comes together with it if the program imports something that needs it, and otherwise when it is needed.

import { notLoaded, ofRest, setLoader } from "../border/instance.ts";
import { fetched, loadRest, requested, restFrom } from "../border/parts.ts";
import * as index from "./index.ts";
import { firstUrl, restUrl } from "./parts-url.ts";

/** The files of a program that runs in Node without knowing it, whose `fetch` takes no files. */
function files(url: URL): typeof import("node:fs") | undefined {
  return url.protocol === "file:" ? globalThis.process?.getBuiltinModule?.("node:fs") : undefined;
}

restFrom({
  now: () => files(restUrl())?.readFileSync(restUrl()) ?? requested(restUrl().href),
  later: async () => {
    const fs = files(restUrl());
    return fs ? WebAssembly.compile(await fs.promises.readFile(restUrl())) : fetched(restUrl().href);
  },
});

let all = false;

setLoader({
  async first() {
    const url = firstUrl();
    // Who copies files by hand may have copied the module in one file.
    const other = new URL("stepglass.wasm", url);
    const fs = files(url);
    if (fs) {
      all = !fs.existsSync(url) && fs.existsSync(other);
      return fs.promises.readFile(all ? other : url);
    }
    const response = await fetch(url);
    if (isModule(response)) return response;
    const second = await fetch(other);
    all = isModule(second);
    return all ? second : Promise.reject(notLoaded(` from ${url}`, `${response.status} ${response.statusText}`));
  },
  rest: () =>
    loadRest().catch((error) => {
      throw notLoaded("", error);
    }),
  // A service worker has no request that its thread could wait for.
  canWait: () => files(restUrl()) !== undefined || typeof XMLHttpRequest !== "undefined",
  hasAll: () => all,
});

/** False for an answer without the file, and for the page that some servers send in its place. */
function isModule(response: Response): boolean {
  return response.ok && !response.headers.get("content-type")?.startsWith("text/html");
}

export * from "./index.ts";
export const complete = /* @__PURE__ */ ofRest(index.complete);
export const language = /* @__PURE__ */ ofRest(index.language);
export const layout = /* @__PURE__ */ ofRest(index.layout);
export const renderMermaid = /* @__PURE__ */ ofRest(index.renderMermaid);
export const renderSvg = /* @__PURE__ */ ofRest(index.renderSvg);
export const replayHistory = /* @__PURE__ */ ofRest(index.replayHistory);
export const simulate = /* @__PURE__ */ ofRest(index.simulate);
export const testState = /* @__PURE__ */ ofRest(index.testState);
