// The promises of a host, on a real server.
import { after, test } from "node:test";
import { startServer, startWorker, unavailable } from "./server.mjs";

const { hostTests } = await import("../../dist/host-tests.js");
// Tests wait more than they work: a few at once, each on a server of its own, because their machines have the same names.
const servers = unavailable === undefined ? await Promise.all([1, 2, 3, 4].map(() => startServer())) : [];
after(() => Promise.all(servers.map((server) => server.stop())));

/** A host on a server. */
const hostOn = (server) => async (program) => {
  let now = await startWorker({ server, ...program });
  const client = now.client;
  return {
    start: (...given) => client.start(...given),
    get: (...given) => client.get(...given),
    succeed: (...given) => client.succeed(...given),
    fail: (...given) => client.fail(...given),
    async crash() {
      await now.drop();
      // In the place of the one before: Restate calls a worker by its URL.
      now = await startWorker({ server, port: now.worker.port, ...program });
    },
    close: () => now.close(),
  };
};

const lacks = { "live-history": "the history of a slice appears at its end" };
test("Restate", { skip: unavailable, concurrency: 4 }, async (t) => {
  const tests = servers.map((server) => hostTests({ name: "Restate", lacks, open: hostOn(server) }));
  let next = 0;
  const work = async (mine) => {
    for (let i = next++; i < mine.length; i = next++) await t.test(mine[i].name, { skip: mine[i].skip }, mine[i].run);
  };
  await Promise.all(tests.map(work));
});
