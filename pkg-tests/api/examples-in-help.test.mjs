// Every command line in the help, and in docs/command.md, works in a folder that has the files it names.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { stringify } from "yaml";
import { StateMachine } from "stepglass";
import { nodeWithSqlite } from "../store/drivers.mjs";
import { command } from "./command.mjs";

const page = readFileSync(new URL("../../docs/command.md", import.meta.url), "utf8");
// A line with two columns has the command in its first one.
const lines = [
  ...new Set(
    [...page.matchAll(/^ {2}((?:npx |cat |git |aws |STEPGLASS_COVERAGE=|source )?.*(?:stepglass|^aws).*)$/gm)]
      .map(([, line]) => line.split(/ {2,}/)[0])
      .filter(
        (line) =>
          /^(?:stepglass |cat |git |npx stepglass|STEPGLASS_COVERAGE=|source |aws )/.test(line) &&
          !/^stepglass [A-Z]/.test(line) &&
          !/ (?:FILE|MODULE|COMMAND)\b/.test(line),
      ),
  ),
];

const pass = { StartAt: "Done", States: { Done: { Type: "Pass", End: true } } };
const parent = {
  StartAt: "Start",
  States: {
    Start: {
      Type: "Task",
      Resource: "arn:aws:states:::states:startExecution.sync:2",
      Parameters: { StateMachineArn: "arn:aws:states:us-east-1:123456789012:stateMachine:child", Input: {} },
      End: true,
    },
  },
};
const machine = (definition) => ({ Type: "AWS::StepFunctions::StateMachine", Properties: { Definition: definition } });
const template = { Resources: { OrderMachine: machine(pass), Orders: machine(pass) } };
const TASKS = "export default { charge: () => ({ paid: true }) };\n";

const FILES = {
  "hello.asl.json": pass,
  "order.asl.json": pass,
  "order.yaml": pass,
  "order.json": { id: 7 },
  "order-new.asl.json": pass,
  "fixed.asl.json": pass,
  "order.asl.yaml": pass,
  "slow.yaml": { StartAt: "Wait", States: { Wait: { Type: "Wait", Seconds: 3600, End: true } } },
  "orders.yaml": pass,
  "parent.yaml": parent,
  "child.yaml": pass,
  "machines/order.asl.json": pass,
  "machines/order.yaml": pass,
  "template.yaml": template,
  "cdk.out/manifest.json": {
    version: "55.0.0",
    artifacts: { Shop: { type: "aws:cloudformation:stack", properties: { templateFile: "Shop.template.json" } } },
  },
  "cdk.out/Shop.template.json": template,
  "old.yaml": template,
  "old.json": pass,
  "new.json": pass,
  "tasks.mjs": TASKS,
  "order.stepglass.yaml": { definition: "order.asl.json", tests: [{ name: "passes", input: {}, expect: { status: "SUCCEEDED" } }] },
  "MockConfigFile.json": {
    StateMachines: { order: { TestCases: { Works: { Charge: "Paid" } } } },
    MockedResponses: { Paid: { 0: { Return: {} } } },
  },
  "order.test.mjs":
    'import { test } from "node:test";\nimport { testMachine } from "stepglass/testing";\ntest("passes", () => testMachine("order.asl.json").run());\n',
  "eu.json": {
    date: "2030-01-01",
    region: "eu-west-1",
    currency: "USD",
    standard: { transition: 0.00003 },
    express: { request: 0.000001, gbSecond: [{ price: 0.00002 }] },
  },
  "data/.keep": "",
};

// Other programs that appear in the lines: jq prints its input, git shows the file, aws has the history, vitest runs the same test.
const PROGRAMS = {
  // Commands that store data need a Node release with SQLite.
  stepglass: `case " $* " in *" --data "*|*" --store "*) exec "${nodeWithSqlite}" --no-warnings "${command}" "$@" ;; *) exec "${process.execPath}" "${command}" "$@" ;; esac`,
  npx: `if [ "$1" = stepglass ]; then shift; exec stepglass "$@"; else exec "${process.execPath}" --test; fi`,
  npm: `exec "${process.execPath}" --test`,
  jq: "cat",
  git: 'cat "${2#*:}"',
  aws: "cat recorded.json",
};

