/**
 * The service integrations of Step Functions: a search by words over the optimized integrations and all actions of the AWS SDK
 * integrations, with their patterns and parameters. The tables are made from AWS's own models; importing this loads none of them.
 *
 * @example
 * ```js
 * import { searchIntegrations, taskState } from "stepglass/integrations";
 *
 * const [send] = await searchIntegrations("sqs send");
 * send.resource; // "arn:aws:states:::sqs:sendMessage"
 * send.parameters.filter(({ required }) => required).map(({ name }) => name); // ["MessageBody", "QueueUrl"]
 * taskState(send, { pattern: "waitForTaskToken", queryLanguage: "JSONata" });
 * ```
 *
 * @packageDocumentation
 */

/**
 * Finds service integrations, the best match first. Every word of the query has to begin a word of the service or the action:
 * `"sqs send"`, `"dynamodb getitem"`, `"rds desc inst"`. Services are also found by what they are for (`"queue"`, `"email"`), and
 * `"sync"` or `"token"` keeps what can be waited for. A Resource finds its own integration. Without words: the optimized integrations.
 *
 * The first call loads the tables (150 kB compressed, and 110 kB more for the optional parameters); later calls take milliseconds.
 */
export function searchIntegrations(query: string, options?: SearchOptions): Promise<Integration[]>;

/** The integration that a `Resource` names, with any pattern; undefined if there is none. A Lambda function's ARN is no integration. */
export function integrationOf(resource: string): Promise<Integration | undefined>;

/**
 * A Task state that calls an integration: its Resource, and every required parameter with an empty value of its type. With
 * `waitForTaskToken` the task token stands where the service passes it on, as far as Step Functions' documentation shows a place.
 */
export function taskState(
  integration: Pick<Integration, "resource" | "patterns" | "parameters">,
  options?: { pattern?: IntegrationPattern; queryLanguage?: "JSONPath" | "JSONata" },
): IntegrationTask;

/** Settings of a search. */
export interface SearchOptions {
  /** How many results at most. Default: 20. */
  limit?: number;
  /** Whether results have their optional parameters too, which are in a table of their own. Default: true. */
  optional?: boolean;
}

/** What a task waits for: the response, the end of the job, or the task token. */
export type IntegrationPattern = "requestResponse" | "sync" | "sync:2" | "waitForTaskToken";

/** An action of a service that a Task can call. */
export interface Integration {
  /** The service as the Resource names it, without `aws-sdk:`. */
  service: string;
  /** Its name for people. */
  title: string;
  /** The action as the Resource names it. */
  action: string;
  /** The Resource that waits for the response only. */
  resource: string;
  /** Whether it is an optimized integration, and not one of the AWS SDK's. */
  optimized: boolean;
  /** The patterns that it has, with the Resource of each. Express workflows have `requestResponse` only. */
  patterns: { pattern: IntegrationPattern; resource: string }[];
  /** Required ones first, each by name. */
  parameters: IntegrationParameter[];
}

/** A parameter of an integration. */
export interface IntegrationParameter {
  name: string;
  /** `timestamp` and `blob` are strings in JSON. An `object` of an optimized integration may be any JSON value. */
  type: "string" | "number" | "boolean" | "array" | "object" | "timestamp" | "blob";
  required: boolean;
}

/** A Task state. */
export interface IntegrationTask {
  Type: "Task";
  Resource: string;
  /** With JSONata. */
  Arguments?: Record<string, unknown>;
  /** With JSONPath. */
  Parameters?: Record<string, unknown>;
}
