// The page needs no network after it was loaded once.

import "./trusted.ts";

/** Registers the service worker when the page is idle. */
export function registerOffline(): void {
  if (!import.meta.env.PROD || !isSecureContext || !("serviceWorker" in navigator)) return;
  const register = (): void => {
    navigator.serviceWorker.register(new URL("sw.js", document.baseURI)).catch(() => {
      // If the browser stores nothing, the page still works with a network.
    });
  };
  const later = (): void => void setTimeout(register, 1500);
  if (document.readyState === "complete") later();
  else addEventListener("load", later, { once: true });
}

/** Also deletes the stored files. */
export async function removeOffline(): Promise<void> {
  if (!("serviceWorker" in navigator)) return;
  const registration = await navigator.serviceWorker.getRegistration().catch(() => undefined);
  await registration?.unregister();
  for (const name of await caches.keys()) if (name.startsWith("stepglass ")) await caches.delete(name);
}
