// The description of a command of the command line.

/** An option, with what the parser and the completion need. */
export interface Option {
  type: "string" | "boolean";
  /** The short form: `o` of `-o`. */
  short?: string;
  /** Whether it can be repeated. */
  multiple?: boolean;
  /** The allowed values. */
  values?: readonly string[];
  /** Whether its value is a file or a folder. */
  file?: boolean;
}

/** The options of a command by name. */
export type Options = Readonly<Record<string, Option>>;

/** The value of an option: one of its allowed values, and a list if it can be repeated. */
type Value<Of extends Option> = Option extends Of
  ? string | string[] | boolean
  : Of["type"] extends "boolean"
    ? boolean
    : Of["multiple"] extends true
      ? string[]
      : Of["values"] extends readonly (infer Word)[]
        ? Word
        : string;

/** The values of a command's options. */
export type Values<Of extends Options> = { [Name in keyof Of]?: Value<Of[Name]> };

/** What a command gets in addition to its arguments. */
export interface Context {
  /** Returns all commands, in the order of the overview. */
  commands: () => Promise<Command[]>;
  /** The arguments after `--`, if there are any. */
  program: string[] | undefined;
}

/** A command: `stepglass NAME`. */
export interface Command<Of extends Options = Options> {
  name: string;
  /** The line in the overview. */
  summary: string;
  /** The text of `stepglass help NAME`. */
  help: string;
  options: Of;
  /** Whether `--` separates the arguments of another program from those of the command. */
  takesProgram?: boolean;
  /** Whether the command parses its arguments itself, because they are those of another program. */
  ownArguments?: boolean;
  /** Rewrites arguments so that the parser accepts them. */
  prepare?(args: string[]): string[];
  /** Runs the command and returns the exit code. Throws Unusable for arguments and files that cannot be used. */
  run(args: string[], values: Values<Of>, context: Context): number | Promise<number>;
}

/** Defines a command whose `run` gets values of the types that its options describe. */
export function defineCommand<Of extends Options>(command: Command<Of>): Command {
  // The parser creates the values from these options, so the types match.
  return command as unknown as Command;
}
