// The page's styles are written in px at the browser's ordinary text size, and built in rem: who has set another size in the
// browser gets everything in it. Lines stay as thin as they are, and the drawing has a magnification of its own.

const ORDINARY = 16;
const THIN = 2;
/// What a thumb needs, whatever the text.
const THUMB = 44;
/// What is drawn to measure: its boxes come with widths.
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
      // A condition of the window is of the text size that the browser has, too; that of a box can name it.
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
