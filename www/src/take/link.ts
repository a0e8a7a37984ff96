// The link to all of this, into the clipboard at once.

import * as store from "../store.ts";

export async function copyShareLink(): Promise<void> {
  const link = await store.shareLink({ input: true, tasks: true, mocks: true, breakpoints: true, position: false });
  try {
    await navigator.clipboard.writeText(link);
    store.showToast("Link copied.");
  } catch {
    store.dialog.value = "share";
  }
}
