// The tool validate.

import type { Diagnostic } from "../../core/api/index.d.ts";
import { Unusable } from "../../language/files/problem.ts";
import { definitionsBelow } from "../../language/files/below.ts";
import { isFolder } from "../../language/files/reading.ts";
import { split, type Source } from "../../language/files/source.ts";
import { assemblyFolder } from "../../language/files/templates.ts";
import { count } from "../../language/files/terminal.ts";
import { definitionArguments, sourcesOf, messageFor, typed } from "./definitions.ts";
import { checkInside } from "./folder.ts";
import { LISTED } from "./limits.ts";
import { array, boolean, int, object, oneOf, string } from "./protocol.ts";
import { cutMember, defineTool } from "./tool.ts";

const diagnostic = object({
  file: string(),
  code: string().describe("Stable, in kebab-case."),
  severity: oneOf(["error", "warning"]),
  pointer: string().describe("JSON Pointer of the place in the definition."),
  message: string(),
  line: int().optional().describe("From 1."),
  column: int().optional().describe("From 1, in UTF-16 units."),
  help: string().optional(),
  fix: object({ title: string(), replacement: string().describe("JSON text for the place.") }).optional(),
});

export const validateTool = defineTool({
  name: "validate",
  title: "Validate definitions",
  description:
    "Reports all problems of an Amazon States Language definition (AWS Step Functions): errors, for which AWS refuses it, and warnings. Takes a file, a folder, a template or the definition itself.",
  input: {
    ...definitionArguments,
    limit: int().min(1).max(1000).optional().describe(`The largest number of problems to list. Default: ${LISTED}.`),
  },
  output: {
    valid: boolean().describe("Whether there are no errors."),
    errors: int(),
    warnings: int(),
    definitions: array(object({ file: string(), machine: string(), errors: int(), warnings: int() })),
    unusable: array(object({ file: string(), message: string() })).describe("Files that cannot be read as definitions."),
    diagnostics: array(diagnostic),
    ...cutMember,
  },
  call({ limit = LISTED, ...given }, { cut, limits }) {
    const unusable: { file: string; message: string }[] = [];
    const checked = everySource(given, unusable).map((source) => ({ source, found: source.diagnostics(typed(given)) }));
    const all = checked.flatMap(({ source, found }) => found.map((one) => diagnosticMember(source.name, one)));
    const of = (severity: string, list: readonly { severity: string }[]) => list.filter((one) => one.severity === severity).length;
    const definitions = checked.map(({ source, found }) => ({
      file: source.name,
      machine: source.machine,
      errors: of("error", found),
      warnings: of("warning", found),
    }));
    const [errors, warnings] = [of("error", all), of("warning", all)];
    const rendered = checked.flatMap(({ source, found }) => (found.length === 0 ? [] : [source.render(typed(given), false).trimEnd()]));
    const messages = unusable.map(({ message }) => message);
    const summary = `${count(checked.length, "definition")}: ${errors + warnings === 0 ? "no problems" : `${count(errors, "error")}, ${count(warnings, "warning")}`}`;
    return {
      text: cut.text([summary, ...messages, ...rendered].join("\n\n"), limits.characters, "the text"),
      data: {
        valid: errors === 0 && unusable.length === 0,
        errors,
        warnings,
        definitions: cut.list(definitions, 1000, "definition"),
        unusable: cut.list(unusable, LISTED, "unusable file"),
        diagnostics: cut.list(all, limit, "problem"),
      },
    };
  },
});

function everySource(given: Parameters<typeof sourcesOf>[0], unusable: { file: string; message: string }[]): Source[] {
  const { file } = given;
  // The path of a folder is checked before anything in it is read.
  if (file !== undefined) checkInside(process.cwd(), split(file)[0]);
  if (file === undefined || !isFolder(file) || assemblyFolder(file) !== undefined) return sourcesOf(given);
  const files = definitionsBelow(file, unusable);
  if (files.length === 0 && unusable.length === 0)
    throw new Unusable(`there are no definitions (*.asl.json, *.asl.yaml, *.asl.yml, templates) in ${file}`);
  return files.flatMap((one) => {
    try {
      return sourcesOf({ ...given, file: one });
    } catch (error) {
      const message = messageFor(error);
      if (message === undefined) throw error;
      unusable.push({ file: one, message });
      return [];
    }
  });
}

function diagnosticMember(file: string, { code, severity, pointer, message, range, help, fix }: Diagnostic) {
  return {
    file,
    code,
    severity,
    pointer,
    message,
    ...(range && { line: range.start.line, column: range.start.column }),
    ...(help !== undefined && { help }),
    ...(fix && { fix: { title: fix.title, replacement: fix.replacement } }),
  };
}
