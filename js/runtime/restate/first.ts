// The first task of an execution is called together with its start, so that Restate stores one entry instead of two.
//
// Restate has the request of the start, including its random seed. If the worker dies before more is stored, the execution begins
// again,
// with the same task and the same key, some moments later.

import type { Fact } from "../../core/border/facts.ts";
import type { HistoryEngine } from "../../core/border/history-engine.ts";
import { type AttemptOptions, attemptIn } from "./attempt.ts";
import type { Answer } from "./events.ts";
import type { Program } from "./registered-machines.ts";
import type { SliceHost } from "./slice-host.ts";

/** How long a start waits for its first task, in milliseconds. The execution is not visible in that time. */
const BRIEF = 20;

/** The answer of an execution's first task. */
export interface FirstAnswer {
  task: number;
  answer: Answer;
}

/** The call of an execution's first task in this process. */
export interface FirstCall {
  task: number;
  answer: Promise<Answer>;
  controller: AbortController;
}

/** Calls the first task of an execution, if it is the only task and is not called outside of the slice. */
export function callFirst(
  host: SliceHost,
  { handlers }: Program,
  engine: HistoryEngine,
  fact: Fact,
  at: number,
  info: AttemptOptions["info"],
  ended: AbortSignal,
): FirstCall | undefined {
  try {
    const { commands, more } = engine.feedFact(at, fact);
    const [command] = commands;
    if (command?.type !== "Invoke" || commands.length > 1 || more || host.isLong(command)) return undefined;
    const { resource, state, input, task } = command;
    if (typeof handlers.find(resource, state, input) !== "function") return undefined;
    const controller = new AbortController();
    const answer = attemptIn(ended, command, { handlers, info, now: () => host.now(), signal: controller.signal });
    return { task, controller, answer };
  } finally {
    engine.discard();
  }
}

/** Returns the answer of the first task if it comes within BRIEF milliseconds. */
export async function briefly({ task, answer }: FirstCall): Promise<FirstAnswer | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(resolve, BRIEF, undefined)));
  const came = await Promise.race([answer, late]);
  clearTimeout(timer);
  return came && { task, answer: came };
}
