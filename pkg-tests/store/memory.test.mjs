// The store in memory keeps the promises of every store.
import { test } from "node:test";
import { importSource } from "../../scripts/sources.mjs";
import { storeSuite } from "./suite.mjs";

const { MemoryStore } = await importSource("js/runtime/store/memory.ts");

storeSuite(test, "memory", () => ({ store: new MemoryStore() }));
