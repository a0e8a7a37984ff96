// Destinations of what a server tells: a file, an HTTP service, a function, an emulator of EventBridge or CloudWatch Logs.

import { appendFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { PlatformUrl } from "../api/index.d.ts";
import type { NoticeTarget } from "../api/server.d.ts";
import { messageOf, misuse } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import { type Destination, type Notice, Refused } from "./outlets.ts";

// How many notices wait for a service at most. A file takes as many as come.
const WAITING = 10_000;
// The limits of PutEvents and of PutLogEvents. EventBridge counts some bytes besides the text, CloudWatch Logs 26 for each event.
const ENTRIES = 10;
const ENTRY_BYTES = 250 * 2 ** 10;
const LOG_EVENTS = 1000;
const LOG_BYTES = 1_000_000;

/** The destination that a user has named: a file, an address, or a function. */
export function destinationOf(target: NoticeTarget, what: string): Destination {
  if (typeof target === "function") return new Called(target, what);
  const text = String(target);
  if (/^https?:/i.test(text)) return new HttpService(addressOf(text, what), what);
  return new LinesFile(typeof target === "string" && !/^file:/i.test(text) ? target : fileURLToPath(text), what);
}

/** Appends lines of JSON to a file. */
class LinesFile implements Destination {
  readonly name: string;
  readonly waiting = 100_000;
  readonly most = 20_000;
  readonly bytes = 16 * 2 ** 20;
  readonly #file: string;

  constructor(file: string, what: string) {
    this.#file = file;
    this.name = `the file ${file} of ${what}`;
  }

  async deliver(notices: readonly Notice[]): Promise<void> {
    await appendFile(this.#file, notices.map(({ text }) => `${text}\n`).join(""));
  }
}

/** Calls a function for each notice. */
class Called implements Destination {
  readonly name: string;
  readonly waiting = 100_000;
  readonly most = 1;
  readonly bytes = Infinity;
  readonly #receive: (notice: any) => unknown;

  constructor(receive: (notice: any) => unknown, what: string) {
    this.#receive = receive;
    this.name = `the function for ${what}`;
  }

  async deliver([notice]: readonly Notice[]): Promise<void> {
    try {
      await this.#receive(JSON.parse(notice!.text));
    } catch (thrown) {
      throw new Refused(messageOf(thrown));
    }
  }
}

/** Sends arrays of JSON to an HTTP service. */
class HttpService implements Destination {
  readonly name: string;
  readonly waiting = WAITING;
  readonly most = 100;
  readonly bytes = 2 ** 20;
  readonly #address: Address;

  constructor(address: Address, what: string) {
    this.#address = address;
    this.name = `${address.shown} for ${what}`;
  }

  async deliver(notices: readonly Notice[], signal: AbortSignal): Promise<void> {
    const body = `[${notices.map(({ text }) => text).join(",")}]`;
    await post(this.#address, { "content-type": "application/json" }, body, signal);
  }
}

/** A service of AWS, emulated: asked in AWS JSON 1.1, with a signature that nobody checks. */
abstract class Emulator {
  readonly name: string;
  readonly #address: Address;
  readonly #service: string;
  readonly #target: string;

  constructor(url: string | PlatformUrl, what: string, service: string, target: string) {
    this.#address = addressOf(String(url), what);
    this.name = `${this.#address.shown} for ${what}`;
    this.#service = service;
    this.#target = target;
  }

  /** Asks an operation for a region and an account. */
  async ask(operation: string, { region, account }: Scope, input: object, signal: AbortSignal): Promise<Record<string, unknown>> {
    const now = `${new Date().toISOString().slice(0, 19).replace(/[-:]/g, "")}Z`;
    // Emulators read the region, the service and the account from the signature.
    const scope = `${now.slice(0, 8)}/${region}/${this.#service}/aws4_request`;
    const headers = {
      "content-type": "application/x-amz-json-1.1",
      "x-amz-target": `${this.#target}.${operation}`,
      "x-amz-date": now,
      authorization: `AWS4-HMAC-SHA256 Credential=${account}/${scope}, SignedHeaders=host;x-amz-date;x-amz-target, Signature=${"0".repeat(64)}`,
    };
    const text = await post(this.#address, headers, JSON.stringify(input), signal);
    const answer: unknown = text === "" ? {} : JSON.parse(text);
    return isObject(answer) ? answer : {};
  }
}

interface Scope {
  region: string;
  account: string;
}

/** Puts events on the default event bus. */
export class EventBridge extends Emulator implements Destination {
  readonly waiting = WAITING;
  readonly most = ENTRIES;
  readonly bytes = ENTRY_BYTES;

  constructor(url: string | PlatformUrl, what: string) {
    super(url, what, "events", "AWSEvents");
  }

  async deliver(notices: readonly Notice[], signal: AbortSignal): Promise<void> {
    const events = notices.map(({ text }) => JSON.parse(text));
    for (const [, some] of grouped(events, ({ region, account }) => `${region} ${account}`)) {
      const entries = some.map((event) => ({
        Source: event.source,
        DetailType: event["detail-type"],
        Detail: JSON.stringify(event.detail),
        Resources: event.resources,
        Time: Date.parse(event.time) / 1000,
      }));
      const answer = await this.ask("PutEvents", some[0], { Entries: entries }, signal);
      const refused = (Array.isArray(answer.Entries) ? answer.Entries : []).find((entry) => entry?.ErrorCode !== undefined);
      if (refused !== undefined) throw new Refused(`${refused.ErrorCode}: ${refused.ErrorMessage}`);
    }
  }
}

/** Puts log events into the log groups of their machines; makes groups and streams that do not exist. */
export class CloudWatchLogs extends Emulator implements Destination {
  readonly waiting = WAITING;
  readonly most = LOG_EVENTS;
  readonly bytes = LOG_BYTES;

  constructor(url: string | PlatformUrl, what: string) {
    super(url, what, "logs", "Logs_20140328");
  }

  async deliver(notices: readonly Notice[], signal: AbortSignal): Promise<void> {
    for (const [, some] of grouped(notices, ({ log }) => JSON.stringify(log))) {
      const { group, stream, ...scope } = some[0]!.log!;
      const place = { logGroupName: group, logStreamName: stream };
      // A request has its events in the order of their times.
      const logEvents = some.map(({ text, at }) => ({ timestamp: at, message: text })).sort((a, b) => a.timestamp - b.timestamp);
      const put = (): Promise<object> => this.ask("PutLogEvents", scope, { ...place, logEvents }, signal);
      try {
        await put();
      } catch (thrown) {
        if (!isNamed(thrown, "ResourceNotFoundException")) throw thrown;
        await this.#make("CreateLogGroup", scope, { logGroupName: group }, signal);
        await this.#make("CreateLogStream", scope, place, signal);
        await put();
      }
    }
  }

  async #make(operation: string, scope: Scope, input: object, signal: AbortSignal): Promise<void> {
    try {
      await this.ask(operation, scope, input, signal);
    } catch (thrown) {
      if (!isNamed(thrown, "ResourceAlreadyExistsException")) throw thrown;
    }
  }
}

function isNamed(thrown: unknown, name: string): boolean {
  return thrown instanceof Refused && thrown.message.includes(name);
}

function grouped<Item>(items: readonly Item[], key: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(key(item)) ?? [];
    groups.set(key(item), group);
    group.push(item);
  }
  return groups;
}

/** An address; what its users know goes into a header, and is not shown. */
interface Address {
  url: string;
  shown: string;
  headers: Record<string, string>;
}

function addressOf(text: string, what: string): Address {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw misuse("INVALID_OPTION", `${what} needs an address that begins with http:// or https://, not ${JSON.stringify(text)}`);
  const url = new URL(text);
  const { username, password } = url;
  url.username = url.password = "";
  const known = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString("base64");
  const shown = `${url.origin}${url.pathname}`.replace(/\/$/, "");
  return { url: url.href, shown, headers: username === "" && password === "" ? {} : { authorization: `Basic ${known}` } };
}

/** Sends a request; resolves to the text of the answer. Throws Refused for an answer that would be the same the next time. */
async function post({ url, headers: own }: Address, headers: Record<string, string>, body: string, signal: AbortSignal): Promise<string> {
  const response = await fetch(url, { method: "POST", headers: { ...own, ...headers }, body, signal, redirect: "manual" });
  const text = await response.text();
  if (response.ok) return text;
  const { status } = response;
  const why = `status ${status}${text === "" ? "" : `: ${text.slice(0, 300)}`}`;
  const passes = status >= 500 || status === 408 || status === 429 || /Throttling|ServiceUnavailable/.test(text);
  throw passes ? new Error(why) : new Refused(why);
}
