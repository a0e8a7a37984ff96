// When a retrier tries again.

interface Backoff {
  /// The pauses before the first retries, in seconds.
  pauses: number[];
  /// How many retries there are.
  retries: number;
  /// All pauses together, in seconds.
  total: number;
  /// Each pause is anything up to that long.
  jitter: boolean;
  /// From this retry on, counted from 1, all pauses are the longest that is allowed.
  capped?: number;
}

/// So many pauses are given one by one.
const MOST = 200;

const number = (value: unknown, absent: number): number | undefined =>
  value === undefined ? absent : typeof value === "number" && Number.isFinite(value) ? value : undefined;

/// Undefined where a field is no number, as a placeholder is not.
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
      // All others are the same.
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
