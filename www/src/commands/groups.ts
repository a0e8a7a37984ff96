// The groups of the list of commands.

import type { Group } from "./commands.ts";

export const GROUPS: readonly { id: Group; title: string }[] = [
  { id: "Run", title: "Run" },
  { id: "Debug", title: "Debug" },
  { id: "Anywhere", title: "Anywhere" },
  { id: "Graph", title: "Graph, while it has the focus" },
  { id: "Edit", title: "Editing on the graph" },
  { id: "Editor", title: "Definition, while one writes in it" },
  { id: "Text", title: "Text, in every editor" },
];
