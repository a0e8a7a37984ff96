// stepglass validate

import { Source, Unusable } from "./source.js";

export async function validate(files, { type, json, strict }) {
  if (files.length === 0) throw new Unusable("validate needs a file", { usage: true });
  const options = type ? { type } : {};
  const reports = [];
  let errors = 0;
  let warnings = 0;
  for (const file of files) {
    const source = new Source(file);
    const diagnostics = source.diagnostics(options);
    errors += diagnostics.filter(({ severity }) => severity === "error").length;
    warnings += diagnostics.filter(({ severity }) => severity === "warning").length;
    reports.push({ file: source.name, diagnostics });
    if (!json && diagnostics.length > 0) process.stdout.write(source.render(options, process.stdout.hasColors?.() ?? false));
  }
  if (json) process.stdout.write(`${JSON.stringify(reports, null, 2)}\n`);
  else process.stdout.write(`${summary(files.length, errors, warnings)}\n`);
  return errors > 0 || (strict && warnings > 0) ? 1 : 0;
}

function summary(files, errors, warnings) {
  const count = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;
  const what = [errors && count(errors, "error"), warnings && count(warnings, "warning")].filter(Boolean);
  return `${count(files, "definition")}: ${what.length > 0 ? what.join(", ") : "no problems"}`;
}
