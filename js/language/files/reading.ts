// Reads and writes files as texts.

import { readFileSync, statSync, writeFileSync } from "node:fs";
import { codeOf, messageOf } from "../../core/base/errors.ts";
import { Unusable } from "./problem.ts";

/** Writes a file. */
export function write(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new Unusable(`cannot write ${file}: ${messageOf(error)}`);
  }
}

/** Standard input can be read only once, and a template in it may contain several definitions. */
let standardInput: string | undefined;

const REASONS = new Map<unknown, string>([
  ["ENOENT", "no such file"],
  ["ENOTDIR", "no such file"],
  ["EISDIR", "it is a directory"],
  ["EACCES", "permission denied"],
  ["ELOOP", "too many symbolic links"],
  ["EBADF", "it is closed"],
]);

/** Returns the text of a file instead of the disk, if it is set. */
let reader: ((file: string) => string | undefined) | undefined;

/**
 * Sets the function that is called first for the text of every file: an editor has some files open, and a server refuses files
 * outside of its folder by throwing Unusable. If it returns undefined, the file on the disk is read.
 */
export function readThrough(asked: (file: string) => string | undefined): void {
  reader = asked;
}

/** Returns the text of a file. `-` is standard input. */
export function read(file: string): string {
  try {
    const content = reader?.(file);
    if (content !== undefined) return content;
    if (file === "-") return (standardInput ??= decoded(readStandardInput()));
    return decoded(readFileSync(file));
  } catch (error) {
    if (error instanceof Unusable) throw error;
    throw unreadable(file, error);
  }
}

/** Returns the bytes of a file on the disk. */
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

/** For a terminal or a non-blocking pipe, EAGAIN means that there is no input yet. */
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

/** Decodes UTF-8, or UTF-16 with a byte order mark, which PowerShell writes when output is redirected. */
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

/** Returns whether a path is a folder. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
