// The actions of `stepglass executions` on many executions: export, import, backup and prune.

import { createReadStream, existsSync } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { createInterface } from "node:readline";
import type { ExecutionFilter, RetentionRule, Store } from "../core/api/durable.d.ts";
import type { ExecutionStatus } from "../core/api/index.d.ts";
import { milliseconds } from "../core/base/duration.ts";
import { bareName } from "../core/tasks/resource.ts";
import { Unusable } from "../language/files/problem.ts";
import { count } from "../language/files/terminal.ts";
import type { Service } from "../server/service.ts";
import type { Given } from "./executions-options.ts";
import { whole } from "./numbers.ts";
import { openedStore } from "./opened-store.ts";

const DAY = 86_400_000;
const REMOVED = 50;
const MOST = 2 ** 50;
/** The file name that means the standard input or output. */
const STANDARD = "-";

/** Writes executions to a file, which appears when it is complete and on the disk, or to the standard output. */
export async function exportTo({ store }: Service, { status, machine, move = false, json }: Given, file: string): Promise<void> {
  const { exportExecutions } = await import("../runtime/store/transfer.ts");
  const filter: ExecutionFilter = {
    ...(status !== undefined && { status: status as ExecutionStatus }),
    ...(machine !== undefined && { machineArn: await arnOf(store, machine) }),
  };
  const target = file === STANDARD ? undefined : await NewFile.begin(file);
  try {
    const lines = exportExecutions(store, {
      ...{ move, stored: async () => target?.done() },
      ...(Object.keys(filter).length > 0 && { filter }),
    });
    for (;;) {
      const next = await lines.next();
      if (next.done) {
        const text = `exported ${count(next.value.executions, "execution")}, ${next.value.running} of them running${move ? "; they are suspended here" : ""}\n`;
        (target === undefined ? process.stderr : process.stdout).write(json ? `${JSON.stringify(next.value)}\n` : text);
        return;
      }
      if (target === undefined) await printed(`${next.value}\n`);
      else await target.write(`${next.value}\n`);
    }
  } catch (error) {
    await target?.abandon();
    throw error;
  }
}

/** A file that appears when it is complete and on the disk. */
class NewFile {
  readonly #file: string;
  readonly #handle: FileHandle;
  #isDone = false;

  private constructor(file: string, handle: FileHandle) {
    this.#file = file;
    this.#handle = handle;
  }

  static async begin(file: string): Promise<NewFile> {
    if (existsSync(file)) throw new Unusable(`${file} exists already`);
    return new NewFile(file, await open(`${file}.part`, "w"));
  }

  async write(text: string): Promise<void> {
    await this.#handle.appendFile(text);
  }

