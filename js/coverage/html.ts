// @ts-nocheck: has no types yet.
// Coverage as one HTML file: the graphs in colours, what was never used, the definition line by line. No scripts, nothing
// from elsewhere; every name of a definition is text.

import { renderSvg } from "../entries/node.ts";
import { described, percent, share, unused } from "./share.ts";

const KINDS = [["states", "state"], ["transitions", "transition"], ["rules", "rule"], ["retries", "retry"], ["catches", "catch"]];

/** The document. */
export function html(report, { title = "Coverage of state machines" } = {}) {
  const { machines, totals } = report;
  const runs = machines.reduce((sum, { executions }) => sum + executions, 0);
  const index = machines.length > 1 ? `<div class="scroll" role="region" tabindex="0" aria-label="All definitions"><table class="index"><thead><tr><th scope="col">Definition</th>${KINDS.map(([word]) => `<th scope="col">${word}</th>`).join("")}<th scope="col">covered</th><th scope="col">runs</th></tr></thead><tbody>${machines.map(row).join("")}</tbody></table></div>` : "";
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escaped(title)}: ${share(report.percent)} %</title>
<style>${STYLE}</style>
</head>
<body>
<header><h1>${escaped(title)}</h1>${summary(totals)}<p>${runs} ${runs === 1 ? "execution" : "executions"} of ${machines.length} ${machines.length === 1 ? "definition" : "definitions"}.
<span class="key"><span class="full">✓ covered</span> <span class="part">◐ partly: a rule, retrier or catcher was never used</span> <span class="none">✗ never entered</span></span></p></header>
<main>
${index}
${machines.map((machine, i) => section(machine, i, machines.length > 1)).join("\n")}
</main>
</body>
</html>
`;
}

function summary(totals) {
  const cells = [...KINDS.map(([word]) => [word, totals[word]]), ["in all", totals.all]].filter(([, { total }]) => total > 0);
  return `<dl class="sums">${cells.map(([word, sum]) => `<div class="${grade(sum)}"><dt>${word}</dt><dd>${share(percent(sum))} %<small>${sum.covered} of ${sum.total}</small></dd></div>`).join("")}</dl>`;
}

function row({ title, totals, executions }, i) {
  const cells = KINDS.map(([word]) => `<td>${totals[word].total === 0 ? "–" : `${totals[word].covered}/${totals[word].total}`}</td>`).join("");
  return `<tr class="${grade(totals.all)}"><th scope="row"><a href="#d${i}">${escaped(title)}</a></th>${cells}<td>${share(percent(totals.all))} %</td><td>${executions}</td></tr>`;
}

function section(machine, i, own) {
  const { title, totals, places, text, executions } = machine;
  const never = unused(places);
  const list = never.length === 0 ? "<p class=\"full\">✓ Everything was used.</p>" : `<h3>Never used</h3><ul class="never">${never.map((place) => `<li><a href="#d${i}l${place.line}">line ${place.line}</a> ${escaped(described(place))}</li>`).join("")}</ul>`;
  return `<section id="d${i}" aria-labelledby="d${i}h">
