// Loads the interpreter in two files, for browsers: the first runs machines, and the rest is loaded on demand. xtask/src/split.rs
// splits them; scripts/parts.mjs measures what belongs to the first.
//
// If the first one lacks a function, it loads the rest, and the thread waits for it. Call `loadRest` before that to avoid the wait.

import { parts } from "../../../dist/glue.js";
import { messageOf } from "../base/errors.ts";
import { init, limitMemory } from "./instance.ts";
import type { ModuleSource } from "../api/index.d.ts";

declare module "../../../dist/glue.js" {
  /** If the module lacks a function, it calls `load` with its own exports. */
  export const parts: { load: (first: WebAssembly.ModuleImports) => void };
}

/** How the rest is loaded. */
export interface Rest {
  /** Returns the file, or the module, synchronously, while the thread waits. */
  now(): BufferSource | WebAssembly.Module;
  /** Returns the module, compiled while it is downloaded if that is possible. */
  later(): Promise<WebAssembly.Module>;
  /** Called with the reason if it could not be loaded synchronously. */
  lost?(why: string): void;
}

// Maximum memory of the page's instance, in bytes, as scripts/parts.mjs sets it. A definition that grows without end then fails
// before the tab crashes.
const MEMORY = 2 ** 28;

let source: Rest | undefined;
let module: WebAssembly.Module | undefined;
let coming: Promise<void> | undefined;

/**
 * Starts the first part on a page. `rest` is the address of the other one. `lost` is called with a message if it cannot be loaded.
 */
export function initParts(first: ModuleSource, rest: string, lost: (why: string) => void): Promise<void> {
  limitMemory(MEMORY);
  restFrom({ now: () => requested(rest), later: () => fetched(rest), lost });
  return init(first);
}

/** Sets how the rest is loaded. */
export function restFrom(rest: Rest): void {
  source = rest;
  // `first` are the exports of the running instance.
  parts.load = (first) => {
    module ??= loadNow(rest);
    new WebAssembly.Instance(module, { first });
  };
}

/** Loads the rest. */
export function loadRest(): Promise<void> {
  coming ??= Promise.resolve(module ?? source?.later())
    .then((loaded) => {
      module ??= loaded;
    })
    .catch((error) => {
      coming = undefined;
      throw lacking(error);
    });
  return coming;
}

function loadNow(rest: Rest): WebAssembly.Module {
  try {
    const loaded = rest.now();
    return loaded instanceof WebAssembly.Module ? loaded : new WebAssembly.Module(loaded);
  } catch (error) {
    const why = lacking(error);
    rest.lost?.(why.message);
    throw why;
  }
}

/** Downloads a file. It is compiled during the download if the server declares it as WebAssembly. */
export async function fetched(address: string): Promise<WebAssembly.Module> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
  if (response.headers.get("content-type") === "application/wasm") return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}

/** Downloads a file synchronously. */
export function requested(address: string): BufferSource {
  const request = new XMLHttpRequest();
  request.open("GET", address, false);
  // A synchronous request in a window can only return text, whose characters are the bytes.
  const windowed = typeof document !== "undefined";
  if (windowed) request.overrideMimeType("text/plain; charset=x-user-defined");
  else request.responseType = "arraybuffer";
  request.send();
  if (request.status !== 200) throw new Error(`${request.status} ${request.statusText}`);
  if (!windowed) return request.response as ArrayBuffer;
  const text = request.responseText;
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

function lacking(why: unknown): Error {
  return new Error(
    `The rest of the interpreter could not be loaded (${messageOf(why)}). Check the network connection; the next use tries again.`,
  );
}
