// What a menu offers, and what of it fits what was typed.

import type { NodeKind } from "./graph.ts";

export interface Option {
  id: string;
  title: string;
  /// What it is, in a few words.
  detail?: string;
  /// More that finds it.
  words?: string;
  type?: NodeKind;
  /// Of a task: what it calls, as resources name it.
  service?: string;
}

export interface OptionGroup {
  title: string;
  options: readonly Option[];
  /// Shown only when something is typed.
  searched?: boolean;
}

/// What the choice is for, where it can be for several things.
export interface Mode {
  id: string;
  title: string;
}

/// How well an option fits what was typed: the beginning of its name first; -1 for not at all.
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
