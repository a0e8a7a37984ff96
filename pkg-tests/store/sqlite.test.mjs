// The SQLite store keeps the promises of every store and its own, with each driver that this Node has.
import assert from "node:assert/strict";
import fs, { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { createRequire, syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { mock, test } from "node:test";
import { pathToFileURL } from "node:url";
import { importSource } from "../../scripts/sources.mjs";
import { drivers, folder, hasSqlite, sqlite } from "./drivers.mjs";
import { encodedBytes, reverse } from "./codec.mjs";
import { append, collect, create, factsOf, record, storeSuite, texts, write } from "./suite.mjs";
import { checkLists } from "./lists.mjs";

const { Runtime, encoded } = await importSource("js/entries/durable-node.ts");

/** A validator for assert.rejects: it checks an error's code, and its message by a pattern. */
const failed = (code, message) => (error) => {
  assert.equal(error.code, code, error.stack);
  assert.match(error.message, message);
  return true;
};

/** Statements that damage an execution with a snapshot and later facts, by the kind of damage. */
const DAMAGES = {
  "a fact is missing": "DELETE FROM fact WHERE execution = 1 AND seq = 1",
  "the last fact is missing": "DELETE FROM fact WHERE execution = 1 AND seq = 2",
  "a fact is not JSON": "UPDATE fact SET body = '[\"b' WHERE execution = 1 AND seq = 1",
  "a fact is of another number": "UPDATE fact SET body = '[1,2]' WHERE execution = 1 AND seq = 1",
  "a fact is bytes": "UPDATE fact SET body = x'00' WHERE execution = 1 AND seq = 1",
  "the snapshot is bytes": "UPDATE snapshot SET body = x'00' WHERE execution = 1",
  "the input is bytes": "UPDATE payload SET text = x'00' WHERE id = 4",
  "the machine is bytes": "UPDATE machine SET arn = x'00' WHERE id = 1",
  "the snapshot is missing": "DELETE FROM snapshot WHERE execution = 1",
  "the record is not JSON": "UPDATE execution SET about = '{' WHERE id = 1",
  "the input is missing": "DELETE FROM payload WHERE id = 4",
  "the machine is missing": "DELETE FROM machine WHERE id = 1",
};

test("at least one driver of SQLite is installed", () => {
  assert.ok(Object.keys(drivers).length > 0, "neither node:sqlite nor libsql: npm ci --prefix pkg-tests/store");
  // CI must test both drivers, so libsql has to be installed too.
  if (process.env.CI && !process.env.STEPGLASS_DRIVER)
    assert.ok("libsql" in drivers, "libsql is not installed: npm ci --prefix pkg-tests/store");
});

for (const [name, driver] of Object.entries(drivers)) {
  const inFolder = () => {
    const { file, done } = folder();
    return { store: driver.store(file), another: () => driver.store(file), done };
  };
  storeSuite(test, `SQLite by ${name}`, inFolder);
  const coded = () => {
    const { store, another, done } = inFolder();
    return { store: encoded(store, [reverse]), another: () => encoded(another(), [reverse]), done };
  };
  storeSuite(test, `SQLite by ${name}, encoded`, coded, { bytes: encodedBytes });

  const check = (what, run) =>
    test(`SQLite by ${name}: ${what}`, async () => {
      const { file, path, done } = folder();
      try {
        await run(file, driver, path);
      } finally {
        done();
      }
    });
  for (const part of [files, schemas, damages, failures, plans]) part(check);
}

/** Replaces functions of node:fs. Returns the function that restores them. */
function replaced(functions) {
  const mocks = Object.entries(functions).map(([name, one]) => mock.method(fs, name, one));
  syncBuiltinESMExports();
  return () => {
    for (const one of mocks) one.mock.restore();
    syncBuiltinESMExports();
  };
}

/** Holds every asynchronous sync. `release` lets the oldest one begin, or makes it fail. */
function heldSyncs() {
  const { fdatasync } = fs;
  const held = [];
  const restore = replaced({ fdatasync: (file, done) => void held.push((error) => (error ? done(error) : fdatasync(file, done))) });
  return { release: (error) => held.shift()(error), restore };
}

/** Counts the syncs of both kinds. */
function countedSyncs() {
  const { fdatasync, fdatasyncSync } = fs;
  let count = 0;
  const restore = replaced({
    fdatasync: (...given) => (count++, fdatasync(...given)),
    fdatasyncSync: (...given) => (count++, fdatasyncSync(...given)),
  });
  return { count: () => count, restore };
}

/** Lets everything happen that does not wait for the disk. */
async function turns() {
  for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve));
}

