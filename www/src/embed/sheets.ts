// The styles of a component: the page's tokens and graph styles, and the component's own. They are adopted style sheets, so that
// no content security policy of a page forbids them.

import graph from "../styles/graph.css?raw";
import tokens from "../styles/tokens.css?raw";
import own from "./embed.css?raw";

export type Theme = "light" | "dark" | "contrast";

const themes = new Map<Theme, CSSStyleSheet>();
let common: CSSStyleSheet | undefined;

function sheet(text: string): CSSStyleSheet {
  const made = new CSSStyleSheet();
  made.replaceSync(text);
  return made;
}

/** Returns the style sheets of a theme, which all components of a page share. The page's rules for the element override them. */
export function sheets(theme: Theme): CSSStyleSheet[] {
  common ??= sheet(`${graph}\n${own}`);
  let found = themes.get(theme);
  if (!found) {
    const here = tokens.replaceAll(new RegExp(`:root\\[data-theme="?${theme}"?\\]`, "g"), ":host");
    themes.set(theme, (found = sheet(here.replaceAll(/:root\[[^\]]*\]/g, ".never").replaceAll(":root", ":host"))));
  }
  return [found, common];
}
