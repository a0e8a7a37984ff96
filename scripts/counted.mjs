// The table of random cases in docs/reliability.md: which seeds have been counted, and how many cases that makes.

const ROW = /^\| (\d{4}-\d\d-\d\d) \| ([^|]+) \| ([\d,]+) \| ([\d,]+) to ([\d,]+) \| ([^|]+) \|$/gm;
const TOTAL = /^\| \| \*\*total\*\* \| \*\*[\d,]+\*\* \| \| \|$/m;

const number = (text) => Number(text.replaceAll(",", ""));
const shown = (count) => count.toLocaleString("en");

/** The runs of the table: `{date, commit, cases, first, last}`. */
export function countedRuns(text) {
  return [...text.matchAll(ROW)].map(([, date, commit, cases, first, last]) => ({
    date,
    commit,
    cases: number(cases),
    first: number(first),
    last: number(last),
  }));
}

/** The greatest seed that has been counted. */
export function lastSeed(text) {
  const runs = countedRuns(text);
  if (runs.length === 0) throw new Error("docs/reliability.md has no table of runs");
  return Math.max(...runs.map(({ last }) => last));
}

/** The text with one more run without failures, and the new total. A seed that was counted before is refused. */
export function addRun(text, { date, commit, cases, first, last }) {
  const runs = countedRuns(text);
  if (runs.some((run) => first <= run.last && run.first <= last)) throw new Error(`seeds ${first} to ${last} were counted before`);
  if (!TOTAL.test(text)) throw new Error("docs/reliability.md has no total of runs");
  const row = `| ${date} | ${commit} | ${shown(cases)} | ${shown(first)} to ${shown(last)} | none |`;
  const total = runs.reduce((sum, run) => sum + run.cases, cases);
  return text.replace(TOTAL, () => `${row}\n| | **total** | **${shown(total)}** | | |`);
}