/** Opens a store and returns it. */
async function opened(store) {
  await store.open({ owner: "test" });
  return store;
}

/** Executes statements on the database of a closed store. */
function edit({ database }, file, ...statements) {
  const open = database(file);
  for (const sql of statements) open.exec(sql);
  open.close();
}

function files(check) {
  check("uses a write-ahead log, which the store syncs itself", async (file, { database }) => {
    const { STEPS } = await importSource("js/runtime/store/sqlite-schema.ts");
    const bare = database(file);
    const store = await opened(sqlite({ database: bare }));
    const pragma = (name) => Object.values(bare.prepare(`PRAGMA ${name}`).get())[0];
    assert.deepEqual(["journal_mode", "synchronous", "locking_mode", "auto_vacuum", "user_version"].map(pragma), [
      "wal",
      1,
      "normal",
      2,
      STEPS.length,
    ]);
    await create(store, record("e"));
    assert.ok(statSync(`${file}-wal`).size > 0);
    await store.close();
    // A closed store is one file. The other file remains, because the next owner locks it.
    assert.deepEqual(readdirSync(join(file, "..")), ["store.db", "store.db-owner"]);
  });

  check("reports nothing as stored, and shows it to no reader, before it is on the disk", async (file, { store }) => {
    const open = await opened(store(file));
    const disk = heldSyncs();
    try {
      const done = [];
      const note = (name) => () => done.push(name);
      const writing = create(open, record("a"), record("b")).then(note("write"));
      const reading = Promise.all([open.get("a"), open.count(), open.list(), open.load("b")]).then((read) => {
        note("read")();
        return read;
      });
      await turns();
      assert.deepEqual(done, []);
      disk.release();
      await writing;
      const [one, count, { items }, loaded] = await reading;
      assert.deepEqual([one.id, count, items.length, loaded.record.id], ["a", 2, 2, "b"]);
      assert.ok(done.includes("read"));

      // What was committed while a sync was running may not be part of it.
      const first = create(open, record("c"), record("d")).then(note("first"));
      const second = create(open, record("e"), record("f")).then(note("second"));
      done.length = 0;
      disk.release();
      await first;
      await turns();
      assert.deepEqual(done, ["first"]);
      disk.release();
      await second;
    } finally {
      disk.restore();
    }
    await open.close();
  });

  check("syncs every kind of write", async (file, { store }) => {
    const open = await opened(store(file));
    const disk = countedSyncs();
    try {
      const writes = [
        () => create(open, record("a")),
        () => create(open, record("b"), record("c")),
        () => append(open, "a", { facts: texts(1) }),
        () => open.put("collection", "key", 1),
        () => open.remove("collection", "key"),
        () => open.putDefinition("hash", "{}"),
        () => open.prune({ ids: ["b"] }),
      ];
      for (const one of writes) {
        const before = disk.count();
        await one();
        assert.ok(disk.count() > before, String(one));
      }
    } finally {
      disk.restore();
    }
    await open.close();
  });

  check("stops when the disk fails to sync, because nobody can know what it has", async (file, { store }) => {
    const open = await opened(store(file));
    await create(open, record("a"));
    const disk = heldSyncs();
    const broken = failed("STORE_FAILED", /EIO/);
    try {
      const writing = assert.rejects(create(open, record("b"), record("c")), broken);
      const waiting = assert.rejects(create(open, record("d"), record("e")), broken);
      disk.release(Object.assign(new Error("EIO: i/o error, fdatasync"), { code: "EIO" }));
      await Promise.all([writing, waiting]);
    } finally {
      disk.restore();
    }
    await assert.rejects(create(open, record("f")), broken);
    await assert.rejects(open.get("a"), broken);
    await open.close();
    await open.open({ owner: "again" });
    assert.equal((await open.get("a")).id, "a");
    await open.close();
  });

  check("opens as soon as the previous owner has closed", async (file, { store }) => {
    const [first, second] = [await opened(store(file)), store(file)];
    const opening = second.open({ owner: "test" });
    await first.close();
    await opening;
    await second.close();
  });

  check("prunes in parts, between which other writes succeed, and stops when it is closed", async (file, { store }) => {
    const first = await opened(store(file));
    await create(first, ...Array.from({ length: 450 }, (_, i) => record(`e${i}`, { status: "FAILED", stopDate: i })));
    const removing = first.prune({ executions: 0 });
    await create(first, record("meanwhile"));
    assert.equal(await first.count(), 351);
    await first.close();
    assert.equal((await removing).length, 100);
    await first.open({ owner: "test" });
    assert.equal((await first.prune({ executions: 0 })).length, 350);
    assert.deepEqual(
      (await first.list()).items.map(({ id }) => id),
      ["meanwhile"],
    );
    await first.close();
  });

  check("reports which file it cannot open and why", async (file, { store }, path) => {
    await assert.rejects(store(join(path, "none/store.db")).open({ owner: "test" }), failed("STORE_FAILED", /none/));
    await assert.rejects(store(path).open({ owner: "test" }), failed("STORE_FAILED", new RegExp(path)));
    writeFileSync(file, "This is a text, and not a short one: a header of SQLite has 100 bytes.".repeat(100));
    await assert.rejects(store(file).open({ owner: "test" }), failed("STORE_DAMAGED", /is not an SQLite database/));
  });

  check("makes a backup while it is written to", async (file, { store }, path) => {
    const first = await opened(store(file));
    for (let i = 0; i < 20; i++)
      await create(first, ...Array.from({ length: 50 }, (_, k) => record(`e${i}-${k}`, { input: "x".repeat(2000) })));
    const copy = join(path, "copy.db");
    const copying = first.backup(pathToFileURL(copy));
    await create(first, record("meanwhile"));
    await copying;
    await create(first, record("later"));
    await assert.rejects(first.backup(copy), failed("STORE_FAILED", /copy.db exists already/));
    await assert.rejects(first.backup(file), failed("STORE_FAILED", /exists already/));
    await assert.rejects(first.backup(join(path, "none/copy.db")), failed("STORE_FAILED", /the backup has failed/));
    assert.deepEqual(
      readdirSync(path).filter((name) => !name.startsWith("store.db")),
      ["copy.db"],
    );
    const second = await opened(store(copy));
    assert.ok((await second.count()) >= 1000);
    assert.equal((await second.load("e19-49")).record.input.length, 2000);
    assert.equal(await second.get("later"), undefined);
    await second.close();
    await first.close();
    await assert.rejects(first.backup(join(path, "closed.db")), { code: "STORE_CLOSED" });
  });

  check("returns unused space to the file system", async (file, { store }) => {
    const first = await opened(store(file));
    for (let i = 0; i < 20; i++)
      await create(first, record(`e${i}`, { status: "FAILED", stopDate: i, input: JSON.stringify("x".repeat(500_000)) }));
    await first.close();
    const before = statSync(file).size;
    await first.open({ owner: "test" });
    assert.equal((await first.prune({ executions: 2 })).length, 18);
    await first.close();
    assert.ok(statSync(file).size < before / 4, `${statSync(file).size} of ${before}`);
  });
}

