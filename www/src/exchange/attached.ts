// An execution of `stepglass serve`, opened by its address: its document, and its events as they happen. Nothing runs on the
// page.

import * as execution from "../store/execution.ts";
import * as recordings from "../store/recordings.ts";
import { showAlarm } from "../store/notifications.ts";
import type { Recorded } from "../model/recorded.ts";
import { eventOf, readRecorded } from "../model/recorded.ts";

let source: EventSource | undefined;

/** Returns the address that a hash asks to import, if there is one. */
export function importOf(hash: string): string | undefined {
  const match = /^#import=(.+)$/s.exec(hash);
  if (!match) return undefined;
  try {
    return decodeURIComponent(match[1]!);
  } catch {
    return "";
  }
}

/** Opens the execution at an address of this origin, or reports why it cannot. */
export async function attach(address: string): Promise<void> {
  source?.close();
  try {
    const url = sameOrigin(address);
    const response = await fetch(url, { headers: { accept: "application/json" } });
    const text = await response.text();
    if (!response.ok) throw new Error(problemOf(text) ?? `the server answers ${response.status}`);
    const recorded = readRecorded(JSON.parse(text), "Execution");
    await recordings.showRecorded(recorded);
    if (recorded.live !== undefined) follow(sameOrigin(recorded.live), recorded.events.length);
  } catch (error) {
    showAlarm(`The execution was not opened: ${(error as Error).message}`);
  }
}

function follow(url: URL, after: number): void {
  url.searchParams.set("after", String(after));
  const stream = (source = new EventSource(url));
  let last = after;
  let waiting: Recorded["events"] = [];
  let telling: ReturnType<typeof setTimeout> | undefined;
  const tell = (result?: Recorded["result"]): void => {
    clearTimeout(telling);
    telling = undefined;
    const events = waiting;
    waiting = [];
    if (events.length > 0 || result) void recordings.showMore(events, result);
  };
  // Another workspace replaces the execution.
  const gone = (): boolean => execution.run.value?.recorded === undefined;
  stream.addEventListener("history", (message) => {
    if (gone()) return stream.close();
    const event = eventOf(JSON.parse(message.data as string));
    if (event.id !== last + 1) return;
    last = event.id;
    waiting.push(event);
    telling ??= setTimeout(tell, 50);
  });
  stream.addEventListener("end", (message) => {
    stream.close();
    if (gone()) return;
    const { status, output, error, cause } = JSON.parse(message.data as string) as Record<string, string | undefined>;
    tell({
      status: status as NonNullable<Recorded["result"]>["status"],
      ...(output === undefined ? {} : { output: JSON.parse(output) }),
      ...(error === undefined ? {} : { error }),
      ...(cause === undefined ? {} : { cause }),
    });
  });
}

function sameOrigin(address: string): URL {
  const url = new URL(address, document.baseURI);
  if (url.origin !== location.origin) throw new Error(`this page opens executions of its own server only, and not of ${url.origin}.`);
  return url;
}

function problemOf(text: string): string | undefined {
  try {
    const { message } = JSON.parse(text) as { message?: string };
    return message;
  } catch {
    return undefined;
  }
}
