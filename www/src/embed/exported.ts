// What a component writes elsewhere: its drawing, and its machine in a playground.

import { withServiceSigns } from "../ui/services.ts";
import { encode } from "../model/linkText.ts";
import type { StepglassDebugger } from "./element.ts";
import { isYaml } from "./syntax.ts";

/** Returns the graph as a standalone SVG, with the run's colours if `run` is true. */
export async function svgOf(
  { link, index, fold, cursor, json }: StepglassDebugger,
  theme: "light" | "dark" | "auto",
  run: boolean,
): Promise<string> {
  if (!link || !index) throw new Error("the graph is not there yet");
  const options: Record<string, unknown> = { theme };
  if (run && fold && cursor > 0) {
    const { nodes, edges } = index.graph;
    options["status"] = Object.fromEntries(
      nodes.map((node, i) => [node.pointer, fold.runs[i]!.status] as const).filter(([, status]) => status !== "idle"),
    );
    options["taken"] = Object.fromEntries(edges.map((edge, i) => [edge.id, fold.taken[i]!] as const));
  }
  return withServiceSigns(await link.call("svg", { definition: json, options }));
}

/** Opens the machine in the playground that the attribute names. */
export async function openPlayground(element: StepglassDebugger): Promise<void> {
  const { text } = element;
  const base = new URL(element.getAttribute("playground") ?? "", document.baseURI);
  const hash = await encode({
    title: element.getAttribute("aria-label") ?? "From a page",
    format: isYaml(text) ? "yaml" : "json",
    definition: text,
    input: element.getAttribute("input") ?? "{}",
    tasks: "",
    clock: "skip",
    seed: 1,
  });
  window.open(new URL(hash, base), "_blank", "noopener");
}
