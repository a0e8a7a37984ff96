// The interpreter in two files, for browsers: the first runs machines, and the rest is loaded when somebody needs it. xtask/src/split.rs
// cuts them; scripts/parts.mjs measures what belongs to the first.
//
// If the first one lacks a function, it loads the rest, and the thread waits for it. Call `loadRest` before that to avoid the
// wait.

import { parts } from "../../dist/glue.js";
import { messageOf } from "../base/errors.ts";
import { init, limitMemory } from "./instance.ts";
import type { ModuleSource } from "../api/index.d.ts";

declare module "../../dist/glue.js" {
  /** The module calls `load`, with its own exports, if it lacks a function. */
  export const parts: { load: (first: WebAssembly.ModuleImports) => void };
}

/** How the rest gets here. */
export interface Rest {
  /** At once, while the thread waits. */
  now(): BufferSource;
  /** The module, compiled while it comes if that is possible. */
  later(): Promise<WebAssembly.Module>;
  /** Is told why it could not be loaded at once. */
  lost?(why: string): void;
}

// What scripts/parts.mjs lets the page's memory have: a definition that builds without end ends before it takes the tab with it.
const MEMORY = 2 ** 28;

let source: Rest | undefined;
let module: WebAssembly.Module | undefined;
let coming: Promise<void> | undefined;

/** Starts the page's first part. `rest` is the address of the other one; `lost` is called with a message if it cannot be loaded. */
export function initParts(first: ModuleSource, rest: string, lost: (why: string) => void): Promise<void> {
  limitMemory(MEMORY);
  restFrom({ now: () => requested(rest), later: () => fetched(rest), lost });
  return init(first);
}

/** Says where the rest comes from. */
export function restFrom(rest: Rest): void {
  source = rest;
  // `first` is what the running instance exports.
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
    return new WebAssembly.Module(rest.now());
  } catch (error) {
    const why = lacking(error);
    rest.lost?.(why.message);
    throw why;
  }
}

/** A file from the network, compiled while it comes where the server says that it is WebAssembly. */
export async function fetched(address: string): Promise<WebAssembly.Module> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
  if (response.headers.get("content-type") === "application/wasm") return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}

/** A file from the network, for which the thread waits. */
export function requested(address: string): BufferSource {
  const request = new XMLHttpRequest();
  request.open("GET", address, false);
  // A window that waits may ask for text alone; these characters are the bytes.
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
