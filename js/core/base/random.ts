// Random seeds and names that cannot be guessed.

import { misuse } from "./errors.ts";
import { shown } from "./shown.ts";

/** Returns a seed of 64 bits. It is random if none is given. */
export function seedOf(seed: unknown): bigint {
  if (seed === undefined) return randomWords().getBigUint64(0);
  try {
    return BigInt.asUintN(64, BigInt(seed as number | bigint));
  } catch {
    throw misuse("INVALID_OPTION", `seed must be a whole number or a BigInt, not ${shown(seed)}`);
  }
}

/** Returns the key of task tokens: 256 random bits as hexadecimal digits. */
export function randomKey(): string {
  const words = [randomWords(), randomWords()];
  return words
    .flatMap((pair) => [pair.getBigUint64(0), pair.getBigUint64(8)])
    .map(hexadecimal)
    .join("");
}

/** Returns a random UUID. `crypto.randomUUID()` exists in secure contexts only. */
export function randomUuid(): string {
  const words = randomWords();
  return uuidText(hexadecimal(words.getBigUint64(0)) + hexadecimal(words.getBigUint64(8)), 4);
}

/** Formats 32 hexadecimal digits as a UUID. The version and the variant replace some of them. */
export function uuidText(hex: string, version: number): string {
  const variant = ((parseInt(hex.charAt(16), 16) & 3) | 8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${version}${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}

function hexadecimal(word: bigint): string {
  return word.toString(16).padStart(16, "0");
}

// Size of the pool, in bytes. The system takes about as long for 16 random bytes as for thousands.
const POOL = 4096;
let pool: DataView<ArrayBuffer> | undefined;
let used = POOL;
let fill: (bytes: Uint8Array<ArrayBuffer>) => unknown = (bytes) => crypto.getRandomValues(bytes);

/** Sets another source of random bytes than `crypto`. They must be as hard to guess. */
export function randomFrom(source: typeof fill): void {
  fill = source;
}

/** Returns 16 new random bytes. */
function randomWords(): DataView {
  pool ??= new DataView(new ArrayBuffer(POOL));
  if (used >= POOL) {
    fill(new Uint8Array(pool.buffer));
    used = 0;
  }
  const words = new DataView(pool.buffer, used, 16);
  used += 16;
  return words;
}
