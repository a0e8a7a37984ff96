// Asks AWS about behaviours for which Stepglass has only the specification: tests/measured/unmeasured.json lists them.
//
//   npm run measure -- [WORD…]                        prints one command of the AWS CLI for each behaviour whose name has every WORD
//   npm run measure -- [WORD…] --run                  asks AWS with your own credentials and keeps the answers as cases
//     [--sdk]           through @aws-sdk/client-sfn, if it can be imported from the current folder, instead of the command `aws`
//     [--region NAME]   the region; by default that of your configuration
//     [--endpoint URL]  another server than AWS, to try this out
//     [--role ARN]      a role for TestState
//     [--out FILE]      the file of cases; by default tests/measured/own.json, and then what was measured leaves unmeasured.json
//
// The calls create nothing and start no execution: TestState runs one state whose tasks have mocks, and
// ValidateStateMachineDefinition only reads.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const LIST = join(root, "tests", "measured", "unmeasured.json");
const CASES = join(root, "tests", "measured", "own.json");
const text = { type: "string" };
const { values: options, positionals: words } = parseArgs({
  allowPositionals: true,
  options: { run: { type: "boolean" }, sdk: { type: "boolean" }, region: text, endpoint: text, role: text, out: text },
});

/** Thrown with the error of a service: `{ code, message }`. */
class Refusal extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

const listed = itemsOf(LIST);
const chosen = listed.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word.toLowerCase())));
if (chosen.length === 0) {
  console.error(`No behaviour in tests/measured/unmeasured.json has ${JSON.stringify(words.join(" "))} in its name.`);
  process.exit(2);
}
if (options.run) await measure();
else for (const behaviour of chosen) console.log(`# ${behaviour.name}: ${behaviour.question}\n${commandLine(requestOf(behaviour))}\n`);

/**
 * Returns the objects of a file that has one line for each member. `texts` are the values in their written form: `JSON.parse` would
 * make 1 of 1.0, and round numbers that a double cannot represent.
 */
function itemsOf(file) {
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  return [...text.matchAll(/^ {2}\{\n([^]*?)\n {2}\},?$/gm)].map(([, body]) => {
    const texts = Object.fromEntries([...body.matchAll(/^ {4}"(\w+)": (.*?),?$/gm)].map(([, name, value]) => [name, value]));
    return { ...JSON.parse(`{${body}}`), texts };
  });
}

/** Returns the operation and the members of its request, with JSON as text. */
function requestOf({ operation, definition, mock, texts }) {
  if (operation === "validate-state-machine-definition") return { operation, members: { definition: texts.definition } };
  // TestState takes one state, so the machine's query language is added to it.
  const state = definition.States[definition.StartAt];
  const language = definition.QueryLanguage && { QueryLanguage: definition.QueryLanguage };
  const members = { definition: JSON.stringify({ ...language, ...state }), input: texts.input ?? "{}" };
  if (mock) members.mock = mock;
  if (options.role) members.roleArn = options.role;
  return { operation, members };
}

