// Restricts the files that a server may read.

import { realpathSync, statSync } from "node:fs";
import { isAbsolute, relative, resolve } from "node:path";
import { Unusable } from "../../language/files/problem.ts";
import { readThrough } from "../../language/files/reading.ts";

/** Changes to a folder, and restricts this process to definitions, templates, tests and mocks inside of it. */
export function confineTo(folder: string, mostBytes: number): void {
  let root: string;
  try {
    root = realpathSync(folder);
    process.chdir(root);
  } catch {
    throw new Unusable(`--root ${folder}: there is no such folder`, { usage: true });
  }
  readThrough((file) => {
    if (file === "-") throw new Unusable("standard input belongs to the protocol: name a file");
    checkInside(root, file);
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (size > mostBytes)
      throw new Unusable(
        `cannot read ${file}: it has ${size.toLocaleString("en")} bytes, and this server reads at most ${mostBytes.toLocaleString("en")}`,
      );
    return undefined;
  });
}

/** Throws for a path that leads out of the working folder, directly or through a link. */
export function checkInside(root: string, path: string): void {
  const file = resolve(root, path);
  if (isInside(root, file) && isInside(root, real(file))) return;
  throw new Unusable(`cannot read ${path}: it is outside of ${root}, the folder of this server; --root sets another one`);
}

function isInside(root: string, file: string): boolean {
  const way = relative(root, file);
  return way === "" || (!isAbsolute(way) && way.split(/[\\/]/, 1)[0] !== "..");
}

/** Resolves the links of a path. If the file does not exist, resolves those of its folder. */
function real(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    const above = resolve(file, "..");
    return above === file ? file : real(above);
  }
}
