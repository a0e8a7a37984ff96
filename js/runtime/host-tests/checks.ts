// The assertions of the tests of hosts. They need no test runner, and every runner shows their errors well.

/** The result of a test differs from what was promised. */
export class HostTestError extends Error {
  readonly code = "ERR_ASSERTION";
  readonly actual: unknown;
  readonly expected: unknown;
  /** Test runners print the difference between `expected` and `actual` for this operator. */
  readonly operator = "deepStrictEqual";

  constructor(message: string, actual?: unknown, expected?: unknown) {
    super(message);
    this.name = "AssertionError";
    this.actual = actual;
    this.expected = expected;
  }
}

/** Fails if the condition is false. */
export function holds(condition: boolean, message: string): asserts condition {
  if (!condition) throw new HostTestError(message, false, true);
}

/** Fails unless two values have the same JSON, apart from the order of their members. */
export function same(actual: unknown, expected: unknown, what: string): void {
  const [is, was] = [sorted(actual), sorted(expected)];
  if (JSON.stringify(is) === JSON.stringify(was)) return;
  throw new HostTestError(`${what} is ${brief(is)}, but must be ${brief(was)}`, is, was);
}

/** Returns a value as it is in JSON, with its members sorted by name. */
export function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, member]) => [name, sorted(member)]));
}

export function brief(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 500 ? `${text.slice(0, 500)}…` : text;
}

/** How long a test waits. It fails if what it waits for has not happened by then. */
export class Patience {
  readonly milliseconds: number;

  constructor(milliseconds: number) {
    this.milliseconds = milliseconds;
  }

  /** Calls `read` repeatedly. Resolves to the first result that is not undefined, null or false. */
  async until<Value>(read: () => Value | Promise<Value>, what: string): Promise<NonNullable<Value>> {
    const end = Date.now() + this.milliseconds;
    for (let pause = 1; ; pause = Math.min(50, 2 * pause)) {
      const value = await read();
      if (value !== undefined && value !== null && value !== false) return value;
      if (Date.now() > end) throw new HostTestError(`${what}: this did not happen within ${this.milliseconds} ms`);
      await sleep(pause);
    }
  }

  /** Resolves to the value of a promise, and fails if that takes too long. */
  async of<Value>(promise: Promise<Value>, what: string): Promise<Value> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      const error = new HostTestError(`${what}: this did not happen within ${this.milliseconds} ms`);
      timer = setTimeout(() => reject(error), this.milliseconds);
    });
    try {
      return await Promise.race([promise, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

export function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Returns the error with which a call is rejected. Fails if the call is not rejected. */
export async function refusal(call: Promise<unknown>, what: string): Promise<{ code?: unknown; message?: string }> {
  const outcome = await call.then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  holds(outcome !== undefined, `${what} must be refused`);
  return (outcome.error ?? {}) as { code?: unknown; message?: string };
}
