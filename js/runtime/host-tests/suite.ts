// The tests of a host, made from the scenarios and promises in this folder.

import type {
  HostAdapter,
  HostFeature,
  HostPromise,
  HostReport,
  HostTest,
  HostTestOptions,
  OpenHost,
} from "../../core/api/host-tests.d.ts";
import { misuse } from "../../core/base/errors.ts";
import { checkOptions } from "../../core/base/options.ts";
import { randomUuid } from "../../core/base/random.ts";
import { Runtime } from "../durable/runtime.ts";
import { HostTestError, Patience, same } from "./checks.ts";
import { crashes } from "./crashes.ts";
import { sameHistory } from "./equality.ts";
import { endOf, promises, redrives } from "./promises.ts";
import { scenarios } from "./scenarios.ts";
import type { Scenario } from "./scenarios.ts";
import { World } from "./world.ts";
import type { Surroundings, Test } from "./world.ts";

const SEED = 7;
const PATIENCE = 30_000;
/** Maximum duration of a test, as a multiple of the time that it waits for one event. */
const OVERALL = 3;
const PROMISES: readonly HostPromise[] = ["equal", ...promises.keys(), "crash"];

/** Returns the tests of a host. */
export function hostTests(adapter: HostAdapter, options: HostTestOptions = {}): HostTest[] {
  checkOptions(options, ["promises", "patience"], "hostTests()");
  const { promises: chosen = PROMISES, patience = PATIENCE } = options;
  const unknown = chosen.find((one) => !PROMISES.includes(one));
  if (unknown !== undefined) throw misuse("INVALID_OPTION", `promises has ${JSON.stringify(unknown)}; there are ${PROMISES.join(", ")}`);
  if (typeof adapter?.open !== "function") throw misuse("INVALID_OPTION", "hostTests(): an adapter must have a function open()");
  return list(adapter, new Patience(patience)).filter(({ promise }) => chosen.includes(promise));
}

function list(adapter: HostAdapter, patience: Patience): HostTest[] {
  const made = (promise: HostPromise, test: Test, ...needs: (HostFeature | undefined)[]): HostTest => ({
    name: `${promise}: ${test.name}`,
    promise,
    skip: [test.needs, ...needs].map((one) => one && adapter.lacks?.[one]).find((why) => why !== undefined) ?? false,
    run: () => surrounded(adapter, patience, promise, test),
  });
  return [
    ...scenarios.map((scenario) => made("equal", equality(scenario), scenario.needs)),
    ...[...promises].flatMap(([promise, tests]) => tests.map((test) => made(promise, test))),
    ...redrives.map((test) => made("history", test, "redrive")),
    ...crashes.map((test) => made("crash", test, "crash")),
  ];
}

/** Runs a test, and closes its hosts afterwards. */
async function surrounded(adapter: HostAdapter, patience: Patience, promise: HostPromise, test: Test): Promise<void> {
  const opened: OpenHost[] = [];
  const surroundings: Surroundings = {
    patience,
    world: new World(patience),
    open: async (program) => {
      const host = await adapter.open(program);
      opened.push(host);
      if (promise === "crash" && host.crash === undefined)
        throw new HostTestError("the host has no crash(): the adapter must say why, with lacks: { crash: … }");
      return host;
    },
    name: (of) => `${of}-${randomUuid().slice(0, 13)}`,
  };
  try {
    // A host that never answers must not block the test runner.
    await new Patience(OVERALL * patience.milliseconds).of(test.run(surroundings), "the test");
  } finally {
    for (const host of opened) await host.close();
  }
}

/** Returns a test that runs a scenario on the host and in memory, and compares the results. */
function equality(scenario: Scenario): Test {
  return {
    name: scenario.name,
    async run(around) {
      const { machines, input = {}, tasks, drive } = scenario;
      const name = around.name("equal");
      const play = async (around: Surroundings) => {
        const { world } = around;
        const host = await around.open({ machines, tasks: tasks?.(world) ?? {} });
        const execution = await host.start("Main", { name, input, seed: SEED });
        await drive?.(host, execution, world);
        return { arn: execution.arn, result: await endOf(execution, around), events: await execution.history() };
      };
      const memory = await inMemory((open) => play({ ...around, open, world: new World(around.patience) }));
      const there = await play(around);
      same(there.arn, memory.arn, "the ARN");
      same(there.result, memory.result, "the result");
      sameHistory(there.events, memory.events, scenario);
    },
  };
}

async function inMemory<Outcome>(play: (open: Surroundings["open"]) => Promise<Outcome>): Promise<Outcome> {
  let runtime: Runtime | undefined;
  try {
    return await play(async ({ machines, tasks }) => (runtime = await new Runtime({ machines, tasks }).open()));
  } finally {
    await runtime?.close();
  }
}

/** Runs the tests of a host without a test runner. */
export async function checkHost(adapter: HostAdapter, options: HostTestOptions & { concurrency?: number } = {}): Promise<HostReport> {
  checkOptions(options, ["promises", "patience", "concurrency"], "checkHost()");
  const { concurrency = 4, ...chosen } = options;
  const tests = hostTests(adapter, chosen);
  const report: HostReport = { passed: [], skipped: [], failed: [] };
  const work = async () => {
    for (let test = tests.shift(); test !== undefined; test = tests.shift()) {
      const { name, promise, skip, run } = test;
      if (skip !== false) report.skipped.push({ name, reason: skip });
      else
        await run().then(
          () => report.passed.push(name),
          (error: unknown) =>
            report.failed.push({ name, promise, error: error instanceof Error ? error : new HostTestError(String(error)) }),
        );
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return report;
}
