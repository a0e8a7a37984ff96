// Tasks that call HTTP endpoints: `http:invoke`, with the host's connections, and `apigateway:invoke`.

import type { HttpConnection, HttpConnectionParts, HttpTaskRequest } from "../core/api/aws.d.ts";
import { TaskError } from "../core/base/errors.ts";
import { isObject } from "../core/base/json.ts";
import { jsonText } from "../core/tasks/integration.ts";
import { JsonText } from "../core/tasks/json-text.ts";
import { reasonOf } from "./errors.ts";
import type { Members } from "./jobs.ts";

/** A request that is sent unchanged. */
export interface PlainRequest {
  url: URL;
  method: string;
  headers: Headers;
  body: string | undefined;
}

/** The maximum duration of an HTTP task on AWS, in milliseconds. */
const LONGEST = 60_000;

/** The context of an HTTP task. */
interface HttpSurroundings {
  connections: Readonly<Record<string, HttpConnection>>;
  /** Receives the secrets of the connection before anything is sent, so that they can be removed from results. */
  addSecrets(secrets: readonly string[]): void;
  signal: AbortSignal;
}

/** `http:invoke`. */
export async function httpTask(given: Members, { connections, addSecrets, signal }: HttpSurroundings): Promise<Members> {
  const { request, secrets } = await connected(given, connections);
  addSecrets(secrets);
  const { response, text } = await send(request, signal, "States.Http.Socket");
  if (!response.ok) throw new TaskError(`States.Http.StatusCode.${response.status}`, text || response.statusText);
  return responseOf(response, text);
}

/** Returns the request with the additions of its connection, and the secrets among them. */
async function connected(given: Members, connections: Readonly<Record<string, HttpConnection>>) {
  const url = urlOf(given.ApiEndpoint);
  const headers = headersOf(given.Headers);
  const about: HttpTaskRequest = { url: url.href, method: String(given.Method ?? "GET"), headers: Object.fromEntries(headers) };
  const parts = await partsOf(given, connections, about);
  for (const [name, value] of entriesOf(given.QueryParameters)) for (const one of listOf(value)) url.searchParams.append(name, one);
  for (const [name, value] of Object.entries(parts.query ?? {})) url.searchParams.set(name, value);
  for (const [name, value] of Object.entries(parts.headers ?? {})) headers.set(name, value);
  const body = bodyOf(given, parts, headers);
  const secrets = [parts.headers, parts.query, parts.body].flatMap((some) => Object.values(some ?? {})).flatMap(secretTexts);
  return { request: { url, method: about.method, headers, body }, secrets };
}

/** Returns the secret, the part of a header after the scheme ("Bearer …"), and the URL-encoded form of both. */
function secretTexts(value: string): string[] {
  const texts = [value, ...value.split(" ").slice(1)];
  return [...texts, ...texts.map(encodeURIComponent)];
}

async function partsOf(
  given: Members,
  connections: Readonly<Record<string, HttpConnection>>,
  about: HttpTaskRequest,
): Promise<HttpConnectionParts> {
  const arn = [given.Authentication, given.InvocationConfig].map((one) => (isObject(one) ? one.ConnectionArn : undefined)).find(Boolean);
  if (arn === undefined) return {};
  const [, name = ""] = /:connection\/([^/]+)/.exec(String(arn)) ?? [];
  const found = connections[String(arn)] ?? connections[name];
  if (found === undefined) {
    const how = `give it to awsTasks: connections: { ${JSON.stringify(name || String(arn))}: { headers: { authorization: "…" } } }`;
    throw new TaskError("States.Runtime", `there is no connection ${JSON.stringify(String(arn))}: ${how}`);
  }
  return typeof found === "function" ? found(about) : found;
}

function bodyOf(given: Members, parts: HttpConnectionParts, headers: Headers): string | undefined {
  const { RequestBody, Transform } = given;
  if ((RequestBody === undefined || RequestBody === null) && parts.body === undefined) return undefined;
  const whole =
    isObject(RequestBody) || parts.body !== undefined ? { ...(isObject(RequestBody) ? RequestBody : {}), ...parts.body } : RequestBody;
  if (isObject(Transform) && Transform.RequestBodyEncoding === "URL_ENCODED") {
    headers.set("content-type", "application/x-www-form-urlencoded");
    const options = isObject(Transform.RequestEncodingOptions) ? Transform.RequestEncodingOptions : {};
    return formOf(whole, String(options.ArrayFormat ?? "INDICES"));
  }
  if (!headers.has("content-type")) headers.set("content-type", "application/json");
  return typeof whole === "string" ? whole : jsonText(whole);
}

