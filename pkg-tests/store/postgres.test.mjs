// The PostgreSQL store keeps the promises of every store, and its own about processes that stand by and servers that restart.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { after, before, test } from "node:test";
import { importSource } from "../../scripts/sources.mjs";
import { encodedBytes, reverse } from "./codec.mjs";
import { checkLists } from "./lists.mjs";
import { pg, programs, startServer } from "./postgres-server.mjs";
import { append, create, factsOf, record, storeSuite, texts } from "./suite.mjs";

const { postgres } = await importSource("js/entries/postgres.ts");
const { encoded } = await importSource("js/entries/durable-node.ts");
const why =
  pg === undefined
    ? "pg is not installed: npm ci --prefix pkg-tests/store"
    : programs() === undefined
      ? "there is no PostgreSQL server here"
      : false;

let server;
before(() => {
  if (!why) server = startServer();
});
after(() => server?.stop());

const client = () => new pg.Client(server.config);
let schemas = 0;

/** A store in a new schema. */
function fresh(more = {}) {
  const schema = `s${(schemas += 1)}`;
  const store = () => postgres({ client, schema, ...more });
  return { schema, store: store(), another: store };
}

storeSuite((name, run) => test(name, { skip: why }, run), "PostgreSQL", fresh);
const coded = () => {
  const { store, another } = fresh();
  return { store: encoded(store, [reverse]), another: () => encoded(another(), [reverse]) };
};
storeSuite((name, run) => test(name, { skip: why }, run), "PostgreSQL, encoded", coded, { bytes: encodedBytes });

const check = (name, run) => test(`PostgreSQL: ${name}`, { skip: why }, run);

check("a standby process takes over when the owner closes the store", async () => {
  const { store, schema } = fresh();
  await store.open({ owner: "a" });
  await create(store, record("e"));
  const standby = postgres({ client, schema, wait: true });
  let isOpen = false;
  const opening = standby.open({ owner: "b" }).then(() => (isOpen = true));
  await append(store, "e", { facts: texts(1, 2) });
  assert.equal(isOpen, false);
  await store.close();
  await opening;
  assert.deepEqual(factsOf(await standby.load("e")), [1, 2]);
  await standby.close();
});

