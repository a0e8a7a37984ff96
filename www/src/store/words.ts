// What the page tells besides what stands in its panes: to the eye and to the ear.

import { signal } from "@preact/signals";
import { failing } from "../ui/lazy.tsx";
import { run } from "./execution.ts";

export const announcement = signal("");
/// Words about a failure that those who do not see the page hear at once; on screen it stands where it is at home.
export const failure = signal("");
export const alarm = signal("");
export const toast = signal("");

let saidAt = -Infinity;
let sayTimer: ReturnType<typeof setTimeout> | undefined;
let toastTimer: ReturnType<typeof setTimeout> | undefined;

/// Polite words for people who do not see the page.
export function say(text: string): void {
  clearTimeout(sayTimer);
  // While a run goes on, at most one message a second: the last one.
  const wait = run.peek()?.phase === "running" ? saidAt + 1000 - performance.now() : 0;
  if (wait > 0) sayTimer = setTimeout(() => announce(text), wait);
  else announce(text);
}

function announce(text: string): void {
  saidAt = performance.now();
  announcement.value = announcement.value === text ? `${text}\u200b` : text;
}

/// Words that cannot wait, also on screen.
export function shout(text: string): void {
  alarm.value = text;
}

failing.tell = shout;

export function silence(): void {
  alarm.value = "";
}

/// Words about a failure that stands on screen elsewhere; none when it is over.
export function tellFailure(text: string): void {
  failure.value = text;
}

export function showToast(text: string): void {
  toast.value = text;
  say(text);
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => (toast.value = ""), 4000);
}

/// Words that stay until somebody has read them, with what can be done about it. One of each kind at a time.
export interface Notice {
  kind: "another" | "foreign" | "first" | "formatted" | "tabs" | "storage" | "executions" | "reload" | "file" | "project";
  text: string;
  warn?: boolean;
  /// Called when somebody dismisses it, and not when it is done or no longer true.
  dismissed?(): void;
  actions?: { label: string; run(): void }[];
}

export const notices = signal<readonly Notice[]>([]);

export function notify(notice: Notice): void {
  notices.value = [...notices.value.filter(({ kind }) => kind !== notice.kind), notice];
  say(notice.text);
}

export function dismiss(kind: Notice["kind"]): void {
  if (notices.value.some((one) => one.kind === kind)) notices.value = notices.value.filter((one) => one.kind !== kind);
}

/// Removes the messages about a machine that is no longer on the page.
export function dismissAllButStorage(): void {
  notices.value = notices.value.filter(({ kind }) => kind === "storage");
}