  async done(): Promise<void> {
    await this.#handle.sync();
    await this.#handle.close();
    await rename(`${this.#file}.part`, this.#file);
    this.#isDone = true;
  }

  /** Removes what was written. A file that is complete stays: its executions may have been suspended already. */
  async abandon(): Promise<void> {
    if (this.#isDone) return;
    await this.#handle.close().catch(() => undefined);
    await rm(`${this.#file}.part`, { force: true });
  }
}

/** Returns the ARN of the machine with a name. */
async function arnOf(store: Store, name: string): Promise<string> {
  const { countsOf } = await import("../runtime/store/counts.ts");
  const all = (await countsOf(store, {}, {})).map(({ machineArn }) => machineArn);
  const named = [...new Set(all)].filter((arn) => bareName(arn, ":stateMachine:") === name);
  if (named.length !== 1) throw new Unusable(`there ${named.length === 0 ? "is no execution" : "are several machines"} ${name}`);
  return named[0]!;
}

/** Writes the executions of a file to the store. Returns 1 if some were refused. */
export async function importFrom({ store }: Service, { copies = false, json }: Given, file: string): Promise<number> {
  const { importExecutions } = await import("../runtime/store/transfer.ts");
  if (file !== STANDARD && !existsSync(file)) throw new Unusable(`there is no file ${file}`);
  const lines = createInterface({ input: file === STANDARD ? process.stdin : createReadStream(file), crlfDelay: Infinity });
  const { imported, skipped, refused } = await importExecutions(store, lines, { copies });
  if (json) print(`${JSON.stringify({ imported, skipped, refused })}\n`);
  else {
    const known = skipped === 0 ? "" : `; ${count(skipped, "execution")} ${skipped === 1 ? "was" : "were"} there already`;
    print(`${refused.map(({ arn, reason }) => `refused ${arn}: ${reason}\n`).join("")}imported ${count(imported, "execution")}${known}\n`);
  }
  return refused.length === 0 ? 0 : 1;
}

/** Copies the database to a file, while another process may use it. With `--check` the copy is read. Returns 1 if it differs. */
export async function backup({ store }: Service, { check = false, json, codecs }: Given, file: string): Promise<number> {
  const { backup: copyTo } = store as Store & { backup?: (path: string) => Promise<void> };
  if (copyTo === undefined) throw new Unusable("backup copies an SQLite file: for PostgreSQL use pg_dump, or stepglass executions export");
  await copyTo.call(store, file);
  if (!check) {
    print(json ? `${JSON.stringify({ file })}\n` : `copied to ${file}\n`);
    return 0;
  }
  const problems = await damages(file);
  const { executions, differing } =
    problems.length > 0 ? { executions: 0, differing: [] } : await replayed(await openedStore(file, { reads: true, codecs }));
  const isRight = problems.length === 0 && differing.length === 0;
  if (json) print(`${JSON.stringify({ file, executions, problems, differing })}\n`);
  else {
    const lines = [...problems, ...differing.map(({ arn, reason }) => `${arn}: ${reason}`)].map((line) => `${line}\n`);
    print(
      `${lines.join("")}copied to ${file}; ${count(executions, "execution")} replayed, ${isRight ? "nothing differs" : "the copy must not be used"}\n`,
    );
  }
  return isRight ? 0 : 1;
}

/** Returns what SQLite finds to be damaged in a file. */
async function damages(file: string): Promise<string[]> {
  const [{ builtIn }, { Connection }] = await Promise.all([
    import("../runtime/store/sqlite-source.ts"),
    import("../runtime/store/sqlite-database.ts"),
  ]);
  const connection = new Connection(await builtIn(file).open(), file);
  try {
    return connection
      .all("PRAGMA integrity_check")
      .map((row) => String(Object.values(row)[0]))
      .filter((line) => line !== "ok");
  } finally {
    connection.close({ log: false });
  }
}

async function replayed(service: Service): Promise<{ executions: number; differing: { arn: string; reason: string }[] }> {
  const { verify } = await import("../runtime/durable/verification.ts");
  try {
    return await verify(service.runner.host, {});
  } finally {
    await service.close();
  }
}

/** Removes ended executions that the limits do not keep. */
export async function prune({ store }: Service, given: Given): Promise<void> {
  const { expired } = await import("../runtime/durable/retention.ts");
  const { keep, bytes, json, "older-than": olderThan, "dry-run": isDry = false } = given;
  const age = olderThan === undefined ? undefined : milliseconds(olderThan);
  if (olderThan !== undefined && age === undefined) throw new Unusable("--older-than must be a time such as 30d or 12h", { usage: true });
  if (given.status === "RUNNING") throw new Unusable("running executions are never removed: stop them first", { usage: true });
  const rule: RetentionRule = {
    ...(given.machine !== undefined && { machine: given.machine }),
    ...(given.status !== undefined && { status: given.status as Exclude<ExecutionStatus, "RUNNING"> }),
    ...(age !== undefined && { days: age / DAY }),
    ...(keep !== undefined && { executions: whole(keep, "--keep", 0, MOST) }),
    ...(bytes !== undefined && { bytes: whole(bytes, "--bytes", 0, MOST) }),
  };
  if (age === undefined && keep === undefined && bytes === undefined)
    throw new Unusable("prune needs --older-than, --keep or --bytes", { usage: true });
  const isMachine = (name: string, arn: string): boolean => bareName(arn, ":stateMachine:") === name;
  const counts = { executions: 0, characters: 0 };
  for await (const page of expired(store, [rule], { now: Date.now(), isMachine }))
    for (let from = 0; from < page.length; from += REMOVED) {
      const some = page.slice(from, from + REMOVED);
      const gone = new Set(isDry ? some.map(({ id }) => id) : await store.prune({ ids: some.map(({ id }) => id) }));
      counts.executions += gone.size;
      for (const { id, size } of some) if (gone.has(id)) counts.characters += size;
    }
  if (json) print(`${JSON.stringify({ ...counts, dryRun: isDry })}\n`);
  else print(`${isDry ? "would remove" : "removed"} ${count(counts.executions, "execution")} with ${counts.characters} characters\n`);
}

function print(text: string): void {
  process.stdout.write(text);
}

/** Resolves when the standard output takes more. */
async function printed(text: string): Promise<void> {
  if (!process.stdout.write(text)) await new Promise((resolve) => process.stdout.once("drain", resolve));
}
