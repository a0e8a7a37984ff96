// @ts-nocheck: has no types yet.
// Map Runs: the runs of Distributed Maps and the executions of their items.

import { mapRunArn, executionArn } from "./arn.ts";
import { invalid, noResource, noExecution } from "./errors.ts";
import { pageOf } from "./paging.ts";
import { driverOf } from "../execution/execution.ts";

const KINDS = { SUCCEEDED: "succeeded", FAILED: "failed", TIMED_OUT: "timedOut", ABORTED: "aborted" };
const ENDS = { MapRunSucceeded: "SUCCEEDED", MapRunFailed: "FAILED", MapRunAborted: "ABORTED" };
const LIMITS = ["maxConcurrency", "toleratedFailureCount", "toleratedFailurePercentage"];
const NONE = { pending: 0, running: 0, succeeded: 0, failed: 0, timedOut: 0, aborted: 0, total: 0 };

/** The map runs of one execution, from its events and those of its children. */
export class MapRuns {
  #service;
  #live;
  #maps;
  // The run and the Map state of each chain of events, by the id of its last event.
  #chains = new Map();
  #runs = [];

  constructor(service, live, definition) {
    this.#service = service;
    this.#live = live;
    this.#maps = distributedMaps(JSON.parse(definition).States);
  }

  /** An event of the execution. */
  event({ id, previousEventId, type, stateEnteredEventDetails: entered, mapStateStartedEventDetails: started, mapRunStartedEventDetails: run, mapRunRedrivenEventDetails: redriven, timestamp }) {
    const chain = { ...this.#chains.get(previousEventId) };
    if (type === "MapStateEntered") chain.map = this.#maps.get(entered.name);
    else if (type === "MapStateStarted") chain.items = started.length;
    else if (type === "MapRunStarted") chain.run = this.#begin(run.mapRunArn, Date.parse(timestamp), chain);
    else if (type === "MapRunRedriven") chain.run = this.#again(redriven, Date.parse(timestamp));
    else if (ENDS[type] !== undefined && chain.run !== undefined) end(chain.run, ENDS[type], Date.parse(timestamp));
    else return;
    this.#chains.delete(previousEventId);
    this.#chains.set(id, chain);
  }

  #begin(arn, startDate, { map = {}, items = 0 }) {
    const { about } = this.#live;
    const label = arn.split(":")[6];
    const run = {
      arn,
      executionArn: about.id,
      machineArn: `${about.machineArn}/${label.slice(label.indexOf("/") + 1)}`,
      status: "RUNNING",
      startDate,
      maxConcurrency: plain(map.MaxConcurrency),
      toleratedFailureCount: plain(map.ToleratedFailureCount),
      toleratedFailurePercentage: plain(map.ToleratedFailurePercentage),
      batched: map.ItemBatcher !== undefined,
      childType: map.ItemProcessor?.ProcessorConfig?.ExecutionType ?? "STANDARD",
      items: { ...NONE, total: items },
      executions: { ...NONE },
      redriveCount: 0,
    };
    this.#runs.push(run);
    this.#service.mapRuns.set(arn, run);
    const { mapRunsOf } = this.#service;
    mapRunsOf.set(about.id, [...(mapRunsOf.get(about.id) ?? []), run]);
    return run;
  }

  /** A redrive takes a run up: what was cut off is to be done yet. */
  #again({ mapRunArn, redriveCount }, redriveDate) {
    const run = this.#service.mapRuns.get(mapRunArn);
    if (run === undefined) return undefined;
    Object.assign(run, { status: "RUNNING", stopDate: undefined, redriveCount, redriveDate });
    for (const counts of [run.items, run.executions]) counts.aborted = 0;
    this.#runs.push(run);
    return run;
  }

  /** A child execution has ended: it becomes a record of its own, or, redriven with its run, goes on with the one it has. */
  async child({ name, arn, status, input, output, error, cause, history }) {
    const { store } = this.#service;
    const { about } = this.#live;
    const label = arn.split(":")[6];
    const run = this.#runs.findLast((one) => one.machineArn.endsWith(`:${label}`)) ?? this.#runs.at(-1);
    const itemCount = run?.batched && Array.isArray(input?.Items) ? input.Items.length : 1;
    const times = history.length > 0 ? [history[0], history.at(-1)].map(({ timestamp }) => Date.parse(timestamp)) : [this.#service.now(), this.#service.now()];
    const { outcome, about: known } = await store.create({
      id: arn,
      name,
      type: run?.childType ?? "STANDARD",
      machineArn: run?.machineArn ?? about.machineArn,
      machineName: about.machineName,
      mapRunArn: run?.arn,
      itemCount,
      revision: about.revision,
      status: "RUNNING",
      startDate: times[0],
      input: JSON.stringify(input ?? null),
      redriveCount: 0,
    });
    const again = outcome === "exists";
    if (run !== undefined) {
      if (again && known.status !== "ABORTED") this.#count(run, known.status, -itemCount);
      this.#count(run, status, itemCount);
    }
    const told = again ? (known.events ?? 0) : 0;
    const fresh = history.slice(told);
    await store.append(arn, {
      expectedSeq: 0,
      about: {
        status,
        stopDate: times[1],
        events: history.length,
        output: output === undefined ? undefined : JSON.stringify(output),
        error,
        cause,
        ...(again && { redriveCount: known.redriveCount + 1, redriveDate: run?.redriveDate }),
      },
      history: { text: JSON.stringify(fresh), count: fresh.length },
    });
  }

  #count(run, status, items) {
    run.executions[KINDS[status]] += Math.sign(items);
    run.items[KINDS[status]] += items;
  }

  /** The execution has ended, and with it the runs that were under way. */
  finish(status, stopDate) {
    for (const run of this.#runs) if (run.status === "RUNNING") end(run, status === "SUCCEEDED" ? status : status === "FAILED" ? "FAILED" : "ABORTED", stopDate);
  }
}

