// What the readers of templates tell of a state machine.

import { isObject } from "../base/json.ts";
import type { Resolved, Traced } from "./traced.ts";

export type Values = Record<string, unknown>;

/** Where a source has a definition: in itself, in a text, in a file, or in nothing that can be read. */
export type Place =
  | { in: "template"; pointer: string; value: Resolved }
  | {
      in: "string";
      text: Traced;
      /** Where it stands, for what of it was written nowhere. */
      pointer: string;
      /** The file that it stands in, where that is another than was read. */
      file?: string;
    }
  | {
      in: "file";
      path: string;
      /** The member of what the file has: `machine.definition`. */
      member?: string | undefined;
      /** What is to be done with its value, where the file has functions of the template in it. */
      resolve?: ((value: unknown) => Resolved) | undefined;
    }
  | { in: "nothing"; problem: string };

/** A state machine of a template. */
export interface Machine {
  name: string;
  /** Other names to choose it by, where no other machine has the same. */
  aliases?: string[];
  /** STANDARD or EXPRESS, where the template has it. */
  type: unknown;
  /** Values of the placeholders in its definition. */
  substitutions: Values;
  /** The JSON Pointer of the machine's resource. */
  resource: string;
  /** The file that it is in, where that is another than was read. */
  file?: string;
  definition: Place;
}

/** A template that another one deploys, in a file. */
export interface NestedTemplate {
  name: string;
  path: string;
  /** The JSON Pointer of the resource that deploys it. */
  pointer: string;
  /** Values of its parameters. */
  parameters: Values;
}

/** How a reader gets at files beside the one that it reads. A page has none. */
export interface Surroundings {
  /** What a file in JSON or YAML holds; undefined where it cannot be read. */
  value?(path: string): unknown;
  /** The text of a file; undefined where it cannot be read. */
  text?(path: string): string | undefined;
  /** Whether there is a file. */
  exists?(path: string): boolean;
  /** The names of the other files in the same folder, or of those in another folder. */
  siblings?(folder?: string): string[];
}

/** A part of a template that may have state machines, and is not read. */
export interface Skipped {
  /** The JSON Pointer of the part. */
  pointer: string;
  message: string;
}

/** What is known of a source besides its text. */
export interface Known {
  /** Values of placeholders. */
  defined?: Values;
  files?: Surroundings;
  /** Gets what is not read. */
  skipped?: Skipped[];
}

/** What a definition has that is not read. */
export class Unread extends Error {}

/** The members of an object; none of anything else. */
export function members(value: unknown): Values {
  return isObject(value) ? value : {};
}

/** Why what multiplies or nests without end is refused; an engine says it in words of its own. */
export function tooMuch({ message }: RangeError): string {
  return /stack|recursion/i.test(message) ? "its values are nested too deeply" : message;
}

/** The place of a text; of one that only a deployment knows there is none. */
export function inText(text: Traced, pointer: string): Place {
  if (!text.isReference || !text.isOpen) return { in: "string", text, pointer };
  return { in: "nothing", problem: `its definition is the value of ${text.text}, which only a deployment knows` };
}

/** A value that somebody has given for a whole one: a number where it is written as one. */
export function given(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** A place, or why there is none: what multiplies or nests without end is no reason to refuse other machines. */
export function orProblem(read: () => Place): Place {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) return { in: "nothing", problem: `its definition cannot be read: ${tooMuch(error)}` };
    if (error instanceof Unread) return { in: "nothing", problem: `its definition has ${error.message}` };
    throw error;
  }
}

/** The machines that a name means: that of its id, or those that go by it. */
export function namedBy(machines: ReadonlyMap<string, Machine>, name: string): string[] {
  if (machines.has(name)) return [name];
  return [...machines].filter(([id, { aliases = [] }]) => aliases.includes(name) || id.endsWith(`/${name}`)).map(([id]) => id);
}
