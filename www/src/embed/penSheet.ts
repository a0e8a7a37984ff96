// The looks of editing: the page's own, and the few things that only the component has.

import editing from "../styles/editing.css?raw";
import own from "./pen.css?raw";

let made: CSSStyleSheet | undefined;

/// One for all components of a page.
export function penSheet(): CSSStyleSheet {
  if (!made) {
    made = new CSSStyleSheet();
    made.replaceSync(`${editing}\n${own}`);
  }
  return made;
}
