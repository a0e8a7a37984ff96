// Creates Task states that call an integration.

import type { Integration, IntegrationParameter, IntegrationPattern, IntegrationTask } from "../api/integrations.d.ts";
import { misuse } from "../base/errors.ts";
import { checkOptions } from "../base/options.ts";
import { shown } from "../base/shown.ts";

/** The parameter in which a service passes on the task token, according to the Developer Guide. `TOKEN` stands for the token. */
const TOKENS: Readonly<Record<string, Record<string, unknown>>> = {
  "apigateway:invoke": { Headers: { TaskToken: ["TOKEN"] } },
  "ecs:runTask": { Overrides: { ContainerOverrides: [{ Name: "", Environment: [{ Name: "TASK_TOKEN", Value: "TOKEN" }] }] } },
  "events:putEvents": { Entries: [{ Detail: { TaskToken: "TOKEN" }, DetailType: "", EventBusName: "", Source: "" }] },
  "lambda:invoke": { Payload: { TaskToken: "TOKEN" } },
  "sns:publish": { Message: { TaskToken: "TOKEN" } },
  "sqs:sendMessage": { MessageBody: { TaskToken: "TOKEN" } },
  "states:startExecution": { Input: { TaskToken: "TOKEN" } },
};

/** Parameters that a task of these integrations nearly always has. */
const USUAL: Readonly<Record<string, Record<string, unknown>>> = {
  "lambda:invoke": { Payload: {} },
  "states:startExecution": { Input: {} },
  "http:invoke": { InvocationConfig: { ConnectionArn: "" } },
};

/** An empty value of each type. */
export const EMPTY: Readonly<Record<IntegrationParameter["type"], () => unknown>> = {
  string: () => "",
  timestamp: () => "",
  blob: () => "",
  number: () => 0,
  boolean: () => false,
  array: () => [],
  object: () => ({}),
};

/** Returns a Task state with the required parameters of an integration. */
export function taskState(
  integration: Pick<Integration, "resource" | "patterns" | "parameters">,
  options: { pattern?: IntegrationPattern; queryLanguage?: "JSONPath" | "JSONata" } = {},
): IntegrationTask {
  checkOptions(options, ["pattern", "queryLanguage"], "taskState()");
  const { pattern = "requestResponse", queryLanguage = "JSONPath" } = options;
  if (queryLanguage !== "JSONPath" && queryLanguage !== "JSONata")
    throw misuse("INVALID_OPTION", `taskState(): queryLanguage must be "JSONPath" or "JSONata", not ${shown(queryLanguage)}`);
  const chosen = integration.patterns.find((one) => one.pattern === pattern);
  if (chosen === undefined) {
    const known = integration.patterns.map((one) => one.pattern).join(", ");
    throw misuse("INVALID_OPTION", `taskState(): ${integration.resource} has no pattern ${shown(pattern)}; it has ${known}`);
  }
  const name = integration.resource.replace(/^arn:[^:]*:states:[^:]*:[^:]*:/, "");
  const values: Record<string, unknown> = {};
  for (const parameter of integration.parameters) if (parameter.required) values[parameter.name] = EMPTY[parameter.type]();
  Object.assign(values, structuredClone(USUAL[name] ?? {}));
  if (pattern === "waitForTaskToken") Object.assign(values, structuredClone(TOKENS[name] ?? {}));
  const filled = withToken(values, queryLanguage) as Record<string, unknown>;
  return { Type: "Task", Resource: chosen.resource, ...(queryLanguage === "JSONata" ? { Arguments: filled } : { Parameters: filled }) };
}

/** Returns a value with the token in place of TOKEN. */
function withToken(value: unknown, queryLanguage: "JSONPath" | "JSONata"): unknown {
  if (value === "TOKEN") return "{% $states.context.Task.Token %}";
  if (Array.isArray(value)) return value.map((item: unknown) => withToken(item, queryLanguage));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]: [string, unknown]) => {
      if (queryLanguage === "JSONata") return [name, withToken(member, queryLanguage)];
      if (member === "TOKEN") return [`${name}.$`, "$$.Task.Token"];
      // A path as an element of an array is text in JSONPath.
      if (Array.isArray(member) && member.includes("TOKEN")) return [`${name}.$`, "States.Array($$.Task.Token)"];
      return [name, withToken(member, queryLanguage)];
    }),
  );
}
