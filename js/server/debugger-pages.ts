// The server's own pages: the list of executions, and one execution. They also work if the debugger is not in the package.

import type { HistoryEvent } from "../api/index.d.ts";
import { detailsOf } from "../history/events.ts";
import type { ExecutionDocument, ExecutionList, ExecutionSummary } from "./debugger.ts";

const EVENTS = 1000;

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Escapes a text for markup. */
function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** The list of executions. */
export function listPage({ executions, before }: ExecutionList): string {
  const rows = executions.map(row);
  const body =
    executions.length === 0
      ? '<p class="empty">No executions yet. Start one with any client of the AWS API; it appears here by itself.</p>'
      : table(["Status", "Execution", "State machine", "Started", "Took"], rows);
  const older = before === undefined ? "" : `<p><a href="?before=${before}">Older ones</a></p>`;
  return document(
    "Executions",
    `<h1>Executions</h1><div id="list" data-live>${body}${older}</div>`,
    '<script type="module" src="/debugger/list.js"></script>',
  );
}

/** A table of rows of cells, which are markup. */
function table(columns: string[], rows: string[][]): string {
  const head = columns.map((column) => `<th scope="col">${column}</th>`).join("");
  const body = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`).join("");
  return `<table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>`;
}

function row({ executionArn, name, stateMachineName, type, status, startDate, stopDate }: ExecutionSummary): string[] {
  const own = `/debugger/executions/${encodeURIComponent(executionArn)}`;
  const took = stopDate === undefined ? "" : duration(Date.parse(stopDate) - Date.parse(startDate));
  const machine = `${escape(stateMachineName)}${type === "EXPRESS" ? " <small>Express</small>" : ""}`;
  return [badge(status), `<a href="${escape(own)}">${escape(name)}</a>`, machine, time(startDate), took];
}

/**
 * One execution: the debugger attached to it, input and output, the history, the definition. Without the debugger's files
 * there is a drawing. `page` says whether the playground is there, too.
 */
export function executionPage(execution: ExecutionDocument, { page, component }: { page: boolean; component: boolean }): string {
  const { executionArn, name, stateMachineName, input, output, definition, live } = execution;
  const address = `/debugger/api/executions/${encodeURIComponent(executionArn)}`;
  const open = page ? `<a class="button" href="/debugger/page/#import=${encodeURIComponent(address)}">Open in the playground</a>` : "";
  const drawing = `<img class="graph" src="${escape(`${address}/graph.svg`)}" alt="The graph of ${escape(stateMachineName)} with the status of each state">`;
  const attached = `<stepglass-debugger readonly view="graph data events" data-address="${escape(address)}">${drawing}</stepglass-debugger>`;
  const graph = component ? attached : `<h2>Graph</h2>${drawing}`;
  const scripts = [
    ...(live === undefined ? [] : ['<script type="module" src="/debugger/list.js"></script>']),
    ...(component ? ['<script type="module" src="/debugger/execution.js"></script>'] : []),
  ];
  return document(
    name,
    `<p><a href="/debugger/">All executions</a></p><h1>${escape(name)} ${open}</h1>
<dl id="facts" data-live>${facts(execution)}</dl>
<section>${graph}</section>
<div class="pair" id="payloads" data-live>${payload("Input", input)}${payload("Output", output)}</div>
<section id="list" data-live><h2>History</h2>${history(execution, address)}</section>
<details><summary>Definition</summary><pre>${escape(pretty(definition))}</pre></details>
<p><a href="${escape(address)}">Everything as JSON</a> · <a href="${escape(`${address}/history`)}">History as GetExecutionHistory returns it</a></p>`,
    scripts.join(""),
  );
}

/** The properties of an execution, as terms and descriptions. */
function facts({ status, stateMachineName, executionArn, startDate, stopDate, error, cause }: ExecutionDocument): string {
  const facts = new Map([
    ["Status", badge(status)],
    ["State machine", escape(stateMachineName)],
    ["ARN", `<code>${escape(executionArn)}</code>`],
    ["Started", time(startDate)],
  ]);
  if (stopDate !== undefined) facts.set("Took", duration(Date.parse(stopDate) - Date.parse(startDate)));
  if (error !== undefined) facts.set("Error", escape(error));
  if (cause !== undefined) facts.set("Cause", escape(cause));
  return [...facts].map(([term, description]) => `<dt>${term}</dt><dd>${description}</dd>`).join("");
}

/** The first events of a history. */
function history({ events }: ExecutionDocument, address: string): string {
  const shown = events.slice(0, EVENTS);
  const all = `<a href="${escape(`${address}/history`)}">all of them as JSON</a>`;
  const rest = events.length > shown.length ? `<p>The first ${EVENTS} of ${events.length} events; ${all}.</p>` : "";
  const rows = shown.map((event) => {
    const { id, previousEventId, type, timestamp } = event;
    return [`${id}`, `${previousEventId}`, escape(type), escape(stateOf(event)), time(timestamp), details(event)];
  });
  return `${rest}${table(["Id", "After", "Type", "State", "Time", "Details"], rows)}`;
}

/** A payload under a title; nothing where there is none. */
function payload(title: string, text: string | undefined): string {
  return text === undefined ? "" : `<section><h2>${title}</h2><pre>${escape(pretty(text))}</pre></section>`;
}

/** The state that an event enters or exits, or the Map whose iteration it begins. */
function stateOf(event: HistoryEvent): string {
  if ("stateEnteredEventDetails" in event) return event.stateEnteredEventDetails.name;
  if ("stateExitedEventDetails" in event) return event.stateExitedEventDetails.name;
  return "mapIterationStartedEventDetails" in event ? event.mapIterationStartedEventDetails.name : "";
}

/** The details of an event that have no column of their own. */
function details(event: HistoryEvent): string {
  const said = Object.fromEntries(Object.entries(detailsOf(event) ?? {}).filter(([key]) => !/Details$|^name$/.test(key)));
  if (Object.keys(said).length === 0) return "";
  return `<details><summary>${escape(Object.keys(said).join(", "))}</summary><pre>${escape(JSON.stringify(said, null, 2))}</pre></details>`;
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function badge(status: string): string {
  return `<span class="status ${escape(status.toLowerCase())}">${escape(status)}</span>`;
}

function time(text: string): string {
  return `<time datetime="${escape(text)}">${escape(text.replace("T", " ").replace(/Z$/, ""))}</time>`;
}

function duration(ms: number): string {
  return ms < 1000
    ? `${ms} ms`
    : ms < 60_000
      ? `${(ms / 1000).toFixed(1)} s`
      : `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

/** A page. */
function document(title: string, body: string, scripts: string): string {
  const head = [
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escape(title)} · Stepglass</title>`,
    '<link rel="icon" href="data:,">',
    '<link rel="stylesheet" href="/debugger/list.css">',
  ];
  return `<!doctype html><html lang="en"><head>${head.join("")}</head><body><main>${body}</main>${scripts}</body></html>`;
}

/** Attaches the debugger to the execution: to its history so far, and to the events that follow. */
export const executionScript = `import "/debugger/component/debugger.js";

const element = document.querySelector("stepglass-debugger");
const execution = await (await fetch(element.dataset.address)).json();
let end;
const result = new Promise((resolve) => (end = resolve));

async function* events() {
  yield* execution.events;
  const { live, status, output, error, cause } = execution;
  if (live === undefined) return end({ status, error, cause, ...(output !== undefined && { output: JSON.parse(output) }) });
  const source = new EventSource(live + "?after=" + execution.events.length);
  const waiting = [];
  let wake = () => {};
  source.addEventListener("history", ({ data }) => {
    waiting.push(JSON.parse(data));
    wake();
  });
  source.addEventListener("end", ({ data }) => {
    source.close();
    waiting.push(undefined);
    const { output, ...outcome } = JSON.parse(data);
    end({ ...outcome, ...(output !== undefined && { output: JSON.parse(output) }) });
    wake();
  });
  for (;;) {
    if (waiting.length === 0) await new Promise((resolve) => (wake = resolve));
    const event = waiting.shift();
    if (event === undefined) return;
    yield event;
  }
}

await element.attach({ [Symbol.asyncIterator]: events, result }, { definition: execution.definition });
`;

/** Reads the page again every few seconds, and replaces the parts that have changed. */
export const listScript = `const parts = [...document.querySelectorAll("[data-live]")];
async function refresh() {
  if (document.hidden) return;
  const answer = await fetch(location.href, { headers: { accept: "text/html" } });
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of parts) {
    const next = fresh.getElementById(part.id);
    // A part with open details or with the focus stays.
    if (next === null || next.isEqualNode(part) || part.querySelector("details[open]") || part.contains(document.activeElement)) continue;
    part.replaceChildren(...next.childNodes);
  }
  if (!fresh.querySelector('script[src="/debugger/list.js"]')) clearInterval(timer);
}
const timer = setInterval(() => refresh().catch(() => {}), 2000);
`;

/** The style of both pages. */
export const style = `:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; --line: #8884; --accent: light-dark(#0b57d0, #a8c7fa); }
body { margin: 0; }
main { max-width: 72rem; margin: 0 auto; padding: 1.5rem; }
h1 { font-size: 1.4rem; overflow-wrap: anywhere; } h2 { font-size: 1.05rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .35rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
th { font-weight: 600; } td:first-child { white-space: nowrap; } time { white-space: nowrap; font-variant-numeric: tabular-nums; }
a { color: var(--accent); } a.button { font-size: .9rem; font-weight: 600; margin-left: .6rem; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: #8881; padding: .6rem .8rem; border-radius: 6px; margin: .4rem 0; max-height: 24rem; overflow: auto; font-size: .85rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; } dt { font-weight: 600; } dd { margin: 0; overflow-wrap: anywhere; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(18rem, 1fr)); gap: 1rem; }
stepglass-debugger { display: block; height: 32rem; }
.graph { max-width: 100%; max-height: 70vh; border: 1px solid var(--line); border-radius: 6px; }
.status { font-size: .8rem; font-weight: 600; padding: .1rem .5rem; border-radius: 1rem; border: 1px solid currentcolor; white-space: nowrap; }
.succeeded { color: light-dark(#0a6b2d, #6dd58c); } .failed, .timed_out { color: light-dark(#b3261e, #f2b8b5); } .aborted { color: light-dark(#6b4f00, #e8c36a); } .running { color: light-dark(#0b57d0, #a8c7fa); }
.empty { padding: 2rem 0; }
@media (max-width: 40rem) { main { padding: 1rem .6rem; } th:nth-child(4), td:nth-child(4) { display: none; } }
`;
