// The destinations of a server's notices: a file, an HTTP service, a function, an emulator of EventBridge or CloudWatch Logs.

import { appendFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { PlatformUrl } from "../../core/api/index.d.ts";
import type { NoticeTarget } from "../../core/api/server.d.ts";
import { messageOf, misuse } from "../../core/base/errors.ts";
import { isObject } from "../../core/base/json.ts";
import { type Destination, type Notice, Refused } from "./sinks.ts";

// The maximum number of notices that wait for a service. For a file the limit is higher.
const WAITING = 10_000;
// The limits of PutEvents and PutLogEvents. EventBridge counts some bytes besides the text; CloudWatch Logs counts 26 for each
// event.
const ENTRIES = 10;
const ENTRY_BYTES = 250 * 2 ** 10;
const LOG_EVENTS = 1000;
const LOG_BYTES = 1_000_000;

/** Returns the destination for a user's option: a file, an address, or a function. */
export function destinationOf(target: NoticeTarget, what: string): Destination {
  if (typeof target === "function") return new FunctionDestination(target, what);
  const text = String(target);
  if (/^https?:/i.test(text)) return new HttpService(addressOf(text, what), what);
  return new LinesFile(typeof target === "string" && !/^file:/i.test(text) ? target : fileURLToPath(text), what);
}

/** Appends notices to a file as lines of JSON. */
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
class FunctionDestination implements Destination {
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

/** Posts notices to an HTTP service as arrays of JSON. */
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

/** An emulated service of AWS. Requests are AWS JSON 1.1, with a placeholder for the signature, which emulators do not check. */
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

  /** Calls an operation for a region and an account. */
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

/** Puts log events into the log groups of their machines. Creates groups and streams that do not exist. */
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
      const names = { logGroupName: group, logStreamName: stream };
      // PutLogEvents requires the events of a request in chronological order.
      const logEvents = some.map(({ text, at }) => ({ timestamp: at, message: text })).sort((a, b) => a.timestamp - b.timestamp);
      const put = (): Promise<object> => this.ask("PutLogEvents", scope, { ...names, logEvents }, signal);
      try {
        await put();
      } catch (thrown) {
        if (!isNamed(thrown, "ResourceNotFoundException")) throw thrown;
        await this.#create("CreateLogGroup", scope, { logGroupName: group }, signal);
        await this.#create("CreateLogStream", scope, names, signal);
        await put();
      }
    }
  }

  async #create(operation: string, scope: Scope, input: object, signal: AbortSignal): Promise<void> {
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

/** An address. User name and password go into a header, and are not in the shown text. */
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
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString("base64");
  const shown = `${url.origin}${url.pathname}`.replace(/\/$/, "");
  return { url: url.href, shown, headers: username === "" && password === "" ? {} : { authorization: `Basic ${credentials}` } };
}

/** Sends a request and resolves to the text of the answer. Throws Refused for an error that a retry cannot remove. */
async function post({ url, headers: own }: Address, headers: Record<string, string>, body: string, signal: AbortSignal): Promise<string> {
  const response = await fetch(url, { method: "POST", headers: { ...own, ...headers }, body, signal, redirect: "manual" });
  const text = await response.text();
  if (response.ok) return text;
  const { status } = response;
  const why = `status ${status}${text === "" ? "" : `: ${text.slice(0, 300)}`}`;
  const isTemporary = status >= 500 || status === 408 || status === 429 || /Throttling|ServiceUnavailable/.test(text);
  throw isTemporary ? new Error(why) : new Refused(why);
}
