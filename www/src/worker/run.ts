// A machine under the debugger: its handlers, its history for the page, and the notes that the page receives.

import { type ExecutionResult, StateMachine, type Task, TaskError, type TaskHandler, type TaskHandlers } from "stepglass";
import { type DebugOptions, DebugSession, restoreSession, saveSession, type Mock as PackageMock } from "stepglass/debug";
import { KnownText } from "stepglass/known-text";
import type { Graph } from "../model/graph.ts";
import type {
  Answer,
  ClockMode,
  Inside,
  StoredRun,
  Methods,
  Mock,
  Note,
  PendingTimer,
  Position,
  RunInfo,
  RunRequest,
  RunResult,
  StepCommand,
  Visit,
  WaitingTask,
} from "../model/protocol.ts";
import { type Tally, tallyRun } from "./coverage.ts";
import { wholeGraph } from "./drawing.ts";
import { fieldsOf, largeIn, member } from "./flow.ts";
import { detailsOf } from "../model/details.ts";
import type { HistoryEvent } from "../model/recorded.ts";
import { ListedHistory } from "./historyLists.ts";
import { machinesOf } from "./machines.ts";
import { RunRecorder } from "./storedRun.ts";
import { HISTORY_LIMIT, NO_LIMIT, PAYLOAD_LIMIT } from "./limits.ts";
import { buffersOf } from "./history.ts";
import { Stopwatch } from "./stopwatch.ts";

interface Open {
  resolve(value: unknown): void;
  reject(error: unknown): void;
  task: Task;
}

export type SandboxMessage =
  | { type: "result"; id: number; value: unknown }
  | { type: "error"; id: number; name: string; message: string; stack?: string; taskError: boolean }
  | { type: "heartbeat"; id: number }
  | { type: "sleep"; id: number; sleep: number; milliseconds: number }
  | { type: "token"; method: "succeed" | "fail" | "heartbeat"; token: string; value: unknown }
  | { type: "log"; level: string; text: string };

const SPEED: Record<ClockMode, "skip" | "manual" | number> = { skip: "skip", manual: "manual", real: 1, x10: 10, x60: 60, x3600: 3600 };
/** The minimum interval between two updates of the timers while the clock flows, in milliseconds. */
const TIMERS_EVERY = 200;
/** The maximum number of visits of a state in child executions that are listed. */
const MOST_VISITS = 300;
/** The maximum number of threads that are listed. */
const MOST_THREADS = 200;
/** The maximum number of large payloads in one note. */
const MOST_LARGE = 2000;
/** The maximum number of runs in a session. The oldest are dropped first. */
const MOST_RUNS = 30;

/**
 * If a machine stops again within this time, in milliseconds, it is reported only as stopped, and the page does not show that it
 * ran.
 */
const MOMENT = 30;

let numbers = 0;

/** Returns the next number. Runs and recorded executions are numbered together. */
export const nextNumber = (): number => ++numbers;

export class Run {
  readonly session: DebugSession;
  history: ListedHistory;
  /** The id changes when another run of the session is shown. Messages that are under way then belong to the run before. */
  id = nextNumber();
  private readonly calls = new Map<number, Open>();
  private nextCall = 1;
  private flushing = false;
  private saying = false;
  private gone = false;
  /** The timer after which the page is notified that the machine continues. */
  private continueTimer: ReturnType<typeof setTimeout> | undefined;
  /** Notes that are collected for a single message. */
  private batch: { notes: Note[]; transfer: Transferable[] } | undefined;
  private clock: ClockMode;
  private timers: PendingTimer[] = [];
  private timersAt = -Infinity;
  private late = false;
  private watch = new Stopwatch(() => performance.now());
  private readonly definitions = new Map<number, string>();
  /** Descriptions of the changes that were made by hand since a run began, by run number. */
  private readonly changed = new Map<number, Set<string>>();
  private readonly keeper = new RunRecorder();
  /** Set while a run is started, because the page knows of it and needs no note that another run is shown. */
  private beginning = false;