function schemas(check) {
  check("refuses a schema of a newer version without changing it", async (file, driver) => {
    const { STEPS } = await importSource("js/runtime/store/sqlite-schema.ts");
    const store = driver.store(file);
    await (await opened(store)).close();
    edit(driver, file, "PRAGMA user_version = 77; UPDATE meta SET value = 77 WHERE key = 'oldest'");
    const before = readFileSync(file);
    await assert.rejects(store.open({ owner: "test" }), failed("STORE_NEWER", /schema is version 77, and this Stepglass knows \d+;/));
    assert.ok(before.equals(readFileSync(file)));
    edit(driver, file, `PRAGMA user_version = ${STEPS.length}; UPDATE meta SET value = 1 WHERE key = 'oldest'`);
    await (await opened(store)).close();
  });

  check("refuses a database of another program without changing it", async (file, driver) => {
    edit(driver, file, "CREATE TABLE other (a)");
    const before = readFileSync(file);
    await assert.rejects(driver.store(file).open({ owner: "test" }), failed("STORE_UNAVAILABLE", /is a database of another program/));
    assert.ok(before.equals(readFileSync(file)));
  });

  check("migrates through all steps of the schema, or not at all", async (file, driver) => {
    const { migrate, STEPS } = await importSource("js/runtime/store/sqlite-schema.ts");
    const { Connection } = await importSource("js/runtime/store/sqlite-database.ts");
    const store = await opened(driver.store(file));
    await create(store, record("e"));
    await store.close();
    const database = driver.database(file);
    const connection = new Connection(database, "store.db");
    const steps = [
      ...STEPS,
      "CREATE TABLE more (a); INSERT INTO more VALUES (1)",
      "ALTER TABLE more ADD COLUMN b; UPDATE more SET b = a + 1",
    ];
    assert.throws(() => migrate(connection, [...steps, "CREATE TABLE last (a); INSERT INTO none VALUES (1)"]));
    assert.deepEqual(
      [connection.pragma("user_version"), connection.all("SELECT 1 FROM sqlite_schema WHERE name = 'more'")],
      [STEPS.length, []],
    );
    migrate(connection, steps, steps.length);
    migrate(connection, steps, steps.length);
    assert.equal(connection.pragma("user_version"), STEPS.length + 2);
    const { a, b } = connection.get("SELECT a, b FROM more");
    assert.deepEqual([a, b], [1, 2]);
    connection.close();
    await assert.rejects(store.open({ owner: "test" }), failed("STORE_NEWER", new RegExp(`version ${STEPS.length + 2}`)));
  });

  check("opens a database of a newer version if that says that this one can use it", async (file, driver) => {
    const { migrate, STEPS } = await importSource("js/runtime/store/sqlite-schema.ts");
    const { Connection } = await importSource("js/runtime/store/sqlite-database.ts");
    const steps = [...STEPS, "CREATE INDEX later ON execution (version)"];
    for (const [own, oldest] of [
      [`${file}.usable`, STEPS.length],
      [`${file}.newer`, STEPS.length + 1],
    ]) {
      const connection = new Connection(driver.database(own), "store.db");
      migrate(connection, steps, oldest);
      connection.close();
    }
    const store = await opened(driver.store(`${file}.usable`));
    await create(store, record("e"));
    await store.close();
    const newer = new Connection(driver.database(`${file}.usable`), "store.db");
    assert.equal(newer.pragma("user_version"), steps.length);
    newer.close();
    await assert.rejects(driver.store(`${file}.newer`).open({ owner: "a" }), failed("STORE_NEWER", /update Stepglass/));
  });

  check("migrates a database of every published schema, whose executions stay as they are", async (file, driver) => {
    const { migrate, STEPS } = await importSource("js/runtime/store/sqlite-schema.ts");
    const { Connection } = await importSource("js/runtime/store/sqlite-database.ts");
    for (let version = 1; version <= STEPS.length; version++) {
      const own = `${file}.${version}`;
      const connection = new Connection(driver.database(own), "store.db");
      migrate(connection, STEPS.slice(0, version));
      // What the first schema has, later ones have, too.
      connection.exec(`
        INSERT INTO machine (id, arn) VALUES (1, 'arn:m');
        INSERT INTO execution VALUES (1, 'old', 1, NULL, 'old', 'RUNNING', 3, 1000, NULL, 7, 1, 0, 0, 0, 5, 7, '{"tags":{"k":"v"}}');
        INSERT INTO payload VALUES (4, '{}');
        INSERT INTO tag VALUES ('k', 'v', 1);
        INSERT INTO fact VALUES (1, 0, 1, '["a"]')`);
      connection.close();
      const store = await opened(driver.store(own));
      assert.deepEqual(await store.load("old"), {
        record: record("old", { machineArn: "arn:m", tags: { k: "v" }, order: 1, version: 3 }),
        ...{ facts: 1, events: 0, journal: ['["a"]'], wakeAt: 7 },
      });
      await append(store, "old", { facts: texts("b"), change: { attributes: { a: 1 } } });
      assert.equal((await store.list({ tags: { k: "v" }, attributes: { a: 1 } })).items.length, 1);
      await store.close();
    }
  });
}

