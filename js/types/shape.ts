// @ts-nocheck: has no types yet.
// What is known of a value: from where it comes, and what is read of it.

/** What is read of the machine's input or of a task's result. It grows while the machine is looked at. */
export class Shape {
  /** Types that its use asks for: `string`, `number`, `boolean`. */
  types = new Set();
  /** Members that are read: `{shape, required}`. */
  members = new Map();
  /** What is read of its elements, if it is used as a list. */
  element;
  /** A value that leads on where a Choice looks at it: `{value, rank}`, of several that of the highest rank. */
  example;
  /** What it is likely to be where JSONata would take others, too: `number`, `list`, `numbers`. */
  likely;

  member(name, required) {
    let found = this.members.get(name);
    if (found === undefined) this.members.set(name, (found = { shape: new Shape(), required }));
    if (required) found.required = true;
    return found.shape;
  }

  elements() {
    return (this.element ??= new Shape());
  }

  get known() {
    return this.types.size > 0 || this.members.size > 0 || this.element !== undefined;
  }
}

export const UNKNOWN = { kind: "unknown" };
export const type = (text) => ({ kind: "type", text });
export const reference = (shape) => ({ kind: "reference", shape });
export const object = (members, rest) => ({ kind: "object", members, rest });
export const array = (element) => ({ kind: "array", element });
export const tuple = (items) => ({ kind: "tuple", items });

/** A literal of the definition. */
export function literal(value) {
  if (Array.isArray(value)) return value.length === 0 ? array(UNKNOWN) : array(value.map(literal).reduce(join));
  if (typeof value === "object" && value !== null) return object(new Map(Object.entries(value).map(([key, item]) => [key, literal(item)])));
  return type(value === null ? "null" : typeof value);
}

/** Goes along a path of names, indices and `many`, and notes that it is read. */
export function read(value, steps, required = true) {
  let at = value;
  for (const step of steps) at = one(at, step, required);
  return at;
}

function one(value, step, required) {
  switch (value.kind) {
    case "reference":
      if (step.name !== undefined) return reference(value.shape.member(step.name, required));
      return reference(value.shape.elements());
    case "object":
      if (step.name === undefined) return UNKNOWN;
      if (value.members.has(step.name)) return value.members.get(step.name);
      return value.rest === undefined ? UNKNOWN : one(value.rest, step, required);
    case "array":
      return step.name === undefined ? value.element : UNKNOWN;
    case "tuple":
      return step.index === undefined || step.index < 0 ? UNKNOWN : (value.items[step.index] ?? UNKNOWN);
    case "either":
      return value.of.map((item) => one(item, step, required)).reduce(join);
    default:
      return UNKNOWN;
  }
}

/** Notes that a value is used as one of a type: `list` for lists. */
export function use(value, wanted) {
  if (value.kind === "either") for (const item of value.of) use(item, wanted);
  if (value.kind !== "reference") return;
  if (wanted === "list") value.shape.elements();
  else value.shape.types.add(wanted);
}

/** Notes what a value is likely to be. */
export function suggest(value, likely) {
  if (value.kind === "either") for (const item of value.of) suggest(item, likely);
  if (value.kind === "reference") value.shape.likely = likely;
}

/** Notes a value that leads on where this one is looked at. */
export function hint(value, example, rank) {
  if (value.kind === "either") for (const item of value.of) hint(item, example, rank);
  if (value.kind !== "reference" || (value.shape.example?.rank ?? -1) >= rank) return;
  value.shape.example = { value: example, rank };
}

/** One of two values. */
export function join(a, b) {
  if (a.kind === "unknown" || b.kind === "unknown") return UNKNOWN;
  const all = new Map([...(a.kind === "either" ? a.of : [a]), ...(b.kind === "either" ? b.of : [b])].map((value) => [key(value), value]));
  if (all.size === 1) return a;
  return all.size > 6 ? UNKNOWN : { kind: "either", of: [...all.values()] };
}

const ids = new WeakMap();
let last = 0;

/** Equal for equal values. */
export function key(value, depth = 0) {
  if (depth > 12) return "…";
  switch (value.kind) {
    case "reference":
      if (!ids.has(value.shape)) ids.set(value.shape, ++last);
      return `#${ids.get(value.shape)}`;
    case "object":
      return `{${[...value.members].map(([name, item]) => `${JSON.stringify(name)}:${key(item, depth + 1)}`).join()}|${value.rest ? key(value.rest, depth + 1) : ""}}`;
    case "array":
      return `[${key(value.element, depth + 1)}]`;
    case "tuple":
      return `(${value.items.map((item) => key(item, depth + 1)).join()})`;
    case "either":
      return `<${value.of.map((item) => key(item, depth + 1)).join("|")}>`;
    default:
      return value.text ?? "?";
  }
}

/** A shape as TypeScript. Only what is read is known: there may be more. */
export function shapeText(shape, indent = "", depth = 0) {
  if (!shape.known || depth > 12) return "unknown";
  if (shape.members.size > 0) return members([...shape.members].map(([name, { shape: inner, required }]) => [name, required, shapeText(inner, `${indent}  `, depth + 1)]), true, indent);
  if (shape.element !== undefined) return list(shapeText(shape.element, indent, depth + 1));
  return [...shape.types].sort().join(" | ");
}

/** A value as TypeScript. */
export function valueText(value, indent = "", depth = 0) {
  if (depth > 12) return "unknown";
  switch (value.kind) {
    case "type":
      return value.text;
    case "reference":
      return shapeText(value.shape, indent, depth);
    case "array":
      return list(valueText(value.element, indent, depth + 1));
    case "tuple":
      return `[${value.items.map((item) => valueText(item, indent, depth + 1)).join(", ")}]`;
    case "object": {
      const own = [...value.members].map(([name, item]) => [name, true, valueText(item, `${indent}  `, depth + 1)]);
      const under = value.rest === undefined ? [] : inherited(value.rest, new Set(value.members.keys()), indent, depth);
      return members([...under, ...own], value.rest !== undefined, indent);
    }
    case "either": {
      const texts = [...new Set(value.of.map((item) => valueText(item, indent, depth + 1)))];
      return texts.includes("unknown") ? "unknown" : texts.join(" | ");
    }
    default:
      return "unknown";
  }
}

/** The members of what lies under others. */
function inherited(value, hidden, indent, depth) {
  if (value.kind === "reference") return [...value.shape.members].filter(([name]) => !hidden.has(name)).map(([name, { shape, required }]) => [name, required, shapeText(shape, `${indent}  `, depth + 1)]);
  if (value.kind !== "object") return [];
  const own = [...value.members].filter(([name]) => !hidden.has(name)).map(([name, item]) => [name, true, valueText(item, `${indent}  `, depth + 1)]);
  return [...(value.rest === undefined ? [] : inherited(value.rest, new Set([...hidden, ...value.members.keys()]), indent, depth)), ...own];
}

function members(list, open, indent) {
  const lines = list.map(([name, required, text]) => `${indent}  ${/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)}${required ? "" : "?"}: ${text};`);
  // Whatever else there is: nobody reads it here.
  if (open) lines.push(`${indent}  [name: string]: unknown;`);
  return lines.length === 0 ? "{}" : `{\n${lines.join("\n")}\n${indent}}`;
}

function list(element) {
  return /[|\n]/.test(element) ? `Array<${element}>` : `${element}[]`;
}
