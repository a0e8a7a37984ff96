// @ts-nocheck: has no types yet.
// What a terminal is told while an execution runs.

const FIRST = 1000;
const EACH = 200;

/** One line on a terminal, there only while something takes long. */
export class Progress {
  #stream;
  #execution;
  #began;
  #timer;
  #shown = false;

  constructor(stream) {
    this.#stream = stream;
  }

  begin(execution, began) {
    if (!this.#stream.isTTY) return;
    this.#execution = execution;
    this.#began = began;
    this.#timer = setTimeout(() => this.#draw(), FIRST);
    this.#timer.unref();
  }

  /** Writes a line of text above the progress. */
  write(line) {
    this.#clear();
    this.#stream.write(`${line}\n`);
  }

  end() {
    clearTimeout(this.#timer);
    this.#clear();
  }

  #draw() {
    const seconds = Math.round((Date.now() - this.#began) / 1000);
    const states = new Map();
    for (const { state, phase } of this.#execution.frames()) {
      if (phase === "joining") continue;
      const what = { waiting: `${state} (waiting)`, retrying: `${state} (retrying)` }[phase] ?? state;
      states.set(what, (states.get(what) ?? 0) + 1);
    }
    const running = [...states].map(([what, count]) => (count > 1 ? `${what} × ${count}` : what)).join(", ");
    const line = `${seconds} s  ${running}`.slice(0, (this.#stream.columns || 80) - 1);
    this.#stream.write(`\r\x1b[2K${line}`);
    this.#shown = true;
    this.#timer = setTimeout(() => this.#draw(), EACH);
    this.#timer.unref();
  }

  #clear() {
    if (this.#shown) this.#stream.write("\r\x1b[2K");
    this.#shown = false;
  }
}

/** An event on one line: time since the first, id, type, what it is about. */
export function eventLine(event, first) {
  const seconds = ((Date.parse(event.timestamp) - first) / 1000).toFixed(3);
  const key = Object.keys(event).find((name) => name.endsWith("EventDetails"));
  return `${`+${seconds}s`.padStart(11)} ${String(event.id).padStart(5)}  ${event.type}${key ? about(event[key]) : ""}`;
}

function about(details) {
  const { name, resource, error, cause, index, length } = details;
  const parts = [name, name === undefined ? resource : undefined, index === undefined ? undefined : `[${index}]`, length === undefined ? undefined : `${length} items`];
  if (error !== undefined || cause !== undefined) parts.push([error, cause].filter(Boolean).join(": "));
  else parts.push(brief(details.output ?? details.parameters ?? details.input));
  return parts.filter((part) => part !== undefined && part !== "").map((part) => `  ${part}`).join("");
}

function brief(text) {
  return text === undefined || text.length <= 80 ? text : `${text.slice(0, 79)}…`;
}