function damages(check) {
  for (const [what, sql] of Object.entries(DAMAGES))
    check(`names the damaged execution when ${what}, and still reads all others`, async (file, driver) => {
      const store = await opened(driver.store(file));
      await create(store, record("broken", { tags: { k: "v" }, machineArn: "its" }), record("whole", { tags: { k: "v" } }));
      for (const id of ["broken", "whole"]) {
        await append(store, id, { facts: texts("a"), snapshot: "s" });
        await append(store, id, { facts: texts("b") });
        await append(store, id, { facts: texts("c"), wakeAt: 5 });
      }
      await store.close();
      edit(driver, file, sql);
      await store.open({ owner: "test" });
      await assert.rejects(store.load("broken"), failed("STORE_DAMAGED", /the execution broken is damaged/));
      assert.deepEqual(factsOf(await store.load("whole")), ["b", "c"]);
      assert.deepEqual(
        (await store.list({ tags: { k: "v" } })).items.map(({ id }) => id),
        ["whole", "broken"],
      );
      assert.equal((await store.due({ until: 9 })).length, 2);
      const [result] = await store.write([
        { id: "broken", version: 4, change: { status: "FAILED", stopDate: 1 } },
        { id: "whole", version: 4, facts: texts("d") },
      ]);
      assert.ok(result.ok || result.error.code === "STORE_DAMAGED");
      assert.deepEqual(factsOf(await store.load("whole")), ["b", "c", "d"]);
      assert.deepEqual(await store.prune({ ids: ["broken"] }), ["broken"]);
      assert.equal(await store.count({ tags: { k: "v" } }), 1);
      await store.close();
    });

  check("names an execution whose history is damaged", async (file, driver) => {
    const store = await opened(driver.store(file));
    await create(store, record("a"), record("b"), record("c"));
    for (const id of ["a", "b", "c"]) for (let i = 0; i < 3; i++) await append(store, id, { events: texts(i) });
    await store.close();
    edit(driver, file, "DELETE FROM history WHERE execution = 1 AND first = 1", "UPDATE history SET body = '[' WHERE execution = 2");
    await store.open({ owner: "test" });
    for (const id of ["a", "b"])
      await assert.rejects(store.history(id), failed("STORE_DAMAGED", new RegExp(`the execution ${id} is damaged`)));
    assert.deepEqual(await store.history("c"), { events: [0, 1, 2], total: 3 });
    await store.close();
  });

  check("names the document that is damaged", async (file, driver) => {
    const store = await opened(driver.store(file));
    await store.put("machine", "m", 1);
    await store.close();
    edit(driver, file, "UPDATE document SET value = '{'");
    await store.open({ owner: "test" });
    await assert.rejects(store.document("machine", "m"), failed("STORE_DAMAGED", /the document machine m is damaged/));
    await assert.rejects(collect(store.all("machine")), failed("STORE_DAMAGED", /the document machine m is damaged/));
    await store.close();
  });
}

