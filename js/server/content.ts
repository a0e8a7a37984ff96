// Responses of the HTTP server.

import type { ServerResponse } from "node:http";

/** Answers with a text that is not cached. */
export function content(response: ServerResponse, status: number, type: string, text: string): void {
  const body = Buffer.from(text);
  response.writeHead(status, {
    "content-type": type,
    "content-length": body.length,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  });
  response.end(response.req.method === "HEAD" ? undefined : body);
}

/** Answers with the address of another page. */
export function redirect(response: ServerResponse, to: string): void {
  response.writeHead(302, { location: to, "content-length": 0 });
  response.end();
}
