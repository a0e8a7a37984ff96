// From the arguments to one of the subcommands.

import { parseArgs } from "node:util";
import { version } from "../node.js";
import { help } from "./help.js";
import { graph } from "./graph.js";
import { run } from "./run.js";
import { Unusable } from "./source.js";
import { validate } from "./validate.js";

const shared = { help: { type: "boolean", short: "h" }, type: { type: "string" }, json: { type: "boolean" } };
const commands = {
  run: {
    act: run,
    options: {
      ...shared,
      input: { type: "string", short: "i" },
      tasks: { type: "string", short: "t" },
      events: { type: "boolean", short: "e" },
      "virtual-clock": { type: "boolean" },
      seed: { type: "string" },
      name: { type: "string" },
    },
  },
  validate: { act: validate, options: { ...shared, strict: { type: "boolean" } } },
  graph: {
    act: graph,
    options: {
      ...shared,
      output: { type: "string", short: "o" },
      direction: { type: "string" },
      theme: { type: "string" },
      title: { type: "string" },
    },
  },
};

/** Runs the command; returns the exit code: 0, 1 where an execution or a definition has failed, 2 for wrong usage. */
export async function main(args) {
  const [name, ...rest] = args;
  if (name === undefined || name === "help" || name === "--help" || name === "-h") {
    const topic = name === "help" ? rest[0] : undefined;
    if (topic !== undefined && !Object.hasOwn(commands, topic)) return wrong(`there is no command ${topic}`);
    (name === undefined ? process.stderr : process.stdout).write(help(topic));
    return name === undefined ? 2 : 0;
  }
  if (name === "--version" || name === "-V") {
    process.stdout.write(`stepglass ${version()}\n`);
    return 0;
  }
  if (!Object.hasOwn(commands, name)) return wrong(`there is no command ${JSON.stringify(name)}`);
  const { act, options } = commands[name];
  let parsed;
  try {
    parsed = parseArgs({ args: rest, options, allowPositionals: true });
  } catch (error) {
    // Node's own advice speaks of files that begin with a dash.
    return wrong(error.message.split(". ")[0], name);
  }
  if (parsed.values.help) {
    process.stdout.write(help(name));
    return 0;
  }
  const { type } = parsed.values;
  if (type !== undefined && type !== "STANDARD" && type !== "EXPRESS") return wrong("--type is STANDARD or EXPRESS", name);
  try {
    return await act(parsed.positionals, parsed.values);
  } catch (error) {
    if (error instanceof Unusable) return wrong(error.message, error.usage ? name : undefined);
    throw error;
  }
}

function wrong(message, name) {
  process.stderr.write(`stepglass: ${message}\n`);
  process.stderr.write(`Try: stepglass help${name ? ` ${name}` : ""}\n`);
  return 2;
}
