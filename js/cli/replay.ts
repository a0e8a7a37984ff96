// stepglass replay

import type { HistoryEvent, HistoryReplay, ReplayHistoryOptions } from "../api/index.d.ts";
import { codeOf, messageOf } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import { replayHistory } from "../execution/recorded.ts";
import { Unusable } from "../files/problem.ts";
import { read } from "../files/reading.ts";
import { Source, usable } from "../files/source.ts";
import { detailsOf } from "../history/events.ts";
import { colors, count, writeJson } from "../files/terminal.ts";
import { defineCommand, type Options, type Values } from "./command.ts";

const help = `stepglass replay HISTORY DEFINITION [options]

Replays an execution from AWS against a definition, with the recorded results and errors of its tasks, and reports
the first difference. Use it after a change to check that the execution would still take the same path.

  aws stepfunctions get-execution-history --execution-arn ARN > history.json
  stepglass replay history.json order.asl.json
  stepglass replay history.json template.yaml#OrderMachine
  stepglass replay history.json order.yaml --json | jq .divergence
  stepglass replay history.json order.yaml --events   also prints the replay's history

HISTORY is the JSON of get-execution-history, of an SDK or of the console's export, the events of an Express execution's
log, or the output of stepglass run --json. Events of different branches and iterations can be in any order. UUIDs,
tokens, names and times can differ.

Options
  -e, --events        prints the events of the replay to standard error
      --arn ARN       the execution's ARN, for machines that read their execution's names; histories do not have it
      --type TYPE     STANDARD or EXPRESS; default: the type in the template, or STANDARD
      --define NAME=VALUE the value of a placeholder \${NAME}; can be repeated
      --json          {matches, complete, divergence, divergences, missing, unreproducible, recorded, compared,
                      status, output | error, cause, input, startTime, tasks, history}

Exit code: 0 no difference; 1 a difference, or the definition has errors; 2 wrong usage, or not a history.
`;

const options = {
  define: { type: "string", multiple: true },
  events: { type: "boolean", short: "e" },
  arn: { type: "string" },
  type: { type: "string", values: ["STANDARD", "EXPRESS"] },
  json: { type: "boolean" },
} as const satisfies Options;

export const command = defineCommand({
  name: "replay",
  summary: "replay an execution from AWS and report where it diverges",
  help,
  options,
  run: replay,
});

function replay([history, definition, ...others]: string[], { type, json, events, arn }: Values<typeof options>): number {
  if (history === undefined || definition === undefined || others.length > 0)
    throw new Unusable("replay needs a history and a definition", { usage: true });
  if (history === "-" && definition === "-")
    throw new Unusable("the history and the definition cannot both come from standard input", { usage: true });
  const settings = type ? { type } : {};
  const source = usable(new Source(definition), settings);
  const report = load(history, source.json, { ...source.options(settings), ...(arn === undefined ? {} : { arn }) });
  if (events) for (const event of report.history) process.stderr.write(`${line(event)}\n`);
  if (json) writeJson(report);
  else process.stdout.write(text(report));
  return report.matches ? 0 : 1;
}

function load(file: string, definition: string, options: ReplayHistoryOptions): HistoryReplay {
  try {
    return replayHistory(definition, historyOf(read(file)), options);
  } catch (error) {
    if (codeOf(error) === "NOT_A_HISTORY") throw new Unusable(`${file}: ${messageOf(error)}`);
    throw error;
  }
}

/** The history in the output of `stepglass run --json`; any other text as it is. */
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
        `  ${count(others.length, "more branch")}${others.length === 1 ? "" : "es"} or iterations diverge.`.replace("branchs", "branch"),
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
