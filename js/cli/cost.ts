// The command `stepglass cost` computes the price of executions, as Standard and as Express.

import { existsSync } from "node:fs";
import { isObject } from "../core/base/json.ts";
import { valueOf } from "../language/files/document.ts";
import { Unusable } from "../language/files/problem.ts";
import { isFolder, read } from "../language/files/reading.ts";
import { EXTENSION } from "../language/files/sfnrun.ts";
import { assemblyFolder } from "../language/files/templates.ts";
import { colors, count, writeJson } from "../language/files/terminal.ts";
import { eventsOf } from "../core/history/recorded.ts";
import { BadFile } from "./checked-yaml.ts";
import { defineCommand, type Options, type Values } from "./command.ts";
import { EMPTY_PLAN, readPlan, type Plan } from "./cost-plan.ts";
import { inputOf } from "./input.ts";
import { measure, type Measured } from "./measured.ts";
import { whole } from "./numbers.ts";
import included from "./prices.json";
import { EXECUTIONS, simulated, type Simulated } from "./simulated.ts";

const help = `stepglass cost FILE_OR_FOLDER [options]

Computes what executions cost as Standard and as Express workflows, by state and for a number of executions: recorded
ones, or those of a definition, which is simulated. Nothing is sent anywhere: the prices are in a file.

  stepglass cost runs                       all executions of a folder, as stepglass fetch writes them
  stepglass cost order-7.sfnrun --runs 1000000
  stepglass cost history.json --json | jq .standard.perThousand
  stepglass cost runs --prices eu.json      the prices of another region or day
  stepglass cost order.yaml --plan plan.yaml    a definition; how long its tasks take and how often they fail

Standard workflows pay for state transitions: each entry of a state, each retry, each redrive, and each child
execution of a Distributed Map with the transitions in it. The start of an execution is not counted: AWS's pages do
not name it. Express workflows pay for requests (executions, also of children) and for GB-seconds: the duration in
steps of 100 ms, times the memory in steps of 64 MB. Histories do not have the memory, so --memory gives it. Free
tiers, taxes, Lambda functions and other services are not in it.

A plan says what is known of a definition's tasks, by state, function or resource; "*" is for all others. Without it, they
succeed at once, with results that fit the definition. The same plan gives the same executions:

  executions: 500                 # to simulate; default ${EXECUTIONS}
  seed: 7
  inputs:                         # or one "input"; default: an example with what the definition reads
    - { weight: 9, input: { items: [1] } }
    - { input: { items: [1, 2, 3] } }
  tasks:
    ChargeCard:
      duration: { p50: 300 ms, p99: 2 s }   # or 300 ms, { min: …, max: … }, { mean: … }
      errors: { Lambda.TooManyRequestsException: 2%, CardDeclined: 0.5% }
      output: { charged: true }
    "*": { duration: 100 ms }

Options
      --plan FILE      the plan of a definition
      --input JSON     the input of all simulated executions; @FILE reads it from a file
      --executions N   how many executions of a definition to simulate
      --runs NUMBER    executions a month, for the total and the price levels of Express; default 1000
      --memory MB      the memory of an Express execution, default 64
      --prices FILE    {date, region, currency, standard: {transition}, express: {request, gbSecond: [{upTo, price}]}}, in
                       the currency's unit; upTo is the end of a price level in GB-seconds a month, absent in the last
      --json           {prices, executions, simulated?: {failed, firstError?: {error, cause}, instant: states}, runs,
                       standard: {transitions, perThousand, total}, express: {requests, gbSeconds, perThousand, total,
                       longerThanFiveMinutes}, states: [{state, transitions, retries, perThousand}], partial}; transitions, requests and gbSeconds are those of an average execution

Exit code: 0 success; 1 the definition has errors; 2 wrong usage, or a file that cannot be used.
`;

const options = {
  plan: { type: "string", file: true },
  input: { type: "string", file: true },
  executions: { type: "string" },
  runs: { type: "string" },
  memory: { type: "string" },
  prices: { type: "string", file: true },
  json: { type: "boolean" },
} as const satisfies Options;

export const command = defineCommand({
  name: "cost",
  summary: "compute the price of executions, as Standard and as Express",
  help,
  options,
  run: cost,
});

/** Prices in the currency's unit. */
interface Prices {
  date: string;
  region: string;
  currency: string;
  standard: { transition: number };
  /** The price levels of a month in ascending order; the last one has no end. */
  express: { request: number; gbSecond: { upTo?: number; price: number }[] };
}

/** The longest Express execution, in milliseconds. AWS ends longer ones. */
const LONGEST_EXPRESS = 300_000;
/** The steps in which AWS bills Express executions: milliseconds and megabytes. */
const DURATION_STEP = 100;
const MEMORY_STEP = 64;

