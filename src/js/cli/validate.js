// stepglass validate

import { Source, Unusable } from "./source.js";
import { colorful, colors, count, writeJson } from "./terminal.js";

const help = `stepglass validate FILE… [options]

Reports all problems of definitions, with their positions in the file.

  stepglass validate order.asl.json
  stepglass validate machines/*.yaml --strict         warnings count as errors
  stepglass validate template.yaml                    every state machine of a template
  stepglass validate template.yaml#OrderMachine       one of them
  cat order.asl.json | stepglass validate -
  stepglass validate order.yaml --json                for programs

Templates: CloudFormation, SAM, the output of cdk synth, serverless.yml.

Options
      --strict        warnings count as errors
      --type TYPE     STANDARD or EXPRESS; default: the type in the template, or STANDARD
      --json          [{"file", "machine", "diagnostics": [{"code", "severity", "pointer", "message", "range", …}]}]

Exit code: 0 no errors; 1 errors; 2 wrong usage.
`;

export const command = {
  name: "validate",
  summary: "report the problems of definitions",
  help,
  options: { strict: { type: "boolean" }, type: { type: "string", values: ["STANDARD", "EXPRESS"] }, json: { type: "boolean" } },
  act: validate,
};

async function validate(files, { type, json, strict }) {
  if (files.length === 0) throw new Unusable("validate needs a file", { usage: true });
  const options = type ? { type } : {};
  const reports = [];
  let errors = 0;
  let warnings = 0;
  for (const source of files.flatMap((file) => Source.all(file))) {
    const diagnostics = source.diagnostics(options);
    errors += diagnostics.filter(({ severity }) => severity === "error").length;
    warnings += diagnostics.filter(({ severity }) => severity === "warning").length;
    reports.push({ file: source.name, machine: source.machine, diagnostics });
    if (!json && diagnostics.length > 0) process.stdout.write(source.render(options, colorful(process.stdout)));
  }
  if (json) writeJson(reports);
  else process.stdout.write(`${summary(reports.length, errors, warnings)}\n`);
  return errors > 0 || (strict && warnings > 0) ? 1 : 0;
}

function summary(files, errors, warnings) {
  const { green, red, yellow } = colors(process.stdout);
  const what = [errors && red(count(errors, "error")), warnings && yellow(count(warnings, "warning"))].filter(Boolean);
  return `${count(files, "definition")}: ${what.length > 0 ? what.join(", ") : green("no problems")}`;
}
