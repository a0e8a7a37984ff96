// What is known of a text: its problems, its states and its tasks. The page is told what is new of it.

import { equal } from "../model/equal.ts";
import type { Diagnostic, Methods, StatePlace } from "../model/protocol.ts";
import { findStates, findTasks, readSource } from "./definition.ts";
import { CROWD } from "./drawing.ts";
import { diagnose, places } from "./language.ts";

type Told = Methods["analyze"]["value"];
/// What most keys leave as it is.
type Lasting = Required<Pick<Told, "states" | "tasks" | "named">>;

/// What the page was told last.
let last: Lasting & { id: number } = { id: 0, states: [], tasks: [], named: [] };

export async function analyze({ text, format, type, have }: Methods["analyze"]["params"]): Promise<Omit<Told, "took">> {
  const source = await readSource(text, format);
  const { json, problems } = source;
  const broken = problems.some((problem) => problem.severity === "error");
  // Nothing is wrong with what nobody has written yet.
  const diagnostics: Diagnostic[] = text.trim() === "" ? [] : broken ? problems : [...problems, ...diagnose(source, type)];
  const found = places(source);
  const now: Lasting = { states: findStates(json), tasks: findTasks(json), named: found?.map(named) ?? last.named };
  const known = last.id === have ? last : undefined;
  // As an interpreter that was started anew counts for itself, numbers in order could be taken for one another.
  const id = Math.random();
  last = { ...now, id };
  return {
    id,
    diagnostics,
    ...(!equal(known?.states, now.states) && { states: now.states }),
    ...(!equal(known?.tasks, now.tasks) && { tasks: now.tasks }),
    ...(!equal(known?.named, now.named) && { named: now.named }),
    ...(found && { offsets: offsetsOf(found) }),
    ...(now.states.length > CROWD && { crowded: true }),
  };
}

const named = ({ name, pointer }: StatePlace): Lasting["named"][number] => ({ name, pointer });

function offsetsOf(found: readonly StatePlace[]): Int32Array {
  const offsets = new Int32Array(found.length * 4);
  found.forEach(({ from, to, nameFrom, nameTo }, i) => offsets.set([from, to, nameFrom, nameTo], i * 4));
  return offsets;
}
