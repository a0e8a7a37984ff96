// The retriers and catchers of a state as they are written, held against the errors of its last visit that had one.

import { pointerTo } from "stepglass/pointer";
import type { FieldData, FieldPlace, FieldQuestion, FieldValue } from "../model/field.ts";
import type { Handled, HandledCatcher, HandledError, HandledRetrier } from "../model/form.ts";
import type { Methods } from "../model/protocol.ts";
import { type Caught, type Retried, hasOneOf, numberOf } from "../model/retries.ts";
import { isFields, listOf } from "../model/rule.ts";
import { isExpression } from "../model/stages.ts";
import { fieldsOf } from "./flow.ts";
import { Run } from "./run.ts";
import type { Shown } from "./recordedExecution.ts";

type Ask = (question: FieldQuestion) => Promise<unknown>;
type Params = Methods["handled"]["params"];

/// So many visits, and so many attempts, are looked through for errors.
const MOST_VISITS = 20;
const MOST_ATTEMPTS = 50;

export async function handled(params: Params, held: Run | Shown | undefined, ask: Ask): Promise<Handled> {
  const { name, retriers, catchers } = params;
  if (!(held instanceof Run)) return { lacks: "not visited" };
  const found = errorsOf(held, name);
  if (!Array.isArray(found)) return found;
  const { run } = held.session;
  const fields = fieldsOf(held.definition(), name).fields;
  const same = (field: string, now: readonly unknown[]): boolean => JSON.stringify(listOf(fields[field])) === JSON.stringify(now);
  const asWritten = same("Retry", retriers) && same("Catch", catchers);
  const { byRetrier, byCatcher } = taken(found, retriers, catchers, asWritten);
  const caught = found.at(-1)!;
  const taker = byCatcher.findIndex((own) => own.includes(caught));
  return {
    run,
    errors: found.map(({ error }) => error),
    retriers: byRetrier.map((own, i) => retrierOf(retriers[i], own, asWritten)),
    catchers: await Promise.all(
      byCatcher.map(async (own, i): Promise<HandledCatcher> => {
        const { error, cause } = own.at(-1) ?? {};
        return {
          ...(error !== undefined && { error }),
          ...(cause !== undefined && { cause }),
          // What it gives is known of the error that comes last: that is what its fields see.
          ...(i === taker && isFields(catchers[i]) && (await givenBy(catchers[i], i, params, ask))),
        };
      }),
    ),
  };
}

/// The errors of the last visit that had one, in their order.
function errorsOf({ session }: Run, name: string): HandledError[] | { lacks: "not visited" | "no error"; run: number } {
  const { run } = session;
  const all = session.visits(name);
  const before = all.filter(({ enter }) => enter <= session.event);
  const visits = before.length > 0 ? before : all;
  for (const { id, attempts } of visits.slice(-MOST_VISITS).reverse()) {
    const errors: HandledError[] = [];
    for (let attempt = Math.max(0, attempts - MOST_ATTEMPTS); attempt < Math.max(1, attempts); attempt++) {
      const { stages } = session.stages(id, attempt, { all: true });
      const last = (wanted: string) => stages.findLast(({ stage }) => stage === wanted);
      const of = (wanted: string): unknown => last(wanted)?.value;
      const raised = of("error") as { Error: string | null; Cause: string | null } | undefined;
      const facts = last("error")?.failure;
      if (!raised || !facts) continue;
      const retried = of("retry") as Retried | undefined;
      const caughtBy = of("catch") as Caught | undefined;
      errors.push({
        attempt: attempt + 1,
        error: raised.Error ?? "",
        retriedBy: facts.retriedBy,
        caughtBy: facts.caughtBy,
        ...(raised.Cause !== null && { cause: raised.Cause }),
        ...(retried && { retried: { retrier: retried.retrier, waited: retried.delayMilliseconds } }),
        ...(caughtBy && { caught: caughtBy.catcher }),
      });
    }
    if (errors.length > 0) return errors;
  }
  return { lacks: visits.length > 0 ? "no error" : "not visited", run };
}

interface Taken {
  /// What each retrier is the first to match, and what each catcher takes of the others.
  byRetrier: HandledError[][];
  byCatcher: HandledError[][];
}

/// As in the run; of what has been changed since, as it would be.
function taken(errors: readonly HandledError[], retriers: readonly unknown[], catchers: readonly unknown[], asWritten: boolean): Taken {
  const byRetrier: HandledError[][] = retriers.map(() => []);
  const byCatcher: HandledError[][] = catchers.map(() => []);
  const firstOf = (list: readonly unknown[], matching: readonly string[]): number =>
    list.findIndex((one) => isFields(one) && hasOneOf(one, matching));
  for (const one of errors) {
    const retrier = asWritten && one.retried ? one.retried.retrier : firstOf(retriers, one.retriedBy);
    byRetrier[retrier]?.push(one);
    const retrying = retriers[retrier];
    const isRetried = asWritten
      ? one.retried !== undefined
      : isFields(retrying) && byRetrier[retrier]!.length <= numberOf(retrying["MaxAttempts"], 3);
    if (isRetried) continue;
    byCatcher[asWritten && one.caught !== undefined ? one.caught : firstOf(catchers, one.caughtBy)]?.push(one);
    // What was not retried has ended the visit.
    break;
  }
  return { byRetrier, byCatcher };
}

function retrierOf(retrier: unknown, own: readonly HandledError[], asWritten: boolean): HandledRetrier {
  const most = isFields(retrier) ? numberOf(retrier["MaxAttempts"], 3) : 0;
  const waited = own.flatMap(({ retried }) => (retried ? [retried.waited] : []));
  return {
    matched: own.map(({ attempt, error }) => ({ attempt, error })),
    usedUp: own.length > most,
    most,
    // How long it waits is chance with jitter: only what was written in the run has waited.
    ...(asWritten && { waited }),
  };
}

/// What the next state gets of a catcher, and the variables that it assigns.
async function givenBy(catcher: Record<string, unknown>, nth: number, params: Params, ask: Ask): Promise<Partial<HandledCatcher>> {
  const { state, language, text, format, input } = params;
  const place = (field: string, form: FieldPlace["form"]) => ({
    text,
    format,
    state,
    pointer: pointerTo(state, "Catch", nth, field),
    language,
    form,
    input,
  });
  const value = async (field: string, form: FieldPlace["form"], written: string): Promise<FieldValue> =>
    (await ask({ ...place(field, form), ask: "value", written })) as FieldValue;
  const template = (field: string): Promise<FieldValue> => {
    const own = catcher[field];
    return value(field, "template", typeof own === "string" && isExpression(own) ? own : JSON.stringify(own));
  };
  const gives = async (): Promise<FieldValue | undefined> => {
    if (language === "JSONPath") {
      const path = catcher["ResultPath"];
      return value("ResultPath", "reference", path === undefined ? "$" : path === null ? "null" : String(path));
    }
    if (catcher["Output"] !== undefined) return template("Output");
    const { roots, from } = (await ask({ ...place("Output", "template"), ask: "data" })) as FieldData;
    const error = roots.find(({ name }) => name === "$states.errorOutput");
    return error && ({ value: error.value, from } as FieldValue);
  };
  const output = await gives();
  const assigned = catcher["Assign"] === undefined ? undefined : await template("Assign");
  return { ...(output && { output }), ...(assigned && { assigned }) };
}
