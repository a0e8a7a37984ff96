// The data in a task token. src/engine/token.rs creates the tokens.

// The first byte of a token, and the number of bytes before the execution's ARN.
const FORM = 1;
const HEAD = 37;
// Where the number of the task begins. It has four bytes.
const TASK = 33;

/**
 * Returns the ARN of the execution to which a task token belongs: the one that was started, also for tasks of child executions.
 * Returns undefined for a text that is not a task token, and for tokens of 64 hexadecimal digits, which older snapshots contain.
 * The ARN only identifies the execution; whether the token is valid is checked there.
 */
export function executionOfToken(token: string): string | undefined {
  return dataOf(token)?.arn;
}

/** Returns the number of the task to which a task token belongs; undefined where `executionOfToken` returns that. */
export function taskOfToken(token: string): number | undefined {
  return dataOf(token)?.task;
}

function dataOf(token: string): { arn: string; task: number } | undefined {
  if (!/^[\w-]{51,}$/.test(token)) return undefined;
  try {
    const bytes = Uint8Array.from(atob(token.replaceAll("-", "+").replaceAll("_", "/")), (unit) => unit.charCodeAt(0));
    if (bytes[0] !== FORM) return undefined;
    const arn = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes.subarray(HEAD));
    return arn === "" ? undefined : { arn, task: new DataView(bytes.buffer).getUint32(TASK) };
  } catch {
    return undefined;
  }
}