/** Everything that a store contains. */
async function contents(store) {
  const { items } = await store.list({}, { limit: 1000 });
  const executions = [];
  for (const { id } of items) executions.push([await store.load(id), await store.history(id)]);
  return { executions, due: await store.due({ until: Infinity }), counts: [await store.count({ tags: { k: "v" } }), await store.count()] };
}

/** A database that calls `fails` before each statement that writes; if it throws, the statement fails. */
function failing(database, fails) {
  const writes = (sql) => /^(?:INSERT|UPDATE|DELETE|COMMIT)/.test(sql);
  return {
    exec: (sql) => database.exec(sql),
    close: () => database.close(),
    prepare(sql) {
      const statement = database.prepare(sql);
      const perform = (method, values) => {
        if (writes(sql)) fails(sql);
        return statement[method](...values);
      };
      return {
        run: (...values) => perform("run", values),
        get: (...values) => perform("get", values),
        all: (...values) => perform("all", values),
      };
    },
  };
}

/** A database as strict as better-sqlite3: `get` and `all` need a statement with columns, and `run` one without. */
function strict(database) {
  return {
    exec: (sql) => database.exec(sql),
    close: () => database.close(),
    prepare(sql) {
      const statement = database.prepare(sql);
      const reads = statement.reader ?? statement.columns().length > 0;
      const only = (allowed, method) => {
        assert.ok(allowed, `${method}() of ${sql}`);
        return (...values) => statement[method](...values);
      };
      return {
        run: (...values) => only(!reads, "run")(...values),
        get: (...values) => only(reads, "get")(...values),
        all: (...values) => only(reads, "all")(...values),
      };
    },
  };
}

