// The description of a tool of the server.

import type { Cutter, Limits } from "./limits.ts";
import { array, string, type Read, type ZodType } from "./protocol.ts";

/** The names and types of arguments, or of the members of an answer. */
export type Shape = Record<string, ZodType>;

/** The types of a tool's arguments in a call. */
export type Arguments<Of extends Shape> = {
  [Name in keyof Of as undefined extends Read<Of[Name]> ? never : Name]: Read<Of[Name]>;
} & { [Name in keyof Of as undefined extends Read<Of[Name]> ? Name : never]?: Read<Of[Name]> };

/** What a call gets in addition to its arguments. */
export interface Surroundings {
  limits: Limits;
  cut: Cutter;
  /** Aborted when the client cancels the call. */
  signal: AbortSignal;
  /** Whether modules that test files name may be loaded. */
  modules: boolean;
}

/** The answer of a tool: a text for people and models, and data for programs. */
export interface Answer {
  text: string;
  data: Record<string, unknown>;
  /** A document that belongs to the answer, such as a drawing. */
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

/** Defines a tool whose call gets arguments of the types that its shape describes. */
export function defineTool<Input extends Shape>(tool: Tool<Input>): Tool {
  // The SDK parses the arguments with this shape, so the types match.
  return tool as unknown as Tool;
}

/** A member of every answer: what was left out. */
export const cutMember = { cut: array(string()).describe("What the limits left out of this answer. Empty: nothing.") };
