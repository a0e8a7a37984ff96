// The command `stepglass replay` replays an execution from AWS and reports where it diverges.

import type { HistoryEvent, HistoryReplay, ReplayHistoryOptions } from "../core/api/index.d.ts";
import { codeOf, messageOf } from "../core/base/errors.ts";
import { isObject } from "../core/base/json.ts";
import { replayHistory } from "../core/execution/recorded.ts";
import { Unusable, type SourceOptions } from "../language/files/problem.ts";
import { isFolder, read, write } from "../language/files/reading.ts";
import { EXTENSION, readRun, runFiles } from "../language/files/sfnrun.ts";
import { Source, usable, type UsableSource } from "../language/files/source.ts";
import { detailsOf } from "../core/history/events.ts";
import { colors, count, writeJson } from "../language/files/terminal.ts";
import { defineCommand, type Options, type Values } from "./command.ts";
import { didYouMean } from "./did-you-mean.ts";
import { htmlOf } from "./replay-html.ts";
import { VERDICT_NAMES, asTests, recordingOf, replayChildren, replayRuns, tableOf, type RunsReport, type Verdict } from "./replay-runs.ts";
import { reporter } from "./test-report.ts";

const help = `stepglass replay HISTORY DEFINITION [options]

Replays an execution from AWS against a definition, with the recorded results and errors of its tasks, and reports
the first difference. Use it after a change to check that the execution would still take the same path.

  aws stepfunctions get-execution-history --execution-arn ARN > history.json
  stepglass replay history.json order.asl.json
  stepglass replay history.json template.yaml#OrderMachine
  stepglass replay history.json order.yaml --json | jq .divergence
  stepglass replay history.json order.yaml --events   also prints the replay's history
  stepglass replay order-7.sfnrun order.asl.json      an execution that stepglass fetch has written
  stepglass replay runs order.asl.json                all of a folder, in one table
  stepglass replay runs order.asl.json --allow data,succeeds --junit > report.xml
  stepglass replay runs order.asl.json --html replay.html

HISTORY is the JSON of get-execution-history, of an SDK or of the console's export, the events of an Express execution's
log, or the output of stepglass run --json. Events of different branches and iterations can be in any order. UUIDs,
tokens, names and times can differ.

HISTORY can also be a file of stepglass fetch (*.sfnrun), or a folder of such files. A Distributed Map has its recorded result in
the replay, and the child executions in the file are replayed too, each against the ItemProcessor of the Map. The table of a folder has, with counts
and an example for each cause: same; data (the same path with other data); path (another path, and from which state);
succeeds (it failed, and now succeeds); fails (it succeeded, and now fails); undecided (an answer is not recorded).

Options
  -e, --events        prints the events of the replay to standard error
      --arn ARN       the execution's ARN, for machines that read their execution's names; histories do not have it
      --type TYPE     STANDARD or EXPRESS; default: the type in the template, or STANDARD
      --define NAME=VALUE the value of a placeholder \${NAME}; can be repeated
      --allow LIST    of a folder: what the exit code permits besides same: data, path, succeeds, fails, undecided
      --junit         of a folder: prints XML for a build server, with a test for each execution
      --html FILE     of a folder: also writes one page that a browser shows without scripts
      --json          {matches, complete, divergence, divergences, missing, unreproducible, recorded, compared,
                      status, output | error, cause, input, startTime, tasks, history, children?}; of a folder, and
                      as children those of Map Runs, {executions, counts, groups: [{verdict, state, aspect,
                      pointer, error, count, example, files}], runs}

Exit code: 0 no difference, or only allowed ones; 1 a difference, or the definition has errors; 2 wrong usage, or not a
history.
`;

const options = {
  define: { type: "string", multiple: true },
  events: { type: "boolean", short: "e" },
  arn: { type: "string" },
  type: { type: "string", values: ["STANDARD", "EXPRESS"] },
  allow: { type: "string", multiple: true },
  junit: { type: "boolean" },
  html: { type: "string", file: true },
  json: { type: "boolean" },
} as const satisfies Options;

export const command = defineCommand({
  name: "replay",
  summary: "replay an execution from AWS and report where it diverges",
  help,
  options,
  run: replay,
});

function replay([history, definition, ...others]: string[], values: Values<typeof options>): number {
  const { type, json, events, arn } = values;
  if (history === undefined || definition === undefined || others.length > 0)
    throw new Unusable("replay needs a history and a definition", { usage: true });
  if (history === "-" && definition === "-")
    throw new Unusable("the history and the definition cannot both come from standard input", { usage: true });
  const ofFolder = isFolder(history);
  if (!ofFolder && (values.junit || values.html !== undefined || values.allow !== undefined))
    throw new Unusable("--allow, --junit and --html need a folder", { usage: true });
  if (ofFolder && (events || arn !== undefined)) throw new Unusable("--events and --arn need one history, not a folder", { usage: true });
  if (values.junit && json) throw new Unusable("--junit and --json cannot be used together", { usage: true });
  const settings = type ? { type } : {};
  const source = usable(new Source(definition), settings);
  if (ofFolder) return replayFolder(history, source, settings, values);
  const { report, children } = load(history, source.json, { ...source.options(settings), ...(arn === undefined ? {} : { arn }) });
  if (events) for (const event of report.history) process.stderr.write(`${line(event)}\n`);
  if (json) writeJson(children === undefined ? report : { ...report, children });
  else
    process.stdout.write(
      `${text(report)}${children === undefined ? "" : `\nChild executions:\n${tableOf(children, SAME, process.stdout)}`}`,
    );
  return report.matches && (children === undefined || children.counts.same === children.executions) ? 0 : 1;
}