  /** `sandbox` leads to the handlers. `tally` has the coverage of runs that were removed. */
  constructor(
    json: string,
    public graph: Graph,
    private request: RunRequest,
    private readonly sandbox: () => MessagePort | undefined,
    private readonly tally: Tally,
  ) {
    const { saved } = request;
    this.clock = request.clock;
    this.session = saved ? restoreSession(saved, this.options()) : new DebugSession(json, this.options());
    this.session.breakpointsEnabled = request.stops;
    this.definitions.set(this.session.run, json);
    if (saved) {
      for (const { id, definition } of saved.runs) this.definitions.set(id, definition);
      this.graph = wholeGraph(this.definitionOf(this.session.run));
      if (request.kept !== undefined) this.keeper.begin(this.session.run, request.kept);
    }
    this.history = new ListedHistory(this.graph);
    const { session } = this;
    session.on("progress", () => {
      this.watch.work();
      this.flushSoon();
    });
    session.on("tasks", () => this.saySoon());
    session.on("continued", () => {
      this.watch.work();
      clearTimeout(this.continueTimer);
      this.continueTimer = setTimeout(() => this.flushContinued(), MOMENT);
    });
    session.on("stopped", () => this.stopped());
    session.on("terminated", (result) => {
      this.batchNotes(() => {
        this.flush();
        this.say();
        this.tell({
          note: "ended",
          run: this.id,
          result: this.resultOf(result),
          took: this.watch.took,
          ...(session.status === "running" && { goesOn: true }),
        });
        if (session.status !== "running") this.stopped();
      });
    });
    session.on("output", ({ text, event, execution }) =>
      this.tell({ note: "console", run: this.id, level: "point", text, event, ...(execution !== undefined && { execution }) }),
    );
    session.on("run", ({ run }) => this.switched(run));
    session.on("execution", () => this.entered());
  }

  /** Starts a new run next to the existing ones. */
  restart(json: string, graph: Graph, request: RunRequest): void {
    const { session } = this;
    const before = { ...this.request, json: this.definitionOf(this.session.run) };
    this.request = request;
    const label = whatChanged(before, { ...request, json });
    this.id = nextNumber();
    this.beginning = true;
    if (request.machines.length === 0) session.setMachines(undefined);
    try {
      session.restart(json, { ...this.options(), label });
    } finally {
      this.beginning = false;
    }
    session.breakpointsEnabled = request.stops;
    this.graph = graph;
    this.history = new ListedHistory(graph);
    this.clock = request.clock;
    this.watch = new Stopwatch(() => performance.now());
    this.definitions.set(session.run, json);
    for (const { id } of session.runs().slice(0, -MOST_RUNS)) this.remove(id);
  }

  /** Returns whether a run of this request can be in the same session. Recorded answers belong to one execution. */
  canInclude(request: RunRequest): boolean {
    return request.beside && !request.recorded && !this.request.recorded;
  }

  private options(): DebugOptions {
    const { input: text, seed, clock, mocks, machines, breakpoints, exceptions, ask, recorded, config, saved } = this.request;
    // Restored runs have inputs of their own.
    const input = new KnownText(text.trim() === "" || saved ? "{}" : text);
    return {
      input,
      name: config.name ?? `run-${this.id}`,
      ...(config.arn !== undefined && { arn: config.arn }),
      type: config.type ?? "STANDARD",
      payloadLimit: config.payload === false ? NO_LIMIT : PAYLOAD_LIMIT,
      historyLimit: config.events === false ? 0 : HISTORY_LIMIT,
      seed,
      startTime: recorded?.startTime ?? config.startTime ?? Date.now(),
      clock: SPEED[clock],
      tasks: this.handlers(),
      mocks: this.mocksOf(mocks),
      ...(machines.length > 0 && { machines: machinesOf(machines) }),
      ask,
      breakpoints,
      exceptions,
      ...(recorded && { recorded: recorded.tasks }),
    };
  }

  /** Starts the run. It is called after the page was notified of the run. */
  begin(): void {
    const { paused, step, runTo, saved, until } = this.request;
    if (runTo !== undefined) return this.session.runTo(runTo);
    if (step !== undefined) return this.step(step);
    if (!paused && !saved) return this.session.continue();
    if (saved) {
      if (this.session.execution > 0) this.entered();
      this.flush();
      const outcome = this.session.runs().find(({ current }) => current)?.outcome;
      if (outcome) this.tell({ note: "ended", run: this.id, result: this.resultOf(outcome), took: 0 });
    }
    this.stopped();
    if (paused) return;
    // The run continues from where it was when the page was closed.
    if (until !== undefined) this.session.recovered(Math.max(0, until - this.session.now));
    this.session.continue();
  }

