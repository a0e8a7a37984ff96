// The component's looks: the page's own tokens and graph, and its few boxes. Adopted, so no policy of a page is in the way.

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

/// One sheet of each theme for all components of a page. The page's rules for the element win over them.
export function sheets(theme: Theme): CSSStyleSheet[] {
  common ??= sheet(`${graph}\n${own}`);
  let found = themes.get(theme);
  if (!found) {
    const here = tokens.replaceAll(new RegExp(`:root\\[data-theme="?${theme}"?\\]`, "g"), ":host");
    themes.set(theme, (found = sheet(here.replaceAll(/:root\[[^\]]*\]/g, ".never").replaceAll(":root", ":host"))));
  }
  return [found, common];
}