<h2 id="d${i}h">${escaped(title)}</h2>
${own ? `${summary(totals)}<p>${executions} ${executions === 1 ? "execution" : "executions"}.</p>` : ""}
<div class="columns"><div class="graph" role="region" tabindex="0" aria-label="Graph of ${escaped(title)}">${graph(machine, i)}</div><div class="side">${list}</div></div>
<details><summary>The definition, line by line</summary><div class="source" role="region" tabindex="0" aria-label="Text of ${escaped(title)}"><table><tbody>${source(text, places, i)}</tbody></table></div></details>
</section>`;
}

/** The graph: states green, amber, red; what leads nowhere ran is faint. */
function graph({ definition, places, title }, i) {
  const status = {};
  const notes = {};
  const taken = {};
  const start = JSON.parse(definition);
  if (places.some(({ kind, count, state }) => kind === "state" && state === start.StartAt && count > 0)) taken["/StartAt"] = 1;
  for (const { kind, pointer, count, state } of places) {
    if (kind !== "state") {
      if (count > 0) taken[pointer] = count;
      continue;
    }
    const parts = places.filter((place) => place.state === state);
    status[pointer] = count === 0 ? "failed" : parts.every((place) => place.count > 0) ? "succeeded" : "caught";
    notes[pointer] = count === 0 ? "never" : `${count}×`;
    const scopes = places.filter((place) => place.kind === "state" && place.pointer.startsWith(`${pointer}/`));
    for (const inner of scopes) {
      const scope = inner.pointer.slice(0, inner.pointer.lastIndexOf("/States/"));
      if (inner.count > 0) taken[`${scope}/StartAt`] = 1;
    }
  }
  // A Succeed ends by its type.
  for (const { pointer, kind, count } of places) if (kind === "state" && count > 0) taken[`${pointer}/Type`] = count;
  const words = { succeeded: "covered", "failed, caught": "partly covered", failed: "not covered" };
  const svg = renderSvg(definition, { status, notes, taken, title: `Coverage of ${title}`, prefix: `g${i}`, background: false });
  return svg.replaceAll(/, (succeeded|failed, caught|failed), (\d+×|never)/g, (_, word, note) => `, ${words[word]}, ${note}`);
}

function source(text, places, i) {
  const lines = new Map();
  for (const place of places) lines.set(place.line, [...(lines.get(place.line) ?? []), place]);
  return text
    .replace(/\n$/, "")
    .split("\n")
    .map((line, at) => {
      const here = lines.get(at + 1) ?? [];
      const counts = here.map(({ count }) => count);
      const kind = here.length === 0 ? "" : counts.every((count) => count > 0) ? "full" : counts.some((count) => count > 0) ? "part" : "none";
      const sign = { full: "✓", part: "◐", none: "✗" }[kind] ?? "";
      const count = here.length === 0 ? "" : `${Math.max(...counts)}×`;
      return `<tr id="d${i}l${at + 1}" class="${kind}"${here.length > 0 ? ` title="${escaped(here.map((place) => `${described(place)}: ${place.count}×`).join("\n"))}"` : ""}><td class="n">${at + 1}</td><td class="c">${sign} ${count}</td><td><code>${escaped(line)}</code></td></tr>`;
    })
    .join("");
}

function grade(sum) {
  const part = percent(sum);
  return part === 100 ? "full" : part >= 50 ? "part" : "none";
}

/** Text for elements and attributes; what HTML cannot hold becomes U+FFFD. */
function escaped(text) {
  const entities = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
  return String(text)
    .replaceAll(/[&<>"']/g, (character) => entities[character])
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g, "\ufffd");
}

const STYLE = `
:root{--bg:#fff;--fg:#16191f;--dim:#56606b;--line:#d5dae0;--full:#1a7f37;--full-bg:#e6f6ea;--part:#8a5300;--part-bg:#fff3dd;--none:#c4161c;--none-bg:#fdeaea}
@media (prefers-color-scheme:dark){:root{--bg:#0f1419;--fg:#eef2f6;--dim:#a9b4c0;--line:#36404b;--full:#5fd17a;--full-bg:#10291a;--part:#f0b24a;--part-bg:#2e2310;--none:#ff8585;--none-bg:#331517}}
*{box-sizing:border-box}body{margin:0 auto;max-width:1400px;padding:1.5rem;background:var(--bg);color:var(--fg);font:15px/1.5 ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,Helvetica,Arial,sans-serif}
h1{font-size:1.5rem;margin:0 0 .75rem}h2{font-size:1.2rem;margin:2.5rem 0 .75rem;padding-top:1rem;border-top:1px solid var(--line);overflow-wrap:anywhere}h3{font-size:1rem;margin:0 0 .5rem}
a{color:inherit}.sums{display:flex;flex-wrap:wrap;gap:.6rem;margin:0}.sums div{border:1px solid;border-left-width:4px;border-radius:6px;padding:.35rem .8rem;min-width:7rem}
.sums dt{font-size:.8rem;color:var(--dim)}.sums dd{margin:0;font-weight:600;font-size:1.1rem}.sums small{display:block;font-weight:400;font-size:.8rem;color:var(--dim)}
.full{color:var(--full)}.part{color:var(--part)}.none{color:var(--none)}p{color:var(--dim)}.key span{margin-left:1em}.key .full,p.full{color:var(--full)}.key .part{color:var(--part)}.key .none{color:var(--none)}
.scroll{overflow-x:auto}table{border-collapse:collapse}.index{margin-top:1rem}.index th,.index td{padding:.3rem .8rem;text-align:right;border-bottom:1px solid var(--line);color:var(--fg);font-weight:400}.index th:first-child{text-align:left;font-weight:600}.index thead th{color:var(--dim)}
.columns{display:flex;flex-wrap:wrap;gap:1.5rem;align-items:flex-start}.graph{flex:4 1 44rem;min-width:0;max-height:90vh;overflow:auto;border:1px solid var(--line);border-radius:8px;padding:.5rem}.graph svg{display:block;margin:auto}
.side{flex:1 1 18rem}.never{margin:0;padding-left:1.2rem;color:var(--none)}.never li{overflow-wrap:anywhere}.never a{color:var(--dim);font-size:.85em}
details{margin-top:1rem}summary{cursor:pointer}.source{overflow-x:auto;margin-top:.5rem;border:1px solid var(--line);border-radius:8px}.source table{width:100%}.source td{padding:0 .6rem;vertical-align:top}.source .n,.source .c{width:1%;text-align:right;color:var(--dim);user-select:none;white-space:nowrap}
.source code{font:13px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre;color:var(--fg)}.source .full{background:var(--full-bg)}.source .part{background:var(--part-bg)}.source .none{background:var(--none-bg)}
.source .full .c{color:var(--full)}.source .part .c{color:var(--part)}.source .none .c{color:var(--none)}.source tr:target td{outline:2px solid var(--part);outline-offset:-2px}
`.replaceAll("\n", "");
