// Moves running executions to another definition.

import type { RunningProblem } from "../../core/api/index.d.ts";
import { messageOf, misuse } from "../../core/base/errors.ts";
import { isObject } from "../../core/base/json.ts";
import type { JsonObject, JsonValue } from "../../core/base/json.ts";
import { pointerTo } from "../../core/base/pointer.ts";
import { migrated } from "../../core/border/history-engine.ts";
import { compare } from "../../core/definition/compare.ts";
import { type StateMachine, handleOf } from "../../core/execution/machine.ts";

/** The frames in an engine's snapshot. */
interface Running {
  frames: {
    state: string;
    phase: string;
    execution: number;
    variables: JsonObject;
    acting?: { itemReader?: unknown; resultWriter?: unknown };
  }[];
}

/** The part of a state that the analysis of variables needs. */
interface Place {
  value: JsonObject;
  /** The states that can follow. */
  targets: string[];
  /** The first states of nested workflows that run in the same execution. */
  inner: string[];
  pointer: string;
}

/** A change from one definition to another, and what it means for the executions that run. */
export class Change {
  readonly #from: StateMachine;
  readonly #to: StateMachine;
  readonly #breaks: RunningProblem[];
  readonly #places: Map<string, Place>;
  readonly #reads: Record<string, string[]>;