async function cost([path, ...others]: string[], values: Values<typeof options>): Promise<number> {
  if (path === undefined || others.length > 0)
    throw new Unusable("cost needs one file or folder of executions, or one definition", { usage: true });
  const runs = values.runs === undefined ? 1000 : whole(values.runs, "--runs", 1, 1e12);
  const memory = values.memory === undefined ? MEMORY_STEP : whole(values.memory, "--memory", 1, 100_000);
  const prices = values.prices === undefined ? included : readPrices(values.prices);
  const simulation = isRecorded(path) ? undefined : await simulate(path, values);
  const report: Report = costOf(simulation?.executions ?? recorded(path, values), { prices, runs, memory });
  if (simulation !== undefined) {
    const { executions: _, ...rest } = simulation;
    report.simulated = rest;
  }
  if (values.json) writeJson(report);
  else process.stdout.write(textOf(report));
  return 0;
}

/** Returns whether a path is a folder or a file of recorded executions, and not a definition. */
function isRecorded(path: string): boolean {
  if (isFolder(path)) return assemblyFolder(path) === undefined;
  if (path.endsWith(EXTENSION)) return true;
  if (/#[^/]*$/.test(path) || !existsSync(path)) return false;
  return eventsOf(valueOf(path, read(path))) !== undefined;
}

/** Returns the executions of a path. Throws Unusable for options that only a simulation has. */
function recorded(path: string, values: Values<typeof options>): Measured[] {
  const given = (["plan", "input", "executions"] as const).find((name) => values[name] !== undefined);
  if (given !== undefined) throw new Unusable(`--${given} is for a definition, but ${path} has recorded executions`, { usage: true });
  return measure(path);
}

function simulate(path: string, values: Values<typeof options>): Promise<Simulated> {
  return simulated(path, planOf(values.plan), {
    ...(values.input !== undefined && { input: inputOf(values.input) }),
    ...(values.executions !== undefined && { executions: whole(values.executions, "--executions", 1, 1e6) }),
  });
}

function planOf(file: string | undefined): Plan {
  if (file === undefined) return EMPTY_PLAN;
  try {
    return readPlan(file);
  } catch (error) {
    throw error instanceof BadFile ? new Unusable(error.message) : error;
  }
}

function readPrices(file: string): Prices {
  let value: unknown;
  try {
    value = JSON.parse(read(file));
  } catch (error) {
    if (error instanceof Unusable) throw error;
    throw new Unusable(`${file} is not JSON`);
  }
  const { standard, express, date, region, currency } = (isObject(value) ? value : {}) as Partial<Prices>;
  const levels: unknown = express?.gbSecond;
  const isPrice = (one: unknown): boolean => typeof one === "number" && one >= 0;
  const wrong = [date, region, currency].some((text) => typeof text !== "string")
    ? "date, region and currency must be texts"
    : !isPrice(standard?.transition) || !isPrice(express?.request)
      ? "standard.transition and express.request must be prices"
      : !Array.isArray(levels) || levels.length === 0 || !levels.every((level) => isObject(level) && isPrice(level.price))
        ? "express.gbSecond must be a list of {upTo, price}"
        : undefined;
  if (wrong !== undefined) throw new Unusable(`${file} is not a file of prices: ${wrong}; stepglass help cost describes it`);
  return value as Prices;
}

interface StateCost {
  state: string;
  /** Transitions of an average execution, with those of retries. */
  transitions: number;
  retries: number;
  /** The price of a thousand executions. */
  perThousand: number;
}

interface Report {
  prices: Pick<Prices, "date" | "region" | "currency">;
  executions: number;
  /** Only of a definition: how many executions did not succeed, and the tasks without a duration in the plan. */
  simulated?: Omit<Simulated, "executions">;
  runs: number;
  standard: { transitions: number; perThousand: number; total: number };
  express: { requests: number; gbSeconds: number; perThousand: number; total: number; longerThanFiveMinutes: number };
  states: StateCost[];
  /** How many files lack child executions, whose transitions are not counted. */
  partial: number;
}

/** Computes the cost of executions: of an average one, and of `runs` of them. */
function costOf(executions: readonly Measured[], { prices, runs, memory }: { prices: Prices; runs: number; memory: number }): Report {
  const all = executions.flatMap((one) => [one, ...one.children]);
  const average = (sum: number): number => (executions.length === 0 ? 0 : sum / executions.length);
  const states = new Map<string, { transitions: number; retries: number }>();
  const add = (state: string, more: number, retries: number): void => {
    const sum = states.get(state) ?? { transitions: 0, retries: 0 };
    states.set(state, { transitions: sum.transitions + more, retries: sum.retries + retries });
  };
  // Transitions that belong to no state, or to a Map that the file does not tell.
  let others = 0;
  for (const { visits, redrives } of all) {
    others += redrives;
    for (const { state, attempts } of visits) add(state, Math.max(1, attempts), Math.max(0, attempts - 1));
  }
  for (const { map } of executions.flatMap(({ children }) => children)) {
    if (map === undefined) others += 1;
    else add(map, 1, 0);
  }
  const transitions = average([...states.values()].reduce((sum, one) => sum + one.transitions, others));
  const gigabytes = (Math.ceil(memory / MEMORY_STEP) * MEMORY_STEP) / 1024;
  const seconds = all.reduce((sum, { duration }) => sum + (Math.max(1, Math.ceil(duration / DURATION_STEP)) * DURATION_STEP) / 1000, 0);
  const requests = average(all.length);
  const gbSeconds = average(seconds * gigabytes);
  const express = (times: number): number =>
    times * requests * prices.express.request + levelled(times * gbSeconds, prices.express.gbSecond);
  const total = express(runs);
  const { date, region, currency } = prices;
  return {
    prices: { date, region, currency },
    executions: executions.length,
    runs,
    standard: {
      transitions,
      perThousand: 1000 * transitions * prices.standard.transition,
      total: runs * transitions * prices.standard.transition,
    },
    express: {
      requests,
      gbSeconds,
      perThousand: (1000 * total) / runs,
      total,
      longerThanFiveMinutes: executions.filter(({ duration }) => duration > LONGEST_EXPRESS).length,
    },
    states: [...states]
      .map(([state, one]) => ({
        state,
        transitions: average(one.transitions),
        retries: average(one.retries),
        perThousand: 1000 * average(one.transitions) * prices.standard.transition,
      }))
      .sort((a, b) => b.transitions - a.transitions || (a.state < b.state ? -1 : 1)),
    partial: executions.filter(({ partial }) => partial).length,
  };
}

/** Returns the price of an amount whose parts have the prices of their levels. */
function levelled(amount: number, levels: Prices["express"]["gbSecond"]): number {
  let from = 0;
  let sum = 0;
  for (const { upTo = Infinity, price } of levels) {
    if (amount > from) sum += (Math.min(amount, upTo) - from) * price;
    from = upTo;
  }
  return sum;
}

function textOf({ prices, executions, simulated, runs, standard, express, states, partial }: Report): string {
  const { bold, dim, yellow } = colors(process.stdout);
  const money = (amount: number): string => `${amount.toFixed(amount < 1 ? 6 : 2)} ${prices.currency}`;
  const number = (value: number): number => Number(value.toFixed(3));
  const row = (name: string, per: string, thousand: number, total: number): string =>
    `${bold(name.padEnd(9))} ${per.padEnd(44)} ${money(thousand).padStart(16)} ${money(total).padStart(18)}`;
  const width = Math.max(5, ...states.map(({ state }) => state.length));
  return `${[
    dim(
      `${"".padEnd(9)} ${"an execution".padEnd(44)} ${"1,000 executions".padStart(16)} ${`${runs.toLocaleString("en-US")} a month`.padStart(18)}`,
    ),
    row("Standard", count(number(standard.transitions), "state transition"), standard.perThousand, standard.total),
    row(
      "Express",
      `${count(number(express.requests), "request")}, ${count(number(express.gbSeconds), "GB-second")}`,
      express.perThousand,
      express.total,
    ),
    "",
    dim(`${"state".padEnd(width)}  transitions  retries  1,000 executions (Standard)`),
    ...states.map(
      ({ state, transitions, retries, perThousand }) =>
        `${state.padEnd(width)}  ${String(number(transitions)).padStart(11)}  ${String(number(retries)).padStart(7)}  ${money(perThousand)}`,
    ),
    "",
    ...(express.longerThanFiveMinutes > 0
      ? [yellow(`${count(express.longerThanFiveMinutes, "execution")} took more than five minutes, which Express does not allow`)]
      : []),
    ...(partial > 0 ? [yellow(`${count(partial, "file")} without all child executions: their transitions are not counted`)] : []),
    ...assumptions(executions, simulated).map(yellow),
    dim(`${count(executions, simulated ? "simulated execution" : "execution")}; prices of ${prices.region}, ${prices.date}`),
  ].join("\n")}\n`;
}

/** Says what a reader of simulated figures must know. */
function assumptions(executions: number, simulated: Report["simulated"]): string[] {
  const { failed = 0, firstError, instant = [] } = simulated ?? {};
  const named = `${instant.slice(0, 5).join(", ")}${instant.length > 5 ? ` and ${instant.length - 5} more` : ""}`;
  return [
    ...(failed > 0
      ? [
          `${failed} of ${count(executions, "execution")} did not succeed; the first error: ${firstError?.error} ${firstError?.cause}`.trimEnd(),
        ]
      : []),
    ...(instant.length > 0 ? [`no duration in the plan, so 0 ms was assumed: ${named}`] : []),
  ];
}
