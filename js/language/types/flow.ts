// Follows values through a machine: what its states read of the input, what its tasks get, and what is read of their results.

import type { MachineDefinition, Scope } from "../../core/definition/fields.ts";
import { Shape, type Value, UNKNOWN, join, key, reference } from "./shape.ts";
import { type MachineFlow, type StateContext, type TaskResource, visit } from "./visit.ts";

/** Maximum number of visits of a state before its input counts as unknown. */
const ROUNDS = 8;

/** A Task state: its input, and what is read of its result. */
export interface TaskFlow {
  state: string;
  resource: TaskResource;
  input: Value;
  result: Shape;
}

/** Returns the flow of values through a definition, which may be any JSON. */
export function follow(definition: MachineDefinition): Flow {
  const machine = new Flow(definition);
  // Variables are known in the second round.
  for (let round = 0; round < 2; round++) machine.round();
  return machine;
}

export class Flow implements MachineFlow {
  /** What is read of the machine's input. */
  readonly input = new Shape();
  output: Value = UNKNOWN;
  /** The tasks by the names of their states. */
  readonly tasks = new Map<string, TaskFlow>();
  #definition: MachineDefinition;
  #variables = new Map<string, Value>();

  constructor(definition: MachineDefinition) {
    this.#definition = definition;
  }

  round(): void {
    const language = this.#definition.QueryLanguage ?? "JSONPath";
    this.output = this.scope(this.#definition, reference(this.input), { language, machine: language, certain: true, item: UNKNOWN }, 0);
  }

  scope(scope: Scope | undefined, input: Value, around: Omit<StateContext, "states">, depth: number): Value {
    if (depth > 32 || typeof scope?.States !== "object" || scope.States === null) return UNKNOWN;
    const { States: states, StartAt } = scope;
    const certain = around.certain ? certainStates(scope) : new Set();
    const entered = new Entered(StartAt, input);
    // A state that was visited again has its last output.
    const ends = new Map<string, Value>();
    for (let name = entered.next(); name !== undefined; name = entered.next()) {
      const state = states[name];
      if (typeof state !== "object" || state === null || !entered.isDue(name)) continue;
      const env = { ...around, states, certain: certain.has(name), language: state.QueryLanguage ?? around.machine };
      const { output, ways, ended } = visit(this, name, state, entered.input(name), env, depth);
      if (ended) ends.set(name, output);
      for (const [to, value] of ways) entered.enter(to, value);
    }
    const last = [...ends.values()];
    return last.length === 0 ? UNKNOWN : last.reduce(join);
  }

  variable(name: string): Value {
    return this.#variables.get(name) ?? UNKNOWN;
  }

  assign(name: string, value: Value): void {
    const before = this.#variables.get(name);
    this.#variables.set(name, before === undefined ? value : join(before, value));
  }

  task(name: string, resource: TaskResource, input: Value): Value {
    let task = this.tasks.get(name);
    if (task === undefined) this.tasks.set(name, (task = { state: name, resource, input, result: new Shape() }));
    task.input = input;
    return reference(task.result);
  }

  get whole(): Value {
    return reference(this.input);
  }
}

/** The states of one scope that must still be visited, with their inputs. */
class Entered {
  #inputs = new Map<string, Value>();
  #rounds = new Map<string, number>();
  #open: string[];

  constructor(start: string, input: Value) {
    this.#inputs.set(start, input);
    this.#open = [start];
  }

  next(): string | undefined {
    return this.#open.pop();
  }

  /** Returns everything that can be the input of a state. */
  input(name: string): Value {
    return this.#inputs.get(name) ?? UNKNOWN;
  }

  /** Counts a visit of a state. Returns false after too many. */
  isDue(name: string): boolean {
    const round = (this.#rounds.get(name) ?? 0) + 1;
    this.#rounds.set(name, round);
    return round <= ROUNDS + 1;
  }

  /** Adds a value to the inputs of a state. If it is new, the state must be visited again. */
  enter(name: string, value: Value): void {
    const before = this.#inputs.get(name);
    const now = before === undefined ? value : join(before, value);
    if (before !== undefined && key(before) === key(now)) return;
    this.#inputs.set(name, (this.#rounds.get(name) ?? 0) >= ROUNDS ? UNKNOWN : now);
    this.#open.push(name);
  }
}

/** Returns the states that every execution visits. */
function certainStates({ StartAt, States }: Scope): Set<string> {
  const found = new Set<string>();
  let name: string | undefined = StartAt;
  while (name !== undefined && !found.has(name)) {
    const state: Scope["States"][string] | undefined = States[name];
    if (typeof state !== "object" || state === null) break;
    found.add(name);
    name = state.Type === "Choice" || state.Catch !== undefined ? undefined : state.Next;
  }
  return found;
}
