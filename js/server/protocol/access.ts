// Access: which keys may call the server, and what each of them may do.

import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { AccessKey, AccessOptions } from "../../core/api/server.d.ts";
import { misuse } from "../../core/base/errors.ts";
import { isObject } from "../../core/base/json.ts";
import { checkOptions } from "../../core/base/options.ts";
import { shown } from "../../core/base/shown.ts";
import { executionOfToken } from "../../core/tasks/token.ts";
import { type Audit, auditOf } from "./audit.ts";
import { ApiError } from "./errors.ts";
import type { Operation } from "./shapes.ts";
import { authorizationOf, checkSignature } from "./signature.ts";

/** Operations that change nothing, and call no handler. */
const READS = /^(?:Describe|List|Validate)|^GetExecutionHistory$/;
/** Operations on no single resource, which every key may call. The lists contain only what the key may read. */
const UNSCOPED: ReadonlySet<Operation> = new Set(["ListStateMachines", "ListActivities", "ValidateStateMachineDefinition"]);
/** The name of the cookie that holds the token of a visitor of the pages. */
const COOKIE = "stepglass-token";

type Request = Pick<IncomingMessage, "method" | "url" | "headers">;

/** Who makes a request, and what they may do. */
export interface Identity {
  /** The name of the key; undefined if the server does not check access. */
  readonly name?: string;
  /** Returns whether it may read, or also change, the resources of a machine or activity with this name; or any at all. */
  may(right: "read" | "write", machineName?: string): boolean;
}

/** The identity of every request to a server that does not check access. */
export const ANYONE: Identity = { may: () => true };

