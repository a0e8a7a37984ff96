// Texts in the editor's own boxes.

/** Returns an element with a text. The parts between back ticks are code. */
export function withCode(text: string, name = "span"): HTMLElement {
  const words = document.createElement(name);
  text.split("`").forEach((part, i) => {
    if (i % 2 === 0) return words.append(part);
    const code = document.createElement("code");
    code.textContent = part;
    words.append(code);
  });
  return words;
}
