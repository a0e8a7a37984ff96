// The read-only calls of AWS, and their errors in words that say what to do.

import { setTimeout } from "node:timers/promises";
import { Clients, type ServiceClient } from "../../aws/clients.ts";
import { reasonOf } from "../../aws/errors.ts";
import { fromProject } from "../../aws/project.ts";
import { settingsOf } from "../../aws/settings.ts";
import { TaskError, messageOf } from "../../core/base/errors.ts";
import { Unusable } from "../../language/files/problem.ts";

/** The operations that `stepglass fetch` calls. */
export type Action =
  | "DescribeExecution"
  | "DescribeStateMachine"
  | "DescribeStateMachineForExecution"
  | "GetExecutionHistory"
  | "ListMapRuns"
  | "DescribeMapRun"
  | "ListExecutions"
  | "FilterLogEvents";

/** The service of an operation: the name of its client's package, and the variable with its endpoint. */
interface Service {
  client: string;
  variable: "AWS_ENDPOINT_URL_SFN" | "AWS_ENDPOINT_URL_CLOUDWATCH_LOGS";
}

const STEP_FUNCTIONS: Service = { client: "sfn", variable: "AWS_ENDPOINT_URL_SFN" };
const LOGS: Service = { client: "cloudwatch-logs", variable: "AWS_ENDPOINT_URL_CLOUDWATCH_LOGS" };

function serviceOf(action: Action): Service {
  return action === "FilterLogEvents" ? LOGS : STEP_FUNCTIONS;
}

/** Returns the permission that an operation needs. */
export function permissionOf(action: Action): string {
  return `${serviceOf(action) === LOGS ? "logs" : "states"}:${action}`;
}

/** A response without the metadata of the SDK. */
export type Response = Record<string, unknown>;

/** Error names for credentials that are no longer valid. */
const EXPIRED: ReadonlySet<string> = new Set(["ExpiredTokenException", "ExpiredToken", "RequestExpired"]);
/** Error names for credentials that are wrong or missing. */
const UNKNOWN: ReadonlySet<string> = new Set([
  "UnrecognizedClientException",
  "InvalidClientTokenId",
  "InvalidSignatureException",
  "IncompleteSignature",
  "MissingAuthenticationTokenException",
  "CredentialsProviderError",
  "TokenProviderError",
]);
const DENIED: ReadonlySet<string> = new Set(["AccessDeniedException", "AccessDenied"]);
/** Error names that mean that a KMS key cannot be used, so the data stays encrypted. */
const ENCRYPTED: ReadonlySet<string> = new Set(["KmsAccessDeniedException", "KmsInvalidStateException", "KmsThrottlingException"]);

/** Error names that mean that there were too many calls. */
const THROTTLED: ReadonlySet<string> = new Set(["ThrottlingException", "Throttling", "TooManyRequestsException", "RequestLimitExceeded"]);
/**
 * How often a throttled call is repeated, after the SDK has given up, and the waits in milliseconds. AWS refills some operations
 * with one call a second, so a hundred executions need more patience than the SDK has.
 */
const THROTTLED_ATTEMPTS = 8;
const FIRST_WAIT = 500;
const LONGEST_WAIT = 20_000;

/** Thrown for data that the account withholds, while the rest of the execution can still be fetched. */
export class Withheld extends Error {
  readonly action: Action;

  constructor(action: Action, message: string) {
    super(message);
    this.action = action;
  }
}

/** Thrown for one call that AWS refuses, such as for a missing permission or an execution that it has deleted. Others may work. */
export class Refused extends Unusable {
  readonly action: Action;

  constructor(action: Action, message: string) {
    super(message);
    this.action = action;
  }
}

/** The API of one account and region. */
export class Account {
  readonly #clients: ReadonlyMap<Service, Clients>;

  /** `region` comes from an ARN. All other settings come from the environment and the profile. */
  constructor(region: string, env: NodeJS.ProcessEnv) {
    const ignored = env.AWS_IGNORE_CONFIGURED_ENDPOINT_URLS === "true";
    this.#clients = new Map(
      [STEP_FUNCTIONS, LOGS].map((service) => {
        const endpoint = ignored ? undefined : env[service.variable] || env.AWS_ENDPOINT_URL || undefined;
        try {
          return [service, new Clients(settingsOf({ region, ...(endpoint !== undefined && { endpoint }) }, fromProject))];
        } catch (error) {
          throw new Unusable(`${env[service.variable] ? service.variable : "AWS_ENDPOINT_URL"}: ${messageOf(error)}`);
        }
      }),
    );
  }

  /** Calls an operation, and again while AWS throttles it. Throws Unusable, or Withheld for data that is encrypted. */
  async call(action: Action, input: object): Promise<Response> {
    const client = await this.#client(serviceOf(action));
    const Command = client.command(action);
    if (Command === undefined) throw new Unusable(`${client.package} is too old: it has no ${action}`);
    for (let attempt = 0; ; attempt++) {
      try {
        const { $metadata: _, ...response } = await client.send(new Command(input), {}, undefined);
        return response;
      } catch (error) {
        if (attempt === THROTTLED_ATTEMPTS || !isThrottled(error)) throw explained(error, action);
        await setTimeout(Math.min(FIRST_WAIT * 2 ** attempt, LONGEST_WAIT));
      }
    }
  }

  /** Calls an operation for each page, until there are no more. */
  async *pages(action: Action, input: object): AsyncGenerator<Response> {
    let nextToken: unknown;
    do {
      const { nextToken: next, ...page } = await this.call(action, { ...input, ...(nextToken !== undefined && { nextToken }) });
      yield page;
      nextToken = next;
    } while (nextToken !== undefined);
  }

  async #client(service: Service): Promise<ServiceClient> {
    try {
      // The map has both services.
      return await this.#clients.get(service)!.get(service.client);
    } catch (error) {
      if (error instanceof TaskError) throw new Unusable(error.errorCause ?? messageOf(error));
      throw error;
    }
  }
}

function isThrottled(error: unknown): boolean {
  return error instanceof Error && THROTTLED.has(error.name);
}

function explained(error: unknown, action: Action): Error {
  const name = error instanceof Error ? error.name : "";
  const message = reasonOf(error);
  if (ENCRYPTED.has(name)) return new Withheld(action, `${action}: ${name}: ${message}`);
  if (EXPIRED.has(name))
    return new Unusable(`${action}: the credentials have expired; sign in again, such as with aws sso login: ${message}`);
  if (UNKNOWN.has(name))
    return new Unusable(`${action}: there are no valid credentials; check AWS_PROFILE or sign in, such as with aws sso login: ${message}`);
  if (DENIED.has(name))
    return new Refused(
      action,
      `${action}: access denied, the permission ${permissionOf(action)} is missing (see stepglass policy --for fetch): ${message}`,
    );
  if (name === "StateMachineTypeNotSupported" && action === "ListExecutions")
    return new Unusable(`${action}: AWS lists no executions of Express workflows; give the ARN of an execution, as its log has it`);
  // An emulator answers an operation that it does not have with a page.
  if (name === "SyntaxError") return new Refused(action, `${action}: the endpoint answers it with something that is not JSON`);
  return new Refused(action, `${action}: ${name === "" || name === "Error" ? "" : `${name}: `}${message}`);
}
