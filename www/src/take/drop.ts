// A file dropped on the page. What reads it is loaded then.

import * as store from "../store.ts";

export function openDropped(file: File): void {
  void import("./bring.ts")
    .then(({ readFile }) => readFile(file))
    .catch((error: Error) => store.shout(`${file.name} was not opened. ${error.message}`));
}