/** Commands that run until they are ended, with the output to wait for. */
const STAYS = [
  [/^stepglass serve/, /Debugger/],
  [/^stepglass console/, /http:/],
  [/^stepglass dap --port/, /listens on/],
  [/^stepglass open/, /is open/],
  [/ --watch/, /1 passed/],
];

let top;
let folder;
let env;
/** The messages of an editor that connects and leaves. */
const editor = [
  { id: 1, method: "initialize", params: { processId: null, rootUri: null, capabilities: {} } },
  { id: 2, method: "shutdown" },
  { method: "exit" },
]
  .map((message) => JSON.stringify({ jsonrpc: "2.0", ...message }))
  .map((text) => `Content-Length: ${text.length}\r\n\r\n${text}`)
  .join("");

before(async () => {
  // The folder is inside the package, so that tests resolve it as in a user's project.
  const cache = fileURLToPath(new URL("../.cache", import.meta.url));
  mkdirSync(cache, { recursive: true });
  top = mkdtempSync(join(cache, "help-"));
  folder = join(top, "work");
  mkdirSync(join(top, "new"));
  const put = (name, content) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(
      join(folder, name),
      typeof content === "string" ? content : /\.ya?ml$/.test(name) ? stringify(content) : JSON.stringify(content),
    );
  };
  for (const [name, content] of Object.entries(FILES)) put(name, content);
  for (const [name, text] of Object.entries(PROGRAMS)) {
    put(`bin/${name}`, `#!/usr/bin/env bash\n${text}\n`);
    chmodSync(join(folder, "bin", name), 0o755);
  }
  put("editor.txt", editor);
  const execution = new StateMachine(pass).start({});
  await execution.result;
  for (const name of ["history.json", "recorded.json"]) put(name, { events: execution.history() });
  const about = { executionArn: "arn:aws:states:us-east-1:123456789012:execution:order:order-7", status: "SUCCEEDED" };
  const stateMachine = { definition: JSON.stringify(pass) };
  const run = {
    format: "stepglass-execution",
    version: 1,
    execution: about,
    stateMachine,
    history: execution.history(),
    mapRuns: [],
    missing: [],
  };
  const payment = { ...about, executionArn: about.executionArn.replace("order-7", "payment-7"), name: "payment-7" };
  const nested = [{ parent: about.executionArn, event: 1, execution: payment, stateMachine, history: execution.history() }];
  for (const name of ["order-7.sfnrun", "runs/order-7.sfnrun"]) put(name, { ...run, nested, redacted: [] });
  put("plan.yaml", 'tasks: { "*": { duration: 100 ms } }\n');
  if (nodeWithSqlite !== undefined) {
    await keepData(join(folder, "data"));
    // The store of a server is in a file like that of a Runtime.
    const [file] = readdirSync(join(folder, "data")).filter((name) => /\.(db|sqlite)$/.test(name));
    copyFileSync(join(folder, "data", file), join(folder, "orders.db"));
  }
  mkdirSync(join(folder, "home/.config/fish/completions"), { recursive: true });
  const { NODE_TEST_CONTEXT, FORCE_COLOR, ...rest } = process.env;
  env = {
    ...rest,
    HOME: join(folder, "home"),
    TMPDIR: tmpdir(),
    PATH: `${join(folder, "bin")}${delimiter}${process.env.PATH}`,
    NO_COLOR: "1",
    CI: "1",
  };
});
after(() => rmSync(top, { recursive: true, force: true }));