function end(run, status, stopDate) {
  run.status = status;
  run.stopDate = stopDate;
}

/** The counts of a run that has ended: what was never begun has ended with it. Of batches that never were nobody knows. */
function ended({ items, executions, batched }) {
  const sum = ({ succeeded, failed, timedOut, aborted }) => succeeded + failed + timedOut + aborted;
  const total = Math.max(items.total, sum(items));
  const all = { ...items, total, aborted: items.aborted + total - sum(items) };
  return { itemCounts: all, executionCounts: batched ? { ...executions, total: sum(executions) } : all };
}

/** The Distributed Maps among states, at any depth, by name. */
function distributedMaps(states, found = new Map()) {
  for (const [name, state] of Object.entries(states ?? {})) {
    const { ItemProcessor: inner = state.Iterator, Branches = [] } = state;
    if (inner?.ProcessorConfig?.Mode === "DISTRIBUTED") found.set(name, state);
    for (const machine of [inner, ...Branches]) if (machine) distributedMaps(machine.States, found);
  }
  return found;
}

/** A number that stands in the definition; 0, the default, for one that an expression gives. */
function plain(value) {
  const number = Number(value);
  return value !== undefined && Number.isFinite(number) ? number : 0;
}

const seconds = (time) => time / 1000;

const defined = (object) => Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));

function find(service, arn) {
  const run = service.mapRuns.get(mapRunArn(arn));
  if (run === undefined) throw noResource(arn);
  return run;
}

/** Counts as DescribeMapRun gives them. */
function counts({ pending, running, succeeded, failed, timedOut, aborted, total }, written) {
  return { pending, running, succeeded, failed, timedOut, aborted, total, resultsWritten: written ? succeeded + failed + timedOut : 0, failuresNotRedrivable: 0, pendingRedrive: 0 };
}

/** The operations of this file, by name. */
export const mapRunOperations = {
  async ListMapRuns(service, { executionArn: arn, maxResults, nextToken }) {
    executionArn(arn);
    if ((await service.store.get(arn)) === undefined) throw noExecution(arn);
    const sorted = [...(service.mapRunsOf.get(arn) ?? [])].sort((a, b) => (a.arn < b.arn ? -1 : 1));
    const { items, ...more } = pageOf(sorted, { list: ["runs", arn], key: ({ arn }) => arn, maxResults, nextToken });
    return {
      mapRuns: items.map(({ arn, executionArn, machineArn, startDate, stopDate }) => ({
        executionArn,
        mapRunArn: arn,
        stateMachineArn: machineArn,
        startDate: seconds(startDate),
        ...(stopDate !== undefined && { stopDate: seconds(stopDate) }),
      })),
      ...more,
    };
  },

  async DescribeMapRun(service, { mapRunArn: arn }) {
    const run = find(service, arn);
    const live = run.status === "RUNNING" ? service.runner.find(run.executionArn) : undefined;
    const frame = live && driverOf(live.execution).frames().find(({ mapRun }) => mapRun?.mapRunArn === arn)?.mapRun;
    const done = run.status === "SUCCEEDED";
    // What expressions have made of the limits, the run itself knows.
    if (frame) for (const limit of LIMITS) run[limit] = frame[limit];
    const { itemCounts, executionCounts } = frame ?? ended(run);
    return {
      mapRunArn: arn,
      executionArn: run.executionArn,
      status: run.status,
      startDate: seconds(run.startDate),
      ...(run.stopDate !== undefined && { stopDate: seconds(run.stopDate) }),
      maxConcurrency: run.maxConcurrency,
      toleratedFailurePercentage: run.toleratedFailurePercentage,
      toleratedFailureCount: run.toleratedFailureCount,
      itemCounts: counts(itemCounts, done),
      executionCounts: counts(executionCounts, done),
      redriveCount: run.redriveCount,
      ...(run.redriveDate !== undefined && { redriveDate: seconds(run.redriveDate) }),
    };
  },

  async UpdateMapRun(service, { mapRunArn: arn, maxConcurrency, toleratedFailurePercentage, toleratedFailureCount }) {
    const run = find(service, arn);
    if (maxConcurrency === undefined && toleratedFailurePercentage === undefined && toleratedFailureCount === undefined) {
      throw invalid("At least one of maxConcurrency, toleratedFailurePercentage and toleratedFailureCount must be specified", "MISSING_REQUIRED_PARAMETER");
    }
    if (run.status !== "RUNNING") throw invalid(`Map Run already completed: '${arn}'`, "CANNOT_UPDATE_COMPLETED_MAP_RUN");
    const { execution } = service.runner.find(run.executionArn);
    execution.updateMapRun(arn, { maxConcurrency, toleratedFailurePercentage, toleratedFailureCount });
    Object.assign(run, defined({ maxConcurrency, toleratedFailurePercentage, toleratedFailureCount }));
    return {};
  },
};
