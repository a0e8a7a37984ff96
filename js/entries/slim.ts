// The entry that loads nothing: `initSync(bytes or module)` or `await init(URL, Response, bytes or module)` first.

export * from "./index.ts";
