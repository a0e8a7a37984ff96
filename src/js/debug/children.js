// What is around a run besides its own calls of functions: activities' workers, executions that tasks start, sleeping handlers.
//
// The executions are on the run's own time, with the session's mocks, handlers and machines. They run by themselves and
// whole; what is stepped through is the run. A fork starts those again that it waits for.

import { isTaker } from "../activity.js";
import { clockOf } from "../driver/clock.js";
import { later } from "../driver/scheduler.js";
import { TaskCancelled, TaskError, misuse } from "../errors.js";
import { driverOf } from "../execution.js";
import { TaskResponse, handlerInput } from "../integration.js";
import { StateMachine } from "../machine.js";
import { Family, Machines } from "../nested.js";
import { bareName } from "../resource.js";

/** Numbers of their tasks begin here: those of a run's own are smaller. */
const FIRST = 2 ** 40;

/** The machines that tasks may start, of definitions and machines by name or ARN. */
export function machinesOf(given) {
  if (given === undefined) return undefined;
  const isMachine = (value) => value instanceof StateMachine;
  if (Array.isArray(given) || typeof given !== "object" || given === null) return new Machines(given, isMachine);
  const machine = (name, value) => (isMachine(value) ? value : new StateMachine(value, { name: bareName(name, ":stateMachine:") }));
  return new Machines(new Map((given instanceof Map ? [...given] : Object.entries(given)).map(([name, value]) => [name, machine(name, value)])), isMachine);
}

export class Children {
  #run;
  #host;
  #family;
  /** `{execution, machine, parent, calls}` of all that were started, in turn. */
  #started = [];
  /** Tasks that somebody is asked about, by number. */
  #asked = new Map();
  #next = FIRST;
  #polling = false;

  constructor(run, host) {
    this.#run = run;
    this.#host = host;
  }

