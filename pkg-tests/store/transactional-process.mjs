// A process for transactional.test.mjs: it runs an order whose handlers change the application's tables, and is killed before one of its
// statements:   node transactional-process.mjs '{"kind":"sqlite","file":"…","kill":7}'
import { importSource } from "../../scripts/sources.mjs";
import { drivers, sqlite } from "./drivers.mjs";
import { pg } from "./postgres-server.mjs";

export const { Runtime } = await importSource("js/entries/durable-node.ts");
const { postgres } = await importSource("js/entries/postgres.ts");

const task = (Resource, more) => ({ Type: "Task", Resource, ...more });
export const machines = { Order: { StartAt: "Pay", States: { Pay: task("pay", { Next: "Ship" }), Ship: task("ship", { End: true }) } } };

/** The tables of the application. */
export const TABLES = `
  CREATE TABLE app_payment (amount integer NOT NULL);
  CREATE TABLE app_balance (total integer NOT NULL);
  INSERT INTO app_balance VALUES (0);
  CREATE TABLE app_parcel (amount integer NOT NULL);`;

/** Calls `before` before each statement of a database or a client. */
function watched(target, before) {
  const methods = new Set(["exec", "run", "get", "all", "query"]);
  return new Proxy(target, {
    get(object, name) {
      const value = object[name];
      if (typeof value !== "function") return value;
      if (name === "prepare") return (...given) => watched(value.apply(object, given), before);
      return (...given) => {
        if (methods.has(name)) before(name === "query" ? (given[0].text ?? given[0]) : name);
        return value.apply(object, given);
      };
    },
  });
}

const SQLITE = {
  pay: ({ amount }, _task, database) => {
    database.prepare("INSERT INTO app_payment VALUES (?)").run(amount);
    database.prepare("UPDATE app_balance SET total = total + ?").run(amount);
    return { amount, total: Number(database.prepare("SELECT total FROM app_balance").get().total) };
  },
  ship: ({ amount, total }, _task, database) => {
    database.prepare("INSERT INTO app_parcel VALUES (?)").run(amount);
    return { total, shipped: amount };
  },
};
const POSTGRES = {
  pay: async ({ amount }, _task, transaction) => {
    await transaction.query("INSERT INTO app_payment VALUES ($1)", [amount]);
    const { rows } = await transaction.query("UPDATE app_balance SET total = total + $1 RETURNING total", [amount]);
    return { amount, total: rows[0].total };
  },
  ship: async ({ amount, total }, _task, transaction) => {
    await transaction.query("INSERT INTO app_parcel VALUES ($1)", [amount]);
    return { total, shipped: amount };
  },
};

/** Returns a runtime, not open yet, that calls `before` before each statement. */
export function runtimeOf({ kind, file, config, schema }, before = () => {}, more = {}) {
  const [driver] = Object.values(drivers);
  const store =
    kind === "sqlite"
      ? sqlite({ database: () => watched(driver.database(file), before) })
      : postgres({ client: () => watched(new pg.Client(config), before), schema, wait: true });
  const handlers = kind === "sqlite" ? SQLITE : POSTGRES;
  const tasks = Object.fromEntries(Object.entries(handlers).map(([name, handler]) => [name, store.transactional(handler)]));
  return { store, runtime: new Runtime({ store, machines, tasks, ...more }) };
}

/** Runs the order, or continues it. */
export const order = (runtime) => runtime.start("Order", { name: "7", input: { amount: 12 }, onConflict: "use" });

if (process.argv[1] === import.meta.filename) {
  const { kill, ...where } = JSON.parse(process.argv[2]);
  let left = Infinity;
  const { runtime } = runtimeOf(where, () => {
    left -= 1;
    if (left === 0) process.kill(process.pid, "SIGKILL");
  });
  await runtime.open();
  left = kill;
  await (
    await order(runtime)
  ).result;
  left = Infinity;
  await runtime.close();
}
