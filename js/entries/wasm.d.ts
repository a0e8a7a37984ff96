// The WebAssembly module as a bundler gives it: scripts/build.mjs says how.

declare module "*.wasm" {
  const bytes: Uint8Array<ArrayBuffer>;
  export default bytes;
}

declare module "*.wasm?gzip" {
  const packed: Uint8Array<ArrayBuffer>;
  export default packed;
}

declare module "*.wasm?module" {
  const compiled: WebAssembly.Module;
  export default compiled;
}
