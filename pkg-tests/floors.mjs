// Checks the order of folders: a folder may import only from folders on lower floors.
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, normalize, sep } from "node:path";

/** Returns `{name, text}` of all TypeScript modules in a folder. Names are relative to it, with slashes. */
export const modulesIn = (folder) =>
  readdirSync(folder, { recursive: true })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => ({ name: name.split(sep).join("/"), text: readFileSync(join(folder, name), "utf8") }));

/** Returns the imports of a module, static and dynamic, that do not lead to a lower floor. `floors` starts with the lowest. */
export function upwards({ name, text }, floors, folderOf) {
  const floorOf = (module) => floors.findIndex((floor) => floor.includes(folderOf(module)));
  return [...text.matchAll(/(?:\bfrom\s+|\bimport\s+|\bimport\(\s*)["'](\.{1,2}\/[^"']+\.tsx?)["']/g)]
    .map(([, path]) =>
      normalize(join(dirname(name), path))
        .split(sep)
        .join("/"),
    )
    .filter((to) => !to.startsWith("..") && folderOf(to) !== folderOf(name) && floorOf(to) >= floorOf(name))
    .map((to) => `${name} → ${to}`);
}

/** Returns the names in the first column of the table that follows `sentence` in a document, row by row. */
export function rowsOf(document, sentence) {
  const text = readFileSync(join(import.meta.dirname, "..", document), "utf8");
  const [, after = ""] = text.split(sentence);
  const rows = after.slice(after.indexOf("|---")).split("\n\n")[0].split("\n").slice(1);
  return rows.map((row) => [...row.split("|")[1].matchAll(/`([^`]+)`/g)].map(([, name]) => name));
}