function failures(check) {
  check("reads rows only from statements with columns, as better-sqlite3 requires", async (file, { database }) => {
    const store = await opened(sqlite({ database: () => strict(database(file)) }));
    await create(store, record("e", { tags: { k: "v" }, mapRunArn: "run" }), record("f", { status: "FAILED", stopDate: 1 }));
    await append(store, "e", { facts: texts(1), events: texts(1), change: { output: "1", tags: {} }, wakeAt: 1 });
    await append(store, "e", { facts: texts(2), snapshot: "s" });
    await append(store, "e", { snapshot: null });
    await contents(store);
    await store.put("c", "k", 1);
    await collect(store.all("c"));
    await store.remove("c", "k");
    await store.putDefinition("h", "{}");
    await store.getDefinition("h");
    await store.backup(`${file}.copy`);
    assert.deepEqual(await store.prune({ ids: ["e"], executions: 0 }), ["e", "f"]);
    await store.close();
    await store.open({ owner: "again" });
    await store.close();
  });

  check("stores nothing of a failed write, whichever statement fails, and can be used again", async (file, { database }) => {
    let left = Infinity;
    const fails = (sql) => {
      if (--left === 0) throw Object.assign(new Error(`disk I/O error in ${sql}`), { code: "SQLITE_IOERR_FSYNC", errcode: 1034 });
    };
    const store = await opened(sqlite({ database: () => failing(database(file), fails) }));
    await create(store, record("a", { tags: { k: "v" } }), record("b"));
    const batches = [
      {
        id: "a",
        version: 1,
        facts: texts(1),
        events: texts(1, 2),
        change: { status: "FAILED", stopDate: 1, output: "1", tags: { k: "w" } },
      },
      { id: "b", version: 1, facts: texts(1), snapshot: "s", wakeAt: 4 },
      { id: "c", version: 0, create: record("c", { machineArn: "new", mapRunArn: undefined, tags: { k: "v" } }), facts: texts(1) },
      { id: "d", version: 0, create: record("d", { machineArn: "new", mapRunArn: "run" }) },
    ];
    const before = await contents(store);
    let boundaries = 0;
    for (; ; boundaries++) {
      left = boundaries + 1;
      try {
        const results = await store.write(batches);
        assert.ok(results.every(({ ok }) => ok));
        break;
      } catch (error) {
        assert.deepEqual([error.name, error.code], ["StoreError", "STORE_FAILED"], error.stack);
        assert.deepEqual(await contents(store), before);
      }
    }
    left = Infinity;
    assert.ok(boundaries > 15, `${boundaries} boundaries`);
    const after = await contents(store);
    assert.deepEqual(
      after.executions.map(([{ record }]) => [record.id, record.version, record.order, record.status]),
      [
        ["c", 1, 3, "RUNNING"],
        ["b", 2, 2, "RUNNING"],
        ["a", 2, 1, "FAILED"],
      ],
    );
    assert.deepEqual([await store.count({ machineArn: "new" }), await store.count({ mapRunArn: "run" })], [1, 1]);
    await store.close();
    await store.open({ owner: "again" });
    assert.deepEqual(await contents(store), after);
    await store.close();
  });

  check("stores nothing of a write when the disk is full, and can be used when there is room again", async (file, { database }) => {
    const bare = database(file);
    const store = await opened(sqlite({ database: bare }));
    await create(store, record("e"));
    const before = await contents(store);
    const pages = Object.values(bare.prepare("PRAGMA page_count").get())[0];
    bare.prepare(`PRAGMA max_page_count = ${pages + 8}`).get();
    const full = failed("STORE_FULL", /the disk is full/);
    await assert.rejects(
      store.write([
        { id: "f", version: 0, create: record("f") },
        { id: "e", version: 1, facts: texts("x".repeat(100_000)) },
      ]),
      full,
    );
    await assert.rejects(store.put("c", "k", "x".repeat(100_000)), full);
    assert.deepEqual(await contents(store), before);
    await write(store, { id: "e", version: 1, facts: texts("small") });
    bare.prepare("PRAGMA max_page_count = 1000000").get();
    await write(store, { id: "e", version: 2, facts: texts("x".repeat(100_000)) });
    assert.equal((await store.load("e")).facts, 2);
    await store.close();
  });
}

