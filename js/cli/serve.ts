// The command `stepglass serve` serves the AWS API to the aws command and every AWS SDK.

import type { Server, ServeOptions } from "../core/api/server.d.ts";
import { codeOf, messageOf } from "../core/base/errors.ts";
import { findServiceModels } from "../language/files/models.ts";
import { Unusable, stackOf } from "../language/files/problem.ts";
import { accessOf } from "./access.ts";
import { awsOptions, wantsAws } from "./aws-options.ts";
import { defineCommand, type Options, type Values } from "./command.ts";
import { whole } from "./numbers.ts";
import { quotasOf } from "./quotas.ts";
import { shutdownSignal } from "./shutdown.ts";

const help = `stepglass serve [options]

Serves the AWS Step Functions API on this machine. The aws command and every AWS SDK work with it unchanged.

  stepglass serve                                     listens on http://127.0.0.1:8083
  stepglass serve --tasks tasks.mjs                   uses functions for tasks; reloads them when the file changes
  stepglass serve --task charge=http://localhost:3000/charge   uses an HTTP service
  stepglass serve --lambda-endpoint http://localhost:3001      uses Lambda functions, for example those of sam local start-lambda
  stepglass serve --aws-endpoint http://localhost:4566        sends tasks to an emulator such as LocalStack
  stepglass serve --mock-config MockConfigFile.json   uses mocks of Step Functions Local: start …:stateMachine:NAME#TestCase
  stepglass serve --data ./data --tasks tasks.mjs     keeps everything in a folder: executions outlive the process
  aws stepfunctions --endpoint-url http://127.0.0.1:8083 list-state-machines

http://127.0.0.1:8083/debugger/ shows the executions. Without --access, signatures are not checked. Without --data, all data is in memory.

Options
  -t, --tasks MODULE        an ES module (or CommonJS module) with task handlers, as for stepglass run
      --task NAME=URL       sends tasks of this name to the URL by POST; can be repeated
      --aws                 sends tasks without another handler to AWS, through this project's AWS SDK
      --aws-endpoint [SERVICE=]URL
                            sends them, or those of one service, to an emulator; can be repeated
      --aws-only PATTERN    sends only tasks of this name, such as "sqs:*"; can be repeated
      --aws-dry-run         fails these tasks, and says what would have been called
      --lambda-endpoint URL calls functions through Lambda's Invoke API (also LAMBDA_ENDPOINT)
      --mock-config FILE    a mock configuration of Step Functions Local (also SFN_MOCK_CONFIG)
      --models DIR          AWS's service models, with which TestState checks mocks: botocore's data folder, or none;
                            default: those of an installed AWS CLI or boto3, if any
      --data DIR            keeps machines and executions in this folder, and resumes those in it; needs Node 22.13
                            or newer. postgres://… keeps them in a database; needs the package pg
      --missing-handler suspend|fail
                            with --data: what tasks without a handler do to executions that were running before this
                            start; default suspend: they wait for a server that has the handler
      --restate URL         serves executions on Restate, by the URL of its ingress; machines and tasks are those of the
                            workers (stepglass/restate)
      --restate-admin URL   Restate's admin API, for ListExecutions
      --host ADDRESS        default 127.0.0.1; 0.0.0.0 lets other machines connect: set --access
  -p, --port NUMBER         default 8083; 0 chooses a free port
      --region REGION       the region in ARNs (also AWS_DEFAULT_REGION); default us-east-1
      --account NUMBER      the account in ARNs (also AWS_ACCOUNT_ID); default 123456789012
      --time-scale FACTOR   scales waits, back-offs and timeouts: 0.01 for a hundredth (also WAIT_TIME_SCALE)
      --retain NUMBER       how many ended executions to keep, default 10000; at most 256 MiB of them
      --status-events TO    sends status changes of executions, as EventBridge does: to a file, as lines of JSON, or to a
                            URL, by POST; can be repeated
      --events-endpoint URL sends the same events to an emulator of EventBridge
      --execution-logs TO   logs executions as CloudWatch Logs does, by the machine's loggingConfiguration, to a file or a
                            URL; can be repeated
      --logs-endpoint URL   sends the same logs to an emulator of CloudWatch Logs
      --quotas              throttles as AWS does, by account and region, with AWS's default quotas
      --quota NAME=VALUE    changes a quota: StartExecution=10/5 (a bucket of 10, 5 more each second), openExecutions=100
      --access FILE         checks signatures and tokens: JSON with {"keys": [{"name", "accessKeyId", "secretAccessKey", "token",
                            "rights": "read" | "write", "prefix"}]}
      --audit FILE          with --access: adds a line of JSON for each change and each refusal
      --allow-origin ORIGIN lets web pages of this origin call the API, * for all; can be repeated
      --allow-host NAME     also serves /debugger under this host name; can be repeated
      --log-level LEVEL     silent, error, info (default: every request) or debug, on standard error
      --json                prints one line of JSON once it listens: {"url", "host", "port", "pid", "debugger"}

Exit code: 0 stopped by a signal; 2 wrong usage, or it cannot listen.
`;

