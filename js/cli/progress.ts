// Shows the progress of an execution on a terminal.

import type { Execution, HistoryEvent } from "../core/api/index.d.ts";
import { count, type Output } from "../language/files/terminal.ts";
import { detailsOf, type EventDetails } from "../core/history/events.ts";

/** A stream of the process. A terminal has columns. */
type Terminal = Output & { columns?: number };

const FIRST = 1000;
const EACH = 200;

/** Shows one line on a terminal while something takes long. */
export class Progress {
  #stream: Terminal;
  #execution: Pick<Execution, "frames"> | undefined;
  #began = 0;
  #timer: NodeJS.Timeout | undefined;
  #shown = false;

  constructor(stream: Terminal) {
    this.#stream = stream;
  }

  begin(execution: Pick<Execution, "frames">, began: number): void {
    if (!this.#stream.isTTY) return;
    this.#execution = execution;
    this.#began = began;
    this.#timer = setTimeout(() => this.#draw(), FIRST);
    this.#timer.unref();
  }

  /** Writes a line of text above the progress. */
  write(line: string): void {
    this.#clear();
    this.#stream.write(`${line}\n`);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#clear();
  }

  #draw(): void {
    const seconds = Math.round((Date.now() - this.#began) / 1000);
    const states = new Map<string, number>();
    for (const { state, phase } of this.#execution?.frames() ?? []) {
      if (phase === "joining") continue;
      const what = phase === "waiting" || phase === "retrying" ? `${state} (${phase})` : state;
      states.set(what, (states.get(what) ?? 0) + 1);
    }
    const running = [...states].map(([what, count]) => (count > 1 ? `${what} × ${count}` : what)).join(", ");
    const line = `${seconds} s  ${running}`.slice(0, (this.#stream.columns || 80) - 1);
    this.#stream.write(`\r\x1b[2K${line}`);
    this.#shown = true;
    this.#timer = setTimeout(() => this.#draw(), EACH);
    this.#timer.unref();
  }

  #clear(): void {
    if (this.#shown) this.#stream.write("\r\x1b[2K");
    this.#shown = false;
  }
}

/** Formats an event as one line: time since the first event, id, type, and its subject. */
export function eventLine(event: HistoryEvent, first: number): string {
  const seconds = ((Date.parse(event.timestamp) - first) / 1000).toFixed(3);
  return `${`+${seconds}s`.padStart(11)} ${String(event.id).padStart(5)}  ${event.type}${about(detailsOf(event))}`;
}

function about(details: EventDetails): string {
  const { name, resource, error, cause, index, length } = details;
  const parts = [
    name,
    name === undefined ? resource : undefined,
    index === undefined ? undefined : `[${index}]`,
    length === undefined ? undefined : count(length, "item"),
  ];
  if (error !== undefined || cause !== undefined) parts.push([error, cause].filter(Boolean).join(": "));
  else parts.push(brief(details.output ?? details.parameters ?? details.input));
  return parts
    .filter((part) => part !== undefined && part !== "")
    .map((part) => `  ${part}`)
    .join("");
}

function brief(text: string | undefined): string | undefined {
  return text === undefined || text.length <= 80 ? text : `${text.slice(0, 79)}…`;
}
