// A process that writes to a store until it is killed:   node writer.mjs DRIVER FILE SEED
//
// After each acknowledged write it prints a line of JSON: the executions of the write with their numbers of facts.
import { writeSync } from "node:fs";
import { drivers } from "./drivers.mjs";
import { random } from "./random.mjs";
import { record, texts } from "./suite.mjs";

const [driver, file, seed] = process.argv.slice(2);
const next = random(Number(seed));
const store = drivers[driver].store(file);
await store.open({ owner: "writer" });

/** The version and the number of facts of each execution. Executions of earlier writers are continued. */
const known = new Map();
for (const { id, version } of (await store.list({}, { limit: 1000 })).items)
  known.set(id, { version, facts: (await store.load(id)).facts });
writeSync(1, `${JSON.stringify({ ready: known.size })}\n`);

for (let round = 0; ; round++) {
  const batches = [];
  for (let i = 0; i < 1 + next(20); i++) {
    const id = `e${next(40)}`;
    if (batches.some((batch) => batch.id === id)) continue;
    const { version, facts } = known.get(id) ?? { version: 0, facts: 0 };
    const some = Array.from({ length: 1 + next(4) }, (_, k) => ({ seq: facts + k, text: "x".repeat(next(4000)) }));
    batches.push({
      id,
      version,
      ...(version === 0 && { create: record(id) }),
      facts: texts(...some),
      events: texts(...some.map(({ seq }) => seq)),
      // The snapshot is the number of facts that it replaces.
      ...(next(12) === 0 && { snapshot: String(facts + some.length) }),
      ...(next(3) === 0 && { wakeAt: facts + some.length }),
    });
  }
  const results = await store.write(batches);
  for (const [i, { id, facts }] of batches.entries())
    known.set(id, { version: results[i].version, facts: (known.get(id)?.facts ?? 0) + facts.count });
  writeSync(1, `${JSON.stringify(Object.fromEntries(batches.map(({ id }) => [id, known.get(id).facts])))}\n`);
  if (round % 25 === 24) {
    // A removal is printed before and after it. Between the two lines the execution may exist or not.
    const id = `e${next(40)}`;
    writeSync(1, `${JSON.stringify({ [id]: -1 })}\n`);
    await store.prune({ ids: [id] });
    known.delete(id);
    writeSync(1, `${JSON.stringify({ [id]: 0 })}\n`);
  }
}
