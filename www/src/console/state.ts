// The state of the console: the filters, which are in the page's address, and what the server has answered.

import { computed, signal } from "@preact/signals";
import { type About, type Counts, type Execution, api } from "./api.ts";
import { EVERYTHING, type View, countsRequestOf, isFiltered, requestOf, searchOf, viewOf } from "./query.ts";
import { type SavedView, readViews, writeViews } from "./views.ts";

/** The number of executions that are fetched at once, and the largest number that is kept up to date. */
const PAGE = 100;
const MOST_LIVE = 500;
/** How often the list is brought up to date, and how long counts are good, in milliseconds. Counting reads much more of the store. */
const EVERY = 2000;
const COUNTS_EVERY = 10_000;

export const about = signal<About | undefined>(undefined);
export const view = signal<View>(viewOf(location.search));
export const executions = signal<readonly Execution[] | undefined>(undefined);
/** The cursor of the next page; undefined after the last one. */
export const next = signal<number | undefined>(undefined);
export const counts = signal<Counts | undefined>(undefined);
/** What is wrong, as a sentence. */
export const problem = signal("");
/** What was done last. */
export const message = signal("");
export const isLoadingMore = signal(false);
/** The ARNs of the selected executions, and whether all that the filters select are. */
export const selected = signal<ReadonlySet<string>>(new Set());
export const isAllSelected = signal(false);
export const saved = signal<readonly SavedView[]>(readViews(localStorage));

/** The selected executions that are in the list. */
export const selection = computed(() => (executions.value ?? []).filter(({ executionArn }) => selected.value.has(executionArn)));

/** The number of executions that the filters select, if it is known. */
export const total = computed(() => {
  const { statuses } = view.value;
  const known = counts.value?.statuses;
  if (known === undefined) return undefined;
  return Object.entries(known).reduce(
    (sum, [status, count]) => (statuses.length === 0 || statuses.some((one) => one === status) ? sum + count : sum),
    0,
  );
});

let reading = new AbortController();
let countedAt = -Infinity;

/** Reads the list, and the counts if they are old or `all` is set. What an earlier call reads is dropped. */
export async function refresh({ all = true }: { all?: boolean } = {}): Promise<void> {
  reading.abort();
  reading = new AbortController();
  const { signal: aborted } = reading;
  const parameters = requestOf(view.value, Date.now());
  parameters.set("limit", String(Math.min(Math.max(executions.value?.length ?? 0, PAGE), MOST_LIVE)));
  const list = api.list(parameters, aborted).then((page) => {
    if (aborted.aborted) return;
    executions.value = page.executions;
    next.value = page.before;
    problem.value = "";
  });
  const count = async (): Promise<void> => {
    if (!all && performance.now() < countedAt + COUNTS_EVERY) return;
    const found = await api.counts(countsRequestOf(view.value), aborted);
    if (aborted.aborted) return;
    counts.value = found;
    countedAt = performance.now();
  };
  try {
    await Promise.all([list, count()]);
  } catch (error) {
    if (!aborted.aborted) problem.value = (error as Error).message;
  }
}

/** Reads the next page of the list. */
export async function readMore(): Promise<void> {
  const before = next.value;
  if (before === undefined || isLoadingMore.value) return;
  const asked = view.value;
  isLoadingMore.value = true;
  try {
    const parameters = requestOf(asked, Date.now());
    parameters.set("limit", String(PAGE));
    parameters.set("before", String(before));
    const page = await api.list(parameters);
    if (view.value !== asked) return;
    // A refresh may have come in between, so what is already in the list is left out.
    const known = new Set((executions.value ?? []).map(({ executionArn }) => executionArn));
    executions.value = [...(executions.value ?? []), ...page.executions.filter(({ executionArn }) => !known.has(executionArn))];
    next.value = page.before;
  } catch (error) {
    problem.value = (error as Error).message;
  } finally {
    isLoadingMore.value = false;
  }
}

/** Shows other filters, and puts them into the page's address. */
export function show(change: Partial<View>): void {
  const changed = { ...view.value, ...change };
  if (searchOf(changed) === searchOf(view.value)) return;
  history.pushState(null, "", `${location.pathname}${searchOf(changed)}`);
  take(changed);
}

export function showEverything(): void {
  show(EVERYTHING);
}

function take(changed: View): void {
  view.value = changed;
  executions.value = undefined;
  next.value = undefined;
  deselect();
  message.value = "";
  void refresh();
}

export function deselect(): void {
  selected.value = new Set();
  isAllSelected.value = false;
}

/** Selects an execution, or deselects it. */
export function toggle(arn: string): void {
  const changed = new Set(selected.value);
  if (!changed.delete(arn)) changed.add(arn);
  selected.value = changed;
  isAllSelected.value = false;
}

/** Selects all executions of the list, or none if all are selected. */
export function toggleAll(): void {
  const all = (executions.value ?? []).map(({ executionArn }) => executionArn);
  if (all.length > 0 && selection.value.length === all.length) deselect();
  else selected.value = new Set(all);
}

/** Changes the saved views. */
export function save(views: readonly SavedView[]): void {
  saved.value = views;
  if (!writeViews(localStorage, views)) problem.value = "The browser does not keep saved views: its storage is full or switched off.";
}

/** Starts to show what the server has, and keeps it up to date. */
export async function begin(): Promise<void> {
  addEventListener("popstate", () => take(viewOf(location.search)));
  setInterval(() => {
    // A list that is longer than what is fetched at once would lose its end.
    if (!document.hidden && !isLoadingMore.value && (executions.value?.length ?? 0) <= MOST_LIVE) void refresh({ all: false });
  }, EVERY);
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) void refresh();
  });
  void refresh();
  try {
    about.value = await api.about();
  } catch (error) {
    problem.value = (error as Error).message;
  }
}

export { isFiltered };
