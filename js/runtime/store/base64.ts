// Base64, in Node and in browsers.

/** The methods of Uint8Array that Node has from version 25, and browsers since 2025. They are much faster than the loops below. */
interface Native {
  toBase64?(): string;
}
const decode = (Uint8Array as { fromBase64?(text: string): Uint8Array<ArrayBuffer> }).fromBase64?.bind(Uint8Array);
/** Node's own encoder, for the releases that have no other fast one. */
const buffers = (
  globalThis as { Buffer?: { from(memory: ArrayBufferLike, at: number, length: number): { toString(to: "base64"): string } } }
).Buffer;

// A longer list of arguments would overflow the stack.
const PART = 2 ** 15;

/** Returns bytes as base64. */
export function toBase64(bytes: Uint8Array): string {
  const native = (bytes as Native).toBase64?.();
  if (native !== undefined) return native;
  if (buffers !== undefined) return buffers.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
  let text = "";
  for (let at = 0; at < bytes.length; at += PART) text += String.fromCharCode(...bytes.subarray(at, at + PART));
  return btoa(text);
}

/** Returns the bytes of a base64 text. Throws for any other text. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  if (decode !== undefined) return decode(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}
