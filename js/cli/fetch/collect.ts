// Fetches one execution of an account, with everything that belongs to it.

import { fetchedRun, type FetchedExecution, type FetchedMapRun, type FetchedNested, type FetchedRun } from "../../language/files/sfnrun.ts";
import { Refused, Withheld, type Account, type Action, type Response } from "./account.ts";
import { fetchExpress, isExpress } from "./express.ts";
import { startedBy } from "./nested.ts";
import { together } from "./together.ts";

/** Which child executions of the Map Runs are fetched. */
export interface Selection {
  /** Whether only child executions without success are fetched. */
  failed: boolean;
  /** Maximum number of child executions of each Map Run. */
  limit: number;
}

/** ListExecutions takes one status at a time. */
const UNSUCCESSFUL = ["FAILED", "TIMED_OUT", "ABORTED"];

/** Fetches an execution, of an Express workflow from its log. `from` is the start of the search there. Throws Unusable. */
export async function fetchExecution(account: Account, arn: string, selection: Selection, from?: number): Promise<FetchedRun> {
  if (isExpress(arn)) return fetchExpress(account, arn, from);
  const missing: FetchedRun["missing"] = [];
  const reader = new Reader(account, missing);
  const whole = await reader.execution(arn);
  const stateMachine = await reader.optional("DescribeStateMachineForExecution", { executionArn: arn }, arn);
  const mapRuns: FetchedMapRun[] = [];
  // A child execution lists no Map Runs of its own, and an execution without a Distributed Map has none, so neither needs a call.
  if (whole.history.some(({ type }) => type === "MapRunStarted"))
    for await (const page of account.pages("ListMapRuns", { executionArn: arn }))
      for (const { mapRunArn } of page.mapRuns as { mapRunArn: string }[]) mapRuns.push(await reader.mapRun(mapRunArn, selection));
  const nested = await reader.nested([whole, ...mapRuns.flatMap(({ executions }) => executions)]);
  return fetchedRun({
    fetched: new Date().toISOString(),
    ...whole,
    ...(stateMachine !== undefined && { stateMachine }),
    mapRuns,
    nested,
    missing,
    redacted: [],
  });
}

class Reader {
  readonly #account: Account;
  readonly #missing: FetchedRun["missing"];

  constructor(account: Account, missing: FetchedRun["missing"]) {
    this.#account = account;
    this.#missing = missing;
  }

  async execution(arn: string): Promise<FetchedExecution> {
    // A KMS key that may not be used withholds only the data.
    const execution =
      (await this.optional("DescribeExecution", { executionArn: arn }, arn)) ??
      (await this.#account.call("DescribeExecution", { executionArn: arn, includedData: "METADATA_ONLY" }));
    const history: Response[] = [];
    try {
      for await (const page of this.#account.pages("GetExecutionHistory", { executionArn: arn, maxResults: 1000 }))
        history.push(...(page.events as Response[]));
    } catch (error) {
      this.#note(error, "GetExecutionHistory", arn);
    }
    return { execution, history };
  }

  /** Fetches a Map Run and its child executions, as far as the account lets them be read. */
  async mapRun(arn: string, selection: Selection): Promise<FetchedMapRun> {
    const found: FetchedMapRun = { mapRun: { mapRunArn: arn }, executions: [], partial: false };
    try {
      found.mapRun = await this.#account.call("DescribeMapRun", { mapRunArn: arn });
      const more = await this.#children(arn, selection, found.executions);
      found.partial = selection.failed || more;
    } catch (error) {
      this.#skip(error, arn);
      found.partial = true;
    }
    if (found.executions.some(({ execution }) => isExpress(String(execution.executionArn)))) {
      const message = "child executions of Express type have no history; fetch one by its ARN, which reads its log";
      this.#missing.push({ operation: "GetExecutionHistory", arn, message });
    }
    return found;
  }

  /** Adds the selected child executions of a Map Run. Returns whether there are more than the limit. */
  async #children(arn: string, { failed, limit }: Selection, executions: FetchedExecution[]): Promise<boolean> {
    for (const status of failed ? UNSUCCESSFUL : [undefined]) {
      const input = { mapRunArn: arn, maxResults: Math.min(limit, 1000), ...(status !== undefined && { statusFilter: status }) };
      for await (const page of this.#account.pages("ListExecutions", input)) {
        const listed = page.executions as (Response & { executionArn: string })[];
        const wanted = listed.slice(0, limit - executions.length);
        executions.push(
          ...(await together(wanted, (one) =>
            isExpress(one.executionArn) ? Promise.resolve({ execution: one, history: [] }) : this.execution(one.executionArn),
          )),
        );
        if (wanted.length < listed.length) return true;
      }
    }
    return false;
  }

  /** Fetches the executions that tasks have started, those that these have started, and so on, each once. */
  async nested(parents: readonly FetchedExecution[]): Promise<FetchedNested[]> {
    const found: FetchedNested[] = [];
    const known = new Set(parents.map(({ execution }) => execution.executionArn));
    // The list grows while it is read.
    const all = [...parents];
    for (const parent of all) {
      for (const { arn, event } of startedBy(parent.history)) {
        if (known.has(arn)) continue;
        known.add(arn);
        const one = await this.#nested(arn);
        if (one === undefined) continue;
        found.push({ parent: String(parent.execution.executionArn), event, ...one });
        all.push(one);
      }
    }
    return found;
  }

  /** Fetches an execution of another machine. The permissions for it can be missing, or AWS has deleted it, which is noted. */
  async #nested(arn: string): Promise<(FetchedExecution & { stateMachine?: Response }) | undefined> {
    try {
      const whole = await this.execution(arn);
      const stateMachine = await this.optional("DescribeStateMachineForExecution", { executionArn: arn }, arn);
      return { ...whole, ...(stateMachine !== undefined && { stateMachine }) };
    } catch (error) {
      this.#skip(error, arn);
      return undefined;
    }
  }

  /** Returns a response, or undefined if the account withholds it. That is noted. */
  async optional(action: Action, input: object, arn: string): Promise<Response | undefined> {
    try {
      return await this.#account.call(action, input);
    } catch (error) {
      this.#note(error, action, arn);
      return undefined;
    }
  }

  /** Notes that something cannot be fetched. Throws errors that other calls would have too, such as expired credentials. */
  #skip(error: unknown, arn: string): void {
    if (!(error instanceof Refused) && !(error instanceof Withheld)) throw error;
    this.#missing.push({ operation: error.action, arn, message: error.message });
  }

  #note(error: unknown, operation: Action, arn: string): void {
    if (!(error instanceof Withheld)) throw error;
    this.#missing.push({ operation, arn, message: error.message });
  }
}
