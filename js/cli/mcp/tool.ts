// What each tool of the server is.

import type { Cutter, Limits } from "./limits.ts";
import { array, string, type Read, type ZodType } from "./protocol.ts";

/** Names and kinds of arguments, or of the members of an answer. */
export type Shape = Record<string, ZodType>;

/** The arguments of a tool as its call gets them. */
export type Arguments<Of extends Shape> = {
  [Name in keyof Of as undefined extends Read<Of[Name]> ? never : Name]: Read<Of[Name]>;
} & { [Name in keyof Of as undefined extends Read<Of[Name]> ? Name : never]?: Read<Of[Name]> };

/** What stands around a call. */
export interface Surroundings {
  limits: Limits;
  cut: Cutter;
  /** Ends what the client no longer wants. */
  signal: AbortSignal;
  /** Whether modules that test files name may be loaded. */
  modules: boolean;
}

/** The answer of a tool: for people and models, and for programs. */
export interface Answer {
  text: string;
  data: Record<string, unknown>;
  /** A document besides, such as a drawing. */
  document?: { uri: string; mimeType: string; text: string };
}

/** A tool of the server. */
export interface Tool<Input extends Shape = Shape> {
  name: string;
  title: string;
  description: string;
  input: Input;
  output: Shape;
  call(given: Arguments<Input>, surroundings: Surroundings): Answer | Promise<Answer>;
}

/** A tool whose call gets the arguments that its shape describes. */
export function defineTool<Input extends Shape>(tool: Tool<Input>): Tool {
  // The SDK reads the arguments with this very shape.
  return tool as unknown as Tool;
}

/** What every answer says of what it leaves out. */
export const cutMember = { cut: array(string()).describe("What the limits left out of this answer. Empty: nothing.") };
