// The machines of a worker, and the definitions that executions have begun with.

import { partitionOf } from "../base/partition.ts";
import type { Definition } from "../api/index.d.ts";
import type { ExecutionRecord } from "../api/durable.d.ts";
import type { RestateOptions } from "../api/restate.d.ts";
import { misuse } from "../base/errors.ts";
import { StateMachine, type ExecutionOptions } from "../execution/machine.ts";
import { LIMITS } from "../execution/settings.ts";
import { bareName, type Handlers } from "../tasks/resource.ts";

// How many definitions that are registered no more stay compiled.
const OLD = 64;

/** What an execution runs. */
export interface Program {
  machine: StateMachine;
  handlers: Handlers;
  options: ExecutionOptions;
}

/** The names of executions and machines. */
export class Names {
  readonly #arns: string;

  constructor({ region = "us-east-1", account = "123456789012" }: { region?: string; account?: string }) {
    this.#arns = `arn:${partitionOf(region)}:states:${region}:${account}`;
  }

  /** With `run`, which tells executions of an Express machine apart, one of such a machine. */
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
  /** Definitions that this process has handed on to Restate. */
  readonly #given = new Set<string>();
  readonly #options: ExecutionOptions;
  #handlers!: Handlers;

  constructor(options: RestateOptions) {
    this.names = new Names(options);
    this.#options = Object.fromEntries(LIMITS.filter((name) => options[name] !== undefined).map((name) => [name, options[name]]));
    if (typeof options.machines !== "object" || options.machines === null)
      throw misuse("INVALID_OPTION", "machines must be an object of definitions or state machines by their names");
    for (const [name, given] of Object.entries(options.machines)) {
      const machine =
        given instanceof StateMachine ? given : new StateMachine(given as Definition, { name, arn: this.names.machine(name) });
      this.#machines.set(name, machine);
    }
  }

  /** The handlers know the machines, and so come after them. */
  set handlers(handlers: Handlers) {
    this.#handlers = handlers;
  }

  get all(): { name: string; type: string; digest: string }[] {
    return [...this.#machines].map(([name, { type, digest }]) => ({ name, type, digest }));
  }

  /** What executions of a registered machine run. */
  registered(name: string): Program | undefined {
    const machine = this.#machines.get(name);
    return machine && this.#of(machine);
  }

  /** The name under which a machine is registered that a task names, by its ARN or its name. */
  nameOf(text: string): string | undefined {
    return [text, bareName(text, ":stateMachine:")].find((name) => this.#machines.has(name));
  }

  /** What an execution runs: the definition that it has begun with; undefined if this process does not have it. */
  of({ machine: name, definition = "" }: ExecutionRecord): Program | undefined {
    const registered = this.#machines.get(String(name));
    const machine = registered?.digest === definition ? registered : this.#old.get(definition);
    return machine && this.#of(machine);
  }

  /** Takes in the definition of an execution, which is not registered any more. */
  remember(record: ExecutionRecord, text: string): Program {
    return this.#add(record.definition ?? "", machineOf(record, text));
  }

  /** Takes in a definition with which an execution is to continue. */
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

  /** Whether Restate may not have a definition yet. */
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

/** A machine as one that an execution of a record runs; that of a child of a Map Run is its parent's, which is a Standard one. */
function machineOf({ machine, machineArn, mapRunArn, type }: ExecutionRecord, text: string): StateMachine {
  const name = String(machine);
  if (mapRunArn !== undefined) return new StateMachine(text, { name, arn: machineArn.split("/")[0] as string });
  return new StateMachine(text, { name, arn: machineArn, type: type === "EXPRESS" ? "EXPRESS" : "STANDARD" });
}
