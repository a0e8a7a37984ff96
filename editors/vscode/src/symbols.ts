// Finds states in the outline of a document. Nothing here needs an editor.

interface Position {
  line: number;
  character: number;
}

interface Range {
  start: Position;
  end: Position;
}

/** A state of the outline, or the state machine of a template. */
interface StateSymbol {
  name: string;
  range: Range;
  selectionRange: Range;
  children: StateSymbol[];
}

/** Returns the innermost state around a position. */
export function symbolAt<Symbol extends StateSymbol>(symbols: readonly Symbol[], position: Position): Symbol | undefined {
  for (const symbol of symbols) {
    const { start, end } = symbol.range;
    if (isBefore(position, start) || isBefore(end, position)) continue;
    return symbolAt(symbol.children as Symbol[], position) ?? symbol;
  }
  return undefined;
}

/** Returns the state of this name. */
export function namedSymbol<Symbol extends StateSymbol>(symbols: readonly Symbol[], name: string): Symbol | undefined {
  for (const symbol of symbols) {
    const found = symbol.name === name ? symbol : namedSymbol(symbol.children as Symbol[], name);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isBefore(a: Position, b: Position): boolean {
  return a.line < b.line || (a.line === b.line && a.character < b.character);
}
