// Formats coverage as one HTML file: the graphs in colours, what was never used, and the definition line by line. It has no scripts
// and no external resources, and every name of a definition is escaped.

import type { StateStatus } from "../../core/api/index.d.ts";
import type { CoverageSum, CoverageTotals, CoveredPlace } from "../../core/api/testing.d.ts";
import type { MachineDefinition } from "../../core/definition/fields.ts";
import { renderSvg } from "../../core/definition/definition.ts";
import { withServiceSigns } from "../../core/integrations/signs.ts";
import { type MeasuredDefinition, WORDS } from "./measure.ts";
import { described, percent, share, unused } from "./share.ts";

const KINDS = Object.values(WORDS);

/** A definition of the document, with its JSON and the text to which its places refer. */
type ShownDefinition = MeasuredDefinition & { definition: string; text: string };

/** The coverage in the document. */
interface ShownReport {
  machines: readonly ShownDefinition[];
  totals: CoverageTotals;
  percent: number;
}

/** Returns the document. */
export function html(report: ShownReport, { title = "Coverage of state machines" }: { title?: string } = {}): string {
  const { machines, totals } = report;
  const runs = machines.reduce((sum, { executions }) => sum + executions, 0);
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
${machines.length > 1 ? index(machines) : ""}
${machines.map((machine, i) => section(machine, i, machines.length > 1)).join("\n")}
</main>
</body>
</html>
`;
}

function index(machines: readonly ShownDefinition[]): string {
  const kinds = KINDS.map((word) => `<th scope="col">${word}</th>`).join("");
  const head = `<thead><tr><th scope="col">Definition</th>${kinds}<th scope="col">covered</th><th scope="col">runs</th></tr></thead>`;
  return `<div class="scroll" role="region" tabindex="0" aria-label="All definitions"><table class="index">${head}<tbody>${machines.map(row).join("")}</tbody></table></div>`;
}

function summary(totals: CoverageTotals): string {
  const sums: [string, CoverageSum][] = [...KINDS.map((word): [string, CoverageSum] => [word, totals[word]]), ["in all", totals.all]];
  const cells = sums.filter(([, { total }]) => total > 0);
  return `<dl class="sums">${cells.map(([word, sum]) => `<div class="${grade(sum)}"><dt>${word}</dt><dd>${share(percent(sum))} %<small>${sum.covered} of ${sum.total}</small></dd></div>`).join("")}</dl>`;
}

function row({ title, totals, executions }: ShownDefinition, i: number): string {
  const cells = KINDS.map((word) => `<td>${totals[word].total === 0 ? "–" : `${totals[word].covered}/${totals[word].total}`}</td>`).join(
    "",
  );
  return `<tr class="${grade(totals.all)}"><th scope="row"><a href="#d${i}">${escaped(title)}</a></th>${cells}<td>${share(percent(totals.all))} %</td><td>${executions}</td></tr>`;
}

function section(machine: ShownDefinition, i: number, own: boolean): string {
  const { title, totals, places, text, executions } = machine;
  const never = unused(places);
  const list =
    never.length === 0
      ? '<p class="full">✓ Everything was used.</p>'
      : `<h3>Never used</h3><ul class="never">${never.map((place) => `<li><a href="#d${i}l${place.line}">line ${place.line}</a> ${escaped(described(place))}</li>`).join("")}</ul>`;
  return `<section id="d${i}" aria-labelledby="d${i}h">
<h2 id="d${i}h">${escaped(title)}</h2>
${own ? `${summary(totals)}<p>${executions} ${executions === 1 ? "execution" : "executions"}.</p>` : ""}
<div class="columns"><div class="graph" role="region" tabindex="0" aria-label="Graph of ${escaped(title)}">${graph(machine, i)}</div><div class="side">${list}</div></div>
<details><summary>The definition, line by line</summary><div class="source" role="region" tabindex="0" aria-label="Text of ${escaped(title)}"><table><tbody>${source(text, places, i)}</tbody></table></div></details>
</section>`;
}

/** Returns the graph: states are green, amber or red, and edges that no execution took are faint. */
function graph({ definition, places, title }: ShownDefinition, i: number): string {
  const status: Record<string, StateStatus> = {};
  const notes: Record<string, string> = {};
  for (const { pointer, count, state } of statesIn(places)) {
    const parts = places.filter((place) => place.state === state);
    status[pointer] = count === 0 ? "failed" : parts.every((place) => place.count > 0) ? "succeeded" : "caught";
    notes[pointer] = count === 0 ? "never" : `${count}×`;
  }
  const words = { succeeded: "covered", "failed, caught": "partly covered", failed: "not covered" };
  const drawn = renderSvg(definition, {
    status,
    notes,
    taken: takenEdges(definition, places),
    title: `Coverage of ${title}`,
    prefix: `g${i}`,
    background: false,
  });
  return withServiceSigns(drawn).replaceAll(
    /, (succeeded|failed, caught|failed), (\d+×|never)/g,
    (_: string, word: keyof typeof words, note: string) => `, ${words[word]}, ${note}`,
  );
}

function statesIn(places: readonly CoveredPlace[]): CoveredPlace[] {
  return places.filter(({ kind }) => kind === "state");
}

/** Returns how often each edge of the graph was taken, by the place that leads along it. */
function takenEdges(definition: string, places: readonly CoveredPlace[]): Record<string, number> {
  const taken: Record<string, number> = {};
  const { StartAt }: MachineDefinition = JSON.parse(definition);
  const used = places.filter(({ count }) => count > 0);
  if (statesIn(used).some(({ state }) => state === StartAt)) taken["/StartAt"] = 1;
  for (const { kind, pointer, count } of used) {
    if (kind !== "state") {
      taken[pointer] = count;
      continue;
    }
    // A Succeed ends by its type.
    taken[`${pointer}/Type`] = count;
    // A state inside of another one is reached from the start of its branch or processor.
    const scope = pointer.slice(0, pointer.lastIndexOf("/States/"));
    if (scope !== "") taken[`${scope}/StartAt`] = 1;
  }
  return taken;
}

function source(text: string, places: readonly CoveredPlace[], i: number): string {
  const lines = new Map<number, CoveredPlace[]>();
  for (const place of places) lines.set(place.line, [...(lines.get(place.line) ?? []), place]);
  return text
    .replace(/\n$/, "")
    .split("\n")
    .map((line, at) => {
      const here = lines.get(at + 1) ?? [];
      const counts = here.map(({ count }) => count);
      const kind =
        here.length === 0 ? "" : counts.every((count) => count > 0) ? "full" : counts.some((count) => count > 0) ? "part" : "none";
      const sign = { full: "✓", part: "◐", none: "✗", "": "" }[kind];
      const count = here.length === 0 ? "" : `${Math.max(...counts)}×`;
      return `<tr id="d${i}l${at + 1}" class="${kind}"${here.length > 0 ? ` title="${escaped(here.map((place) => `${described(place)}: ${place.count}×`).join("\n"))}"` : ""}><td class="n">${at + 1}</td><td class="c">${sign} ${count}</td><td><code>${escaped(line)}</code></td></tr>`;
    })
    .join("");
}

function grade(sum: CoverageSum): string {
  const part = percent(sum);
  return part === 100 ? "full" : part >= 50 ? "part" : "none";
}

/** Escapes text for elements and attributes. Characters that HTML cannot contain become U+FFFD. */
function escaped(text: string): string {
  const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
  return String(text)
    .replaceAll(/[&<>"']/g, (character) => entities[character] ?? character)
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
