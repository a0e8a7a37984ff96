// The command `stepglass validate` reports the problems of definitions.

import { stripVTControlCharacters } from "node:util";
import type { Diagnostic, MachineType } from "../core/api/index.d.ts";
import { definitionsBelow } from "../language/files/below.ts";
import { Unusable, say, type SourceOptions } from "../language/files/problem.ts";
import { isFolder, write } from "../language/files/reading.ts";
import { Source } from "../language/files/source.ts";
import { assemblyFolder } from "../language/files/templates.ts";
import { colorful, colors, count, type Output } from "../language/files/terminal.ts";
import type { Accepted, Baseline, fingerprints } from "./baseline.ts";
import { defineCommand, type Options, type Values } from "./command.ts";
import { fails, type Checked, type Finding } from "./findings.ts";
import { didYouMean } from "./did-you-mean.ts";

const help = `stepglass validate FILE or FOLDER… [options]

Reports all problems of definitions, with their positions in the file.

  stepglass validate order.asl.json
  stepglass validate machines/*.yaml --strict         warnings count as errors
  stepglass validate .                                every definition and template below a folder
  stepglass validate template.yaml                    every state machine of a template
  stepglass validate template.yaml#OrderMachine       one of them
  cat order.asl.json | stepglass validate -
  stepglass validate order.yaml --json                for programs
  stepglass validate . --format github --format sarif=problems.sarif
                                                      annotations in the log, and a file for code scanning
  stepglass validate . --baseline known.json --write-baseline
                                                      accepts all current problems
  stepglass validate . --baseline known.json          fails only for new ones

Templates: CloudFormation, SAM, cdk.out, Terraform (main.tf, or a plan by terraform show -json), serverless.yml. In a
folder, definitions are files named *.asl.json, *.asl.yaml or *.asl.yml; node_modules and folders whose name begins
with a dot are skipped.

Options
      --strict        warnings count as errors
      --type TYPE     STANDARD or EXPRESS; default: the type in the template, or STANDARD
      --define NAME=VALUE
                      the value of a placeholder \${NAME}; can be repeated
      --format FORMAT[=FILE]
                      text, json, sarif (SARIF 2.1.0), junit, github (annotations of GitHub Actions) or gitlab (Code
                      Quality); to FILE, or to standard output; can be repeated. If each format has a FILE, standard
                      output gets text
      --baseline FILE
                      a file of known problems, which do not fail the command; fixed ones are reported
      --write-baseline
                      writes the problems found to the file of --baseline; its entries for other definitions stay
      --json          the same as --format json: [{file, machine, diagnostics: [{code, severity, pointer, message, range,
                      …}]}]; for a file that cannot be used {file, problem: {kind, message}, diagnostics: []}. With
                      --baseline, diagnostics are the new ones, and {known, fixed} are lists, too

A problem stays known when lines move or when its neighbours in a list change. It is new if its file, its code, a name
in its path or the text at its place changes.

Exit code: 0 no errors, or only known ones; 1 errors; 2 wrong usage, or a file that cannot be used (the others are
still checked).
`;

const FORMATS = ["text", "json", "sarif", "junit", "github", "gitlab"] as const;

const options = {
  define: { type: "string", multiple: true },
  strict: { type: "boolean" },
  type: { type: "string", values: ["STANDARD", "EXPRESS"] },
  format: { type: "string", multiple: true, values: FORMATS },
  baseline: { type: "string", file: true },
  "write-baseline": { type: "boolean" },
  json: { type: "boolean" },
} as const satisfies Options;

export const command = defineCommand({ name: "validate", summary: "report the problems of definitions", help, options, run: validate });

/** A requested report: its format and its file. Undefined is standard output. */
interface RequestedFormat {
  format: (typeof FORMATS)[number];
  file: string | undefined;
}

/** The data of all definitions that were read. */
interface Outcome {
  checked: Checked[];
  sources: Map<Checked, Source>;
  baseline: Baseline | undefined;
  /** Problems of the baseline that the definitions no longer have. */
  fixed: Accepted[];
  settings: Settings;
}

/** How definitions are checked. */
interface Settings {
  type: MachineType | undefined;
  strict: boolean;
}

