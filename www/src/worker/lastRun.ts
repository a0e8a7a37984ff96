// The data of the current run, or of the last one, for hovers and completions.

import { ask } from "stepglass/debug";
import type { Reads } from "../model/protocol.ts";
import { fieldsOf } from "./flow.ts";
import { type Read, readsOfJsonata, readsOfPath } from "./reads.ts";
import { Run } from "./run.ts";
import { detailsOf } from "../model/details.ts";
import type { Shown } from "./recordedExecution.ts";

/** For each field, the stages whose data its paths can start from. The first existing one is used, else the input. */
const BEFORE: Record<string, readonly string[]> = {
  InputPath: [],
  ResultSelector: ["result"],
  OutputPath: ["afterResultPath", "afterResultSelector", "result", "afterParameters", "afterInputPath"],
  Assign: ["result", "afterParameters", "afterInputPath"],
  Catch: ["error"],
};

/** The data that these fields read exists only after the state's work is done. */
const AFTER_WORK: ReadonlySet<string> = new Set(["ResultSelector", "Catch"]);
const AFTER_WORK_OF_WORKERS: ReadonlySet<string> = new Set(["Assign", "OutputPath"]);
const WORKERS: ReadonlySet<unknown> = new Set(["Task", "Parallel", "Map"]);

/** Returns the value of a path in the last visit of a state before the selected event. */
export function valueOf(
  run: Run | Shown | undefined,
  { state, field, path, language }: Omit<Reads, "language"> & { language?: Reads["language"] },
): { value: unknown; run?: number } | undefined {
  if (!run) return undefined;
  if (!(run instanceof Run)) {
    const input = visitOf(run, state)?.input;
    const own = ownOf(path);
    if (input === undefined || !own) return undefined;
    return answered(ask("jsonpath", `$${own.path}`, { input: JSON.parse(input) as unknown }));
  }
  const { session } = run;
  const visits = session.visits(state);
  const visit = visits.findLast(({ enter }) => enter <= session.event) ?? visits.at(-1);
  const dialect =
    language ??
    (path.startsWith("$states") ? "jsonata" : fieldsOf(run.definition(), state).language === "JSONata" ? "jsonata" : "jsonpath");
  // A state that has not run yet has no data of its own, but variables may be in scope.
  if (!visit && (path.startsWith("$states") || ownOf(path))) return undefined;
  const values = session.values(visit?.id);
  if (visit && dialect === "jsonpath") {
    const { input, stages } = session.stages(visit.id, undefined, { all: true });
    const wanted = BEFORE[field] ?? ["afterInputPath"];
    const stage = wanted.flatMap((name) => stages.filter((one) => one.stage === name).slice(-1))[0];
    const { fields } = fieldsOf(run.definition(), state);
    if (!stage && (AFTER_WORK.has(field) || (AFTER_WORK_OF_WORKERS.has(field) && WORKERS.has(fields["Type"])))) return undefined;
    const inputPath = fields["InputPath"];
    const effective =
      stage || field === "InputPath" || typeof inputPath !== "string"
        ? undefined
        : answered(ask("jsonpath", inputPath, { ...values, input }));
    values.input = stage ? stage.value : effective ? effective.value : input;
  }
  // An intrinsic function is not a path, so it is evaluated as a template.
  const called = dialect === "jsonpath" && path.startsWith("States.");
  const answer = answered(called ? ask("template", JSON.stringify({ "value.$": path }), values) : ask(dialect, path, values));
  const found = called && answer ? { value: (answer.value as { value: unknown }).value } : answer;
  return found && { ...found, run: session.run };
}

/** Returns what a path reads of the state's own input, in either language. */
function ownOf(path: string): Read | undefined {
  const [read] = (path.startsWith("$states") ? readsOfJsonata : readsOfPath)(path).reads;
  return read?.of === "data" || read?.of === "input" ? read : undefined;
}

function answered(found: ReturnType<typeof ask>): { value: unknown } | undefined {
  return "value" in found && found.value !== undefined ? { value: found.value as unknown } : undefined;
}

/** Returns the input and output of the last visit of a state before the selected event. */
export function visitOf(run: Run | Shown | undefined, state: string): { input?: string; output?: string; visits: number } | undefined {
  if (!run) return undefined;
  const { history } = run;
  const upTo = run instanceof Run ? run.session.event : history.events.length;
  const visits = history.visitsOf(state).filter(({ enter }) => enter <= upTo);
  const last = visits.at(-1);
  if (!last) return undefined;
  const detail = (id: number, name: string): Record<string, string> => {
    const value = id > 0 && id <= upTo ? detailsOf(history.event(id)!)[name] : undefined;
    return typeof value === "string" ? { [name]: value } : {};
  };
  return { ...detail(last.enter, "input"), ...detail(last.exit, "output"), visits: visits.length };
}
