// @ts-nocheck: has no types yet.
// A debugger of one machine: it runs and pauses, steps, goes back, forks, and looks into things.

import { Task } from "../driver/task.ts";
import { inTime, later } from "../driver/scheduler.ts";
import { argumentText, handlerInput } from "../tasks/integration.ts";
import { StateMachine, checkStart, machineSettings, seedOf } from "../execution/machine.ts";
import { dispose } from "../base/dispose.ts";
import { checkOptions, shown } from "../base/options.ts";
import { Handlers } from "../tasks/resource.ts";
import { misuse } from "../base/errors.ts";
import { startsExecution } from "./borders.ts";
import { Breakpoints } from "./breakpoints.ts";
import { detailsOf } from "./chains.ts";
import { listOf, machinesOf, startedIn } from "./children.ts";
import { hitsOf, outlineOf } from "./coverage.ts";
import { differenceOf } from "./difference.ts";
import { answered, changeOf, madeAgain } from "./editing.ts";
import { ask } from "./expressions.ts";
import { guard } from "./given.ts";
import { Mocks, Reply, answerOf } from "./mocks.ts";
import { TASKS, withoutTime } from "./execution.ts";
import { Run, answersOf, firstOf } from "./run.ts";
import { stepsInto, stepsOut, stepsOver, stepsStage } from "./steps.ts";
import { childVisits, visitsOf } from "./visits.ts";
import { eventAt, isEntering, ofOneItem, parsed, stackOf, stagesOf, valuesAt, variablesOf, visitAt } from "./view.ts";

