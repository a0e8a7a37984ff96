// A worker for scripts/crash-restate.mjs: `node restate-worker.mjs PORT ADMIN FILE`. FILE has a line for each call of a task, and one for
// each effect: the file that is named after the key can be made once.
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { sdk } from "../../pkg-tests/restate/server.mjs";

const [port, admin, file] = process.argv.slice(2);
const { serveOnRestate } = await import("../../dist/restate.js");
const version = process.env.VERSION ?? "1";
const note = (...words) => appendFileSync(file, `${words.join(" ")}\n`);
const keys = `${file}-keys`;
mkdirSync(keys, { recursive: true });

/** A service that takes keys: what was done for one is not done again. */
function effect(name, key) {
  try {
    writeFileSync(join(keys, createHash("sha256").update(key).digest("hex")), name, { flag: "wx" });
    note("effect", name, key);
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    note("again", name, key);
  }
}

const step = (name) => async (input, task) => {
  note("begins", name, task.idempotencyKey);
  task.signal.addEventListener("abort", () => note("aborted", name, task.idempotencyKey));
  await new Promise((resolve) => setTimeout(resolve, input.milliseconds ?? 10));
  effect(name, task.idempotencyKey);
  return input;
};
const item = async (n, task) => {
  note("begins", "item", task.idempotencyKey);
  effect("item", task.idempotencyKey);
  return n;
};

const task = (Resource, more = { End: true }) => ({ Type: "Task", Resource, ...more });
const one = (name) => ({ StartAt: name, States: { [name]: task(name) } });
const machines = {
  Steps: {
    StartAt: "One",
    States: {
      One: task("one", { Next: "Both" }),
      Both: { Type: "Parallel", Branches: [one("two"), one("three")], ResultPath: null, Next: "Wait" },
      Wait: { Type: "Wait", Seconds: 1, Next: "Last" },
      Last: task("one"),
    },
  },
  Asking: {
    StartAt: "Ask",
    States: {
      Ask: task("arn:aws:states:::lambda:invoke.waitForTaskToken", {
        Parameters: { FunctionName: "ask", Payload: { "token.$": "$$.Task.Token" } },
        End: true,
      }),
    },
  },
  Versioned: {
    StartAt: "Wait",
    States: { Wait: { Type: "Wait", Seconds: 5, Next: "Done" }, Done: { Type: "Pass", Result: version, End: true } },
  },
  Items: {
    StartAt: "Each",
    States: {
      Each: {
        Type: "Map",
        ItemsPath: "$.items",
        MaxConcurrency: 200,
        ItemProcessor: {
          ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" },
          StartAt: "Item",
          States: { Item: task("item") },
        },
        ResultPath: null,
        End: true,
      },
    },
  },
};
const tasks = { one: step("one"), two: step("two"), three: step("three"), item, ask: ({ token }) => note("token", token) };
await serveOnRestate({ machines, tasks, port: Number(port), admin, sdk: await sdk() });
console.log("ready");
