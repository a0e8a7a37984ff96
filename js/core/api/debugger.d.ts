/**
 * `<stepglass-debugger>` shows a state machine on your own page. Visitors can view it, run it and step through it, or watch an
 * execution that you attach. Importing this module defines the element.
 *
 * @example
 * ```html
 * <script type="module" src="/stepglass/debugger.js"></script>
 * <stepglass-debugger src="order.asl.json" input='{"total": 42}' mocks="order.mocks.json" breakpoints="ChargeCard:error"></stepglass-debugger>
 * <stepglass-debugger src="order.asl.yaml" editable view="graph code"></stepglass-debugger>
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

import type { Definition, Diagnostic, ExecutionResult, HistoryEvent, TextEdit } from "./index.js";

/**
 * The element. Attributes:
 *
 * | name | meaning | default |
 * |---|---|---|
 * | `src`, `definition` | the machine: a URL, or its JSON or YAML; you can also put a `<script type="application/json">` inside | |
 * | `editable` | the visitor can change the machine, on the graph and, with `view="graph code"`, in its text; not with `history` | |
 * | `input` | the input, JSON or a URL | `{}` |
 * | `machines` | with `editable`, the machines that tasks start: definitions by name, JSON or a URL | |
 * | `mocks` | the answers of tasks, JSON or a URL: `{"Charge": [{"error": "Busy"}, {"output": {"paid": true}}]}`, or the mocks of `stepglass/debug` | the page is asked |
 * | `history` | a recorded history to show instead of a run, JSON or a URL | |
 * | `replay` | replays a `history`, or an attached execution that has ended, to show its data flow and to run from it | |
 * | `view` | the views to show, of `graph`, `data`, `events`, `code` | `graph data` |
 * | `controls` | the controls to show, of `run`, `step`, `scrub`, `clock` | all; `scrub` with `readonly` |
 * | `breakpoints` | `ChargeCard`, `ChargeCard:error`, `:error`, separated by spaces; or the JSON of {@link import("./debug.js").Breakpoint}s | |
 * | `at` | the event to show first; the machine runs up to it | |
 * | `speed` | `skip`, `manual`, or a multiple of real time | `skip` |
 * | `seed` | the seed of random numbers, UUIDs and jitter | `0` |
 * | `readonly` | nothing runs | |
 * | `autoplay` | runs when the visitor scrolls to it, unless they prefer reduced motion | |
 * | `theme` | `auto`, `light`, `dark`, `contrast` | `auto` |
 * | `height` | a number of CSS pixels or a CSS length | 420 |
 * | `lang` | as for any element; its own texts are English and marked as such for screen readers | the page's |
 * | `playground` | the URL of a playground; adds a button that opens the machine there | |
 * | `worker-src`, `wasm-src` | the URLs of `debugger-worker.js` (with `replay`, of `debugger-replay.js`) and `stepglass.wasm` | beside `debugger.js` |
 *
 * Colours are custom properties (`--accent`, `--surface`, …). The parts for `::part()` are `graph`, `toolbar`, `button`, `node`,
 * `edge`, `data`, `events`, `code`. `editable` loads another 22 kB, and YAML 37 kB. Without scripts, the element's content is shown.
 */