const OPTIONS = ["input", "name", "arn", "seed", "startTime", "tasks", "machines", "mocks", "ask", "clock", "breakpoints", "exceptions", "type", "jsonata", "substitutions", "payloadLimit", "historyLimit", "recorded"];
const NAMES = ["stopped", "continued", "terminated", "output", "tasks", "run", "execution", "progress"];
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
    const text = options.input === undefined ? "{}" : argumentText(options.input, "the input");
    const seed = seedOf(options.seed ?? 0);
    this.#begin(this.#newRun(definition, { input: text, seed, start: options.startTime ?? Date.now(), label: "Run" }));
  }

  /** Calls a listener for "stopped", "continued", "terminated", "output", "tasks", "run", "execution" or "progress"; returns what ends that. */
  on(name, listener) {
    const listeners = this.#listeners.get(name);
    if (listeners === undefined) throw misuse("INVALID_ARGUMENT", `there is no event ${shown(name)}; the events are ${NAMES.join(", ")}`);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  // Where it stands.

  /** "running", "paused", or "ended" where all has been seen. */
  get status() {
    if (this.#mode === "running") return "running";
    return this.#run.over && this.#atEnd() ? "ended" : "paused";
  }

  /** Why it is paused: `{reason, description, breakpoint?, execution?}`. */
  get stopped() {
    return this.#stop;
  }

  /** How the execution has ended, as soon as that has been seen. */
  get outcome() {
    const { first } = this.#run;
    return first.position === first.recording.length ? first.outcome : undefined;
  }

  /** The execution's time, in milliseconds since 1970: of what is looked at while it is paused. */
  get now() {
    if (this.#atEnd()) return this.#run.now();
    for (let at = this.#run.position - 1; at >= 0; at--) {
      const { execution, place } = this.#run.entryAt(at);
      const entry = execution.recording.tape[place];
      if (entry.kind !== "event") continue;
      const told = Date.parse(entry.event.timestamp);
      // A year of five digits is none that a Date reads.
      return Number.isNaN(told) ? execution.recording.facts[entry.fact].fact[1] : told;
    }
    return this.#run.start;
  }

  /** The place on the tape of events and stages that is looked at. */
  get position() {
    return this.#at.position;
  }

  /** Whether all is seen that has happened: nothing of it is to come before something new does. */
  get atRest() {
    return this.#atEnd();
  }

  /** The last event that has happened there; 0 before the first. */
  get event() {
    return eventAt(this.#at.recording, this.#at.position);
  }

  /** How many events have been seen at all. */
  get events() {
    return eventAt(this.#at.recording, this.#at.frontier);
  }

  /**
   * The events that have been seen, from an index on, of the execution that is looked at; with a run or an execution's number,
   * of another.
   */
  history(from = 0, run = undefined, execution = run === undefined ? this.execution : 0) {
    const { recording, frontier } = this.#executionOf(run === undefined ? this.#run : this.#found(run), execution);
    return recording.events.slice(from, eventAt(recording, frontier));
  }

  /**
   * What child executions of Distributed Maps were seen to do, from an index on: `{place, after, time, child}` with the `event` of
   * the child's own history, of its first also `{parent?, run, index}`, or with the `status` that it has ended with. Events that
   * happened long ago may be without their payloads.
   */
  childSteps(from = 0) {
    const { recording, frontier } = this.#at;
    const { steps, facts, tape } = recording;
    const found = [];
    for (let i = from; i < steps.length && steps[i] < frontier; i++) {
      const { strand, event, status, after, fact } = tape[steps[i]];
      const { parent, run, index } = strand.begun;
      const begun = event?.id === 1 ? { ...(parent.child !== undefined && { parent: parent.child }), run, index } : undefined;
      found.push({ place: steps[i], after, time: facts[fact].fact[1], child: strand.child, ...begun, ...(event === undefined ? { status } : { event }) });
    }
    return found;
  }

  /** The definition of the execution that is looked at. */
  get definition() {
    return this.#at.definition;
  }

  /** The definition of an execution of this run, by its number. */
  definitionOf(execution) {
    return this.#executionOf(this.#run, execution).definition;
  }

  /** The number of the execution that is looked at: 0 is the run's own. */
  get execution() {
    return this.#at.number;
  }

  /** The run's own execution and those that its tasks have started, in turn, as far as they were seen. */
  executions() {
    return listOf(this.#run);
  }

  /** Looks at another execution of the run, at the same moment; a run that goes on goes on. */
  selectExecution(id) {
    const execution = this.#executionOf(this.#run, id);
    if (execution === this.#at) return;
    this.#turnTo(execution);
    if (this.#mode !== "running") this.#stopAt({ reason: "goto", description: execution.name });
  }

  /** The runs by their forks: `{id, parent, at, label, current, events, outcome}`. */
  runs() {
    return this.#runs.map((run) => ({ id: run.id, parent: run.parent, at: run.at, label: run.label, current: run === this.#run, events: eventAt(run.first.recording, run.first.frontier), ...(run.atExecution && { atExecution: run.atExecution }), ...(run.outcome && { outcome: run.outcome }) }));
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

  /** Goes on to the next state of the same scope; what a Parallel, a Map or a started execution does inside is done whole. */
  next() {
    this.#go(stepsOver(this.#at, visitAt(this.#at.recording, this.#at.position)));
  }

  /**
   * Goes into a Parallel or Map, or into the execution that a Task starts; in any other state to its first stage, and from
   * there on to the next state.
   */
  stepIn() {
    const at = this.#at;
    const visit = visitAt(at.recording, at.position);
    this.#go(stepsInto(at, visit, visit !== undefined && startsExecution(at, visit, this.#machines, this.#mocks)));
  }

  /** Finishes the branch or iteration; where there is none the execution, back to the task that has started it. */
  stepOut() {
    this.#go(stepsOut(this.#at, visitAt(this.#at.recording, this.#at.position)));
  }

  /** Goes on by one stage of the data's flow, or by one event where there is none. */
  stepStage() {
    this.#go(stepsStage(this.#at, visitAt(this.#at.recording, this.#at.position)));
  }

  /** Goes back to the event before, of the same branch; out of the middle of a state to its last event. */
  stepBack() {
    const at = this.#at;
    const { recording, position } = at;
    const { strand = recording.own } = visitAt(recording, position) ?? {};
    const seen = strand.eventsAt(position);
    if (strand.begun !== undefined && seen > 0) {
      const behind = strand.eventAt[seen - 1] + 1;
      const before = behind < position ? seen : strand.events[seen - 1].previousEventId;
      if (before > 0) return this.#look(this.#run.placeAfter(at, strand.eventAt[before - 1] + 1), { reason: "step", description: "back" });
    }
    const last = this.event;
    const place = last === 0 ? 0 : recording.eventAt[last - 1] + 1;
    const to = place < position ? last : (recording.events[last - 1]?.previousEventId ?? 0);
    // Before the first event of a started execution is the task that has started it.
    if (to === 0 && at.parent) this.#turnTo(at.parent);
    this.#look(this.#run.placeAfter(at, to === 0 ? 0 : recording.eventAt[to - 1] + 1), { reason: "step", description: "back" });
  }

  /** Goes back to where a breakpoint would have stopped, or to the beginning. */
  reverseContinue() {
    const run = this.#run;
    for (let row = run.position - 1; row > 0; row--) {
      const { execution, place } = run.entryAt(row - 1);
      const { stop } = this.#breakpoints.check(execution, place, () => valuesAt(execution, place + 1), false);
      if (!stop) continue;
      this.#turnTo(execution);
      return this.#look(row, stop);
    }
    this.#turnTo(run.first);
    this.#look(0, { reason: "step", description: "before the first state" });
  }

  /** Looks at the moment after an event, the last of which is the present. */
  goto(event) {
    const at = this.#at;
    const to = Math.max(0, Math.min(event, this.events));
    const place = to === this.events ? this.#present(at) : this.#run.placeAfter(at, to === 0 ? 0 : at.recording.eventAt[to - 1] + 1);
    this.#look(place, { reason: "goto", description: `event ${to} of ${this.events}` });
  }

  /** Looks at the moment after a stage of a state: one of those that `stages()` tells of. */
  gotoPlace(place) {
    const at = this.#at;
    this.#look(place >= at.frontier ? this.#present(at) : this.#run.placeAfter(at, Math.max(0, place)), { reason: "goto", description: "a stage" });
  }

  /** The last that was seen of an execution: where the run stands, also in the middle of a state. */
  #present(at) {
    return at.parent && at.ended ? this.#run.placeAfter(at, at.frontier) : this.#run.frontier;
  }

  /**
   * Begins anew, with the same input, and with a definition's text if one is given. The other options stand from here on in
   * place of those that the session began with.
   */
  restart(definition = this.#run.definition, { input, label = "Run", ...options } = {}) {
    checkOptions(options, OPTIONS, "restart()");
    const before = this.#options;
    const { seed, start, input: given } = this.#run.first;
    this.#options = { ...before, ...options };
    let run;
    try {
      const text = input === undefined ? given : argumentText(input, "the input");
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

  /** Goes on until a state of the machine that is looked at is entered. */
  runTo(state) {
    const { stateMachineName } = this.#at.info;
    this.#go((entry, at) => at.info.stateMachineName === stateMachineName && isEntering(entry) && detailsOf(entry.event).name === state);
  }

  /** Ends the execution as ABORTED, and all that its tasks have started. */
  stop(error = "Stopped", cause = "Stopped by hand.") {
    const run = this.#run;
    if (run.over) return;
    run.stop(error, cause);
    this.#look(run.length, this.#stop, true);
    this.#go(undefined, true);
  }

  /** Ends everything: no task is called any more. */
  dispose() {
    this.#disposed = true;
    this.#halt();
    for (const run of this.#runs) run.discard();
  }

  [dispose]() {
    this.dispose();
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
    if (typeof enabled !== "boolean") throw misuse("INVALID_ARGUMENT", `breakpointsEnabled must be true or false, not ${shown(enabled)}`);
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
    if (clock !== "skip" && clock !== "manual" && !(Number.isFinite(clock) && clock > 0)) throw misuse("INVALID_OPTION", `clock must be "skip", "manual" or a number above 0, not ${shown(clock)}`);
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
    if (!this.#atEnd()) return [];
    const kinds = { waiting: "wait", retrying: "retry", running: "timeout" };
    const timersOf = ({ recording, parent, name }) => recording
      .ask("frames")
      .filter(({ until }) => until !== undefined)
      .map(({ until, phase, state, iterations = [], retries }) => ({ at: until, kind: kinds[phase] ?? phase, state, iterations, retries, ...(parent && { execution: name }) }));
    return this.#run.executions.filter(({ ended }) => !ended).flatMap(timersOf).sort((a, b) => a.at - b.at);
  }

  /** When something happens by itself next, or null. */
  get due() {
    return this.#atEnd() ? this.#run.due() : null;
  }

  /** The tasks that wait for somebody's answer. */
  waiting() {
    return this.#run.executions.flatMap((execution) => execution.waiting()).sort((a, b) => a.since - b.since);
  }

  /** Answers a task: `{kind: "succeed", output}`, `{kind: "fail", error, cause}`, `{kind: "heartbeat"}`, `{kind: "silence"}`. */
  answer(task, answer) {
    return this.#heard(this.#run.executions[Math.floor(task / TASKS)]?.answer(task % TASKS, answer));
  }

  /** Takes an activity's task as a worker of that name. */
  take(task, { workerName } = {}) {
    return this.#heard(this.#run.executions[Math.floor(task / TASKS)]?.take(task % TASKS, workerName));
  }

  #heard(found = false) {
    if (found) {
      this.#tell("tasks");
      this.#pumpSoon();
    }
    return found;
  }

  /**
   * The calls of the run's own tasks and what they were answered, as `replayHistory()` tells of a recording's: also those of a
   * Distributed Map's children.
   */
  calls() {
    return answered(this.#run.first).map(({ command: { state, iterations = [], attempt, resource }, facts }) => ({ state, iterations, attempt, resource, ...answerOf(facts) }));
  }

  /** Executions that tasks have started: `{name, arn, machine, parent, status, output, error, cause, events}`. */
  children() {
    return startedIn(this.#run);
  }

  /** The events of an execution that a task has started. */
  childHistory(arn) {
    return this.#run.executions.find((execution) => execution.number > 0 && execution.arn === arn)?.recording.events;
  }

  /** Answers the task that a token names: "succeed" with an output, "fail" with `{error, cause}`, or "heartbeat". */
  answerToken(token, method, value) {
    const execution = this.#run.executions.find((one) => one.callOf(token) !== undefined);
    if (execution === undefined) return false;
    const call = execution.callOf(token);
    call.answered = true;
    const task = execution.number * TASKS + call.command.task;
    if (method === "heartbeat") return this.answer(task, { kind: "heartbeat" });
    return this.answer(task, method === "fail" ? { kind: "fail", error: value?.error, cause: value?.cause } : { kind: "succeed", output: value });
  }

  // Looking into things.

  /** Chains of states that are not over: `{id, name, state, type, iterations, slot, visit}`, the outer ones first. */
  threads() {
    const { recording, position } = this.#at;
    const { chains } = recording;
    const last = new Map();
    for (const visit of chains.openAt(eventAt(recording, position))) last.set(visit.thread, visit);
    return [...last.values()].map((visit) => {
      const thread = chains.threads[visit.thread];
      return { id: thread.id, name: this.#threadName(thread.id), state: visit.state, type: visit.type, iterations: thread.iterations, slot: thread.slot, visit: visit.id, event: visit.enter };
    });
  }

  /**
   * The states that lie around each other, the innermost first; of what is looked at, or of a thread. Behind those of a started
   * execution come those around the task that has started it.
   */
  stackTrace(thread) {
    const { recording, position } = this.#at;
    const visit = thread === undefined ? visitAt(recording, position) : recording.chains.visits[this.threads().find(({ id }) => id === thread)?.visit ?? -1];
    const frames = [];
    for (let at = this.#at, from = visit; at !== undefined; from = at.parent?.recording.visit(at.visit), at = at.parent) {
      if (from !== undefined) frames.push(...stackOf(at.recording, from, at === this.#at ? position : at.position).map((frame) => ({ ...frame, execution: at.number })));
    }
    return frames;
  }

  /** The variables in reach of a visit, each with its value and who assigned it. */
  scopes(visit) {
    const at = this.#visit(visit);
    return at === undefined ? {} : variablesOf(this.#at.recording, at, this.#at.position);
  }

  /**
   * The stages of a visit that were seen: `{place, stage, value, index?}`; of its last attempt or the given one, and how many
   * there are. Of the stages that a Map has for each item, the one of `item` or the last; `items` says how many there are.
   */
  stages(visit, attempt, { all = false, item } = {}) {
    const { recording, position, frontier } = this.#at;
    const at = this.#visit(visit);
    if (at === undefined) return { attempts: 0, stages: [], items: {} };
    const found = stagesOf(recording, at, all ? frontier : position, attempt);
    const { places, items } = ofOneItem(recording, found.places, item, position);
    const values = recording.valuesAt(places);
    const stages = places.map((place, i) => {
      const { stage, after, index } = recording.tape[place];
      return { place, stage, value: values[i], after, ...(index !== undefined && { index }) };
    });
    return { attempts: found.attempt + 1, input: parsed(detailsOf(recording.eventOf(at.strand, at.enter)).input), stages, items };
  }

  /** Visits of a state that were seen: `{id, enter, exit, end, iterations, attempts}`. */
  visits(state) {
    const { recording } = this.#at;
    const { events } = this;
    return recording.chains.visitsOf(state).filter(({ enter }) => enter <= events).map((visit) => {
      const thread = recording.chains.threads[visit.thread];
      return { id: visit.id, enter: visit.enter, exit: visit.exit <= events ? visit.exit : 0, end: visit.end <= events ? visit.end : 0, iterations: thread.iterations, slot: thread.slot, attempts: visit.attempts };
    });
  }

  /**
   * Visits of a state in child executions of Distributed Maps that were seen, the last ones: `{…, child, after, place, left, times}`.
   * `iterations` are the indices that they are to have in the Maps around; undefined ones may be any.
   */
  childVisits(state, options) {
    return childVisits(this.#at, state, options);
  }

  /** The events of the history that a visit is in, as far as they have been seen; a child's with the last of the run before it. */
  historyOf(visit) {
    const { recording, frontier } = this.#at;
    const { strand } = recording.visit(visit) ?? { strand: recording.own };
    const events = strand.events.slice(0, strand.eventsAt(frontier));
    if (strand.begun === undefined) return events;
    return recording.eventsOf(strand, events.map(({ id }) => id)).map((event, i) => ({ ...event, after: recording.tape[strand.eventAt[i]].after }));
  }

  /**
   * All visits of a history by their entering, with the pauses between their attempts: `{…, threadName, backoffs: [{failed,
   * again}]}`; of the execution's own, or of that which a visit is in.
   */
  visitsInOrder(of) {
    const { recording, frontier } = this.#at;
    const { strand } = (of !== undefined && recording.visit(of)) || { strand: recording.own };
    return visitsOf(recording, strand, strand.eventsAt(frontier), (thread) => this.#threadName(thread, strand));
  }

  #threadName(id, strand = this.#at.recording.own) {
    const { chains } = strand;
    const thread = chains.threads[id];
    const around = chains.visits[thread.around];
    if (around === undefined && strand.begun !== undefined) return `${strand.around?.state} #${strand.begun.index}`;
    return around === undefined ? "Execution" : thread.isIteration ? `${around.state} #${thread.slot}` : `${around.state} branch ${thread.slot + 1}`;
  }

  /** Evaluates in "jsonata", "jsonpath" or "template" where one looks, or in a visit: `{value}`, `{nothing}` or `{message}`. */
  evaluate(question, { language = "jsonata", visit, values } = {}) {
    const at = this.#at;
    return ask(language, question, values ?? valuesAt(at, at.position, visit === undefined ? undefined : this.#visit(visit)));
  }

  /** What expressions see where one looks. */
  values(visit) {
    return valuesAt(this.#at, this.#at.position, visit === undefined ? undefined : this.#visit(visit));
  }

  /** Frames of the engine as they were where one looks, from the nearest snapshot on. */
  frames() {
    const { recording, position } = this.#at;
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
    const at = this.#at;
    const { recording } = at;
    const last = Math.min(event, this.events);
    if (last <= 0 && at.parent === undefined) return this.restart();
    if (last <= 0) return this.#fork(at, 0, undefined, label, 0, undefined, 0);
    const place = recording.eventAt[last - 1];
    const { fact } = recording.tape[place];
    this.#fork(at, fact, undefined, label, event, withoutTime(recording.facts[fact].fact), place + 1);
  }

  /** Sets an input, a task's result or a variable where one looks, which is a fork: `target` is "input", "result" or "variable". */
  setValue({ target, name, value, visit }) {
    argumentText(value, "the value");
    const execution = this.#at;
    const at = this.#visit(visit);
    if (at === undefined) {
      if (target === "input" && execution.parent === undefined) return this.restart(this.#run.definition, { input: value });
      throw misuse("NOT_SETTABLE", "no state has been entered yet", Error);
    }
    const { fact, change, label, event, feed, position } = changeOf(execution, at, { target, name, value });
    this.#fork(execution, fact, change, label, event, feed, position);
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
    const before = this.#run;
    const { first, start, id: parent } = before;
    const at = eventAt(first.recording, first.position);
    const run = this.#newRun(definition, { input: first.input, seed: first.seed, start, label: "edited definition", parent, at });
    const { focus, position, report } = madeAgain(run, before, at);
    this.#halt();
    this.#begin(run);
    this.#turnTo(focus);
    run.position = position;
    run.frontier = Math.max(run.position, run.frontier);
    this.#stopAt({ reason: "edit", description: report.same ? "the new definition takes the same path" : `diverged at event ${report.event}: ${report.now} (was ${report.was})` });
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
    if (run === this.#run) throw misuse("INVALID_ARGUMENT", "the run on screen cannot be removed");
    run.discard();
    this.#runs = this.#runs.filter((one) => one !== run);
    for (const fork of this.#runs) if (fork.parent === id) fork.parent = fork.at = undefined;
  }

  /**
   * How often each part of its definition a run has used, as far as it was seen: `{pointer: count}`. A fork counts from where
   * it left its parent on, so that the sum over all runs counts nothing twice; with `whole` from the beginning.
   */
  coverage(id = this.run, { whole = false } = {}) {
    const run = this.#found(id);
    return this.#hits(run, whole ? 0 : run.first.own);
  }

  #hits({ first: { recording, frontier } }, from) {
    return hitsOf(recording, outlineOf(recording.machine), from, frontier);
  }

  /** Two runs beside each other: `{visits, ways, common}`. */
  compare(a, b) {
    const [one, other] = [a, b].map((id) => {
      const run = this.#found(id);
      const { recording, frontier } = run.first;
      return { recording, events: eventAt(recording, frontier), hits: this.#hits(run, 0) };
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
    const { name, arn } = this.#options;
    const machine = definition instanceof StateMachine ? definition : new StateMachine(definition, machineSettings(this.#options));
    const id = this.#lastRun + 1;
    const info = { name: name ?? `run-${id}`, stateMachineName: machine.name, ...(arn !== undefined && { arn }) };
    const about = { info: (named ? undefined : this.#run?.first.info) ?? info, seed, input };
    checkStart(about.info.name, input, this.#options);
    return this.#answered(new Run({ id, parent, at, label, start, host: this.#host }, firstOf(machine, definition, this.#options, about)));
  }

  /** Calls that the recorded execution had are answered as they were there, unless a mock stands for them. */
  #answered(run) {
    if (this.#options.recorded) run.first.recorded = answersOf(this.#options.recorded);
    return run;
  }

  #begin(run) {
    this.#runs.push(run);
    this.#lastRun = run.id;
    this.#run = run;
    this.#tell("run", { run: run.id });
    this.#stopAt({ reason: "start", description: run.position > 0 ? "" : "before the first state" });
  }

  /** A run that is as this one was before a fact of an execution; then that is fed the fact `feed`. */
  #fork(of, fact, change, label, at, feed, position) {
    const old = this.#run;
    this.#halt();
    const run = this.#answered(old.forked({ id: this.#lastRun + 1, parent: old.id, at, label }, of.order[fact] ?? old.fed, { of, change }));
    const execution = run.executions[of.number];
    if (of.number > 0) run.atExecution = of.number;
    if (feed) {
      run.jump(of.recording.facts[fact].fact[1]);
      run.feed({ execution, fact: feed[0] === "start" ? execution.ready() : feed });
    }
    run.focus = execution;
    run.position = run.placeAfter(execution, Math.min(position, execution.recording.length));
    run.frontier = run.own = run.position;
    this.#begin(run);
  }

  #executionOf(run, id) {
    const execution = run.executions[id];
    if (execution === undefined) throw misuse("INVALID_ARGUMENT", `there is no execution ${id} in this run`, RangeError);
    return execution;
  }

  /** The execution that is looked at. */
  get #at() {
    return this.#run.focus;
  }

  #turnTo(execution) {
    if (execution === this.#run.focus) return;
    this.#run.focus = execution;
    this.#tell("execution", { execution: execution.number });
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
      name: run.name,
      succeed: (token, output) => this.answerToken(token, "succeed", output),
      fail: (token, failure = {}) => this.answerToken(token, "fail", failure),
      heartbeat: (token) => this.answerToken(token, "heartbeat"),
    };
    const task = new Task(command, {
      execution,
      heartbeat: (id) => {
        run.heartbeat(id);
        this.#host.changed(run.run);
      },
      sleep: (_, milliseconds) => run.sleep(call, milliseconds),
    });
    call.onCancel = (reason) => Task.cancel(task, reason);
    return [handlerInput(call.resource, command.input), task];
  };

  #atEnd() {
    return this.#run.position === this.#run.length;
  }

  #visit(visit) {
    const { recording, position } = this.#at;
    return visit === undefined ? visitAt(recording, position) : recording.visit(visit);
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
    const { number: id, name, info } = this.#at;
    this.#stop = id === 0 ? stop : { ...stop, execution: { id, name, machine: info.stateMachineName } };
    this.#tell("stopped", this.#stop);
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
    let stepped = false;
    while (this.#mode === "running" && run === this.#run) {
      if (run.position < run.length) {
        const { execution, place } = run.entryAt(run.position++);
        const fresh = run.position > run.frontier;
        if (fresh) run.frontier = run.position;
        const { stop, logs } = this.#ignoring ? NOTHING : this.#breakpoints.check(execution, place, () => valuesAt(execution, place + 1), fresh);
        for (const log of logs) this.#tell("output", { ...log, event: eventAt(execution.recording, place + 1), ...(execution.number > 0 && { execution: execution.number }) });
        const reached = this.#goal?.(execution.recording.tape[place], execution, place);
        if (stop || reached) {
          this.#turnTo(execution);
          this.#halt(stop ?? { reason: "step", description: "" });
        }
        continue;
      }
      if (!stepped) this.#flow();
      stepped = true;
      run.perform();
      const next = run.next();
      if (next !== undefined) {
        run.feed(next);
        if (!inTime()) {
          this.#tell("progress");
          return this.#pumpSoon();
        }
        continue;
      }
      this.#tell("progress");
      if (run.ended && (!run.told || run.over)) {
        this.#finish(run);
        continue;
      }
      this.#tell("tasks");
      if (!this.#wait(run)) return;
    }
    this.#tell("progress");
  }

  /**
   * The run's own execution has ended. Others may be left, which go on with the next command, or at once where one of them is
   * looked at.
   */
  #finish(run) {
    if (run.over || this.#at === run.first) this.#halt();
    const first = !run.told;
    run.told = true;
    if (!run.over || first) {
      if (this.#mode !== "running") {
        this.#stop = { reason: "end", description: "" };
        this.#turnTo(run.first);
      }
      this.#tell("terminated", run.outcome);
    } else this.#stopAt({ reason: "end", description: "all executions have ended" });
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
        console.error(`stepglass: a listener of ${name} threw an error`, thrown);
      }
    }
  }
}

guard(DebugSession);

const NOTHING = { logs: [] };
