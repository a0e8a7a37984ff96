// Files of virtual folders as paths, and back. The server of a web editor knows only paths.

import { Uri } from "vscode";

/** Returns `file:///scheme+authority/path` for a document that is no file, so that the server can resolve the paths in it. */
export function toServer(uri: Uri): string {
  if (uri.scheme === "file" || uri.scheme === "untitled") return uri.toString();
  return Uri.from({ scheme: "file", path: `/${uri.scheme}+${encodeURIComponent(uri.authority)}${uri.path}` }).toString();
}

/** Returns the document of such a URI. */
export function fromServer(text: string): Uri {
  const uri = Uri.parse(text);
  const [, scheme, authority, path] = /^\/([a-z][\w.-]*)\+([^/]*)(\/.*)$/i.exec(uri.path) ?? [];
  if (uri.scheme !== "file" || scheme === undefined || authority === undefined || path === undefined) return uri;
  return Uri.from({ scheme, authority: decodeURIComponent(authority), path });
}

/** Returns the path of a file, and the URI of any other document. The debug adapter and editors name documents in this way. */
export function pathOf(uri: Uri): string {
  return uri.scheme === "file" ? uri.fsPath : uri.toString();
}

/** Returns the document of a path or URI. A single letter before the colon is a drive of Windows. */
export function uriOf(path: string): Uri {
  return /^[a-z][\w+.-]+:/i.test(path) ? Uri.parse(path) : Uri.file(path);
}
