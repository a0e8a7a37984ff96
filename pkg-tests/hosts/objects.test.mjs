// The Durable Object of docs/host-guide.md keeps every promise of a host, in workerd.
import { after, before, test } from "node:test";
import { isInstalled, program } from "../../scripts/bundlers.mjs";
import { lacks } from "./mini.mjs";
import { Workerd, build, opener } from "./objects.mjs";

const { hostTests } = await import("../../dist/host-tests.js");
const skip = !isInstalled()
  ? "workerd is not installed: node scripts/bundlers.mjs"
  : program("workerd")
    ? false
    : `the registry has no workerd for ${process.platform} ${process.arch}`;
const LIVING = ["equal", "start", "keys", "answers", "stop", "timers", "apart", "history"];

let built;
let workerd;
before(async () => {
  if (skip) return;
  built = await build();
  workerd = new Workerd(built.folder);
  await workerd.begin();
});
after(async () => {
  await workerd?.kill();
  built?.remove();
});

test("Durable Objects keep the promises of a host", { skip, concurrency: 8 }, async (t) => {
  const adapter = { name: "objects", lacks, open: (program) => opener(workerd)(program) };
  await Promise.all(hostTests(adapter, { promises: LIVING }).map(({ name, skip, run }) => t.test(name, { skip }, run)));
});

test("Durable Objects keep the promises of a host when their process is killed", { skip, concurrency: 3 }, async (t) => {
  const folders = [];
  const open = opener(async () => {
    const { folder, remove } = await build();
    folders.push(remove);
    const own = new Workerd(folder);
    await own.begin();
    return own;
  });
  t.after(() => folders.forEach((remove) => remove()));
  const adapter = { name: "objects", lacks, open };
  await Promise.all(hostTests(adapter, { promises: ["crash"] }).map(({ name, skip, run }) => t.test(name, { skip }, run)));
});