/** Returns the name of the machine or activity in an ARN of it, of its versions, executions and Map Runs. */
export function ownerName(arn: string): string {
  const [, , , , , , name = ""] = arn.split(":", 7);
  return name.split(/[/#]/, 1)[0] ?? "";
}

/** A key with what is compared. */
interface Known extends Identity {
  readonly name: string;
  readonly prefix: string;
  readonly accessKeyId?: string;
  readonly secret?: string;
  readonly tokenHash?: Buffer;
}

/** Checks the keys of requests, and logs what each key has changed. */
export class Access {
  readonly #keys: readonly Known[];
  readonly #audit: Audit | undefined;

  /** Throws INVALID_OPTION for keys that are not valid. */
  constructor(options: AccessOptions) {
    checkOptions(options, ["keys", "audit"], "access");
    if (!Array.isArray(options.keys) || options.keys.length === 0)
      throw misuse("INVALID_OPTION", "access.keys must be a list of at least one key");
    this.#keys = options.keys.map(knownKey);
    for (const member of ["name", "accessKeyId"] as const) {
      const all = this.#keys.map((key) => key[member]).filter((value) => value !== undefined);
      const twice = all.find((value, i) => all.indexOf(value) !== i);
      if (twice !== undefined) throw misuse("INVALID_OPTION", `access.keys has two keys with the ${member} ${shown(twice)}`);
    }
    this.#audit = options.audit === undefined ? undefined : auditOf(options.audit);
  }

  /** Returns who has signed a request, or whose token it has. Throws an ApiError. */
  identify(request: Request, body: Uint8Array): Identity {
    const { authorization } = request.headers;
    const signed = authorizationOf(authorization);
    if (signed !== undefined) {
      const key = this.#keys.find(({ accessKeyId }) => accessKeyId === signed.accessKeyId);
      if (key?.secret === undefined)
        throw new ApiError("UnrecognizedClientException", "The security token included in the request is invalid.", { status: 403 });
      checkSignature(request, body, signed, key.secret, Date.now());
      return key;
    }
    return this.identifyByToken(request);
  }

  /** Returns whose token a request has, in its Authorization header or its cookie. Throws an ApiError. */
  identifyByToken({ headers }: Pick<Request, "headers">): Identity {
    const [, bearer] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? "") ?? [];
    const token = bearer ?? cookieOf(headers.cookie);
    if (token === undefined) throw new ApiError("MissingAuthenticationTokenException", "Missing Authentication Token", { status: 401 });
    const key = this.#keyOf(token);
    if (key !== undefined) return key;
    throw new ApiError("UnrecognizedClientException", "The security token included in the request is invalid.", { status: 401 });
  }

  /** Returns the cookie for a token; undefined if no key has it. */
  cookieFor(token: string): string | undefined {
    if (this.#keyOf(token) === undefined) return undefined;
    return `${COOKIE}=${encodeURIComponent(token)}; Path=/debugger; HttpOnly; SameSite=Strict`;
  }

  #keyOf(token: string): Known | undefined {
    const hash = hashOf(token);
    return this.#keys.find(({ tokenHash }) => tokenHash !== undefined && timingSafeEqual(tokenHash, hash));
  }

  /** Records what a request has changed, or why it was refused. */
  record(entry: Parameters<Audit>[0]): void {
    this.#audit?.(entry);
  }
}

/** Throws AccessDeniedException if an identity may not call an operation with this input. */
export function checkOperation(identity: Identity, operation: Operation, input: Record<string, unknown>): void {
  const right = isRead(operation) ? "read" : "write";
  const resources = resourcesOf(operation, input);
  const isAllowed =
    resources.length === 0
      ? identity.may(right) && (UNSCOPED.has(operation) || identity.may(right, ""))
      : resources.every((one) => identity.may(right, ownerName(one)));
  if (isAllowed) return;
  const on = resources.length === 0 ? "" : ` on resource: ${resources[0]?.slice(0, 300)}`;
  throw new ApiError("AccessDeniedException", `User: ${identity.name} is not authorized to perform: states:${operation}${on}`);
}

/** Returns whether an operation changes nothing. */
export function isRead(operation: Operation): boolean {
  return READS.test(operation);
}

/** Returns the ARNs that an input of an operation names. A resource that is being created has one with its name. */
export function resourcesOf(operation: Operation, input: Record<string, unknown>): string[] {
  const texts = Object.entries(input).flatMap(([name, value]) =>
    name.endsWith("Arn") && name !== "roleArn" && typeof value === "string" ? [value] : [],
  );
  if (typeof input.taskToken === "string") texts.push(executionOfToken(input.taskToken) ?? "");
  if (Array.isArray(input.routingConfiguration))
    for (const route of input.routingConfiguration)
      if (isObject(route) && typeof route.stateMachineVersionArn === "string") texts.push(route.stateMachineVersionArn);
  if ((operation === "CreateStateMachine" || operation === "CreateActivity") && typeof input.name === "string")
    texts.push(`arn:aws:states:::${operation === "CreateActivity" ? "activity" : "stateMachine"}:${input.name}`);
  return texts;
}

/** Returns the response of a list without what an identity may not read. */
export function readable(identity: Identity, output: object): object {
  const lists = Object.entries(output).map(([name, value]) => {
    const isList = (name === "stateMachines" || name === "activities") && Array.isArray(value);
    return [name, isList ? value.filter((one: { name: string }) => identity.may("read", one.name)) : value];
  });
  return Object.fromEntries(lists) as object;
}

function knownKey(key: AccessKey, i: number): Known {
  const where = `access.keys[${i}]`;
  if (!isObject(key)) throw misuse("INVALID_OPTION", `${where} must be an object, not ${shown(key)}`);
  checkOptions(key, ["name", "accessKeyId", "secretAccessKey", "token", "rights", "prefix"], where);
  const { name, accessKeyId, secretAccessKey, token, rights = "write", prefix = "" } = key;
  const bad = (what: string): Error => misuse("INVALID_OPTION", `${where}: ${what}`);
  if (typeof name !== "string" || name === "") throw bad("name must be a text: the log names the key by it");
  if (rights !== "read" && rights !== "write") throw bad(`rights must be "read" or "write", not ${shown(rights)}`);
  if (typeof prefix !== "string") throw bad(`prefix must be the beginning of names, not ${shown(prefix)}`);
  const isPair = typeof accessKeyId === "string" && accessKeyId !== "" && typeof secretAccessKey === "string" && secretAccessKey !== "";
  if ((accessKeyId !== undefined || secretAccessKey !== undefined) && !isPair) throw bad("accessKeyId and secretAccessKey belong together");
  if (token !== undefined && (typeof token !== "string" || !/^[\x21-\x7e]{16,}$/.test(token)))
    throw bad("token must have at least 16 characters, without spaces");
  if (!isPair && token === undefined) throw bad("a key needs accessKeyId and secretAccessKey, or a token");
  return {
    name,
    prefix,
    ...(isPair && { accessKeyId, secret: secretAccessKey }),
    ...(token !== undefined && { tokenHash: hashOf(token) }),
    may: (right, machineName) => (right === "read" || rights === "write") && (machineName === undefined || machineName.startsWith(prefix)),
  };
}

function cookieOf(header: string | undefined): string | undefined {
  const [, value] = new RegExp(`(?:^|;\\s*)${COOKIE}=([^;]+)`).exec(header ?? "") ?? [];
  try {
    return value === undefined ? undefined : decodeURIComponent(value);
  } catch {
    return undefined;
  }
}

function hashOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