  /** Returns the data that restores the current run. */
  kept(have: string | null): StoredRun | null {
    const speed = SPEED[this.clock];
    return this.request.recorded ? null : this.keeper.record(this.session, typeof speed === "number" ? speed : 0, have);
  }

  step(command: StepCommand): void {
    if (command === "runOut") this.session.continue({ ignoreBreakpoints: true });
    else this.session[command]();
  }

  setClock(clock: ClockMode): void {
    this.clock = clock;
    this.session.setClock(SPEED[clock]);
  }

  stop(): void {
    if (this.session.outcome === undefined) this.session.stop("Stopped", "Stopped on the page.");
  }

  dispose(): void {
    this.gone = true;
    for (const { id } of this.session.runs()) tallyRun(this.tally, this.session, id, this.definitionOf(id));
    this.session.dispose();
  }

  /** Removes a run. Its coverage still counts. */
  remove(id: number): void {
    const { session } = this;
    if (id === session.run) return;
    tallyRun(this.tally, session, id, this.definitionOf(id));
    session.removeRun(id);
    this.definitions.delete(id);
    this.changed.delete(id);
  }

  /** Replaces the mocks. A run that has not ended uses the new ones. */
  setMocks(mocks: Record<string, Mock>): void {
    const { session, request } = this;
    const states = [...new Set([...Object.keys(mocks), ...Object.keys(request.mocks)])].filter(
      (state) => JSON.stringify(mocks[state]) !== JSON.stringify(request.mocks[state]),
    );
    this.request = { ...request, mocks };
    session.setMocks(this.mocksOf(mocks));
    if (states.length === 0 || session.outcome !== undefined || session.event === 0) return;
    const changed = this.changed.get(session.run) ?? new Set();
    for (const state of states) changed.add(`mock of ${state}`);
    this.changed.set(session.run, changed);
  }

  /** Returns the visits of a state, including those in child executions. If there are very many, the last ones are returned. */
  visitsOf(state: string, iterations: (number | undefined)[] = []): Visit[] {
    const own = this.history.visitsOf(state);
    if (own.length > 0 || this.history.steps === 0) return own;
    return this.session.childVisits(state, { iterations, most: MOST_VISITS }).map((visit) => ({
      enter: visit.after,
      exit: visit.left > 0 ? visit.after : 0,
      caught: false,
      failed: false,
      iterations: visit.iterations,
      attempts: [],
      child: visit,
    }));
  }

  runs(): RunInfo[] {
    const { session } = this;
    return session.runs().map(({ id, parent, at, label, current, events, outcome }) => {
      const event =
        parent !== undefined && at !== undefined && at > 0 ? (session.history(at - 1, id)[0] as HistoryEvent | undefined) : undefined;
      const name = event && detailsOf(event)["name"];
      return {
        id,
        current,
        events,
        label: label === "Run" ? (id === 1 ? "first run" : "from the beginning") : label,
        ...(parent !== undefined && { parent }),
        ...(at !== undefined && { at }),
        ...(event && { after: typeof name === "string" ? `${event.type} ${name}` : event.type }),
        ...(outcome && { outcome: { status: outcome.status } }),
        changed: [...(this.changed.get(id) ?? [])],
      };
    });
  }

  answer(id: number, answer: Answer): void {
    this.watch.work();
    this.session.answer(id, answer);
    this.saySoon();
  }

  take(id: number, workerName: string): boolean {
    return this.session.take(id, workerName === "" ? {} : { workerName });
  }

  answerToken(token: string, method: "succeed" | "fail" | "heartbeat", value: unknown): boolean {
    this.watch.work();
    const found = this.session.answerToken(token, method, value);
    this.saySoon();
    return found;
  }

  /** Returns the definition of the selected execution, as JSON. */
  definition(): string {
    const { definition, execution, run } = this.session;
    return execution === 0 ? this.definitionOf(run) : definition instanceof StateMachine ? definition.definition : String(definition);
  }