async function validate(files: string[], values: Values<typeof options>): Promise<number> {
  if (files.length === 0) throw new Unusable("validate needs a file", { usage: true });
  const { type, strict = false, baseline: known, "write-baseline": writes = false } = values;
  const wanted = formatsOf(values);
  if (writes && known === undefined) throw new Unusable("--write-baseline needs --baseline FILE", { usage: true });
  // Fingerprints are loaded only if a pipeline needs them.
  const fingerprinted = known !== undefined || wanted.some(({ format }) => format === "sarif" || format === "gitlab");
  const accepting = fingerprinted ? await import("./baseline.ts") : undefined;
  const baseline = known === undefined ? undefined : new accepting!.Baseline(known, { fresh: writes });
  const outcome: Outcome = { checked: [], sources: new Map(), baseline, fixed: [], settings: { type, strict } };
  checkAll(files, outcome, {
    fingerprints: accepting?.fingerprints,
    report: wanted.some(({ format, file }) => format === "json" && file === undefined) ? undefined : say,
  });
  if (baseline !== undefined) {
    const findings = outcome.checked.flatMap((one) => one.findings);
    for (const finding of findings) finding.known = writes || baseline.has(finding.fingerprint);
    outcome.fixed = baseline.fixed(outcome.checked);
    if (writes) baseline.write(outcome.checked);
  }
  for (const { format, file } of wanted) {
    const text = await describe(format, outcome, file === undefined ? process.stdout : undefined);
    if (file === undefined) process.stdout.write(text);
    else write(file, text);
  }
  const { errors, unusable } = totalsOf(outcome);
  return unusable > 0 ? 2 : errors > 0 ? 1 : 0;
}

/** Returns the requested formats, those with a file first: an error of writing a file then comes before anything is printed. */
function formatsOf({ format: given = [], json }: Values<typeof options>): RequestedFormat[] {
  const wanted = given.map((one): RequestedFormat => {
    const at = one.indexOf("=");
    const name = at < 0 ? one : one.slice(0, at);
    const format = FORMATS.find((known) => known === name);
    if (format === undefined)
      throw new Unusable(`--format must be ${FORMATS.slice(0, -1).join(", ")} or ${FORMATS.at(-1)}${didYouMean(name, FORMATS)}`, {
        usage: true,
      });
    if (at === one.length - 1) throw new Unusable(`--format ${one} needs the name of a file`, { usage: true });
    return { format, file: at < 0 ? undefined : one.slice(at + 1) };
  });
  if (json) wanted.push({ format: "json", file: undefined });
  const printed = [...new Set(wanted.filter(({ file }) => file === undefined).map(({ format }) => format))];
  // Text can be printed together with annotations, because GitHub removes those from the log.
  if (printed.length > 1)
    throw new Unusable(
      `standard output takes one format, not ${printed.join(" and ")}: give the others a file, as in --format ${printed[0]}=FILE`,
      {
        usage: true,
      },
    );
  return [...wanted.filter(({ file }) => file !== undefined), { format: printed[0] ?? "text", file: undefined }];
}

/** What checking uses for pipelines. */
interface CheckContext {
  fingerprints: typeof fingerprints | undefined;
  /** Reports files that cannot be used. */
  report: ((problem: string) => void) | undefined;
}

