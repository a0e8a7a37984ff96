// The programs of executions: the registered machines, and the definitions with which executions have started.

import type { Definition, StateMachine as PublicMachine, TaskHandler } from "../../core/api/index.d.ts";
import type { ExecutionRecord, RuntimeOptions, Store } from "../../core/api/durable.d.ts";
import { misuse } from "../../core/base/errors.ts";
import { isObject } from "../../core/base/json.ts";
import { shown } from "../../core/base/shown.ts";
import { StateMachine } from "../../core/execution/machine.ts";
import type { ExecutionOptions } from "../../core/execution/machine.ts";
import { LIMITS } from "../../core/execution/settings.ts";
import { Handlers } from "../../core/tasks/resource.ts";
import type { Watcher } from "./live.ts";
import { withTimeout } from "./timeouts.ts";

// Maximum number of compiled definitions that are not registered any more.
const OLD = 64;
// Number of definitions that are known to be in the store. Executions can have time limits of their own, and so definitions of their own.
const KEPT = 1000;

/** The machine, the handlers and the options with which an execution runs. */
export interface Program {
  machine: StateMachine;
  handlers: Handlers;
  options: ExecutionOptions;
  watcher?: Watcher | undefined;
}

/** The machines of a runtime. */
export class Programs {
  readonly #store: Store;
  readonly #machines = new Map<string, StateMachine>();
  /** Definitions that are not registered any more, by their hashes. */
  readonly #old = new Map<string, StateMachine>();
  readonly #digests = new Map<string, Promise<string>>();
  /** Machines with another time limit, by their digest and that limit. */
  readonly #limited = new Map<string, StateMachine>();
  readonly #handlers: Handlers;
  readonly #options: ExecutionOptions;

  constructor(
    store: Store,
    options: RuntimeOptions,
    arnOf: (name: string) => string,
    handlers: Handlers = new Handlers<TaskHandler>(options.tasks),
  ) {
    this.#store = store;
    this.#handlers = handlers;
    this.#options = Object.fromEntries(LIMITS.filter((name) => options[name] !== undefined).map((name) => [name, options[name]]));
    if (!isObject(options.machines))
      throw misuse("INVALID_OPTION", "machines must be an object of definitions or state machines by their names: { Order: definition }");
    for (const [name, given] of Object.entries(options.machines)) {
      const machine = given instanceof StateMachine ? given : new StateMachine(given as Definition, { name, arn: arnOf(name) });
      this.#machines.set(name, machine);
    }
  }

  get names(): string[] {
    return [...this.#machines.keys()];
  }

  /** Returns the program of a registered machine. Throws UNKNOWN_MACHINE. */
  registered(name: string): Program {
    const machine = this.#machines.get(name);
    if (machine === undefined) {
      if (typeof name !== "string") throw misuse("INVALID_OPTION", `the machine must be given by its name, not as ${shown(name)}`);
      const known = this.names.map((other) => JSON.stringify(other)).join(", ") || "none";
      throw misuse("UNKNOWN_MACHINE", `there is no machine ${shown(name)}; the machines are: ${known}`, RangeError);
    }
    return this.#of(machine);
  }

  /** Returns the program of a registered machine with another time limit. It is a definition of its own, which the store has. */
  limited(name: string, seconds: number): Program {
    const { machine } = this.registered(name);
    const key = `${machine.digest} ${seconds}`;
    const known = this.#limited.get(key);
    if (known !== undefined) return this.#of(known);
    const limited = StateMachine.variant(machine, withTimeout(machine.definition, seconds));
    this.#limited.set(key, limited);
    this.#remember(limited.digest, limited);
    for (const oldest of this.#limited.keys()) {
      if (this.#limited.size <= OLD) break;
      this.#limited.delete(oldest);
    }
    return this.#of(limited);
  }

  /** Stores the definition of a machine. Resolves to its hash. */
  store({ digest, definition }: StateMachine): Promise<string> {
    const known = this.#digests.get(digest);
    if (known !== undefined) return known;
    const stored = this.#store.putDefinition(digest, definition).then(() => digest);
    this.#digests.set(digest, stored);
    stored.catch(() => this.#digests.delete(digest));
    for (const oldest of this.#digests.keys()) {
      if (this.#digests.size <= KEPT) break;
      this.#digests.delete(oldest);
    }
    return stored;
  }

  /** Returns the program of an execution, with the definition with which it started. */
  async of(record: ExecutionRecord): Promise<Program> {
    const name = String(record.machine);
    const registered = this.#machines.get(name);
    if (registered !== undefined && registered.digest === record.definition) return this.#of(registered);
    const hash = record.definition ?? "";
    const old = this.#old.get(hash) ?? (await this.#stored(hash, record));
    return this.#of(old);
  }

  /**
   * Returns the machine with which an execution could continue: one with this definition, or the registered one of its name. Stores
   * the machine's definition.
   */
  async target(record: ExecutionRecord, definition?: Definition | PublicMachine): Promise<StateMachine> {
    const name = String(record.machine);
    const machine = definition === undefined ? this.registered(name).machine : machineOf(record, definition);
    await this.#store.putDefinition(machine.digest, machine.definition);
    if (definition !== undefined) this.#remember(machine.digest, machine);
    return machine;
  }

  async #stored(hash: string, record: ExecutionRecord): Promise<StateMachine> {
    const text = await this.#store.getDefinition(hash);
    if (text === undefined) throw misuse("UNKNOWN_MACHINE", `the definition ${hash} of ${record.id} is not in the store`);
    const machine = machineOf(record, text);
    this.#remember(hash, machine);
    return machine;
  }

  #remember(hash: string, machine: StateMachine): void {
    this.#old.set(hash, machine);
    for (const oldest of this.#old.keys()) {
      if (this.#old.size <= OLD) break;
      this.#old.delete(oldest);
    }
  }

  #of(machine: StateMachine): Program {
    return { machine, handlers: this.#handlers, options: this.#options };
  }
}

/**
 * Default of `stepBudget` for executions in a store. All that a step leads to is written at once. With the engine's default of
 * 10,000 transitions, this would block the event loop for 200 milliseconds.
 */
export const STEP_BUDGET = 250;

/** Returns a program with the step budget with which its execution started. A replay with another budget would have another result. */
export function withBudgetOf(record: ExecutionRecord, program: Program): Program {
  return typeof record.stepBudget === "number" ? { ...program, options: { ...program.options, stepBudget: record.stepBudget } } : program;
}

/** Returns a machine with the name, the ARN and the type that the execution's record has. */
function machineOf(record: ExecutionRecord, definition: Definition | PublicMachine): StateMachine {
  if (definition instanceof StateMachine) return definition;
  const type = record.type === "EXPRESS" ? "EXPRESS" : "STANDARD";
  return new StateMachine(definition as Definition, { name: String(record.machine), arn: record.machineArn, type });
}