const options = {
  tasks: { type: "string", short: "t", file: true },
  task: { type: "string", multiple: true },
  ...awsOptions,
  "lambda-endpoint": { type: "string" },
  "mock-config": { type: "string", file: true },
  models: { type: "string", file: true },
  data: { type: "string", file: true },
  "missing-handler": { type: "string", values: ["suspend", "fail"] },
  restate: { type: "string" },
  "restate-admin": { type: "string" },
  host: { type: "string" },
  port: { type: "string", short: "p" },
  region: { type: "string" },
  account: { type: "string" },
  "time-scale": { type: "string" },
  retain: { type: "string" },
  "status-events": { type: "string", multiple: true, file: true },
  "events-endpoint": { type: "string" },
  "execution-logs": { type: "string", multiple: true, file: true },
  "logs-endpoint": { type: "string" },
  access: { type: "string", file: true },
  audit: { type: "string", file: true },
  quotas: { type: "boolean" },
  quota: { type: "string", multiple: true },
  "allow-origin": { type: "string", multiple: true },
  "allow-host": { type: "string", multiple: true },
  "log-level": { type: "string", values: ["silent", "error", "info", "debug"] },
  json: { type: "boolean" },
} as const satisfies Options;

type Given = Values<typeof options>;

export const command = defineCommand({
  name: "serve",
  summary: "serve the AWS API to the aws command and every AWS SDK",
  help,
  options,
  run: serve,
});

async function serve(files: string[], values: Given): Promise<number> {
  if (files.length > 0) throw new Unusable(`serve takes no files, but was given ${files[0]}`, { usage: true });
  const settings = settingsOf(values, process.env);
  if (wantsAws(values, process.env)) {
    const { requestedHandlers } = await import("./aws.ts");
    // The server has its own option for functions at LAMBDA_ENDPOINT.
    settings.otherTasks = requestedHandlers(values, process.env, { lambda: false }).handlers;
  }
  if (settings.data !== undefined && settings.clock !== undefined)
    throw new Unusable("--time-scale cannot be used with --data: the time would be different after a restart", { usage: true });
  // The server is loaded here, so that other commands start without it. It is an entry, because it locates the debugger's files.
  const { serve: start } = await import("../entries/server.ts");
  let server: Server;
  try {
    server = await start(settings);
  } catch (error) {
    throw new Unusable(why(error, settings));
  }
  // An error of a handler that nothing waits for any more must not end other executions.
  for (const event of ["uncaughtException", "unhandledRejection"]) {
    process.removeAllListeners(event).on(event, (error: unknown) => process.stderr.write(`stepglass: ${event}: ${stackOf(error)}\n`));
  }
  announce(server, values);
  await shutdownSignal();
  if (!values.json) process.stderr.write("stepglass: stopping\n");
  await server.close();
  // Executions and handlers may have pending timers.
  process.exit(0);
}

/** Returns the server's options: those of the command, then those of the environment. */
function settingsOf(values: Given, env: NodeJS.ProcessEnv): ServeOptions {
  return defined({
    host: values.host,
    port: values.port === undefined ? undefined : whole(values.port, "--port", 0, 65_535),
    tasks: values.tasks,
    urls: urlsOf(values.task),
    lambdaEndpoint: urlOf(values["lambda-endpoint"] ?? env.LAMBDA_ENDPOINT, "--lambda-endpoint"),
    mockConfig: values["mock-config"] ?? (env.SFN_MOCK_CONFIG || undefined),
    serviceModel: values.restate === undefined ? modelsOf(values.models) : undefined,
    data: values.data,
    missingHandler: values["missing-handler"],
    restate: restateOf(urlOf(values.restate, "--restate"), urlOf(values["restate-admin"], "--restate-admin")),
    region: values.region ?? env.AWS_DEFAULT_REGION ?? env.AWS_REGION,
    account: values.account ?? env.AWS_ACCOUNT_ID,
    clock: clockOf(values["time-scale"] ?? env.WAIT_TIME_SCALE),
    limits: values.retain === undefined ? undefined : { retain: { executions: whole(values.retain, "--retain", 0, 10_000_000) } },
    statusEvents: values["status-events"],
    eventsEndpoint: urlOf(values["events-endpoint"], "--events-endpoint"),
    executionLogs: values["execution-logs"],
    logsEndpoint: urlOf(values["logs-endpoint"], "--logs-endpoint"),
    quotas: quotasOf(values.quotas, values.quota),
    access: accessOf(values.access, values.audit),
    allowOrigins: values["allow-origin"],
    allowHosts: values["allow-host"],
    logLevel: values["log-level"] ?? "info",
  });
}

