// The logic of the console: filters in the address, saved views, and actions on many executions.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { test } from "node:test";
import { importSource } from "../../scripts/sources.mjs";

const skip = existsSync(resolve(import.meta.dirname, "../../www/src")) ? false : "the package has no sources of the page";
const query = skip ? {} : await importSource("www/src/console/query.ts");
const views = skip ? {} : await importSource("www/src/console/views.ts");
const bulk = skip ? {} : await importSource("www/src/console/bulk.ts");
const { EVERYTHING, countsRequestOf, requestOf, searchOf, viewOf } = query;

const HOUR = 3_600_000;

test("filters survive in the address of the page", { skip }, () => {
  const view = {
    ...EVERYTHING,
    statuses: ["FAILED", "TIMED_OUT"],
    machine: "arn:aws:states:eu-west-1:1:stateMachine:Order",
    name: "order 7&8",
    attribute: "customer=c=7",
    between: [1000, 2000],
  };
  assert.deepEqual(viewOf(searchOf(view)), view);
  assert.deepEqual(viewOf(searchOf({ ...EVERYTHING, period: "7d" })), { ...EVERYTHING, period: "7d" });
  assert.equal(searchOf(EVERYTHING), "");
});

test("what is not valid in an address is no filter", { skip }, () => {
  assert.deepEqual(viewOf("?status=BROKEN&period=constructor&from=9&until=3"), EVERYTHING);
});

test("a period is a time in the request for the list, and a length in the one for the counts", { skip }, () => {
  const view = { ...EVERYTHING, statuses: ["FAILED"], period: "24h" };
  assert.equal(requestOf(view, 100 * HOUR).toString(), `status=FAILED&from=${76 * HOUR}`);
  assert.equal(countsRequestOf(view).toString(), "hours=24&within=1");
});

test("saved views are read again, replaced by name, and found by their filters", { skip }, () => {
  const kept = new Map();
  const storage = { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) };
  const slow = { name: "Slow", view: { ...EVERYTHING, name: "slow-" } };
  assert.deepEqual(views.readViews(storage), []);
  assert.equal(views.writeViews(storage, [slow]), true);
  assert.deepEqual(views.readViews(storage), [slow]);
  const changed = views.withView([slow], { name: "Slow", view: { ...EVERYTHING, name: "very-slow-" } });
  assert.deepEqual(
    changed.map(({ view }) => view.name),
    ["very-slow-"],
  );
  assert.equal(views.nameOf([...views.BUILT_IN, slow], { ...EVERYTHING, statuses: ["RUNNING"] }), "Running");
  assert.equal(views.nameOf([slow], EVERYTHING), undefined);
});

test("a storage that is damaged or full keeps no views, and nothing fails", { skip }, () => {
  for (const text of ["{", "7", '[null, {"name": 7}]']) assert.deepEqual(views.readViews({ getItem: () => text }), []);
  const full = {
    setItem: () => {
      throw new Error("full");
    },
  };
  assert.equal(views.writeViews(full, []), false);
});

const execution = (name, more) => ({ executionArn: name, name, status: "RUNNING", redrivable: false, ...more });

/** A server with executions, newest first, whose list has pages of two and which refuses some. */
function serverOf(all, refuses = []) {
  const requests = [];
  return {
    requests,
    list: async (parameters) => {
      requests.push(parameters.toString());
      const statuses = parameters.getAll("status");
      const found = all.filter(({ status }) => statuses.includes(status));
      const from = Number(parameters.get("before") ?? 0);
      return { executions: found.slice(from, from + 2), ...(from + 2 < found.length && { before: from + 2 }) };
    },
    bulk: async (action, arns, more) => {
      requests.push([action, arns, more]);
      const [refused, done] = [arns.filter((arn) => refuses.includes(arn)), arns.filter((arn) => !refuses.includes(arn))];
      return { done, refused: refused.map((executionArn) => ({ executionArn, type: "No", reason: "not now" })) };
    },
  };
}

async function last(reports) {
  let found;
  for await (const one of reports) found = one;
  return found;
}

test("an action on all that match goes through every page, and leaves others alone", { skip }, async () => {
  const all = ["e", "d", "c", "b", "a"].map((name) => execution(name)).concat(execution("over", { status: "FAILED" }));
  const server = serverOf(all, ["c"]);
  const report = await last(bulk.perform("stop", { view: { ...EVERYTHING, name: "x" } }, { cause: "enough" }, server));
  assert.deepEqual(report.done, ["e", "d", "b", "a"]);
  assert.deepEqual(
    report.refused.map(({ executionArn }) => executionArn),
    ["c"],
  );
  assert.match(server.requests[0], /status=RUNNING&name=x&limit=/);
  assert.deepEqual(server.requests[1], ["stop", ["e", "d"], { cause: "enough" }]);
});

test("an action on a selection skips the executions that it does not concern", { skip }, async () => {
  const executions = [
    execution("runs"),
    execution("failed", { status: "FAILED", redrivable: true }),
    execution("old", { status: "FAILED" }),
    execution("stuck", { suspended: "no handler" }),
  ];
  const by = async (action) => (await last(bulk.perform(action, { executions }, {}, serverOf([]))))?.done;
  assert.deepEqual(await by("redrive"), ["failed"]);
  assert.deepEqual(await by("stop"), ["runs", "stuck"]);
  assert.deepEqual(await by("cancel"), ["runs"]);
  assert.deepEqual(await by("resume"), ["stuck"]);
});

test("an action on a view whose statuses it does not concern does nothing", { skip }, async () => {
  const server = serverOf([execution("a")]);
  assert.equal(await last(bulk.perform("stop", { view: { ...EVERYTHING, statuses: ["SUCCEEDED"] } }, {}, server)), undefined);
  assert.deepEqual(server.requests, []);
});
