// The outline of a definition: its states, their transitions, and what they call.

import type { CoveredPlace } from "../api/testing.d.ts";
import { isObject } from "../base/json.ts";
import { pointerTo } from "../base/pointer.ts";
import type { MachineDefinition, Scope, StateFields } from "./fields.ts";
import { Handlers } from "../tasks/resource.ts";

/** A state of a definition, at any depth. */
export interface OutlinedState {
  name: string;
  type: StateFields["Type"];
  fields: StateFields;
  /** The JSON Pointer of the state. */
  pointer: string;
  /** The Parallel or Map around the state. */
  parent: OutlinedState | undefined;
  /** The names of the Maps around the state, the outermost first. */
  maps: readonly string[];
}

/** A part of a definition that coverage counts. */
export type Place = Pick<CoveredPlace, "kind" | "pointer" | "state" | "label">;

/** Returns whether a task can be called by a name. */
type Probe = (resource: string, state: string, parameters: unknown) => boolean;

/** Returns a test for tasks that are called by this name, in the form of the names of handlers and mocks. */
export function isCalledBy(name: string): Probe {
  const handlers = new Handlers({ [name]: () => {} });
  return (resource, state, parameters) => handlers.find(resource, state, parameters) !== undefined;
}

/** The states of a compiled definition, at any depth and in its order, and the places that coverage counts. */
export class Outline {
  readonly definition: MachineDefinition;
  /** All states. */
  readonly states: OutlinedState[] = [];
  /** The same states by name. State names are unique in a machine. */
  readonly named = new Map<string, OutlinedState>();
  #calls = new Map<string, boolean | undefined>();

  constructor(definition: MachineDefinition) {
    this.definition = definition;
    this.#scope(definition, "", undefined);
  }

  #scope(scope: Scope, pointer: string, parent: OutlinedState | undefined): void {
    const maps = parent === undefined ? [] : parent.type === "Map" ? [...parent.maps, parent.name] : parent.maps;
    for (const [name, fields] of Object.entries(scope.States)) {
      const state = { name, type: fields.Type, fields, pointer: pointerTo(pointer, "States", name), parent, maps };
      this.states.push(state);
      this.named.set(name, state);
      for (const [i, branch] of (fields.Branches ?? []).entries()) this.#scope(branch, `${state.pointer}/Branches/${i}`, state);
      if (fields.ItemProcessor !== undefined) this.#scope(fields.ItemProcessor, `${state.pointer}/ItemProcessor`, state);
      else if (fields.Iterator !== undefined) this.#scope(fields.Iterator, `${state.pointer}/Iterator`, state);
    }
  }

  /**
   * Returns whether a task of the definition can be called by a name, in the form of the names of mocks. Undefined if only a run
   * can decide it, because a function's name is computed.
   */
  calls(name: string): boolean | undefined {
    if (!this.#calls.has(name)) this.#calls.set(name, this.#isCalledBy(name));
    return this.#calls.get(name);
  }

  #isCalledBy(name: string): boolean | undefined {
    const isCalled = isCalledBy(name);
    let computed = false;
    for (const { name: state, type, fields } of this.states) {
      const { Resource, Parameters, Arguments, ItemReader, ResultWriter } = fields;
      const given = Parameters ?? Arguments;
      for (const resource of type === "Task" ? [Resource] : [ItemReader?.Resource, ResultWriter?.Resource]) {
        if (typeof resource !== "string") continue;
        if (isCalled(resource, state, given)) return true;
        computed ||= callsByName(resource) && !namesCallee(given);
      }
    }
    return computed ? undefined : false;
  }

  /** The best known name of each task, for messages. */
  get tasks(): string[] {
    return this.states.filter(({ type }) => type === "Task").map(({ name }) => name);
  }

  /** Returns everything that a test run can use. */
  places(): Place[] {
    return this.states.flatMap(placesOf);
  }
}

/** Returns whether an integration calls a function or state machine of the user by name. */
function callsByName(resource: string): boolean {
  return /lambda:invoke|states:startExecution|aws-sdk:(sfn|lambda):/i.test(resource);
}

/** Returns whether parameters name a function or state machine by a literal. */
function namesCallee(parameters: unknown): boolean {
  if (!isObject(parameters)) return false;
  return [parameters.FunctionName, parameters.StateMachineArn].some((name) => typeof name === "string" && !name.startsWith("{%"));
}

function placesOf({ fields, pointer, name, type }: OutlinedState): Place[] {
  const place = (kind: Place["kind"], at: string, label: string): Place => ({ kind, pointer: `${pointer}${at}`, state: name, label });
  const out = [place("state", "", name)];
  for (const [i, rule] of (fields.Choices ?? []).entries()) out.push(place("rule", `/Choices/${i}`, `rule ${i} → ${rule.Next}`));
  if (type === "Choice") {
    if (fields.Default !== undefined) out.push(place("transition", "/Default", `default → ${fields.Default}`));
  } else if (fields.Next !== undefined) out.push(place("transition", "/Next", `→ ${fields.Next}`));
  else if (fields.End === true) out.push(place("transition", "/End", "→ end"));
  for (const [i, retrier] of (fields.Retry ?? []).entries()) out.push(place("retry", `/Retry/${i}`, `retry ${i} on ${errorsOf(retrier)}`));
  for (const [i, catcher] of (fields.Catch ?? []).entries())
    out.push(place("catch", `/Catch/${i}`, `catch ${i} on ${errorsOf(catcher)} → ${catcher.Next}`));
  return out;
}

function errorsOf({ ErrorEquals }: { ErrorEquals: string[] }): string {
  return Array.isArray(ErrorEquals) ? ErrorEquals.join(", ") : "?";
}
