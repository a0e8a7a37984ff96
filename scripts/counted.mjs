// Reads and updates the table of random cases in docs/reliability.md: which seeds were counted, and how many cases they make.

const ROW = /^\| (\d{4}-\d\d-\d\d) \| ([^|]+) \| ([\d,]+) \| ([\d,]+) to ([\d,]+) \| ([^|]+) \|$/gm;
const TOTAL = /^\| \| \*\*total\*\* \| \*\*[\d,]+\*\* \| \| \|$/m;

const number = (text) => Number(text.replaceAll(",", ""));
const shown = (count) => count.toLocaleString("en");

/** Returns the runs of the table: `{date, commit, cases, first, last}`. */
export function countedRuns(text) {
  return [...text.matchAll(ROW)].map(([, date, commit, cases, first, last]) => ({
    date,
    commit,
    cases: number(cases),
    first: number(first),
    last: number(last),
  }));
}

/** Returns the greatest seed that was counted. */
export function lastSeed(text) {
  const runs = countedRuns(text);
  if (runs.length === 0) throw new Error("docs/reliability.md has no table of runs");
  return Math.max(...runs.map(({ last }) => last));
}

/** Returns the text with one more run without failures, and the new total. Throws for a seed that was counted before. */
export function addRun(text, { date, commit, cases, first, last }) {
  const runs = countedRuns(text);
  if (runs.some((run) => first <= run.last && run.first <= last)) throw new Error(`seeds ${first} to ${last} were counted before`);
  if (!TOTAL.test(text)) throw new Error("docs/reliability.md has no total of runs");
  const row = `| ${date} | ${commit} | ${shown(cases)} | ${shown(first)} to ${shown(last)} | none |`;
  const total = runs.reduce((sum, run) => sum + run.cases, cases);
  return text.replace(TOTAL, () => `${row}\n| | **total** | **${shown(total)}** | | |`);
}
