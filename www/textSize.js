// The styles are written in px for the browser's default text size and built in rem. If the user has set another text size in the
// browser, everything scales with it. Lines keep their width, and the drawing has its own magnification.

const ORDINARY = 16;
const THIN = 2;
/** The minimum size of a touch target in px, for any text size. */
const THUMB = 44;
/** Parts of the drawing whose text is measured. Their boxes have computed widths. */
const DRAWN =
  /\.(canvas|node|line|mark|badges|status|count|edge-label|minimap|remaining|sums|sum|heat|breakpoint|corner|over-sign|pause-marks|part-sign)\b/;

const relative = (text, unit) =>
  text.replaceAll(/(?<![\w.#-])(-?(?:\d+\.\d+|\.?\d+))px\b/g, (whole, number) =>
    Math.abs(Number(number)) <= THIN || Number(number) === THUMB ? whole : `${Number((Number(number) / ORDINARY).toFixed(4))}${unit}`,
  );

export function textSize() {
  return {
    postcssPlugin: "text-size",
    AtRule(rule) {
      // Media queries use the browser's text size too, while container queries can refer to the text size of their element.
      if (/^(media|container)$/.test(rule.name) && rule.params.includes("px"))
        rule.params = relative(rule.params, rule.name === "media" ? "em" : "rem");
    },
    Declaration(declaration) {
      if (!declaration.value.includes("px")) return;
      const file = declaration.source?.input.file ?? "";
      const selector = declaration.parent?.selector ?? "";
      if (file.endsWith("/graph.css") || (DRAWN.test(selector) && !/-tools|-head|-foot/.test(selector))) return;
      declaration.value = relative(declaration.value, "rem");
    },
  };
}
