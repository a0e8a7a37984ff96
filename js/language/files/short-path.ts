// How paths are shown to users.

import { relative, sep } from "node:path";

/** Returns a path relative to a folder if it is below that, with slashes. By default the folder is the working directory. */
export function shortPath(path: string, folder = process.cwd()): string {
  const short = relative(folder, path);
  return (short.startsWith("..") ? path : short).split(sep).join("/");
}
