// Links: the whole workspace in the address of the page.

import { decode, encode } from "../model/linkText.ts";
import type { Workspace } from "../model/share.ts";
import * as opening from "../store/opening.ts";
import * as playback from "../store/playback.ts";
import * as panes from "../store/panes.ts";
import * as selection from "../store/selection.ts";
import { showAlarm, showToast } from "../store/notifications.ts";
import * as workspace from "../store/workspace.ts";

/** The parts of the workspace that a link includes besides the definition. */
export type LinkParts = Record<"input" | "tasks" | "mocks" | "breakpoints" | "position", boolean>;

/** Returns the address of this page with the workspace in its hash, with the given parts. */
export async function shareLink(parts: LinkParts): Promise<string> {
  workspace.flush();
  // A link includes only the selected input, while a session file includes all.
  const { inputs: _, breakpoints = [], mocks = {}, machines: started = [], ...now } = workspace.current();
  const state = selection.selectedState.value;
  const hash = await encode({
    ...now,
    input: parts.input ? now.input : "",
    tasks: parts.tasks ? now.tasks : "",
    mocks: parts.mocks ? mocks : {},
    machines: parts.mocks ? started : [],
    breakpoints: parts.breakpoints ? breakpoints : [],
    ...(parts.position && state !== null
      ? {
          selected: state,
          iterations: Object.fromEntries([...playback.choices.value].filter((one): one is [string, number] => typeof one[1] === "number")),
        }
      : {}),
  });
  return new URL(hash, location.href.replace(/#.*$/s, "")).href;
}

/** Copies a link with all parts to the clipboard. */
export async function copyShareLink(): Promise<void> {
  const link = await shareLink({ input: true, tasks: true, mocks: true, breakpoints: true, position: false });
  try {
    await navigator.clipboard.writeText(link);
    showToast("Link copied.");
  } catch {
    panes.openDialog("share");
  }
}

/** Returns the contents of a workspace from elsewhere, in words. */
export function contentsOf({
  input: given,
  tasks: code,
  mocks = {},
  machines: started = [],
  breakpoints = [],
  selected,
  runs,
  config: settings,
}: Workspace): string {
  const many = (list: { length: number }, what: string): string =>
    list.length > 0 ? `${list.length} ${what}${list.length === 1 ? "" : "s"}` : "";
  const parts = [
    "definition",
    given.trim() !== "" && "input",
    many(Object.keys(mocks), "mock"),
    many(started, "machine"),
    many(breakpoints, "breakpoint"),
    many(Array.isArray(runs?.runs) ? runs.runs : [], "run"),
    selected !== undefined && "position",
    settings && "settings",
    (code.trim() !== "" || workspace.hasCode(mocks)) && "code (disabled until you enable it)",
  ];
  return parts.filter(Boolean).join(", ");
}

/** Opens the workspace of the address. Returns false, after a message, if the address has none. */
export async function openLink(): Promise<boolean> {
  try {
    const shared = await decode(location.hash);
    opening.open(shared, false, { brought: true });
    history.replaceState(null, "", location.pathname + location.search);
    showToast(`Opened “${shared.title}” from the link. In it: ${contentsOf(shared)}.`);
    return true;
  } catch (error) {
    showAlarm((error as Error).message);
    return false;
  }
}
