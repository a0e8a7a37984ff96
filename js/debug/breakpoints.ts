// @ts-nocheck: has no types yet.
// Where a run is to stop, and whether it has come there.

import { misuse } from "../base/errors.ts";
import { detailsOf } from "../history/events.ts";
import { ask, same, test } from "./expressions.ts";
import { checkBreakpoint } from "./given.ts";
import { inRanges } from "./mocks.ts";
import { shown } from "../base/options.ts";
import { visitOf } from "./view.ts";

export const KINDS = ["entry", "exit", "stage", "error", "retry", "catch", "transition", "iteration", "change"];

const HIT = /^\s*(=|==|>=|>|%)?\s*(\d+)\s*$/;

/** The breakpoints of a session, with how often each was hit. */
export class Breakpoints {
  #list = [];
  #next = 1;
  /** Errors to stop at: `"none"`, `"uncaught"`, `"all"`, or names. */
  exceptions = "none";
  enabled = true;

  get list() {
    return this.#list;
  }

  set(list) {
    if (!Array.isArray(list)) throw misuse("INVALID_ARGUMENT", `breakpoints must be an array, not ${shown(list)}`);
    const before = new Map(this.#list.map((one) => [one.id, one]));
    this.#list = list.map((given, place) => {
      checkBreakpoint(given, place);
      const breakpoint = { kind: "entry", enabled: true, ...given };
      if (!KINDS.includes(breakpoint.kind)) throw misuse("INVALID_ARGUMENT", `there is no breakpoint kind ${shown(breakpoint.kind)}; the kinds are ${KINDS.join(", ")}`);
      if (breakpoint.hit !== undefined && breakpoint.hit !== "" && !HIT.test(breakpoint.hit)) throw misuse("INVALID_ARGUMENT", `a hit count is "3", ">= 3" or "% 3", not ${JSON.stringify(breakpoint.hit)}`);
      breakpoint.id ??= this.#next++;
      this.#next = Math.max(this.#next, breakpoint.id + 1);
      breakpoint.hits = before.get(breakpoint.id)?.hits ?? 0;
      return breakpoint;
    });
    return this.#list;
  }

  /** A new run counts from the beginning. */
  reset() {
    for (const breakpoint of this.#list) breakpoint.hits = 0;
  }

  /**
   * What is to be done when the tape has moved past `place`: `{stop?: {reason, breakpoint, description}, logs}`. `look` says
   * what can be seen there. With `count: false`, hits are not counted and logs not written.
   */
  check(run, place, look, count = true) {
    const logs = [];
    let stop;
    if (this.enabled) {
      for (const breakpoint of this.#list) {
        if (!breakpoint.enabled || !isOf(breakpoint, run) || !isAt(breakpoint, run, place)) continue;
        if (breakpoint.condition) {
          const { holds, message } = test(breakpoint.language ?? "jsonata", breakpoint.condition, look());
          if (message !== undefined) {
            stop ??= { reason: "breakpoint", breakpoint: breakpoint.id, description: `the condition of a breakpoint cannot be evaluated: ${message}` };
            continue;
          }
          if (!holds) continue;
        }
        const hits = breakpoint.hits + 1;
        if (count) breakpoint.hits = hits;
        if (breakpoint.hit && count && !isHit(breakpoint.hit, hits)) continue;
        if (breakpoint.log !== undefined && breakpoint.log !== "") {
          if (count) logs.push({ breakpoint: breakpoint.id, text: logged(breakpoint.log, look()) });
        } else {
          stop ??= { reason: "breakpoint", breakpoint: breakpoint.id, description: describe(breakpoint, run, place) };
        }
      }
      stop ??= this.#exception(run, place);
    }
    return { stop, logs };
  }

  #exception(run, place) {
    const entry = run.recording.tape[place];
    if (this.exceptions === "none" || entry.kind !== "stage" || entry.stage !== "error") return undefined;
    const { Error: error } = run.recording.valueAt(place);
    const caught = fateOf(run, place);
    if (this.exceptions === "uncaught" ? caught !== undefined : Array.isArray(this.exceptions) && !this.exceptions.includes(error)) return undefined;
    // An error that a scope hands on is told again there; one stop is enough.
    if (handedOn(run, place)) return undefined;
    return { reason: "exception", description: `${error ?? "an error"} in ${entry.state}, ${caught === undefined ? "uncaught" : caught === "retry" ? "will be retried" : "will be caught"}` };
  }
}

