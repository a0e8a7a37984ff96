// What is around the runs of a player: it compiles definitions, and says who answers their tasks.

import type { Mock } from "../api/debug.d.ts";
import type { Definition, ExecutionNames, InvokeCommand, MachineType, StateMachine } from "../api/index.d.ts";
import type { EngineSettings } from "../border/facts.ts";
import type { MachineHandle } from "../border/instance.ts";
import { compiled } from "../definition/plain.ts";
import type { Taker } from "../tasks/call.ts";
import { type Resource, parseResource } from "../tasks/resource.ts";
import type { Relatives } from "./children.ts";
import type { Call, CallCommand, Execution } from "./execution.ts";
import { Mocks, Reply, replyOf } from "./mocks.ts";
import type { Begin, Run } from "./run.ts";
import type { HistoryVisit } from "./history.ts";

/** A machine as a run takes it. */
export interface Playable {
  machine: MachineHandle;
  name: string;
  type: MachineType;
  settings: EngineSettings;
}

/** The names of an execution that has both. */
export type Names = ExecutionNames & { name: string; stateMachineName: string };

/** What answers a task, and in which mode that is reported. */
export interface Answering {
  /** A function; undefined where nobody answers, and the task fails. */
  reply?: (command: CallCommand, call: Call, execution: Execution) => unknown;
  mode: string;
  /** Something else than a function, which takes the call over. */
  taker?: Taker;
  /** Whether it is a mock, which comes before a recorded answer. */
  mocked?: boolean;
}

/** Mocks answer tasks, and a person is asked for the others. Definitions are JSON texts; no task starts an execution. */
export class Host {
  mocks = new Mocks();
  /** What the executions of a run know of each other; undefined where tasks start none. */
  relatives: ((run: Run, begin: Begin) => Relatives) | undefined;
  /** Hears that tasks of a run were answered, or wait anew. */
  changed: (run: Run) => void = () => {};

  setMocks(mocks: Record<string, Mock> | undefined): void {
    this.mocks = new Mocks(mocks ?? {});
  }

  /** Compiles a definition. Throws DefinitionError. */
  machine(definition: Definition | StateMachine): Playable {
    return { machine: compiled(definition as string, {}), name: "StateMachine", type: "STANDARD", settings: { express: false } };
  }

  /** The names of a run's own execution. */
  names(run: number, stateMachineName: string): Names {
    return { name: `run-${run}`, stateMachineName };
  }

  /** Throws for a name or an input with which no execution may be started. */
  check(_name: string, _input: string): void {}

  /** Gives a new run what it is to have besides. */
  equipped(run: Run): Run {
    return run;
  }

  resource(text: string): Resource {
    return parseResource(text);
  }

  /** Whether the task of a visit starts an execution. */
  starts(_execution: Execution, _visit: HistoryVisit): boolean {
    return false;
  }

  /** What answers a task. */
  answering(command: InvokeCommand): Answering {
    return this.mocked(command) ?? this.asking();
  }

  /** The mock of a task. */
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

  /** A person is asked. */
  protected asking(): Answering {
    return { reply: () => new Reply({ ask: true }), mode: "ask" };
  }

  /** Calls a function that stands for a task. */
  protected handle(_handler: unknown, _call: Call, _execution: Execution): unknown {
    throw new Error("functions cannot be used as mocks here");
  }

  /** The error of a task that nobody answers. */
  missing({ state }: InvokeCommand): { error: string; cause: string } {
    return { error: "States.TaskFailed", cause: `nobody answers the task of state ${JSON.stringify(state)}` };
  }
}