function restateOf(ingress: string | undefined, admin: string | undefined): ServeOptions["restate"] {
  if (ingress === undefined && admin !== undefined) throw new Unusable("--restate-admin needs --restate", { usage: true });
  return ingress === undefined ? undefined : { ingress, ...(admin !== undefined && { admin }) };
}

/** Returns the service models that the command was given, or else the installed ones. */
function modelsOf(folder: string | undefined): ServeOptions["serviceModel"] {
  if (folder === undefined) return "installed";
  if (folder === "none") return undefined;
  try {
    return findServiceModels({ folder });
  } catch (error) {
    throw new Unusable(`--models: ${messageOf(error)}`);
  }
}

const DOCUMENTED = "docs/server.md, The host prefix";

function announce({ url, host, port }: Server, { json, data, restate }: Given): void {
  const debuggerAt = restate === undefined ? `${url}/debugger/` : undefined;
  if (json) {
    process.stdout.write(`${JSON.stringify({ url, host, port, pid: process.pid, debugger: debuggerAt })}\n`);
    return;
  }
  process.stdout.write(`Step Functions API   ${url}\n${debuggerAt === undefined ? "" : `Debugger             ${debuggerAt}\n`}`);
  process.stderr.write(`
  aws stepfunctions --endpoint-url ${url} list-state-machines

For StartSyncExecution and TestState, SDKs put "sync-" before the host, and sync-${host} is a name that does not
resolve. Turn that off in the client:
  aws, boto3              export AWS_DISABLE_HOST_PREFIX_INJECTION=true
  JavaScript              new SFNClient({ endpoint: "${url}", disableHostPrefix: true })
  others                  ${DOCUMENTED}

Signatures are not checked. ${placeOf(data, restate)} Press Ctrl+C to stop.\n`);
}

function placeOf(data: string | undefined, restate: string | undefined): string {
  if (restate !== undefined) return `All data is in Restate at ${restate}.`;
  return data === undefined ? "All data is in memory." : `All data is in ${withoutPassword(data)}.`;
}

/** Returns the address of a database without its credentials. */
function withoutPassword(data: string): string {
  return data.replace(/^(postgres(?:ql)?:\/\/)[^@/]*@/i, "$1");
}

/** Returns the members that have a value. */
function defined<Members extends object>(members: Members): { [Name in keyof Members]?: NonNullable<Members[Name]> } {
  const present = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as { [Name in keyof Members]?: NonNullable<Members[Name]> };
}

function urlOf(text: string | undefined, name: string): string | undefined {
  if (text === undefined || text === "") return undefined;
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new Unusable(`${name} needs a URL that begins with http:// or https://, not ${JSON.stringify(text)}`, { usage: true });
  return text;
}

/** Parses `NAME=URL` pairs. */
function urlsOf(pairs: string[] | undefined): Map<string, string> | undefined {
  return pairs && new Map(pairs.map(urlPair));
}

function urlPair(pair: string): [name: string, url: string] {
  const at = pair.search(/=https?:/);
  const url = at <= 0 ? undefined : urlOf(pair.slice(at + 1), "--task");
  if (url === undefined)
    throw new Unusable(`--task must be NAME=URL, for example charge=http://localhost:3000/charge, not ${JSON.stringify(pair)}`, {
      usage: true,
    });
  return [pair.slice(0, at), url];
}

/** Returns a clock on which everything takes `scale` times as long. */
function clockOf(text: string | undefined): ServeOptions["clock"] {
  if (text === undefined || text === "" || Number(text) === 1) return undefined;
  const scale = Number(text);
  if (!(scale > 0 && scale <= 1000))
    throw new Unusable("--time-scale must be a number above 0, up to 1000; with 0.01, a wait of 100 seconds takes one second", {
      usage: true,
    });
  const origin = Date.now();
  return {
    now: () => Math.round(origin + (Date.now() - origin) / scale),
    setTimeout: (run: () => void, delay: number) => setTimeout(run, Math.min(delay * scale, 2 ** 31 - 1)),
    clearTimeout: (timer: NodeJS.Timeout) => clearTimeout(timer),
  };
}

/** Returns the reason why a server does not start. */
function why(error: unknown, { host = "127.0.0.1", port = 8083, tasks, data }: ServeOptions): string {
  const code = codeOf(error);
  if (code === "STORE_CONFLICT") return `${messageOf(error)}, and only one can serve ${String(data)}`;
  if (String(code).startsWith("STORE_")) return messageOf(error);
  if (code === "EADDRINUSE") return `another program uses ${host}:${port}; --port 0 chooses a free port`;
  if (code === "EACCES" || code === "EADDRNOTAVAIL" || code === "ENOTFOUND") return `cannot listen on ${host}:${port}: ${messageOf(error)}`;
  return tasks === undefined ? messageOf(error) : `cannot load the tasks of ${String(tasks)}: ${messageOf(error)}`;
}
