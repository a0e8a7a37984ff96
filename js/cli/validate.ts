// stepglass validate

import type { Diagnostic } from "../api/index.d.ts";
import { Unusable, say } from "../files/problem.ts";
import { definitionsBelow } from "../files/below.ts";
import { isFolder } from "../files/reading.ts";
import { Source } from "../files/source.ts";
import { assemblyFolder } from "../files/templates.ts";
import { colorful, colors, count, writeJson } from "../files/terminal.ts";
import { defineCommand, type Options, type Values } from "./command.ts";

const help = `stepglass validate FILE or FOLDER… [options]

Reports all problems of definitions, with their positions in the file.

  stepglass validate order.asl.json
  stepglass validate machines/*.yaml --strict         warnings count as errors
  stepglass validate .                                every definition and template below a folder
  stepglass validate template.yaml                    every state machine of a template
  stepglass validate template.yaml#OrderMachine       one of them
  cat order.asl.json | stepglass validate -
  stepglass validate order.yaml --json                for programs

Templates: CloudFormation, SAM, the output of cdk synth, serverless.yml. In a folder, definitions are files named
*.asl.json, *.asl.yaml or *.asl.yml; node_modules and folders whose name begins with a dot are skipped.

Options
      --strict        warnings count as errors
      --type TYPE     STANDARD or EXPRESS; default: the type in the template, or STANDARD
      --define NAME=VALUE
                      the value of a placeholder \${NAME}; can be repeated
      --json          [{file, machine, diagnostics: [{code, severity, pointer, message, range, …}]}]; for a file that
                      cannot be used {file, problem: {kind, message}, diagnostics: []}

Exit code: 0 no errors; 1 errors; 2 wrong usage, or a file that cannot be used (the others are checked all the same).
`;

const options = {
  define: { type: "string", multiple: true },
  strict: { type: "boolean" },
  type: { type: "string", values: ["STANDARD", "EXPRESS"] },
  json: { type: "boolean" },
} as const satisfies Options;

export const command = defineCommand({ name: "validate", summary: "report the problems of definitions", help, options, run: validate });

/** What `--json` says of a file: its problems, or why it cannot be used. */
interface Report {
  file: string;
  machine?: string;
  problem?: { kind: "unusable"; message: string };
  diagnostics: Diagnostic[];
}

function validate(files: string[], { type, json, strict }: Values<typeof options>): number {
  if (files.length === 0) throw new Unusable("validate needs a file", { usage: true });
  const settings = type ? { type } : {};
  const reports: Report[] = [];
  const unusable = (file: string, message: string) => {
    reports.push({ file, problem: { kind: "unusable", message }, diagnostics: [] });
    if (!json) say(message);
  };
  const check = (spec: string) => {
    const source = new Source(spec);
    const diagnostics = source.diagnostics(settings);
    reports.push({ file: source.name, machine: source.machine, diagnostics });
    if (!json && diagnostics.length > 0) process.stdout.write(source.render(settings, colorful(process.stdout)));
  };
  // What cannot be used keeps nothing else from being looked at.
  const each = (specs: string[], act: (spec: string) => void) => {
    for (const spec of specs) {
      try {
        act(spec);
      } catch (error) {
        if (!(error instanceof Unusable)) throw error;
        unusable(spec, error.message);
      }
    }
  };
  each(files, (given) => {
    const specs = isFolder(given) && assemblyFolder(given) === undefined ? below(given, unusable) : [given];
    each(specs, (spec) => each(Source.specs(spec), check));
  });
  const totals = totalsOf(reports);
  if (json) writeJson(reports);
  else process.stdout.write(`${summary(totals)}\n`);
  if (totals.unusable > 0) return 2;
  return totals.errors > 0 || (strict && totals.warnings > 0) ? 1 : 0;
}

function below(folder: string, unusable: (file: string, message: string) => void): string[] {
  const problems: { file: string; message: string }[] = [];
  const found = definitionsBelow(folder, problems);
  for (const { file, message } of problems) unusable(file, message);
  if (found.length === 0 && problems.length === 0)
    throw new Unusable(`there are no definitions (*.asl.json, *.asl.yaml, *.asl.yml, templates) in ${folder}`);
  return found;
}

/** How many definitions were checked, problems they have, and files that cannot be used. */
interface Totals {
  checked: number;
  errors: number;
  warnings: number;
  unusable: number;
}

function totalsOf(reports: Report[]): Totals {
  const severities = reports.flatMap(({ diagnostics }) => diagnostics.map(({ severity }) => severity));
  const of = (wanted: string) => severities.filter((severity) => severity === wanted).length;
  const unusable = reports.filter(({ problem }) => problem !== undefined).length;
  return { checked: reports.length - unusable, errors: of("error"), warnings: of("warning"), unusable };
}

function summary({ checked, errors, warnings, unusable }: Totals): string {
  const { green, red, yellow } = colors(process.stdout);
  const what = [
    errors && red(count(errors, "error")),
    warnings && yellow(count(warnings, "warning")),
    unusable && red(`${unusable} that cannot be used`),
  ].filter(Boolean);
  return `${count(checked, "definition")}: ${what.length > 0 ? what.join(", ") : green("no problems")}`;
}
