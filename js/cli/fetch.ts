// The command `stepglass fetch` fetches executions from AWS into files, with their histories.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { milliseconds } from "../core/base/duration.ts";
import { messageOf } from "../core/base/errors.ts";
import { Unusable } from "../language/files/problem.ts";
import { EXTENSION, readRun, writeRun, type FetchedRun, type RedactionRule } from "../language/files/sfnrun.ts";
import { count, writeJson } from "../language/files/terminal.ts";
import { defineCommand, type Options, type Values } from "./command.ts";
import type { Account } from "./fetch/account.ts";
import { fetchExecution, type Selection } from "./fetch/collect.ts";
import { isExpress } from "./fetch/express.ts";
import { checkRules, redact } from "./fetch/redaction.ts";
import { targetOf } from "./fetch/target.ts";
import { together } from "./fetch/together.ts";

const STATUSES = ["RUNNING", "SUCCEEDED", "FAILED", "TIMED_OUT", "ABORTED", "PENDING_REDRIVE"];

const help = `stepglass fetch ARN… [options]

Fetches executions from AWS into files named *.sfnrun: the description, the definition that ran, the whole history, the
Map Runs with their child executions, and the executions that tasks have started. stepglass replay reads them. Nothing in
the account is changed.

  stepglass fetch arn:aws:states:eu-west-1:123456789012:execution:Orders:order-7
  stepglass fetch arn:aws:states:eu-west-1:123456789012:stateMachine:Orders --status FAILED --since 7d --out runs
  stepglass fetch ARN --redact email --redact '$.card.number'
  stepglass policy --for fetch                  the permissions that it needs
  stepglass replay runs order.asl.json          replays what was fetched

ARN is that of an execution, or of a Standard state machine, whose latest executions are fetched. The events of an Express
execution are read from the log group of its machine, as far as the log level lets them in. An execution that is still running is fetched as far as it goes, and stepglass open shows
it. Executions that are in the folder already are not fetched again, unless they were running, have been redriven, or more is
asked for; an interrupted command can be repeated.

It calls AWS by @aws-sdk/client-sfn of this project (npm install @aws-sdk/client-sfn), and @aws-sdk/client-cloudwatch-logs
for Express executions, with the SDK's credentials, profile and AWS_ENDPOINT_URL, in the region of the ARN.

Options
      --out FOLDER        the folder for the files, which is made if needed; default: the working directory
      --status STATUS     of a state machine: RUNNING, SUCCEEDED, FAILED, TIMED_OUT, ABORTED or PENDING_REDRIVE
      --since DURATION    of a state machine: executions that started in this time, such as 7d or 12h; of an Express
                          execution: how far back its log is searched
      --limit NUMBER      the maximum of executions of a state machine (default 100), and of child executions of each Map
                          Run (default all)
      --failed            of Map Runs, only the child executions that failed, timed out or were aborted
      --redact KEY_OR_PATH
                          replaces the values of members of this name, or at a path of each payload such as
                          $.items[*].name, before anything is written; can be repeated
      --redact-values REGEX
                          replaces what a regular expression matches in the texts and numbers of payloads; can be
                          repeated
      --json              {folder, fetched: [{file, executionArn, status, events, missing, redacted}], unchanged}

Exit code: 0 success; 2 wrong usage, no client, no permission, or AWS refuses.
`;

const options = {
  out: { type: "string", file: true },
  status: { type: "string", values: STATUSES },
  since: { type: "string" },
  limit: { type: "string" },
  failed: { type: "boolean" },
  redact: { type: "string", multiple: true },
  "redact-values": { type: "string", multiple: true },
  json: { type: "boolean" },
} as const satisfies Options;

export const command = defineCommand({
  name: "fetch",
  summary: "fetch executions from AWS into files, with their histories",
  help,
  options,
  run: fetch,
});

async function fetch(arns: string[], values: Values<typeof options>): Promise<number> {
  if (arns.length === 0) throw wrong("fetch needs the ARN of an execution or a state machine");
  const since = values.since === undefined ? undefined : milliseconds(values.since);
  if (values.since !== undefined && !since) throw wrong(`--since must be a duration such as 7d or 12h, not ${values.since}`);
  if (values.limit !== undefined && !/^[1-9]\d{0,8}$/.test(values.limit)) throw wrong("--limit must be a whole number from 1");
  const { out: folder = ".", redact: names = [], "redact-values": patterns = [], json } = values;
  const rules: RedactionRule[] = [...names.map((rule) => ({ rule })), ...patterns.map((rule) => ({ rule, kind: "pattern" as const }))];
  checkRules(rules);
  const targets = arns.map(targetOf);
  makeFolder(folder);
  const limit = values.limit === undefined ? undefined : Number(values.limit);
  const fetched: FetchedFile[] = [];
  let unchanged = 0;
  for (const { account, arn, kind } of targets) {
    const wanted =
      kind !== "stateMachine" ? [{ executionArn: arn }] : await latest(account, arn, { status: values.status, since, limit: limit ?? 100 });
    const selection = { failed: values.failed === true, limit: limit ?? Infinity, since };
    const done = await together(wanted, async (one) => {
      const file = await take(account, one, folder, selection, rules);
      if (!json && file !== undefined) process.stdout.write(lineOf(file));
      return file;
    });
    const files = done.filter((file) => file !== undefined);
    fetched.push(...files);
    unchanged += done.length - files.length;
  }
  if (json) writeJson({ folder, fetched, unchanged });
  else
    process.stdout.write(`${count(fetched.length, "execution")} fetched${unchanged === 0 ? "" : `, ${unchanged} already in ${folder}`}\n`);
  return 0;
}

