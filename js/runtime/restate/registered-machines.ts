// The machines of a worker, and the older definitions of running executions.

import { partitionOf } from "../../core/base/partition.ts";
import type { Definition } from "../../core/api/index.d.ts";
import type { ExecutionRecord } from "../../core/api/durable.d.ts";
import type { RestateOptions } from "../../core/api/restate.d.ts";
import { misuse } from "../../core/base/errors.ts";
import { isObject } from "../../core/base/json.ts";
import { StateMachine, type ExecutionOptions } from "../../core/execution/machine.ts";
import { LIMITS } from "../../core/execution/settings.ts";
import { bareName, type Handlers } from "../../core/tasks/resource.ts";

// Maximum number of compiled definitions that are no longer registered.
const OLD = 64;

/** The machine and the handlers of an execution. */
export interface Program {
  machine: StateMachine;
  handlers: Handlers;
  options: ExecutionOptions;
}

/** Creates the ARNs of executions and machines. */
export class Names {
  readonly #arns: string;

  constructor({ region = "us-east-1", account = "123456789012" }: { region?: string; account?: string }) {
    this.#arns = `arn:${partitionOf(region)}:states:${region}:${account}`;
  }

  /** Returns the ARN of an execution. `run` distinguishes the executions of an Express machine; it is absent for a Standard one. */
  execution(machine: string, name: string, run?: string): string {
    return run === undefined ? `${this.#arns}:execution:${machine}:${name}` : `${this.#arns}:express:${machine}:${name}:${run}`;
  }

  machine(name: string): string {
    return `${this.#arns}:stateMachine:${name}`;
  }
}

export class RegisteredMachines {
  readonly names: Names;
  readonly #machines = new Map<string, StateMachine>();
  readonly #old = new Map<string, StateMachine>();
  /** The hashes of definitions that this process has sent to Restate. */
  readonly #given = new Set<string>();
  readonly #options: ExecutionOptions;
  #handlers!: Handlers;

  constructor(options: RestateOptions) {
    this.names = new Names(options);
    this.#options = Object.fromEntries(LIMITS.filter((name) => options[name] !== undefined).map((name) => [name, options[name]]));
    if (!isObject(options.machines))
      throw misuse("INVALID_OPTION", "machines must be an object of definitions or state machines by their names: { Order: definition }");
    for (const [name, given] of Object.entries(options.machines)) {
      const machine =
        given instanceof StateMachine ? given : new StateMachine(given as Definition, { name, arn: this.names.machine(name) });
      this.#machines.set(name, machine);
    }
  }

  /** Set after construction, because the handlers need the machines. */
  set handlers(handlers: Handlers) {
    this.#handlers = handlers;
  }

  get all(): { name: string; type: string; digest: string }[] {
    return [...this.#machines].map(([name, { type, digest }]) => ({ name, type, digest }));
  }

  /** Returns the program for a registered machine. */
  registered(name: string): Program | undefined {
    const machine = this.#machines.get(name);
    return machine && this.#of(machine);
  }

  /** Returns the registered name of a machine that a task names by its ARN or its name. */
  nameOf(text: string): string | undefined {
    return [text, bareName(text, ":stateMachine:")].find((name) => this.#machines.has(name));
  }

  /** Returns the program for an execution, with the definition that it began with; undefined if this process does not have it. */
  of({ machine: name, definition = "" }: ExecutionRecord): Program | undefined {
    const registered = this.#machines.get(String(name));
    const machine = registered?.digest === definition ? registered : this.#old.get(definition);
    return machine && this.#of(machine);
  }

  /** Adds the definition of an execution that is no longer registered. */
  remember(record: ExecutionRecord, text: string): Program {
    return this.#add(record.definition ?? "", machineOf(record, text));
  }

  /** Adds a definition with which an execution is to continue. */
  another(record: ExecutionRecord, text: string): StateMachine {
    const machine = machineOf(record, text);
    return this.#add(machine.digest, machine).machine;
  }

  #add(digest: string, machine: StateMachine): Program {
    this.#old.set(digest, machine);
    for (const oldest of this.#old.keys()) {
      if (this.#old.size <= OLD) break;
      this.#old.delete(oldest);
    }
    return this.#of(machine);
  }

  /** Returns whether Restate may lack a definition. */
  isNew(digest: string): boolean {
    return !this.#given.has(digest);
  }

  given(digest: string): void {
    this.#given.add(digest);
  }

  #of(machine: StateMachine): Program {
    return { machine, handlers: this.#handlers, options: this.#options };
  }
}

/** Compiles a machine for the execution of a record. A child of a Map Run runs its parent's machine, which is a Standard one. */
function machineOf({ machine, machineArn, mapRunArn, type }: ExecutionRecord, text: string): StateMachine {
  const name = String(machine);
  if (mapRunArn !== undefined) return new StateMachine(text, { name, arn: machineArn.split("/")[0] as string });
  return new StateMachine(text, { name, arn: machineArn, type: type === "EXPRESS" ? "EXPRESS" : "STANDARD" });
}
