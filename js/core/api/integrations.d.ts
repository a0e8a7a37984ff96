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

import type { Completions } from "./index.js";

/**
 * Finds service integrations, the best match first. Every word of the query must be the beginning of a word of the service or the
 * action: `"sqs send"`, `"dynamodb getitem"`, `"rds desc inst"`. Services are also found by their purpose (`"queue"`, `"email"`),
 * and `"sync"` or `"token"` keeps only what can be waited for. A Resource finds its own integration. Without words, returns the
 * optimized integrations.
 *
 * The first call loads the tables (150 kB compressed, and 110 kB more for the optional parameters); later calls take milliseconds.
 */
export function searchIntegrations(query: string, options?: SearchOptions): Promise<Integration[]>;

/** The integration that a `Resource` names, with any pattern; undefined if there is none. A Lambda function's ARN is no integration. */
export function integrationOf(resource: string): Promise<Integration | undefined>;

/**
 * Completes the Resource of a Task and the names of its parameters, which `complete()` of `stepglass` does not know. Returns
 * undefined everywhere else. The text is JSON and may be incomplete; the tables are loaded at the first such place. In a Resource,
 * words find integrations as in a search.
 *
 * @example
 * ```js
 * import { complete } from "stepglass";
 * import { completeIntegrations } from "stepglass/integrations";
 *
 * const { replace, items } = (await completeIntegrations(text, offset)) ?? complete(text, offset);
 * ```
 */
export function completeIntegrations(text: string, offset?: number): Promise<Completions | undefined>;

/**
 * A Task state that calls an integration: its Resource, and every required parameter with an empty value of its type. With
 * `waitForTaskToken`, the task token is put where the service passes it on, if Step Functions' documentation shows a place.
 */
export function taskState(
  integration: Pick<Integration, "resource" | "patterns" | "parameters">,
  options?: { pattern?: IntegrationPattern; queryLanguage?: "JSONPath" | "JSONata" },
): IntegrationTask;

/** Settings of a search. */
export interface SearchOptions {
  /** The largest number of results. Default: 20. */
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
  /** Its display name. */
  title: string;
  /** The action as the Resource names it. */
  action: string;
  /** The Resource that waits for the response only. */
  resource: string;
  /** Whether it is an optimized integration, and not one of the AWS SDK's. */
  optimized: boolean;
  /** The patterns that it supports, with the Resource of each. Express workflows support only `requestResponse`. */
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
  /** The parameters of the integration, in a state with JSONata. */
  Arguments?: Record<string, unknown>;
  /** The parameters of the integration, in a state with JSONPath. */
  Parameters?: Record<string, unknown>;
}

/**
 * Returns the minimal IAM policy that the role of a state machine needs for a definition, according to Step Functions' Developer
 * Guide: for each integration and pattern, for the items and results of Distributed Maps and for their child executions. What the
 * definition does not determine is in `unknown`: there, the policy has `*` in place of a name, or lacks the permission if `granted`
 * is empty.
 *
 * @example
 * ```js
 * import { policyOf } from "stepglass/integrations";
 *
 * const { policy, unknown } = policyOf(definition, { region: "eu-west-1", account: "123456789012" });
 * console.log(JSON.stringify(policy, null, 2));
 * for (const { pointer, message } of unknown) console.log(pointer, message);
 * ```
 */
export function policyOf(definition: object | string, options?: PolicyOptions): ExecutionPolicy;

/** The region, account and names for the ARNs of a policy. A part that is omitted is `*`. */
export interface PolicyOptions {
  /** The region of resources that are named without one. */
  region?: string;
  /** The account of resources that are named without one. */
  account?: string;
  /** The partition of ARNs. Default: that of the region, `"aws"` without one. */
  partition?: string;
  /** The name of the state machine, whose child executions a Distributed Map starts. */
  name?: string;
  /** Whether the machine writes logs to CloudWatch. Default: false. */
  logs?: boolean;
  /** Whether the machine is traced by X-Ray. Default: false. */
  tracing?: boolean;
}

/** A policy, and what could not be determined. */
export interface ExecutionPolicy {
  policy: { Version: "2012-10-17"; Statement: PolicyStatement[] };
  unknown: PolicyGap[];
}

/** A statement of an IAM policy. */
export interface PolicyStatement {
  Effect: "Allow";
  Action: string[];
  Resource: string[];
  Condition?: Record<string, Record<string, string | string[]>>;
}

/** Something that the definition does not determine. */
export interface PolicyGap {
  /** The name of the state. */
  state: string;
  /** A JSON Pointer to the field that would determine it, or to the state. */
  pointer: string;
  /**
   * `expression`: it is computed. `placeholder`: it has a placeholder without a value. `missing`: a parameter is missing.
   * `elsewhere`: something other than the definition determines it, as the message says. `unmapped`: its IAM name is not known
   * here.
   */
  reason: "expression" | "placeholder" | "missing" | "elsewhere" | "unmapped";
  message: string;
  /** The affected actions. */
  actions: string[];
  /** The resources that the policy allows them for instead. */
  granted: string[];
}

/**
 * Returns a drawing by {@link renderSvg} with each task showing the icon of the service that it calls. The icons are drawn for
 * Stepglass; they are not those of AWS. A task whose service has none keeps the icon of its type.
 *
 * @example
 * ```js
 * import { renderSvg } from "stepglass";
 * import { withServiceSigns } from "stepglass/integrations";
 *
 * const svg = withServiceSigns(renderSvg(definition));
 * ```
 */
export function withServiceSigns(svg: string): string;