/** Returns the fields as a form body; `format` determines how lists are encoded. */
function formOf(value: unknown, format: string): string {
  const form = new URLSearchParams();
  const add = (name: string, item: unknown): void => {
    if (Array.isArray(item)) {
      if (format === "COMMAS") form.append(name, item.map(plainText).join(","));
      else for (const [i, one] of item.entries()) add(name + ({ INDICES: `[${i}]`, BRACKETS: "[]" }[format] ?? ""), one);
    } else if (isObject(item)) for (const [key, one] of Object.entries(item)) add(name === "" ? key : `${name}[${key}]`, one);
    else form.append(name, plainText(item));
  };
  add("", value);
  return form.toString();
}

function plainText(value: unknown): string {
  return typeof value === "string" ? value : jsonText(value);
}

/** Sends a request to API Gateway. `sign` adds the headers that AuthType IAM_ROLE needs. */
export async function gatewayTask(given: Members, sign: (request: PlainRequest) => Promise<void>, signal: AbortSignal): Promise<Members> {
  const { ApiEndpoint, Stage, Path, Method, RequestBody, AuthType = "NO_AUTH" } = given;
  const host = String(ApiEndpoint ?? "");
  const path = [Stage, Path].map((part) => String(part ?? "").replace(/^\/+/, "")).filter(Boolean);
  const url = urlOf(`${/^https?:\/\//.test(host) ? host.replace(/\/+$/, "") : `https://${host}`}/${path.join("/")}`);
  for (const [name, value] of entriesOf(given.QueryParameters)) for (const one of listOf(value)) url.searchParams.append(name, one);
  const headers = headersOf(given.Headers);
  const body = RequestBody === undefined || RequestBody === null ? undefined : plainText(RequestBody);
  if (body !== undefined && !headers.has("content-type")) headers.set("content-type", "application/json");
  const request = { url, method: String(Method ?? "GET"), headers, body };
  if (AuthType === "IAM_ROLE") await sign(request);
  const { response, text } = await send(request, signal, "ApiGateway.SdkClientException");
  if (!response.ok) throw new TaskError(`ApiGateway.${response.status}`, text || response.statusText);
  return responseOf(response, text);
}

async function send({ url, method, headers, body }: PlainRequest, signal: AbortSignal, unreachable: string) {
  try {
    const both = AbortSignal.any([signal, AbortSignal.timeout(LONGEST)]);
    const response = await fetch(url, { method, headers, redirect: "manual", signal: both, ...(body !== undefined && { body }) });
    return { response, text: await response.text() };
  } catch (thrown) {
    if (signal.aborted) throw signal.reason;
    const cause = thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown;
    throw new TaskError(unreachable, `Unable to execute HTTP request: ${reasonOf(cause)}`);
  }
}

function responseOf(response: Response, text: string): Members {
  const headers: Record<string, string[]> = {};
  for (const [name, value] of response.headers) (headers[name] ??= []).push(value);
  return { Headers: headers, ResponseBody: bodyValue(text), StatusCode: response.status, StatusText: response.statusText };
}

/** Returns a JSON body as its text, so that numbers keep their digits; any other body is a string. */
export function bodyValue(text: string): unknown {
  try {
    return new JsonText(text);
  } catch {
    return text;
  }
}

/** Returns the URL of an endpoint. Throws a TaskError if it is not an HTTP or HTTPS URL. */
export function urlOf(given: unknown): URL {
  const text = String(given);
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new TaskError("States.Runtime", `${JSON.stringify(text)} is not the URL of an HTTP endpoint`);
  return new URL(text);
}

function headersOf(given: unknown): Headers {
  const headers = new Headers();
  for (const [name, value] of entriesOf(given)) for (const one of listOf(value)) headers.append(name, one);
  return headers;
}

/** Returns the members of an object that are not null. */
export function entriesOf(given: unknown): [name: string, value: unknown][] {
  return isObject(given) ? Object.entries(given).filter(([, value]) => value !== null) : [];
}

/** Returns one or several values as texts. */
export function listOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).map(plainText);
}
