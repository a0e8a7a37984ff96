// Help that teaches by example.

import type { Command } from "./command.ts";

const EXAMPLES = `Run, check, test and draw Amazon States Language (AWS Step Functions) on this machine.

  stepglass init                                        create a first machine and its test
  stepglass run order.asl.json                          run a state machine with the input {}
  stepglass run order.yaml -i '{"id": 7}' -t tasks.mjs  with an input, and functions for its tasks
  stepglass validate *.asl.json template.yaml           report all mistakes at once
  stepglass graph order.asl.json -o order.svg           draw the machine
  stepglass serve --tasks tasks.mjs                     serve the AWS API to any client
  stepglass replay history.json order.asl.json          replay an execution from AWS
`;

const NOTES = `A definition is a JSON or YAML file, or part of a CloudFormation or SAM template (template.yaml#LogicalId), of cdk.out
(cdk.out#Orders), of Terraform (main.tf#orders, a plan as JSON) or of serverless.yml. - reads from standard input.
With --json, a command prints one JSON value and nothing else. If it could not do its work, that value is
{problem: {kind, message, file?, diagnostics?}}; kind is usage, unusable (a file), definition or internal.
Exit code: 0 success; 1 an execution or a test failed, or a definition has errors; 2 wrong usage, or a file that cannot
be used; 70 an internal error; 130 ended by Ctrl+C.
`;

/** The page that names all commands. */
export function overview(commands: Pick<Command, "name" | "summary">[]): string {
  const lines = [...commands, { name: "help COMMAND", summary: "explain a command" }];
  const width = Math.max(...lines.map(({ name }) => name.length)) + 2;
  return `${EXAMPLES}\nCommands\n${lines.map(({ name, summary }) => `  ${name.padEnd(width)}${summary}\n`).join("")}\n${NOTES}`;
}
