// Replaces `node:path` in a worker, for absolute paths with `/`.

export const sep = "/";
export const delimiter = ":";

export function isAbsolute(path: string): boolean {
  return path.startsWith("/");
}

export function normalize(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else if (part !== ".." || !isAbsolute(path)) parts.push(part);
  }
  return `${isAbsolute(path) ? "/" : ""}${parts.join("/")}` || ".";
}

export function join(...parts: string[]): string {
  return normalize(parts.filter((part) => part !== "").join("/"));
}

export function resolve(...parts: string[]): string {
  let path = "";
  for (const part of parts) path = isAbsolute(part) ? part : `${path}/${part}`;
  return normalize(isAbsolute(path) ? path : `/${path}`);
}

export function dirname(path: string): string {
  const end = path.replace(/\/+$/, "").lastIndexOf("/");
  return end < 0 ? "." : path.slice(0, end) || "/";
}

export function basename(path: string, suffix = ""): string {
  const name = path.replace(/\/+$/, "").split("/").at(-1) ?? "";
  return suffix !== "" && name !== suffix && name.endsWith(suffix) ? name.slice(0, -suffix.length) : name;
}

export function extname(path: string): string {
  const name = basename(path);
  const dot = name.lastIndexOf(".");
  return dot <= 0 ? "" : name.slice(dot);
}

export function relative(from: string, to: string): string {
  const [a, b] = [resolve(from), resolve(to)].map((path) => path.split("/").filter((part) => part !== "")) as [string[], string[]];
  let same = 0;
  while (same < a.length && a[same] === b[same]) same += 1;
  return [...a.slice(same).map(() => ".."), ...b.slice(same)].join("/");
}

export const posix = { sep, delimiter, isAbsolute, normalize, join, resolve, dirname, basename, extname, relative };
export default posix;
