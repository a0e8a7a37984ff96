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
  if (url.href === `${scope.href}kept/sandbox.html`) return event.respondWith(sandboxed());
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

/**
 * The frame of the task handlers for when there is no network: browsers keep frames with the attribute `sandbox` away from
 * service workers, so this answer brings its sandbox with it. No server has this address.
 */
async function sandboxed() {
  const page = await (await caches.open(name)).match(`${scope.href}sandbox.html`);
  if (!page) return Response.error();
  const policy = "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline' blob:; worker-src blob:";
  return new Response(await page.text(), { headers: { "content-type": "text/html; charset=utf-8", "content-security-policy": policy } });
}

/** Everything else has its contents in its name. */
async function stored(request, address) {
  const cache = await caches.open(name);
  return (await cache.match(address)) ?? fetch(request);
}
