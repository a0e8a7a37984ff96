// The tool graph.

import { codeOf } from "../../core/base/errors.ts";
import { layout, renderMermaid, renderSvg } from "../../core/definition/definition.ts";
import { Invalid } from "../../language/files/problem.ts";
import { count } from "../../language/files/terminal.ts";
import { withServiceSigns } from "../../core/integrations/signs.ts";
import { definitionArguments, sourceOf } from "./definitions.ts";
import { LISTED, OUTPUT } from "./limits.ts";
import { array, boolean, int, object, oneOf, string } from "./protocol.ts";
import { cutMember, defineTool } from "./tool.ts";

export const graphTool = defineTool({
  name: "graph",
  title: "Draw a state machine",
  description:
    "Draws the graph of a definition, even of one with errors: as text (Mermaid, which Markdown shows) or as an SVG document. The states and transitions come as data too.",
  input: {
    ...definitionArguments,
    format: oneOf(["mermaid", "svg"]).optional().describe("Default: mermaid."),
    direction: oneOf(["TB", "LR"]).optional().describe("TB, top to bottom (default), or LR, left to right."),
    theme: oneOf(["light", "dark", "auto"]).optional().describe("Of the SVG document. Default: auto, as the viewer prefers."),
  },
  output: {
    format: oneOf(["mermaid", "svg"]),
    drawing: string().optional().describe("The Mermaid diagram. An SVG document is a resource in the answer's content."),
    width: int().describe("Of the drawing in px."),
    height: int(),
    states: array(object({ name: string(), type: string(), pointer: string(), detail: string().optional(), reachable: boolean() })),
    transitions: array(object({ from: string(), to: string(), kind: string(), label: string().optional() })),
    ...cutMember,
  },
  call({ format = "mermaid", direction, theme, ...given }, { cut }) {
    const source = sourceOf(given);
    const { json } = source;
    if (json === undefined) throw new Invalid(source);
    const draw = () => {
      const graph = layout(json, { direction });
      return {
        graph,
        whole: format === "svg" ? withServiceSigns(renderSvg(json, { direction, theme })) : renderMermaid(json, { direction }),
      };
    };
    const { graph, whole } = orInvalid(draw, () => new Invalid(source));
    const names = new Map(graph.nodes.map(({ id, name, type }) => [id, name === "" ? type : name]));
    const states = graph.nodes
      .filter(({ type }) => !["Start", "End", "Scope"].includes(type))
      .map(({ name, type, pointer, detail, reachable }) => ({ name, type, pointer, ...(detail !== undefined && { detail }), reachable }));
    const transitions = graph.edges.map(({ from, to, kind, label }) => ({
      from: names.get(from) ?? from,
      to: names.get(to) ?? to,
      kind,
      ...(label !== undefined && { label }),
    }));
    if (graph.truncated) cut.note("the graph is so large that a part of it is not drawn");
    const drawing = format === "svg" ? undefined : cut.text(whole, OUTPUT, "the drawing");
    return {
      text: drawing ?? `${source.name}: ${count(states.length, "state")}, drawn as an SVG document`,
      data: {
        format,
        ...(drawing !== undefined && { drawing }),
        width: Math.round(graph.width),
        height: Math.round(graph.height),
        states: cut.list(states, 5 * LISTED, "state"),
        transitions: cut.list(transitions, 5 * LISTED, "transition"),
      },
      ...(format === "svg" && {
        document: { uri: `stepglass://graph/${encodeURIComponent(source.name)}.svg`, mimeType: "image/svg+xml", text: whole },
      }),
    };
  },
});

/** Converts the error of a text that is not JSON to one with diagnostics. */
function orInvalid<T>(draw: () => T, invalid: () => Error): T {
  try {
    return draw();
  } catch (error) {
    throw codeOf(error) === "NOT_JSON" || error instanceof SyntaxError ? invalid() : error;
  }
}
