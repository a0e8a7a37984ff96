// Replaces `node:url` in a worker.

export function fileURLToPath(url: string | URL): string {
  const { protocol, pathname } = new URL(url);
  if (protocol !== "file:") throw new TypeError("the URL must be of a file");
  return decodeURIComponent(pathname);
}

export function pathToFileURL(path: string): URL {
  return new URL(`file://${encodeURI(path).replaceAll("#", "%23").replaceAll("?", "%3F")}`);
}
