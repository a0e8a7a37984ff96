// After the first load the page needs no network any more.

import "./trusted.ts";

/// Registers the service worker once the page has nothing better to do.
export function keepForOffline(): void {
  if (!import.meta.env.PROD || !isSecureContext || !("serviceWorker" in navigator)) return;
  const register = (): void => {
    navigator.serviceWorker.register(new URL("sw.js", document.baseURI)).catch(() => {
      // A browser that keeps nothing still has the network.
    });
  };
  const later = (): void => void setTimeout(register, 1500);
  if (document.readyState === "complete") later();
  else addEventListener("load", later, { once: true });
}

/// Forgets the files too.
export async function forgetOffline(): Promise<void> {
  if (!("serviceWorker" in navigator)) return;
  const registration = await navigator.serviceWorker.getRegistration().catch(() => undefined);
  await registration?.unregister();
  for (const name of await caches.keys()) if (name.startsWith("stepglass ")) await caches.delete(name);
}
