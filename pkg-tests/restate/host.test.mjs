// Tests of every promise of a host, on a real Restate server.
import { after, test } from "node:test";
import { sdk, startServer, unavailable } from "./server.mjs";

// Both imports must come from one copy of the package: two copies would share the WebAssembly module of dist and read each other's values.
const { hostTests } = await import("../../dist/host-tests.js");
const { RestateClient, serveOnRestate } = await import("../../dist/restate.js");
// The tests mostly wait, so four run at once. Each has its own server, because their machines have the same names.
const servers = unavailable === undefined ? await Promise.all([1, 2, 3, 4].map(() => startServer())) : [];
after(() => Promise.all(servers.map((server) => server.stop())));

/** Returns the `open` of a host on a server. */
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
      // The next worker needs the same port, because Restate calls a worker by its URL.
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
