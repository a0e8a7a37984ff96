// Finds layout faults in a page: elements that are cut off, overlap, or cannot be reached.

import { FONTS, missingFont } from "../../scripts/fonts.mjs";

/** The test fonts that are installed on this machine. */
export const fonts = Object.keys(FONTS).filter((name) => missingFont(name) === undefined);

/** Changes the font of a page that is already open. */
export function useFont(page, name) {
  return page.evaluate(async ({ sans, mono }) => {
    globalThis.fontSheet ??= new CSSStyleSheet();
    if (!document.adoptedStyleSheets.includes(fontSheet)) document.adoptedStyleSheets = [...document.adoptedStyleSheets, fontSheet];
    fontSheet.replaceSync(`:root { --sans: "${sans}", sans-serif !important; --mono: "${mono}", monospace !important }`);
  }, FONTS[name]);
}

/** Returns each fault as a line that names the fault and the element. */
export function faults(page) {
  return page.evaluate(async () => {
    await document.fonts.ready;
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    const found = new Set();
    const CONTROL = "button, input, select, textarea, summary, a[href], [role=tab], [role=slider]";
    const name = (element) =>
      `${element.tagName.toLowerCase()}.${String(element.className?.baseVal ?? element.className)
        .trim()
        .replaceAll(
          /\s+/g,
          ".",
        )} “${(element.getAttribute("aria-label") ?? element.textContent ?? "").trim().replaceAll(/\s+/g, " ").slice(0, 40)}”`;
    const near = (element) => `${name(element)} in ${name(element.parentElement).replace(/ “.*/, "")}`;
    if (document.documentElement.scrollWidth > innerWidth)
      found.add(`the page scrolls sideways: ${document.documentElement.scrollWidth} of ${innerWidth}`);
    const styles = new Map();
    const styleOf = (element) => styles.get(element) ?? (styles.set(element, getComputedStyle(element)), styles.get(element));
    const dialog = document.querySelector("dialog[open]");
    /** Elements that are not checked: drawings and editors, which scale or scroll by themselves, and texts for screen readers. */
    const left = (element) =>
      element.closest("svg.canvas, svg, .unseen, .skip-link, .toast, [aria-hidden=true] > .hold, option") !== null ||
      (dialog !== null && !dialog.contains(element));
    const visible = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    const all = [...document.body.querySelectorAll("*")].filter((element) => !left(element) && visible(element));
    const boxes = new Map(all.map((element) => [element, element.getBoundingClientRect()]));
    const boxOf = (element) => boxes.get(element) ?? element.getBoundingClientRect();
    /** The rectangle in which an element is visible, and whether the rest of it can be reached by scrolling. */
    const clip = (element) => {
      let [x0, y0, x1, y1] = [0, 0, innerWidth, innerHeight];
      let [scrollX, scrollY] = [
        false,
        document.documentElement.scrollHeight > innerHeight && styleOf(document.body).overflowY !== "hidden",
      ];
      if (styleOf(element).position === "fixed") return { x0, y0, x1, y1, scrollX, scrollY };
      for (let at = element.parentElement; at && at !== document.body; at = at.parentElement) {
        const { overflowX, overflowY, position } = styleOf(at);
        const box = boxOf(at);
        // Clipping outside of a scroll container does not hide what can be scrolled into view.
        if (!scrollX && /auto|scroll/.test(overflowX)) scrollX = true;
        else if (!scrollX && overflowX !== "visible") [x0, x1] = [Math.max(x0, box.left), Math.min(x1, box.right)];
        if (!scrollY && /auto|scroll/.test(overflowY)) scrollY = true;
        else if (!scrollY && overflowY !== "visible") [y0, y1] = [Math.max(y0, box.top), Math.min(y1, box.bottom)];
        if (position === "fixed") break;
      }
      return { x0, y0, x1, y1, scrollX, scrollY };
    };
    const ownText = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== "");
    /** The height of a font is more than what its letters take. */
    const slack = (element) => Math.max(3, parseFloat(styleOf(element).fontSize) * 0.35);
    const controls = [];
    for (const element of all) {
      const box = boxes.get(element);
      const control = element.matches(CONTROL);
      const text = ownText(element);
      if (!control && !text) continue;
      if (box.width < 1.5 || box.height < 1.5) {
        if (control && !element.closest(".event-space, .narrow-pane[hidden]")) found.add(`no room: ${near(element)}`);
        continue;
      }
      const seen = clip(element);
      const { x0, y0, x1, y1, scrollX, scrollY } = seen;
      if (control) controls.push({ element, box, clip: seen });
      const shortened = (at) => at !== null && styleOf(at).textOverflow === "ellipsis" && styleOf(at).overflowX !== "visible";
      const ellipsis = shortened(element)
        ? element
        : element.parentElement && shortened(element.parentElement)
          ? element.parentElement
          : null;
      if (!scrollX && (box.right > x1 + 1.5 || box.left < x0 - 1.5) && !(text && !control && ellipsis))
        found.add(`cut off at the side by ${Math.round(Math.max(box.right - x1, x0 - box.left))}: ${near(element)}`);
      if (!scrollY && (box.bottom > y1 + 1.5 || box.top < y0 - 1.5))
        found.add(`cut off above or below by ${Math.round(Math.max(box.bottom - y1, y0 - box.top))}: ${near(element)}`);
      const { overflowX, overflowY } = styleOf(element);
      if (element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0 && !element.matches("input, textarea, select")) {
        if (overflowX === "visible" && control)
          found.add(`words beyond their control by ${element.scrollWidth - element.clientWidth}: ${near(element)}`);
        else if (/hidden|clip/.test(overflowX) && !ellipsis)
          found.add(`words cut off by ${element.scrollWidth - element.clientWidth}: ${near(element)}`);
      }
      if (
        ellipsis &&
        ellipsis.scrollWidth > ellipsis.clientWidth + 1 &&
        element.closest("[title], [aria-label]") === null &&
        !element.querySelector("[title]")
      )
        found.add(`shortened without a title: ${near(element)}`);
      if (
        /hidden|clip/.test(overflowY) &&
        element.scrollHeight > element.clientHeight + slack(element) &&
        element.clientHeight > 0 &&
        !element.matches("input, select")
      )
        found.add(`letters cut off by ${element.scrollHeight - element.clientHeight}: ${near(element)}`);
      else if (
        control &&
        overflowY === "visible" &&
        element.scrollHeight > element.clientHeight + slack(element) &&
        element.clientHeight > 0 &&
        element.matches("button, summary")
      )
        found.add(`letters beyond their control by ${element.scrollHeight - element.clientHeight}: ${near(element)}`);
    }
    // Visible controls that cover each other.
    const layered = (element) => element.closest(".menu, .timers ol, .card, .sheet, [popover]");
    for (let i = 0; i < controls.length; i++) {
      for (let j = i + 1; j < controls.length; j++) {
        const [a, b] = [controls[i], controls[j]];
        if (a.element.contains(b.element) || b.element.contains(a.element) || layered(a.element) !== layered(b.element)) continue;
        const wide = Math.min(a.box.right, b.box.right, a.clip.x1, b.clip.x1) - Math.max(a.box.left, b.box.left, a.clip.x0, b.clip.x0);
        const high = Math.min(a.box.bottom, b.box.bottom, a.clip.y1, b.clip.y1) - Math.max(a.box.top, b.box.top, a.clip.y0, b.clip.y0);
        if (wide > 2 && high > 2) {
          // A control that is scrolled out of view does not cover the other one.
          const there = (one) => {
            const [x, y] = [
              (Math.max(a.box.left, b.box.left) + Math.min(a.box.right, b.box.right)) / 2,
              (Math.max(a.box.top, b.box.top) + Math.min(a.box.bottom, b.box.bottom)) / 2,
            ];
            return document.elementsFromPoint(x, y).includes(one.element);
          };
          if (there(a) && there(b)) found.add(`on each other: ${near(a.element)} and ${near(b.element)}`);
        }
      }
    }
    return [...found];
  });
}
