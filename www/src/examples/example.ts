// Reads an example of the gallery, which is a folder of www/examples.

import type { NamedInput, Workspace } from "../model/share.ts";

/** A workspace that teaches one thing. */
export interface Example extends Workspace {
  id: string;
  lesson: string;
  features: string[];
  inputs: NamedInput[];
  /** The suggested answers for its tasks, by the text of the input. */
  answers: ReadonlyMap<string, Record<string, unknown>>;
}

/** The contents of `example.json`. The tests compare the result of each input with its `result`. */
interface Card {
  title: string;
  lesson: string;
  features: string[];
  inputs: { name: string; input: unknown; answers?: Record<string, unknown>; result: unknown }[];
  breakpoints: NonNullable<Workspace["breakpoints"]>;
}

/** Creates the workspace from the texts of a folder. */
export function example(id: string, card: string, definition: string, tasks = "", format: Workspace["format"] = "json"): Example {
  const { title, lesson, features, inputs, breakpoints } = JSON.parse(card) as Card;
  const textOf = (input: unknown): string => `${JSON.stringify(input, null, 2)}\n`;
  const named = inputs.map(({ name, input }): NamedInput => ({ name, text: textOf(input) }));
  const answers = new Map(inputs.map((one) => [textOf(one.input), one.answers ?? {}]));
  // The first run does not stop. The breakpoints are disabled, and the user can enable them.
  const offered = breakpoints.map((one) => ({ ...one, enabled: false }));
  return {
    id,
    title,
    lesson,
    features,
    format,
    definition,
    tasks,
    input: named[0]?.text ?? "{}\n",
    inputs: named,
    answers,
    breakpoints: offered,
    clock: "skip",
    seed: 1,
  };
}
