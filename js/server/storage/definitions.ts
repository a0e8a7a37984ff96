// Checks definitions as CreateStateMachine does, and reports problems with AWS's messages.

import type { MachineOptions } from "../../core/api/index.d.ts";
import { DefinitionError } from "../../core/base/errors.ts";
import { isObject } from "../../core/base/json.ts";
import { problemsAsSent } from "../../core/definition/definition.ts";
import { StateMachine } from "../../core/execution/machine.ts";
import { parseResource } from "../../core/tasks/resource.ts";
import { ApiError } from "../protocol/errors.ts";
import { isIntegration } from "./integrations.ts";

/** Compiles a definition; throws InvalidDefinition with AWS's message. */
export function compile(definition: string, options: MachineOptions): StateMachine {
  try {
    // AWS rejects byte order marks and placeholders, which the package accepts.
    const [first] = /^\ufeff|\$\{/.test(definition) ? problemsAsSent(definition, options) : [];
    if (first?.code === "invalid-json") throw new DefinitionError([first], first.message);
    const machine = new StateMachine(definition, options);
    const unknown = unknownResources(JSON.parse(definition).States);
    if (unknown.length === 0) return machine;
    throw invalidDefinition(unknown);
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error;
    const messages = error.diagnostics
      .filter(({ severity }) => severity === "error")
      .flatMap(({ aws, message, pointer }) =>
        aws.length > 0 ? aws : [{ code: "SCHEMA_VALIDATION_FAILED", message, location: pointer || "/" }],
      )
      .map(({ code, message, location }) =>
        code === "INVALID_JSON_DESCRIPTION" ? `${code}: ${message}` : `${code}: ${message} at ${location ?? "null"}`,
      );
    throw invalidDefinition(messages);
  }
}

function invalidDefinition(messages: string[]): ApiError {
  return new ApiError("InvalidDefinition", `Invalid State Machine Definition: '${messages.join(", ")}'`);
}

/** Returns AWS's messages about Tasks, at any depth, whose Resource names an integration that does not exist. */
function unknownResources(states: unknown, path = ""): string[] {
  return Object.entries(isObject(states) ? states : {}).flatMap(([name, state]) =>
    isObject(state) ? unknownResourcesOf(state, `${path}/States/${name}`) : [],
  );
}

function unknownResourcesOf(state: Record<string, unknown>, at: string): string[] {
  const { Type: type, Resource: resource, ItemProcessor: processor, Iterator: iterator, Branches: branches } = state;
  const inner: [field: string, machine: unknown][] = [
    ["ItemProcessor", processor],
    ["Iterator", iterator],
  ];
  if (Array.isArray(branches)) inner.push(...branches.map((branch, i): [string, unknown] => [`Branches[${i}]`, branch]));
  const inside = inner.flatMap(([field, machine]) => (isObject(machine) ? unknownResources(machine.States, `${at}/${field}`) : []));
  if (type !== "Task" || typeof resource !== "string" || isIntegration(parseResource(resource))) return inside;
  const why = "The value is not a valid resource ARN, or the resource is not available in this region.";
  return [`SCHEMA_VALIDATION_FAILED: The resource provided ${resource} is not recognized. ${why} at ${at}/Resource`, ...inside];
}
