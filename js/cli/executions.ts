// stepglass executions: shows and changes the executions in a server's folder while no server is running.

import type { MapRunDescription } from "../core/api/durable.d.ts";
import type { ExecutionStatus } from "../core/api/index.d.ts";
import { codeOf, messageOf } from "../core/base/errors.ts";
import { Unusable } from "../language/files/problem.ts";
import { count } from "../language/files/terminal.ts";
import type { Service } from "../server/service.ts";
import { defineCommand } from "./command.ts";
import { type Given, options } from "./executions-options.ts";
import { backup, exportTo, importFrom, prune } from "./moved-executions.ts";
import { openedStore } from "./opened-store.ts";

const help = `stepglass executions ACTION [EXECUTION or FILE] --data DIR [options]

Shows, changes and moves the executions that stepglass serve --data DIR keeps, or those of a Runtime's SQLite file. ACTION is
list, show, stop, redrive, signal, verify, export, import, backup or prune.

  stepglass executions list --data ./data                      the latest executions
  stepglass executions list --data ./data --status FAILED      those that failed
  stepglass executions show order-7 --data ./data              one execution, with its Map Runs and its history
  stepglass executions redrive order-7 --data ./data           runs it again from the state that failed
  stepglass executions stop order-7 --data ./data --cause "no longer needed"
  stepglass executions signal order-8 approved --payload '{"by": "Ada"}' --data ./data
  stepglass executions verify --data ./data                    replays all of them, and reports what differs
  stepglass executions export all.jsonl --move --data orders.db          writes them to a file, to continue elsewhere
  stepglass executions import all.jsonl --store postgres://user@host/app and continues them there
  stepglass executions backup copy.db --check --data orders.db           copies the database while it is used
  stepglass executions prune --older-than 30d --status SUCCEEDED --dry-run --data orders.db

EXECUTION is an ARN or a name; if several executions have that name, --machine chooses one. stop, redrive and signal
only write to the folder; tasks are called when the server starts. list, show, verify, backup, and export without --move
write nothing, and work while a server or a Runtime uses the data. The others do not: send requests to the server, or
call the Runtime.

export writes one line of JSON for each execution, with its facts and its history; - is the standard output. Its running
executions can continue in another store only with --move: they are suspended in this one as soon as the file is on the
disk. import leaves what the store has as it is, so it can be repeated, and creates an SQLite file that does not exist.
backup makes a file that can take the place of the database; for PostgreSQL use pg_dump, or export.

Options
      --data DIR         the folder, a file of stepglass/sqlite (needs Node 22.13 or newer), or postgres://…
      --store STORE      the same as --data
      --status STATUS    list, verify, export, prune: RUNNING, SUCCEEDED, FAILED, TIMED_OUT or ABORTED
      --machine NAME     executions of this state machine
      --move             export: the running executions continue elsewhere
      --copies           import: also running executions that were not moved; they run in both stores
      --check            backup: reads the copy, and replays the executions in it
      --older-than TIME  prune: executions that ended longer ago, such as 30d or 12h
      --keep NUMBER      prune: how many are kept, the latest
      --bytes NUMBER     prune: how many characters the texts of those have that are kept, the latest
      --dry-run          prune: only says what it would remove
      --limit NUMBER     list: how many, default 50; show: how many events, default all
      --error NAME       stop: the error
      --cause TEXT       stop: the cause
      --payload JSON     signal: its payload, default null
      --id TEXT          signal: its id; a signal counts only once, even if it is sent again
      --codecs MODULE    the codecs of an encoded store: a module whose default export is their list
      --json             prints JSON: one line for each execution, or one object

Exit code: 0 success; 1 verify or --check found a difference, or import refused an execution; 2 wrong usage, no such
execution, or data that cannot be used.
`;

/** The part of an execution's record that is shown. */
interface Shown {
  id: string;
  name: string;
  machine?: string;
  machineArn: string;
  status: ExecutionStatus;
  startDate: number;
  stopDate?: number;
  input?: string;
  output?: string;
  error?: string;
  cause?: string;
  redriveCount?: number;
  suspended?: { reason: string };
}

export const command = defineCommand({
  name: "executions",
  summary: "list, show, change, move and back up what a server or a Runtime keeps",
  help,
  options,
  run: executions,
});