  /** Returns the selected execution, if it is not the run's own. */
  private inside(): Inside | null {
    const all = this.session.executions();
    const way: Inside["way"] = [];
    for (let at = all.find(({ current }) => current); at !== undefined; at = all.find(({ id }) => id === at.parent))
      way.unshift({ id: at.id, name: at.name, machine: at.machine, ...(at.state !== undefined && { state: at.state }) });
    const last = way.at(-1);
    if (!last || last.id === 0) return null;
    return { id: last.id, machine: last.machine, name: last.name, way, definition: this.definition() };
  }

  /** Notifies the page that another execution of the run is selected. */
  private entered(): void {
    if (this.gone || this.beginning) return;
    const graph = wholeGraph(this.definition());
    this.id = nextNumber();
    this.history = new ListedHistory(graph);
    this.batchNotes(() => {
      this.tell({ note: "entered", run: this.id, graph, inside: this.inside() });
      this.flush();
    });
  }

  definitionOf(run: number): string {
    return this.definitions.get(run) ?? String(this.session.definitionOf(0));
  }

  /** Returns the options that the current run was started with, and the answers of its tasks. */
  answered(): Methods["calls"]["value"] {
    const { session, request } = this;
    const { seed, info } = saveSession(session).runs.find(({ id }) => id === session.run) as unknown as {
      seed: string;
      info: { name: string; arn?: string };
    };
    return { ...info, seed: Number(seed), config: request.config, calls: session.calls() };
  }

  /** Returns whether a state's task has a mock, according to the page's last message. */
  readonly mocked = (state: string): boolean => {
    const mode = this.request.mocks[state]?.mode;
    return mode !== undefined && mode !== "handler";
  };

  /** Handles a message from the sandbox. */
  handleSandboxMessage(message: SandboxMessage): void {
    if (this.gone) return;
    switch (message.type) {
      case "result":
      case "error": {
        const call = this.calls.get(message.id);
        if (!call) return;
        this.calls.delete(message.id);
        if (message.type === "result") call.resolve(message.value);
        else if (message.taskError) call.reject(new TaskError(message.name, message.message));
        else call.reject(Object.assign(new Error(message.message), { name: message.name, stack: message.stack }));
        break;
      }
      case "heartbeat":
        this.calls.get(message.id)?.task.heartbeat();
        break;
      case "sleep": {
        const { id, sleep, milliseconds } = message;
        this.calls
          .get(id)
          ?.task.sleep(milliseconds)
          .then(
            () => this.sandbox()?.postMessage({ type: "slept", sleep }),
            () => {},
          );
        break;
      }
      case "token":
        if (!this.session.answerToken(message.token, message.method, message.value))
          this.tell({ note: "console", run: this.id, level: "error", text: `No task is waiting for the token ${message.token}` });
        this.saySoon();
        break;
      case "log":
        this.tell({ note: "console", run: this.id, level: message.level, text: message.text });
        break;
    }
  }

  /** Rejects all pending calls, because the handlers were ended. */
  handlersDied(message: string): void {
    for (const call of this.calls.values()) call.reject(Object.assign(new Error(message), { name: "HandlerStopped" }));
    this.calls.clear();
  }

  private handlers(): TaskHandlers {
    if (this.request.resolver) return (input, task) => this.call("", input, task);
    return Object.fromEntries(
      this.request.handlers.map((key): [string, TaskHandler] => [key, (input, task) => this.call(key, input, task)]),
    );
  }

  /** Converts the page's mocks to the package's. Mocks in JavaScript are called in the sandbox, like handlers. */
  private mocksOf(mocks: RunRequest["mocks"]): Record<string, PackageMock> {
    return Object.fromEntries(
      Object.entries(mocks).map(([name, mock]) => [
        name,
        mock.mode === "javascript" ? { mode: "function", handler: (input, task) => this.call(`mock:${name}`, input, task) } : mock,
      ]),
    );
  }

