// Replaces `node:fs` in a worker. It has the files that were loaded so far, and remembers which others were read in vain.

/** How many paths without a file are remembered. They are forgotten when there are more. */
const MOST_ABSENT = 2_000;

class Files {
  #texts = new Map<string, string>();
  #absent = new Set<string>();
  #missing = new Set<string>();

  /** Returns the text of a loaded file. Otherwise the file is loaded by the next `fetchMissing()`. */
  text(path: string): string | undefined {
    const text = this.#texts.get(path);
    if (text === undefined && !this.#absent.has(path)) this.#missing.add(path);
    return text;
  }

  /** Loads the missing files. Resolves to whether one was found. */
  async fetchMissing(load: (path: string) => Promise<string | undefined>): Promise<boolean> {
    const missing = [...this.#missing];
    this.#missing.clear();
    let isFound = false;
    for (const path of missing) {
      const text = await load(path);
      if (text === undefined) {
        if (this.#absent.size > MOST_ABSENT) this.#absent.clear();
        this.#absent.add(path);
      } else {
        this.#texts.set(path, text);
        isFound = true;
      }
    }
    return isFound;
  }

  /** Forgets changed files, so that they are loaded again. */
  forget(paths: readonly string[]): void {
    for (const path of paths) {
      this.#texts.delete(path);
      this.#absent.delete(path);
    }
  }
}

export const files = new Files();

function noFile(path: unknown): Error {
  return Object.assign(new Error(`no such file: ${String(path)}`), { code: "ENOENT" });
}

export function readFileSync(path: unknown): Uint8Array {
  const text = typeof path === "string" ? files.text(path) : undefined;
  if (text === undefined) throw noFile(path);
  return new TextEncoder().encode(text);
}

export function existsSync(path: unknown): boolean {
  return typeof path === "string" && files.text(path) !== undefined;
}

export function statSync(path: unknown, { throwIfNoEntry = true } = {}): undefined {
  if (throwIfNoEntry) throw noFile(path);
}

export function readdirSync(path: unknown): never {
  throw noFile(path);
}

function readOnly(): never {
  throw Object.assign(new Error("a web editor's server writes no files"), { code: "EROFS" });
}

export { readOnly as writeFileSync, readOnly as mkdirSync, readOnly as rmSync, readOnly as appendFileSync };
export { readdirSync as realpathSync, readdirSync as openSync, readdirSync as readSync, readdirSync as closeSync };
