// Help that teaches by example.

const OVERVIEW = `Run, check and draw Amazon States Language (AWS Step Functions) on this machine.

  stepglass run order.asl.json                        runs a state machine with the input {}
  stepglass run order.yaml -i '{"id": 7}' -t tasks.mjs  with an input, and functions for its tasks
  stepglass validate *.asl.json                       finds every mistake at once
  stepglass graph order.asl.json -o order.svg         draws it

Commands
  run FILE        runs a definition and prints its output
  validate FILE…  prints the problems of definitions
  graph FILE      draws a definition as SVG
  help COMMAND    says more

Definitions are JSON or YAML; a - reads from standard input.
Exit code: 0 success, 1 the execution failed or a definition has errors, 2 wrong usage.
`;

const TOPICS = {
  run: `stepglass run FILE [options]

Runs a definition and prints its output as JSON. Exit code 0 if it succeeds, 1 if it fails.

  stepglass run hello.asl.json
  stepglass run order.yaml --input '{"id": 7}'
  stepglass run order.yaml --input @order.json        the input from a file, or @- from standard input
  stepglass run order.yaml --tasks tasks.mjs          functions do the work of the Task states
  stepglass run slow.yaml --virtual-clock             waits and retries take no time
  stepglass run order.yaml --events                   tells every event as it happens
  stepglass run order.yaml --json | jq .history       everything as one JSON object

tasks.mjs exports functions named after Lambda functions, activities or states:

  export const ChargeCard = async ({ amount }) => ({ charged: amount });
  export default { "sqs:sendMessage": () => ({ MessageId: "1" }), "*": (input) => input };

Options
  -i, --input JSON    the input, default {}; @FILE reads it from a file
  -t, --tasks MODULE  an ES module (or CommonJS module) with task handlers
  -e, --events        every event of the history, on standard error
      --virtual-clock jump over waits, back-offs and timeouts
      --seed NUMBER   makes UUIDs, random numbers and jitter repeatable
      --name NAME     name of the execution
      --type TYPE     STANDARD (default) or EXPRESS
      --json          status, output or error, and history as one JSON object
`,
  validate: `stepglass validate FILE… [options]

Prints all problems of definitions, with the place in the file. Exit code 1 if there is an error.

  stepglass validate order.asl.json
  stepglass validate machines/*.yaml --strict         warnings count as errors
  cat order.asl.json | stepglass validate -
  stepglass validate order.yaml --json                for programs

Options
      --strict        warnings count as errors
      --type TYPE     STANDARD (default) or EXPRESS
      --json          [{"file", "diagnostics": [{"code", "severity", "pointer", "message", "range", …}]}]
`,
  graph: `stepglass graph FILE [options]

Draws a definition as an SVG document; also one with errors.

  stepglass graph order.asl.json -o order.svg
  stepglass graph order.yaml --direction LR --theme dark > order.svg
  stepglass graph order.yaml --json                   places and sizes instead of a drawing

Options
  -o, --output FILE   where to write it; default: standard output
      --direction D   TB, top to bottom (default), or LR, left to right
      --theme THEME   light, dark or auto (default): as the viewer prefers
      --title TEXT    what a screen reader says; default: the machine's Comment
      --json          the layout as JSON
`,
};

/** The help of a command, or the overview. */
export function help(command) {
  return command === undefined ? OVERVIEW : TOPICS[command];
}
