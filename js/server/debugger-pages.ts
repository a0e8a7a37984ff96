// @ts-nocheck: has no types yet.
// The server's own pages: the list of executions, and one execution. They work where the debugger is not in the package.

const EVENTS = 1000;

const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const escape = (text) => String(text).replace(/[&<>"']/g, (character) => ENTITIES[character]);

/** The list of executions. */
export function listPage({ executions, before }) {
  const rows = executions.map(row).join("");
  const body = executions.length === 0
    ? '<p class="empty">No executions yet. Start one with any client of the AWS API; it appears here by itself.</p>'
    : `<table><thead><tr><th scope="col">Status</th><th scope="col">Execution</th><th scope="col">State machine</th><th scope="col">Started</th><th scope="col">Took</th></tr></thead><tbody>${rows}</tbody></table>`;
  const older = before === undefined ? "" : `<p><a href="?before=${escape(before)}">Older ones</a></p>`;
  return document("Executions", `<h1>Executions</h1><div id="list" data-live>${body}${older}</div>`, '<script type="module" src="/debugger/list.js"></script>');
}

function row({ executionArn, name, stateMachineName, type, status, startDate, stopDate }) {
  const own = `/debugger/executions/${encodeURIComponent(executionArn)}`;
  const took = stopDate === undefined ? "" : duration(Date.parse(stopDate) - Date.parse(startDate));
  return `<tr><td>${badge(status)}</td><td><a href="${escape(own)}">${escape(name)}</a></td><td>${escape(stateMachineName)}${type === "EXPRESS" ? ' <small>Express</small>' : ""}</td><td>${time(startDate)}</td><td>${took}</td></tr>`;
}

/**
 * One execution: the debugger attached to it, input and output, the history, the definition. Without the debugger's files
 * there is a drawing. `page` says whether the playground is there, too.
 */
export function executionPage(execution, { page, component }) {
  const { executionArn, name, stateMachineName, status, startDate, stopDate, input, output, error, cause, events, definition, live } = execution;
  const address = `/debugger/api/executions/${encodeURIComponent(executionArn)}`;
  const facts = [
    ["Status", badge(status)],
    ["State machine", escape(stateMachineName)],
    ["ARN", `<code>${escape(executionArn)}</code>`],
    ["Started", time(startDate)],
    ...(stopDate === undefined ? [] : [["Took", duration(Date.parse(stopDate) - Date.parse(startDate))]]),
    ...(error === undefined ? [] : [["Error", escape(error)]]),
    ...(cause === undefined ? [] : [["Cause", escape(cause)]]),
  ];
  const shown = events.slice(0, EVENTS);
  const rest = events.length > shown.length ? `<p>The first ${EVENTS} of ${events.length} events; <a href="${escape(`${address}/history`)}">all of them as JSON</a>.</p>` : "";
  const rows = shown
    .map((event) => `<tr><td>${event.id}</td><td>${event.previousEventId}</td><td>${escape(event.type)}</td><td>${escape(stateOf(event))}</td><td>${time(event.timestamp)}</td><td>${details(event)}</td></tr>`)
    .join("");
  const open = page ? `<a class="button" href="/debugger/page/#import=${encodeURIComponent(address)}">Open in the playground</a>` : "";
  const drawing = `<img class="graph" src="${escape(`${address}/graph.svg`)}" alt="The graph of ${escape(stateMachineName)} with the status of each state">`;
  const graph = component ? `<stepglass-debugger readonly view="graph data events" data-address="${escape(address)}">${drawing}</stepglass-debugger>` : `<h2>Graph</h2>${drawing}`;
  const payload = (title, text) => (text === undefined ? "" : `<section><h2>${title}</h2><pre>${escape(pretty(text))}</pre></section>`);
  return document(
    name,
    `<p><a href="/debugger/">All executions</a></p><h1>${escape(name)} ${open}</h1>
<dl id="facts" data-live>${facts.map(([key, value]) => `<dt>${key}</dt><dd>${value}</dd>`).join("")}</dl>
<section>${graph}</section>
<div class="pair" id="payloads" data-live>${payload("Input", input)}${payload("Output", output)}</div>
<section id="list" data-live><h2>History</h2>${rest}<table><thead><tr><th scope="col">Id</th><th scope="col">After</th><th scope="col">Type</th><th scope="col">State</th><th scope="col">Time</th><th scope="col">Details</th></tr></thead><tbody>${rows}</tbody></table></section>
<details><summary>Definition</summary><pre>${escape(pretty(definition))}</pre></details>
<p><a href="${escape(address)}">Everything as JSON</a> · <a href="${escape(`${address}/history`)}">History as GetExecutionHistory returns it</a></p>`,
    `${live === undefined ? "" : '<script type="module" src="/debugger/list.js"></script>'}${component ? '<script type="module" src="/debugger/execution.js"></script>' : ""}`,
  );
}

function stateOf({ stateEnteredEventDetails, stateExitedEventDetails, mapIterationStartedEventDetails }) {
  return stateEnteredEventDetails?.name ?? stateExitedEventDetails?.name ?? mapIterationStartedEventDetails?.name ?? "";
}

function details(event) {
  const [, about] = Object.entries(event).find(([key]) => key.endsWith("EventDetails")) ?? [];
  const said = about && Object.fromEntries(Object.entries(about).filter(([key]) => !/Details$|^name$/.test(key)));
  if (said === undefined || Object.keys(said).length === 0) return "";
  return `<details><summary>${escape(Object.keys(said).join(", "))}</summary><pre>${escape(JSON.stringify(said, null, 2))}</pre></details>`;
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function badge(status) {
  return `<span class="status ${escape(status.toLowerCase())}">${escape(status)}</span>`;
}

function time(text) {
  return `<time datetime="${escape(text)}">${escape(text.replace("T", " ").replace(/Z$/, ""))}</time>`;
}

function duration(ms) {
  return ms < 1000 ? `${ms} ms` : ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

function document(title, body, tail) {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escape(title)} · Stepglass</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/debugger/list.css"></head><body><main>${body}</main>${tail}</body></html>`;
}

/** Attaches the debugger to the execution: to its history so far, and to what comes. */
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

/** Reads the page again every few seconds, and puts what has changed in the old one's place. */
export const listScript = `const parts = [...document.querySelectorAll("[data-live]")];
async function refresh() {
  if (document.hidden) return;
  const answer = await fetch(location.href, { headers: { accept: "text/html" } });
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of parts) {
    const next = fresh.getElementById(part.id);
    // What somebody reads or stands on stays.
    if (next === null || next.isEqualNode(part) || part.querySelector("details[open]") || part.contains(document.activeElement)) continue;
    part.replaceChildren(...next.childNodes);
  }
  if (!fresh.querySelector('script[src="/debugger/list.js"]')) clearInterval(timer);
}
const timer = setInterval(() => refresh().catch(() => {}), 2000);
`;

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
