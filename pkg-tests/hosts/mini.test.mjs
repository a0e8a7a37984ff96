// The host of docs/host-guide.md keeps every promise of a host.
import { test } from "node:test";
import { lacks, openMini } from "./mini.mjs";

const { hostTests } = await import("../../dist/host-tests.js");
const adapter = { name: "mini", lacks, open: await openMini() };
test("the guide's host keeps the promises of a host", { concurrency: 8 }, async (t) => {
  await Promise.all(hostTests(adapter).map(({ name, skip, run }) => t.test(name, { skip }, run)));
});
