// Measures a definition that has not run yet: executions in virtual time, whose tasks follow a plan.

import type { ChildExecution, ExecutionResult, HistoryEvent, Task, TaskHandlers } from "../core/api/index.d.ts";
import { StateMachine } from "../core/execution/machine.ts";
import { stateOfMapRun } from "../language/files/run-executions.ts";
import { Source, usable } from "../language/files/source.ts";
import { colorful } from "../language/files/terminal.ts";
import { eventOf } from "../core/history/recorded.ts";
import { answerer } from "../testing/mocks/answers.ts";
import { MockResult } from "../testing/mocks/results.ts";
import { Random } from "../testing/kit/random.ts";
import { exampleInput, exampleResults } from "../language/types/example.ts";
import { EMPTY_TASK, type Plan, type TaskPlan } from "./cost-plan.ts";
import { measured, type Measured } from "./measured.ts";

/** The executions that are simulated if nothing else is asked for. */
export const EXECUTIONS = 200;

/** The executions, and what was assumed where the plan has nothing. */
export interface Simulated {
  executions: Measured[];
  /** How many of them did not succeed. */
  failed: number;
  /** The error of the first one that did not. */
  firstError: { error: string; cause: string } | undefined;
  /** The tasks without a duration in the plan, in the order of their first calls. */
  instant: string[];
}

/**
 * Simulates executions of a definition. `input` replaces the inputs of the plan. If there is neither, the input is an example with the
 * fields that the definition reads. Equal plans give equal executions. Throws Unusable and Invalid.
 */
export async function simulated(spec: string, plan: Plan, given: { input?: unknown; executions?: number } = {}): Promise<Simulated> {
  const source = new Source(spec);
  const { json } = usable(source);
  if (source.diagnostics({}).length > 0) process.stderr.write(source.render({}, colorful(process.stderr)));
  const machine = new StateMachine(json, { ...source.options({}), name: source.machine });
  const definition = JSON.parse(json);
  const [input, ...others] = Object.hasOwn(given, "input") ? [{ weight: 1, input: given.input }] : plan.inputs;
  const inputs = input === undefined ? [{ weight: 1, input: exampleInput(definition) }] : [input, ...others];
  const planned = new PlannedTasks(plan, exampleResults(definition));
  const result: Simulated = { executions: [], failed: 0, firstError: undefined, instant: [] };
  const random = new Random(plan.seed ?? 0);
  const tasks = planned.handlers(random);
  for (let i = 0; i < (given.executions ?? plan.executions ?? EXECUTIONS); i++) {
    const { execution, end } = await run(machine, chosen(inputs, random), tasks, i);
    result.executions.push(execution);
    if (end.status === "SUCCEEDED") continue;
    result.failed += 1;
    const { error, cause = "" } = { error: undefined, cause: undefined, ...end };
    result.firstError ??= { error: error ?? end.status, cause };
  }
  result.instant = [...planned.instant];
  return result;
}

/** Runs one execution. */
async function run(
  machine: StateMachine,
  input: unknown,
  tasks: TaskHandlers,
  number: number,
): Promise<{ execution: Measured; end: ExecutionResult }> {
  const children: ChildExecution[] = [];
  const name = `simulation-${number + 1}`;
  const execution = machine.start(input, {
    clock: "virtual",
    startTime: 0,
    seed: number,
    name,
    tasks,
    onChild: (child) => void children.push(child),
    onIdle: () => execution.abort("Stepglass.Idle", "a task waits for an answer that never comes"),
  });
  const end = await execution.result;
  const events = recorded(execution.history());
  const parent = measured(name, events);
  return { execution: { ...parent, children: children.map((child) => childOf(child, parent, events)) }, end };
}

function recorded(history: readonly HistoryEvent[]): ReturnType<typeof eventOf>[] {
  return history.map((event) => eventOf(event as unknown as Record<string, unknown>));
}

/** Measures a child execution. Its ARN and that of its Map Run have the machine and the Map's label in common. */
function childOf({ name, arn, history }: ChildExecution, parent: Measured, events: ReturnType<typeof recorded>): Measured {
  const label = arn.split(":")[6];
  const map = stateOfMapRun(parent.chains, events, (mapRun) => String(mapRun).split(":")[6] === label);
  return { ...measured(name, recorded(history)), map };
}

/** Draws an input by its weight. */
function chosen(inputs: Plan["inputs"], random: Random): unknown {
  let rest = random.fraction() * inputs.reduce((sum, { weight }) => sum + weight, 0);
  return (inputs.find(({ weight }) => (rest -= weight) < 0) ?? inputs.at(-1))?.input;
}

/** The tasks of a plan as handlers. */
class PlannedTasks {
  #plan: Plan;
  #results: Record<string, unknown>;
  readonly instant = new Set<string>();

  constructor(plan: Plan, results: Record<string, unknown>) {
    this.#plan = plan;
    this.#results = results;
  }

  /** Returns handlers that draw from a generator. */
  handlers(random: Random): TaskHandlers {
    const tasks: Record<string, TaskPlan> = { "*": EMPTY_TASK, ...this.#plan.tasks };
    return Object.fromEntries(
      Object.entries(tasks).map(([name, task]) => [name, answerer(name, (_: unknown, call: Task) => this.#answer(task, call, random))]),
    ) as TaskHandlers;
  }

  #answer(task: TaskPlan, { stateName }: Task, random: Random): MockResult {
    if (task.duration === EMPTY_TASK.duration) this.instant.add(stateName);
    const delay = Math.max(0, Math.round(task.duration(random)));
    let rest = random.fraction();
    const failure = task.errors.find(({ share }) => (rest -= share) < 0);
    if (failure !== undefined) return new MockResult({ kind: "throw", error: failure.error, cause: undefined, delay });
    return new MockResult({ kind: "return", value: task.output ? task.output.value : (this.#results[stateName] ?? {}), delay });
  }
}