/** Lets a server store a failed execution, order-7, and a waiting one, order-8, in a folder. */
function keepData(data) {
  const program = `
    import { serve } from ${JSON.stringify(new URL("../../dist/server.js", import.meta.url).href)};
    const server = await serve({ port: 0, data: ${JSON.stringify(data)} });
    const definition = JSON.stringify({ StartAt: "A", States: { A: { Type: "Task", Resource: "nobody", End: true } } });
    const { stateMachineArn } = await server.call("CreateStateMachine", { name: "order", definition, roleArn: "arn:aws:iam::123456789012:role/r" });
    const { executionArn } = await server.call("StartExecution", { stateMachineArn, name: "order-7" });
    while ((await server.call("DescribeExecution", { executionArn })).status === "RUNNING")
      await new Promise((resolve) => setTimeout(resolve, 5));
    const waiting = JSON.stringify({ StartAt: "A", States: { A: { Type: "Wait", Seconds: 86400, End: true } } });
    const other = await server.call("CreateStateMachine", { name: "waits", definition: waiting, roleArn: "arn:aws:iam::123456789012:role/r" });
    await server.call("StartExecution", { stateMachineArn: other.stateMachineArn, name: "order-8" });
    await server.close();
  `;
  return new Promise((resolve, reject) => {
    const child = spawn(nodeWithSqlite, ["--no-warnings", "--input-type=module", "-e", program], { stdio: "inherit" });
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve() : reject(new Error(`the server ended with ${code}`))));
  });
}

/** Runs a line. A command that does not end by itself is ended after it has printed the expected output. */
function perform(line, signal) {
  const stays = STAYS.find(([which]) => which.test(line))?.[1];
  const child = spawn("bash", ["-c", line], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  let output = "";
  return new Promise((done, fail) => {
    const hear = (data) => {
      output += data;
      if (stays?.test(output)) process.kill(-child.pid);
    };
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", hear);
    child.on("error", fail);
    signal.addEventListener("abort", () => child.exitCode === null && child.signalCode === null && process.kill(-child.pid));
    child.on("close", (code) => done({ code: stays?.test(output) ? 0 : code, output }));
  });
}

test("the help has lines of all commands", () => {
  assert.ok(lines.length > 40, lines.join("\n"));
  for (const name of [...page.matchAll(/^## (\w+)$/gm)].map(([, name]) => name))
    assert.ok(
      lines.some((line) => line.includes(`stepglass ${name}`)),
      name,
    );
});

describe("the lines of the help work", { skip: process.platform === "win32" && "they are for a shell of POSIX" }, () => {
  for (const line of lines) {
    const skip =
      (/^stepglass (?:fetch|open) arn:|^stepglass fetch /.test(line) &&
        "there is no account: pkg-tests/server/fetch.test.mjs fetches from a server") ||
      (/ --store postgres:/.test(line) && "it needs a server: pkg-tests/store tests the stores of PostgreSQL") ||
      (/ --(data|store) /.test(line) && nodeWithSqlite === undefined && "there is no Node with an SQLite: npm ci --prefix pkg-tests/store");
    test(line, { timeout: 60_000, skip }, async (t) => {
      // The port is replaced by a free one, a first machine goes into a new folder, background commands are not needed, and zsh is
      // not used here.
      const own = line
        .replace(/^stepglass (serve|console).*/, "$& --port 0")
        .replace(/^stepglass dap --port.*/, "stepglass dap --port 0")
        .replace(/^stepglass open.*/, "$& --no-browser")
        .replace(/^stepglass lsp.*/, "mkfifo to-lsp && exec 3<>to-lsp && cat editor.txt >&3 && $& <&3")
        .replace(/^(?:npx )?stepglass init/, "cd ../new && $&")
        .replaceAll("/tmp/c", "counted")
        .replace(/^source .* zsh\)/, "compdef() { :; }; $&");
      const { code, output } = await perform(own, t.signal);
      assert.equal(code, 0, output);
    });
  }
});
