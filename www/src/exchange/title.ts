// Derives the title of a machine without a name.

const LONGEST = 60;

/** Returns the beginning of its comment, or its first states. */
export function titleOf(comment: string | undefined, states: readonly string[]): string {
  const text = comment?.replace(/\s+/g, " ").trim() ?? "";
  if (text !== "") return shortened(/^.*?[^.\s]{2}[.:;!?](?=\s|$)/.exec(text)?.[0].slice(0, -1) ?? text);
  const names = states.slice(0, 3).join(", ");
  return names === "" ? "Untitled" : shortened(names);
}

/** Truncates a text at the end of a word. */
function shortened(text: string): string {
  if (text.length <= LONGEST) return text;
  const cut = text.slice(0, LONGEST);
  return `${/^(.{20,})\s/.exec(cut)?.[1] ?? cut} …`;
}