function checkAll(
  files: readonly string[],
  { checked, sources, baseline, settings }: Outcome,
  { fingerprints, report }: CheckContext,
): void {
  const unusable = (file: string, problem: string) => {
    checked.push({ name: file, file, id: undefined, machine: undefined, problem, findings: [] });
    report?.(problem);
  };
  const check = (spec: string) => {
    const source = new Source(spec);
    const diagnostics = source.diagnostics(typeOf(settings));
    const { name, file, id, machine, text } = source;
    const prints = fingerprints?.({ folder: baseline?.folder ?? process.cwd(), file, id }, text, diagnostics) ?? [];
    const findings = diagnostics.map((diagnostic, i) => ({ diagnostic, fingerprint: prints[i] ?? "", known: undefined }));
    const one: Checked = { name, file, id, machine, problem: undefined, findings };
    checked.push(one);
    sources.set(one, source);
  };
  // A file that cannot be used does not stop the check of the others.
  const each = (specs: readonly string[], act: (spec: string) => void) => {
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
}

function typeOf({ type }: Settings): SourceOptions {
  return type === undefined ? {} : { type };
}

function below(folder: string, unusable: (file: string, message: string) => void): string[] {
  const problems: { file: string; message: string }[] = [];
  const found = definitionsBelow(folder, problems);
  for (const { file, message } of problems) unusable(file, message);
  if (found.length === 0 && problems.length === 0)
    throw new Unusable(`there are no definitions (*.asl.json, *.asl.yaml, *.asl.yml, templates) in ${folder}`);
  return found;
}

/** Returns the report in one format. `stream` is where it is printed, if it is. */
async function describe(format: RequestedFormat["format"], outcome: Outcome, stream: NodeJS.WriteStream | undefined): Promise<string> {
  if (format === "json") return `${JSON.stringify(reports(outcome), null, 2)}\n`;
  if (format === "text") return textOf(outcome, stream ?? PLAIN);
  const { FORMATTERS } = await import("./validate-formats.ts");
  const text = FORMATTERS[format](outcome.checked, { strict: outcome.settings.strict });
  // The log of a build also gets the totals.
  return format === "github" && stream !== undefined ? `${text}${summary(outcome, PLAIN)}\n` : text;
}

/** An output without colours, for files. */
const PLAIN: Output = { write: () => {} };

/** The report of `--json` on a file: its problems, or why it cannot be used. */
interface Report {
  file: string;
  machine?: string;
  problem?: { kind: "unusable"; message: string };
  diagnostics: Diagnostic[];
  known?: Diagnostic[];
  fixed?: Accepted[];
}

function reports({ checked, baseline, fixed }: Outcome): Report[] {
  const of = (one: Checked, known: boolean) =>
    one.findings.filter((finding) => (finding.known ?? false) === known).map(({ diagnostic }) => diagnostic);
  const mine = (one: Checked) => fixed.filter((accepted) => baseline?.isOf(accepted, one));
  const list = checked.map((one): Report => ({
    file: one.name,
    ...(one.machine !== undefined && { machine: one.machine }),
    ...(one.problem !== undefined && { problem: { kind: "unusable", message: one.problem } }),
    diagnostics: of(one, false),
    ...(baseline !== undefined && { known: of(one, true), fixed: mine(one) }),
  }));
  const rest = fixed.filter((accepted) => !checked.some((one) => baseline?.isOf(accepted, one)));
  // Files that were deleted.
  for (const file of new Set(rest.map((accepted) => accepted.file)))
    list.push({ file, diagnostics: [], known: [], fixed: rest.filter((accepted) => accepted.file === file) });
  return list;
}

function textOf(outcome: Outcome, stream: Output): string {
  const { checked, sources, fixed, settings } = outcome;
  const problems = checked.map((one) => {
    const source = sources.get(one);
    if (source === undefined || one.findings.every(({ known }) => known)) return "";
    return withoutKnown(source.render(typeOf(settings), colorful(stream)), one.findings);
  });
  const { green } = colors(stream);
  const gone = fixed.map(({ file, id, code, pointer, message }) => {
    return `${green("fixed")}[${code}]: ${message}\n --> ${file}${id === undefined ? "" : `#${id}`} ${pointer}\n\n`;
  });
  return `${[...problems, ...gone].join("")}${summary(outcome, stream)}\n`;
}

/**
 * Removes the problems that a baseline contains. A problem is printed as a paragraph that begins with its severity, code and
 * message.
 */
function withoutKnown(rendered: string, findings: readonly Finding[]): string {
  const known = findings.filter((finding) => finding.known).map(({ diagnostic }) => diagnostic);
  if (known.length === 0) return rendered;
  return rendered
    .split(/^(?=(?:\x1b\[[\d;]*m)*(?:error|warning)(?:\x1b\[[\d;]*m)*\[)/m)
    .filter((paragraph) => {
      const plain = stripVTControlCharacters(paragraph);
      const at = known.findIndex(({ severity, code, message, range }) => {
        const place = range === undefined ? "" : `:${range.start.line}:${range.start.column}\n`;
        return plain.startsWith(`${severity}[${code}]: ${message}\n`) && plain.includes(place);
      });
      if (at >= 0) known.splice(at, 1);
      return at < 0;
    })
    .join("");
}

/** The number of checked definitions, of their problems, and of files that cannot be used. */
interface Totals {
  checked: number;
  /** The number of problems that make the command fail. */
  errors: number;
  warnings: number;
  unusable: number;
  known: number;
}

function totalsOf({ checked, settings: { strict } }: Outcome): Totals {
  const findings = checked.flatMap((one) => one.findings);
  const failing = findings.filter((finding) => fails(finding, strict));
  const fresh = findings.filter(({ known }) => known !== true);
  const unusable = checked.filter(({ problem }) => problem !== undefined).length;
  return {
    checked: checked.length - unusable,
    errors: failing.length,
    warnings: fresh.filter(({ diagnostic }) => diagnostic.severity === "warning").length,
    unusable,
    known: findings.length - fresh.length,
  };
}

function summary(outcome: Outcome, stream: Output): string {
  const { checked, warnings, unusable, known } = totalsOf(outcome);
  const { green, red, yellow, dim } = colors(stream);
  const fresh = outcome.checked.flatMap((one) => one.findings).filter((finding) => finding.known !== true);
  const errors = fresh.length - warnings;
  const what = [
    errors > 0 && red(count(errors, "error")),
    warnings > 0 && yellow(count(warnings, "warning")),
    unusable > 0 && red(`${unusable} that cannot be used`),
  ].filter(Boolean);
  const { baseline, fixed } = outcome;
  const more = baseline && [known > 0 && `${known} known in ${baseline.file}`, fixed.length > 0 && `${fixed.length} fixed`].filter(Boolean);
  const notes = more && more.length > 0 ? dim(` (${more.join(", ")})`) : "";
  return `${count(checked, "definition")}: ${what.length > 0 ? what.join(", ") : green(known > 0 ? "no new problems" : "no problems")}${notes}`;
}
