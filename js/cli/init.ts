// The command `stepglass init` creates a first machine with handlers, a test and npm scripts.

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { messageOf } from "../core/base/errors.ts";
import { isObject } from "../core/base/json.ts";
import { version } from "../core/definition/definition.ts";
import { Unusable } from "../language/files/problem.ts";
import { read } from "../language/files/reading.ts";
import { colors, writeJson } from "../language/files/terminal.ts";
import { defineCommand, type Options, type Values } from "./command.ts";

const help = `stepglass init [DIR] [options]

Creates a first machine, functions for its tasks, a test and npm scripts. It asks no questions and overwrites no files.

  npx stepglass init orders
  cd orders && npm install
  npm test                                            validates the machine and runs the test
  npm start                                           runs the machine with the functions of tasks.mjs

If there is a package.json, the scripts are added to it under names that are not taken.

Options
      --json          {folder, written: […], changed: […]}

Exit code: 0 success; 2 a file exists already, and nothing was written.
`;

const options = { json: { type: "boolean" } } as const satisfies Options;

export const command = defineCommand({
  name: "init",
  summary: "create a first machine with handlers, a test and npm scripts",
  help,
  options,
  run: init,
});

const machine = {
  Comment: "Charges an order; a large one gets a gift",
  QueryLanguage: "JSONata",
  StartAt: "Charge",
  States: {
    Charge: {
      Type: "Task",
      Resource: "arn:aws:states:::lambda:invoke",
      Arguments: { FunctionName: "charge", Payload: "{% $states.input %}" },
      Retry: [{ ErrorEquals: ["BankBusy"], IntervalSeconds: 60, MaxAttempts: 3, BackoffRate: 2 }],
      Catch: [{ ErrorEquals: ["CardDeclined"], Next: "Refuse" }],
      Output: "{% $merge([$states.input, {'receipt': $states.result.Payload}]) %}",
      Next: "Large enough",
    },
    "Large enough": {
      Type: "Choice",
      Choices: [
        {
          Condition: "{% $states.input.receipt.amount > 100 %}",
          Output: "{% $merge([$states.input, {'gift': 'voucher'}]) %}",
          Next: "Ship",
        },
      ],
      Default: "Ship",
    },
    Ship: {
      Type: "Task",
      Resource: "arn:aws:states:::sqs:sendMessage",
      Arguments: { QueueUrl: "https://sqs.us-east-1.amazonaws.com/123456789012/shipping", MessageBody: "{% $states.input %}" },
      Output: "{% $merge([$states.input, {'shipped': true}]) %}",
      End: true,
    },
    Refuse: { Type: "Fail", Error: "OrderRefused", Cause: "the card was declined" },
  },
};

const files = {
  "order.asl.json": `${JSON.stringify(machine, null, 2)}\n`,
  "order.json": '{ "id": 7, "amount": 120 }\n',
  "tasks.mjs": `// Handlers for the tasks of order.asl.json, by the names of Lambda functions, states or integrations.

export async function charge({ id, amount }) {
  return { order: id, amount };
}

export default {
  "sqs:sendMessage": async ({ MessageBody }) => ({ MessageId: String(MessageBody.id) }),
};
`,
  "order.stepglass.yaml": `# yaml-language-server: $schema=./node_modules/stepglass/dist/test-file.schema.json
# Tests of order.asl.json without JavaScript: stepglass test
definition: order.asl.json
tests:
  - name: a busy bank is asked again after one minute
    input: { id: 7 }
    mocks:
      charge:
        - throw: BankBusy
        - return: { amount: 120 }
      Ship: { return: { MessageId: "1" } }
    expect:
      outputMatches: { receipt: { amount: 120 }, gift: voucher, shipped: true }
      retries: { Charge: 1 }
      waits: { Charge: 1m }

  - name: a small order has no gift
    input: { id: 7 }
    mocks:
      charge: { return: { amount: 12 } }
      Ship: { return: { MessageId: "1" } }
    expect:
      path: [Charge, Large enough, Ship]

  - name: a declined card refuses the order
    input: { id: 7 }
    mocks: { charge: { throw: CardDeclined } }
    expect: { error: OrderRefused, neverCalled: [Ship] }
`,
  "order.test.mjs": `// Tests of order.asl.json. They run in virtual time, so the minutes between two attempts take no real time.

import { test } from "node:test";
import { expectRun, property, returns, testMachine, throws } from "stepglass/testing";
import services, { charge } from "./tasks.mjs";

const order = testMachine(new URL("./order.asl.json", import.meta.url), { tasks: { ...services, charge } });

test("a large order gets a gift", async () => {
  const run = await order.run({ id: 7, amount: 120 });
  expectRun(run).outputMatches({ receipt: { order: 7, amount: 120 }, gift: "voucher", shipped: true });
});

test("a busy bank is asked again, up to three times", async () => {
  const run = await order.run({ id: 7 }, { mocks: { charge: [throws("BankBusy"), throws("BankBusy"), returns({ amount: 12 })] } });
  expectRun(run).succeeded().tookPath("Charge", "Large enough", "Ship").retried("Charge", 2).waited("Charge", "2 m");
});

test("a declined card refuses the order", async () => {
  const run = await order.run({ id: 7 }, { mocks: { charge: throws("CardDeclined") } });
  expectRun(run).failedWith("OrderRefused").caught("CardDeclined", "Charge").neverCalled("Ship");
});

test("whatever the bank answers, the order ends", () => property(order, { runs: 50, outputs: { Charge: [{ amount: 12 }, { amount: 120 }] } }));
`,
};

