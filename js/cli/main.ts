// Parses the arguments and runs the command.

import { parseArgs } from "node:util";
import { version } from "../core/definition/definition.ts";
import { takeDefined } from "../language/files/placeholders.ts";
import { Unusable, printError } from "../language/files/problem.ts";
import type { Command, Context, Option, Options, Values } from "./command.ts";
import { overview } from "./help.ts";
import { didYouMean } from "./did-you-mean.ts";

/** Each command is loaded on demand, so that it starts without the code of the others. */
const commands = new Map<string, () => Promise<{ command: Command }>>([
  ["run", () => import("./run.ts")],
  ["validate", () => import("./validate.ts")],
  ["asl-validator", () => import("./asl-validator.ts")],
  ["graph", () => import("./graph.ts")],
  ["serve", () => import("./serve.ts")],
  ["executions", () => import("./executions.ts")],
  ["console", () => import("./console.ts")],
  ["fetch", () => import("./fetch.ts")],
  ["open", () => import("./open.ts")],
  ["replay", () => import("./replay.ts")],
  ["cost", () => import("./cost.ts")],
  ["profile", () => import("./profile.ts")],
  ["diff", () => import("./diff.ts")],
  ["test", () => import("./test.ts")],
  ["coverage", () => import("./coverage.ts")],
  ["types", () => import("./types.ts")],
  ["policy", () => import("./policy.ts")],
  ["convert", () => import("./convert.ts")],
  ["lsp", () => import("./lsp.ts")],
  ["dap", () => import("./dap.ts")],
  ["mcp", () => import("./mcp.ts")],
  ["init", () => import("./init.ts")],
  ["completion", () => import("./completion.ts")],
]);

const HELP: Option = { type: "boolean", short: "h" };

/**
 * Runs the command and returns the exit code: 0; 1 if an execution, a test or a definition has failed; 2 for wrong usage and for
 * files that cannot be used; 70 for a bug of this package.
 */
export async function main(args: string[]): Promise<number> {
  const end = args.indexOf("--");
  const json = args.slice(0, end < 0 ? undefined : end).includes("--json");
  const [first = ""] = args;
  try {
    return await perform(args);
  } catch (error) {
    return printError(error, { name: commands.has(first) ? first : undefined, json });
  }
}

async function perform([name, ...args]: string[]): Promise<number> {
  switch (name) {
    case undefined:
      process.stderr.write(overview(await commandList()));
      return 2;
    case "help":
    case "--help":
    case "-h": {
      const topic = name === "help" ? args[0] : undefined;
      process.stdout.write(topic === undefined ? overview(await commandList()) : (await load(topic)).help);
      return 0;
    }
    case "--version":
    case "-V":
      process.stdout.write(`stepglass ${version()}\n`);
      return 0;
    default:
      return runCommand(await load(name), args);
  }
}

async function runCommand(command: Command, args: string[]): Promise<number> {
  if (command.ownArguments) return command.run(args, {}, { commands: commandList, program: undefined });
  const end = command.takesProgram ? args.indexOf("--") : -1;
  const own = end < 0 ? args : args.slice(0, end);
  const { files, values } = parsed(command, command.prepare?.(own) ?? own);
  if (values.help) {
    process.stdout.write(command.help);
    return 0;
  }
  for (const [option, { values: words }] of Object.entries(command.options)) {
    const given = values[option];
    if (words && typeof given === "string" && !words.includes(given))
      throw wrong(`--${option} must be ${listed(words)}${didYouMean(given, words)}`);
  }
  takeDefined(Array.isArray(values.define) ? values.define : []);
  const context: Context = { commands: commandList, program: end < 0 ? undefined : args.slice(end + 1) };
  return command.run(files, values, context);
}

/** Parses arguments into files and values of options. */
function parsed(command: Command, args: string[]): { files: string[]; values: Values<Options> } {
  const options: Options = { help: HELP, ...command.options };
  // The parser refuses unknown properties of an option.
  const known = Object.fromEntries(Object.entries(options).map(([name, { values: _, file: __, ...option }]) => [name, option]));
  // The parser would take `-#Id`, a machine of a template on standard input, for an option.
  const marked = args.map((arg) => (arg.startsWith("-#") ? `\0${arg}` : arg));
  try {
    const { positionals, values } = parseArgs({ args: marked, options: known, allowPositionals: true });
    return { files: positionals.map((arg) => arg.replace(/^\0/, "")), values: values as Values<Options> };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const unknown = code === "ERR_PARSE_ARGS_UNKNOWN_OPTION" ? /'(--?[^']+)'/.exec(message)?.[1] : undefined;
    // Node's own advice is about files whose names begin with a dash.
    throw wrong(
      `${message.split(". ")[0]}${
        unknown === undefined
          ? ""
          : didYouMean(
              unknown,
              Object.keys(options).map((option) => `--${option}`),
            )
      }`,
    );
  }
}

async function load(name: string): Promise<Command> {
  const found = commands.get(name);
  if (found === undefined) throw wrong(`there is no command ${JSON.stringify(name)}${didYouMean(name, [...commands.keys()])}`);
  return (await found()).command;
}

/** Returns all commands, in the order of the overview. */
export async function commandList(): Promise<Command[]> {
  return Promise.all([...commands.keys()].map(load));
}

function wrong(message: string): Unusable {
  return new Unusable(message, { usage: true });
}

function listed(values: readonly string[]): string {
  return values.length < 2 ? values.join("") : `${values.slice(0, -1).join(", ")} or ${values.at(-1)}`;
}