/** The report on a file that was written. */
interface FetchedFile extends Pick<FetchedRun, "missing" | "redacted"> {
  file: string;
  executionArn: string;
  status: unknown;
  events: number;
}

/** An execution of a list, with the data that tells whether its file is up to date. */
interface Listed {
  executionArn: string;
  status?: string;
  redriveCount?: number;
  startDate?: Date;
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new Unusable(`cannot make the folder ${folder}: ${messageOf(error)}`);
  }
}

/** Returns the latest executions of a state machine. AWS lists the latest first. */
async function latest(
  account: Account,
  arn: string,
  { status, since, limit }: { status: string | undefined; since: number | undefined; limit: number },
): Promise<Listed[]> {
  const found: Listed[] = [];
  const from = since === undefined ? -Infinity : Date.now() - since;
  const input = { stateMachineArn: arn, maxResults: Math.min(limit, 1000), ...(status !== undefined && { statusFilter: status }) };
  for await (const { executions } of account.pages("ListExecutions", input)) {
    for (const one of executions as Listed[]) {
      if (Number(one.startDate ?? 0) < from || found.length === limit) return found;
      found.push(one);
    }
  }
  return found;
}

/** Writes the file of an execution. Returns undefined if the file is up to date. */
async function take(
  account: Account,
  listed: Listed,
  folder: string,
  { since, ...selection }: Selection & { since: number | undefined },
  rules: readonly RedactionRule[],
): Promise<FetchedFile | undefined> {
  const { executionArn } = listed;
  const { file, stored } = placeFor(executionArn, folder);
  if (stored !== undefined && has(stored, selection, rules) && (await isCurrent(account, stored, listed))) return undefined;
  // Rules that were applied to the file before stay in force.
  const before = stored?.redacted ?? [];
  const all = [...before, ...rules.filter((rule) => !before.some((one) => isSameRule(one, rule)))];
  const run = redact(await fetchExecution(account, executionArn, selection, since && Date.now() - since), all);
  writeRun(file, run);
  const { execution, history, missing, redacted } = run;
  return { file, executionArn, status: execution.status, events: history.length, missing, redacted };
}

function isSameRule(a: RedactionRule, b: RedactionRule): boolean {
  return a.rule === b.rule && a.kind === b.kind;
}

/** Returns whether a file has what is requested: enough child executions, and every rule of redaction. */
function has({ mapRuns, redacted }: FetchedRun, { failed, limit }: Selection, rules: readonly RedactionRule[]): boolean {
  if (!failed && limit === Infinity && mapRuns.some(({ partial }) => partial)) return false;
  return rules.every((rule) => redacted.some((one) => isSameRule(one, rule)));
}

async function isCurrent(account: Account, { execution, missing }: FetchedRun, listed: Listed): Promise<boolean> {
  // An Express execution cannot be described; all of it is in the file unless something is missing.
  if (isExpress(listed.executionArn)) return missing.length === 0;
  if (!hasEnded(execution.status)) return false;
  const { status, redriveCount = 0 } =
    listed.status === undefined
      ? ((await account.call("DescribeExecution", { executionArn: listed.executionArn, includedData: "METADATA_ONLY" })) as Partial<Listed>)
      : listed;
  return execution.status === status && (execution.redriveCount ?? 0) === redriveCount;
}

function hasEnded(status: unknown): boolean {
  return status !== "RUNNING" && status !== "PENDING_REDRIVE";
}

/**
 * Returns the file name of an execution, and its present content. A name that is invalid for a file, or taken by another execution,
 * gets a part of a hash.
 */
function placeFor(arn: string, folder: string): { file: string; stored: FetchedRun | undefined } {
  const [, machine = "", name = ""] = /:(?:execution|express):([^:]+):(.+)$/.exec(arn) ?? [];
  const plain = `${machine}.${name}`.replaceAll(/[^A-Za-z0-9_.-]/g, "_");
  const hashed = `${plain.slice(0, 180)}-${createHash("sha256").update(arn).digest("hex").slice(0, 8)}`;
  for (const base of plain === `${machine}.${name}` && plain.length <= 180 ? [plain, hashed] : [hashed]) {
    const file = join(folder, `${base}${EXTENSION}`);
    if (!existsSync(file)) return { file, stored: undefined };
    const stored = readRun(file);
    if (stored.execution.executionArn === arn) return { file, stored };
  }
  throw new Unusable(`${join(folder, `${hashed}${EXTENSION}`)} has another execution than ${arn}`);
}

function lineOf({ file, status, events, missing, redacted }: FetchedFile): string {
  const replaced = redacted.reduce((sum, { values }) => sum + values, 0);
  const more = redacted.length === 0 ? "" : `, ${count(replaced, "value")} replaced`;
  const unfinished = hasEnded(status) ? "" : "  it has not ended: fetch it again to add what follows\n";
  return `${file}: ${String(status)}, ${count(events, "event")}${more}\n${unfinished}${missing.map(({ message }) => `  not fetched: ${message}\n`).join("")}`;
}

function wrong(message: string): Unusable {
  return new Unusable(message, { usage: true });
}