const scripts = {
  start: "stepglass run order.asl.json --input @order.json --tasks tasks.mjs --events",
  test: "stepglass validate order.asl.json && stepglass test && node --test",
};

function init([folder = ".", ...others]: string[], { json }: Values<typeof options>): number {
  if (others.length > 0) throw new Unusable("init takes at most one folder; without one it uses the working directory", { usage: true });
  const there = Object.keys(files).filter((name) => existsSync(join(folder, name)));
  if (there.length > 0) throw new Unusable(`${there.map((name) => join(folder, name)).join(", ")}: exists already; nothing was written`);
  const manifest = join(folder, "package.json");
  const known = existsSync(manifest);
  const text = known
    ? extended(manifest)
    : `${JSON.stringify({ private: true, type: "module", scripts, devDependencies: { stepglass: `^${version()}` } }, null, 2)}\n`;
  try {
    mkdirSync(folder, { recursive: true });
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content, { flag: "wx" });
    writeFileSync(manifest, text, { flag: known ? "w" : "wx" });
  } catch (error) {
    throw new Unusable(`cannot write to ${folder}: ${messageOf(error)}`);
  }
  const written = [...Object.keys(files), ...(known ? [] : ["package.json"])];
  if (json) writeJson({ folder, written, changed: known ? ["package.json"] : [] });
  else process.stdout.write(summary(folder, written, known));
  return 0;
}

/** Returns a package.json with our scripts under names that are not taken, and everything else unchanged. */
function extended(file: string): string {
  const text = read(file);
  let manifest: unknown;
  try {
    manifest = JSON.parse(text);
  } catch (error) {
    throw new Unusable(`${file} is not JSON: ${messageOf(error)}`);
  }
  if (!isObject(manifest)) throw new Unusable(`${file} is not a JSON object`);
  const own = members(manifest.scripts);
  for (const [name, script] of Object.entries(scripts)) {
    const free = own[name] === undefined || /no test specified/.test(String(own[name]));
    own[free ? name : `${name}:machine`] ??= script;
    if (free) own[name] = script;
  }
  const dependencies = members(manifest.dependencies);
  const devDependencies = members(manifest.devDependencies);
  const needs = dependencies.stepglass === undefined && devDependencies.stepglass === undefined;
  const out: Record<string, unknown> = { ...manifest, scripts: own };
  if (needs) out.devDependencies = { ...devDependencies, stepglass: `^${version()}` };
  return `${JSON.stringify(out, null, /^[{]\s*\n(\s+)/.exec(text)?.[1] ?? 2)}\n`;
}

function members(value: unknown): Record<string, unknown> {
  return isObject(value) ? { ...value } : {};
}

function summary(folder: string, written: string[], known: boolean): string {
  const { green, bold } = colors(process.stdout);
  const lines = written.map((name) => `${green("written")}  ${join(folder, name)}`);
  if (known) lines.push(`${green("changed")}  ${join(folder, "package.json")}`);
  const there = relative(".", folder);
  lines.push("", `Next: ${bold(`${there === "" ? "" : `cd ${there} && `}npm install && npm test`)}`);
  return `${lines.join("\n")}\n`;
}
