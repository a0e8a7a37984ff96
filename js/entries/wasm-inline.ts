// Replaces `wasm-file.ts` in bundles: the compressed WebAssembly is in the code, because a file beside a bundle would be lost.

import { gunzipSync } from "node:zlib";
import packed from "../../dist/stepglass-fast.wasm?gzip";

export const moduleBytes = (): Uint8Array<ArrayBuffer> => gunzipSync(packed);

export const component = undefined;
export const playground = undefined;
