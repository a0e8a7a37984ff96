// The server's own pages: the list of executions, and one execution. They also work without the files of the debugger.

import type { HistoryEvent } from "../../core/api/index.d.ts";
import { detailsOf } from "../../core/history/events.ts";
import type { ExecutionDocument, ExecutionList, ExecutionSummary, ListQuery } from "./documents.ts";

const MAX_EVENTS = 1000;
const STATUSES = ["RUNNING", "SUCCEEDED", "FAILED", "TIMED_OUT", "ABORTED"];
const ACTIONS = '<script type="module" src="/debugger/actions.js"></script>';

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Escapes a text for HTML. */
function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** Returns the page of the console, whose script fetches the list and the counts. */
export function consolePage(): string {
  const script = '<script type="module" src="/debugger/component/console.js"></script>';
  const noScript = "<noscript>The console needs JavaScript.</noscript>";
  return `<!doctype html><html lang="en"><head>${head("Executions")}</head><body>${noScript}${script}</body></html>`;
}

/** Returns the page with which people log in. It needs no file that only those who have logged in get. */
export function loginDocument(isWrong: boolean): string {
  const problem = isWrong ? '<p role="alert">No key has this token.</p>' : "";
  const form = `<form method="post" action="/debugger/login"><p><label>Token <input type="password" name="token" required autofocus autocomplete="current-password"></label> <button>Log in</button></p></form>`;
  return `<!doctype html><html lang="en"><head>${head("Log in")}</head><body><main><h1>Stepglass</h1>${problem}${form}</main></body></html>`;
}

/** Returns the page with the list of executions that a query has found. */
export function listPage(
  { executions, before }: ExecutionList,
  query: ListQuery,
  machines: readonly { arn: string; name: string }[],
): string {
  const filtered = Object.values(query).some((value) => value !== "");
  const rows = executions.map(row);
  const emptyText = filtered
    ? 'No executions like these. <a href="/debugger/">Show all executions</a>'
    : "No executions yet. Start one with any client of the AWS API; it appears here by itself.";
  const body =
    executions.length === 0
      ? `<p class="empty">${emptyText}</p>`
      : table(["Status", "Execution", "State machine", "Started", "Took", '<span class="unseen">Actions</span>'], rows);
  const asked = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ""));
  if (before !== undefined) asked.set("before", String(before));
  const older = before === undefined ? "" : `<p><a href="?${escape(asked.toString())}">Older ones</a></p>`;
  return document(
    "Executions",
    `<h1>Executions</h1>${filterForm(query, machines)}${MESSAGE}<div id="list" data-live>${body}${older}</div>`,
    `<script type="module" src="/debugger/list.js"></script>${ACTIONS}`,
  );
}

/** The element that shows the result of an action. */
const MESSAGE = '<p id="words" class="words" role="status"></p>';

/** Returns the form with the filters of the list. */
function filterForm({ status, stateMachineArn, name }: ListQuery, machines: readonly { arn: string; name: string }[]): string {
  const option = (value: string, label: string, chosen: string): string =>
    `<option value="${escape(value)}"${value === chosen ? " selected" : ""}>${escape(label)}</option>`;
  const statuses = STATUSES.map((one) => option(one, one, status)).join("");
  const names = machines.map(({ name }) => name);
  // Names that several regions or accounts have are shown with the region and the account.
  const label = ({ arn, name }: { arn: string; name: string }): string =>
    names.filter((other) => other === name).length === 1 ? name : `${name} (${arn.split(":").slice(3, 5).join(" ")})`;
  const all = machines.map((one) => option(one.arn, label(one), stateMachineArn)).join("");
  const clear = status + stateMachineArn + name === "" ? "" : ' <a href="/debugger/">Clear</a>';
  return `<form class="filters" role="search" aria-label="Executions" data-filters>
<label>Name begins with <input type="search" name="name" value="${escape(name)}"></label>
<label>State machine <select name="stateMachineArn"><option value="">all</option>${all}</select></label>
<label>Status <select name="status"><option value="">all</option>${statuses}</select></label>
<button>Filter</button>${clear}</form>`;
}

