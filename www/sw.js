// Keeps the files of one build, so that the page opens without a network. The build fills in what is in quotes here.
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
  if (!kept.has(url.href)) return;
  if (request.mode === "navigate" && url.href === scope.href) event.respondWith(newest(request, url.href));
  else event.respondWith(stored(request, url.href));
});

/** The page itself: as the network has it, and from the store without one. */
async function newest(request, address) {
  try {
    const response = await fetch(request);
    if (response.ok) return response;
  } catch {
    // No network.
  }
  return stored(request, address);
}

/** Everything else has its contents in its name. */
async function stored(request, address) {
  const cache = await caches.open(name);
  return (await cache.match(address)) ?? fetch(request);
}
