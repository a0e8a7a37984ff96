// The calls that the components' workers answer: about definitions, and about a debug session for each component that runs a
// machine. A worker says which host the sessions have.

import { type Host, Player, init, layoutOf, possibleOf, problemsOf, svgOf, wasmUrl, writtenOf } from "../../../js/entries/stepping.ts";
import type { AskedTask } from "stepglass/debug";
import type { Graph } from "../model/graph.ts";
import type { Diagnostic, RunResult } from "../model/protocol.ts";
import type { HistoryEvent } from "../model/recorded.ts";
import type { Asked, Begin, Call, FromWorker, Methods, RecordedMethods, Standing } from "./protocol.ts";

const post = (message: FromWorker): void => self.postMessage(message);

/** The events of a run after which its position is sent to the page. */
const SAID = ["stopped", "continued", "terminated", "tasks", "run", "progress"];

class Session {
  private readonly debug: Player;
  private told = 0;
  private run = -1;
  private saying = false;

  constructor(
    private readonly id: number,
    host: Host,
    { definition, input, mocks, breakpoints, clock, seed, recorded }: Begin,
  ) {
    host.setMocks(mocks as never);
    this.debug = new Player(host, (name) => {
      if (SAID.includes(name)) this.saySoon();
    });
    this.debug.setClock(clock);
    this.debug.breakpoints.set(breakpoints as never);
    this.debug.begin(
      this.debug.newRun(definition, {
        input,
        seed: BigInt.asUintN(64, BigInt(seed)),
        start: recorded?.startTime ?? Date.now(),
        label: "Run",
      }),
    );
  }

  do(how: Methods["go"]["params"]["how"]): void {
    const { debug } = this;
    switch (how) {
      case "continue":
        if (debug.status === "ended") debug.restart();
        return debug.continue();
      case "pause":
        return debug.pause();
      case "restart":
        return void debug.restart();
      case "over":
        return debug.next();
      case "into":
        return debug.stepIn();
      case "out":
        return debug.stepOut();
      case "stage":
        return debug.stepStage();
      case "back":
        return debug.stepBack();
    }
  }

  goto(event: number): void {
    this.debug.goto(event);
  }

  fork(event: number | undefined): void {
    this.debug.fork(event === undefined ? {} : { event });
  }

  advance(): void {
    this.debug.advance();
  }

  answer(id: number, answer: Methods["answer"]["params"]["answer"]): void {
    this.debug.answer(id, answer as never);
  }

  stages(state: string): { stage: string; value: unknown }[] {
    const visit = this.debug
      .visits(state)
      .filter(({ enter }) => enter <= this.debug.event)
      .at(-1);
    return visit === undefined ? [] : this.debug.stages(visit.id).stages.map(({ stage, value }) => ({ stage, value }));
  }

  dispose(): void {
    this.debug.dispose();
  }

  standing(): Standing {
    const { debug } = this;
    const outcome = debug.outcome as RunResult | undefined;
    return {
      status: debug.status as Standing["status"],
      reason: debug.stopped.reason,
      description: debug.stopped.description,
      event: debug.event,
      events: debug.events,
      now: debug.now,
      timed: debug.timers().length > 0,
      ...(outcome ? { outcome } : {}),
      tasks: debug
        .waiting()
        .filter(({ silent }) => !silent)
        .map(askedOf),
    };
  }

  /** Sends what is new, at most once per turn of the event loop. */
  say(): void {
    this.saying = false;
    if (this.debug.run.id !== this.run) {
      this.run = this.debug.run.id;
      this.told = 0;
    }
    const from = this.told;
    const events = this.debug.history(from) as unknown as HistoryEvent[];
    this.told += events.length;
    post({ session: this.id, from, events, standing: this.standing() });
  }

  private saySoon(): void {
    if (this.saying) return;
    this.saying = true;
    setTimeout(() => this.say(), 16);
  }
}

function askedOf({ task, state, resource, input, attempt, iterations, token }: AskedTask): Asked {
  return {
    id: task,
    state,
    resource: typeof resource === "string" ? resource : JSON.stringify(resource),
    input,
    attempt,
    iterations,
    ...(token === undefined ? {} : { token }),
  };
}

/** Creates the host of a session. */
type NewHost = (begin: Begin) => Host;

/** The functions that answer calls, by the names of the methods. */
export type Answers<M> = { [K in keyof M]: M[K] extends { params: infer P; value: infer V } ? (params: P) => V | Promise<V> : never };

const sessions = new Map<number, Session>();

function of(id: number): Session {
  const session = sessions.get(id);
  if (!session) throw new Error("the session has ended");
  return session;
}

/** Applies a function to a session and returns the session's position. */
function after(id: number, work: (session: Session) => void): Standing {
  const session = of(id);
  work(session);
  session.say();
  return session.standing();
}

/** Returns the methods of all workers. */
export const methodsWith = (newHost: NewHost): Answers<Methods> => ({
  layout({ definition, widths }) {
    const diagnostics = problemsOf(definition, {}) as unknown as Diagnostic[];
    try {
      const graph = layoutOf(definition, { widths }) as unknown as Graph;
      return { graph, diagnostics };
    } catch {
      return { diagnostics };
    }
  },
  svg: ({ definition, options }) => svgOf(definition, options),
  edit: ({ definition, gesture }) => writtenOf(definition, gesture),
  gestures: ({ definition, places }) => possibleOf(definition, places),
  begin({ session, ...begin }) {
    const { size } = new Blob([begin.input]);
    if (size > 262_144) throw new Error(`The input is ${Math.ceil(size / 1024)} KiB. AWS takes at most 256 KiB.`);
    sessions.get(session)?.dispose();
    sessions.set(session, new Session(session, newHost(begin), begin));
    return after(session, () => {});
  },
  go: ({ session, how }) => after(session, (one) => one.do(how)),
  goto: ({ session, event }) => after(session, (one) => one.goto(event)),
  fork: ({ session, event }) => after(session, (one) => one.fork(event)),
  advance: ({ session }) => after(session, (one) => one.advance()),
  answer: ({ session, id, answer }) => after(session, (one) => one.answer(id, answer)),
  stages: ({ session, state }) => of(session).stages(state),
  close({ session }) {
    sessions.get(session)?.dispose();
    sessions.delete(session);
    return null;
  },
});

/** Answers the calls of components, once the module is loaded. */
export function answerWith(methods: Answers<Methods> | Answers<RecordedMethods>): void {
  let loaded: Promise<void> | undefined;
  self.onmessage = async ({ data }: MessageEvent<Call | { wasm: string }>) => {
    if ("wasm" in data) {
      loaded = init(data.wasm === "" ? wasmUrl() : new URL(data.wasm));
      loaded.then(
        () => post({ ready: true }),
        (error: unknown) => post({ broken: `the interpreter could not be loaded: ${String((error as Error)?.message ?? error)}` }),
      );
      return;
    }
    try {
      await loaded;
      post({ id: data.id, value: await (methods as Answers<RecordedMethods>)[data.method](data.params as never) });
    } catch (error) {
      post({ id: data.id, error: String((error as Error)?.message ?? error) });
    }
  };
}
