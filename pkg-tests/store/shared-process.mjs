// A process that shares a PostgreSQL store. It executes the commands that postgres-shared.test.mjs sends, and appends a line to a file for
// each task that it calls.
import { appendFileSync } from "node:fs";
import { importSource } from "../../scripts/sources.mjs";
import { pg } from "./postgres-server.mjs";

const { postgres } = await importSource("js/entries/postgres.ts");
const { Runtime } = await importSource("js/entries/durable-node.ts");
const { config, schema, leaseSeconds, log, machines } = JSON.parse(process.argv[2]);

const store = postgres({ client: () => new pg.Client(config), schema, shared: true, leaseSeconds });
const runtime = new Runtime({
  store,
  machines,
  tasks: {
    step: (input, task) => {
      appendFileSync(log, `${task.idempotencyKey} ${process.pid}\n`);
      return input;
    },
    // This task answers when the test sends SIGUSR2 to the process.
    slow: (input, task) =>
      new Promise((resolve) => {
        appendFileSync(log, `${task.idempotencyKey} ${process.pid}\n`);
        process.once("SIGUSR2", () => resolve({ by: process.pid }));
      }),
  },
});

const commands = {
  start: async ([machine, options]) => (await runtime.start(machine, options)).arn,
  result: async ([arn]) => (await runtime.get(arn)).result,
  signal: (args) => runtime.signal(...args),
  resident: () => runtime.resident,
  has: ([key]) => store.sharing.has(key),
  close: () => runtime.close(),
};

process.on("message", async ({ id, command, args = [] }) => {
  try {
    process.send({ id, value: await commands[command](args) });
  } catch (thrown) {
    process.send({ id, error: thrown.message });
  }
  if (command === "close") process.disconnect();
});
await runtime.open();
process.send({ id: 0 });
