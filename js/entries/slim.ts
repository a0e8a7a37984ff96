// The entry that loads nothing. Programs call `initSync(bytes or module)` or `await init(URL, Response, bytes or module)` first.

export * from "./index.ts";
