// Runs a case through the npm package in dist, as examples/run_cases.rs does natively: the same answers of tasks, the
// same instants, the same order of facts, so both must come to the same result and the same history.
//
// The low-level Engine is driven, not `machine.start()`: recorded answers are whole responses of services, which the
// driver would wrap once more.
import { readFileSync } from "node:fs";
import * as fast from "../../dist/node.js";
import * as small from "../../dist/slim.js";
import { copyForBrowsers } from "../../pkg-tests/browsers-copy.mjs";

small.initSync(readFileSync(new URL("../../dist/stepglass.wasm", import.meta.url)));
const parts = await copyForBrowsers();
await parts.init({ parts: "first" });
process.once("exit", parts.remove);

const START = 1_700_000_000_000;
const FACT_LIMIT = 1_000_000;

/**
 * `{diagnostics, status, output, error, cause, history, problem}` of a case, each where there is one: of the module that is
 * made for speed, as Node has it, and of the one of browsers, in one file and in two, which must come to the same.
 */
export function runCase(one) {
  const result = runWith(fast, one);
  const text = JSON.stringify(result);
  return [small, parts].every((other) => JSON.stringify(runWith(other, one)) === text) ? result : { problem: "the modules differ" };
}

function runWith(stepglass, one) {
  const { Engine, StateMachine, validate } = stepglass;
  if (one.args !== undefined)
    return testState(stepglass, { seed: 0, startTime: 0, ...one.args, ...(one.models && { serviceModel: one.models }) });
  const type = one.type === "EXPRESS" ? "EXPRESS" : "STANDARD";
  const text = typeof one.definition === "string" ? one.definition : (JSON.stringify(one.definition) ?? "");
  const diagnostics = validate(text, { type }).map(({ code, severity, pointer, message }) => ({ code, severity, pointer, message }));
  const result = { diagnostics };
  if (!one.run || diagnostics.some((d) => d.severity === "error")) return result;
  const machine = new StateMachine(text, { type });
  const engine = new Engine(machine);
  const outcome = run(engine, new Script(one.mocks ?? {}, one.objects ?? {}), one.input ?? {}, one.stop === true);
  result.status = outcome?.status ?? "RUNNING";
  if (result.status === "SUCCEEDED") result.output = outcome.output;
  if (result.status === "FAILED" || result.status === "ABORTED") {
    result.error = outcome.error ?? null;
    result.cause = outcome.cause ?? null;
  }
  result.history = engine.history();
  const restored = Engine.restore(machine, engine.snapshot());
  if (JSON.stringify(restored.history()) !== JSON.stringify(result.history)) result.problem = "the restored engine's history differs";
  restored.free();
  engine.free();
  return result;
}

function testState(stepglass, request) {
  if (stepglass.testState === undefined) return { problem: "the package has no testState" };
  try {
    return { response: stepglass.testState(request) };
  } catch (error) {
    return { refused: { Code: error.code, Message: error.message } };
  }
}

/** Feeds facts until nothing more can happen; the outcome, if there is one. */
function run(engine, script, input, stops) {
  // What is to come, ordered by instant, then by order of making.
  const due = [];
  let made = 0;
  const plan = (at, feed, task) => {
    const entry = { at, order: made++, feed, task };
    let i = due.length;
    while (i > 0 && due[i - 1].at > at) i--;
    due.splice(i, 0, entry);
  };
  if (stops) plan(START + 1, (now) => engine.stop(now));
  let outcome;
  let next = { at: START, feed: (now) => engine.start(now, input, { name: "case", stateMachineName: "machine" }, 0) };
  for (let facts = 0; next !== undefined && facts < FACT_LIMIT; facts++) {
    const now = next.at;
    const step = next.feed(now);
    for (const command of step.commands) {
      if (command.type === "Invoke") answer(engine, plan, now, command.task, script.next(command));
      else if (command.type === "Finish") ({ ...outcome } = command);
      else if (command.type === "Cancel") {
        for (let i = due.length - 1; i >= 0; i--) if (due[i].task === command.task) due.splice(i, 1);
      }
    }
    if (outcome) break;
    const tick = (at) => ({ at, feed: (now) => engine.tick(now) });
    const deadline = step.deadline ?? Infinity;
    if (step.more) next = tick(now);
    // At the same instant the timer is first, as the engine has it.
    else if (deadline !== Infinity && deadline <= (due[0]?.at ?? Infinity)) next = tick(deadline);
    else next = due.shift();
  }
  return outcome;
}

function answer(engine, plan, now, task, { submitted, ending }) {
  if (submitted !== undefined) plan(now, (at) => engine.submitted(at, task, submitted), task);
  if (ending === undefined) return;
  if ("output" in ending) plan(now, (at) => engine.succeed(at, task, ending.output), task);
  else plan(now, (at) => engine.fail(at, task, ending.error, ending.cause), task);
}

/** The queue of answers of each state, from events as they were recorded; the last one is given again and again. */
export class Script {
  #queues = new Map();
  #objects;

  /** `objects` are those that the test which was recorded had written to S3: their texts by `bucket/key`. */
  constructor(mocks, objects) {
    this.#objects = objects;
    for (const [name, events] of Object.entries(mocks)) this.#queues.set(name, responses(events));
  }

  next(call) {
    const index = call.iterations?.at(-1);
    for (const name of [...(index === undefined ? [] : [`${call.state}@Map[${index}]`]), call.state, call.resource]) {
      const queue = this.#queues.get(name);
      if (queue !== undefined && queue.length > 0) return queue.length > 1 ? queue.shift() : queue[0];
    }
    return { ending: standIn(call, this.#objects) };
  }
}

function responses(events) {
  const queue = [];
  let submitted;
  for (const event of Array.isArray(events) ? events : []) {
    const kind = event.event ?? "";
    const output = () => event.output ?? null;
    if (kind.endsWith("Submitted")) {
      submitted = output();
      continue;
    }
    let ending;
    if (kind.endsWith("Succeeded")) ending = { output: output() };
    else if (!kind.endsWith("TimedOut")) ending = { error: text(event.error), cause: text(event.cause) };
    queue.push({ submitted, ending });
    submitted = undefined;
  }
  if (submitted !== undefined) queue.push({ submitted, ending: undefined });
  return queue;
}

/** What a service answers of which nothing was recorded: functions give their input back. */
function standIn(call, objects) {
  if (call.purpose === "ItemReader") {
    const Body = objects[`${call.input?.Bucket}/${call.input?.Key}`];
    if (Body !== undefined) return { output: { Body } };
    return { error: "States.ItemReaderFailed", cause: "The object that was read is not in the recording" };
  }
  if (call.resource.endsWith(":lambda:invoke")) {
    return { output: { ExecutedVersion: "$LATEST", Payload: call.input?.Payload ?? null, StatusCode: 200 } };
  }
  return { output: call.input };
}

function text(value) {
  if (value === undefined || value === null) return undefined;
  return typeof value === "string" ? value : JSON.stringify(value);
}
