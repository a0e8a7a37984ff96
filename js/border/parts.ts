// The interpreter in two parts, as the page of this repository has it (scripts/parts.mjs makes them). Not published.
//
// The first part calls for the rest by itself where it lacks a function, and the thread then stands until that has come;
// who knows beforehand that more is wanted calls `loadRest`.

import { parts } from "../../dist/glue.js";
import { messageOf } from "../base/errors.ts";
import { init, limitMemory } from "./instance.ts";
import type { ModuleSource } from "../api/index.d.ts";

declare module "../../dist/glue.js" {
  /** What the module calls where it lacks a function, with its own exports. */
  export const parts: { load: ((first: WebAssembly.ModuleImports) => void) | undefined };
}

// What xtask/src/split.rs lets the page's memory have: a definition that builds without end ends before it takes the tab with it.
const MEMORY = 2 ** 28;

let address = "";
let module: WebAssembly.Module | undefined;
let coming: Promise<void> | undefined;
let failed: (why: string) => void = () => {};

/** Starts the first part; `rest` is where the other one is, and `lost` is told why what runs cannot go on without it. */
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
  return new Error(`The rest of the interpreter could not be loaded (${messageOf(why)}). Check the network connection; the next use tries again.`);
}
