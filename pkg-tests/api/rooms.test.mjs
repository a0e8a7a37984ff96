// The page's signals: each has an owner, and the owners do not know those who come after them.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { describe, test } from "node:test";

const source = resolve(import.meta.dirname, "../../www/src");
const ROOMS = ["workspace", "execution", "panes", "words", "interpreter", "selection", "analysis", "playback", "inside", "runner", "opening", "recordings", "tabTitle"];

/** What a module imports from rooms: `[room, [name, …]]`, where a namespace is `* as name`. */
const imports = (text) => [...text.matchAll(/import (?:type )?(\* as \w+|\{[^}]*\}) from "(?:\.\.?\/)+(?:store\/)?(\w+)\.ts"/g)].filter(([, , room]) => ROOMS.includes(room)).map(([, names, room]) => [room, names]);

/** Where a module writes a signal that it has from a room. */
export function writes(text) {
  return imports(text).flatMap(([room, names]) => {
    const [, namespace] = /^\* as (\w+)$/.exec(names) ?? [];
    const signals = namespace ? [`${namespace}\\.\\w+`] : names.slice(1, -1).split(",").map((name) => name.trim().split(" as ").at(-1)).filter((name) => /^\w+$/.test(name));
    return signals.flatMap((signal) => [...text.matchAll(new RegExp(`(?<![\\w.])${signal}\\.value\\s*(?:[-+*/&|?]{0,2}=(?![=>])|\\+\\+|--)`, "g"))].map(([found]) => `${found} (${room})`));
  });
}

describe("the rooms of the page's store", { skip: existsSync(source) ? false : "the page is not here" }, () => {
  const modules = readdirSync(source, { recursive: true }).filter((name) => /\.tsx?$/.test(name)).map((name) => ({ name, text: readFileSync(join(source, name), "utf8") }));
  const isRoom = ({ name }) => relative("store", name) === basename(name);

  test("are all named, in the order in which they know each other", () => {
    const rooms = modules.filter(isRoom);
    assert.deepEqual(rooms.map(({ name }) => basename(name, ".ts")).sort(), [...ROOMS].sort());
    for (const { name, text } of rooms) {
      const place = ROOMS.indexOf(basename(name, ".ts"));
      assert.deepEqual(imports(text).filter(([room]) => ROOMS.indexOf(room) >= place), [], name);
    }
  });

  test("alone write their signals", () => {
    for (const module of modules.filter((one) => !isRoom(one))) assert.deepEqual(writes(module.text), [], module.name);
  });

  test("are seen when somebody else writes", () => {
    assert.equal(writes('import * as panes from "../store/panes.ts";\npanes.dialog.value = "help";\nif (panes.dialog.value === "help") {}').length, 1);
    assert.equal(writes('import { live, type Origin } from "../store/playback.ts";\nlive.value = true;\nalive.value = 1;').length, 1);
    assert.equal(writes('import * as workspace from "./store/workspace.ts";\nworkspace.generation.value += 1;\nworkspace.seed.value++;').length, 2);
  });
});
