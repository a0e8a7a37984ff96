import type { Workspace } from "../share.ts";

/// A workspace that teaches one thing.
export interface Example extends Workspace {
  lesson: string;
  features: string[];
}

export function example(from: Partial<Example> & Pick<Example, "title" | "lesson" | "features" | "definition">): Example {
  return { format: "json", input: "{}\n", tasks: "", clock: "skip", seed: 1, ...from, definition: `${from.definition.trim()}\n` };
}
