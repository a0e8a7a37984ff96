// The read-only calls of the Step Functions API, and their errors in words that say what to do.

import { setTimeout } from "node:timers/promises";
import { Clients, type ServiceClient } from "../../aws/clients.ts";
import { reasonOf } from "../../aws/errors.ts";
import { fromProject } from "../../aws/project.ts";
import { settingsOf } from "../../aws/settings.ts";
import { TaskError, messageOf } from "../../core/base/errors.ts";
import { Unusable } from "../../language/files/problem.ts";

/** The operations that `stepglass fetch` calls. Each needs the permission `states:NAME`. */
export type Action =
  | "DescribeExecution"
  | "DescribeStateMachineForExecution"
  | "GetExecutionHistory"
  | "ListMapRuns"
  | "DescribeMapRun"
  | "ListExecutions";

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
export class Withheld extends Error {}

/** Thrown for a call that the credentials do not allow. */
export class Denied extends Unusable {
  readonly action: Action;

  constructor(action: Action, message: string) {
    super(message);
    this.action = action;
  }
}

/** The Step Functions API of one account and region. */
export class Account {
  readonly #clients: Clients;

  /** `region` comes from an ARN. All other settings come from the environment and the profile. */
  constructor(region: string, env: NodeJS.ProcessEnv) {
    const ignored = env.AWS_IGNORE_CONFIGURED_ENDPOINT_URLS === "true";
    const endpoint = ignored ? undefined : env.AWS_ENDPOINT_URL_SFN || env.AWS_ENDPOINT_URL || undefined;
    try {
      this.#clients = new Clients(settingsOf({ region, ...(endpoint !== undefined && { endpoint }) }, fromProject));
    } catch (error) {
      throw new Unusable(`AWS_ENDPOINT_URL: ${messageOf(error)}`);
    }
  }

  /** Calls an operation, and again while AWS throttles it. Throws Unusable, or Withheld for data that is encrypted. */
  async call(action: Action, input: object): Promise<Response> {
    const client = await this.#client();
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

  async #client(): Promise<ServiceClient> {
    try {
      return await this.#clients.get("sfn");
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
  if (ENCRYPTED.has(name)) return new Withheld(`${action}: ${name}: ${message}`);
  if (EXPIRED.has(name))
    return new Unusable(`${action}: the credentials have expired; sign in again, such as with aws sso login: ${message}`);
  if (UNKNOWN.has(name))
    return new Unusable(`${action}: there are no valid credentials; check AWS_PROFILE or sign in, such as with aws sso login: ${message}`);
  if (DENIED.has(name))
    return new Denied(
      action,
      `${action}: access denied, the permission states:${action} is missing (see stepglass policy --for fetch): ${message}`,
    );
  return new Unusable(`${action}: ${name === "" || name === "Error" ? "" : `${name}: `}${message}`);
}
