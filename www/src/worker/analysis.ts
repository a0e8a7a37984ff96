// The analysis of a text: its problems, its states and its tasks. Only what has changed is sent to the page.

import { equal } from "../model/equal.ts";
import type { Diagnostic, Methods, StatePlace } from "../model/protocol.ts";
import { findStates, findTasks, readSource } from "./definition.ts";
import { LARGE_MACHINE } from "./drawing.ts";
import { diagnose, places } from "./language.ts";

type Told = Methods["analyze"]["value"];
/** The members of an analysis that most keystrokes do not change. */
type StableMembers = Required<Pick<Told, "states" | "tasks" | "named">>;

/** The last analysis that was sent to the page. */
let last: StableMembers & { id: number } = { id: 0, states: [], tasks: [], named: [] };

export async function analyze({ text, format, type, have }: Methods["analyze"]["params"]): Promise<Omit<Told, "took">> {
  const source = await readSource(text, format);
  const { json, problems } = source;
  const broken = problems.some((problem) => problem.severity === "error");
  // An empty text has no problems.
  const diagnostics: Diagnostic[] = text.trim() === "" ? [] : broken ? problems : [...problems, ...diagnose(source, type)];
  const found = places(source);
  const now: StableMembers = { states: findStates(json), tasks: findTasks(json), named: found?.map(named) ?? last.named };
  const known = last.id === have ? last : undefined;
  // The id is random, because a restarted interpreter would count from the start again, and its numbers could be confused with
  // earlier ones.
  const id = Math.random();
  last = { ...now, id };
  return {
    id,
    diagnostics,
    ...(!equal(known?.states, now.states) && { states: now.states }),
    ...(!equal(known?.tasks, now.tasks) && { tasks: now.tasks }),
    ...(!equal(known?.named, now.named) && { named: now.named }),
    ...(found && { offsets: offsetsOf(found) }),
    ...(now.states.length > LARGE_MACHINE && { crowded: true }),
  };
}

const named = ({ name, pointer }: StatePlace): StableMembers["named"][number] => ({ name, pointer });

function offsetsOf(found: readonly StatePlace[]): Int32Array {
  const offsets = new Int32Array(found.length * 4);
  found.forEach(({ from, to, nameFrom, nameTo }, i) => offsets.set([from, to, nameFrom, nameTo], i * 4));
  return offsets;
}
