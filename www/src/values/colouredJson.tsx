// The text of a JSON value with an element around each coloured token.

import type { VNode } from "preact";

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/g;

/** Returns the text with its names, strings, words and numbers in elements. Everything else remains text. */
export function coloured(text: string): (VNode | string)[] {
  const out: (VNode | string)[] = [];
  let at = 0;
  for (const match of text.matchAll(TOKEN)) {
    if (match.index > at) out.push(text.slice(at, match.index));
    const [whole, string, colon, word, number] = match;
    if (string !== undefined && colon !== undefined) out.push(<span class="j-key">{string}</span>, colon);
    else if (string !== undefined) out.push(<span class="j-string">{string}</span>);
    else if (word !== undefined) out.push(<span class="j-word">{word}</span>);
    else if (number !== undefined) out.push(<span class="j-number">{number}</span>);
    else out.push(whole);
    at = match.index + whole.length;
  }
  out.push(text.slice(at));
  return out;
}
