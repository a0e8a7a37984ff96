// Export of a graph as a file.

import { Uri, window, workspace } from "vscode";
import type { Definition } from "./graph-definition.ts";
import type { PictureFormat } from "./webview/messages.ts";

/** What is exported. */
interface Drawable {
  readonly definition: Definition;
  draw(format: PictureFormat): Promise<string>;
}

const FORMATS = [
  { label: "SVG", description: "as the graph is shown, with the run", extension: "svg" },
  { label: "PNG", description: "as the graph is shown, with the run", extension: "png" },
  { label: "Mermaid", description: "a diagram for Markdown", extension: "mmd" },
] as const;

/** Asks for a format and a file, and writes it. */
export async function exportGraph({ definition, draw }: Drawable): Promise<void> {
  const chosen = await window.showQuickPick(FORMATS, { title: "Export the graph as" });
  if (chosen === undefined) return;
  const { extension, label } = chosen;
  const content = await contentOf(extension, definition, draw);
  const { document, id } = definition;
  const name = `${id ?? (document.uri.path.split("/").at(-1) ?? "graph").split(".")[0]}.${extension}`;
  const defaultUri = Uri.joinPath(document.uri, "..", name);
  const target = await window.showSaveDialog({ defaultUri, filters: { [label]: [extension] } });
  if (target !== undefined) await workspace.fs.writeFile(target, content);
}

async function contentOf(extension: "svg" | "png" | "mmd", definition: Definition, draw: Drawable["draw"]): Promise<Uint8Array> {
  if (extension === "png") return Uint8Array.from(atob(await draw("png")), (one) => one.codePointAt(0) ?? 0);
  return new TextEncoder().encode(extension === "svg" ? await draw("svg") : await definition.mermaid());
}
