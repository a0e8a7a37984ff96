// The styles of editing: those of the graph editor, and a few that only the component has.

import editing from "../styles/graph-editor.css?raw";
import own from "./editor.css?raw";

let made: CSSStyleSheet | undefined;

/** Returns the style sheet, which all components of a page share. */
export function editorSheet(): CSSStyleSheet {
  if (!made) {
    made = new CSSStyleSheet();
    made.replaceSync(`${editing}\n${own}`);
  }
  return made;
}
