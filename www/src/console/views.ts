// Saved views: filters with a name, which the browser keeps.

import { EVERYTHING, type View, searchOf, viewOf } from "./query.ts";

const KEY = "stepglass.console.views";

export interface SavedView {
  name: string;
  view: View;
}

/** The views that every console has. */
export const BUILT_IN: readonly SavedView[] = [
  { name: "All executions", view: EVERYTHING },
  { name: "Running", view: { ...EVERYTHING, statuses: ["RUNNING"] } },
  { name: "Failed", view: { ...EVERYTHING, statuses: ["FAILED", "TIMED_OUT"] } },
  { name: "Failed in the last 24 hours", view: { ...EVERYTHING, statuses: ["FAILED", "TIMED_OUT"], period: "24h" } },
];

/** Reads saved views. What is not valid is left out. */
export function readViews(storage: Pick<Storage, "getItem">): SavedView[] {
  let stored: unknown;
  try {
    stored = JSON.parse(storage.getItem(KEY) ?? "[]");
  } catch {
    return [];
  }
  if (!Array.isArray(stored)) return [];
  return stored.flatMap((one: unknown) => {
    const { name, search } = (one ?? {}) as { name?: unknown; search?: unknown };
    return typeof name === "string" && typeof search === "string" ? [{ name, view: viewOf(search) }] : [];
  });
}

/** Saves views. Returns false if the browser does not keep them. */
export function writeViews(storage: Pick<Storage, "setItem">, views: readonly SavedView[]): boolean {
  try {
    storage.setItem(KEY, JSON.stringify(views.map(({ name, view }) => ({ name, search: searchOf(view) }))));
    return true;
  } catch {
    return false;
  }
}

/** Returns the views with another one, which replaces one of the same name. */
export function withView(views: readonly SavedView[], added: SavedView): SavedView[] {
  return [...views.filter(({ name }) => name !== added.name), added].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Returns the name of the view with these filters, if there is one. */
export function nameOf(views: readonly SavedView[], view: View): string | undefined {
  return views.find((one) => searchOf(one.view) === searchOf(view))?.name;
}
