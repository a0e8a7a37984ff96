// The files in which scripts/integrations.mjs writes AWS's services. js/core/integrations/tables/README.md describes them.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { root } from "../steps.mjs";

/** Writes `services`, of which each has `actions` with the parameters `{name, type, required}`. */
export function writeTables(services) {
  const write = (name, content) => writeFileSync(join(root, "js/core/integrations/tables", name), content);
  const packed = (value) => gzipSync(JSON.stringify(value), { level: 9 });
  const lines = services.map(({ name, prefix, folder, title }) =>
    JSON.stringify({ name, title, ...(prefix !== name && { prefix }), ...(folder !== name && { folder }) }),
  );
  write("services.json", `[\n${lines.join(",\n")}\n]\n`);
  write(
    "actions.json.gz",
    packed(services.map(({ actions }) => Object.fromEntries(actions.map((one) => [one.name, textOf(one.parameters, true)])))),
  );
  write("parameters.json.gz", packed(services.map(({ actions }) => actions.map((one) => textOf(one.parameters, false)))));
}

/** Returns the required parameters of an action, or the optional ones, as a text. Parameters are strings unless a type follows. */
function textOf(parameters, required) {
  return parameters
    .filter((one) => one.required === required)
    .map(({ name, type }) => (type === "string" ? name : `${name}:${type}`))
    .join(" ");
}
