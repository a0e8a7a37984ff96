// Checks the mocks of a test against the responses of the real services.

import type { HistoryEvent, ServiceModels } from "../core/api/index.d.ts";
import type { TestRun } from "../core/api/testing.d.ts";
import { type ModuleError, codeOf, messageOf } from "../core/base/errors.ts";
import { stateTested } from "../core/definition/definition.ts";
import { findServiceModels } from "../language/files/models.ts";
import { Unusable } from "../language/files/problem.ts";

/** How mocks are checked: `PRESENT` checks the members that they have, `STRICT` also that no required member is missing. */
export const MODES = ["PRESENT", "STRICT"] as const;

/** What mocks are checked against. */
export interface MockCheck {
  models: ServiceModels;
  mode: (typeof MODES)[number];
}

/** Returns the check that the options request, or undefined. */
export function mockCheckOf(mode: MockCheck["mode"] | undefined, folder: string | undefined): MockCheck | undefined {
  if (mode === undefined) {
    if (folder !== undefined) throw new Unusable("--models needs --check-mocks", { usage: true });
    return undefined;
  }
  try {
    const models = findServiceModels(folder === undefined ? {} : { folder });
    if (models !== undefined) return { models, mode };
  } catch (error) {
    if (codeOf(error) !== "UNUSABLE_FILE") throw error;
    throw new Unusable(`--models: ${messageOf(error)}`);
  }
  throw new Unusable("--check-mocks needs AWS's models of its services: install the AWS CLI or boto3, or name a folder with --models");
}

/** Returns the problems of a run's mocked responses, each once, in the words of TestState. */
export function mockProblems({ history }: Pick<TestRun, "history">, { models, mode }: MockCheck): string[] {
  const problems = new Set<string>();
  const events = new Map(history.map((event) => [event.id, event]));
  for (const event of history) {
    if (event.type !== "TaskSucceeded") continue;
    const { resourceType, resource, output } = event.taskSucceededEventDetails;
    const definition = { Type: "Task", Resource: `arn:aws:states:::${resourceType}:${resource}`, End: true };
    const mock = { result: output ?? "null", fieldValidationMode: mode };
    try {
      stateTested({ definition: JSON.stringify(definition), roleArn: "arn:aws:iam::123456789012:role/test", mock, serviceModel: models });
    } catch (error) {
      const { mockProblem } = error as ModuleError;
      if (mockProblem !== undefined)
        problems.add(`${resourceType}:${resource} cannot return the mock of ${stateOf(event, events)}: ${mockProblem}`);
    }
  }
  return [...problems];
}

/** Returns the state of an event. */
function stateOf(event: HistoryEvent, events: ReadonlyMap<number, HistoryEvent>): string {
  let at: HistoryEvent | undefined = event;
  while (at !== undefined && at.type !== "TaskStateEntered") at = events.get(at.previousEventId);
  return at?.stateEnteredEventDetails.name ?? "a state";
}