/** The label of each button, and the message after its action. */
const BUTTONS = {
  stop: ["Stop", "Stopped"],
  redrive: ["Redrive", "Redriven"],
  resume: ["Try again", "Tried again"],
  migrate: ["Migrate", "Migrated"],
} as const;

/** The question before an action; % is the name of the execution. */
const QUESTIONS: Partial<Record<keyof typeof BUTTONS, string>> = {
  stop: "Stop %? Its end cannot be undone, only redriven.",
  migrate: "Continue % with the definition that is now registered for its machine?",
};

/** Returns a button that requests an action on an execution. */
function actionButton(action: keyof typeof BUTTONS, arn: string, name: string): string {
  const [words, done] = BUTTONS[action];
  const address = `/debugger/api/executions/${encodeURIComponent(arn)}/${action}`;
  const question = QUESTIONS[action];
  const ask = question === undefined ? "" : ` data-ask="${escape(question.replace("%", name))}"`;
  return `<button type="button" class="small" data-action="${escape(address)}" data-done="${done} ${escape(name)}."${ask} aria-label="${words} ${escape(name)}">${words}</button>`;
}

/** Returns a table. The columns and cells are HTML. */
function table(columns: string[], rows: string[][]): string {
  const head = columns.map((column) => `<th scope="col">${column}</th>`).join("");
  const body = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`).join("");
  return `<table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>`;
}

function row({ executionArn, name, stateMachineName, type, status, startDate, stopDate, redrivable }: ExecutionSummary): string[] {
  const own = `/debugger/executions/${encodeURIComponent(executionArn)}`;
  const took = stopDate === undefined ? "" : duration(Date.parse(stopDate) - Date.parse(startDate));
  const machine = `${escape(stateMachineName)}${type === "EXPRESS" ? " <small>Express</small>" : ""}`;
  const action = status === "RUNNING" ? "stop" : redrivable ? "redrive" : undefined;
  const button = action === undefined ? "" : actionButton(action, executionArn, name);
  return [badge(status), `<a href="${escape(own)}">${escape(name)}</a>`, machine, time(startDate), took, button];
}

/**
 * Returns the page of one execution: the debugger attached to it, input and output, the history, the definition. Without the
 * debugger's files
 * it has a drawing instead. `page` is whether the playground is installed, too.
 */
export function executionPage(execution: ExecutionDocument, { page, component }: { page: boolean; component: boolean }): string {
  const { executionArn, name, stateMachineName, input, output, definition, live } = execution;
  const address = `/debugger/api/executions/${encodeURIComponent(executionArn)}`;
  const open = page ? `<a class="button" href="/debugger/page/#import=${encodeURIComponent(address)}">Open in the playground</a>` : "";
  const drawing = `<img class="graph" src="${escape(`${address}/graph.svg`)}" alt="The graph of ${escape(stateMachineName)} with the status of each state">`;
  const attached = `<stepglass-debugger readonly replay view="graph data code events" data-address="${escape(address)}">${drawing}</stepglass-debugger>`;
  const graph = component ? attached : `<h2>Graph</h2>${drawing}`;
  const scripts = [
    ACTIONS,
    ...(live === undefined ? [] : ['<script type="module" src="/debugger/list.js"></script>']),
    ...(component ? ['<script type="module" src="/debugger/execution.js"></script>'] : []),
  ];
  return document(
    name,
    `<h1>${escape(name)} ${open}</h1>
${MESSAGE}<dl id="facts" data-live>${facts(execution)}</dl>
<section id="actions" data-live aria-label="Actions">${actions(execution)}</section>
<section>${graph}</section>
<div class="pair" id="payloads" data-live>${payload("Input", input)}${payload("Output", output)}</div>
<section id="maps" data-live>${mapRuns(execution)}</section>
<section id="list" data-live><h2>History</h2>${history(execution, address)}</section>
<details><summary>Definition</summary><pre>${escape(pretty(definition))}</pre></details>
<p><a href="${escape(address)}">Everything as JSON</a> · <a href="${escape(`${address}/history`)}">History as GetExecutionHistory returns it</a></p>`,
    scripts.join(""),
  );
}

/** Returns a table of an execution's Map Runs, each with a link to the child execution that failed first. */
function mapRuns({ mapRuns: runs = [] }: ExecutionDocument): string {
  if (runs.length === 0) return "";
  const rows = runs.map(({ mapRunArn, status, itemCounts: { failed, timedOut, succeeded, total }, firstFailure: first }) => [
    badge(status),
    `<code>${escape(mapRunArn.slice(mapRunArn.lastIndexOf("/") + 1))}</code>`,
    `${failed + timedOut} of ${total} failed, ${succeeded} succeeded`,
    first === undefined
      ? ""
      : `<a href="/debugger/executions/${encodeURIComponent(first.arn)}">item ${first.index}</a>: ${escape([first.error, first.cause].filter(Boolean).join(": "))}`,
  ]);
  return `<h2>Map Runs</h2>${table(["Status", "Map Run", "Items", "First failure"], rows)}`;
}

/** Returns the controls for the actions that are possible now. */
function actions(execution: ExecutionDocument): string {
  const { executionArn, name, actions: possible } = execution;
  const buttons = (["redrive", "resume", "migrate"] as const).filter((action) => possible.includes(action));
  const forms = Object.entries(FORMS).filter(([action]) => possible.some((one) => one === action));
  return [...buttons.map((action) => actionButton(action, executionArn, name)), ...forms.map(([, form]) => form(execution))].join("");
}

/** The forms of actions, which are folded until they are used. */
const FORMS = { signal: signalForm, cancel: cancelForm, stop: stopForm };

function signalForm({ executionArn, signals }: ExecutionDocument): string {
  const { waiting = [], buffered = {} } = signals ?? {};
  const known = waiting.map((signal) => `<option value="${escape(signal)}"></option>`).join("");
  const waits = waiting.length === 0 ? "It waits for no signal now, but keeps one that you send." : `It waits for ${listed(waiting)}.`;
  const untaken = Object.entries(buffered).map(([signal, count]) => `${count} of ${signal}`);
  const more = untaken.length === 0 ? "" : ` Sent, but not taken yet: ${listed(untaken)}.`;
  const [only = ""] = waiting;
  return `<details><summary>Send a signal…</summary><form data-post="${postTo(executionArn, "signal")}" data-done="Sent the signal.">
<p>${waits}${more}</p>
<label>Name <input name="name" required list="signals" autocomplete="off" value="${escape(only)}"></label><datalist id="signals">${known}</datalist>
<label>Payload, JSON <textarea name="payload" rows="3" spellcheck="false" placeholder="null" data-json></textarea></label>
<button>Send</button></form></details>`;
}

function cancelForm({ executionArn, name }: ExecutionDocument): string {
  return `<details><summary>Cancel…</summary><form data-post="${postTo(executionArn, "cancel")}" data-done="Cancelled ${escape(name)}.">
<p>What waits fails with <code>Stepglass.Cancelled</code>, which a Catch can take to clean up.</p>
<label>Cause <input name="cause" maxlength="32768" autocomplete="off"></label>
<button>Cancel the execution</button></form></details>`;
}

function stopForm({ executionArn, name }: ExecutionDocument): string {
  return `<details><summary>Stop…</summary><form data-post="${postTo(executionArn, "stop")}" data-done="Stopped ${escape(name)}.">
<label>Error <input name="error" maxlength="256" autocomplete="off"></label>
<label>Cause <input name="cause" maxlength="32768" autocomplete="off"></label>
<button>Stop the execution</button></form></details>`;
}

/** Returns the address of an action, for an attribute. */
function postTo(arn: string, action: string): string {
  return escape(`/debugger/api/executions/${encodeURIComponent(arn)}/${action}`);
}

function listed(names: readonly string[]): string {
  return names.map((name) => `<code>${escape(name)}</code>`).join(", ");
}

/** Returns the properties of an execution, as terms and descriptions. */
function facts(execution: ExecutionDocument): string {
  const {
    status,
    stateMachineName,
    executionArn,
    startDate,
    stopDate,
    error,
    cause,
    state,
    suspended,
    redriveCount,
    attributes = {},
  } = execution;
  const facts = new Map([
    ["Status", badge(status)],
    ["State machine", escape(stateMachineName)],
    ["ARN", `<code>${escape(executionArn)}</code>`],
    ["Started", time(startDate)],
  ]);
  if (stopDate !== undefined) facts.set("Took", duration(Date.parse(stopDate) - Date.parse(startDate)));
  if (redriveCount > 0) facts.set("Redriven", redriveCount === 1 ? "once" : `${redriveCount} times`);
  if (suspended !== undefined) facts.set("Suspended", escape(suspended));
  for (const [key, value] of Object.entries(attributes)) facts.set(escape(key), `<code>${escape(String(value))}</code>`);
  if (state !== undefined) facts.set("Shows", `<code>${escape(state)}</code>`);
  if (error !== undefined) facts.set("Error", escape(error));
  if (cause !== undefined) facts.set("Cause", escape(cause));
  return [...facts].map(([term, description]) => `<dt>${term}</dt><dd>${description}</dd>`).join("");
}

/** Returns a table of the first events of a history. */
function history({ events }: ExecutionDocument, address: string): string {
  const shown = events.slice(0, MAX_EVENTS);
  const all = `<a href="${escape(`${address}/history`)}">all of them as JSON</a>`;
  const rest = events.length > shown.length ? `<p>The first ${MAX_EVENTS} of ${events.length} events; ${all}.</p>` : "";
  const rows = shown.map((event) => {
    const { id, previousEventId, type, timestamp } = event;
    return [`${id}`, `${previousEventId}`, escape(type), escape(stateOf(event)), time(timestamp), details(event)];
  });
  return `${rest}${table(["Id", "After", "Type", "State", "Time", "Details"], rows)}`;
}

/** Returns a payload under a title, or an empty text if there is none. */
function payload(title: string, text: string | undefined): string {
  return text === undefined ? "" : `<section><h2>${title}</h2><pre>${escape(pretty(text))}</pre></section>`;
}

/** Returns the name of the state that an event enters or exits, or of the Map whose iteration it starts. */
function stateOf(event: HistoryEvent): string {
  if ("stateEnteredEventDetails" in event) return event.stateEnteredEventDetails.name;
  if ("stateExitedEventDetails" in event) return event.stateExitedEventDetails.name;
  return "mapIterationStartedEventDetails" in event ? event.mapIterationStartedEventDetails.name : "";
}

/** Returns those details of an event that have no column. */
function details(event: HistoryEvent): string {
  const shown = Object.fromEntries(Object.entries(detailsOf(event) ?? {}).filter(([key]) => !/Details$|^name$/.test(key)));
  if (Object.keys(shown).length === 0) return "";
  return `<details><summary>${escape(Object.keys(shown).join(", "))}</summary><pre>${escape(JSON.stringify(shown, null, 2))}</pre></details>`;
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

function document(title: string, body: string, scripts: string): string {
  const style = '<link rel="stylesheet" href="/debugger/list.css">';
  const top = '<header><a href="/debugger/">Executions</a></header>';
  return `<!doctype html><html lang="en"><head>${head(title)}${style}</head><body>${top}<main>${body}</main>${scripts}</body></html>`;
}

function head(title: string): string {
  return [
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${escape(title)} · Stepglass</title>`,
    '<link rel="icon" href="data:,">',
  ].join("");
}