/** The verdicts that mean no difference. */
const SAME: ReadonlySet<Verdict> = new Set(["same"]);

/** Replays all fetched executions of a folder. Returns the exit code. */
function replayFolder(
  folder: string,
  source: UsableSource,
  settings: SourceOptions,
  { json, junit, html, allow = [] }: Values<typeof options>,
): number {
  const words = allow.flatMap((list) => list.split(","));
  const unknown = words.find((word) => !VERDICT_NAMES.some((name) => name === word));
  if (unknown !== undefined)
    throw new Unusable(`--allow takes ${VERDICT_NAMES.join(", ")}, not ${unknown}${didYouMean(unknown, VERDICT_NAMES)}`, { usage: true });
  const files = runFiles(folder);
  if (files.length === 0) throw new Unusable(`${folder} has no files named *${EXTENSION}, which stepglass fetch writes`);
  const report = replayRuns(files, source.json, source.options(settings));
  const allowed: ReadonlySet<Verdict> = new Set(["same", ...(words as Verdict[])]);
  if (html !== undefined) write(html, htmlOf(report, source.name, allowed));
  if (json) writeJson(report);
  else if (junit) reporter("junit", process.stdout).end([asTests(report, source.name, allowed)], 0, {});
  else process.stdout.write(tableOf(report, allowed, process.stdout));
  return report.runs.every(({ verdict }) => allowed.has(verdict)) ? 0 : 1;
}

/** Replays a history, and the child executions that its file has. */
function load(
  file: string,
  definition: string,
  options: ReplayHistoryOptions,
): { report: HistoryReplay; children?: RunsReport | undefined } {
  if (file.endsWith(EXTENSION)) {
    const run = readRun(file);
    const { history, options: own } = recordingOf(run);
    return { report: replayHistory(definition, history, { ...own, ...options }), children: replayChildren(run, definition, options) };
  }
  try {
    return { report: replayHistory(definition, historyOf(read(file)), options) };
  } catch (error) {
    if (codeOf(error) === "NOT_A_HISTORY") throw new Unusable(`${file}: ${messageOf(error)}`);
    throw error;
  }
}

/** Returns the history in the output of `stepglass run --json`. Any other text is returned unchanged. */
function historyOf(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && Array.isArray(value.history) ? JSON.stringify(value.history) : text;
  } catch {
    return text;
  }
}

function text({ divergence, divergences, missing, unreproducible, recorded, compared, status }: HistoryReplay): string {
  const { bold, dim, red, green, yellow } = colors(process.stdout);
  const lines: string[] = [];
  if (divergence === undefined) {
    lines.push(
      `${green("the same")}: ${compared === 0 ? `the path through the states of ${count(recorded, "event")}` : `${count(recorded, "event")}, ${status}`}`,
    );
  } else {
    const { event, eventType, state, iterations, pointer, message, reason, expected, got } = divergence;
    const where = [
      event === undefined ? "after the last event" : `event ${event} ${eventType}`,
      state && `state ${state}${iterations ? ` [${iterations.join(", ")}]` : ""}`,
      pointer && `at ${pointer}`,
    ];
    lines.push(`${red("diverges")} at ${bold(where.filter(Boolean).join(", "))}`, "", `  ${message}`);
    if ([expected, got].some((value) => typeof value === "object" && value !== null))
      lines.push(dim(`  recorded: ${brief(expected)}`), dim(`  now:      ${brief(got)}`));
    if (reason) lines.push("", `  ${reason}`);
    const others = divergences.slice(1);
    if (others.length > 0)
      lines.push(
        "",
        `  ${others.length === 1 ? "1 more branch or iteration diverges" : `${others.length} more branches or iterations diverge`}.`,
      );
    lines.push("");
  }
  for (const { event, message } of missing)
    lines.push(`${yellow("incomplete")}: ${event === undefined ? "" : `event ${event}: `}${message}`);
  if (unreproducible.length > 0)
    lines.push(
      dim(
        `${count(unreproducible.length, "value")} that no run can repeat (UUIDs, tokens, names, times) ${unreproducible.length === 1 ? "differs" : "differ"}`,
      ),
    );
  return `${lines.join("\n")}\n`;
}

function brief(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 300 ? `${text.slice(0, 299)}…` : text;
}

function line(event: HistoryEvent): string {
  const { name } = detailsOf(event);
  return `${event.timestamp} ${String(event.id).padStart(5)}  ${event.type}${name ? `  ${name}` : ""}`;
}
