// A debugger of one machine: it runs and pauses, steps, goes back, forks, and looks into things.

import { Task } from "../driver/task.js";
import { inTime, later } from "../driver/scheduler.js";
import { handlerInput, jsonText } from "../integration.js";
import { StateMachine, checkOptions, engineSettings, handleOf, seedOf } from "../machine.js";
import { Handlers } from "../resource.js";
import { misuse } from "../errors.js";
import { Breakpoints } from "./breakpoints.js";
import { detailsOf } from "./chains.js";
import { machinesOf } from "./children.js";
import { hitsOf, outlineOf } from "./coverage.js";
import { differenceOf } from "./difference.js";
import { ask } from "./expressions.js";
import { Mocks, Reply, answerOf } from "./mocks.js";
import { Run, answersOf } from "./run.js";
import { eventAt, parsed, stackOf, stagesOf, valuesAt, variablesOf, visitAt } from "./view.js";

const OPTIONS = ["input", "name", "arn", "seed", "startTime", "tasks", "machines", "mocks", "ask", "clock", "breakpoints", "exceptions", "type", "payloadLimit", "historyLimit", "recorded"];
const NAMES = ["stopped", "continued", "terminated", "output", "tasks", "run", "progress"];
// The longest delay of setTimeout.
const LONGEST = 2 ** 31 - 1;

/** For saving: what a session consists of. */
export let reach;

export class DebugSession {
  static {
    reach = (session) => ({
      runs: session.#runs,
      current: session.#run,
      host: session.#host,
      adopt: (runs, current) => {
        session.#runs = runs;
        session.#lastRun = runs.at(-1).id;
        session.selectRun(current.id);
      },
    });
  }

  #options;
  #tasks;
  #machines;
  #handlers;
  #mocks;
  #clock;
  #runs = [];
  #lastRun = 0;
  #run;
  #mode = "paused";
  #goal;
  #ignoring = false;
  #queued = false;
  #pumping = false;
  #timer;
  #breakpoints = new Breakpoints();
  #listeners = new Map(NAMES.map((name) => [name, new Set()]));
  #stop = { reason: "start", description: "before the first state" };
  #disposed = false;

  /** Begins paused, before the first state. */
  constructor(definition, options = {}) {
    checkOptions(options, OPTIONS, "new DebugSession()");
    this.#options = options;
    this.#host.limits = { payloadLimit: options.payloadLimit, historyLimit: options.historyLimit };
    this.setMachines(options.machines);
    this.setTasks(options.tasks);
    this.setMocks(options.mocks);
    this.setClock(options.clock ?? "skip");
    if (options.breakpoints) this.setBreakpoints(options.breakpoints);
    if (options.exceptions) this.setExceptionBreakpoints(options.exceptions);
    const text = options.input === undefined ? "{}" : jsonText(options.input);
    const seed = seedOf(options.seed ?? 0);
    this.#begin(this.#newRun(definition, { input: text, seed, start: options.startTime ?? Date.now(), label: "Run" }));
  }

