// The report on replayed executions as one HTML file. It has no scripts and no external resources, and everything that comes from
// executions or definitions is escaped.

import { count } from "../language/files/terminal.ts";
import { VERDICTS, VERDICT_NAMES, placeOf, type Group, type RunsReport, type Verdict } from "./replay-runs.ts";
import { xml } from "./xml.ts";

/** Returns the document. */
export function htmlOf(report: RunsReport, definition: string, allowed: ReadonlySet<Verdict>): string {
  const { executions, counts, groups } = report;
  const refused = VERDICT_NAMES.filter((name) => !allowed.has(name)).reduce((sum, name) => sum + counts[name], 0);
  const title = `Replay of ${count(executions, "execution")} against ${definition}`;
  const sums = VERDICT_NAMES.filter((name) => counts[name] > 0).map(
    (name) => `<div class="${gradeOf(name, allowed)}"><dt>${VERDICTS[name]}</dt><dd>${counts[name]}</dd></div>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${xml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<header><h1>${xml(title)}</h1>
<p>${refused === 0 ? "✓ Every result is permitted." : `✗ ${count(refused, "execution")} with a result that is not permitted.`}</p>
<dl>${sums.join("")}</dl></header>
<main>
${groups.map((group) => section(group, allowed)).join("\n")}
</main>
</body>
</html>
`;
}

function section(group: Group, allowed: ReadonlySet<Verdict>): string {
  const { verdict, example, files } = group;
  const texts = verdict === "same" ? [] : [example.message, example.reason].filter((text) => text !== undefined);
  const recorded = verdict === "same" ? "" : ` It ended as ${example.recordedStatus}, and the replay as ${example.status}.`;
  return `<section class="${gradeOf(verdict, allowed)}">
<h2>${group.count} ${VERDICTS[verdict]}${xml(placeOf(group))}</h2>
${texts.map((text) => `<p>${xml(text)}</p>`).join("")}
${verdict === "same" ? "" : `<p class="example">An example is <code>${xml(example.file)}</code>.${xml(recorded)}</p>`}
<details><summary>${count(files.length, "file")}</summary><ul>${files.map((file) => `<li><code>${xml(file)}</code></li>`).join("")}</ul></details>
</section>`;
}

/** Returns the class of a result: that of no difference, of one that `--allow` permits, or of another. */
function gradeOf(verdict: Verdict, allowed: ReadonlySet<Verdict>): string {
  return verdict === "same" ? "same" : allowed.has(verdict) ? "permitted" : "refused";
}

const STYLE = `
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 60rem; padding: 1rem; }
h1 { font-size: 1.4rem; overflow-wrap: anywhere; }
h2 { font-size: 1.05rem; margin: 0; overflow-wrap: anywhere; }
p { margin: .4rem 0; overflow-wrap: anywhere; white-space: pre-wrap; }
dl { display: flex; flex-wrap: wrap; gap: .5rem; }
dl > div, section { border: 1px solid GrayText; border-left: .4rem solid; border-radius: .3rem; padding: .5rem .8rem; }
dt { font-size: .85rem; }
dd { font-size: 1.4rem; margin: 0; }
section { margin: .8rem 0; }
.same { border-left-color: #1a7f37; }
.permitted { border-left-color: #9a6700; }
.refused { border-left-color: #cf222e; }
code { font-size: .9rem; }
`;
