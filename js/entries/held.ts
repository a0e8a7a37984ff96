// In bundles, for `beside.js`: the WebAssembly is in the code, packed, because a file beside a bundle gets lost.

import { gunzipSync } from "node:zlib";
import packed from "../../dist/stepglass-fast.wasm?gzip";

export const moduleBytes = (): Uint8Array<ArrayBuffer> => gunzipSync(packed);

export const component = undefined;
export const playground = undefined;
