// The scripts and the style sheet of the server's own pages.

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

/** Fetches the page again every two seconds, and replaces the parts that have changed. */
export const listScript = `// A filter applies when it is chosen, a name when it is entered.
for (const form of document.querySelectorAll("[data-filters]")) {
  const apply = () => {
    const asked = new URLSearchParams([...new FormData(form)].filter(([, value]) => value !== ""));
    location.href = "/debugger/" + (asked.toString() === "" ? "" : "?" + asked);
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    apply();
  });
  for (const select of form.querySelectorAll("select")) select.addEventListener("change", apply);
}
const parts = [...document.querySelectorAll("[data-live]")];
async function refresh() {
  if (document.hidden) return;
  const answer = await fetch(location.href, { headers: { accept: "text/html" } });
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of parts) {
    const next = fresh.getElementById(part.id);
    // A part stays as it is while it has open details or the focus.
    if (next === null || next.isEqualNode(part) || part.querySelector("details[open]") || part.contains(document.activeElement)) continue;
    part.replaceChildren(...next.childNodes);
  }
  if (!fresh.querySelector('script[src="/debugger/list.js"]')) clearInterval(timer);
}
addEventListener("stepglass:changed", () => refresh().catch(() => {}));
const timer = setInterval(() => refresh().catch(() => {}), 2000);
`;

/** Sends the requests of a page's buttons and forms to the server, and shows the answers. */
export const actionScript = `const words = document.getElementById("words");
words.tabIndex = -1;
function say(text, bad) {
  words.className = bad ? "words bad" : "words";
  words.setAttribute("role", bad ? "alert" : "status");
  words.textContent = text;
}
async function post(address, body, done) {
  try {
    const answer = await fetch(address, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
    const { message } = await answer.json();
    if (!answer.ok) throw new Error(message);
  } catch (error) {
    say(error.message, true);
    return false;
  }
  // A redriven execution runs again, so it has another page with another script.
  if (address.endsWith("/redrive") && document.getElementById("facts")) return location.reload();
  say(done);
  return true;
}
function changed() {
  // The pressed button may be gone now. A part that has the focus would not be refreshed.
  words.focus();
  dispatchEvent(new Event("stepglass:changed"));
}
document.addEventListener("click", async ({ target }) => {
  const button = target.closest("button[data-action]");
  if (button === null || (button.dataset.ask && !confirm(button.dataset.ask))) return;
  button.disabled = true;
  await post(button.dataset.action, {}, button.dataset.done);
  button.disabled = false;
  changed();
});
document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.matches("form[data-post]")) return;
  event.preventDefault();
  const body = Object.fromEntries(new FormData(form));
  const json = form.querySelector("[data-json]");
  if (json !== null && json.value.trim() !== "") {
    try {
      JSON.parse(json.value);
    } catch (error) {
      say("The payload is not JSON: " + error.message, true);
      return json.focus();
    }
  }
  if (!(await post(form.dataset.post, body, form.dataset.done))) return;
  form.reset();
  const details = form.closest("details");
  if (details !== null) details.open = false;
  changed();
});
`;

/** The style sheet of both pages. */
export const style = `:root { color-scheme: light dark; font: 14px/1.5 ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; --line: light-dark(#dbe1e8, #252e39); --accent: light-dark(#0b5cad, #6cb2ff); --surface: light-dark(#ffffff, #11171e); --raised: light-dark(#f6f8fa, #171e27); --text: light-dark(#171c22, #e7ecf2); }
body { margin: 0; background: var(--surface); color: var(--text); }
header { padding: .7rem 1.2rem; border-bottom: 1px solid var(--line); background: light-dark(#f3f5f8, #0b0f14); } header a { font-weight: 600; text-decoration: none; }
main { max-width: 80rem; margin: 0 auto; padding: 1.2rem; }
h1 { margin: 0 0 .6rem; font-size: 1.3rem; overflow-wrap: anywhere; } h2 { font-size: 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .35rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
th { font-weight: 600; overflow-wrap: normal; } td:first-child { white-space: nowrap; } time { white-space: nowrap; font-variant-numeric: tabular-nums; }
a { color: var(--accent); } a.button { font-size: .9rem; font-weight: 600; margin-left: .6rem; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--raised); padding: .6rem .8rem; border-radius: 6px; margin: .4rem 0; max-height: 24rem; overflow: auto; font-size: .85rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; } dt { font-weight: 600; } dd { margin: 0; overflow-wrap: anywhere; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(18rem, 1fr)); gap: 1rem; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
form.filters { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: end; margin: .6rem 0; }
label { display: grid; gap: .15rem; font-size: .85rem; }
input, select, textarea, button { font: inherit; padding: .3rem .5rem; border: 1px solid light-dark(#b6c0cb, #3d4855); border-radius: 6px; background: var(--surface); color: var(--text); max-width: 100%; box-sizing: border-box; }
button { cursor: pointer; white-space: nowrap; } button:disabled { opacity: .6; cursor: default; } button.small { font-size: .85rem; padding: .1rem .5rem; }
#actions { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; align-items: center; margin-bottom: .8rem; } #actions:empty { display: none; } #actions details form { display: grid; gap: .5rem; margin: .5rem 0; width: min(28rem, 90vw); justify-items: start; } #actions label, #actions input, #actions textarea { width: 100%; }
summary { cursor: pointer; } .words { margin: .4rem 0; } .words:empty { display: none; } .words.bad { color: light-dark(#b3261e, #f2b8b5); }
stepglass-debugger { display: block; height: min(44rem, 90vh); }
.graph { max-width: 100%; max-height: 70vh; border: 1px solid var(--line); border-radius: 6px; }
.status { font-size: .8rem; font-weight: 600; padding: .1rem .5rem; border-radius: 1rem; border: 1px solid currentcolor; white-space: nowrap; }
.succeeded { color: light-dark(#1a7f37, #5fd17a); } .failed { color: light-dark(#c4161c, #ff8585); } .timed_out { color: light-dark(#a83200, #ff9d5c); } .aborted { color: light-dark(#57606a, #9aa4b0); } .running { color: light-dark(#0b5cad, #6cb2ff); }
.empty { padding: 2rem 0; }
@media (max-width: 40rem) { main { padding: 1rem .6rem; } th:nth-child(4), td:nth-child(4), #list th:nth-child(5), #list td:nth-child(5) { display: none; } }
`;
