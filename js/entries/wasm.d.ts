// The forms in which a bundler provides the WebAssembly module. They are defined in scripts/build.mjs.

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
