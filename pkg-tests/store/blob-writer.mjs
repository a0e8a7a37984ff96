// A process that creates executions with long inputs until it is killed:   node blob-writer.mjs DRIVER FILE FOLDER NAME
//
// It prints the id of each execution that the store has acknowledged.
import { writeSync } from "node:fs";
import { importSource } from "../../scripts/sources.mjs";
import { reverse } from "./codec.mjs";
import { drivers } from "./drivers.mjs";
import { record } from "./suite.mjs";

const { encoded, offloaded } = await importSource("js/entries/durable-node.ts");
const { folderBlobs } = await importSource("js/entries/blobs.ts");
const [driver, file, folder, name] = process.argv.slice(2);
const store = encoded(drivers[driver].store(file), [reverse, offloaded(folderBlobs(folder), { above: 1000 })]);
await store.open({ owner: "writer" });

for (let round = 0; ; round++) {
  const made = [0, 1, 2].map((i) => record(`${name}-${round}-${i}`, { input: JSON.stringify("x".repeat(50_000)) }));
  await store.write(made.map((create) => ({ id: create.id, version: 0, create })));
  for (const { id } of made) writeSync(1, `${id}\n`);
}
