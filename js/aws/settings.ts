// Checks the options of awsTasks().

import type { AwsCredentials, AwsTaskOptions, HttpConnection } from "../core/api/aws.d.ts";
import { misuse } from "../core/base/errors.ts";
import { isObject } from "../core/base/json.ts";
import { checkOptions } from "../core/base/options.ts";
import { shown } from "../core/base/shown.ts";
import { clientOf } from "./services.ts";

/** Settings that all calls of one `awsTasks()` share. */
export interface Settings {
  region: string | undefined;
  credentials: AwsCredentials | (() => Promise<AwsCredentials>) | undefined;
  endpoint: string | undefined;
  /** Keys are the packages of the clients. */
  endpoints: ReadonlyMap<string, string>;
  only: readonly string[] | undefined;
  connections: Readonly<Record<string, HttpConnection>>;
  load: (name: string) => Promise<object>;
}

const OPTIONS = ["endpoint", "region", "credentials", "endpoints", "only", "connections", "load"];

/** Returns the options, completed by the environment. Throws INVALID_OPTION. */
export function settingsOf(options: AwsTaskOptions, load: (name: string) => Promise<object>): Settings {
  checkOptions(options, OPTIONS, "awsTasks()");
  const { endpoint, region, credentials, endpoints = {}, only, connections = {} } = options;
  if (region !== undefined && typeof region !== "string") throw wrong("region must be a string", region);
  if (credentials !== undefined && typeof credentials !== "function" && !isCredentials(credentials))
    throw invalid("credentials must have accessKeyId and secretAccessKey, or be a function that returns them");
  if (only !== undefined && !(Array.isArray(only) && only.every((one) => typeof one === "string" && one !== "")))
    throw wrong('only must be an array of patterns such as "sqs:*"', only);
  if (!isObject(connections)) throw wrong("connections must be an object", connections);
  if (options.load !== undefined && typeof options.load !== "function") throw wrong("load must be a function", options.load);
  return {
    region,
    credentials,
    endpoint: endpoint === undefined ? undefined : urlOf(endpoint, "endpoint"),
    endpoints: endpointsOf(endpoints),
    only,
    connections,
    load: options.load ?? load,
  };
}

function wrong(rule: string, given: unknown): Error {
  return invalid(`${rule}, not ${shown(given)}`);
}

/** Returns the error for an invalid option. The command shows only its `problem`, because its users do not call awsTasks(). */
function invalid(problem: string): Error & { problem: string } {
  return Object.assign(misuse("INVALID_OPTION", `awsTasks(): ${problem}`), { problem });
}

function isCredentials(value: unknown): value is AwsCredentials {
  return isObject(value) && typeof value.accessKeyId === "string" && typeof value.secretAccessKey === "string";
}

function endpointsOf(given: unknown): ReadonlyMap<string, string> {
  if (!isObject(given)) throw wrong("endpoints must be an object of URLs by service", given);
  return new Map(
    Object.entries(given).map(([name, url]) => {
      const client = clientOf(name);
      if (client === undefined) throw invalid(`endpoints: there is no service ${JSON.stringify(name)}`);
      return [client, urlOf(url, `endpoints.${name}`)];
    }),
  );
}

function urlOf(given: unknown, name: string): string {
  const text = String(given);
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw invalid(`${name} must be a URL that begins with http:// or https://`);
  // A user name and password in the URL would appear in every message.
  const { username, password } = new URL(text);
  if (username !== "" || password !== "") throw invalid(`${name} must not contain a user name or password`);
  return text;
}
