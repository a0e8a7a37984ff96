// The options of a menu, and the search among them.

import type { NodeKind } from "../../model/graph.ts";

export interface Option {
  id: string;
  title: string;
  /** A short description. */
  detail?: string;
  /** Additional search words. */
  words?: string;
  type?: NodeKind;
  /** For a task: the service that it calls, as resources name it. */
  service?: string;
}

export interface OptionGroup {
  title: string;
  options: readonly Option[];
  /** Whether the option is shown only during a search. */
  searched?: boolean;
}

/** A purpose that the option is chosen for, if there are several. */
export interface Mode {
  id: string;
  title: string;
}

/** Returns how well an option matches the typed words. A match at the beginning of the name is the best; -1 means no match. */
function rank(option: Option, words: readonly string[]): number {
  const title = option.title.toLowerCase();
  const all = `${title} ${option.detail ?? ""} ${option.words ?? ""}`.toLowerCase();
  if (!words.every((word) => all.includes(word))) return -1;
  const [first = ""] = words;
  return title === words.join(" ") ? 0 : title.startsWith(first) ? 1 : title.includes(first) ? 2 : 3;
}

export function filtered(groups: readonly OptionGroup[], text: string): OptionGroup[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return groups.filter(({ searched, options }) => !searched && options.length > 0);
  const seen = new Set<string>();
  return groups
    .map((group) => ({
      ...group,
      options: group.options
        .map((option) => ({ option, rank: rank(option, words) }))
        .filter((entry) => entry.rank >= 0 && !seen.has(entry.option.id) && seen.add(entry.option.id))
        .sort((a, b) => a.rank - b.rank)
        .map(({ option }) => option),
    }))
    .filter(({ options }) => options.length > 0)
    .sort((a, b) => rank(a.options[0]!, words) - rank(b.options[0]!, words));
}
