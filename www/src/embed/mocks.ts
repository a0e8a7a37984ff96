// Converts the attributes `mocks` and `breakpoints` for the debugger.

/**
 * Returns mocks in the debugger's form. The short forms are `{output}`, `{error, cause}`, or a list of these by attempt, whose
 * last element applies to all further attempts.
 */
export function mocksOf(value: unknown): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Error("mocks must be an object of answers by state, function or resource");
  return Object.fromEntries(Object.entries(value).map(([name, mock]) => [name, mockOf(mock)]));
}

function mockOf(mock: unknown): unknown {
  if (Array.isArray(mock)) {
    const steps = mock.map((one, i) => ({ attempt: i === mock.length - 1 ? `${i}+` : `${i}`, ...answerOf(one) }));
    return { mode: "script", steps };
  }
  if (typeof mock === "object" && mock !== null && "mode" in mock) return mock;
  const answer = answerOf(mock);
  return { mode: answer["error"] === undefined ? "result" : "error", ...answer };
}

function answerOf(mock: unknown): Record<string, unknown> {
  if (typeof mock !== "object" || mock === null) throw new Error("a mock is an object with an output or an error");
  const { output, result, response, error, cause, after, never } = mock as Record<string, unknown>;
  const given = output ?? result ?? response;
  return {
    ...(given === undefined ? {} : { result: given }),
    ...(error === undefined ? {} : { error, cause: cause ?? "" }),
    ...(after === undefined ? {} : { after }),
    ...(never === true ? { silent: true } : {}),
  };
}

/**
 * Returns the breakpoints of a text: `ChargeCard`, `ChargeCard:error`, `:error`, several separated by spaces, or the debugger's
 * own breakpoints in JSON.
 */
export function breakpointsOf(text: string): unknown[] {
  const trimmed = text.trim();
  if (trimmed === "") return [];
  if (trimmed.startsWith("[")) return JSON.parse(trimmed) as unknown[];
  return trimmed.split(/[\s,]+/).map((one) => {
    const at = one.lastIndexOf(":");
    const [state, kind] = at < 0 ? [one, "entry"] : [one.slice(0, at), one.slice(at + 1)];
    return { kind, ...(state === "" ? {} : { state }) };
  });
}
