// stepglass types: the output compiles and states what the definition determines.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { importSource } from "../../scripts/sources.mjs";
import { folderWith } from "./command.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

const order = {
  StartAt: "Charge",
  States: {
    Charge: {
      Type: "Task",
      Resource: "arn:aws:states:::lambda:invoke",
      Parameters: { FunctionName: "charge", Payload: { "id.$": "$.order.id", "run.$": "$$.Execution.Name", n: 1 } },
      ResultSelector: { "amount.$": "$.Payload.amount", "ok.$": "$.Payload.ok" },
      ResultPath: "$.receipt",
      Catch: [{ ErrorEquals: ["Declined"], Next: "Bad" }],
      Next: "Enough",
    },
    Enough: {
      Type: "Choice",
      Choices: [
        { Variable: "$.receipt.amount", NumericGreaterThan: 5, Next: "Each" },
        { Variable: "$.gift", IsPresent: true, Next: "Each" },
      ],
      Default: "Done",
    },
    Each: {
      Type: "Map",
      ItemsPath: "$.order.lines",
      ItemSelector: { "line.$": "$$.Map.Item.Value", "who.$": "$.customer" },
      ItemProcessor: {
        StartAt: "Send",
        States: {
          Send: { Type: "Task", Resource: "arn:aws:lambda:us-east-1:123456789012:function:send-it", InputPath: "$.line.sku", End: true },
        },
      },
      ResultPath: "$.sent",
      Next: "Done",
    },
    Bad: { Type: "Fail" },
    Done: { Type: "Succeed", OutputPath: "$.receipt" },
  },
};

const jsonata = {
  QueryLanguage: "JSONata",
  StartAt: "Get",
  States: {
    Get: {
      Type: "Task",
      Resource: "arn:aws:states:::dynamodb:getItem",
      Arguments: { TableName: "orders", Key: "{% $states.input.key %}" },
      Assign: { who: "{% $states.result.Item.who %}" },
      Output: { title: '{% "x" & $states.result.Item.title %}', n: "{% $count($states.input.list) %}" },
      Next: "Nap",
    },
    Nap: { Type: "Wait", Seconds: "{% $states.input.n %}", Next: "Mail" },
    Mail: {
      Type: "Task",
      Resource: "arn:aws:states:::sqs:sendMessage.waitForTaskToken",
      Arguments: { Body: "{% $who.mail %}", Token: "{% $states.context.Task.Token %}" },
      End: true,
    },
  },
};

const { folder, stepglass } = folderWith({ "order.json": order, "jsonata.json": jsonata, "broken.json": { StartAt: "A" } });

test("types state what the definition determines, and unknown otherwise", async () => {
  const { input, output, handlers } = JSON.parse((await stepglass("types", "order.json", "--json")).stdout);
  const plain = (text) => text.replace(/\s+/g, " ");
  assert.equal(
    plain(input),
    "{ order: { id: unknown; lines?: Array<{ sku?: unknown; [name: string]: unknown; }>; [name: string]: unknown; }; gift?: unknown; customer?: unknown; [name: string]: unknown; }",
  );
  assert.equal(plain(output), "{ amount: number; ok: unknown; }");
  assert.deepEqual(
    handlers.map(({ key, state, input, result }) => [key, state, plain(input), plain(result)]),
    [
      ["charge", "Charge", "{ id: unknown; run: string; n: number; }", "{ amount: number; ok: unknown; [name: string]: unknown; }"],
      ["send-it", "Send", "unknown", "unknown"],
    ],
  );
  const other = JSON.parse((await stepglass("types", "jsonata.json", "--json")).stdout);
  assert.equal(plain(other.input), "{ key: unknown; list?: unknown; [name: string]: unknown; }");
  assert.deepEqual(
    other.handlers.map(({ key, input, result }) => [key, plain(input), plain(result)]),
    [
      [
        "Get",
        "{ TableName: string; Key: unknown; }",
        "{ Item: { who: { mail: unknown; [name: string]: unknown; }; title?: unknown; [name: string]: unknown; }; [name: string]: unknown; }",
      ],
      ["Mail", "{ Body: unknown; Token: string; }", "unknown"],
    ],
  );
});

test("the output compiles in strict mode for every machine of the corpus, and checks handlers", async () => {
  const types = join(folder, "types");
  mkdirSync(types);
  const corpus = join(root, "tests/corpus/executions");
  const machines = readdirSync(corpus).flatMap((file) =>
    JSON.parse(readFileSync(join(corpus, file), "utf8"))
      .filter(({ definition, expect }) => typeof definition === "object" && !expect?.rejected)
      .map(({ definition }) => definition),
  );
  const { printed } = await importSource("js/cli/types.ts");
  machines.forEach((definition, i) => writeFileSync(join(types, `m${i}.ts`), printed(definition, `machine ${i}`, "")));
  const one = await stepglass("types", "order.json", "-o", join(types, "order.ts"), "--name", "Order");
  assert.deepEqual([one.code, one.stdout, one.stderr], [0, "", ""]);
  writeFileSync(
    join(types, "use.ts"),
    `import { StateMachine, type TaskHandlers } from "stepglass";
import type { OrderHandlers, OrderInput, OrderOutput } from "./order.js";
const tasks: OrderHandlers = { charge: async ({ id, run, n }, task) => ({ amount: n + task.attempt + run.length, ok: id }), "send-it": (sku) => sku };
const all: TaskHandlers = tasks;
const input: OrderInput = { order: { id: 7 }, more: true };
export const output: Promise<OrderOutput> = new StateMachine("{}").run(input, { tasks: all });
// @ts-expect-error: the amount is compared with a number
export const wrong: OrderHandlers = { charge: () => ({ amount: "1", ok: 1 }), "send-it": () => 1 };
// @ts-expect-error: the order is read on every way
export const lacking: OrderInput = {};
`,
  );
  writeFileSync(join(types, "package.json"), '{"type": "module"}');
  writeFileSync(
    join(types, "tsconfig.json"),
    JSON.stringify({
      compilerOptions: {
        strict: true,
        noEmit: true,
        target: "es2022",
        module: "nodenext",
        skipLibCheck: true,
        types: [],
        lib: ["es2023", "dom", "esnext.disposable"],
        paths: { stepglass: [join(root, "dist/index.d.ts")] },
      },
      include: ["*.ts"],
    }),
  );
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", types], {
    encoding: "utf8",
  });
  assert.equal(status, 0, stdout + stderr);
  assert.ok(machines.length > 400);
});

test("wrong usage and wrong definitions are refused", async () => {
  assert.equal((await stepglass("types")).code, 2);
  assert.equal((await stepglass("types", "order.json", "--name", "a b")).code, 2);
  const broken = await stepglass("types", "broken.json");
  assert.deepEqual([broken.code, broken.stdout], [1, ""]);
});
