// Notifications besides the contents of the panes, on the screen and for screen readers.

import { signal } from "@preact/signals";
import { failureReporter } from "../ui/lazy.tsx";
import { run } from "./execution.ts";

export const announcement = signal("");
/** A message about a failure that screen readers announce at once. On the screen, the failure is shown in its own place. */
export const failure = signal("");
export const alarm = signal("");
export const toast = signal("");

let saidAt = -Infinity;
let sayTimer: ReturnType<typeof setTimeout> | undefined;
let toastTimer: ReturnType<typeof setTimeout> | undefined;

/** Announces a text politely to screen readers. */
export function say(text: string): void {
  clearTimeout(sayTimer);
  // During a run there is at most one announcement a second, with the latest text.
  const wait = run.peek()?.phase === "running" ? saidAt + 1000 - performance.now() : 0;
  if (wait > 0) sayTimer = setTimeout(() => announce(text), wait);
  else announce(text);
}

function announce(text: string): void {
  saidAt = performance.now();
  announcement.value = announcement.value === text ? `${text}\u200b` : text;
}

/** Shows and announces a text at once. */
export function showAlarm(text: string): void {
  alarm.value = text;
}

failureReporter.tell = showAlarm;

export function silence(): void {
  alarm.value = "";
}

/** Announces a failure that is shown elsewhere on the screen. An empty text means that it is over. */
export function announceFailure(text: string): void {
  failure.value = text;
}

export function showToast(text: string): void {
  toast.value = text;
  say(text);
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => (toast.value = ""), 4000);
}

/** A message that stays until the user has dismissed it, with possible actions. There is at most one of each kind. */
export interface Notice {
  kind: "another" | "foreign" | "first" | "formatted" | "tabs" | "storage" | "executions" | "reload" | "file" | "project";
  text: string;
  warn?: boolean;
  /** Called when the user dismisses it, but not when it is removed for another reason. */
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

/** Removes the messages about a machine that is no longer on the page. */
export function dismissAllButStorage(): void {
  notices.value = notices.value.filter(({ kind }) => kind === "storage");
}
