// Stores the files of one build, so that the page opens without a network. The build replaces the strings in this file.
"use strict";

const VERSION = "VERSION";
const FILES = "FILES";

const scope = new URL(registration.scope);
const family = `stepglass ${scope.pathname} `;
const name = family + VERSION;
const kept = new Set(FILES.map((file) => new URL(file, scope).href));

addEventListener("install", (event) => {
  event.waitUntil(caches.open(name).then((cache) => cache.addAll(FILES)));
});

addEventListener("activate", (event) => {
  event.waitUntil(
    (async () => {
      for (const other of await caches.keys()) if (other.startsWith(family) && other !== name) await caches.delete(other);
      await clients.claim();
    })(),
  );
});

addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET") return;
  const url = new URL(request.url);
  url.hash = "";
  url.search = "";
  if (url.href === `${scope.href}index.html`) url.href = scope.href;
  if (url.href === `${scope.href}kept/sandbox.html`) return event.respondWith(sandboxed());
  if (!kept.has(url.href)) return;
  if (request.mode === "navigate" && url.href === scope.href) event.respondWith(newest(request, url.href));
  else event.respondWith(stored(request, url.href));
});

/** Returns the page itself from the network, or from the store if there is no network. */
async function newest(request, address) {
  try {
    const response = await fetch(request);
    if (response.ok) return response;
  } catch {
    // There is no network.
  }
  return stored(request, address);
}

/**
 * Returns the frame of the task handlers if there is no network. Browsers do not route frames with the attribute `sandbox`
 * through service workers, so this answer brings its sandbox with it. No server has this address.
 */
async function sandboxed() {
  const page = await (await caches.open(name)).match(`${scope.href}sandbox.html`);
  if (!page) return Response.error();
  const policy = "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline' blob:; worker-src blob:";
  return new Response(await page.text(), { headers: { "content-type": "text/html; charset=utf-8", "content-security-policy": policy } });
}

/** The names of all other files contain a hash of their contents, so a stored file is never out of date. */
async function stored(request, address) {
  const cache = await caches.open(name);
  return (await cache.match(address)) ?? fetch(request);
}