  /** Calls a listener for "stopped", "continued", "terminated", "output", "tasks", "run" or "progress"; returns what ends that. */
  on(name, listener) {
    const listeners = this.#listeners.get(name);
    if (listeners === undefined) throw misuse("INVALID_ARGUMENT", `there is no event ${JSON.stringify(name)}; there are ${NAMES.join(", ")}`);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  // Where it stands.

  /** "running", "paused", or "ended" where all has been seen. */
  get status() {
    if (this.#mode === "running") return "running";
    return this.#run.ended && this.#run.position === this.#run.recording.length ? "ended" : "paused";
  }

  /** Why it is paused: `{reason, description, breakpoint?}`. */
  get stopped() {
    return this.#stop;
  }

  /** How the execution has ended, as soon as that has been seen. */
  get outcome() {
    return this.#run.position === this.#run.recording.length ? this.#run.outcome : undefined;
  }

  /** The execution's time, in milliseconds since 1970: of what is looked at while it is paused. */
  get now() {
    if (this.#atEnd()) return this.#run.now();
    const event = this.#run.recording.events[this.event - 1];
    return event ? Date.parse(event.timestamp) : this.#run.start;
  }

  /** The place on the tape of events and stages that is looked at. */
  get position() {
    return this.#run.position;
  }

  /** Whether all is seen that has happened: nothing of it is to come before something new does. */
  get atRest() {
    return this.#atEnd();
  }

  /** The last event that has happened there; 0 before the first. */
  get event() {
    return eventAt(this.#run.recording, this.#run.position);
  }

  /** How many events have been seen at all. */
  get events() {
    return eventAt(this.#run.recording, this.#run.frontier);
  }

  /** The events that have been seen, from an index on, of the run that is looked at or of another. */
  history(from = 0, run = this.run) {
    const { recording, frontier } = this.#found(run);
    return recording.events.slice(from, eventAt(recording, frontier));
  }

  /**
   * What child executions of Distributed Maps were seen to do, from an index on: `{place, after, time, child}` and, of a stage,
   * `{state, entered, stage}`, of an end `{status}`.
   */
  childSteps(from = 0) {
    const { recording, frontier } = this.#run;
    const { steps, facts } = recording;
    const found = [];
    for (let i = from; i < steps.length && steps[i].place < frontier; i++) {
      const { fact, ...step } = steps[i];
      found.push({ ...step, time: facts[fact].fact[1] });
    }
    return found;
  }

  /** The definition's text that the present run has. */
  get definition() {
    return this.#run.definition;
  }

  /** The runs by their forks: `{id, parent, at, label, current, events, outcome}`. */
  runs() {
    return this.#runs.map((run) => ({ id: run.id, parent: run.parent, at: run.at, label: run.label, current: run === this.#run, events: eventAt(run.recording, run.frontier), ...(run.outcome && { outcome: run.outcome }) }));
  }

  get run() {
    return this.#run.id;
  }

  // Commands.

  /** Goes on to the next breakpoint or the end; with `ignoreBreakpoints` to the end. */
  continue({ ignoreBreakpoints = false } = {}) {
    this.#go(undefined, ignoreBreakpoints);
  }

  /** Stops before anything more happens. */
  pause() {
    if (this.#mode === "running") this.#halt({ reason: "pause", description: "by hand" });
  }

  /** Goes on to the next state of the same scope; what a Parallel or Map does inside is done whole. */
  next() {
    const here = this.#thread();
    const { chains } = this.#run.recording;
    this.#go((entry) => isEntering(entry) && chains.isWithin(here, chains.visitOf(entry.event.id).thread));
  }

  /** Goes into a Parallel or Map; in any other state to its first stage, and from there on to the next state. */
  stepIn() {
    const { recording, position } = this.#run;
    const visit = visitAt(recording, position);
    const last = recording.tape[position - 1];
    const begins = visit !== undefined && last?.kind === "event" && last.event.id === visit.enter;
    const container = visit?.type === "Parallel" || visit?.type === "Map";
    const here = this.#thread();
    const { chains } = recording;
    const within = (other) => other === visit || chains.isWithin(here, other?.thread);
    this.#go((entry) => {
      if (entry.kind === "stage") return (begins && !container && entry.entered === visit.enter && entry.child === undefined) || (container && entry.child !== undefined);
      if (!isEntering(entry)) return false;
      const entered = chains.visitOf(entry.event.id);
      return within(entered) || (visit !== undefined && isInside(chains, entered, visit));
    });
  }

  /** Finishes the branch or iteration, or the execution where there is none. */
  stepOut() {
    const { chains } = this.#run.recording;
    const here = this.#thread();
    const thread = chains.threads[here];
    const container = chains.visits[thread?.around ?? -1];
    if (container === undefined) return this.#go(undefined);
    this.#go((entry) => {
      if (entry.kind !== "event") return false;
      const { event } = entry;
      if (/^MapIteration(?:Succeeded|Failed|Aborted)$/.test(event.type)) return chains.visitOf(event.id) === container && detailsOf(event).index === thread.slot && thread.isIteration;
      return chains.visitOf(event.id) === container && /(?:Exited|Succeeded|Failed|Aborted)$/.test(event.type);
    });
  }

  /** Goes on by one stage of the data's flow, or by one event where there is none. */
  stepStage() {
    const { chains } = this.#run.recording;
    const here = this.#thread();
    this.#go((entry) => {
      const visit = entry.kind === "stage" ? chains.entered(entry.entered) : chains.visitOf(entry.event.id);
      return visit === undefined || chains.isWithin(here, visit.thread) || isInside(chains, visit, chains.visits[chains.threads[here]?.around ?? -1]);
    });
  }

  /** Goes back to the event before, of the same branch; out of the middle of a state to its last event. */
  stepBack() {
    const { recording, position } = this.#run;
    const last = this.event;
    const place = last === 0 ? 0 : recording.eventAt[last - 1] + 1;
    const to = place < position ? last : (recording.events[last - 1]?.previousEventId ?? 0);
    this.#look(to === 0 ? 0 : recording.eventAt[to - 1] + 1, { reason: "step", description: "back" });
  }

