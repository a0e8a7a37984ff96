// The delays of a retrier.

interface Backoff {
  /** The delays before the first retries, in seconds. */
  pauses: number[];
  /** The number of retries. */
  retries: number;
  /** The sum of all delays, in seconds. */
  total: number;
  /** Whether each delay is random, between 0 and the value given here. */
  jitter: boolean;
  /** The first retry, counted from 1, whose delay is `MaxDelaySeconds`, as are all delays after it. */
  capped?: number;
}

/** The maximum number of delays that are listed. */
const MOST = 200;

const number = (value: unknown, absent: number): number | undefined =>
  value === undefined ? absent : typeof value === "number" && Number.isFinite(value) ? value : undefined;

/** Returns undefined if a field is not a number, for example a placeholder. */
export function backoffOf(retrier: Readonly<Record<string, unknown>>): Backoff | undefined {
  const interval = number(retrier["IntervalSeconds"], 1);
  const attempts = number(retrier["MaxAttempts"], 3);
  const rate = number(retrier["BackoffRate"], 2);
  const most = number(retrier["MaxDelaySeconds"], Infinity);
  if (interval === undefined || attempts === undefined || rate === undefined || most === undefined) return undefined;
  if (interval < 0 || attempts < 0 || rate < 1 || most <= 0) return undefined;
  const retries = Math.floor(attempts);
  const pauses: number[] = [];
  let total = 0;
  let capped: number | undefined;
  let pause = interval;
  let n = 0;
  for (; n < retries; n++) {
    const own = Math.min(pause, most);
    if (own < pause && capped === undefined) capped = n + 1;
    if (n < MOST) pauses.push(own);
    total += own;
    if (capped !== undefined || rate === 1) {
      // The delays of all further retries are equal.
      const rest = retries - n - 1;
      total += own * rest;
      while (pauses.length < Math.min(MOST, retries)) pauses.push(own);
      break;
    }
    if (!Number.isFinite(total)) break;
    pause *= rate;
  }
  return { pauses, retries, total, jitter: retrier["JitterStrategy"] === "FULL", ...(capped !== undefined && { capped }) };
}
