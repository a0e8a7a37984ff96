/** Returns the line of the definition's `StartAt` outside of any state, or undefined. It counts from 0. */
export function startLine(text: string): number | undefined {
  let best: { line: number; indent: number } | undefined;
  for (const [line, content] of text.split("\n").entries()) {
    const found = /^(\s*)(?:\{\s*)?["']?StartAt["']?\s*:/.exec(content);
    if (found === null) continue;
    const indent = found[1]?.length ?? 0;
    if (best === undefined || indent < best.indent) best = { line, indent };
  }
  return best?.line;
}