  private call(key: string, input: unknown, task: Task): Promise<unknown> {
    const id = this.nextCall++;
    return new Promise((resolve, reject) => {
      this.calls.set(id, { resolve, reject, task });
      const port = this.sandbox();
      if (!port) throw new Error("the sandbox of the task handlers is not running");
      task.signal.addEventListener("abort", () => {
        if (!this.calls.delete(id)) return;
        this.sandbox()?.postMessage({ type: "cancel", id, reason: String((task.signal.reason as Error)?.message ?? "cancelled") });
        // The caller is gone, but its promise must not stay pending.
        resolve(null);
      });
      const { id: number, stateName, resource, attempt, idempotencyKey, token, timeoutSeconds, heartbeatSeconds } = task;
      const { iterations, parameters } = task;
      const limits = { timeoutSeconds, heartbeatSeconds };
      const info = { id: number, stateName, resource, attempt, idempotencyKey, token, ...limits, iterations, parameters };
      port.postMessage({ type: "call", id, key, input, task: info });
    });
  }

  position(): Position {
    const { session } = this;
    const { stopped, event, events, position, atRest, now } = session;
    const threads = session.threads();
    const frames = session.stackTrace();
    const stack = frames.filter(({ execution }) => execution === session.execution);
    const [top] = stack;
    const visit = top && session.visits(top.state).find(({ id }) => id === top.visit);
    return {
      stop: stopped,
      event,
      events,
      place: position,
      atRest,
      now,
      over: session.runs().find(({ current }) => current)?.outcome !== undefined,
      beside: session.executions().some(({ status }) => status === "RUNNING"),
      stack,
      callers: frames.slice(stack.length),
      left: visit !== undefined && visit.exit > 0 && visit.exit <= event,
      threads: threads.length > MOST_THREADS ? [...threads.slice(0, 20), ...threads.slice(20 - MOST_THREADS)] : threads,
      timers: this.pendingTimers(),
      hits: Object.fromEntries(session.breakpoints.map(({ id, hits }) => [id!, hits ?? 0])),
    };
  }

  /** Returns the pending timers. For a delay before a retry they include the maximum number of retries. */
  private pendingTimers(): PendingTimer[] {
    const { session } = this;
    const [own, ...started] = session.executions();
    const here = started.find(({ current }) => current)?.name;
    return session
      .timers()
      .slice(0, 50)
      .map(({ execution, ...timer }, i) => {
        if (execution !== here) return { ...timer, execution: execution ?? own!.name };
        if (timer.kind !== "retry" || i >= 8) return timer;
        const visit = session
          .visits(timer.state)
          .findLast(({ iterations, end }) => end === 0 && iterations.join() === timer.iterations.join());
        const took =
          visit &&
          (session.stages(visit.id).stages.findLast(({ stage }) => stage === "retry")?.value as
            | { retrier: number; attempt: number }
            | undefined);
        const retriers = fieldsOf(this.definition(), timer.state).fields["Retry"];
        const retrier: unknown = took && Array.isArray(retriers) ? retriers[took.retrier] : undefined;
        if (!took || retrier === undefined) return timer;
        const most = member(retrier, "MaxAttempts");
        return { ...timer, retries: took.attempt, of: typeof most === "number" ? most : 3 };
      });
  }

  private stopped(): void {
    if (this.gone || this.beginning) return;
    this.watch.rest();
    this.batchNotes(() => {
      this.flush();
      this.say();
      this.tell({ note: "stopped", run: this.id, position: this.position() });
    });
  }

  private tell(note: Note, transfer: Transferable[] = []): void {
    this.flushContinued();
    if (!this.batch) return self.postMessage(note, { transfer });
    this.batch.notes.push(note);
    this.batch.transfer.push(...transfer);
  }

  /**
   * Notifies the page that the machine continues, if that was not sent yet. It must come before the notes that follow from it.
   */
  private flushContinued(): void {
    if (this.continueTimer === undefined) return;
    clearTimeout(this.continueTimer);
    this.continueTimer = undefined;
    if (!this.gone) this.tell({ note: "continued", run: this.id });
  }

  /** Collects the notes that are sent during a callback into one message, so that the page shows them at once. */
  private batchNotes(telling: () => void): void {
    if (this.batch) return telling();
    const { notes, transfer } = (this.batch = { notes: [] as Note[], transfer: [] as Transferable[] });
    try {
      telling();
    } finally {
      this.batch = undefined;
      if (notes.length > 0) self.postMessage({ note: "together", notes }, { transfer });
    }
  }

