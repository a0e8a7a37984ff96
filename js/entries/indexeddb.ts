// The entry `stepglass/indexeddb`: a store in the browser's database.

export { indexedDB } from "../runtime/store/indexeddb.ts";
