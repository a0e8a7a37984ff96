// Validates a mocked result against the service's API model, as TestState does.

import { type ServiceShape, testState } from "stepglass";

export function checkResult({ resource, result, shape }: { resource: string; result: unknown; shape: ServiceShape }): string {
  const definition = { Type: "Task", Resource: resource, End: true };
  const mock = { result: JSON.stringify(result ?? null), fieldValidationMode: "PRESENT" as const };
  try {
    testState({ definition, roleArn: "arn:aws:iam::123456789012:role/test", mock, serviceModel: () => shape });
  } catch (error) {
    return (error as { mockProblem?: string }).mockProblem ?? "";
  }
  return "";
}
