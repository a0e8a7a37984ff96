// The interpreter's thread: it compiles, lays out, runs, and owns the history. The page asks for what it shows.

import { type Execution, StateMachine, type Task, TaskError, type TaskHandler, type TaskHandlers, complete, init, layout, renderMermaid, renderSvg, validate, version } from "stepglass";
import type { Graph } from "../model/graph.ts";
import type { Answer, Call, Diagnostic, Methods, Note, RunRequest, RunResult, WaitingTask } from "../model/protocol.ts";
import { RunClock } from "./clock.ts";
import { findStates, findTasks, readSource } from "./definition.ts";
import { History, type HistoryEvent } from "./history.ts";
import * as asked from "./language.ts";

interface Open {
  resolve(value: unknown): void;
  reject(error: unknown): void;
  task: Task;
}

const post = (note: Note, transfer: Transferable[] = []): void => self.postMessage(note, { transfer });

/// One run; a new one ends the one before.
class Run {
  readonly history: History;
  readonly clock: RunClock;
  private execution: Execution | undefined;
  private readonly calls = new Map<number, Open>();
  private readonly asked = new Map<number, { waiting: WaitingTask; open?: Open }>();
  private nextCall = 1;
  private flushing = false;
  private saying = false;
  private over = false;

  constructor(readonly id: number, graph: Graph | undefined, private readonly request: RunRequest) {
    this.history = new History(graph);
    this.clock = new RunClock(request.clock, () => this.calls.size > 0 || this.asked.size > 0, () => this.saySoon());
  }

  start(json: string): void {
    const started = performance.now();
    const machine = new StateMachine(json, { name: "StateMachine" });
    let input: unknown = {};
    if (this.request.input.trim() !== "") input = JSON.parse(this.request.input);
    this.execution = machine.start(input, {
      name: `run-${this.id}`,
      seed: this.request.seed,
      clock: this.clock,
      tasks: this.handlers(),
      onEvent: (event: unknown) => {
        this.history.add(event as HistoryEvent);
        this.flushSoon();
      },
    });
    void this.execution.result.then((result: unknown) => {
      this.over = true;
      this.clock.stop();
      this.asked.clear();
      this.flush();
      this.say();
      post({ note: "ended", run: this.id, result: result as never, took: performance.now() - started });
    });
  }

  /// Shows events that were recorded elsewhere, instead of running; may be called again with more of them.
  show(events: readonly HistoryEvent[], result: RunResult | undefined): void {
    for (const event of events) this.history.add(event);
    this.flush();
    if (!result || this.over) return;
    this.over = true;
    this.clock.stop();
    post({ note: "ended", run: this.id, result, took: 0 });
  }

  stop(): void {
    this.execution?.abort("Stopped", "Stopped by hand on the page.");
  }

  answer(id: number, answer: Answer): void {
    const asked = this.asked.get(id);
    if (!asked || !this.execution) return;
    const { waiting, open } = asked;
    if (answer.kind === "heartbeat") {
      if (open) open.task.heartbeat();
      else if (waiting.token !== undefined) this.execution.heartbeat(waiting.token);
      return;
    }
    this.asked.delete(id);
    if (open) {
      if (answer.kind === "succeed") open.resolve(answer.output);
      else open.reject(new TaskError(answer.error, answer.cause));
    } else if (waiting.token !== undefined) {
      if (answer.kind === "succeed") this.execution.succeed(waiting.token, answer.output);
      else this.execution.fail(waiting.token, { error: answer.error, cause: answer.cause });
    }
    this.saySoon();
    this.clock.nudge();
  }

  /// What the sandbox says.
  hear(message: SandboxMessage): void {
    if (this.over) return;
    switch (message.type) {
      case "result":
      case "error": {
        const call = this.calls.get(message.id);
        if (!call) return;
        this.calls.delete(message.id);
        if (message.type === "result") call.resolve(message.value);
        else if (message.taskError) call.reject(new TaskError(message.name, message.message));
        else call.reject(Object.assign(new Error(message.message), { name: message.name, stack: message.stack }));
        this.clock.nudge();
        break;
      }
      case "heartbeat":
        this.calls.get(message.id)?.task.heartbeat();
        break;
      case "token": {
        this.forget(message.token);
        try {
          if (message.method === "succeed") this.execution?.succeed(message.token, message.value);
          else if (message.method === "fail") this.execution?.fail(message.token, message.value as { error?: string; cause?: string });
          else this.execution?.heartbeat(message.token);
        } catch (error) {
          post({ note: "console", run: this.id, level: "error", text: String((error as Error).message) });
        }
        this.clock.nudge();
        break;
      }
      case "log":
        post({ note: "console", run: this.id, level: message.level, text: message.text });
        break;
    }
  }

