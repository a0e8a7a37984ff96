// The interpreter in two parts, for the page of this repository (scripts/parts.mjs makes them). Not published.
//
// If the first part lacks a function, it loads the rest, and the thread waits for it. Call `loadRest` before that to avoid the
// wait.

import { parts } from "../../dist/glue.js";
import { messageOf } from "../base/errors.ts";
import { init, limitMemory } from "./instance.ts";
import type { ModuleSource } from "../api/index.d.ts";

declare module "../../dist/glue.js" {
  /** The module calls `load`, with its own exports, if it lacks a function. */
  export const parts: { load: ((first: WebAssembly.ModuleImports) => void) | undefined };
}

// What xtask/src/split.rs lets the page's memory have: a definition that builds without end ends before it takes the tab with it.
const MEMORY = 2 ** 28;

let address = "";
let module: WebAssembly.Module | undefined;
let coming: Promise<void> | undefined;
let failed: (why: string) => void = () => {};

/** Starts the first part. `rest` is the address of the other one; `lost` is called with a message if it cannot be loaded. */
export function initParts(first: ModuleSource, rest: string, lost: (why: string) => void): Promise<void> {
  address = rest;
  failed = lost;
  limitMemory(MEMORY);
  return init(first);
}

/** Loads the rest. */
export function loadRest(): Promise<void> {
  coming ??= fetch(address)
    .then(async (response) => {
      if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
      module ??= await WebAssembly.compile(await response.arrayBuffer());
    })
    .catch((error) => {
      coming = undefined;
      throw lacking(error);
    });
  return coming;
}

// `first` is what the running instance exports.
parts.load = (first) => {
  module ??= loadNow();
  new WebAssembly.Instance(module, { first });
};

function loadNow(): WebAssembly.Module {
  const request = new XMLHttpRequest();
  request.responseType = "arraybuffer";
  try {
    request.open("GET", address, false);
    request.send();
    if (request.status !== 200) throw new Error(`${request.status} ${request.statusText}`);
    return new WebAssembly.Module(request.response);
  } catch (error) {
    const why = lacking(error);
    failed(why.message);
    throw why;
  }
}

function lacking(why: unknown): Error {
  return new Error(
    `The rest of the interpreter could not be loaded (${messageOf(why)}). Check the network connection; the next use tries again.`,
  );
}
