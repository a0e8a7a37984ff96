// Finds the paths and variables of a state whose values VS Code shows while a run is paused there. It does not import the API of VS
// Code, so Node can test it.

/** An expression in a text, with its place. Lines and columns count from 0; the end is exclusive. */
interface InlineExpression {
  expression: string;
  line: number;
  start: number;
  end: number;
}

/** A path or variable: `$.order.id`, `$$.Execution.Name`, `$total`, `$states.input.lines[0].price`. */
const PATH = /\$(?:\$(?=\.)|[A-Za-z_]\w*(?!\w*\s*\()|(?=\.))(?:\.[A-Za-z_]\w*|\[\d+\])*/g;
/** The largest number of values for one state. */
const MOST = 50;

/** Returns the expressions in lines `from` to `to` (inclusive), each once per line. */
export function inlineExpressions(lines: readonly string[], from: number, to: number): InlineExpression[] {
  const found: InlineExpression[] = [];
  for (let line = from; line <= to && line < lines.length; line++) {
    const seen = new Set<string>();
    for (const match of (lines[line] ?? "").matchAll(PATH)) {
      const [expression] = match;
      if (seen.has(expression)) continue;
      seen.add(expression);
      found.push({ expression, line, start: match.index, end: match.index + expression.length });
      if (found.length === MOST) return found;
    }
  }
  return found;
}
