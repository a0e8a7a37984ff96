// The HTML that embeds this machine in another page, as an element that runs there.

export interface Embedded {
  definition: string;
  format: "json" | "yaml";
  /** JSON, or empty. */
  input: string;
  mocks: Record<string, unknown>;
  editable: boolean;
  /** Whether the element can run the machine. */
  runs: boolean;
  /** The address of debugger.js for that page. */
  script: string;
}

const attribute = (text: string): string => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
const indented = (text: string, by: string): string => text.trimEnd().replaceAll(/^(?=.)/gm, by);

/** In JSON, a `<` occurs only in strings, where it can be escaped so that the text does not end the script element. */
const inScript = (json: string): string => json.replaceAll(/<(?=[/!])/g, "\\u003c");

/** Returns the attributes of the element. An attribute without a value is a flag. */
export function attributesOf({
  definition,
  format,
  input,
  mocks,
  editable,
  runs,
}: Omit<Embedded, "script">): [name: string, value?: string][] {
  const all: ([string, string?] | false)[] = [
    editable && ["editable"],
    editable && ["view", "graph code"],
    !runs && ["readonly"],
    runs && !/^\s*(\{\s*\})?\s*$/.test(input) && ["input", compact(input)],
    runs && Object.keys(mocks).length > 0 && ["mocks", JSON.stringify(mocks)],
    format === "yaml" && ["definition", definition],
  ];
  return all.filter((one) => one !== false);
}

export function snippetOf({ script, ...embedded }: Embedded): string {
  const { definition, format } = embedded;
  const inside = format === "json" ? `\n  <script type="application/json">\n${indented(inScript(definition), "    ")}\n  </script>\n` : "";
  const written = attributesOf(embedded).map(([name, value]) => `\n  ${name}${value === undefined ? "" : `="${attribute(value)}"`}`);
  const attributes = written.join("");
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