  /** Something else than a function does a task of the run: an activity's workers, a machine. */
  hand(call, taker) {
    // Workers may come at any time; a machine says itself how long it takes.
    call.pending = isTaker(taker);
    [, call.task] = this.#host.given(call, this.#run);
    try {
      taker.take(call, this.#driver());
    } catch (thrown) {
      this.#run.reject(call, thrown);
    }
  }

  /** For handlers: resolves when so much of the run's time has passed; time goes on while they sleep. */
  sleep(call, milliseconds) {
    const duration = Number(milliseconds);
    if (!(duration >= 0)) throw misuse("INVALID_ARGUMENT", "task.sleep() takes a number of milliseconds", RangeError);
    const { promise, resolve, reject } = deferred();
    call.sleeps = (call.sleeps ?? 0) + 1;
    const asleep = (call.asleep ??= new Set());
    asleep.add(reject);
    call.onStop = (reason) => asleep.forEach((wake) => wake(new TaskCancelled(reason, call.command.state)));
    this.#run.wakeAt(this.#run.now() + duration, () => {
      asleep.delete(reject);
      call.sleeps -= 1;
      resolve();
    });
    // One that is not awaited may be cut off.
    promise.catch(() => {});
    this.#changed();
    return promise;
  }

  /** A person takes an activity's task of the run as its worker. */
  take(task, workerName) {
    const call = this.#run.calls.get(task);
    if (call?.asked !== "activity" || call.taken) return false;
    call.taken = true;
    this.#run.post(["started", task, workerName]);
    return true;
  }

  #post(method, task, ...rest) {
    const call = this.#run.calls.get(task);
    // A fork goes on after the request.
    if (call === undefined || (method === "submitted" && call.submitted)) return;
    if (method === "submitted" && call.resource.pattern === "waitForTaskToken") call.asked ??= "token";
    this.#run.post([method, task, ...rest]);
    this.#changed();
  }

  /** A taker's answer. Whether it still counted. */
  #complete(call, method, ...rest) {
    if (call.ended || call.finishing) return false;
    if (method !== "heartbeat") {
      call.finishing = true;
      call.pending = false;
    }
    this.#post(method, call.command.task, ...rest);
    return true;
  }

  /** What those who take calls know as the driver of the execution. */
  #driver() {
    const run = this.#run;
    const { name, stateMachineName } = run.info;
    const arn = `arn:aws:states:us-east-1:123456789012:execution:${stateMachineName}:${name}`;
    const abort = (error, cause) => run.stop(error, cause);
    const driver = {
      family: this.#family,
      seed: run.seed,
      execution: { name, arn, abort },
      now: () => run.now(),
      post: (...fact) => this.#post(...fact),
      complete: (...what) => this.#complete(...what),
      findCall: (token) => run.callOf(token),
    };
    if (this.#family === undefined) {
      driver.family = this.#family = this.#newFamily();
      this.#family.drivers.add(driver);
      this.#family.found({ name, arn, machineName: stateMachineName, input: run.input, startDate: run.start }).begun(driver.execution);
    }
    return driver;
  }

  #newFamily() {
    const run = this.#run;
    const clock = clockOf({
      now: () => run.now(),
      setTimeout: (wake, delay) => {
        const off = run.wakeAt(run.now() + delay, wake);
        this.#changed();
        return off;
      },
      clearTimeout: (off) => off?.(),
    });
    const handlers = { resource: this.#host.resource, find: (...what) => this.#find(...what), missing: (resource, state, input) => this.#host.missing({ resource, state, input }) };
    return new Family({
      launch: (machine, how) => StateMachine.launch(machine, { handlers, clock, options: this.#host.limits }, how),
      onNested: (execution, parent) => {
        const at = execution.arn.split(":").indexOf("execution") + 1 || execution.arn.split(":").indexOf("express") + 1;
        this.#started.push({ execution, machine: execution.arn.split(":")[at], parent: parent.name });
        execution.result.then(() => this.#changed());
        this.#changed();
      },
      // All of them can be looked at.
      keeps: true,
    });
  }

  /** Whether time has to wait for one of them. */
  get busy() {
    for (const { silent } of this.#asked.values()) if (!silent) return true;
    let busy = false;
    for (const { execution } of this.#started) {
      const driver = driverOf(execution);
      if (driver.outcome !== undefined || driver.quiet) continue;
      busy = true;
      // Whose handlers work says when they are done; all others have something to do at once.
      if (!driver.atWork) this.#poll();
    }
    return busy;
  }

  /** Looks again in the next turn. */
  #poll() {
    if (this.#polling) return;
    this.#polling = true;
    later(() => {
      this.#polling = false;
      this.#changed();
    });
  }

  #changed() {
    this.#host.changed(this.#run);
  }

  /** `{name, arn, machine, parent, status, output, error, cause, events}` of each. */
  list() {
    return this.#started.map(({ execution, machine, parent }) => {
      const { outcome, events } = driverOf(execution);
      return { name: execution.name, arn: execution.arn, machine, parent, status: "RUNNING", ...outcome, events };
    });
  }

  /** The events of one. */
  history(arn) {
    return this.#started.find(({ execution }) => execution.arn === arn)?.execution.history();
  }

  /** Ends those that have not ended. */
  stop() {
    for (const { execution } of this.#started) execution.abort("Stopped");
    this.#asked.clear();
  }

  // Their tasks.

  /** The tasks of the run that wait and theirs, the oldest first. */
  among(own) {
    return [...own, ...[...this.#asked.entries()].map(([task, { about, silent }]) => ({ task, ...about, silent }))].sort((a, b) => a.since - b.since);
  }

  answer(task, answer) {
    const asked = this.#asked.get(task);
    if (asked === undefined) return false;
    if (answer.kind === "heartbeat") asked.task.heartbeat();
    else if (answer.kind === "silence") asked.silent = true;
    else this.#asked.delete(task);
    asked.settle(answer);
    return true;
  }

  /** Answers the task of one of them that a token names. */
  answerToken(token, method, value) {
    for (const { execution } of this.#started) {
      if (driverOf(execution).findCall(token)?.ended !== false) continue;
      for (const [number, { about }] of this.#asked) if (about.token === token && method !== "heartbeat") this.#asked.delete(number);
      return execution[method](token, ...(method === "heartbeat" ? [] : [value ?? (method === "fail" ? {} : null)]));
    }
    return false;
  }

  #find(resource, state, input) {
    const command = { resource, state, input };
    const { reply, mode, taker } = this.#host.reply(command);
    if (taker) return taker;
    if (reply === undefined) return undefined;
    return (value, task) => {
      const { resource: parsed, child } = this.#about(task);
      const call = child.calls.get(state) ?? 0;
      child.calls.set(state, call + 1);
      const answered = reply({ ...command, input: task.parameters, attempt: task.attempt, iterations: task.iterations, call }, undefined, undefined, () => [value, task]);
      if (mode === "handler" || mode === "function") {
        if (typeof answered?.then === "function") Promise.resolve(answered).then(this.#soon, this.#soon);
        return answered;
      }
      return this.#play(answered, task, parsed);
    };
  }

  #soon = () => later(() => this.#changed());

  #about(task) {
    const child = this.#started.find(({ execution }) => execution === task.execution) ?? {};
    child.calls ??= new Map();
    return { resource: this.#host.resource(task.resource), child };
  }

  /** Does what a mock says. */
  #play({ ask, silent, facts, output, error, cause, after }, task, resource) {
    if (facts) {
      const last = facts.findLast(({ method }) => method === "succeed" || method === "fail");
      if (last === undefined) silent = true;
      else if (last.method === "fail") [error, cause, after] = [last.b ?? "States.TaskFailed", last.c, last.after];
      else [output, after] = [new TaskResponse(JSON.parse(last.b)), last.after];
    }
    const byToken = resource.pattern === "waitForTaskToken";
    const answered = ask ? this.#ask(task, resource, byToken) : silent ? task.sleep(Infinity) : after > 0 ? task.sleep(after) : undefined;
    const settle = (given) => {
      const failed = given === undefined ? error : given.kind === "fail" ? (given.error ?? "States.TaskFailed") : undefined;
      if (failed !== undefined) throw new TaskError(failed, given === undefined ? cause : given.cause);
      const value = given === undefined ? output : given.output;
      return byToken && value instanceof TaskResponse ? value.value : value;
    };
    if (!byToken) return answered === undefined ? settle() : answered.then(settle);
    const { execution, token } = task;
    Promise.resolve(answered)
      .then(settle)
      .then(
        (value) => execution.succeed(token, value),
        (thrown) => thrown instanceof TaskError && execution.fail(token, { error: thrown.error, cause: thrown.cause }),
      );
    return {};
  }

  /** A promise of somebody's answer. */
  #ask(task, resource, byToken) {
    const number = this.#next++;
    const { promise, resolve, reject } = deferred();
    const about = {
      kind: byToken ? "token" : "ask",
      state: task.stateName,
      resource: task.resource,
      attempt: task.attempt,
      iterations: task.iterations,
      input: handlerInput(resource, task.parameters),
      ...(task.token !== undefined && { token: task.token }),
      ...(task.timeoutSeconds !== undefined && { timeoutAt: this.#run.now() + task.timeoutSeconds * 1000 }),
      ...(task.heartbeatSeconds !== undefined && { heartbeatSeconds: task.heartbeatSeconds }),
      execution: task.execution.name,
      since: this.#run.now(),
    };
    const gone = () => {
      this.#asked.delete(number);
      reject(task.signal.reason);
      this.#changed();
    };
    if (!byToken) task.signal.addEventListener("abort", gone, { once: true });
    this.#asked.set(number, {
      about,
      task,
      silent: false,
      settle: (answer) => {
        if (answer.kind === "heartbeat") return;
        // From here on nobody holds time.
        const wait = answer.kind === "silence" ? Infinity : (answer.after ?? 0);
        if (wait === 0) resolve(answer);
        else task.sleep(wait).then(() => resolve(answer), reject);
        this.#soon();
      },
    });
    promise.catch(() => {});
    this.#changed();
    return promise;
  }
}

function deferred() {
  const made = {};
  made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }));
  return made;
}