  /// No handler answers any more.
  handlersDied(message: string): void {
    for (const call of this.calls.values()) call.reject(Object.assign(new Error(message), { name: "HandlerStopped" }));
    this.calls.clear();
    this.clock.nudge();
  }

  private handlers(): TaskHandlers {
    if (this.request.resolver) return (input, task) => this.call("", input, task);
    const handlers: [string, TaskHandler][] = this.request.handlers.map((key) => [key, (input, task) => this.call(key, input, task)]);
    // The least specific pattern of all: only what has no handler comes here.
    if (this.request.ask && !this.request.handlers.includes("*")) handlers.push(["*", (input, task) => this.ask(input, task)]);
    return Object.fromEntries(handlers);
  }

  private call(key: string, input: unknown, task: Task): Promise<unknown> {
    const id = this.nextCall++;
    return new Promise((resolve, reject) => {
      const settle = (value: unknown): void => {
        resolve(value);
        // What a token waits for now is a person, unless the handler answers it itself.
        if (task.token !== undefined && task.resource.endsWith(".waitForTaskToken")) this.awaitToken(input, task);
      };
      this.calls.set(id, { resolve: settle, reject, task });
      task.signal.addEventListener("abort", () => {
        if (!this.calls.delete(id)) return;
        sandbox?.postMessage({ type: "cancel", id, reason: String((task.signal.reason as Error)?.message ?? "cancelled") });
        this.clock.nudge();
      });
      const { stateName, resource, attempt, token, timeoutSeconds, heartbeatSeconds, iterations, parameters } = task;
      const info = { id: task.id, stateName, resource, attempt, token, timeoutSeconds, heartbeatSeconds, iterations, parameters };
      if (!sandbox) throw new Error("the tasks' sandbox is not there");
      sandbox.postMessage({ type: "call", id, key, input, task: info });
    });
  }

  private ask(input: unknown, task: Task): unknown {
    if (task.token !== undefined && task.resource.endsWith(".waitForTaskToken")) {
      this.awaitToken(input, task);
      return {};
    }
    return new Promise((resolve, reject) => {
      const id = this.nextCall++;
      this.asked.set(id, { waiting: waitingTask(id, "ask", input, task), open: { resolve, reject, task } });
      this.onEnd(id, task);
    });
  }

  private answered = new Set<string>();

  private awaitToken(input: unknown, task: Task): void {
    if (task.token === undefined || this.answered.has(task.token)) return;
    const id = this.nextCall++;
    this.asked.set(id, { waiting: waitingTask(id, "token", input, task) });
    this.onEnd(id, task);
  }

  private onEnd(id: number, task: Task): void {
    task.signal.addEventListener("abort", () => {
      this.asked.delete(id);
      this.saySoon();
      this.clock.nudge();
    });
    this.saySoon();
  }

  private forget(token: string): void {
    this.answered.add(token);
    for (const [id, { waiting }] of this.asked) if (waiting.token === token) this.asked.delete(id);
    this.saySoon();
  }

  /// At most one message a frame, however fast the machine runs.
  private flushSoon(): void {
    if (this.flushing) return;
    this.flushing = true;
    setTimeout(() => this.flush(), 16);
  }

  private flush(): void {
    this.flushing = false;
    const chunk = this.history.take();
    if (!chunk) return;
    post({ note: "log", run: this.id, chunk, now: this.clock.now() }, [chunk.ops.buffer, chunk.nodes.buffer, chunk.edges.buffer, chunk.times.buffer]);
  }

  private saySoon(): void {
    if (this.saying) return;
    this.saying = true;
    setTimeout(() => this.say(), 16);
  }

  private say(): void {
    this.saying = false;
    if (this.id !== current?.id) return;
    post({ note: "waiting", run: this.id, tasks: [...this.asked.values()].map(({ waiting }) => waiting) });
    post({ note: "timer", run: this.id, due: this.over ? null : this.clock.due(), now: this.clock.now(), speed: this.clock.rate() });
  }
}

function waitingTask(id: number, kind: WaitingTask["kind"], input: unknown, task: Task): WaitingTask {
  const waiting: WaitingTask = { id, kind, state: task.stateName, resource: task.resource, attempt: task.attempt, iterations: [...task.iterations], input };
  if (task.token !== undefined) waiting.token = task.token;
  return waiting;
}

