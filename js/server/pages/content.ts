// Responses of the HTTP server.

import { createReadStream, existsSync, statSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { extname, join, normalize, sep } from "node:path";
import { ApiError } from "../protocol/errors.ts";

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
  ".png": "image/png",
  ".woff2": "font/woff2",
  ".map": "application/json",
};
const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

/** The files of `<stepglass-debugger>` that pages load. */
export const componentFile = /^(debugger(-\w+)?\.js|console\.js|stepglass\.wasm)$/;

/** Sends a text that is not cached. */
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

/** Redirects to another page. */
export function redirect(response: ServerResponse, to: string, status = 302): void {
  response.writeHead(status, { location: to, "content-length": 0 });
  response.end();
}

/** Sends a file of a folder. Throws an ApiError if the folder does not have it. */
export function file(response: ServerResponse, folder: string, name: string): void {
  const path = normalize(join(folder, name));
  if (!path.startsWith(folder + sep) || name.includes("\0") || !existsSync(path) || !statSync(path).isFile()) {
    throw notFound(`there is no ${name.slice(0, 200)}`);
  }
  response.writeHead(200, {
    "content-type": TYPES[extname(path)] ?? "application/octet-stream",
    "content-length": statSync(path).size,
    // Files with a hash in their name never change: seven letters in a chunk's, eight in a stylesheet's.
    "cache-control": /-[\w-]{7,8}\.\w+$/.test(path) && !path.endsWith("-worker.js") ? "public, max-age=31536000, immutable" : "no-cache",
    "x-content-type-options": "nosniff",
  });
  if (response.req.method === "HEAD") response.end();
  else
    createReadStream(path)
      .on("error", () => response.destroy())
      .pipe(response);
}

/** Sends a value as JSON. */
export function json(response: ServerResponse, value: object): void {
  content(response, 200, "application/json", JSON.stringify(value));
}

/** Sends a page. */
export function html(response: ServerResponse, text: string, status = 200): void {
  response.setHeader("content-security-policy", POLICY);
  content(response, status, "text/html; charset=utf-8", text);
}

/** The error for an address at which there is nothing. */
export function notFound(message: string): ApiError {
  return new ApiError("ResourceNotFound", message, { status: 404 });
}
