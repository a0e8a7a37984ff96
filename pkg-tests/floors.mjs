// Checks the order of folders: a folder may import only from folders on lower floors.
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, normalize, sep } from "node:path";

/** Returns `{name, text}` of all TypeScript modules in a folder. Names are relative to it, with slashes. */
export const modulesIn = (folder) =>
  readdirSync(folder, { recursive: true })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => ({ name: name.split(sep).join("/"), text: readFileSync(join(folder, name), "utf8") }));

/** Returns the modules of the same tree that a module imports, statically and dynamically, as names from the tree's root. */
export const importsOf = ({ name, text }) =>
  [...text.matchAll(/(?:\bfrom\s+|\bimport\s+|\bimport\(\s*)["'](\.{1,2}\/[^"']+\.tsx?)["']/g)]
    .map(([, path]) =>
      normalize(join(dirname(name), path))
        .split(sep)
        .join("/"),
    )
    .filter((to) => !to.startsWith(".."));

/** Returns the imports of a module, static and dynamic, that do not lead to a lower floor. `floors` starts with the lowest. */
export function upwards(module, floors, folderOf) {
  const floorOf = (name) => floors.findIndex((floor) => floor.includes(folderOf(name)));
  return importsOf(module)
    .filter((to) => folderOf(to) !== folderOf(module.name) && floorOf(to) >= floorOf(module.name))
    .map((to) => `${module.name} → ${to}`);
}

/** Returns the circles of imports among modules, also those of types alone: for each, its modules in the order of their names. */
export function circlesOf(modules) {
  const imports = new Map(modules.map((module) => [module.name, importsOf(module)]));
  const [order, lowest, stack, circles] = [new Map(), new Map(), [], []];
  // Tarjan's algorithm for strongly connected components.
  const visit = (name) => {
    order.set(name, order.size);
    lowest.set(name, order.get(name));
    stack.push(name);
    for (const to of imports.get(name).filter((one) => imports.has(one))) {
      if (!order.has(to)) visit(to);
      if (stack.includes(to)) lowest.set(name, Math.min(lowest.get(name), lowest.get(to)));
    }
    if (lowest.get(name) !== order.get(name)) return;
    const component = stack.splice(stack.indexOf(name));
    if (component.length > 1) circles.push(component.sort());
  };
  for (const { name } of modules) if (!order.has(name)) visit(name);
  return circles;
}

/** Returns the cells of the table that follows `sentence` in a document, row by row. */
export function cellsOf(document, sentence) {
  const text = readFileSync(join(import.meta.dirname, "..", document), "utf8");
  const [, after = ""] = text.split(sentence);
  const rows = after.slice(after.indexOf("|---")).split("\n\n")[0].split("\n").slice(1);
  return rows.map((row) => row.split("|").slice(1, -1));
}

/** Returns the names that a cell of a table has as code. */
export const namesIn = (cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name);

/** Returns the names in the first column of the table that follows `sentence` in a document, row by row. */
export const rowsOf = (document, sentence) => cellsOf(document, sentence).map(([first]) => namesIn(first));
