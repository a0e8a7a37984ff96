// Creates elements. No text ever becomes markup.

const SVG = "http://www.w3.org/2000/svg";

type Attributes = Record<string, string | number | boolean | null | undefined>;
type Child = Node | string | null | undefined | false;

function put(element: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes))
    if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : String(value));
  for (const child of children) if (child !== null && child !== undefined && child !== false) element.append(child);
}

export function html<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  put(element, attributes, children);
  return element;
}

export function svg<K extends keyof SVGElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS(SVG, name) as SVGElementTagNameMap[K];
  put(element, attributes, children);
  return element;
}