async function executions([action = "", arn, ...more]: string[], values: Given): Promise<number> {
  const doing = ACTIONS.get(action);
  if (doing === undefined) {
    const known = [...ACTIONS.keys()].join(", ");
    throw wrong(action === "" ? `say what to do: ${known}` : `executions cannot ${action}: it can ${known}`);
  }
  const data = (values.data ?? values.store)?.replace(/^sqlite:(\/\/)?/, "");
  if (data === undefined) throw wrong("--data says which folder");
  const { takes } = doing;
  const given = arn === undefined ? [] : [arn, ...more];
  if (given.length !== takes.length) throw wrong(`${action} takes ${takes.length === 0 ? "no execution" : takes.join(" and ")}`);
  const reads = typeof doing.reads === "function" ? doing.reads(values) : doing.reads === true;
  // A backup copies the file as it is, and only reads the copy with the codecs.
  const service = await openedStore(data, {
    reads,
    codecs: doing.act === backup ? undefined : values.codecs,
    creates: action === "import",
  });
  const isExecution = arn !== undefined && takes !== FILE;
  try {
    return (await doing.act(service, values, isExecution ? await found(service, arn, values.machine) : (arn ?? ""), ...more)) ?? 0;
  } catch (error) {
    const code = String(codeOf(error));
    if (REFUSED.has(code) || code.startsWith("STORE_")) throw new Unusable(messageOf(error));
    throw error;
  } finally {
    await service.close();
  }
}

/** Error names that mean that an execution refuses the action. */
const REFUSED: ReadonlySet<string> = new Set(["ExecutionNotRedrivable", "ExecutionNotRunning", "ValidationException"]);

/** Returns the ARN of an execution, given its ARN or its name. */
async function found({ store }: Service, given: string, machine: string | undefined): Promise<string> {
  if (given.startsWith("arn:")) {
    if ((await store.get(given)) !== undefined) return given;
    throw new Unusable(`there is no execution ${given}`);
  }
  const named: string[] = [];
  for (let before: number | undefined; ;) {
    const page = await store.list({ namePrefix: given }, { limit: 1000, ...(before !== undefined && { before }) });
    for (const one of page.items as unknown as Shown[])
      if (one.name === given && (machine === undefined || machineOf(one) === machine)) named.push(one.id);
    if (page.before === undefined) break;
    before = page.before;
  }
  const [only, other] = named;
  if (only === undefined) throw new Unusable(`there is no execution ${given}${machine === undefined ? "" : ` of ${machine}`}`);
  if (other !== undefined) throw new Unusable(`there are several executions ${given}: ${named.join(", ")}`);
  return only;
}

/** An action of the command. It returns the exit code if that is not 0. */
interface Action {
  takes: readonly string[];
  /** Whether it changes nothing. Another process may then have the data open. */
  reads?: true | ((values: Given) => boolean);
  act(service: Service, values: Given, arn: string, ...more: string[]): Promise<number | void>;
}

const ONE = ["one execution: its ARN or its name"];
const FILE = ["one file"];

const ACTIONS = new Map<string, Action>([
  ["list", { takes: [], reads: true, act: list }],
  ["show", { takes: ONE, reads: true, act: show }],
  ["stop", { takes: ONE, act: stop }],
  ["redrive", { takes: ONE, act: redrive }],
  ["signal", { takes: [...ONE, "the name of a signal"], act: signal }],
  ["verify", { takes: [], reads: true, act: verify }],
  ["export", { takes: FILE, reads: ({ move }) => move !== true, act: exportTo }],
  ["import", { takes: FILE, act: importFrom }],
  ["backup", { takes: FILE, reads: true, act: backup }],
  ["prune", { takes: [], act: prune }],
]);

async function list({ store }: Service, { status, machine, limit = "50", json }: Given): Promise<void> {
  const most = whole(limit);
  const filter = status === undefined ? {} : { status: status as ExecutionStatus };
  const rows: Shown[] = [];
  for (let before: number | undefined; rows.length < most;) {
    const page = await store.list(filter, { limit: 1000, ...(before !== undefined && { before }) });
    rows.push(...(page.items as unknown as Shown[]).filter((one) => machine === undefined || machineOf(one) === machine));
    if (page.before === undefined) break;
    before = page.before;
  }
  const shown = rows.slice(0, most);
  if (json) return print(shown.map((one) => `${JSON.stringify(described(one))}\n`).join(""));
  if (shown.length === 0) return print("no executions\n");
  const cells = shown.map((one) => [
    one.suspended === undefined ? one.status : "SUSPENDED",
    machineOf(one),
    one.name,
    new Date(one.startDate).toISOString(),
    one.stopDate === undefined ? "" : new Date(one.stopDate).toISOString(),
  ]);
  print(table([["STATUS", "MACHINE", "NAME", "STARTED", "ENDED"], ...cells]));
}

