// The command `stepglass policy` writes the minimal IAM policy that a definition needs.

import type { ExecutionPolicy, PolicyGap } from "../core/api/integrations.d.ts";
import { Unusable } from "../language/files/problem.ts";
import { write } from "../language/files/reading.ts";
import { Source, usable } from "../language/files/source.ts";
import { colors, count, writeJson } from "../language/files/terminal.ts";
import { policyOf } from "../language/policy/policy.ts";
import { fetchPolicy } from "./fetch/permissions.ts";
import { defineCommand, type Options, type Values } from "./command.ts";

const help = `stepglass policy FILE [options]
stepglass policy --for fetch [options]

Writes the minimal IAM policy that the role of a state machine needs for its definition, and lists on standard error what
the definition does not determine.

  stepglass policy order.asl.json --region eu-west-1 --account 123456789012 > policy.json
  stepglass policy template.yaml#OrderMachine --name Orders --logs
  stepglass policy order.yaml --define Table=orders   placeholders with values are exact
  stepglass policy order.yaml --strict                for pipelines: fails if something is not known
  stepglass policy order.yaml --json                  the policy and what is not known, for programs
  stepglass policy --for fetch --name Orders          what a user of stepglass fetch needs

Permissions follow the policies of the Step Functions Developer Guide, also for what .sync polls, stops and is notified
of, items and results of Distributed Maps, their child executions, credentials of HTTP endpoints and roles that are
passed on. In place of a computed name, the policy has *. KMS keys and resource policies are not considered.

Options
      --for COMMAND       instead of a FILE: the policy of the user who runs stepglass fetch
      --region REGION     the region of resources that are named without one; default: *
      --account NUMBER    the account of resources that are named without one; default: *
      --partition NAME    aws, aws-cn, aws-us-gov, aws-iso or aws-iso-b; default: that of the region
      --name NAME         the name of the state machine, for Distributed Maps and HTTP endpoints; default: *
      --logs              the machine writes logs to CloudWatch
      --tracing           the machine is traced by X-Ray
      --strict            exit code 1 if something is not known
      --define NAME=VALUE
                          the value of a placeholder \${NAME}; can be repeated
  -o, --output FILE       the file to write; default: standard output
      --json              {policy, unknown: [{state, pointer, reason, message, actions, granted}]}

Exit code: 0 success; 1 the definition has errors, or with --strict something is not known; 2 wrong usage.
`;

const options = {
  for: { type: "string", values: ["fetch"] },
  define: { type: "string", multiple: true },
  region: { type: "string" },
  account: { type: "string" },
  partition: { type: "string", values: ["aws", "aws-cn", "aws-us-gov", "aws-iso", "aws-iso-b"] },
  name: { type: "string" },
  logs: { type: "boolean" },
  tracing: { type: "boolean" },
  strict: { type: "boolean" },
  output: { type: "string", short: "o", file: true },
  json: { type: "boolean" },
} as const satisfies Options;

export const command = defineCommand({
  name: "policy",
  summary: "write the minimal IAM policy that a definition needs",
  help,
  options,
  run: policy,
});

function policy([file, ...others]: string[], { json, output, strict, ...values }: Values<typeof options>): number {
  if (values.for === undefined ? file === undefined || others.length > 0 : file !== undefined)
    throw new Unusable(values.for === undefined ? "policy needs one file" : "policy --for needs no file", { usage: true });
  if (values.account !== undefined && !/^\d{12}$/.test(values.account))
    throw new Unusable(`--account must be a number of 12 digits, not ${values.account}`, { usage: true });
  const { define: _, for: __, ...given } = values;
  const found: ExecutionPolicy =
    file === undefined
      ? { policy: fetchPolicy(given), unknown: [] }
      : policyOf(usable(new Source(file)).json, Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)));
  if (json && output === undefined) writeJson(found);
  else {
    const text = `${JSON.stringify(json ? found : found.policy, null, 2)}\n`;
    if (output === undefined) process.stdout.write(text);
    else write(output, text);
  }
  if (!json) process.stderr.write(describe(found));
  return strict && found.unknown.length > 0 ? 1 : 0;
}

/** Describes the permissions that could not be determined, state by state. */
function describe({ policy, unknown }: ExecutionPolicy): string {
  if (policy.Statement.length === 0 && unknown.length === 0) return "The definition calls nothing that needs a permission.\n";
  if (unknown.length === 0) return "";
  const { yellow } = colors(process.stderr);
  const lines = unknown.map((gap) => `  ${gap.state}: ${gap.message}${consequence(gap)}\n    at ${gap.pointer}`);
  const title = `${count(unknown.length, "place")} where the definition does not say enough:`;
  return `\n${yellow(title)}\n${lines.join("\n")}\n`;
}

function consequence({ actions, granted }: PolicyGap): string {
  if (actions.length === 0) return "";
  return granted.length === 0 ? ` (not allowed: ${actions.join(", ")})` : ` (${actions.join(", ")} on ${granted.join(", ")})`;
}
