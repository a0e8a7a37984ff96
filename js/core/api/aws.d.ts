/**
 * Task handlers that call AWS, or an emulator of it, through the AWS SDK clients for JavaScript that your project has installed.
 * Node only.
 *
 * @example
 * ```js
 * import { StateMachine } from "stepglass";
 * import { awsTasks } from "stepglass/aws";
 *
 * const machine = new StateMachine(definition);
 * const tasks = { ...awsTasks({ endpoint: "http://localhost:4566", only: ["sqs:*", "dynamodb:*"] }), ChargeCard: async () => ({ paid: true }) };
 * const output = await machine.run({ order: 7 }, { tasks });
 * ```
 *
 * @packageDocumentation
 */
import type { TaskHandler, TaskHandlers } from "./index.js";

/**
 * Makes handlers for tasks of AWS's services: the optimized integrations (`sqs:sendMessage`, `lambda:invoke`, …), functions whose ARN is
 * the Resource, and every `aws-sdk:service:action`. Their requests, results and errors are those of Step Functions.
 *
 * The client of a service is loaded when a task first needs it. If it is not installed, the task fails with `States.Runtime` and the
 * command that installs it: `npm install @aws-sdk/client-sqs`.
 *
 * The names of the handlers are patterns such as `sqs:*`. So your own handlers take precedence if they have an exact name (a state,
 * a function, `sqs:sendMessage`) or a more specific pattern. So do the machines of the option `machines`.
 */
export function awsTasks(options?: AwsTaskOptions): Record<string, TaskHandler>;

/** Options of `awsTasks()`. */
export interface AwsTaskOptions {
  /** The endpoint of all services: an emulator such as LocalStack or moto's server. Default: AWS, or what the SDK is configured to use. */
  endpoint?: string;
  /**
   * The endpoints of single services, by their names in Resources (`sqs`, `states`, `events`). Without `endpoint`, only these
   * services are called.
   */
  endpoints?: Record<string, string>;
  /** Default: the variables `AWS_REGION` and `AWS_DEFAULT_REGION`, the SDK's configuration, and `us-east-1` for an endpoint. */
  region?: string;
  /**
   * Default: those that the SDK finds. An endpoint outside of AWS gets the credentials `test` and `test` if neither
   * `AWS_ACCESS_KEY_ID` nor `AWS_PROFILE` is set. Credentials never appear in a history, error or log.
   */
  credentials?: AwsCredentials | (() => Promise<AwsCredentials>);
  /**
   * The tasks to handle, by the names that handlers have: `"sqs:*"`, `"dynamodb:putItem"`, `"ChargeCard"` for a function. A
   * service's pattern also covers its SDK integration. All other tasks get no handler from here. Default: everything, but
   * `http:invoke` only with `connections`, and `apigateway:invoke` only without `endpoint`.
   */
  only?: readonly string[];
  /** The connections of `http:invoke`, by name or ARN. */
  connections?: Record<string, HttpConnection>;
  /** Loads a package, for programs that bundle the clients: `load: () => import("@aws-sdk/client-sqs")`. Default: from the working directory. */
  load?: (name: string) => Promise<object>;
}

/** Credentials of AWS. */
export interface AwsCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
  expiration?: Date;
}

/** The additions of an EventBridge connection to a request, or a function that returns them for each request. */
export type HttpConnection = HttpConnectionParts | ((request: HttpTaskRequest) => HttpConnectionParts | Promise<HttpConnectionParts>);

/** The headers, query parameters and body members that a connection adds. Their values never appear in a history or an error. */
export interface HttpConnectionParts {
  headers?: Record<string, string>;
  query?: Record<string, string>;
  body?: Record<string, string>;
}

/** A request of `http:invoke`, before its connection adds anything. */
export interface HttpTaskRequest {
  url: string;
  method: string;
  headers: Record<string, string>;
}

/**
 * Returns what the tasks of a definition would call, without calling anything: one entry for each Task state, ItemReader and
 * ResultWriter whose handler comes from `awsTasks()`.
 *
 * @example
 * ```js
 * awsCalls(definition, awsTasks({ endpoint: "http://localhost:4566" }));
 * // [{ state: "Send", resource: "arn:aws:states:::sqs:sendMessage", call: "sqs:sendMessage", package: "@aws-sdk/client-sqs", installed: true, … }]
 * ```
 */
export function awsCalls(definition: object | string, tasks: TaskHandlers): Promise<AwsCall[]>;

/** A call that a task would make. */
export interface AwsCall {
  /** The state's name. */
  state: string;
  /** The Resource as written. */
  resource: string;
  /** The API: `sqs:sendMessage`. */
  call: string;
  /** The package of its client; absent for calls by HTTP. */
  package?: string;
  /** Whether the SDK's package for the service is installed in the project. */
  installed?: boolean;
  /** The endpoint of the call, or the address in the request. Absent for AWS itself. */
  endpoint?: string;
  /** The region of the call. Absent if the SDK determines it when it calls. */
  region?: string;
}
