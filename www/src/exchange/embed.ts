// The HTML that puts this machine on another page, as an element that runs there.

export interface Embedded {
  definition: string;
  format: "json" | "yaml";
  /// JSON, or nothing.
  input: string;
  mocks: Record<string, unknown>;
  editable: boolean;
  /// Whether something runs there.
  runs: boolean;
  /// The address of debugger.js on that page.
  script: string;
}

const attribute = (text: string): string => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
const indented = (text: string, by: string): string => text.trimEnd().replaceAll(/^(?=.)/gm, by);

/// In JSON a `<` stands in texts only, where it can be written so that no end of a script is in it.
const inScript = (json: string): string => json.replaceAll(/<(?=[/!])/g, "\\u003c");

export function snippetOf({ definition, format, input, mocks, editable, runs, script }: Embedded): string {
  const lines = [
    editable && "editable",
    editable && 'view="graph code"',
    !runs && "readonly",
    runs && !/^\s*(\{\s*\})?\s*$/.test(input) && `input="${attribute(compact(input))}"`,
    runs && Object.keys(mocks).length > 0 && `mocks="${attribute(JSON.stringify(mocks))}"`,
    format === "yaml" && `definition="${attribute(definition)}"`,
  ].filter((line) => line !== false);
  const inside = format === "json" ? `\n  <script type="application/json">\n${indented(inScript(definition), "    ")}\n  </script>\n` : "";
  const attributes = lines.map((line) => `\n  ${line}`).join("");
  return `<script type="module" src="${attribute(script)}"></script>
<stepglass-debugger${attributes}${attributes === "" ? "" : "\n"}>${inside}</stepglass-debugger>
`;
}

function compact(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json));
  } catch {
    return json;
  }
}
