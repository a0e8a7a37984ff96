// Files as texts.

import { readFileSync, statSync, writeFileSync } from "node:fs";
import { codeOf, messageOf } from "../base/errors.ts";
import { Unusable } from "./problem.ts";

/** Writes a file. */
export function write(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new Unusable(`cannot write ${file}: ${messageOf(error)}`);
  }
}

/** It can be read once only, and a template in it holds several definitions. */
let standardInput: string | undefined;

const REASONS = new Map<unknown, string>([
  ["ENOENT", "no such file"],
  ["ENOTDIR", "no such file"],
  ["EISDIR", "it is a directory"],
  ["EACCES", "permission denied"],
  ["ELOOP", "too many symbolic links"],
  ["EBADF", "it is closed"],
]);

/** Whoever stands between this process and the disk. */
let reader: ((file: string) => string | undefined) | undefined;

/**
 * Sets who is asked for the text of every file first: an editor has some open, and a server refuses those outside of its folder, by
 * throwing Unusable. Of what it has no text for, the text on the disk counts.
 */
export function readThrough(asked: (file: string) => string | undefined): void {
  reader = asked;
}

/** The text of a file; - is standard input. */
export function read(file: string): string {
  try {
    const held = reader?.(file);
    if (held !== undefined) return held;
    if (file === "-") return (standardInput ??= decoded(readStandardInput()));
    return decoded(readFileSync(file));
  } catch (error) {
    if (error instanceof Unusable) throw error;
    throw unreadable(file, error);
  }
}

/** The bytes of a file on the disk. */
export function readBytes(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw unreadable(file, error);
  }
}

function unreadable(file: string, error: unknown): Unusable {
  return new Unusable(`cannot read ${file === "-" ? "standard input" : file}: ${REASONS.get(codeOf(error)) ?? messageOf(error)}`);
}

/** A terminal or a pipe that does not block has nothing yet where it says EAGAIN. */
function readStandardInput(): Buffer {
  const chunks: Buffer[] = [];
  for (;;) {
    try {
      chunks.push(readFileSync(0));
      return Buffer.concat(chunks);
    } catch (error) {
      if (codeOf(error) !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
  }
}

/** Text in UTF-8, or in UTF-16 with a byte order mark, as PowerShell writes what is redirected. */
function decoded(bytes: Buffer): string {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : "utf-8";
  let text: string;
  try {
    text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (error) {
    throw codeOf(error) === "ERR_ENCODING_INVALID_ENCODED_DATA" ? new Error("it is not UTF-8 text") : error;
  }
  if (text.includes("\0")) throw new Error("it is not a text file");
  return text;
}

/** Whether there is a folder of that name. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
