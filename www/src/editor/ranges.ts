// Where states stand in the text, read from the editor's own syntax tree: it is there after every key, also while the
// text is broken.

import { ensureSyntaxTree, syntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";
import type { SyntaxNode, Tree } from "@lezer/common";

export interface StateRange {
  name: string;
  from: number;
  to: number;
  /// The name itself, with its quotes.
  nameFrom: number;
  nameTo: number;
}

const cache = new WeakMap<Tree, StateRange[]>();

export function stateRanges(state: EditorState): StateRange[] {
  const tree = ensureSyntaxTree(state, state.doc.length, 30) ?? syntaxTree(state);
  let found = cache.get(tree);
  if (!found) {
    found = [];
    const text = (node: SyntaxNode): string => unquoted(state.doc.sliceString(node.from, node.to));
    const cursor = tree.cursor();
    do {
      // `States: {name: state}` in JSON's tree and in YAML's.
      if (cursor.name === "Property" || cursor.name === "Pair") {
        const property = cursor.node;
        const key = property.firstChild;
        if (!key || text(key) !== "States") continue;
        const value = property.lastChild;
        if (!value || value === key) continue;
        for (let child = value.firstChild; child; child = child.nextSibling) {
          if (child.name !== "Property" && child.name !== "Pair") continue;
          const name = child.firstChild;
          if (name) found.push({ name: text(name), from: child.from, to: child.to, nameFrom: name.from, nameTo: name.to });
        }
      }
    } while (cursor.next());
    cache.set(tree, found);
  }
  return found;
}

function unquoted(text: string): string {
  if (text.startsWith('"')) {
    try {
      return String(JSON.parse(text));
    } catch {
      return text.slice(1).replace(/"$/, "");
    }
  }
  return text.startsWith("'") ? text.slice(1, -1).replaceAll("''", "'") : text;
}