/** Whether a breakpoint is of an execution's machine. One that names neither machine nor state is of all. */
function isOf({ machine, state, from }, { info, run }) {
  if (machine === undefined && state === undefined && from === undefined) return true;
  return (machine ?? run.first.info.stateMachineName) === info.stateMachineName;
}

/** Whether the entry at `place` is where a breakpoint stands. */
function isAt(breakpoint, run, place) {
  const { recording } = run;
  const { tape } = recording;
  const entry = tape[place];
  const { state } = breakpoint;
  if (entry.kind === "end") return breakpoint.kind === "iteration" && breakpoint.at === "end" && isChildOf(entry, breakpoint);
  if (entry.kind !== "stage") {
    const { event } = entry;
    const { name } = detailsOf(event);
    switch (breakpoint.kind) {
      case "entry":
        return event.type.endsWith("StateEntered") && name === state;
      case "exit":
        return event.type.endsWith("StateExited") && name === state;
      case "transition": {
        if (!event.type.endsWith("StateEntered") || name !== breakpoint.to) return false;
        const { chains } = recording.strandOf(entry);
        const before = chains.visitOf(event.previousEventId);
        return before?.state === breakpoint.from && before.thread === chains.visitOf(event.id).thread;
      }
      case "iteration": {
        if (event.type === "ExecutionStarted" && entry.kind === "child") return breakpoint.at !== "end" && isChildOf(entry, breakpoint);
        if (!event.type.startsWith("MapIteration") || event.type.endsWith("Started") !== (breakpoint.at !== "end")) return false;
        return name === state && inRanges(breakpoint.indices, detailsOf(event).index);
      }
      case "change":
        return event.type.endsWith("StateExited") && changes(breakpoint, recording, entry);
      case "stage":
        return breakpoint.when === "before" && precedes(recording, place, breakpoint);
      default:
        return false;
    }
  }
  switch (breakpoint.kind) {
    case "stage":
      if (breakpoint.when === "before") return precedes(recording, place, breakpoint);
      return entry.state === state && entry.stage === breakpoint.stage;
    case "error":
      if (entry.stage !== "error" || (state && entry.state !== state)) return false;
      if (breakpoint.errors?.length > 0 && !breakpoint.errors.includes(recording.valueAt(place).Error)) return false;
      if (!state && handedOn(run, place)) return false;
      return breakpoint.uncaught !== true || fateOf(run, place) === undefined;
    case "retry":
    case "catch":
      return entry.stage === breakpoint.kind && (!state || entry.state === state);
    default:
      return false;
  }
}

/** Whether an entry is of a child execution of the Distributed Map that a breakpoint names, and one of its indices. */
function isChildOf({ strand }, { state, indices }) {
  return strand.around?.state === state && inRanges(indices, strand.begun.index);
}

function precedes({ tape }, place, { state, stage }) {
  const next = tape[place + 1];
  return next?.kind === "stage" && next.state === state && next.stage === stage;
}

/** What becomes of the error at `place`: "retry", "catch", or undefined where nothing takes it. */
export function fateOf({ recording }, place) {
  const { tape } = recording;
  const { fact } = tape[place];
  for (let i = place + 1; i < tape.length && tape[i].fact === fact; i++) {
    const entry = tape[i];
    if (entry.kind === "stage" && (entry.stage === "retry" || entry.stage === "catch")) return entry.stage;
    if (entry.kind === "event" && /^Execution(?:Failed|TimedOut|Aborted)$/.test(entry.event.type)) return undefined;
  }
  // A Distributed Map may tolerate it.
  return "catch";
}

