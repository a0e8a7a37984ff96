// Prints the findings of `stepglass validate` in the formats that build servers and editors read.

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Diagnostic, Range } from "../core/api/index.d.ts";
import { version } from "../core/definition/definition.ts";
import { pathFrom } from "./baseline.ts";
import { fails, sentence, type Checked, type Finding } from "./findings.ts";
import rules from "./rules.json";
import { xml } from "./xml.ts";

/** What a format needs in addition to the findings. */
interface FormatSettings {
  /** Whether warnings count as errors. */
  strict: boolean;
}

export const FORMATTERS: Record<
  "sarif" | "junit" | "github" | "gitlab",
  (checked: readonly Checked[], settings: FormatSettings) => string
> = {
  sarif,
  junit,
  github,
  gitlab,
};

/** The title and a paragraph for each code, as in docs/errors.md, and for the codes that only this command reports. */
const RULES: Record<string, readonly string[] | undefined> = {
  ...rules,
  "invalid-yaml": ["The text is not YAML", "The file does not parse as YAML. Nothing else is checked until it parses."],
  "invalid-hcl": ["The text is not Terraform's language", "The error is outside of the state machines in the file."],
  "not-read": [
    "A part of a template is not read",
    "It may have state machines: a nested stack whose template is no file, what a macro makes, a module. Nothing there is checked.",
  ],
  placeholder: ["A placeholder without a value", "A template or `--define NAME=VALUE` gives placeholders `${NAME}` their values."],
};

/** Returns the path relative to the working directory. */
function pathOf({ file, name }: Checked): string {
  return file === "-" ? name : pathFrom(process.cwd(), file);
}

// ---------------------------------------------------------------- SARIF

/** Prints the Static Analysis Results Interchange Format, version 2.1.0. */
function sarif(checked: readonly Checked[]): string {
  const codes = [...new Set(checked.flatMap(({ findings }) => findings.map(({ diagnostic }) => diagnostic.code)))].sort();
  const results = checked.flatMap((one) => one.findings.map((finding) => sarifResult(one, finding, codes)));
  const unusable = checked.filter(({ problem }) => problem !== undefined);
  const notifications = unusable.map((one) => ({
    level: "error",
    message: { text: one.problem },
    locations: [{ physicalLocation: { artifactLocation: artifact(one) } }],
  }));
  const run = {
    tool: { driver: { name: "Stepglass", semanticVersion: version(), rules: codes.map(sarifRule) } },
    columnKind: "utf16CodeUnits",
    originalUriBaseIds: { SRCROOT: { description: { text: "The working directory of the command." } } },
    invocations: [
      { executionSuccessful: unusable.length === 0, ...(notifications.length > 0 && { toolExecutionNotifications: notifications }) },
    ],
    results,
  };
  return `${JSON.stringify({ $schema: "https://json.schemastore.org/sarif-2.1.0.json", version: "2.1.0", runs: [run] }, null, 2)}\n`;
}

function sarifRule(code: string): object {
  const [title, about] = RULES[code] ?? [];
  return {
    id: code,
    ...(title !== undefined && { shortDescription: { text: title } }),
    ...(about !== undefined && { fullDescription: { text: about }, help: { text: about, markdown: about } }),
  };
}

function sarifResult(one: Checked, { diagnostic, fingerprint, known }: Finding, codes: readonly string[]): object {
  const { code, severity, pointer, labels } = diagnostic;
  const related = labels.filter((label) => label.range !== undefined);
  return {
    ruleId: code,
    ruleIndex: codes.indexOf(code),
    level: severity,
    message: { text: sentence(diagnostic) },
    locations: [
      {
        physicalLocation: { artifactLocation: artifact(one), region: region(diagnostic.range) },
        logicalLocations: [{ fullyQualifiedName: `${one.id ?? ""}${pointer}`, kind: "member" }],
      },
    ],
    ...(related.length > 0 && {
      relatedLocations: related.map((label, id) => ({
        id,
        message: { text: label.message },
        physicalLocation: { artifactLocation: artifact(one), region: region(label.range) },
      })),
    }),
    partialFingerprints: { "stepglass/v1": fingerprint },
    ...(known !== undefined && { baselineState: known ? "unchanged" : "new" }),
    ...(known === true && { suppressions: [{ kind: "external", justification: "The baseline has it." }] }),
  };
}

function artifact(one: Checked): object {
  const path = pathOf(one);
  if (one.file === "-") return { uri: "stdin" };
  const outside = path.startsWith("../") || resolve(path) === path;
  return outside ? { uri: pathToFileURL(one.file).href } : { uri: path.split("/").map(encodeURIComponent).join("/"), uriBaseId: "SRCROOT" };
}

function region(range: Range | undefined): object {
  if (range === undefined) return { startLine: 1 };
  const { start, end } = range;
  return { startLine: start.line, startColumn: start.column, endLine: end.line, endColumn: end.column };
}

// ---------------------------------------------------------------- JUnit

