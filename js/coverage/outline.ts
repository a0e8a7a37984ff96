// @ts-nocheck: has no types yet.
// What a definition consists of: its states, the ways out of them, what they call.

import { pointerTo } from "../base/pointer.ts";
import { Handlers } from "../tasks/resource.ts";

/** The states of a definition, at any depth, in its order; each with the places that can be used or not. */
export class Outline {
  /** All states. */
  states = [];
  /** The same by their names, which are unique in a machine. */
  named = new Map();
  #calls = new Map();

  constructor(definition) {
    this.definition = definition;
    this.#scope(definition, "", undefined);
  }

  #scope(scope, pointer, parent) {
    for (const [name, fields] of Object.entries(scope?.States ?? {})) {
      const state = { name, type: fields.Type, fields, pointer: pointerTo(pointer, "States", name), parent, maps: parent === undefined ? [] : parent.type === "Map" ? [...parent.maps, parent.name] : parent.maps };
      this.states.push(state);
      this.named.set(name, state);
      (fields.Branches ?? []).forEach((branch, i) => this.#scope(branch, `${state.pointer}/Branches/${i}`, state));
      const processor = ["ItemProcessor", "Iterator"].find((key) => fields[key] !== undefined);
      if (processor !== undefined) this.#scope(fields[processor], `${state.pointer}/${processor}`, state);
    }
  }

  /**
   * Whether a task of the definition can be called by a name, as mocks are named: undefined where only a run can tell, for a
   * function's name that is computed.
   */
  calls(name) {
    if (!this.#calls.has(name)) this.#calls.set(name, this.#find(name));
    return this.#calls.get(name);
  }

  #find(name) {
    const probe = new Handlers({ [name]: () => {} });
    let computed = false;
    for (const { name: state, type, fields } of this.states) {
      const { Resource, Parameters, Arguments, ItemReader, ResultWriter } = fields;
      const resources = type === "Task" ? [Resource] : [ItemReader?.Resource, ResultWriter?.Resource];
      for (const resource of resources) {
        if (typeof resource !== "string") continue;
        const given = Parameters ?? Arguments;
        if (probe.find(resource, state, given) !== undefined) return true;
        computed ||= /lambda:invoke|states:startExecution|aws-sdk:(sfn|lambda):/i.test(resource) && ![given?.FunctionName, given?.StateMachineArn].some((part) => typeof part === "string" && !part.startsWith("{%"));
      }
    }
    return computed ? undefined : false;
  }

  /** The names under which tasks are known best, for messages. */
  get tasks() {
    return this.states.filter(({ type }) => type === "Task").map(({ name }) => name);
  }

  /** Everything that a test run can use: `{kind, pointer, state, label}`. */
  places() {
    return this.states.flatMap((state) => {
      const { fields, pointer, name } = state;
      const place = (kind, at, label) => ({ kind, pointer: `${pointer}${at}`, state: name, label });
      const out = [place("state", "", name)];
      (fields.Choices ?? []).forEach((rule, i) => out.push(place("rule", `/Choices/${i}`, `rule ${i} → ${rule.Next}`)));
      if (state.type === "Choice") {
        if (fields.Default !== undefined) out.push(place("transition", "/Default", `default → ${fields.Default}`));
      } else if (fields.Next !== undefined) out.push(place("transition", "/Next", `→ ${fields.Next}`));
      else if (fields.End === true) out.push(place("transition", "/End", "→ end"));
      (fields.Retry ?? []).forEach((retrier, i) => out.push(place("retry", `/Retry/${i}`, `retry ${i} on ${errorsOf(retrier)}`)));
      (fields.Catch ?? []).forEach((catcher, i) => out.push(place("catch", `/Catch/${i}`, `catch ${i} on ${errorsOf(catcher)} → ${catcher.Next}`)));
      return out;
    });
  }
}

function errorsOf({ ErrorEquals }) {
  return Array.isArray(ErrorEquals) ? ErrorEquals.join(", ") : "?";
}
