// The resources of the server: the language's documentation, which editors also show, and the examples.

import { readFileSync } from "node:fs";
import { complete } from "../../core/definition/definition.ts";
import { language } from "../../core/definition/language.ts";
import { Unusable } from "../../language/files/problem.ts";
import { didYouMean } from "../did-you-mean.ts";

/** The types of states, in the order of the specification. */
export const STATE_TYPES = ["Task", "Parallel", "Map", "Pass", "Wait", "Choice", "Succeed", "Fail"] as const;

const LANGUAGES = ["JSONPath", "JSONata"] as const;

/** A field with its description, and the query languages in which it can be used. */
interface Field {
  name: string;
  title: string;
  text: string;
  languages: string[];
}

/** Returns the documentation of a state type in Markdown: its fields in either query language. */
export function stateDocumentation(type: string): string {
  if (!STATE_TYPES.some((one) => one === type))
    throw new Unusable(
      `there is no state type ${JSON.stringify(type)}${didYouMean(type, [...STATE_TYPES])}; there are ${STATE_TYPES.join(", ")}`,
    );
  const head = `{"StartAt":"A","States":{"A":{"Type":${JSON.stringify(type)}`;
  const about = language.hover(`${head}}}}`, head.length - 2)?.text ?? "";
  const fields = fieldsOf((words) => `${head},"QueryLanguage":"${words}",`, "}}}");
  return `# ${type} state\n\n${about}\n\n## Fields\n\n${listed(fields)}\nRead \`stepglass://language/machine\` for the fields around the states.\n`;
}

/** Returns the documentation of a machine's top-level fields, and of the query languages, in Markdown. */
export function machineDocumentation(): string {
  const fields = fieldsOf(() => "{", "}");
  const call = '{"StartAt":"A","States":{"A":{"Type":"Pass","End":true,"Parameters":{"a.$":"States.';
  const functions = complete(`${call}"}}}}`, call.length).items.map(({ label }) => {
    const text = `${call}${label}()"}}}}`;
    const found = language.hover(text, call.length + 1);
    return `- \`${found?.title ?? label}\`: ${found?.text ?? ""}`;
  });
  return [
    "# Amazon States Language",
    "A machine is a JSON object (or YAML) with these fields. Each member of `States` is a state; its `Type` decides which fields it has.",
    listed(fields),
    `State types: ${STATE_TYPES.join(", ")}. Each has a document: \`stepglass://language/Task\`, and so on.`,
    "## Query languages",
    "`QueryLanguage` is JSONPath (default) or JSONata, for the machine or for one state. In JSONPath, fields with names that end in `.$` take paths such as `$.order.id`, paths into the context such as `$$.Execution.Id`, variables such as `$total`, and intrinsic functions. In JSONata, a string between `{%` and `%}` is an expression, which reads `$states.input`, `$states.result`, `$states.context` and variables.",
    "## Intrinsic functions of JSONPath",
    functions.join("\n"),
    "",
  ].join("\n\n");
}

/** Returns the fields that are allowed at a position. */
function fieldsOf(head: (words: string) => string, tail: string): Field[] {
  const found = new Map<string, Field>();
  for (const words of LANGUAGES) {
    const before = head(words);
    for (const { label, kind } of complete(`${before}""${tail}`, before.length + 1).items) {
      if (kind !== "field") continue;
      const known = found.get(label);
      if (known !== undefined) {
        known.languages.push(words);
        continue;
      }
      const hover = language.hover(`${before}${JSON.stringify(label)}:null${tail}`, before.length + 2);
      found.set(label, { name: label, title: hover?.title ?? label, text: hover?.text ?? "", languages: [words] });
    }
  }
  return [...found.values()];
}

function listed(fields: readonly Field[]): string {
  return fields
    .map(({ name, title, text, languages }) => {
      const kind = title.startsWith(name) ? title.slice(name.length).replace(/^ · /, "") : title;
      const only = languages.length === LANGUAGES.length ? "" : ` Only with ${languages.join()}.`;
      return `- \`${name}\`${kind === "" ? "" : ` (${kind})`}: ${text}${only}\n`;
    })
    .join("");
}

/** An example of the gallery. */
export interface Example {
  name: string;
  title: string;
  lesson: string;
  features: string[];
  file: string;
  definition: string;
  inputs: { name: string; input: unknown }[];
}

let gallery: Example[] | undefined;

/** Returns the examples of the page's gallery. */
export function examples(): Example[] {
  return (gallery ??= JSON.parse(readFileSync(new URL("./examples.json", import.meta.url), "utf8")) as Example[]);
}

/** Returns an example in Markdown. */
export function exampleDocument(name: string): string {
  const found = examples().find((one) => one.name === name);
  if (found === undefined)
    throw new Unusable(
      `there is no example ${JSON.stringify(name)}${didYouMean(
        name,
        examples().map((one) => one.name),
      )}`,
    );
  const { title, lesson, features, file, definition, inputs } = found;
  const format = file.endsWith("yaml") ? "yaml" : "json";
  const given = inputs.map((one) => `${one.name}: \`${JSON.stringify(one.input)}\``);
  return `# ${title}\n\n${lesson}\n\nUses ${features.join(", ")}.\n\n\`\`\`${format}\n${definition.trimEnd()}\n\`\`\`\n\nInputs:\n\n${given.map((one) => `- ${one}\n`).join("")}`;
}
