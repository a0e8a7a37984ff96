// A workspace in the address: `#v1.` and base64url of deflated JSON. Browsers never send the part after the hash to a server.

import { type Workspace, packedOf, workspaceOf } from "./share.ts";

/** The maximum size of the decompressed data in bytes, so that a link cannot fill the memory. */
const MAX_BYTES = 2 * 1024 * 1024;

/** Returns the hash of a link to a workspace. */
export async function encode(workspace: Workspace): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(packedOf(workspace)));
  const packed = await collect(new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw")), Infinity);
  let binary = "";
  for (let i = 0; i < packed.length; i += 8192) binary += String.fromCharCode(...packed.subarray(i, i + 8192));
  return `#v1.${btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`;
}

/** Throws an Error that says what is wrong with a link. */
export async function decode(hash: string): Promise<Workspace> {
  const match = /^#?v(\d+)\.(.*)$/s.exec(hash);
  if (!match) throw new Error("The address contains no workspace of this page.");
  if (match[1] !== "1")
    throw new Error(`The link is of version ${match[1]}, and this page can open only version 1. A newer page may open it.`);
  let value: unknown;
  try {
    const binary = atob(match[2]!.replaceAll("-", "+").replaceAll("_", "/"));
    const packed = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    const bytes = await collect(new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw")), MAX_BYTES);
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    if (error instanceof RangeError) throw new Error("The link expands to more than 2 MB and was not opened.");
    throw new Error("The link is damaged or cut off.");
  }
  return workspaceOf(value);
}

async function collect(stream: ReadableStream<Uint8Array>, limit: number): Promise<Uint8Array> {
  const reader = stream.getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > limit) {
      void reader.cancel();
      throw new RangeError("too large");
    }
    parts.push(value);
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
