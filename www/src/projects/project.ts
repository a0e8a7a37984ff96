// Machines in tabs, and their files. This chunk comes with the first deed on the page, or with the project of before.

import "./projects.css";
import { effect } from "@preact/signals";
import { commands } from "../commands/commands.ts";
import { strip } from "../ui/strip.ts";
import { Strip } from "./Strip.tsx";
import { projectCommands } from "./commands.ts";
import { ask, lookOutside } from "./files.ts";
import { keepProject } from "./keeping.ts";
import { askWhere } from "./menu.ts";
import { fileOf, tabs } from "./model.ts";
import { heedOpenings, offerSiblings } from "./tabs.ts";

export { openFiles, save } from "./files.ts";

ask.where = () => void askWhere();
commands.value = [...commands.value, ...projectCommands];
heedOpenings();
offerSiblings();
// One machine without a file needs no tabs.
effect(() => {
  strip.value = tabs.value.length > 1 || fileOf(tabs.value[0]) ? Strip : null;
});
void keepProject();
// Who comes back to the page may have changed files meanwhile.
addEventListener("focus", () => void lookOutside());
document.addEventListener("visibilitychange", () => !document.hidden && void lookOutside());
