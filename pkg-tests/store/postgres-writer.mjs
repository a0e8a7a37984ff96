// A process for postgres.test.mjs: it appends facts to an execution and prints a dot for each one that is acknowledged, until it is killed.
import { importSource } from "../../scripts/sources.mjs";
import { pg } from "./postgres-server.mjs";

const { postgres } = await importSource("js/entries/postgres.ts");
const { schema, ...config } = JSON.parse(process.argv[2]);
const store = postgres({ client: () => new pg.Client(config), schema });
await store.open({ owner: "writer" });
let [{ version }] = await store.write([
  { id: "e", version: 0, create: { id: "e", name: "e", machineArn: "m", status: "RUNNING", startDate: 1, input: "{}" } },
]);
for (let i = 0; ; i += 1) {
  const [result] = await store.write([{ id: "e", version, facts: { text: `[${i}]`, count: 1 } }]);
  version = result.version;
  process.stdout.write(".");
}
