// Writes the tables of AWS's services, their actions and parameters, from a folder of AWS's models as botocore has them:
//
//   node scripts/integrations.mjs [--models DIR]
//
// DIR is botocore's `data` folder; by default that of the Python clients of the tests. Its result is committed: run it for a new
// version of pkg-tests/server/requirements.txt.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { importSource } from "./sources.mjs";
import { pythonClients } from "./clients.mjs";
import { writeTables } from "./integrations/tables.mjs";
import { output } from "./steps.mjs";

const { memberName, serviceName } = await importSource("js/core/integrations/names.ts");

const TYPES = {
  string: "string",
  integer: "number",
  long: "number",
  float: "number",
  double: "number",
  bigdecimal: "number",
  biginteger: "number",
  boolean: "boolean",
  list: "array",
  map: "object",
  structure: "object",
  timestamp: "timestamp",
  blob: "blob",
};

const data = folderOfModels();
const version = versionOf(data);
const services = new Map();
for (const folder of readdirSync(data, { withFileTypes: true })) {
  const model = folder.isDirectory() ? modelIn(join(data, folder.name)) : undefined;
  if (model === undefined) continue;
  const service = described(model, folder.name);
  services.set(service.name, service);
}
// The older name of EventBridge is a separate client of the same API.
services.set("cloudwatchevents", { ...services.get("eventbridge"), name: "cloudwatchevents", title: "CloudWatch Events" });
const sorted = [...services.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
writeTables(sorted);
const count = sorted.reduce((sum, { actions }) => sum + actions.length, 0);
console.log(`integrations: ${sorted.length} services, ${count} actions, from botocore ${version}: write the version into tables/README.md`);

function folderOfModels() {
  const at = process.argv.indexOf("--models");
  if (at >= 0) return process.argv[at + 1];
  const { bin, reason } = pythonClients({ install: false });
  const found =
    bin && output(join(bin, "python"), ["-c", "import botocore, os; print(os.path.join(os.path.dirname(botocore.__file__), 'data'))"]);
  if (found) return found;
  console.error(`integrations: there are no models (${reason ?? "botocore is not there"}); name a folder with --models`);
  process.exit(1);
}

/** Returns the newest model of a service. */
function modelIn(folder) {
  for (const version of readdirSync(folder).sort().reverse()) {
    const file = readdirSync(join(folder, version)).find((name) => /^service-2\.json(\.gz)?$/.test(name));
    if (file === undefined) continue;
    const bytes = readFileSync(join(folder, version, file));
    return JSON.parse(file.endsWith(".gz") ? gunzipSync(bytes) : bytes);
  }
  return undefined;
}

function described({ metadata, operations, shapes }, folder) {
  const streams = (shape) =>
    shape !== undefined && Object.values(shapes[shape.shape].members ?? {}).some((member) => shapes[member.shape].eventstream === true);
  const actions = Object.entries(operations)
    // Step Functions does not support event streams.
    .filter(([, { input, output }]) => !streams(input) && !streams(output))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { input }]) => {
      const shape = input === undefined ? {} : shapes[input.shape];
      const required = new Set(shape.required);
      const parameters = Object.entries(shape.members ?? {}).map(([member, { shape: type, idempotencyToken }]) => ({
        name: memberName(member),
        type: TYPES[shapes[type].type] ?? "object",
        // The SDK generates a token itself.
        required: required.has(member) && !idempotencyToken,
      }));
      return { name, parameters };
    });
  const title = metadata.serviceId;
  const name = serviceName(title);
  return {
    name,
    title,
    folder: folder.replaceAll("-", ""),
    prefix: metadata.signingName ?? metadata.endpointPrefix,
    actions,
  };
}

function versionOf(folder) {
  return /__version__ = '([^']+)'/.exec(readFileSync(join(folder, "..", "__init__.py"), "utf8"))?.[1] ?? "of an unknown version";
}