  /** Shows a fork or an earlier run from now on. */
  private switched(run: number): void {
    if (this.gone || this.beginning) return;
    const { session } = this;
    this.definitions.set(run, this.definitionOf(run));
    const graph = wholeGraph(this.definition());
    const about = session.runs().find(({ id }) => id === run)!;
    this.id = nextNumber();
    this.history = new ListedHistory(graph);
    this.tell({
      note: "switched",
      run: this.id,
      graph,
      label: about.label,
      ...(about.parent !== undefined && { parent: about.parent }),
      inside: this.inside(),
    });
    this.flush();
    const { outcome } = about;
    if (outcome) this.tell({ note: "ended", run: this.id, result: this.resultOf(outcome), took: 0 });
  }

  /** Returns the result of the run. */
  private resultOf(outcome: ExecutionResult): RunResult {
    const { id, events } = this.session.runs().find(({ current }) => current)!;
    const last = this.session.history(events - 1, id).at(-1) as HistoryEvent | undefined;
    const text = last && detailsOf(last)["output"];
    if (typeof text !== "string") return outcome as RunResult;
    // A large value takes long to copy, so only its text is sent.
    const { output: _, ...told } = outcome as RunResult;
    return { ...told, text };
  }

  /** Sends at most one message per frame, however fast the machine runs. */
  private flushSoon(): void {
    if (this.flushing) return;
    this.flushing = true;
    setTimeout(() => this.flush(), 16);
  }

  private flush(): void {
    this.flushing = false;
    if (this.gone) return;
    const { session, history } = this;
    const events = session.history(history.events.length) as unknown as HistoryEvent[];
    const steps = session.childSteps(history.steps);
    let next = 0;
    for (const step of steps) {
      while (next < events.length && events[next]!.id <= step.after) history.add(events[next++]!);
      history.addStep(step);
    }
    while (next < events.length) history.add(events[next++]!);
    const chunk = this.history.take();
    if (!chunk) return;
    this.tell({ note: "log", run: this.id, chunk, now: this.session.now }, buffersOf(chunk));
    const large = events.flatMap(largeIn);
    if (large.length > 0) this.tell({ note: "large", run: this.id, large: large.slice(0, MOST_LARGE) });
    this.saySoon();
  }

  private saySoon(): void {
    if (this.saying) return;
    this.saying = true;
    setTimeout(() => this.say(), 16);
  }

  private say(): void {
    this.saying = false;
    if (this.gone) return;
    const { session } = this;
    const flows = session.status === "running";
    const tasks = session.waiting().map(({ task, ...waiting }): WaitingTask => ({ id: task, ...waiting }));
    if (flows && tasks.length > 0) this.watch.rest();
    const children = session.executions();
    const names = new Map(children.map(({ id, name }) => [id, name]));
    this.tell({
      note: "waiting",
      run: this.id,
      tasks,
      children: children
        .slice(1)
        .slice(-MOST_THREADS)
        .map((one) => ({ ...one, by: names.get(one.parent!)! })),
    });
    const speed = SPEED[this.clock];
    // Listing all timers is expensive if much runs at once, so it is limited. The last message always has the current timers.
    const early = TIMERS_EVERY - (performance.now() - this.timersAt);
    if (!flows || early <= 0) {
      this.timers = this.pendingTimers();
      this.timersAt = performance.now();
    } else if (!this.late) {
      this.late = true;
      setTimeout(() => {
        this.late = false;
        this.saySoon();
      }, early + 1);
    }
    this.tell({
      note: "timer",
      run: this.id,
      due: session.due,
      now: session.now,
      speed: flows && typeof speed === "number" ? speed : 0,
      timers: this.timers,
    });
  }
}

/** Returns the description of what differs from the run before. */
function whatChanged(before: RunRequest & { json: string }, now: RunRequest & { json: string }): string {
  const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
  const changes = [
    before.json !== now.json && "definition edited",
    before.input !== now.input && "different input",
    !same([before.mocks, before.machines], [now.mocks, now.machines]) && "different mocks",
    before.seed !== now.seed && `seed ${now.seed}`,
    !same(before.config, now.config) && "different settings",
  ].filter((change) => change !== false);
  return changes.length === 0 ? "run again" : changes.join(", ");
}
