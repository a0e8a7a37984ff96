// What a component can add to a machine: patterns, calls of services, and machines of the page.

import type { Edited, NewState } from "stepglass";
import { statesIn } from "../graph-editor/kernel/adding.ts";
import type { Catalog, Pattern } from "../graph-editor/kernel/plan.ts";
import { languageOf, serviceOptions, serviceTask } from "../graph-editor/kernel/services.ts";
import { startedAt } from "../model/started.ts";
import type { Owner } from "./owner.ts";
import { read } from "./syntax.ts";

/** These modules are files of their own, so that they are loaded only when they are used. */
const patterns = () => import("../graph-editor/kernel/patterns.ts");
const table = () => import("../../../js/entries/integrations.ts");

export const catalogOf = (owner: Owner): Catalog => ({
  // A component stores nothing in the browsers of its visitors.
  recent: [],
  patterns: [],
  more: () => patterns().then(({ patternOptions }) => [{ title: "Patterns", options: patternOptions }]),
  search: (text) => serviceOptions(table, text),
  states: statesIn(owner.index() ?? null),
});

export async function patternOf(owner: Owner, id: string): Promise<Pattern | undefined> {
  const { patternFor } = await patterns();
  return patternFor(id, new Set(statesIn(owner.index() ?? null).map(({ name }) => name)));
}

/** Returns a task that calls a service, in the query language of a definition. */
export const serviceStateOf = (id: string, json: string): Promise<NewState> => serviceTask(table, id, languageOf(json));

/** Returns the definition of the machine that a state starts, if the page has it. */
export async function machineOf(owner: Owner, json: string, state: string): Promise<string | undefined> {
  const [machines, started] = [await owner.machines(), startedAt(json, state)];
  return started && (machines[started.name] ?? machines[started.arn]);
}

/** A machine that was extracted from states. */
export interface Extracted {
  name: string;
  definition: string;
}

/** Returns the machine that a gesture has extracted, by the task of the new text that starts it. */
export async function extractedIn(text: string, { asl, select: [task] }: Edited): Promise<Extracted | undefined> {
  if (asl === undefined || task === undefined) return undefined;
  const name = startedAt((await read(text)).json, task)?.name;
  return name === undefined ? undefined : { name, definition: asl };
}
