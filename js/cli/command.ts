// What each command of the command line is.

/** An option, as the parser and the completion know it. */
export interface Option {
  type: "string" | "boolean";
  /** Its letter: `-o`. */
  short?: string;
  /** Whether it can be repeated. */
  multiple?: boolean;
  /** The words that it takes. */
  values?: readonly string[];
  /** Whether its value is a file or a folder. */
  file?: boolean;
}

/** The options of a command by their names. */
export type Options = Readonly<Record<string, Option>>;

/** What was given for an option: one of its words where it has some, a list where it can be repeated. */
type Value<Of extends Option> = Option extends Of
  ? string | string[] | boolean
  : Of["type"] extends "boolean"
    ? boolean
    : Of["multiple"] extends true
      ? string[]
      : Of["values"] extends readonly (infer Word)[]
        ? Word
        : string;

/** What was given for the options of a command. */
export type Values<Of extends Options> = { [Name in keyof Of]?: Value<Of[Name]> };

/** Besides its arguments a command has this. */
export interface Context {
  /** All commands, in the order of the overview. */
  commands: () => Promise<Command[]>;
  /** What stands after `--`, where there is one. */
  program: string[] | undefined;
}

/** A command: `stepglass NAME`. */
export interface Command<Of extends Options = Options> {
  name: string;
  /** Its line in the overview. */
  summary: string;
  /** The text of `stepglass help NAME`. */
  help: string;
  options: Of;
  /** Whether `--` separates a program with arguments of its own from the command's. */
  takesProgram?: boolean;
  /** Whether it reads its arguments itself, all of them: those of another program. */
  ownArguments?: boolean;
  /** Writes arguments so that the parser takes them. */
  prepare?(args: string[]): string[];
  /** Does its work; returns the exit code. Throws Unusable for what cannot be used. */
  run(args: string[], values: Values<Of>, context: Context): number | Promise<number>;
}

/** A command whose `run` gets the values that its options describe. */
export function defineCommand<Of extends Options>(command: Command<Of>): Command {
  // The parser makes the values from these very options.
  return command as unknown as Command;
}
