// Tasks that get a transaction of the store's own database: their changes and their answer commit together, so they happen exactly once.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { after, before, test } from "node:test";
import { drivers, folder } from "./drivers.mjs";
import { pg, programs, startServer } from "./postgres-server.mjs";
import { Runtime, TABLES, order, runtimeOf } from "./transactional-process.mjs";

const [driver] = Object.values(drivers);
const noSqlite = driver === undefined ? "there is no SQLite here" : false;
const noPostgres = pg === undefined || programs() === undefined ? "there is no PostgreSQL server or no pg here" : false;
const program = `${import.meta.dirname}/transactional-process.mjs`;

let server;
before(() => {
  if (!noPostgres) server = startServer();
});
after(() => server?.stop());

/** An empty SQLite database with the application's tables, and a function that reads it. */
function sqliteWorld() {
  const { file, done } = folder();
  const read = (...statements) => {
    const database = driver.database(file);
    const rows = statements.map((sql) =>
      sql === TABLES ? database.exec(sql) : Object.values(database.prepare(sql).all()[0] ?? {}).map(Number),
    );
    database.close();
    return rows;
  };
  read(TABLES);
  // The store refuses the database of another program.
  const database = driver.database(file);
  database.exec(`PRAGMA application_id = ${0x53746570}`);
  database.close();
  return { where: { kind: "sqlite", file }, read, done };
}

let schemas = 0;
async function postgresWorld() {
  const app = `app${(schemas += 1)}`;
  const config = { ...server.config, options: `-c search_path=${app}` };
  const read = async (...statements) => {
    const client = new pg.Client(config);
    await client.connect();
    const rows = [];
    for (const sql of statements) rows.push(Object.values((await client.query(sql)).rows?.[0] ?? {}).map(Number));
    await client.end();
    return rows;
  };
  await read(`CREATE SCHEMA ${app}`, ...TABLES.split(";").filter((sql) => sql.trim() !== ""));
  return { where: { kind: "postgres", config, schema: `s${schemas}` }, read, done: () => {} };
}

const EFFECTS = [
  "SELECT count(*), sum(amount) FROM app_payment",
  "SELECT total FROM app_balance",
  "SELECT count(*), sum(amount) FROM app_parcel",
];

for (const [name, world, skip] of [
  ["SQLite", sqliteWorld, noSqlite],
  ["PostgreSQL", postgresWorld, noPostgres],
]) {
  test(`${name}: every effect happens exactly once, whichever statement the process is killed before`, { skip }, async () => {
    let committed = 0;
    for (let kill = 1; ; kill += 1) {
      const { where, read, done } = await world();
      const { signal, status, stderr } = spawnSync(process.execPath, [program, JSON.stringify({ ...where, kill })], { encoding: "utf8" });
      if (signal === null) {
        assert.equal(status, 0, stderr);
        assert.deepEqual(await read(...EFFECTS), [[1, 12], [12], [1, 12]]);
        done();
        // Both tasks and the writes of the store were interrupted, also between a commit and the end of its task.
        assert.ok(kill > 20, `${kill} statements`);
        assert.ok(committed >= 2, `${committed} kills after a commit`);
        return;
      }
      assert.equal(signal, "SIGKILL");
      const [[paid], , [shipped]] = await read(...EFFECTS);
      const called = [];
      const interceptors = [{ task: ({ task }, next) => (called.push(task.stateName), next()) }];
      const { runtime } = runtimeOf(where, undefined, { interceptors });
      await runtime.open();
      const { output } = await (await order(runtime)).result;
      await runtime.close();
      // A task is called again although it has committed.
      if ((paid === 1 && called.includes("Pay")) || (shipped === 1 && called.includes("Ship"))) committed += 1;
      assert.deepEqual(output, { total: 12, shipped: 12 }, `killed before statement ${kill}`);
      assert.deepEqual(await read(...EFFECTS), [[1, 12], [12], [1, 12]], `killed before statement ${kill}`);
      done();
    }
  });

  test(`${name}: a handler that throws changes nothing, and its answer goes with its execution`, { skip }, async () => {
    const { where, read, done } = await world();
    const { store } = runtimeOf(where);
    let fails = true;
    const insert = (database) =>
      where.kind === "sqlite"
        ? database.prepare("INSERT INTO app_payment VALUES (1)").run()
        : database.query("INSERT INTO app_payment VALUES (1)");
    const then = (done, next) => (where.kind === "sqlite" ? next() : done.then(next));
    const pay = store.transactional((_input, _task, database) =>
      then(insert(database), () => {
        if (fails) throw Object.assign(new Error("no money"), { name: "NoMoney" });
      }),
    );
    const machine = { StartAt: "Pay", States: { Pay: { Type: "Task", Resource: "pay", End: true } } };
    const runtime = await new Runtime({ store, machines: { Pay: machine }, tasks: { pay }, retention: { executions: 0 } }).open();
    const failed = await (await runtime.start("Pay")).result;
    assert.deepEqual([failed.status, failed.error, failed.cause], ["FAILED", "NoMoney", "no money"]);
    fails = false;
    assert.deepEqual(await (await runtime.start("Pay")).result, { status: "SUCCEEDED", output: null });
    await runtime.prune();
    await runtime.close();
    const answers = where.kind === "sqlite" ? "SELECT count(*) FROM answer" : `SELECT count(*) FROM ${where.schema}.answer`;
    assert.deepEqual(await read(EFFECTS[0], answers), [[1, 1], [0]]);
    done();
  });
}

test("SQLite: a handler that returns a promise fails its task, and nothing is committed", { skip: noSqlite }, async () => {
  const { where, read, done } = sqliteWorld();
  const { store } = runtimeOf(where);
  const pay = store.transactional(async (_input, _task, database) => database.prepare("INSERT INTO app_payment VALUES (1)").run());
  const machine = { StartAt: "Pay", States: { Pay: { Type: "Task", Resource: "pay", End: true } } };
  const runtime = await new Runtime({ store, machines: { Pay: machine }, tasks: { pay } }).open();
  const { error, cause } = await (await runtime.start("Pay")).result;
  assert.deepEqual([error, /must return its answer and not a promise/.test(cause)], ["States.TaskFailed", true]);
  await runtime.close();
  assert.equal(read("SELECT count(*) FROM app_payment")[0][0], 0);
  done();
});
