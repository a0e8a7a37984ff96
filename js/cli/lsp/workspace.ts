// Finds the states of all definitions in an editor's folders.

import { relative } from "node:path";
import { pathToFileURL } from "node:url";
import { Unusable } from "../../language/files/problem.ts";
import { definitionsBelow } from "../../language/files/below.ts";
import { read } from "../../language/files/reading.ts";
import { Reading } from "./document.ts";
import { symbolsOf } from "./names.ts";
import { TextDocument, type DocumentSymbol, type WorkspaceSymbol } from "./protocol.ts";

/** Maximum number of files that are searched, and of symbols that are returned. */
const MOST_FILES = 1_000;
const MOST_SYMBOLS = 2_000;

/** Returns the states whose names contain the letters of a query, in order. `check` throws if the request was cancelled. */
export async function symbolsBelow(folders: readonly string[], query: string, check: () => void): Promise<WorkspaceSymbol[]> {
  const found: WorkspaceSymbol[] = [];
  for (const folder of folders) {
    for (const file of definitionsBelow(folder, []).slice(0, MOST_FILES)) {
      // This lets other messages be processed, such as the cancellation of this request.
      await new Promise((go) => setImmediate(go));
      check();
      for (const { name, detail, range, selectionRange, kind } of flat(symbolsIn(file))) {
        if (found.length >= MOST_SYMBOLS) return found;
        if (!matches(name, query)) continue;
        const containerName = [relative(folder, file), detail].filter(Boolean).join(" · ");
        found.push({ name, kind, containerName, location: { uri: pathToFileURL(file).href, range: selectionRange ?? range } });
      }
    }
  }
  return found;
}

function symbolsIn(file: string): DocumentSymbol[] {
  try {
    const text = read(file);
    return symbolsOf({ document: TextDocument.create(pathToFileURL(file).href, "", 0, text), reading: new Reading(file, "", text) });
  } catch (error) {
    if (error instanceof Unusable) return [];
    throw error;
  }
}

function flat(symbols: readonly DocumentSymbol[]): DocumentSymbol[] {
  return symbols.flatMap((one) => [one, ...flat(one.children ?? [])]);
}

function matches(name: string, query: string): boolean {
  let at = 0;
  const text = name.toLowerCase();
  for (const letter of query.toLowerCase()) {
    at = text.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