  /** Goes back to where a breakpoint would have stopped, or to the beginning. */
  reverseContinue() {
    for (let place = this.#run.position - 1; place > 0; place--) {
      const { stop } = this.#breakpoints.check(this.#run, place - 1, () => valuesAt(this.#run, place), false);
      if (stop) return this.#look(place, stop);
    }
    this.#look(0, { reason: "step", description: "before the first state" });
  }

  /** Looks at the moment after an event, the last of which is the present. */
  goto(event) {
    const { recording } = this.#run;
    const to = Math.max(0, Math.min(event, this.events));
    // The present is where the run stands, also in the middle of a state.
    const place = to === this.events ? this.#run.frontier : to === 0 ? 0 : recording.eventAt[to - 1] + 1;
    this.#look(place, { reason: "goto", description: `event ${to} of ${this.events}` });
  }

  /** Looks at the moment after a stage of a state: one of those that `stages()` tells of. */
  gotoPlace(place) {
    this.#look(Math.max(0, Math.min(place, this.#run.frontier)), { reason: "goto", description: "a stage" });
  }

  /**
   * Begins anew, with the same input, and with a definition's text if one is given. The other options stand from here on in
   * place of those that the session began with.
   */
  restart(definition = this.#run.definition, { input, label = "Run", ...options } = {}) {
    checkOptions(options, OPTIONS, "restart()");
    const before = this.#options;
    const { seed, start } = this.#run;
    this.#options = { ...before, ...options };
    let run;
    try {
      const text = input === undefined ? this.#run.input : jsonText(input);
      run = this.#newRun(definition, { input: text, seed: options.seed === undefined ? seed : seedOf(options.seed), start: options.startTime ?? start, label, named: options.name !== undefined || options.arn !== undefined });
    } catch (thrown) {
      this.#options = before;
      throw thrown;
    }
    if (options.machines !== undefined) this.setMachines(options.machines);
    if (options.tasks !== undefined) this.setTasks(options.tasks);
    if (options.mocks !== undefined) this.setMocks(options.mocks);
    if (options.clock !== undefined) this.setClock(options.clock);
    if (options.breakpoints !== undefined) this.setBreakpoints(options.breakpoints);
    if (options.exceptions !== undefined) this.setExceptionBreakpoints(options.exceptions);
    this.#halt();
    this.#breakpoints.reset();
    this.#begin(run);
  }

  /** Goes on until a state is entered. */
  runTo(state) {
    const { chains } = this.#run.recording;
    this.#go((entry) => isEntering(entry) && chains.visitOf(entry.event.id).state === state);
  }

  /** Ends the execution as ABORTED. */
  stop(error = "Stopped", cause = "Stopped by hand.") {
    const run = this.#run;
    if (run.ended) return;
    run.stop(error, cause);
    this.#look(run.recording.length, this.#stop, true);
    this.#go(undefined, true);
  }

  /** Ends everything: no task is called any more. */
  dispose() {
    this.#disposed = true;
    this.#halt();
    for (const run of this.#runs) {
      for (const call of run.calls.values()) call.onCancel?.("Stopped");
      run.children.stop();
      run.recording.discard();
    }
  }

  // What stops it.

  /** Puts breakpoints in place of all there are; returns them with their ids and hits. */
  setBreakpoints(breakpoints) {
    return this.#breakpoints.set(breakpoints).map((one) => ({ ...one }));
  }

  get breakpoints() {
    return this.#breakpoints.list.map((one) => ({ ...one }));
  }

  /** Errors to stop at: "none", "uncaught", "all", or a list of names. */
  setExceptionBreakpoints(filter) {
    this.#breakpoints.exceptions = filter;
  }

  /** Whether breakpoints count at all. */
  set breakpointsEnabled(enabled) {
    this.#breakpoints.enabled = enabled;
  }

  // The world.

  /** The handlers of tasks that are called from now on. */
  setTasks(tasks) {
    this.#tasks = tasks ?? {};
    this.#handlers = new Handlers(this.#tasks, this.#machines);
  }

