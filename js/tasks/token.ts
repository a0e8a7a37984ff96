// What a task token says of itself; src/engine/token.rs makes them.

// The first byte of a token, and how many there are before the execution's ARN.
const FORM = 1;
const HEAD = 37;

/**
 * The ARN of the execution that a task token belongs to: the one that was started, also for tasks of child executions. Undefined for
 * a text that is no token of ours, and for tokens of 64 hexadecimal digits, which earlier snapshots have. It says where to look:
 * whether the token is good, the execution knows.
 */
export function executionOfToken(token: string): string | undefined {
  if (!/^[\w-]{51,}$/.test(token)) return undefined;
  let bytes;
  try {
    bytes = Uint8Array.from(atob(token.replaceAll("-", "+").replaceAll("_", "/")), (unit) => unit.charCodeAt(0));
    if (bytes[0] !== FORM) return undefined;
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes.subarray(HEAD)) || undefined;
  } catch {
    return undefined;
  }
}