check("the store of a killed process can be opened, and no acknowledged fact is lost", async () => {
  const { schema } = fresh();
  const writer = spawn(
    process.execPath,
    [new URL("postgres-writer.mjs", import.meta.url).pathname, JSON.stringify({ ...server.config, schema })],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  let acknowledged = 0;
  const enough = new Promise((resolve) => {
    writer.stdout.on("data", (data) => {
      acknowledged += String(data).length;
      if (acknowledged >= 40) resolve();
    });
  });
  const store = postgres({ client, schema, wait: true });
  await enough;
  writer.kill("SIGKILL");
  await once(writer, "exit");
  await store.open({ owner: "next" });
  const { facts, journal } = await store.load("e");
  assert.ok(facts >= acknowledged, `${facts} of ${acknowledged}`);
  assert.deepEqual(
    factsOf({ journal }),
    Array.from({ length: facts }, (_, i) => i),
  );
  await store.close();
});

check("the store reconnects to a restarted server; an owner that has lost the store cannot write", async () => {
  const { store, schema } = fresh();
  await store.open({ owner: "a" });
  await create(store, record("e"));
  server.restart();
  await assert.rejects(async () => {
    // The first write notices that the connection is gone and fails, and the next one connects again.
    for (let i = 0; i < 2; i += 1) await append(store, "e", { facts: texts("lost?") });
    throw new Error("written");
  });
  const { version } = await store.get("e");
  const other = postgres({ client, schema });
  await assert.rejects(other.open({ owner: "b" }), { code: "STORE_CONFLICT" });
  await append(store, "e", { facts: texts("kept") });
  assert.equal((await store.get("e")).version, version + 1);
  // The owner's connection is ended, and another process takes the lock before the owner reconnects.
  const spy = client();
  await spy.connect();
  const holders = "FROM pg_locks WHERE locktype = 'advisory' AND classid = $1";
  await spy.query(`SELECT pg_terminate_backend(pid) ${holders}`, [0x53746570]);
  // The server ends the connection by a signal, which it may handle later when it is busy.
  while ((await spy.query(`SELECT pid ${holders}`, [0x53746570])).rows.length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
  await other.open({ owner: "b" });
  await append(other, "e", { facts: texts("by the other") });
  await assert.rejects(store.write([{ id: "e", version: version + 1, facts: texts("by a zombie") }]));
  assert.deepEqual(factsOf(await other.load("e")).slice(-2), ["kept", "by the other"]);
  await spy.end();
  await other.close();
  await store.close();
});

check("an AWS API server stores its executions in PostgreSQL and continues them after a restart", async () => {
  const { serve } = await importSource("js/entries/server.ts");
  // The server resolves the driver from the working directory.
  process.chdir(import.meta.dirname);
  const { host, user, database } = server.config;
  const data = `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}&schema=served`;
  const options = { port: 0, data, tasks: { "sqs:sendMessage.waitForTaskToken": ({ Token }) => void tokens.push(Token) } };
  const tokens = [];
  const definition = {
    StartAt: "Ask",
    States: {
      Ask: {
        Type: "Task",
        Resource: "arn:aws:states:::sqs:sendMessage.waitForTaskToken",
        Parameters: { "Token.$": "$$.Task.Token" },
        End: true,
      },
    },
  };
  const first = await serve(options);
  const { stateMachineArn } = await first.call("CreateStateMachine", {
    name: "Ask",
    definition: JSON.stringify(definition),
    roleArn: "arn:aws:iam::123456789012:role/r",
  });
  const { executionArn } = await first.call("StartExecution", { stateMachineArn, name: "one" });
  while (tokens.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await first.close();
  const second = await serve(options);
  await second.call("SendTaskSuccess", { taskToken: tokens[0], output: '"yes"' });
  let described;
  do described = await second.call("DescribeExecution", { executionArn });
  while (described.status === "RUNNING");
  assert.equal(described.output, '"yes"');
  await second.close();
});

check("a schema of a newer version is refused", async () => {
  const { store, schema } = fresh();
  await store.open({ owner: "a" });
  await store.close();
  const spy = client();
  await spy.connect();
  await spy.query(`INSERT INTO "${schema}".version VALUES (99)`);
  await spy.end();
  await assert.rejects(store.open({ owner: "a" }), { code: "STORE_NEWER", message: /update Stepglass/ });
});

check("a schema of a newer version is opened if that says that this one can use it", async () => {
  const { STEPS, migrate } = await importSource("js/runtime/store/postgres-schema.ts");
  const steps = [...STEPS, "CREATE TABLE later (a integer)"];
  const spy = client();
  await spy.connect();
  const query = async (...given) => (await spy.query(...given)).rows ?? [];
  for (const [oldest, isUsable] of [
    [STEPS.length, true],
    [STEPS.length + 1, false],
  ]) {
    const { store, schema } = fresh();
    await migrate({ query, transaction: (work) => work() }, `"${schema}"`, steps, oldest);
    if (isUsable) {
      await store.open({ owner: "a" });
      await create(store, record("e"));
      await store.close();
    } else await assert.rejects(store.open({ owner: "a" }), { code: "STORE_NEWER" });
  }
  await spy.end();
});

check("a schema of every published version is migrated, while a process of that version goes on", async () => {
  const { STEPS, migrate } = await importSource("js/runtime/store/postgres-schema.ts");
  for (let version = 1; version <= STEPS.length; version++) {
    const { store, schema } = fresh({ shared: true });
    const old = client();
    await old.connect();
    const query = async (...given) => (await old.query(...given)).rows ?? [];
    const session = { query, transaction: (work) => work() };
    await migrate(session, `"${schema}"`, STEPS.slice(0, version));
    const insert = `INSERT INTO execution (id, arn, machine, name, status, tags, version, start_date, facts, events, base, snapshots, held, bytes, about, input)
      VALUES ($1, $2, 'm', $2, 'RUNNING', ARRAY[md5('["k","v"]')], 1, 1000, 1, 0, 0, 0, 5, 7, '{"tags":{"k":"v"}}', '{}')`;
    const add = async (id, arn) => {
      await query(insert, [id, arn]);
      await query("INSERT INTO fact VALUES ($1, 0, 1, $2)", [id, '["a"]']);
    };
    await add(1, "before");
    await store.open({ owner: "new" });
    const expected = { machineArn: "m", tags: { k: "v" }, version: 1 };
    assert.deepEqual(await store.get("before"), record("before", { ...expected, order: 1 }));
    assert.deepEqual(factsOf(await store.load("before")), ["a"]);
    await append(store, "before", { change: { attributes: { a: 1, b: "x" } }, facts: texts("b") });
    // The process with the old version writes and removes.
    await add(1000, "after");
    assert.deepEqual(await store.get("after"), record("after", { ...expected, order: 1000 }));
    assert.deepEqual(
      (await store.list({ tags: { k: "v" } })).items.map(({ id }) => id),
      ["after", "before"],
    );
    assert.equal(await store.count({ attributes: { a: 1 } }), 1);
    await query("DELETE FROM execution WHERE arn = 'before'");
    assert.equal(await store.count({ attributes: { a: 1 } }), 0);
    assert.deepEqual(await query("SELECT * FROM attribute"), []);
    await old.end();
    await store.close();
  }
});

check("finds few and many executions by name and time, in the order of the list", async () => {
  const { store } = fresh();
  await store.open({ owner: "a" });
  await checkLists(store);
  await store.close();
});

check("indexes are added while a process of an older version writes, and are built again if that was interrupted", async () => {
  const { STEPS, migrate } = await importSource("js/runtime/store/postgres-schema.ts");
  const { store, schema } = fresh({ shared: true });
  const old = client();
  await old.connect();
  const query = async (...given) => (await old.query(...given)).rows ?? [];
  await migrate({ query, transaction: (work) => work() }, `"${schema}"`, STEPS.slice(0, STEPS.length - 1));
  // A process has died while it built the index.
  await query("CREATE INDEX execution_name ON execution (id)");
  await query("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'execution_name'::regclass");
  let goes = true;
  let written = 0;
  const insert = `INSERT INTO execution (id, arn, machine, name, status, tags, version, start_date, facts, events, base, snapshots, held, bytes, about, input)
    VALUES ($1, $2, 'm', $2, 'RUNNING', '{}', 1, 1000, 0, 0, 0, 0, 0, 2, '{}', '{}')`;
  const writing = (async () => {
    for (let id = 1; goes || id < 50; id += 1) {
      await query("BEGIN");
      await query(insert, [id, `e${id}`]);
      await query("COMMIT");
      written = id;
    }
  })();
  while (written < 10) await new Promise((resolve) => setImmediate(resolve));
  const other = postgres({ client, schema, shared: true });
  await Promise.all([store.open({ owner: "a" }), other.open({ owner: "b" })]);
  const during = written;
  while (written < during + 10) await new Promise((resolve) => setImmediate(resolve));
  goes = false;
  await writing;
  assert.equal(await store.count({ namePrefix: "e" }), written);
  assert.equal(await store.count({ startedFrom: 1000 }), written);
  assert.deepEqual((await store.list({ namePrefix: "e10" }, { limit: 2 })).items.length, 1);
  const indexes = await query(
    "SELECT c.relname, i.indisvalid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE c.relname IN ('execution_name', 'execution_start') AND c.relnamespace = $1::regnamespace",
    [`"${schema}"`],
  );
  assert.deepEqual(
    indexes.map(({ indisvalid }) => indisvalid),
    [true, true],
  );
  await old.end();
  await store.close();
  await other.close();
});

check("open waits while the server is down or recovers, and calls succeed again after the server has crashed and restarted", async () => {
  const { store, schema } = fresh();
  await store.open({ owner: "a" });
  await create(store, record("e"));
  const later = () => new Promise((resolve) => setTimeout(resolve, 200));
  server.crash();
  const other = postgres({ client, schema: `${schema}_other` });
  const opening = other.open({ owner: "b" });
  const reading = (async () => {
    for (;;) {
      try {
        return await store.get("e");
      } catch (error) {
        // A call that was under way when the connection broke fails, because it must not be executed twice.
        assert.equal(error.code, "STORE_FAILED");
      }
    }
  })();
  await later();
  server.begin();
  assert.equal((await reading).id, "e");
  await opening;
  await create(other, record("f"));
  await Promise.all([store.close(), other.close()]);
});

check("open fails if the server does not come back, and reports how long it has tried", async () => {
  let clients = 0;
  const refused = () => ({
    connect: () => ((clients += 1), Promise.reject(Object.assign(new Error("the database system is starting up"), { code: "57P03" }))),
    query: () => Promise.reject(new Error("not connected")),
    end: () => Promise.resolve(),
  });
  const store = postgres({ client: refused, connectSeconds: 0.3 });
  await assert.rejects(store.open({ owner: "a" }), {
    code: "STORE_FAILED",
    message: /^PostgreSQL: the database system is starting up; tried for 0\.\d seconds \(connectSeconds\)$/,
  });
  assert.ok(clients > 1);
  // A wrong password is not tried again.
  clients = 0;
  const wrong = () => ({
    ...refused(),
    connect: () => ((clients += 1), Promise.reject(Object.assign(new Error("password authentication failed"), { code: "28P01" }))),
  });
  await assert.rejects(postgres({ client: wrong }).open({ owner: "a" }), { code: "STORE_FAILED", message: /password/ });
  assert.equal(clients, 1);
});
