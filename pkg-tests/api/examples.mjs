// The gallery of the page for tests: the folders in www/examples.
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const folder = resolve(import.meta.dirname, "../../www/examples");
const entry = import.meta.resolve("stepglass");

/** Returns `{id, title, lesson, features, inputs, breakpoints, format, definition, tasks}` of every example. */
export function gallery() {
  return readdirSync(folder)
    .sort()
    .map((id) => {
      const files = readdirSync(join(folder, id));
      const format = files.includes("machine.asl.yaml") ? "yaml" : "json";
      const text = (name) => (files.includes(name) ? readFileSync(join(folder, id, name), "utf8") : "");
      return { id, ...JSON.parse(text("example.json")), files, format, definition: text(`machine.asl.${format}`), tasks: text("tasks.js") };
    });
}

/** Returns the handlers that a tasks' module exports. They are created anew, because a module may count its calls. */
export async function handlersOf(tasks) {
  if (tasks === "") return {};
  const place = mkdtempSync(join(tmpdir(), "stepglass-tasks-"));
  try {
    const file = join(place, "tasks.mjs");
    writeFileSync(file, tasks.replaceAll('from "stepglass"', `from ${JSON.stringify(entry)}`));
    return (await import(pathToFileURL(file).href)).default;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}
