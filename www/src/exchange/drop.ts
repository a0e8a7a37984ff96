// Handles a file that was dropped on the page. The code that reads it is loaded then.

import { loaders } from "../graph/graphEditor.ts";
import { showAlarm } from "../store/notifications.ts";

/** If the browser gives a handle, the file can be saved in place. */
export function openDropped(file: File, handle?: Promise<FileSystemHandle | null>): void {
  void Promise.resolve(handle)
    .catch(() => null)
    .then(async (found) =>
      found?.kind === "file"
        ? (await loaders.project()).openFile(file, found as FileSystemFileHandle)
        : (await import("./importing.ts")).readFile(file),
    )
    .catch((error: Error) => showAlarm(`${file.name} was not opened. ${error.message}`));
}
