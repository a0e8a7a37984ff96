// The data in a task token. src/engine/token.rs creates the tokens.

// The first byte of a token, and the number of bytes before the execution's ARN.
const FORM = 1;
const HEAD = 37;

/**
 * Returns the ARN of the execution to which a task token belongs: the one that was started, also for tasks of child executions.
 * Returns undefined for a text that is not a task token, and for tokens of 64 hexadecimal digits, which older snapshots contain.
 * The ARN only identifies the execution; whether the token is valid is checked there.
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
