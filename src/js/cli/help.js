// Help that teaches by example.

const EXAMPLES = `Run, check, test and draw Amazon States Language (AWS Step Functions) on this machine.

  stepglass init                                        writes a first machine with a test
  stepglass run order.asl.json                          runs a state machine with the input {}
  stepglass run order.yaml -i '{"id": 7}' -t tasks.mjs  with an input, and functions for its tasks
  stepglass validate *.asl.json template.yaml           finds every mistake at once
  stepglass graph order.asl.json -o order.svg           draws it
  stepglass serve --tasks tasks.mjs                     speaks the AWS API to any client
  stepglass replay history.json order.asl.json          runs an execution of AWS again
`;

const NOTES = `Definitions are JSON or YAML, or stand in a CloudFormation, SAM or CDK template or in serverless.yml
(template.yaml#LogicalId); a - reads from standard input.
Exit code: 0 success, 1 an execution or a test failed or a definition has errors, 2 wrong usage.
`;

/** The page that names all commands. */
export function overview(commands) {
  const width = Math.max(...commands.map(({ name }) => name.length), "help COMMAND".length) + 2;
  const lines = [...commands.map(({ name, summary }) => [name, summary]), ["help COMMAND", "says more"]];
  return `${EXAMPLES}\nCommands\n${lines.map(([name, summary]) => `  ${name.padEnd(width)}${summary}\n`).join("")}\n${NOTES}`;
}