function plans(check) {
  check("finds few and many executions by name and time, in the order of the list", async (file, driver) => {
    const store = await opened(driver.store(file));
    await checkLists(store);
    await store.close();
  });

  check("continues executions of the first published schema", async (file, driver) => {
    const machines = {
      Order: {
        StartAt: "S",
        States: { S: { Type: "Task", Resource: "urn:stepglass:waitForSignal", Parameters: { Name: "go" }, End: true } },
      },
    };
    const first = await new Runtime({ store: driver.store(file), machines }).open();
    for (const name of ["a", "b"]) await first.start("Order", { name, input: { name }, tags: { k: name } });
    await first.close();
    // Everything that later steps have added is removed.
    edit(
      driver,
      file,
      "DROP TABLE attribute; DROP TABLE answer; DROP INDEX execution_name; DROP INDEX execution_start; PRAGMA user_version = 1",
    );
    const { STEPS } = await importSource("js/runtime/store/sqlite-schema.ts");
    const database = driver.database(file);
    const names = database.prepare("SELECT name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'").all();
    assert.deepEqual(
      names.map(({ name }) => name).sort(),
      [...STEPS[0].matchAll(/CREATE (?:UNIQUE )?(?:TABLE|INDEX) (\w+)/g)].map(([, name]) => name).sort(),
    );
    database.close();
    const second = await new Runtime({ store: driver.store(file), machines }).open();
    for (const name of ["a", "b"]) {
      const one = await second.get("Order", name);
      await one.signal("go", name);
      assert.deepEqual(await one.result, { status: "SUCCEEDED", output: name });
    }
    assert.equal((await second.list({ tags: { k: "b" } })).items.length, 1);
    assert.deepEqual((await second.verify()).differing, []);
    await second.close();
  });

  check("reads a page of a list by an index, without reading other rows", async (file, driver) => {
    const { page, counted } = await importSource("js/runtime/store/sqlite-lists.ts");
    await (await opened(driver.store(file))).close();
    const database = driver.database(file);
    const plan = ({ text, values }) =>
      database
        .prepare(`EXPLAIN QUERY PLAN ${text}`)
        .all(...values)
        .map(({ detail }) => detail)
        .filter((detail) => / e\b|\btag\b| t\b/.test(detail));
    for (const machine of [undefined, 1])
      for (const mapRun of [undefined, 1])
        for (const status of [undefined, "RUNNING", ["FAILED", "ABORTED"]])
          for (const started of [{}, { startedFrom: 1, startedBefore: 9 }]) {
            const filter = { status, ...started };
            for (const sql of [page(filter, { machine, mapRun }, 100, 10), counted(filter, { machine, mapRun })])
              for (const detail of plan(sql)) assert.match(detail, /^SEARCH e USING COVERING INDEX execution_/, JSON.stringify(filter));
          }
    for (const detail of plan(page({ tags: { a: "b" } }, {}, 100, 10))) assert.match(detail, /^SEARCH [te] USING (?:INTEGER )?PRIMARY KEY/);
    database.close();
  });
}

