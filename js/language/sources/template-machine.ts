// The types that the readers of templates return.

import { isObject } from "../../core/base/json.ts";
import type { Resolved, MappedText } from "./mapped-text.ts";

export type Values = Record<string, unknown>;

/** Where a source has a definition: in itself, in a string, in a file, or nowhere that can be read. */
export type DefinitionLocation =
  | { in: "template"; pointer: string; value: Resolved }
  | {
      in: "string";
      text: MappedText;
      /** The pointer in the source, for parts that are written nowhere. */
      pointer: string;
      /** The file that contains it, if that is not the file that was read. */
      file?: string;
    }
  | {
      in: "file";
      path: string;
      /** The path of the member in the file: `machine.definition`. */
      member?: string | undefined;
      /** Resolves the functions of the template in the file's value, if it may contain some. */
      resolve?: ((value: unknown) => Resolved) | undefined;
    }
  | { in: "nothing"; problem: string };

/** A state machine of a template. */
export interface Machine {
  name: string;
  /** Other names by which it can be selected, if they are unique. */
  aliases?: string[];
  /** STANDARD or EXPRESS, if the template states it. */
  type: unknown;
  /** Values of the placeholders in its definition. */
  substitutions: Values;
  /** The JSON Pointer of the machine's resource. */
  resource: string;
  /** The file that contains it, if that is not the file that was read. */
  file?: string;
  definition: DefinitionLocation;
}

/** A nested template in a file. */
export interface NestedTemplate {
  name: string;
  path: string;
  /** The JSON Pointer of the resource that deploys it. */
  pointer: string;
  /** Values of its parameters. */
  parameters: Values;
}

/** Gives a reader access to other files. On a page there is none. */
export interface FileAccess {
  /** Returns the value of a file in JSON or YAML. Undefined if it cannot be read. */
  value?(path: string): unknown;
  /** Returns the text of a file. Undefined if it cannot be read. */
  text?(path: string): string | undefined;
  /** Returns whether a file exists. */
  exists?(path: string): boolean;
  /** Returns the names of the other files in the same folder, or of those in another folder. */
  siblings?(folder?: string): string[];
}

/** A part of a template that may contain state machines and was not read. */
export interface Skipped {
  /** The JSON Pointer of the part. */
  pointer: string;
  message: string;
}

/** What is known about a source in addition to its text. */
export interface Known {
  /** Values of placeholders. */
  defined?: Values;
  files?: FileAccess;
  /** The parts that were not read are added here. */
  skipped?: Skipped[];
}

/** Thrown for a part of a definition that cannot be read. */
export class Unread extends Error {}

/** Returns a value if it is an object, else an empty object. */
export function members(value: unknown): Values {
  return isObject(value) ? value : {};
}

/** Returns the message for values that multiply or nest without end. JavaScript engines have different messages. */
export function tooMuch({ message }: RangeError): string {
  return /stack|recursion/i.test(message) ? "its values are nested too deeply" : message;
}

/** Returns the location of a definition that is a string. If only a deployment knows the string, it has none. */
export function inText(text: MappedText, pointer: string): DefinitionLocation {
  // A parameter without a default and a resource have their names as their values, which are no definitions.
  const isName = text.text === text.references[0]?.name;
  if (!text.isReference || !(text.isOpen || isName)) return { in: "string", text, pointer };
  return { in: "nothing", problem: `its definition is the value of ${text.text}, which only a deployment knows` };
}

/** Returns a value that the user has given for a whole placeholder. It is a number if it is written as one. */
export function given(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/**
 * Returns a location, or why there is none. Values that multiply or nest without end must not prevent the reading of other
 * machines.
 */
export function orProblem(read: () => DefinitionLocation): DefinitionLocation {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) return { in: "nothing", problem: `its definition cannot be read: ${tooMuch(error)}` };
    if (error instanceof Unread) return { in: "nothing", problem: `its definition has ${error.message}` };
    throw error;
  }
}

/** Returns the machines with an id, or else those with an alias. */
export function namedBy(machines: ReadonlyMap<string, Machine>, name: string): string[] {
  if (machines.has(name)) return [name];
  return [...machines].filter(([id, { aliases = [] }]) => aliases.includes(name) || id.endsWith(`/${name}`)).map(([id]) => id);
}
