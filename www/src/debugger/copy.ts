// A text to the clipboard, with a word on it.

import { showToast } from "../store/words.ts";

export function copy(text: string, said: string): void {
  void navigator.clipboard.writeText(text).then(
    () => showToast(said),
    () => showToast("The browser did not allow copying."),
  );
}