export class StepglassDebugger extends HTMLElement {
  /** The definition's text, with all changes so far. You can also set it to an object. */
  get definition(): string;
  set definition(value: Definition);
  /**
   * The definitions of machines that tasks start, by name: those that you have set, and those that the visitor has extracted from
   * states. The visitor can replace a task with such a machine's states.
   */
  get machines(): Record<string, string>;
  set machines(value: Record<string, Definition>);
  /** The name of the selected state; `""` if none is selected. Setting it scrolls the state into view; an unknown name is ignored. */
  get selected(): string;
  set selected(state: string);
  /**
   * Statuses of states, by name, that your page has from elsewhere, such as the `stepglass/graph` events of a debug adapter. They
   * replace those of the element's own run until you set `undefined`.
   */
  get marks(): Readonly<Record<string, StateMark>> | undefined;
  set marks(marks: Readonly<Record<string, StateMark>> | undefined);
  /** The attribute `editable`. */
  get editable(): boolean;
  set editable(value: boolean);
  /** Whether the text differs from the one that was set or saved last. */
  get unsaved(): boolean;
  /** Marks the current text as saved. If you prevent the default of `save`, call this once the text is stored. */
  markSaved(): void;
  /** Runs to the next breakpoint or the end; starts again if the run has ended. */
  run(): Promise<void>;
  pause(): Promise<void>;
  /** Starts again, paused before the first state. */
  restart(): Promise<void>;
  /** Lets the machine's time pass until its next timer. With `speed="manual"`, time passes only through this method. */
  nextTimer(): Promise<void>;
  /** Makes one step. Default: `over`. */
  step(kind?: "over" | "into" | "out" | "stage" | "back"): Promise<void>;
  /** Shows the run as it was after an event; 0 is before the first event. */
  goto(event: number): Promise<void>;
  /**
   * Starts another run that is the same up to the given event; default: the event shown. For a recorded execution it needs `replay`;
   * tasks then answer as recorded.
   */
  fork(event?: number): Promise<void>;
  /** Returns the graph as an SVG document, with the run's colours unless `run` is false. */
  exportSvg(options?: { theme?: "light" | "dark" | "auto"; run?: boolean }): Promise<string>;
  /**
   * Watches an execution: shows its events so far and from now on, and does not change it. Takes the result of `machine.start()`,
   * or any async iterable of history events. Resolves when the execution has ended.
   */
  attach(
    execution: AsyncIterable<HistoryEvent> & { result?: Promise<ExecutionResult> },
    options?: { definition?: Definition },
  ): Promise<void>;
  addEventListener<K extends keyof DebuggerEventMap>(
    type: K,
    listener: (this: StepglassDebugger, event: DebuggerEventMap[K]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | AddEventListenerOptions): void;
}

/** The status of a state, in {@link StepglassDebugger.marks}. */
export interface StateMark {
  status:
    | "idle"
    | "queued"
    | "running"
    | "waiting"
    | "awaiting"
    | "retrying"
    | "succeeded"
    | "caught"
    | "failed"
    | "timedOut"
    | "cancelled";
  /** How often the state was entered. The graph shows it if it is more than one. */
  visits?: number;
}

/** The visitor has selected a state, or cleared the selection (`""`). */
export interface SelectDetail {
  state: string;
}

/** The visitor has changed the machine, with `editable`. */
export interface ChangeDetail {
  /** The text with the change. */
  definition: string;
  /** The change as edits of the text before it. */
  edits: TextEdit[];
  /** A sentence that says what was done, for screen readers. */
  announce: string;
  /** The machine that the visitor has extracted from states with this change; the definition has a Task that starts it. */
  machine?: { name: string; definition: string };
}

/** The visitor has pressed Save or Ctrl+S, with `editable`. */
export interface SaveDetail {
  definition: string;
}

/** The events of the element. */
export interface DebuggerEventMap extends HTMLElementEventMap {
  "asl-select": CustomEvent<SelectDetail>;
  change: CustomEvent<ChangeDetail>;
  /** If its default is prevented, the text stays unsaved: see {@link StepglassDebugger.markSaved}. */
  save: CustomEvent<SaveDetail>;
}

/** A task without a mock, in the event `asl-task`. */
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

/** Asks the page to do a task. If the page does not respond, the element asks the visitor. */
export class TaskEvent extends Event {
  private constructor();
  readonly task: TaskRequest;
  /** Answers with the task's result, or a promise of it. A rejection fails the task with the error's name and message. */
  respondWith(answer: unknown): void;
}

/** The position at which a run has stopped, and the reason. */
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
    save: CustomEvent<SaveDetail>;
  }
}
