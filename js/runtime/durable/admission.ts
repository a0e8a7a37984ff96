// Limits of starts: how many executions run at once, and how many begin per second, in all or for each value of an attribute.

import type { Clock } from "../../core/api/index.d.ts";
import type { Attributes, ExecutionRecord, RuntimeOptions, StartLimit, Store } from "../../core/api/durable.d.ts";
import { misuse } from "../../core/base/errors.ts";
import { checkOptions } from "../../core/base/options.ts";
import { shown } from "../../core/base/shown.ts";

// A count of the store is used for COUNTED milliseconds: other processes may start and end executions, too. At most PLACES counts and
// rates are remembered.
const COUNTED = 1000;
const PLACES = 10_000;

/** What is known of the executions to which one limit applies, or of those with one value of its attribute. */
interface Place {
  /** Executions that run: those that the store had, and those that have begun and ended here since. */
  running: number;
  /** Starts that are under way. */
  pending: number;
  countedAt: number;
  counting: Promise<void> | undefined;
  /** How many starts the rate allows now, and the time for which that was computed. */
  allowance: number;
  at: number;
}

/** A start, as far as limits concern it. */
type Candidate = Pick<ExecutionRecord, "attributes"> & { machine: string };

export class Admission {
  readonly #limits: readonly StartLimit[];
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #machineArn: (name: string) => string;
  readonly #places = new Map<string, Place>();

  constructor(limits: RuntimeOptions["startLimits"] = [], store: Store, clock: Clock, machineArn: (name: string) => string) {
    if (!Array.isArray(limits)) throw misuse("INVALID_OPTION", `startLimits must be a list, not ${shown(limits)}`);
    for (const [i, limit] of limits.entries()) check(limit as StartLimit, `startLimits[${i}]`);
    this.#limits = limits as readonly StartLimit[];
    this.#store = store;
    this.#clock = clock;
    this.#machineArn = machineArn;
  }

  /**
   * Makes a start if all limits allow it, and otherwise throws THROTTLED. A start that finds an execution with its name counts as a
   * start for the rates.
   */
  async admit<Result>(candidate: Candidate, start: () => Promise<Result>): Promise<Result> {
    const places = this.#placesOf(candidate);
    if (places.length === 0) return start();
    for (const { limit, key, place } of places) await this.#count(limit, key, place);
    // No await from here on, so that no other start comes in between.
    const now = this.#clock.now();
    for (const { limit, key, place } of places) this.#check(limit, key, place, now);
    for (const { place } of places) {
      place.pending += 1;
      place.allowance -= 1;
    }
    try {
      return await start();
    } finally {
      for (const { place } of places) place.pending -= 1;
    }
  }

  /** An execution was created: by a start, by a state, or as the continuation of another one. */
  begun(record: ExecutionRecord): void {
    this.#changed(record, 1);
  }

  ended(record: ExecutionRecord): void {
    this.#changed(record, -1);
  }

  #changed({ machine, attributes }: ExecutionRecord, by: number): void {
    if (this.#limits.length === 0) return;
    for (const { place } of this.#placesOf({ machine: String(machine), attributes: attributes as Attributes })) place.running += by;
  }

  #placesOf({ machine, attributes }: Candidate): { limit: StartLimit; key: unknown; place: Place }[] {
    return this.#limits.flatMap((limit, i) => {
      const key = limit.attribute === undefined ? undefined : (attributes as Attributes | undefined)?.[limit.attribute];
      const isConcerned = (limit.machine ?? machine) === machine && (limit.attribute === undefined || key !== undefined);
      return isConcerned ? [{ limit, key, place: this.#place(`${i} ${typeof key} ${String(key)}`, limit) }] : [];
    });
  }

  #place(name: string, { startsPerSecond = Infinity }: StartLimit): Place {
    const known = this.#places.get(name);
    if (known !== undefined) return known;
    if (this.#places.size >= PLACES) this.#forget();
    const now = this.#clock.now();
    const place = { running: 0, pending: 0, countedAt: -Infinity, counting: undefined, allowance: Math.max(1, startsPerSecond), at: now };
    this.#places.set(name, place);
    return place;
  }

  /** Removes what the next start would count again anyway. */
  #forget(): void {
    const now = this.#clock.now();
    for (const [name, { pending, countedAt, at }] of this.#places)
      if (pending === 0 && now - countedAt >= COUNTED && now - at >= COUNTED) this.#places.delete(name);
  }

  async #count({ executions, machine, attribute }: StartLimit, key: unknown, place: Place): Promise<void> {
    if (executions === undefined || this.#clock.now() - place.countedAt < COUNTED) return;
    place.counting ??= this.#store
      .count({
        status: "RUNNING",
        ...(machine !== undefined && { machineArn: this.#machineArn(machine) }),
        ...(attribute !== undefined && { attributes: { [attribute]: key as string } }),
      })
      .then((running) => void Object.assign(place, { running, countedAt: this.#clock.now() }))
      .finally(() => (place.counting = undefined));
    await place.counting;
  }

  #check(limit: StartLimit, key: unknown, place: Place, now: number): void {
    const { executions = Infinity, startsPerSecond: rate = Infinity } = limit;
    const whose = [limit.machine, limit.attribute && `${limit.attribute} ${shown(key)}`].filter((part) => part !== undefined).join(", ");
    const of = whose === "" ? "" : ` of ${whose}`;
    if (place.running + place.pending >= executions)
      throw throttled(`${executions} executions${of} run, which is the limit: start it again when one of them has ended`, limit, undefined);
    if (rate === Infinity) return;
    place.allowance = Math.min(Math.max(1, rate), place.allowance + (Math.max(0, now - place.at) / 1000) * rate);
    place.at = now;
    if (place.allowance < 1) {
      const wait = Math.ceil(((1 - place.allowance) / rate) * 1000);
      throw throttled(`the limit of ${rate} starts a second${of} is reached: start it again in ${wait} ms`, limit, wait);
    }
  }
}

function throttled(why: string, limit: StartLimit, retryAfter: number | undefined): Error {
  return Object.assign(misuse("THROTTLED", why, Error), { limit, ...(retryAfter !== undefined && { retryAfter }) });
}

function check(limit: StartLimit, where: string): void {
  checkOptions(limit, ["machine", "attribute", "executions", "startsPerSecond"], where);
  const { machine = "", attribute = "", executions, startsPerSecond } = limit;
  for (const [name, text] of Object.entries({ machine, attribute }))
    if (typeof text !== "string") throw misuse("INVALID_OPTION", `${where}.${name} must be a text, not ${shown(text)}`);
  if (executions === undefined && startsPerSecond === undefined)
    throw misuse("INVALID_OPTION", `${where} limits nothing: it needs executions or startsPerSecond`);
  for (const [name, most] of Object.entries({ executions, startsPerSecond }))
    if (most !== undefined && !(Number.isFinite(most) && most > 0))
      throw misuse("INVALID_OPTION", `${where}.${name} must be a number above 0, not ${shown(most)}`);
}