type SandboxMessage =
  | { type: "result"; id: number; value: unknown }
  | { type: "error"; id: number; name: string; message: string; stack?: string; taskError: boolean }
  | { type: "heartbeat"; id: number }
  | { type: "token"; method: "succeed" | "fail" | "heartbeat"; token: string; value: unknown }
  | { type: "log"; level: string; text: string };

let current: Run | undefined;
let runs = 0;
let sandbox: MessagePort | undefined;

const loaded = init().then(
  () => post({ note: "ready", version: version() }),
  (error: unknown) => {
    post({ note: "broken", message: String((error as Error)?.message ?? error) });
    throw error;
  },
);
loaded.catch(() => {});

const methods: { [M in keyof Methods]: (params: Methods[M]["params"]) => Promise<Methods[M]["value"]> | Methods[M]["value"] } = {
  ping: () => version(),

  complete: ({ text, offset }) => complete(text, offset),

  async analyze({ text, format, collapsed, expanded, direction }) {
    const started = performance.now();
    const source = await readSource(text, format);
    const { json, problems } = source;
    const broken = problems.some((problem) => problem.severity === "error");
    const diagnostics: Diagnostic[] = broken ? problems : [...problems, ...asked.settle(source, validate(json) as unknown as Diagnostic[])];
    let graph: Graph | undefined;
    try {
      graph = layout(json, { collapsed, expanded, foldLarge: true, direction }) as unknown as Graph;
      if (graph.nodes.length === 0) graph = undefined;
    } catch {
      // Not JSON: the diagnostics say so, the page keeps the last graph.
    }
    const analysis: Methods["analyze"]["value"] = { diagnostics, states: findStates(json), tasks: findTasks(json), took: performance.now() - started };
    if (graph) analysis.graph = graph;
    return analysis;
  },

  hover: asked.hover,
  references: asked.references,
  rename: asked.rename,
  actions: asked.actions,
  format: asked.format,

  async svg({ text, format, options }) {
    const { json } = await readSource(text, format);
    return renderSvg(json, options);
  },

  async mermaid({ text, format, direction }) {
    const { json } = await readSource(text, format);
    return renderMermaid(json, { direction });
  },

  async json({ text, format }) {
    return (await readSource(text, format)).json;
  },

  async run(request) {
    current?.stop();
    current = undefined;
    const { json } = await readSource(request.definition, request.format);
    const graph = layout(json) as unknown as Graph;
    current = new Run(++runs, graph, request);
    try {
      current.start(json);
    } catch (error) {
      current = undefined;
      throw error;
    }
    return { run: runs, graph };
  },

  async show({ definition, format, events, result }) {
    current?.stop();
    current = undefined;
    const { json } = await readSource(definition, format);
    const graph = layout(json) as unknown as Graph;
    const request: RunRequest = { definition, format, input: "", clock: "skip", seed: 0, handlers: [], resolver: false, ask: false };
    const shown = (current = new Run(++runs, graph, request));
    // After the answer, so that the page knows whose events they are.
    setTimeout(() => shown.show(events, result));
    return { run: runs, graph };
  },

  showMore({ run, events, result }) {
    if (current?.id === run) current.show(events, result);
    return null;
  },

  stop() {
    current?.stop();
    return null;
  },

  nextTimer: () => current?.clock.jump() ?? false,

  handlersDied({ message }) {
    sandbox?.close();
    sandbox = undefined;
    current?.handlersDied(message);
    return null;
  },

  answer({ id, answer }) {
    current?.answer(id, answer);
    return null;
  },

  rows: ({ filter, from, count }) => current?.history.rows(filter, from, count) ?? { total: 0, rows: [] },
  place: ({ filter, id }) => current?.history.place(filter, id) ?? -1,
  event: ({ id }) => current?.history.event(id) ?? null,
  visits: ({ state }) => current?.history.visitsOf(state) ?? [],
  history: () => JSON.stringify({ events: current?.history.events ?? [] }, null, 2),
};

self.onmessage = async ({ data, ports }: MessageEvent<Call | { connect: true }>) => {
  if ("connect" in data) {
    sandbox?.close();
    sandbox = ports[0];
    if (sandbox) sandbox.onmessage = (event: MessageEvent<SandboxMessage>) => current?.hear(event.data);
    return;
  }
  try {
    await loaded;
    const value = await methods[data.method](data.params as never);
    self.postMessage({ id: data.id, value });
  } catch (error) {
    self.postMessage({ id: data.id, error: String((error as Error)?.message ?? error) });
  }
};
