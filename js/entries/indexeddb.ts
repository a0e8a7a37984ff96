// stepglass/indexeddb: executions in the browser's database.

export { indexedDB } from "../store/indexeddb.ts";