/** Prints the XML of JUnit: a suite for each definition, and a failed case for each problem. */
function junit(checked: readonly Checked[], { strict }: FormatSettings): string {
  const sum = (of: (one: Checked) => number) => checked.reduce((total, one) => total + of(one), 0);
  const counts = `tests="${sum(casesOf)}" failures="${sum((one) => failuresOf(one, strict))}" errors="${sum(errorsOf)}" skipped="${sum(skippedOf)}"`;
  const suites = checked.map((one) => junitSuite(one, strict)).join("\n");
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="stepglass validate" ${counts} time="0">\n${suites}\n</testsuites>\n`;
}

const casesOf = ({ findings }: Checked) => Math.max(1, findings.length);
const failuresOf = ({ findings }: Checked, strict: boolean) => findings.filter((finding) => fails(finding, strict)).length;
const errorsOf = ({ problem }: Checked) => (problem === undefined ? 0 : 1);
const skippedOf = ({ findings }: Checked) => findings.filter(({ known }) => known === true).length;

function junitSuite(one: Checked, strict: boolean): string {
  const name = one.id === undefined ? one.name : `${one.name}#${one.id}`;
  const attributes = `classname="${xml(name)}" file="${xml(pathOf(one))}" time="0"`;
  const cases = one.findings.map((finding) => {
    const { diagnostic, known } = finding;
    const range = diagnostic.range;
    const at = range === undefined ? "" : ` line="${range.start.line}"`;
    const open = `    <testcase name="${xml(`${diagnostic.code} ${diagnostic.pointer}`)}" ${attributes}${at}>`;
    const text = messageWith(one, diagnostic);
    if (known === true) return `${open}<skipped message="known: the baseline has it"/></testcase>`;
    if (!fails(finding, strict)) return `${open}<system-out>${xml(text)}</system-out></testcase>`;
    return `${open}<failure type="${xml(diagnostic.code)}" message="${xml(diagnostic.message)}">${xml(text)}</failure></testcase>`;
  });
  if (one.problem !== undefined)
    cases.push(`    <testcase name="can be read" ${attributes}><error type="unusable" message="${xml(one.problem)}"/></testcase>`);
  else if (cases.length === 0) cases.push(`    <testcase name="no problems" ${attributes}/>`);
  const counts = `tests="${cases.length}" failures="${failuresOf(one, strict)}" errors="${errorsOf(one)}" skipped="${skippedOf(one)}" time="0"`;
  return `  <testsuite name="${xml(name)}" ${counts}>\n${cases.join("\n")}\n  </testsuite>`;
}

function messageWith(one: Checked, diagnostic: Diagnostic): string {
  const range = diagnostic.range;
  const place = range === undefined ? one.name : `${one.name}:${range.start.line}:${range.start.column}`;
  return `${place}\n${diagnostic.severity}[${diagnostic.code}] ${diagnostic.pointer}\n${sentence(diagnostic)}`;
}

// ---------------------------------------------------------------- GitHub Actions

/** Prints workflow commands of GitHub Actions, which become annotations of the changed files. */
function github(checked: readonly Checked[]): string {
  return checked
    .flatMap((one) => {
      const file = workspacePath(one);
      if (one.problem !== undefined) return [annotation("error", { file, title: "cannot be used" }, one.problem)];
      return one.findings
        .filter(({ known }) => known !== true)
        .map(({ diagnostic }) => {
          const { severity, code, pointer } = diagnostic;
          return annotation(severity, { file, ...lines(diagnostic.range), title: `${code} ${pointer}` }, sentence(diagnostic));
        });
    })
    .join("");
}

/** Returns the path relative to the repository. Annotations need that, wherever the command runs. */
function workspacePath(one: Checked): string {
  const top = process.env.GITHUB_WORKSPACE;
  if (one.file === "-" || !top || !existsSync(top)) return pathOf(one);
  return pathFrom(top, one.file);
}

function lines(range: Range | undefined): Record<string, number> {
  if (range === undefined) return { line: 1 };
  const { start, end } = range;
  const line = { line: start.line, endLine: end.line };
  // Columns are allowed only if the range is within one line.
  return start.line === end.line ? { ...line, col: start.column, endColumn: end.column } : line;
}

function annotation(level: string, properties: Record<string, string | number>, message: string): string {
  const escaped = (text: string) => text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
  const inside = (text: string) => escaped(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
  const list = Object.entries(properties).map(([name, value]) => `${name}=${inside(String(value))}`);
  return `::${level} ${list.join(",")}::${escaped(message)}\n`;
}

// ---------------------------------------------------------------- GitLab

/** Prints a report of GitLab's Code Quality. */
function gitlab(checked: readonly Checked[], { strict }: FormatSettings): string {
  const problems = checked.flatMap((one) => {
    const path = pathOf(one);
    const entry = (description: string, check_name: string, fingerprint: string, severity: string, begin: number) => ({
      description,
      check_name,
      fingerprint,
      severity,
      location: { path, lines: { begin } },
    });
    if (one.problem !== undefined) return [entry(one.problem, "unusable", `unusable ${path}`, "blocker", 1)];
    return one.findings
      .filter(({ known }) => known !== true)
      .map((finding) => {
        const { diagnostic, fingerprint } = finding;
        const line = diagnostic.range?.start.line ?? 1;
        return entry(sentence(diagnostic), diagnostic.code, fingerprint, fails(finding, strict) ? "major" : "minor", line);
      });
  });
  return `${JSON.stringify(problems, null, 2)}\n`;
}
