// HTTP calls to Restate: handlers by its ingress, queries by its admin API.

import type { ErrorCode } from "../../core/api/index.d.ts";
import { messageOf, misuse } from "../../core/base/errors.ts";
import type { Target } from "./context.ts";

/** Restate's HTTP status for an invocation that has no answer yet. */
const NOT_READY = 470;

/** An accepted call. */
export interface Sent {
  invocationId: string;
  /** `PreviouslyAccepted` if the idempotency key was already used. */
  status: "Accepted" | "PreviouslyAccepted";
}

export class Ingress {
  readonly #base: URL;
  readonly #admin: URL | undefined;

  constructor(ingress: string, admin: string | undefined) {
    this.#base = urlOf(ingress, "the URL of Restate's ingress");
    this.#admin = admin === undefined ? undefined : urlOf(admin, "admin");
  }

  /** Calls a handler and resolves to its answer. */
  async call<T>(target: Target, parameter?: unknown, idempotencyKey?: string): Promise<T> {
    return (await this.#post(pathOf(target), parameter, idempotencyKey)) as T;
  }

  /** Sends a call. Resolves when Restate has stored it. */
  async send(target: Target, parameter: unknown, idempotencyKey: string): Promise<Sent> {
    return (await this.#post(`${pathOf(target)}/send`, parameter, idempotencyKey)) as Sent;
  }

  /** Waits for the answer of a call that was sent. */
  async attach<T>(invocation: string): Promise<T> {
    const url = new URL(`restate/invocation/${invocation}/attach`, this.#base);
    return (await answerOf(url, await this.#fetch(url, {}))) as T;
  }

  /** Returns whether a call that was sent with an idempotency key exists and has no answer yet. */
  async isUnderWay({ service, handler, key = "" }: Target, idempotencyKey: string): Promise<boolean> {
    const path = [service, key, handler, idempotencyKey].map(encodeURIComponent).join("/");
    const { status } = await this.#fetch(new URL(`restate/invocation/${path}/output`, this.#base), {});
    return status === NOT_READY;
  }

  /** Returns the rows of an SQL query. */
  async query(sql: string): Promise<Record<string, unknown>[]> {
    if (this.#admin === undefined)
      throw misuse("INVALID_OPTION", "this needs Restate's admin API: new RestateClient(url, { admin: … })", Error);
    const url = new URL("query", this.#admin);
    const headers = { "content-type": "application/json", accept: "application/json" };
    const response = await this.#fetch(url, { method: "POST", headers, body: JSON.stringify({ query: sql }) });
    return ((await answerOf(url, response)) as { rows: Record<string, unknown>[] }).rows;
  }

  /** Makes Restate retry an invocation that it has paused. */
  async resume(invocation: string): Promise<void> {
    const url = new URL(`invocations/${invocation}/resume`, this.#admin);
    await answerOf(url, await this.#fetch(url, { method: "PATCH" }));
  }

  async #post(path: string, parameter: unknown, idempotencyKey: string | undefined): Promise<unknown> {
    const url = new URL(path, this.#base);
    const headers: Record<string, string> = {};
    if (parameter !== undefined) headers["content-type"] = "application/json";
    if (idempotencyKey !== undefined) headers["idempotency-key"] = idempotencyKey;
    const body = parameter === undefined ? {} : { body: JSON.stringify(parameter) };
    return answerOf(url, await this.#fetch(url, { method: "POST", headers, ...body }));
  }

  async #fetch(url: URL, init: RequestInit): Promise<Response> {
    try {
      return await fetch(url, init);
    } catch (error) {
      const { cause } = error as { cause?: unknown };
      throw misuse("RESTATE_UNREACHABLE", `${url.origin} does not answer: ${messageOf(cause ?? error)}`, Error);
    }
  }
}

function urlOf(text: string, name: string): URL {
  try {
    return new URL(text.endsWith("/") ? text : `${text}/`);
  } catch {
    throw misuse("INVALID_OPTION", `${name} must be a URL such as http://127.0.0.1:8080, not ${JSON.stringify(text)}`);
  }
}

function pathOf({ service, handler, key }: Target): string {
  return key === undefined ? `${service}/${handler}` : `${service}/${encodeURIComponent(key)}/${handler}`;
}

async function answerOf(url: URL, response: Response): Promise<unknown> {
  const text = await response.text();
  if (response.ok) return text === "" ? undefined : JSON.parse(text);
  const message = messageIn(text);
  // An error of one of our handlers begins with its code.
  const [, code, why] = /^([A-Z][A-Z_]+): ([^]*)$/.exec(message) ?? [];
  if (code !== undefined && why !== undefined) throw misuse(code as ErrorCode, why, Error);
  if (response.status === 404 && /service|handler/i.test(message))
    throw misuse(
      "RESTATE_NO_WORKER",
      `Restate at ${url.origin} has no worker of Stepglass yet: serveOnRestate({ …, admin }) registers one`,
      Error,
    );
  throw misuse("RESTATE_FAILED", `Restate at ${url.origin} answered ${response.status}: ${message}`, Error);
}

function messageIn(text: string): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return typeof message === "string" ? message : text;
  } catch {
    return text;
  }
}