async function show(service: Service, { json, limit }: Given, arn: string): Promise<void> {
  const [{ historyOf }, { mapRunsOf }] = await Promise.all([
    import("../runtime/durable/history-pages.ts"),
    import("../runtime/durable/map-runs.ts"),
  ]);
  const record = (await service.store.get(arn)) as Shown | undefined;
  if (record === undefined) return;
  const page = limit === undefined ? {} : { limit: whole(limit) };
  const { events, total } = (await historyOf(service.runner.host, arn, page)) ?? { events: [], total: 0 };
  const mapRuns = await mapRunsOf(service.store, arn);
  const known = { ...described(record), ...(mapRuns.length > 0 && { mapRuns }) };
  if (json) return print(`${JSON.stringify({ ...known, events })}\n`);
  const members = Object.entries(described(record)).map(([name, value]) => [
    `${name}:`,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  for (const run of mapRuns) members.push(["mapRun:", mapRunText(run)]);
  const rows = events.map(({ id, timestamp, type, ...rest }) => {
    const { name } = (Object.values(rest).find((value) => typeof value === "object") ?? {}) as { name?: string };
    return [String(id), timestamp, type, name ?? ""];
  });
  print(`${table(members)}\n${table(rows)}${events.length < total ? `… ${total - events.length} more\n` : ""}`);
}

async function stop(service: Service, { error, cause, json }: Given, arn: string): Promise<void> {
  const { status } = ((await service.store.get(arn)) ?? {}) as { status?: string };
  if (status !== "RUNNING") throw new Unusable(`${arn} has already ended: ${status}`);
  await service.call("StopExecution", { executionArn: arn, ...(error !== undefined && { error }), ...(cause !== undefined && { cause }) });
  print(json ? `${JSON.stringify({ executionArn: arn, status: "ABORTED" })}\n` : `stopped ${arn}\n`);
}

async function redrive(service: Service, { json }: Given, arn: string): Promise<void> {
  await service.call("RedriveExecution", { executionArn: arn });
  print(json ? `${JSON.stringify({ executionArn: arn, status: "RUNNING" })}\n` : `redriven ${arn}: it runs when the server starts\n`);
}

async function signal(service: Service, { payload = "null", id, json }: Given, arn: string, name = ""): Promise<void> {
  const { sendSignal } = await import("../server/executions/actions.ts");
  await sendSignal(service, arn, name, payload, id);
  print(json ? `${JSON.stringify({ executionArn: arn, signal: name })}\n` : `sent ${name} to ${arn}: it resumes when the server starts\n`);
}

/** Replays the stored executions and reports differences. Returns 1 if there are any. */
async function verify({ runner, machines }: Service, { status, machine, json }: Given): Promise<number> {
  const { verify: replay } = await import("../runtime/durable/verification.ts");
  const statuses = status === undefined ? {} : { status: status as ExecutionStatus };
  const named = [...machines.values()].filter(({ name }) => name === machine);
  if (machine !== undefined && named.length === 0) throw new Unusable(`there is no state machine ${machine}`);
  const filters = machine === undefined ? [statuses] : named.map(({ arn }) => ({ ...statuses, machineArn: arn }));
  const reports = [];
  for (const filter of filters) reports.push(await replay(runner.host, filter));
  const executions = reports.reduce((sum, report) => sum + report.executions, 0);
  const differing = reports.flatMap((report) => report.differing);
  if (json) print(`${JSON.stringify({ executions, differing })}\n`);
  else {
    const lines = differing.map(({ arn, status: now, reason }) => `${now}  ${arn}\n  ${reason}\n`);
    const result =
      differing.length === 0 ? "nothing differs" : `${differing.length} of them ${differing.length === 1 ? "differs" : "differ"}`;
    print(`${lines.join("")}${count(executions, "execution")} replayed, ${result}\n`);
  }
  return differing.length === 0 ? 0 : 1;
}

function described({
  id,
  name,
  status,
  startDate,
  stopDate,
  input,
  output,
  error,
  cause,
  redriveCount,
  suspended,
  ...rest
}: Shown): object {
  const iso = (time: number | undefined): string | undefined => (time === undefined ? undefined : new Date(time).toISOString());
  const all = { executionArn: id, name, machine: machineOf({ ...rest }), status, startDate: iso(startDate), stopDate: iso(stopDate) };
  const members = { ...all, suspended: suspended?.reason, redriveCount, input, output, error, cause };
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** Describes a Map Run in one line: how many items failed, and the child execution to look at first. */
function mapRunText({ mapRunArn, status, itemCounts, firstFailure }: MapRunDescription): string {
  const { failed, timedOut, total } = itemCounts;
  const counts = `${mapRunArn} ${status}, ${failed + timedOut} of ${count(total, "item")} failed`;
  if (firstFailure === undefined) return counts;
  const { index, arn, error, cause } = firstFailure;
  return `${counts}; first item ${index} (show ${arn}): ${[error, cause].filter((part) => part !== undefined).join(": ")}`;
}

function machineOf({ machine, machineArn }: Pick<Shown, "machine" | "machineArn">): string {
  return machine ?? machineArn.slice(machineArn.lastIndexOf(":") + 1);
}

/** Formats rows as aligned columns. */
function table(rows: string[][]): string {
  const widths: number[] = [];
  for (const row of rows) for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length);
  const lines = rows.map((row) => row.map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(widths[i] ?? 0))).join("  "));
  return lines.map((line) => `${line.trimEnd()}\n`).join("");
}

function whole(text: string): number {
  if (!/^\d{1,9}$/.test(text) || Number(text) < 1) throw wrong("--limit must be a whole number from 1");
  return Number(text);
}

function print(text: string): void {
  process.stdout.write(text);
}

function wrong(message: string): Unusable {
  return new Unusable(message, { usage: true });
}