  constructor(from: StateMachine, to: StateMachine) {
    this.#from = from;
    this.#to = to;
    const { running } = compare(from.definition, to.definition);
    // The variables of a running execution are known, so the problems that only suspect a missing variable are left out.
    this.#breaks = running.filter(({ severity, kind }) => severity === "breaks" && kind !== "variable");
    this.#places = new Map();
    collect(JSON.parse(to.definition), "", this.#places);
    this.#reads = to.variableReferences;
  }

  /** Returns whether the definitions are the same. */
  get isNone(): boolean {
    return this.#from.digest === this.#to.digest && this.#from.type === this.#to.type;
  }

  /** The hash of the new definition. */
  get digest(): string {
    return this.#to.digest;
  }

  /** Returns all reasons why a running execution cannot continue with the new definition. */
  problems(snapshot: string): RunningProblem[] {
    const { frames }: Running = JSON.parse(snapshot);
    const found = frames.flatMap((frame) => [...this.#ofPlace(frame), ...this.#ofFiles(frame), ...this.#ofVariables(frame)]);
    if (this.#from.type !== this.#to.type) found.push(this.#typeProblem());
    const distinct = new Map(found.map((problem) => [`${problem.kind} ${problem.pointer} ${problem.message}`, problem]));
    return [...distinct.values()];
  }

  /** Returns the snapshot with the new definition. Throws NOT_MIGRATABLE with all problems. */
  migrate(arn: string, snapshot: string): string {
    const problems = this.problems(snapshot);
    if (problems.length > 0) throw refusal(arn, problems);
    try {
      return migrated(handleOf(this.#from), handleOf(this.#to), snapshot);
    } catch (thrown) {
      throw refusal(arn, [{ severity: "breaks", kind: "gone", state: "", pointer: "", message: messageOf(thrown) }]);
    }
  }

  #typeProblem(): RunningProblem {
    const message = `the machine was ${this.#from.type} and is now ${this.#to.type}: an execution cannot change its type`;
    return { severity: "breaks", kind: "meaning", state: "", pointer: "", message };
  }

  /** Problems with the state that a frame stands in. One that was not entered yet may be another one. */
  #ofPlace({ state, phase }: Running["frames"][number]): RunningProblem[] {
    const inFlight = phase === "acting";
    const here = this.#breaks.filter((problem) => problem.state === state && (inFlight || problem.kind !== "meaning"));
    if (here.length > 0 || this.#places.has(state)) return phase === "enter" ? here.filter(({ kind }) => kind === "gone") : here;
    const message = `an execution that is about to enter '${state}' cannot continue: the state was removed`;
    return [{ severity: "breaks", kind: "gone", state, pointer: "", message }];
  }

  /** A reader or writer of a Map that was called is there, and is of the same resource. */
  #ofFiles({ state, acting }: Running["frames"][number]): RunningProblem[] {
    const field = acting?.itemReader !== undefined ? "ItemReader" : acting?.resultWriter !== undefined ? "ResultWriter" : undefined;
    const place = this.#places.get(state);
    if (field === undefined || place === undefined) return [];
    const old = new Map<string, Place>();
    collect(JSON.parse(this.#from.definition), "", old);
    const [was, is] = [old.get(state)?.value, place.value].map((value) => (isObject(value?.[field]) ? value[field].Resource : undefined));
    if (was === is) return [];
    const message = `'${state}' has already called its ${field} ${String(was)}, which is now ${String(is ?? "gone")}`;
    return [{ severity: "breaks", kind: "meaning", state, pointer: `${place.pointer}/${field}`, message }];
  }

  /** Variables that states ahead of a frame read, which it does not have and which nothing ahead of it sets. */
  #ofVariables({ state, variables }: Running["frames"][number]): RunningProblem[] {
    const ahead = this.#ahead(state);
    const known = new Set([...Object.keys(variables), ...ahead.flatMap(([, { value }]) => assignments(value))]);
    return ahead.flatMap(([name, { pointer }]) =>
      (this.#reads[name] ?? [])
        .filter((variable) => !known.has(variable))
        .map((variable): RunningProblem => {
          const message = `'${name}' reads $${variable}, which an execution in '${state}' does not have and no state after it sets`;
          return { severity: "breaks", kind: "variable", state: name, pointer, message };
        }),
    );
  }

  /** A state and those that may follow it where it stands, with what runs inside of them. */
  #ahead(from: string): [string, Place][] {
    const seen = new Map<string, Place>();
    const open = [from];
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
      const place = this.#places.get(name);
      if (place === undefined || seen.has(name)) continue;
      seen.set(name, place);
      open.push(...place.targets, ...place.inner);
    }
    return [...seen];
  }
}

/** Reads the states of a `States` object and of those inside. Depth: the compiler has refused what nests deeper than 32. */
function collect(scope: JsonValue | undefined, pointer: string, places: Map<string, Place>): void {
  if (!isObject(scope) || !isObject(scope.States)) return;
  for (const [name, value] of Object.entries(scope.States)) {
    if (!isObject(value)) continue;
    const at = pointerTo(pointer, "States", name);
    const field = value.ItemProcessor === undefined ? "Iterator" : "ItemProcessor";
    const branches = Array.isArray(value.Branches) ? value.Branches : [];
    const processor = value[field];
    branches.forEach((branch, i) => collect(branch, `${at}/Branches/${i}`, places));
    collect(processor, `${at}/${field}`, places);
    // The children of a Distributed Map have variables of their own.
    const inside = [...branches, ...(isDistributed(processor) ? [] : [processor])];
    const inner = inside.flatMap((one) => (isObject(one) && typeof one.StartAt === "string" ? [one.StartAt] : []));
    places.set(name, { value, pointer: at, targets: targets(value), inner });
  }
}

function isDistributed(processor: JsonValue | undefined): boolean {
  return isObject(processor) && isObject(processor.ProcessorConfig) && processor.ProcessorConfig.Mode === "DISTRIBUTED";
}

function parts(state: JsonObject): JsonObject[] {
  const rules = [state.Choices, state.Catch].flatMap((list) => (Array.isArray(list) ? list : []));
  return [state, ...rules.filter((rule) => isObject(rule))];
}

function targets(state: JsonObject): string[] {
  return parts(state).flatMap(({ Next, Default }) => [Next, Default].filter((name) => typeof name === "string"));
}

function assignments(state: JsonObject): string[] {
  return parts(state).flatMap(({ Assign }) => (isObject(Assign) ? Object.keys(Assign).map((name) => name.replace(/\.\$$/, "")) : []));
}

function refusal(arn: string, problems: RunningProblem[]): Error {
  const list = problems.map(({ pointer, message }) => `\n  ${pointer || "/"}: ${message}`).join("");
  return Object.assign(misuse("NOT_MIGRATABLE", `${arn} cannot continue with this definition:${list}`, Error), { problems });
}

/** The problems of an execution that could not be migrated. */
export function problemsOf(thrown: unknown): RunningProblem[] | undefined {
  return (thrown as { problems?: RunningProblem[] } | undefined)?.problems;
}