test("sqlite() refuses invalid options and says what is wrong", () => {
  for (const [given, message] of [
    ["", /path that is not empty/],
    [undefined, /must be an object/],
    [{}, /database must be a database/],
    [{ database: 1 }, /database must be a database/],
    [{ path: "x" }, /has no option "path"/],
  ])
    assert.throws(
      () => sqlite(given),
      (error) => ["INVALID_OPTION", "INVALID_ARGUMENT"].includes(error.code) && message.test(error.message),
    );
});

test("without a driver, open fails with the name of one to install, and creates no file", async () => {
  const { file, done } = folder();
  const { getBuiltinModule } = process;
  try {
    process.getBuiltinModule = (name) => (name === "node:sqlite" ? undefined : getBuiltinModule(name));
    await assert.rejects(
      sqlite(file).open({ owner: "test" }),
      failed("STORE_UNAVAILABLE", /Node 22\.13 or newer.*npm install libsql.*sqlite\({ database: \(\) => new Database\("/),
    );
    assert.ok(!existsSync(file));
  } finally {
    process.getBuiltinModule = getBuiltinModule;
    done();
  }
});

test("a database in memory does not outlive its process", { skip: !hasSqlite && "this Node has no SQLite" }, async () => {
  const store = sqlite(":memory:");
  assert.equal(store.durable, false);
  await opened(store);
  await create(store, record("e"));
  await store.close();
  await store.open({ owner: "test" });
  assert.equal(await store.count(), 0);
  await store.close();
});

test("import and require give the same sqlite(), whose errors are those of the package", async () => {
  const imported = await import("../../dist/sqlite.js");
  const required = createRequire(import.meta.url)("../../dist/sqlite.cjs");
  assert.deepEqual(Object.keys(imported), ["sqlite"]);
  assert.equal(imported.sqlite, required.sqlite);
  await assert.rejects(imported.sqlite("store.db").get("e"), { name: "StoreError", code: "STORE_CLOSED" });
});

test("the entry can be bundled, also where no node:sqlite exists", async () => {
  const { build } = await import("esbuild");
  const { path, file, done } = folder();
  try {
    for (const format of ["esm", "cjs"]) {
      const outfile = join(path, format === "esm" ? "bundle.mjs" : "bundle.cjs");
      const { warnings } = await build({
        stdin: { contents: `export { sqlite } from "./dist/bundled-sqlite.js";`, resolveDir: join(import.meta.dirname, "../..") },
        ...{ bundle: true, format, platform: "node", outfile, logLevel: "silent" },
      });
      assert.deepEqual(warnings, []);
      const bundled = (await import(pathToFileURL(outfile).href)).sqlite(file);
      if (hasSqlite) await (await opened(bundled)).close();
      else await assert.rejects(bundled.open({ owner: "test" }), { code: "STORE_UNAVAILABLE" });
    }
  } finally {
    done();
  }
});