  /** The machines that tasks may start from now on, by name or ARN. */
  setMachines(machines) {
    this.#machines = machinesOf(machines);
    if (this.#tasks) this.setTasks(this.#tasks);
  }

  /** The mocks of tasks from now on: by state, function or resource. */
  setMocks(mocks) {
    this.#mocks = new Mocks(mocks ?? {});
  }

  /** "skip", "manual", or how many times as fast as real time. */
  setClock(clock) {
    if (clock !== "skip" && clock !== "manual" && !(typeof clock === "number" && clock > 0)) throw misuse("INVALID_OPTION", 'clock must be "skip", "manual" or a number');
    this.#clock = clock;
    if (this.#mode === "running") {
      this.#flow();
      this.#pumpSoon();
    }
  }

  /** Lets so many milliseconds pass, or the time until something happens. False where nothing is to come. */
  advance(milliseconds) {
    const run = this.#run;
    if (!this.#atEnd()) return false;
    run.perform();
    const due = run.due();
    if (milliseconds === undefined && due === null) return false;
    run.jump(milliseconds === undefined ? due : run.now() + milliseconds);
    if (this.#mode === "running") this.#pumpSoon();
    else this.#go(undefined);
    return true;
  }

  /** When things happen by themselves, the next first: `{at, kind, state, iterations}`. */
  timers() {
    const run = this.#run;
    if (run.ended || !this.#atEnd()) return [];
    const kinds = { waiting: "wait", retrying: "retry", running: "timeout" };
    return run.recording
      .ask("frames")
      .filter(({ until }) => until !== undefined)
      .map(({ until, phase, state, iterations = [], retries }) => ({ at: until, kind: kinds[phase] ?? phase, state, iterations, retries }))
      .sort((a, b) => a.at - b.at);
  }

  /** When something happens by itself next, or null. */
  get due() {
    return this.#run.ended || !this.#atEnd() ? null : this.#run.due();
  }

  /** The tasks that wait for somebody's answer. */
  waiting() {
    return this.#run.waiting();
  }

  /** Answers a task: `{kind: "succeed", output}`, `{kind: "fail", error, cause}`, `{kind: "heartbeat"}`, `{kind: "silence"}`. */
  answer(task, answer) {
    const found = this.#run.answer(task, answer);
    if (found) {
      this.#tell("tasks");
      this.#pumpSoon();
    }
    return found;
  }

  /** Takes an activity's task as a worker of that name. */
  take(task, { workerName } = {}) {
    const found = this.#run.children.take(task, workerName);
    if (found) {
      this.#tell("tasks");
      this.#pumpSoon();
    }
    return found;
  }

  /** The calls of tasks and what they were answered, as `replayHistory()` tells of a recording's: also those of a Distributed Map's children. */
  calls() {
    return this.#run.answered().map(({ command: { state, iterations = [], attempt, resource }, facts }) => ({ state, iterations, attempt, resource, ...answerOf(facts) }));
  }

  /** Executions that tasks have started: `{name, arn, machine, parent, status, output, error, cause, events}`. */
  children() {
    return this.#run.children.list();
  }

  /** The events of an execution that a task has started. */
  childHistory(arn) {
    return this.#run.children.history(arn);
  }

  /** Answers the task that a token names: "succeed" with an output, "fail" with `{error, cause}`, or "heartbeat". */
  answerToken(token, method, value) {
    const call = this.#run.callOf(token);
    if (call === undefined) return this.#run.children.answerToken(token, method, value);
    call.answered = true;
    const { task } = call.command;
    if (method === "heartbeat") return this.answer(task, { kind: "heartbeat" });
    return this.answer(task, method === "fail" ? { kind: "fail", error: value?.error, cause: value?.cause } : { kind: "succeed", output: value });
  }

  // Looking into things.

  /** Chains of states that are not over: `{id, name, state, type, iterations, slot, visit}`, the outer ones first. */
  threads() {
    const { recording, position } = this.#run;
    const { chains } = recording;
    const last = new Map();
    for (const visit of chains.openAt(eventAt(recording, position))) last.set(visit.thread, visit);
    return [...last.values()].map((visit) => {
      const thread = chains.threads[visit.thread];
      return { id: thread.id, name: this.#threadName(thread.id), state: visit.state, type: visit.type, iterations: thread.iterations, slot: thread.slot, visit: visit.id, event: visit.enter };
    });
  }

  /** The states that lie around each other, the innermost first; of what is looked at, or of a thread. */
  stackTrace(thread) {
    const { recording, position } = this.#run;
    const visit = thread === undefined ? visitAt(recording, position) : recording.chains.visits[this.threads().find(({ id }) => id === thread)?.visit ?? -1];
    return visit === undefined ? [] : stackOf(recording, visit, position);
  }

  /** The variables in reach of a visit, each with its value and who assigned it. */
  scopes(visit) {
    const at = this.#visit(visit);
    return at === undefined ? {} : variablesOf(this.#run.recording, at, this.#run.position);
  }

  /** The stages of a visit that were seen: `{place, stage, value}`; of its last attempt or the given one, and how many there are. */
  stages(visit, attempt, { all = false } = {}) {
    const { recording, position, frontier } = this.#run;
    const at = this.#visit(visit);
    if (at === undefined) return { attempts: 0, stages: [] };
    const found = stagesOf(recording, at, all ? frontier : position, attempt);
    return { attempts: found.attempt + 1, input: parsed(detailsOf(recording.events[at.enter - 1]).input), stages: found.places.map((place) => ({ place, stage: recording.tape[place].stage, value: recording.valueAt(place), after: recording.tape[place].after })) };
  }

  /** Visits of a state that were seen: `{id, enter, exit, end, iterations, attempts}`. */
  visits(state) {
    const { recording } = this.#run;
    const { events } = this;
    return recording.chains.visitsOf(state).filter(({ enter }) => enter <= events).map((visit) => {
      const thread = recording.chains.threads[visit.thread];
      return { id: visit.id, enter: visit.enter, exit: visit.exit <= events ? visit.exit : 0, end: visit.end <= events ? visit.end : 0, iterations: thread.iterations, slot: thread.slot, attempts: visit.attempts };
    });
  }

  /** All visits by their entering, with the pauses between their attempts: `{…, threadName, backoffs: [{failed, again}]}`. */
  *visitsInOrder() {
    const { recording } = this.#run;
    const { chains, tape } = recording;
    const { events } = this;
    for (const visit of chains.visits) {
      if (visit.enter > events) return;
      const backoffs = [];
      if (visit.attempts > 1) {
        for (const place of recording.stagesOf(visit.enter)) {
          const failed = tape[place].after;
          if (tape[place].stage === "retry") backoffs.push({ failed, again: nextAttempt(recording, failed, visit) });
        }
      }
      yield { ...visit, slot: chains.threads[visit.thread].slot, threadName: this.#threadName(visit.thread), backoffs };
    }
  }

  #threadName(id) {
    const { chains } = this.#run.recording;
    const thread = chains.threads[id];
    const around = chains.visits[thread.around];
    return around === undefined ? "Execution" : thread.isIteration ? `${around.state} #${thread.slot}` : `${around.state} branch ${thread.slot + 1}`;
  }

  /** Evaluates in "jsonata", "jsonpath" or "template" where one looks, or in a visit: `{value}`, `{nothing}` or `{message}`. */
  evaluate(question, { language = "jsonata", visit, values } = {}) {
    const run = this.#run;
    return ask(language, question, values ?? valuesAt(run, run.position, visit === undefined ? undefined : this.#visit(visit)));
  }

  /** What expressions see where one looks. */
  values(visit) {
    return valuesAt(this.#run, this.#run.position, visit === undefined ? undefined : this.#visit(visit));
  }

  /** Frames of the engine as they were where one looks, from the nearest snapshot on. */
  frames() {
    const { recording, position } = this.#run;
    if (position === recording.length) return recording.ask("frames");
    const last = position === 0 ? 0 : recording.tape[position - 1].fact;
    const fact = last + (position > 0 && recording.tape[position].fact !== last ? 1 : 0);
    const engine = recording.engineBefore(fact);
    try {
      return JSON.parse(engine.ask("frames"));
    } finally {
      engine.discard();
    }
  }

  // Other runs.

  /** A run that is as this one was up to an event, and goes on from there by itself. */
  fork({ event = this.event, label = `fork at ${event}` } = {}) {
    const { recording } = this.#run;
    if (event <= 0) return this.restart();
    const place = recording.eventAt[Math.min(event, this.events) - 1];
    const { fact } = recording.tape[place];
    this.#fork(fact, undefined, label, event, (run) => run.feed(fact === 0 ? run.next() : withoutTime(recording.facts[fact].fact)), place + 1);
  }

  /** Sets an input, a task's result or a variable where one looks, which is a fork: `target` is "input", "result" or "variable". */
  setValue({ target, name, value, visit }) {
    const { recording, position } = this.#run;
    const at = this.#visit(visit);
    if (at === undefined) {
      if (target === "input") return this.restart(this.#run.definition, { input: value });
      throw misuse("NOT_SETTABLE", "no state has been entered yet", Error);
    }
    const label = target === "variable" ? `✎ $${name}` : `✎ ${target} of ${at.state}`;
    if (target === "input") {
      const place = recording.eventAt[at.enter - 1];
      const { fact } = recording.tape[place];
      this.#fork(fact, ({ frames, ready }) => (frames.find(({ id }) => id === ready[0]).input = value), label, at.enter, (run) => run.feed(["tick"]), place + 1);
    } else if (target === "result") {
      const place = recording.stagesOf(at.enter).findLast((one) => recording.tape[one].stage === "result" && one < Math.max(position, 1));
      const fact = place === undefined ? undefined : recording.tape[place].fact;
      if (fact === undefined || recording.facts[fact].fact[0] !== "succeed") throw misuse("NOT_SETTABLE", "only a Task's result can be set, after it has come", Error);
      const [method, , task] = recording.facts[fact].fact;
      this.#fork(fact, undefined, label, eventAt(recording, place), (run) => run.feed([method, task, jsonText(value)]), place + 1);
    } else if (target === "variable") {
      const inside = position > 0 && (position < recording.length || this.#run.performed < recording.facts.length);
      const fact = inside ? recording.tape[position - 1].fact : recording.facts.length;
      const change = ({ frames, ready }) => {
        const frame = frames.find(({ enteredEvent, phase }) => enteredEvent === at.enter && phase !== "enter") ?? frames.find(({ id }) => id === ready[0]);
        if (frame === undefined) throw misuse("NOT_SETTABLE", "the variable's scope is over", Error);
        frame.variables[name] = value;
      };
      this.#fork(fact, change, label, this.event, inside ? (run) => run.feed(withoutTime(recording.facts[fact].fact)) : undefined, position);
    } else throw misuse("INVALID_ARGUMENT", 'a target is "input", "result" or "variable"');
  }

  /** As DAP has it. */
  setVariable(name, value) {
    this.setValue({ target: "variable", name, value });
  }

  /**
   * Takes another definition while paused: the run is made again from its start, with the answers that tasks gave, up to
   * where one looks. Returns `{same: true}`, or `{event, was, now}` with the first event that is another; the run is then
   * paused there. Throws DefinitionError and changes nothing where the definition has errors.
   */
  applyDefinition(definition) {
    const old = this.#run;
    const until = this.event;
    const offset = old.position - (until === 0 ? 0 : old.recording.eventAt[until - 1] + 1);
    const { input, seed, start } = old;
    const run = this.#newRun(definition, { input, seed, start, label: "edited definition", parent: old.id, at: until });
    run.answers = old.recordedAnswers();
    let checked = 0;
    let different;
    while (different === undefined && run.recording.events.length < until) {
      run.perform();
      let fact = run.next();
      if (fact === undefined && run.due() !== null && !run.busy) {
        run.jump(run.due());
        fact = run.next();
      }
      if (fact === undefined) {
        different = run.recording.events.length + 1;
        break;
      }
      run.feed(fact);
      const { events } = run.recording;
      for (; different === undefined && checked < Math.min(events.length, until); checked++) if (!alike(old.recording.events[checked], events[checked])) different = checked + 1;
    }
    this.#halt();
    this.#begin(run);
    const { recording } = run;
    const event = different ?? until;
    const shown = Math.min(event, recording.events.length);
    const base = shown === 0 ? 0 : recording.eventAt[shown - 1] + 1;
    run.position = different === undefined ? Math.min(base + Math.max(0, offset), recording.length) : base;
    run.frontier = Math.max(run.position, run.frontier);
    const report = different === undefined ? { same: true } : { event: different, was: brief(old.recording, different), now: brief(recording, different) };
    this.#stopAt({ reason: "edit", description: different === undefined ? "the new definition took the same way" : `diverged at event ${different}: ${report.now} (was ${report.was})` });
    return report;
  }

  /** Looks at another run. */
  selectRun(id) {
    const run = this.#found(id);
    this.#halt();
    this.#run = run;
    this.#tell("run", { run: id });
    this.#stopAt({ reason: "goto", description: run.label });
  }

  /** Forgets a run that is not looked at; its forks stay, as runs without a parent. */
  removeRun(id) {
    const run = this.#found(id);
    if (run === this.#run) throw misuse("INVALID_ARGUMENT", "the run that is looked at cannot be removed");
    for (const call of run.calls.values()) call.onCancel?.("Stopped");
    run.recording.discard();
    this.#runs = this.#runs.filter((one) => one !== run);
    for (const fork of this.#runs) if (fork.parent === id) fork.parent = fork.at = undefined;
  }

  /**
   * How often each part of its definition a run has used, as far as it was seen: `{pointer: count}`. A fork counts from where
   * it left its parent on, so that the sum over all runs counts nothing twice; with `whole` from the beginning.
   */
  coverage(id = this.run, { whole = false } = {}) {
    const run = this.#found(id);
    return this.#hits(run, whole ? 0 : run.own);
  }

  #hits({ recording, frontier }, from) {
    return hitsOf(recording, outlineOf(recording.machine), from, frontier);
  }

  /** Two runs beside each other: `{visits, ways, common}`. */
  compare(a, b) {
    const [one, other] = [a, b].map((id) => {
      const run = this.#found(id);
      return { recording: run.recording, events: eventAt(run.recording, run.frontier), hits: this.#hits(run, 0) };
    });
    return differenceOf(one, other);
  }

  // Inside.

  #found(id) {
    const run = this.#runs.find((one) => one.id === id);
    if (run === undefined) throw misuse("INVALID_ARGUMENT", `there is no run ${id}`, RangeError);
    return run;
  }

  #newRun(definition, { input, seed, start, label, parent, at, named }) {
    const { name, arn, type } = this.#options;
    const machine = definition instanceof StateMachine ? definition : new StateMachine(definition, type ? { type } : {});
    const id = this.#lastRun + 1;
    const info = { name: name ?? `run-${id}`, stateMachineName: machine.name, ...(arn !== undefined && { arn }) };
    return this.#answered(new Run({ id, parent, at, label, definition, machine: handleOf(machine), settings: engineSettings(this.#options, machine.type), info: (named ? undefined : this.#run?.info) ?? info, seed, input, start, host: this.#host }));
  }

  /** Calls that the recorded execution had are answered as they were there, unless a mock stands for them. */
  #answered(run) {
    if (this.#options.recorded) run.recorded = answersOf(this.#options.recorded);
    return run;
  }

  #begin(run) {
    this.#runs.push(run);
    this.#lastRun = run.id;
    this.#run = run;
    this.#tell("run", { run: run.id });
    this.#stopAt({ reason: "start", description: "before the first state" });
  }

  #fork(fact, change, label, at, feed, position) {
    const old = this.#run;
    this.#halt();
    const recording = old.recording.forked(fact, change);
    const { definition, info, seed, input, start } = old;
    const run = this.#answered(new Run({ id: this.#lastRun + 1, parent: old.id, at, label, definition, info, seed, input, start, host: this.#host, recording }));
    if (feed) feed(run);
    run.position = Math.min(position, recording.length);
    run.frontier = run.own = run.position;
    this.#begin(run);
  }

  #host = {
    resource: (text) => this.#handlers.resource(text),
    reply: (command) => {
      const mock = this.#mocks.find(command);
      if (mock) return { reply: (task, call, run, given = this.#given) => mock(task, (handler) => handler(...given(call, run))), mode: this.#mocks.modeOf(mock), mocked: true };
      const handler = this.#handlers.find(command.resource, command.state, command.input);
      if (typeof handler === "function") return { reply: (_, call, run, given = this.#given) => handler(...given(call, run)), mode: "handler" };
      if (handler !== undefined) return { taker: handler, mode: "handler" };
      return this.#options.ask ? { reply: () => new Reply({ ask: true }), mode: "ask" } : { reply: undefined, mode: "missing" };
    },
    missing: ({ resource, state, input }) => this.#handlers.missing(resource, state, input),
    given: (call, run) => this.#given(call, run),
    limits: undefined,
    changed: (run) => {
      if (run !== this.#run) return;
      this.#tell("tasks");
      this.#pumpSoon();
    },
  };

  /** What a handler is given. */
  #given = (call, run) => {
    const { command } = call;
    const execution = {
      name: run.info.name,
      succeed: (token, output) => this.answerToken(token, "succeed", output),
      fail: (token, failure = {}) => this.answerToken(token, "fail", failure),
      heartbeat: (token) => this.answerToken(token, "heartbeat"),
    };
    const task = new Task(command, {
      execution,
      heartbeat: (id) => {
        run.heartbeat(id);
        this.#host.changed(run);
      },
      sleep: (_, milliseconds) => run.children.sleep(call, milliseconds),
    });
    call.onCancel = (reason) => Task.cancel(task, reason);
    return [handlerInput(call.resource, command.input), task];
  };

  #atEnd() {
    return this.#run.position === this.#run.recording.length;
  }

  #thread() {
    const { recording, position } = this.#run;
    return visitAt(recording, position)?.thread ?? 0;
  }

  #visit(visit) {
    const { recording, position } = this.#run;
    return visit === undefined ? visitAt(recording, position) : recording.chains.visits[visit];
  }

  #go(goal, ignoring = false) {
    if (this.status === "ended" || this.#disposed) return;
    this.#goal = goal;
    this.#ignoring = ignoring;
    if (this.#mode !== "running") {
      this.#mode = "running";
      this.#flow();
      this.#tell("continued");
    }
    // A step is mostly done at once.
    this.#pump();
  }

  #look(place, stop, quiet = false) {
    this.#halt();
    this.#run.position = place;
    if (!quiet) this.#stopAt(stop);
  }

  /** Freezes time and everything. */
  #halt(stop) {
    clearTimeout(this.#timer);
    this.#run?.flow(0);
    const ran = this.#mode === "running";
    this.#mode = "paused";
    this.#goal = undefined;
    if (ran && stop) this.#stopAt(stop);
  }

  #stopAt(stop) {
    this.#stop = stop;
    this.#tell("stopped", stop);
  }

  #flow() {
    const live = this.#mode === "running" && this.#atEnd();
    this.#run.flow(live && typeof this.#clock === "number" ? this.#clock : 0);
  }

  #pumpSoon() {
    if (this.#queued || this.#mode !== "running") return;
    this.#queued = true;
    later(() => {
      this.#queued = false;
      this.#pump();
    });
  }

  /** Moves along the tape, and makes more of it. */
  #pump() {
    if (this.#pumping || this.#mode !== "running") return;
    this.#pumping = true;
    try {
      this.#moveOn();
    } catch (thrown) {
      // A bug of the interpreter, or a fact that it refuses: all that was seen before stays to be looked at.
      this.#halt({ reason: "exception", description: thrown?.message ?? String(thrown) });
    } finally {
      this.#pumping = false;
    }
  }

  #moveOn() {
    const run = this.#run;
    const { recording } = run;
    let stepped = false;
    while (this.#mode === "running" && run === this.#run) {
      if (run.position < recording.length) {
        const place = run.position++;
        const fresh = run.position > run.frontier;
        if (fresh) run.frontier = run.position;
        const { stop, logs } = this.#ignoring ? NOTHING : this.#breakpoints.check(run, place, () => valuesAt(run, run.position), fresh);
        for (const log of logs) this.#tell("output", { ...log, event: this.event });
        const reached = this.#goal?.(recording.tape[place], place);
        if (stop || reached) this.#halt(stop ?? { reason: "step", description: "" });
        continue;
      }
      if (!stepped) this.#flow();
      stepped = true;
      run.perform();
      const fact = run.next();
      if (fact !== undefined) {
        run.feed(fact);
        if (!inTime()) {
          this.#tell("progress");
          return this.#pumpSoon();
        }
        continue;
      }
      this.#tell("progress");
      if (run.ended) {
        this.#halt();
        this.#stop = { reason: "end", description: "" };
        this.#tell("terminated", run.outcome);
        return;
      }
      this.#tell("tasks");
      if (!this.#wait(run)) return;
    }
    this.#tell("progress");
  }

  /** Nothing is to be done at once. Whether time was moved. */
  #wait(run) {
    const due = run.due();
    if (due === null) return false;
    if (this.#clock === "skip") {
      if (run.busy) return false;
      run.jump(due);
      return true;
    }
    if (this.#clock === "manual") return false;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#pump(), Math.min(Math.max(0, (due - run.now()) / this.#clock) + 1, LONGEST));
    return false;
  }

  #tell(name, what) {
    for (const listener of this.#listeners.get(name)) {
      try {
        listener(what);
      } catch (thrown) {
        console.error(`stepglass: a listener of ${name} has thrown`, thrown);
      }
    }
  }
}

const NOTHING = { logs: [] };

function isEntering(entry) {
  return entry.kind === "event" && entry.event.type.endsWith("StateEntered");
}

function isInside(chains, visit, container) {
  for (let at = visit; container !== undefined && at !== undefined; at = chains.visits[at.around]) if (at === container) return true;
  return false;
}

/** The event that begins the attempt after a failed one; 0 while there is none. */
function nextAttempt({ chains, events }, failed, visit) {
  for (let id = failed + 1; id <= events.length; id++) {
    if (chains.visitOf(id) === visit && /(?:Scheduled|Started)$/.test(events[id - 1].type)) return id;
    if (visit.end > 0 && id > visit.end) return 0;
  }
  return 0;
}

function withoutTime([method, , ...rest]) {
  return [method, ...rest];
}

/** Whether two events are the same step of the same way, whatever data they carry. */
function alike(a, b) {
  if (a === undefined || b === undefined || a.type !== b.type || a.previousEventId !== b.previousEventId) return false;
  const [x, y] = [detailsOf(a), detailsOf(b)];
  return x.name === y.name && x.index === y.index && x.resource === y.resource;
}

function brief({ events }, id) {
  const event = events[id - 1];
  if (event === undefined) return "nothing yet";
  const { name, index } = detailsOf(event);
  return [event.type, name, index === undefined ? undefined : `#${index}`].filter((part) => part !== undefined).join(" ");
}
