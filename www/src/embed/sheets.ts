// The component's looks: the page's own tokens and graph, and its few boxes. Adopted, so no policy of a page is in the way.

import graph from "../styles/graph.css?raw";
import tokens from "../styles/tokens.css?raw";
import own from "./embed.css?raw";

let light: CSSStyleSheet | undefined;
let dark: CSSStyleSheet | undefined;
let common: CSSStyleSheet | undefined;

function sheet(text: string): CSSStyleSheet {
  const made = new CSSStyleSheet();
  made.replaceSync(text);
  return made;
}

/// One of a theme for all components of a page. The page's rules for the element win over them.
export function sheets(isDark: boolean): CSSStyleSheet[] {
  light ??= sheet(tokens.replaceAll(/:root\[[^\]]*\]/g, ".never").replaceAll(":root", ":host"));
  common ??= sheet(`${graph}\n${own}`);
  if (!isDark) return [light, common];
  dark ??= sheet(tokens.replaceAll(/:root\[data-theme="dark"\]/g, ":host").replaceAll(/:root\[[^\]]*\]/g, ".never").replaceAll(":root", ":host"));
  return [light, dark, common];
}
