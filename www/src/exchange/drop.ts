// A file dropped on the page. What reads it is loaded then.

import { bring } from "../graph/pen.ts";
import { shout } from "../store/words.ts";

/// With its handle, where the browser gives one, it is saved in place.
export function openDropped(file: File, handle?: Promise<FileSystemHandle | null>): void {
  void Promise.resolve(handle)
    .catch(() => null)
    .then(async (found) =>
      found?.kind === "file"
        ? (await bring.project()).openFile(file, found as FileSystemFileHandle)
        : (await import("./bring.ts")).readFile(file),
    )
    .catch((error: Error) => shout(`${file.name} was not opened. ${error.message}`));
}
