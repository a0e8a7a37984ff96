// The gallery, in the order of its cards: from the first steps to whole systems.

import { type Example, example } from "./example.ts";

const ORDER = [
  "hello",
  "order",
  "choice",
  "retry",
  "saga",
  "wait",
  "timeout",
  "approval",
  "parallel",
  "map",
  "tolerance",
  "nested",
  "polling",
  "loop",
  "jsonpath",
  "jsonata",
  "batches",
  "heartbeat",
  "errors",
  "intrinsics",
  "yaml",
  "everything",
];

const files: Record<string, string> = import.meta.glob("../../examples/*/*", { eager: true, query: "?raw", import: "default" });
const text = (id: string, name: string): string | undefined => files[`../../examples/${id}/${name}`];

/** All folders. One that the order does not name comes last. */
const ids = [...new Set(Object.keys(files).map((path) => path.split("/").at(-2)!))].sort((a, b) => place(a) - place(b));

function place(id: string): number {
  const at = ORDER.indexOf(id);
  return at < 0 ? ORDER.length : at;
}

export const examples: Example[] = ids.map((id) => {
  const yaml = text(id, "machine.asl.yaml");
  return example(
    id,
    text(id, "example.json")!,
    yaml ?? text(id, "machine.asl.json")!,
    text(id, "tasks.js"),
    yaml === undefined ? "json" : "yaml",
  );
});
