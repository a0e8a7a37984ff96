// Baseline files: the problems that a project has accepted for now.

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { Diagnostic } from "../core/api/index.d.ts";
import { isObject } from "../core/base/json.ts";
import { pointerSteps } from "../core/base/pointer.ts";
import { Unusable } from "../language/files/problem.ts";
import { read, write } from "../language/files/reading.ts";
import type { Checked } from "./findings.ts";

/** A problem in a baseline file. */
export interface Accepted {
  file: string;
  /** The logical id of a definition in a template. */
  id?: string;
  code: string;
  severity: Diagnostic["severity"];
  pointer: string;
  message: string;
  fingerprint: string;
}

const VERSION = 1;

/** Returns a path in the form of the file: relative to a folder, with slashes, so that it is the same on every machine. */
export function pathFrom(folder: string, file: string): string {
  const path = relative(folder, resolve(file));
  return isAbsolute(path) ? path : path.split(sep).join("/");
}

/** Identifies a definition: its file, relative to a folder, and its id in a template. */
interface CheckedDefinition {
  folder: string;
  file: string;
  /** The logical id in a template. */
  id: string | undefined;
}

/**
 * Returns a fingerprint of each problem that does not change when lines move. It is made of the file, the code, the names on the
 * path to the problem (without indices of lists), and the words at its position. Equal problems are numbered in order.
 */
export function fingerprints({ folder, file, id }: CheckedDefinition, text: string, diagnostics: readonly Diagnostic[]): string[] {
  const place = [pathFrom(folder, file), id ?? null];
  const seen = new Map<string, number>();
  return diagnostics.map(({ code, pointer, range }) => {
    const names = pointerSteps(pointer).filter((step) => !/^\d+$/.test(step));
    const one = range !== undefined && range.start.line === range.end.line;
    const words = one ? text.slice(range.start.offset, range.end.offset).replaceAll(/\s+/g, " ").slice(0, 200) : "";
    const hash = createHash("sha256")
      .update(JSON.stringify([...place, code, names, words]))
      .digest("hex")
      .slice(0, 20);
    const count = (seen.get(hash) ?? 0) + 1;
    seen.set(hash, count);
    return count === 1 ? hash : `${hash}:${count}`;
  });
}

/** A baseline file. */
export class Baseline {
  readonly file: string;
  /** The folder to which the paths in the file are relative. */
  readonly folder: string;
  readonly #accepted: Accepted[];
  readonly #known: Set<string>;

  /** With `fresh`, the file may be missing, because it is about to be written. */
  constructor(file: string, { fresh }: { fresh: boolean }) {
    this.file = file;
    this.folder = dirname(resolve(file));
    if (!fresh && !existsSync(file)) throw new Unusable(`there is no baseline ${file}: --baseline ${file} --write-baseline writes one`);
    this.#accepted = existsSync(file) ? parsed(file, read(file)) : [];
    this.#known = new Set(this.#accepted.map(({ fingerprint }) => fingerprint));
  }

  has(fingerprint: string): boolean {
    return this.#known.has(fingerprint);
  }

  /**
   * Returns the problems of the file that no longer exist. Only definitions that were checked, and files that were deleted, count.
   */
  fixed(checked: readonly Checked[]): Accepted[] {
    const now = new Set(checked.flatMap(({ findings }) => findings.map(({ fingerprint }) => fingerprint)));
    return this.#accepted.filter((one) => !now.has(one.fingerprint) && this.#decided(one, checked));
  }

  /**
   * Writes the problems that were found. Those of definitions that were not checked stay. Returns the number of problems in the
   * file.
   */
  write(checked: readonly Checked[]): number {
    const found = new Map<string, Accepted>();
    for (const one of this.#accepted) if (!this.#decided(one, checked)) found.set(one.fingerprint, one);
    for (const { file, id, findings } of checked) {
      for (const { diagnostic, fingerprint } of findings) {
        const { code, severity, pointer, message } = diagnostic;
        found.set(fingerprint, {
          file: pathFrom(this.folder, file),
          ...(id !== undefined && { id }),
          code,
          severity,
          pointer,
          message,
          fingerprint,
        });
      }
    }
    const findings = [...found.values()].sort(inOrder);
    write(this.file, `${JSON.stringify({ version: VERSION, findings }, null, 2)}\n`);
    return findings.length;
  }

  /** Returns whether a problem of the file belongs to a definition. */
  isOf({ file, id }: Accepted, one: Checked): boolean {
    return one.id === id && pathFrom(this.folder, one.file) === file;
  }

  /** Returns whether this run has checked everything that could still have the problem. */
  #decided(accepted: Accepted, checked: readonly Checked[]): boolean {
    const same = checked.filter((one) => this.isOf(accepted, one));
    // A definition that cannot be parsed was not checked any further.
    const unread = (one: Checked) =>
      one.problem !== undefined || one.findings.some(({ diagnostic }) => /^invalid-(json|yaml)$/.test(diagnostic.code));
    return same.length > 0 ? !same.some(unread) : !existsSync(join(this.folder, accepted.file));
  }
}

function inOrder(a: Accepted, b: Accepted): number {
  const key = ({ file, id = "", pointer, code, fingerprint }: Accepted) => [file, id, pointer, code, fingerprint].join("\0");
  return key(a) < key(b) ? -1 : 1;
}

function parsed(file: string, text: string): Accepted[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Unusable(`${file} is not a baseline: it is not JSON`);
  }
  if (!isObject(value) || !Array.isArray(value.findings)) throw new Unusable(`${file} is not a baseline: it has no findings`);
  if (value.version !== VERSION)
    throw new Unusable(`${file} is a baseline of version ${JSON.stringify(value.version)}, but this stepglass supports version ${VERSION}`);
  const findings: unknown[] = value.findings;
  const isAccepted = (one: unknown): one is Accepted =>
    isObject(one) &&
    typeof one.fingerprint === "string" &&
    typeof one.file === "string" &&
    (one.id === undefined || typeof one.id === "string");
  const wrong = findings.findIndex((one) => !isAccepted(one));
  if (wrong >= 0) throw new Unusable(`${file} is not a baseline: findings[${wrong}] has no file or no fingerprint`);
  return findings.filter(isAccepted);
}
