// The codecs that come with Stepglass.

import type { Codec } from "../../core/api/durable.d.ts";
import { misuse } from "../../core/base/errors.ts";
import { checkOptions } from "../../core/base/options.ts";
import { shown } from "../../core/base/shown.ts";
import { fromBase64 } from "./base64.ts";

// AES-GCM needs another initialization vector for each text; 12 bytes are the recommended size.
const VECTOR = 12;

/** Returns a codec that encrypts with AES-GCM. */
export function aesGcm(options: { keys: Readonly<Record<string, string | Uint8Array>>; current: string }): Codec {
  checkOptions(options, ["keys", "current"], "aesGcm()");
  const { keys, current } = options;
  if (typeof keys !== "object" || keys === null || !Object.hasOwn(keys, current))
    throw misuse("INVALID_OPTION", `aesGcm(): keys has no key ${shown(current)}, which is the current one`);
  const raw = new Map(Object.entries(keys).map(([id, key]) => [id, keyOf(id, key)]));
  const imported = new Map<string, Promise<CryptoKey>>();
  const key = (id: string): Promise<CryptoKey> => {
    const bytes = raw.get(id);
    if (bytes === undefined) throw new Error(`there is no key ${shown(id)}; the keys are: ${[...raw.keys()].join(", ")}`);
    const known = imported.get(id) ?? crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]);
    imported.set(id, known);
    return known;
  };
  const id = new TextEncoder().encode(current);
  return {
    name: "aes-gcm",
    // The text begins with the length of the key's id, the id and the vector.
    async encode(bytes) {
      const iv = crypto.getRandomValues(new Uint8Array(VECTOR));
      const text = await crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData: id }, await key(current), owned(bytes));
      return Uint8Array.from([id.length, ...id, ...iv, ...new Uint8Array(text)]);
    },
    async decode(bytes) {
      const length = bytes[0] ?? 0;
      const id = owned(bytes.subarray(1, 1 + length));
      const iv = owned(bytes.subarray(1 + length, 1 + length + VECTOR));
      const text = owned(bytes.subarray(1 + length + VECTOR));
      const used = await key(new TextDecoder().decode(id));
      try {
        return new Uint8Array(await crypto.subtle.decrypt({ name: "AES-GCM", iv, additionalData: id }, used, text));
      } catch {
        throw new Error(`the text was changed, or the key ${shown(new TextDecoder().decode(id))} is another one`);
      }
    },
  };
}

/** Returns a codec that compresses. */
export function gzip(): Codec {
  return {
    name: "gzip",
    encode: (bytes) => piped(bytes, new CompressionStream("gzip")),
    decode: (bytes) => piped(bytes, new DecompressionStream("gzip")),
  };
}

async function piped(bytes: Uint8Array, stream: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  const body = new Blob([owned(bytes)]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(body).arrayBuffer());
}

/** Returns the bytes of a key: 16, 24 or 32 of them. */
function keyOf(id: string, key: unknown): Uint8Array<ArrayBuffer> {
  const wrong = () => misuse("INVALID_OPTION", `aesGcm(): the key ${shown(id)} must have 16, 24 or 32 bytes, as a Uint8Array or base64`);
  if (new TextEncoder().encode(id).length > 255) throw misuse("INVALID_OPTION", "aesGcm(): the id of a key has at most 255 bytes");
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = typeof key === "string" ? fromBase64(key) : owned(key as Uint8Array);
  } catch {
    throw wrong();
  }
  if (![16, 24, 32].includes(bytes.length)) throw wrong();
  return bytes;
}

/** Returns bytes in a buffer of their own, as WebCrypto's types want them. */
function owned(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(bytes);
}
