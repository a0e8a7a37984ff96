// The environment of a player's runs: it compiles definitions, and decides what answers their tasks.

import type { Mock } from "../../core/api/debug.d.ts";
import type { Definition, InvokeCommand, MachineType, StateMachine } from "../../core/api/index.d.ts";
import type { EngineSettings } from "../../core/border/facts.ts";
import type { MachineHandle } from "../../core/border/instance.ts";
import { compiled } from "../../core/definition/plain.ts";
import { type Resource, parseResource } from "../../core/tasks/resource.ts";
import type { Answering, Call, Execution } from "./execution.ts";
import { Mocks, Reply, replyOf } from "./mocks.ts";
import type { Names } from "./model.ts";
import type { Begin, Nested, Run, RunHost } from "./run.ts";
import type { HistoryVisit } from "./execution-history.ts";

/** A compiled machine with what a run needs of it. */
export interface Playable {
  machine: MachineHandle;
  name: string;
  type: MachineType;
  settings: EngineSettings;
}

/**
 * A host in which mocks answer tasks and a person is asked about the others. Definitions are JSON texts, and tasks cannot start
 * executions.
 */
export class Host implements RunHost {
  mocks = new Mocks();
  /** Creates the relations between the executions of a run. Undefined if tasks cannot start executions. */
  nested: ((run: Run, begin: Begin) => Nested) | undefined;
  /** Called when tasks of a run were answered or are waiting again. */
  changed: (run: Run) => void = () => {};

  setMocks(mocks: Record<string, Mock> | undefined): void {
    this.mocks = new Mocks(mocks ?? {});
  }

  /** Compiles a definition. Throws DefinitionError. */
  machine(definition: Definition | StateMachine): Playable {
    return { machine: compiled(definition as string, {}), name: "StateMachine", type: "STANDARD", settings: { express: false } };
  }

  /** Returns the names of a run's main execution. */
  names(run: number, stateMachineName: string): Names {
    return { name: `run-${run}`, stateMachineName };
  }

  /** Throws if an execution must not be started with this name or input. */
  check(_name: string, _input: string): void {}

  /** Adds to a new run what the host provides. */
  prepared(run: Run): Run {
    return run;
  }

  resource(text: string): Resource {
    return parseResource(text);
  }

  /** Returns whether the task of a visit starts an execution. */
  starts(_execution: Execution, _visit: HistoryVisit): boolean {
    return false;
  }

  /** Returns what answers a task. */
  answering(command: InvokeCommand): Answering {
    return this.mocked(command) ?? this.asking();
  }

  /** Returns the mock of a task. */
  protected mocked(command: InvokeCommand): Answering | undefined {
    const mock = this.mocks.find(command);
    return (
      mock && {
        reply: (task, call, execution) => replyOf(mock, task, (handler) => this.handle(handler, call, execution)),
        mode: mock.mode,
        mocked: true,
      }
    );
  }

  /** Asks a person. */
  protected asking(): Answering {
    return { reply: () => new Reply({ ask: true }), mode: "ask" };
  }

  /** Calls a function that serves as a mock. */
  protected handle(_handler: unknown, _call: Call, _execution: Execution): unknown {
    throw new Error("functions cannot be used as mocks here");
  }

  /** Returns the error of a task that nothing answers. */
  missing({ state }: InvokeCommand): { error: string; cause: string } {
    return { error: "States.TaskFailed", cause: `nobody answers the task of state ${JSON.stringify(state)}` };
  }
}
