// Copies a text to the clipboard and announces it.

import { showToast } from "../store/notifications.ts";

export function copy(text: string, said: string): void {
  void navigator.clipboard.writeText(text).then(
    () => showToast(said),
    () => showToast("The browser did not allow copying."),
  );
}
