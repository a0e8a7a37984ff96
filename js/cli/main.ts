// @ts-nocheck: has no types yet.
// From the arguments to one of the commands.

import { parseArgs } from "node:util";
import { version } from "../entries/node.ts";
import { overview } from "./help.ts";
import { takeDefined } from "../files/placeholders.ts";
import { Unusable, tell } from "../files/problem.ts";

export { placed, say } from "../files/problem.ts";

// Loaded when they are asked for: a command starts in the time that it needs itself.
const commands = {
  run: () => import("./run.ts"),
  validate: () => import("./validate.ts"),
  graph: () => import("./graph.ts"),
  serve: () => import("./serve.ts"),
  replay: () => import("./replay.ts"),
  diff: () => import("./diff.ts"),
  test: () => import("./test.ts"),
  coverage: () => import("./coverage.ts"),
  types: () => import("./types.ts"),
  convert: () => import("./convert.ts"),
  init: () => import("./init.ts"),
  completion: () => import("./completion.ts"),
};

const everywhere = { help: { type: "boolean", short: "h" } };

/**
 * Runs the command; returns the exit code: 0, 1 where an execution, a test or a definition has failed, 2 for wrong usage and
 * files that cannot be used, 70 for a mistake of this package.
 */
export async function main(args) {
  const end = args.indexOf("--");
  const json = args.slice(0, end < 0 ? undefined : end).includes("--json");
  const topic = Object.hasOwn(commands, args[0] ?? "") ? args[0] : undefined;
  try {
    return await perform(args);
  } catch (error) {
    return tell(error, { name: topic, json });
  }
}

async function perform(args) {
  const [name, ...rest] = args;
  if (name === undefined || name === "help" || name === "--help" || name === "-h") {
    const topic = name === "help" ? rest[0] : undefined;
    if (topic !== undefined && !Object.hasOwn(commands, topic)) throw wrong(`there is no command ${JSON.stringify(topic)}${meant(topic, Object.keys(commands))}`);
    const text = topic === undefined ? overview(await commandList()) : (await load(topic)).help;
    (name === undefined ? process.stderr : process.stdout).write(text);
    return name === undefined ? 2 : 0;
  }
  if (name === "--version" || name === "-V") {
    process.stdout.write(`stepglass ${version()}\n`);
    return 0;
  }
  if (!Object.hasOwn(commands, name)) throw wrong(`there is no command ${JSON.stringify(name)}${meant(name, Object.keys(commands))}`);
  const command = await load(name);
  const options = { ...everywhere, ...command.options };
  // A command may take arguments that the parser does not know.
  const { args: own, ...prepared } = command.prepare?.(rest) ?? { args: rest };
  // A machine of a template on standard input, `-#Id`, looks like an option to the parser.
  const marked = own.map((arg) => (arg.startsWith("-#") ? `\0${arg}` : arg));
  let parsed;
  try {
    parsed = parseArgs({ args: marked, options: Object.fromEntries(Object.entries(options).map(([key, { values, file, ...option }]) => [key, option])), allowPositionals: true });
  } catch (error) {
    const unknown = error.code === "ERR_PARSE_ARGS_UNKNOWN_OPTION" ? /'(--?[^']+)'/.exec(error.message)?.[1] : undefined;
    const known = Object.keys(options).map((option) => `--${option}`);
    // Node's own advice speaks of files that begin with a dash.
    throw wrong(`${error.message.split(". ")[0]}${unknown === undefined ? "" : meant(unknown, known)}`);
  }
  if (parsed.values.help) {
    process.stdout.write(command.help);
    return 0;
  }
  for (const [option, { values }] of Object.entries(options)) {
    const given = parsed.values[option];
    if (values && given !== undefined && !values.includes(given)) throw wrong(`--${option} must be ${listed(values)}${meant(given, values)}`);
  }
  takeDefined(parsed.values.define);
  return command.act(parsed.positionals.map((arg) => arg.replace(/^\0/, "")), parsed.values, { commands: commandList, ...prepared });
}

async function load(name) {
  return (await commands[name]()).command;
}

/** All commands, in the order of the overview. */
export async function commandList() {
  return Promise.all(Object.keys(commands).map(load));
}

function wrong(message) {
  return new Unusable(message, { usage: true });
}

function listed(values) {
  return values.length < 2 ? values.join("") : `${values.slice(0, -1).join(", ")} or ${values.at(-1)}`;
}

/** `; did you mean …?` where a known word is near. */
export function meant(word, known) {
  let best;
  for (const candidate of known) {
    const distance = edits(word.toLowerCase(), candidate.toLowerCase());
    if (distance <= Math.min(2, Math.ceil(candidate.length / 3)) && (best === undefined || distance < best.distance)) best = { candidate, distance };
  }
  const longer = best === undefined && word.length > 2 ? known.filter((candidate) => candidate.startsWith(word)) : [];
  if (longer.length === 1) best = { candidate: longer[0] };
  return best === undefined ? "" : `; did you mean ${best.candidate}?`;
}

/** Insertions, deletions, substitutions and swaps of neighbours between two words. */
function edits(a, b) {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      row[j] = Math.min(rows[i - 1][j] + 1, row[j - 1] + 1, rows[i - 1][j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) row[j] = Math.min(row[j], rows[i - 2][j - 2] + 1);
    }
    rows.push(row);
  }
  return rows[a.length][b.length];
}
