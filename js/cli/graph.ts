// The command `stepglass graph` draws a definition as SVG or Mermaid.

import { layout, renderMermaid, renderSvg } from "../core/definition/definition.ts";
import { Invalid, Unusable } from "../language/files/problem.ts";
import { write } from "../language/files/reading.ts";
import { Source } from "../language/files/source.ts";
import { defineCommand, type Options, type Values } from "./command.ts";

const help = `stepglass graph FILE [options]

Draws a definition as an SVG document or a Mermaid diagram, even if it has errors. In the SVG, a task has the
icon of the service that it calls.

  stepglass graph order.asl.json -o order.svg
  stepglass graph order.yaml --direction LR --theme dark > order.svg
  stepglass graph template.yaml#OrderMachine --format mermaid
  stepglass graph order.yaml --json                   prints positions and sizes instead of a drawing

Options
  -o, --output FILE   the file to write; default: standard output
      --format F      svg (default) or mermaid, for Markdown
      --direction D   TB, top to bottom (default), or LR, left to right
      --theme THEME   light, dark or auto (default): follows the viewer's preference
      --title TEXT    the title for screen readers; default: the machine's Comment
      --define NAME=VALUE
                      the value of a placeholder \${NAME}; can be repeated
      --json          the layout as JSON: {width, height, direction, nodes, edges, …}

Exit code: 0 success; 1 the file is neither JSON nor YAML; 2 wrong usage.
`;

const options = {
  define: { type: "string", multiple: true },
  output: { type: "string", short: "o", file: true },
  format: { type: "string", values: ["svg", "mermaid"] },
  direction: { type: "string", values: ["TB", "LR"] },
  theme: { type: "string", values: ["light", "dark", "auto"] },
  title: { type: "string" },
  json: { type: "boolean" },
} as const satisfies Options;

export const command = defineCommand({ name: "graph", summary: "draw a definition as SVG or Mermaid", help, options, run: graph });

async function graph(
  [file, ...others]: string[],
  { output, direction, theme, title, format, json }: Values<typeof options>,
): Promise<number> {
  if (file === undefined || others.length > 0) throw new Unusable("graph needs one file", { usage: true });
  const source = new Source(file);
  let text: string;
  try {
    if (source.json === undefined) throw new SyntaxError();
    if (json) text = `${JSON.stringify(layout(source.json, { direction }), null, 2)}\n`;
    else if (format === "mermaid" || (format === undefined && /\.(mmd|mermaid)$/.test(output ?? "")))
      text = renderMermaid(source.json, { direction });
    else text = (await import("../core/integrations/signs.ts")).withServiceSigns(renderSvg(source.json, { direction, theme, title }));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new Invalid(source);
  }
  if (output === undefined) process.stdout.write(text);
  else write(output, text);
  return 0;
}
