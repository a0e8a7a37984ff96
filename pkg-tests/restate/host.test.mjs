// The promises of a host, on a real server.
import { after, test } from "node:test";
import { sdk, startServer, unavailable } from "./server.mjs";

// One copy of the package: two would share the module of dist, and take each other's values.
const { hostTests } = await import("../../dist/host-tests.js");
const { RestateClient, serveOnRestate } = await import("../../dist/restate.js");
// Tests wait more than they work: a few at once, each on a server of its own, because their machines have the same names.
const servers = unavailable === undefined ? await Promise.all([1, 2, 3, 4].map(() => startServer())) : [];
after(() => Promise.all(servers.map((server) => server.stop())));

/** A host on a server. */
const hostOn = (server) => async (program) => {
  const begin = async (port) => serveOnRestate({ port, admin: server.admin, ...program, sdk: await sdk() });
  let now = await begin(0);
  const client = new RestateClient(server.ingress, { admin: server.admin });
  return {
    start: (...given) => client.start(...given),
    get: (...given) => client.get(...given),
    succeed: (...given) => client.succeed(...given),
    fail: (...given) => client.fail(...given),
    async crash() {
      await now.close();
      // In the place of the one before: Restate calls a worker by its URL.
      now = await begin(now.port);
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
