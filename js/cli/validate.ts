// @ts-nocheck: has no types yet.
// stepglass validate

import { Unusable, say } from "../files/problem.ts";
import { Source, definitionsBelow, isFolder } from "../files/source.ts";
import { colorful, colors, count, writeJson } from "../files/terminal.ts";

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

export const command = {
  name: "validate",
  summary: "report the problems of definitions",
  help,
  options: { define: { type: "string", multiple: true }, strict: { type: "boolean" }, type: { type: "string", values: ["STANDARD", "EXPRESS"] }, json: { type: "boolean" } },
  act: validate,
};

async function validate(files, { type, json, strict }) {
  if (files.length === 0) throw new Unusable("validate needs a file", { usage: true });
  const options = type ? { type } : {};
  const reports = [];
  let errors = 0;
  let warnings = 0;
  let checked = 0;
  const unusable = ({ file, message }) => {
    reports.push({ file, problem: { kind: "unusable", message }, diagnostics: [] });
    if (!json) say(message);
  };
  const check = (spec) => {
    const source = new Source(spec);
    const diagnostics = source.diagnostics(options);
    checked += 1;
    errors += diagnostics.filter(({ severity }) => severity === "error").length;
    warnings += diagnostics.filter(({ severity }) => severity === "warning").length;
    reports.push({ file: source.name, machine: source.machine, diagnostics });
    if (!json && diagnostics.length > 0) process.stdout.write(source.render(options, colorful(process.stdout)));
  };
  // What cannot be used keeps nothing else from being looked at.
  const each = (specs, act) => {
    for (const spec of specs) {
      try {
        act(spec);
      } catch (error) {
        if (!(error instanceof Unusable)) throw error;
        unusable({ file: spec, message: error.message });
      }
    }
  };
  each(files, (given) => {
    const specs = isFolder(given) ? below(given, unusable) : [given];
    each(specs, (spec) => each(Source.specs(spec), check));
  });
  if (json) writeJson(reports);
  else process.stdout.write(`${summary(checked, errors, warnings, reports.length - checked)}\n`);
  if (reports.length > checked) return 2;
  return errors > 0 || (strict && warnings > 0) ? 1 : 0;
}

function below(folder, unusable) {
  const problems = [];
  const found = definitionsBelow(folder, problems);
  for (const problem of problems) unusable(problem);
  if (found.length === 0 && problems.length === 0) throw new Unusable(`there are no definitions (*.asl.json, *.asl.yaml, *.asl.yml, templates) in ${folder}`);
  return found;
}

function summary(files, errors, warnings, unusable) {
  const { green, red, yellow } = colors(process.stdout);
  const what = [errors && red(count(errors, "error")), warnings && yellow(count(warnings, "warning")), unusable && red(`${unusable} that cannot be used`)].filter(Boolean);
  return `${count(files, "definition")}: ${what.length > 0 ? what.join(", ") : green("no problems")}`;
}
