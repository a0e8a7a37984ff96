// A file dropped on the page. What reads it is loaded then.

import { shout } from "../store/words.ts";

export function openDropped(file: File): void {
  void import("./bring.ts")
    .then(({ readFile }) => readFile(file))
    .catch((error: Error) => shout(`${file.name} was not opened. ${error.message}`));
}
