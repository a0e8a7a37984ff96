// The entry for browsers and bundlers: `await init()` fetches the WebAssembly module, which is beside this file. The module has two
// files. The first one runs machines. The rest is loaded together with it if the program imports something that needs it, and
// otherwise at its first use.

import { notLoaded, ofRest, setLoader } from "../core/border/instance.ts";
import { fetched, loadRest, requested, restFrom } from "../core/border/module-parts.ts";
import * as index from "./index.ts";
import { firstUrl, restUrl } from "./parts-url.ts";

/** Returns Node's file system if a program for browsers runs in Node, where `fetch` does not accept files. */
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
    // The files may have been copied by hand, with the module in one file.
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
  // A service worker has no synchronous request.
  canWait: () => files(restUrl()) !== undefined || typeof XMLHttpRequest !== "undefined",
  hasAll: () => all,
});

/** Returns whether a response contains the module. Some servers respond with a page if the file does not exist. */
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
