/**
 * `<stepglass-debugger>`: a state machine on a page of yours, to look at, run, step through, or attached to an execution.
 * Importing this module defines the element.
 *
 * @example
 * ```html
 * <script type="module" src="/stepglass/debugger.js"></script>
 * <stepglass-debugger src="order.asl.json" input='{"total": 42}' mocks="order.mocks.json" breakpoints="ChargeCard:error"></stepglass-debugger>
 * ```
 *
 * @example
 * ```js
 * import "stepglass/debugger";
 *
 * const element = document.querySelector("stepglass-debugger");
 * await element.attach(machine.start(order, { tasks }), { definition });
 * ```
 *
 * @packageDocumentation
 */

import type { Definition, Diagnostic, ExecutionResult, HistoryEvent } from "./index.js";

/**
 * The element. Attributes:
 *
 * | name | meaning | default |
 * |---|---|---|
 * | `src`, `definition` | the machine: an address, or its JSON; or a `<script type="application/json">` inside | |
 * | `input` | the input, JSON or an address | `{}` |
 * | `mocks` | what tasks answer, JSON or an address: `{"Charge": [{"error": "Busy"}, {"output": {"paid": true}}]}`, or the mocks of `stepglass/debug` | the page is asked |
 * | `history` | a recorded history to show instead of running, JSON or an address | |
 * | `view` | which of `graph`, `data`, `events`, `code` | `graph data` |
 * | `controls` | which of `run`, `step`, `scrub`, `clock` | all; `scrub` with `readonly` |
 * | `breakpoints` | `ChargeCard`, `ChargeCard:error`, `:error`, several with spaces; or the JSON of {@link import("./debug.js").Breakpoint}s | |
 * | `at` | the event to show first; the machine is run for it | |
 * | `speed` | `skip`, `manual`, or how many times as fast as real time | `skip` |
 * | `seed` | of random numbers, UUIDs and jitter | `0` |
 * | `readonly` | nothing is run | |
 * | `autoplay` | runs when it is scrolled to, unless less motion is wanted | |
 * | `theme` | `auto`, `light`, `dark`, `contrast` | `auto` |
 * | `height` | in CSS pixels, or as CSS has it | 420 |
 * | `lang` | as for any element; what it says itself is English, and marked so for screen readers | the page's |
 * | `playground` | the address of a playground, for a button that opens the machine there | |
 * | `worker-src`, `wasm-src` | where `debugger-worker.js` and `stepglass.wasm` lie | beside `debugger.js` |
 *
 * Colours are custom properties (`--accent`, `--surface`, …); `::part()`
 * has `graph`, `toolbar`, `button`, `node`, `edge`, `data`, `events`, `code`. Without scripts, what is inside is shown.
 */
export class StepglassDebugger extends HTMLElement {
  /** The definition's text. May be set to an object, too. */
  get definition(): string;
  set definition(value: Definition);
  /** Runs to the next breakpoint or the end, anew where it has ended. */
  run(): Promise<void>;
  pause(): Promise<void>;
  /** Begins anew, before the first state. */
  restart(): Promise<void>;
  /** Lets the machine's time pass until its next timer: with `speed="manual"` nothing else does. */
  nextTimer(): Promise<void>;
  /** One step; default: `over`. */
  step(kind?: "over" | "into" | "out" | "stage" | "back"): Promise<void>;
  /** Shows the run as it was after an event; 0 is before the first. */
  goto(event: number): Promise<void>;
  /** Begins another run, as this one was up to the event shown, or the given one. */
  fork(event?: number): Promise<void>;
  /** The graph as an SVG document, with the run's colours unless `run` is false. */
  exportSvg(options?: { theme?: "light" | "dark" | "auto"; run?: boolean }): Promise<string>;
  /**
   * Looks on an execution: shows what has happened and what happens from now on, and changes nothing. Takes what
   * `machine.start()` returns, or any async iterable of history events. Resolves when it has ended.
   */
  attach(execution: AsyncIterable<HistoryEvent> & { result?: Promise<ExecutionResult> }, options?: { definition?: Definition }): Promise<void>;
}

/** A task that nobody has mocked, as the detail of the event `asl-task`. */
export interface TaskRequest {
  readonly id: number;
  readonly state: string;
  readonly resource: string;
  readonly input: any;
  /** 0 for the first attempt. */
  readonly attempt: number;
  readonly iterations: readonly number[];
  readonly token?: string;
}

/** Asks the page to do the work of a task. Where nobody responds, the component asks who looks at it. */
export class TaskEvent extends Event {
  private constructor();
  readonly task: TaskRequest;
  /** The task's result, or a promise of it; a rejection fails it with the error's name and message. */
  respondWith(answer: unknown): void;
}

/** Where a run has stopped. */
export interface PausedDetail {
  reason: string;
  description: string;
  event: number;
  state: string;
}

declare global {
  interface HTMLElementTagNameMap {
    "stepglass-debugger": StepglassDebugger;
  }
  interface HTMLElementEventMap {
    "asl-event": CustomEvent<{ event: HistoryEvent }>;
    "asl-paused": CustomEvent<PausedDetail>;
    "asl-complete": CustomEvent<ExecutionResult>;
    "asl-diagnostics": CustomEvent<{ diagnostics: Diagnostic[] }>;
    "asl-task": TaskEvent;
  }
}