/** Whether the error at `place` was told before, by a state inside. */
function handedOn({ recording }, place) {
  const { tape } = recording;
  const { fact } = tape[place];
  for (let i = place - 1; i >= 0 && tape[i].fact === fact; i--) {
    if (tape[i].kind === "stage" && tape[i].stage === "error") return same(recording.valueAt(i), recording.valueAt(place));
  }
  return false;
}

/** Whether what a data breakpoint watches is another after a state than before it: `$name`, or a path in the state's data. */
function changes({ path = "", state }, recording, entry) {
  const { event } = entry;
  const visit = visitOf(recording, entry);
  if (visit === undefined || (state && visit.state !== state)) return false;
  const details = detailsOf(recording.eventOf(visit.strand, event.id));
  const variable = /^\$([A-Za-z_]\w*)$/.exec(path.trim());
  if (variable) {
    const assigned = details.assignedVariables;
    return assigned !== undefined && Object.hasOwn(assigned, variable[1]) && variableBefore(recording, visit, variable[1]) !== assigned[variable[1]];
  }
  const at = (text) => {
    const answer = ask("jsonpath", path, { input: JSON.parse(text) });
    return answer.message === undefined ? answer.value : undefined;
  };
  const before = detailsOf(recording.eventOf(visit.strand, visit.enter)).input;
  return before !== details.output && !same(at(before), at(details.output));
}

/** The JSON text of a variable before a state, or undefined. */
function variableBefore(recording, visit, name) {
  const { strand } = visit;
  const { chains, events } = strand;
  let id = events[visit.enter - 1].previousEventId;
  while (id > 0) {
    const event = events[id - 1];
    if (event.type.endsWith("StateExited")) {
      const { assignedVariables } = detailsOf(recording.eventOf(strand, id));
      if (assignedVariables && Object.hasOwn(assignedVariables, name)) return assignedVariables[name];
      id = chains.visitOf(id)?.enter ?? 0;
    }
    id = events[id - 1]?.previousEventId ?? 0;
  }
  return undefined;
}

function isHit(hit, hits) {
  const [, operator = "=", text] = HIT.exec(hit);
  const n = Number(text);
  switch (operator) {
    case ">=":
      return hits >= n;
    case ">":
      return hits > n;
    case "%":
      return n > 0 && hits % n === 0;
    default:
      return hits === n;
  }
}

/** A log point's text; what stands in `{% … %}` is asked. */
function logged(text, values) {
  return text.replace(/\{%(.*?)%\}/gs, (_, question) => {
    const { value, nothing, message } = ask("jsonata", question, values);
    if (message !== undefined) return `<${message}>`;
    return nothing ? "undefined" : typeof value === "string" ? value : JSON.stringify(value);
  });
}

function describe({ kind, stage, when, from, to, path }, run, place) {
  const entry = run.recording.tape[place];
  const state = entry.kind === "stage" ? entry.state : (visitOf(run.recording, entry)?.state ?? "");
  switch (kind) {
    case "entry":
      return `before ${state}`;
    case "exit":
      return `after ${state}`;
    case "stage":
      return `${when === "before" ? "before" : "after"} ${stage} of ${state}${entry.index === undefined || when === "before" ? "" : `, item ${entry.index}`}`;
    case "error":
      return `${run.recording.valueAt(place)?.Error ?? "an error"} in ${state}`;
    case "retry":
      return `before ${state} is retried, by retrier ${run.recording.valueAt(place).retrier + 1}`;
    case "catch":
      return `the error of ${state} is caught, by catcher ${run.recording.valueAt(place).catcher + 1}`;
    case "transition":
      return `from ${from} to ${to}`;
    case "iteration":
      return `iteration ${(entry.event && detailsOf(entry.event).index) ?? entry.strand.begun.index} of ${state}`;
    default:
      return `${path} changed in ${state}`;
  }
}
