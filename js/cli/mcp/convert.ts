// The tool convert.

import { Unusable } from "../../language/files/problem.ts";
import { read } from "../../language/files/reading.ts";
import { split } from "../../language/files/source.ts";
import { count } from "../../language/files/terminal.ts";
import { conversionOf } from "../convert.ts";
import { definitionArguments } from "./definitions.ts";
import { LISTED, OUTPUT } from "./limits.ts";
import { array, boolean, object, oneOf, string } from "./protocol.ts";
import { cutMember, defineTool } from "./tool.ts";

const { file, definition } = definitionArguments;

export const convertTool = defineTool({
  name: "convert",
  title: "Convert a definition",
  description:
    "Converts a definition or a template between JSON and YAML, or its states from JSONPath to JSONata where that means the same. Writes no file: the answer has the text, and the states that stay in JSONPath with the reason.",
  input: {
    file,
    definition,
    to: oneOf(["json", "yaml"]).optional().describe("Default: the other format; with jsonata, the same."),
    jsonata: boolean().optional().describe("Converts states from JSONPath to JSONata."),
  },
  output: {
    format: oneOf(["json", "yaml"]),
    output: string(),
    converted: array(string()).describe("The states that are in JSONata now."),
    left: array(object({ machine: string().optional(), state: string(), pointer: string(), reason: string() })),
    notes: array(string()),
    ...cutMember,
  },
  call(given, { cut }) {
    if ((given.file === undefined) === (given.definition === undefined)) throw new Unusable("give either file or definition");
    const [name, fragment] = given.file === undefined ? ["definition", undefined] : split(given.file);
    const inline = typeof given.definition === "object" ? JSON.stringify(given.definition, null, 2) : given.definition;
    if (fragment !== undefined && !given.jsonata) throw new Unusable("a template is converted as a whole: omit # and the name after it");
    const notes: string[] = [];
    const { written, format, report } = conversionOf(inline ?? read(name), {
      file: name,
      fragment,
      to: given.to,
      jsonata: given.jsonata,
      note: (message) => notes.push(message),
    });
    const left = report.left.map(({ machine, state, pointer, reason }) => ({
      ...(machine !== undefined && { machine }),
      state,
      pointer,
      reason,
    }));
    const output = cut.text(written, OUTPUT, "the converted text");
    const summary = given.jsonata
      ? [
          `${count(report.converted.length, "state")} in JSONata, ${left.length} left in JSONPath`,
          ...left.map((one) => `${one.state}: ${one.reason}`),
        ]
      : [];
    return {
      text: [output.trimEnd(), ...summary, ...notes].join("\n"),
      data: {
        format,
        output,
        converted: cut.list(report.converted, 5 * LISTED, "converted state"),
        left: cut.list(left, 5 * LISTED, "state"),
        notes,
      },
    };
  },
});
