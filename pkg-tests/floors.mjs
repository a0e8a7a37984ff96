// Folders as floors: a folder imports only from those below it.
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, normalize, sep } from "node:path";

/** `{name, text}` of all TypeScript modules below a folder, named from there with slashes. */
export const modulesIn = (folder) =>
  readdirSync(folder, { recursive: true })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => ({ name: name.split(sep).join("/"), text: readFileSync(join(folder, name), "utf8") }));

/** The imports of a module that do not lead downwards, also those of what it loads later; `floors` begins with the lowest. */
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

/** The names in the first column of the table of a document that follows a sentence, row by row. */
export function rowsOf(document, sentence) {
  const text = readFileSync(join(import.meta.dirname, "..", document), "utf8");
  const [, after = ""] = text.split(sentence);
  const rows = after.slice(after.indexOf("|---")).split("\n\n")[0].split("\n").slice(1);
  return rows.map((row) => [...row.split("|")[1].matchAll(/`([^`]+)`/g)].map(([, name]) => name));
}
