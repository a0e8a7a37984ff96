// The promises of a host, on a real server.
import { after, test } from "node:test";
import { startServer, startWorker, unavailable } from "./server.mjs";

const { hostTests } = await import("../../dist/host-tests.js");
const server = unavailable === undefined ? await startServer() : undefined;
after(() => server?.stop());

/** A worker of its own for each test: they have machines of the same names. */
async function open(program) {
  let now = await startWorker({ server, ...program });
  const client = now.client;
  return {
    start: (...given) => client.start(...given),
    get: (...given) => client.get(...given),
    succeed: (...given) => client.succeed(...given),
    fail: (...given) => client.fail(...given),
    async crash() {
      await now.drop();
      now = await startWorker({ server, ...program });
    },
    close: () => now.close(),
  };
}

const lacks = { "live-history": "the history of a slice appears at its end" };
test("Restate", { skip: unavailable }, async (t) => {
  for (const { name, skip, run } of hostTests({ name: "Restate", lacks, open })) await t.test(name, { skip }, run);
});
