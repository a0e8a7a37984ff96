// Errors of services, with the names and causes that Step Functions gives them.

import { TaskError, messageOf } from "../core/base/errors.ts";
import { isObject } from "../core/base/json.ts";
import type { ServiceClient } from "./clients.ts";
import type { OptimizedService } from "./services.ts";

/** The error that the SDK throws for an error response. */
interface ServiceError {
  name: string;
  message: string;
  status: number;
  requestId: string;
  extendedRequestId: string | undefined;
  attempts: number;
  /** The error's name on the wire, if it differs. */
  code: string;
}

/**
 * Returns the error of a state whose service has refused a request, or could not be reached. `optimized` is absent for SDK
 * integrations.
 */
export function stateError(thrown: unknown, client: ServiceClient, optimized: OptimizedService | undefined): unknown {
  if (thrown instanceof TaskError) return thrown;
  const prefix = optimized?.prefix ?? pascal(client.serviceId);
  const error = serviceError(thrown);
  if (error === undefined) return new TaskError(`${prefix}.SdkClientException`, `Unable to execute HTTP request: ${reasonOf(thrown)}`);
  const base = optimized?.exception ?? `${prefix}Exception`;
  const name = client.hasError(error.name) ? exceptionName(error.name) : base;
  return new TaskError(`${prefix}.${name}`, optimized ? oldCause(error, optimized.service) : newCause(error, prefix));
}

function serviceError(thrown: unknown): ServiceError | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const { $metadata, Error: wire, Code } = thrown as Error & { $metadata?: unknown; Error?: unknown; Code?: unknown };
  if (!isObject($metadata) || typeof $metadata.httpStatusCode !== "number") return undefined;
  const code = isObject(wire) && typeof wire.Code === "string" ? wire.Code : typeof Code === "string" ? Code : thrown.name;
  return {
    name: thrown.name,
    // A response of a proxy or an emulator that is not the service's. The SDK's advice in the message is for programmers.
    message: thrown.message.replace(/\n\s*Deserialization error:.*$/s, ""),
    status: $metadata.httpStatusCode,
    requestId: String($metadata.requestId ?? "null"),
    extendedRequestId: typeof $metadata.extendedRequestId === "string" ? $metadata.extendedRequestId : undefined,
    attempts: Number($metadata.attempts ?? 1),
    code,
  };
}

/** The format of the AWS SDK for Java 1. */
function oldCause({ message, status, code, requestId }: ServiceError, service: string): string {
  return `${message} (Service: ${service}; Status Code: ${status}; Error Code: ${code}; Request ID: ${requestId}; Proxy: null)`;
}

/** The format of the AWS SDK for Java 2. */
function newCause({ message, status, requestId, extendedRequestId, attempts }: ServiceError, service: string): string {
  const extended = extendedRequestId === undefined ? "" : `, Extended Request ID: ${extendedRequestId}`;
  return `${message} (Service: ${service}, Status Code: ${status}, Request ID: ${requestId}${extended}) (SDK Attempt Count: ${attempts})`;
}

/** The names of error classes in Java all end with Exception. */
function exceptionName(name: string): string {
  if (/exception$/i.test(name)) return name;
  return `${name.replace(/fault$/i, "")}Exception`;
}

/**
 * Returns a service's name as in class names of the AWS SDK for Java 2: SecretsManager for "Secrets Manager", DynamoDb for
 * "DynamoDB", Sfn for "SFN".
 */
function pascal(serviceId: string): string {
  return serviceId
    .replace(/[^A-Za-z0-9]+/g, " ")
    .replace(/([a-z])(?=[A-Z][a-zA-Z0-9])/g, "$1 ")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .replace(/([0-9])([a-zA-Z])/g, "$1 $2")
    .split(" ")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase())
    .join("");
}

/** Returns why there is no response, in the words of Java. */
export function reasonOf(thrown: unknown): string {
  const error =
    thrown instanceof Error ? (thrown as NodeJS.ErrnoException & { hostname?: string; address?: string; port?: number }) : undefined;
  const [first] = thrown instanceof AggregateError ? (thrown.errors as unknown[]) : [];
  if (first !== undefined) return reasonOf(first);
  if (error?.code === "ENOTFOUND" || error?.code === "EAI_AGAIN") return `${error.hostname}: Name or service not known`;
  if (error?.code === "ECONNREFUSED") return `Connect to ${error.address}:${error.port} failed: Connection refused`;
  return messageOf(thrown);
}

/** The minimum length of a secret. Shorter texts also occur in harmless words. */
const SHORTEST = 8;

/** Returns a text in which the secrets are replaced. */
export function hidden(text: string, secrets: readonly string[]): string {
  let shown = text;
  for (const secret of secrets) if (secret.length >= SHORTEST) shown = shown.replaceAll(secret, "…");
  return shown;
}

/** Returns a state's error in which the secrets are replaced. */
export function hiddenError(thrown: unknown, secrets: readonly string[]): unknown {
  if (!(thrown instanceof TaskError)) return thrown;
  const cause = thrown.errorCause;
  return new TaskError(thrown.error, cause === undefined ? undefined : hidden(cause, secrets));
}