/** Returns the arguments of the command `aws`. */
function argumentsOf({ operation, members }) {
  const dashed = (name) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  const named = Object.entries(members).flatMap(([name, value]) => [
    dashed(name),
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  const where = [
    ...(options.region ? ["--region", options.region] : []),
    ...(options.endpoint ? ["--endpoint-url", options.endpoint] : []),
  ];
  return ["stepfunctions", operation, ...named, ...where, "--output", "json"];
}

function commandLine(request) {
  const quoted = (argument) => (/^[\w:/.-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`);
  return ["aws", ...argumentsOf(request)].map(quoted).join(" ");
}

function throughCommand(request) {
  const { error, status, stdout, stderr } = spawnSync("aws", argumentsOf(request), { encoding: "utf8", maxBuffer: 1 << 26 });
  if (error) throw new Error("The command aws cannot be run: install the AWS CLI, or pass --sdk.", { cause: error });
  if (status === 0) return JSON.parse(stdout);
  const [, code, message] = /An error occurred \((\w+)\) when calling the \w+ operation: ([^]*)/.exec(stderr) ?? [];
  if (code === undefined) throw new Error(`aws failed: ${stderr.trim()}`);
  throw new Refusal(code, message.trim());
}

/** Returns a function that calls operations through the AWS SDK of the current folder. */
async function sdk() {
  let sfn;
  try {
    const path = createRequire(join(process.cwd(), "package.json")).resolve("@aws-sdk/client-sfn");
    sfn = await import(pathToFileURL(path).href);
  } catch (error) {
    throw new Error("--sdk needs @aws-sdk/client-sfn in the current folder: npm install @aws-sdk/client-sfn", { cause: error });
  }
  const client = new sfn.SFNClient({
    ...(options.region && { region: options.region }),
    ...(options.endpoint && { endpoint: options.endpoint, disableHostPrefix: true }),
  });
  const commands = { "test-state": sfn.TestStateCommand, "validate-state-machine-definition": sfn.ValidateStateMachineDefinitionCommand };
  return async ({ operation, members }) => {
    try {
      const { $metadata, ...answer } = await client.send(new commands[operation](members));
      return answer;
    } catch (error) {
      // An error without a response does not come from the service.
      if (error.$metadata?.httpStatusCode === undefined) throw error;
      throw new Refusal(error.name, error.message);
    }
  };
}

/** Measures all chosen behaviours and writes the answers. */
async function measure() {
  const ask = options.sdk ? await sdk() : throughCommand;
  const file = options.out ? resolve(options.out) : CASES;
  const cases = new Map(itemsOf(file).map(({ name, texts }) => [name, texts]));
  const measured = new Set();
  for (const behaviour of chosen) {
    const answer = await answerOf(behaviour, ask);
    if (answer === undefined) continue;
    cases.set(behaviour.name, caseOf(behaviour, answer));
    measured.add(behaviour.name);
    console.log(`${behaviour.name}: ${answer}`);
  }
  writeFileSync(file, fileOf([...cases.values()]));
  if (!options.out) writeFileSync(LIST, fileOf(listed.filter(({ name }) => !measured.has(name)).map(({ texts }) => texts)));
  console.log(`${measured.size} of ${chosen.length} measured; the cases are in ${file}`);
}

/** Returns AWS's answer as the text of the member `aws` of a case; `undefined` for an error that is unrelated to the behaviour. */
async function answerOf(behaviour, ask) {
  try {
    const answer = await ask(requestOf(behaviour));
    return behaviour.operation === "test-state" ? executed(behaviour, answer) : validated(answer);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // If a state is refused, its definition is refused too, and that answer has more details.
    if (error.code === "InvalidDefinition" && behaviour.operation === "test-state") {
      return validated(await ask(requestOf({ ...behaviour, operation: "validate-state-machine-definition" })));
    }
    console.error(`${behaviour.name}: ${error.code}: ${error.message}`);
    return undefined;
  }
}

function validated({ result, diagnostics }) {
  const members = ({ severity, code, message, location }) => ({ severity, code, message, location: location ?? null });
  return JSON.stringify({ result, diagnostics: diagnostics.map(members) });
}

function executed({ definition }, { status, output, error, cause, nextState }) {
  if (status === "FAILED") {
    // The cause of an execution begins with the failed state; that of TestState does not.
    return JSON.stringify({ status, error: error ?? null, cause: cause === undefined ? null : `…${cause}` });
  }
  // The output shows which rule of a Choice matched, because the next states have different outputs.
  const next = nextState === undefined ? undefined : definition.States[nextState];
  if (status !== "SUCCEEDED" || (next && next.Result === undefined)) throw new Error(`TestState answered ${status}, ${nextState}`);
  return `{"status":"SUCCEEDED","output":${next ? JSON.stringify(next.Result) : output}}`;
}

/** Returns the members of a case in the form of tests/measured/README.md, as texts. */
function caseOf({ name, definition, mock, texts }, aws) {
  const region = options.region ?? process.env.AWS_REGION ?? process.env.AWS_DEFAULT_REGION ?? "the configured region";
  const source = `scripts/measure.mjs in ${options.endpoint ?? region} on ${new Date().toISOString().slice(0, 10)}`;
  const task = mock && `{${JSON.stringify(definition.StartAt)}: [{"output": ${mock.result}}]}`;
  return {
    name: JSON.stringify(name),
    source: JSON.stringify(source),
    certainty: '"M"',
    definition: texts.definition,
    ...(texts.input && { input: texts.input }),
    ...(task && { tasks: task }),
    aws,
  };
}

/** Formats one line for each member, as in the files of tests/measured. */
function fileOf(items) {
  const lines = (texts) => Object.entries(texts).map(([name, value]) => `    ${JSON.stringify(name)}: ${value}`);
  const objects = items.map((texts) => `  {\n${lines(texts).join(",\n")}\n  }`);
  return objects.length === 0 ? "[]\n" : `[\n${objects.join(",\n")}\n]\n`;
}
