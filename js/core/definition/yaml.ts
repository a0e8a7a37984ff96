// Parses definitions in YAML, with CloudFormation's tags and with placeholders.

import { CST, type Document } from "yaml";
import { messageOf, misuse } from "../base/errors.ts";
import { checkOptions } from "../base/options.ts";
import { shown } from "../base/shown.ts";
import { pointerTo } from "../base/pointer.ts";
import { Filled, type Placeholder } from "./placeholders.ts";
import { intrinsicTags } from "./tags.ts";
import { readYaml, yamlErrors, yamlTokens, type YamlOptions } from "./yaml-document.ts";

const DEPTH = 128;
const LEVELS = 500;
const PLACEHOLDER = /\$\{([^{}"'\n]*)\}/g;

/** Returns the value of a YAML text as an object for `new StateMachine()` and `validate()`. */
export function parseYaml(text: string, options: { substitutions?: Record<string, unknown> } = {}): object {
  if (typeof text !== "string") throw misuse("INVALID_ARGUMENT", `parseYaml() takes a text, not ${shown(text)}`);
  checkOptions(options, ["substitutions"], "parseYaml()");
  try {
    const filled = new Filled(text, yamlPlaceholders(text), options.substitutions);
    const bare = filled.missing.map(({ name }) => `\${${name}}`);
    if (bare.length > 0) throw new SyntaxError(`no value for ${[...new Set(bare)].join(", ")}: give it in the option substitutions`);
    const document = yamlDocument(filled.text, { merge: true, prettyErrors: false, customTags: intrinsicTags() });
    const [error] = yamlErrors(document);
    // The functions that take definitions refuse values that are not objects.
    if (error === undefined) return valueOfDocument(document) as object;
    const { line, column } = filled.range(error.pos[0], error.pos[1]).start;
    throw new SyntaxError(`${error.message} at line ${line}, column ${column}`);
  } catch (error) {
    throw misuse("NOT_YAML", `the text is not YAML: ${messageOf(error)}`, SyntaxError);
  }
}

/**
 * Parses a text of any origin. `readYaml` is recursive, and V8 may end the process if the stack overflows, so deep texts are
 * refused.
 */
export function yamlDocument(text: string, options: YamlOptions = {}): Document {
  if (mayBeDeep(text)) throw new RangeError("its values are nested too deeply");
  return readYaml(text, options);
}

/**
 * Returns whether the nesting may be deeper than `LEVELS`, judged by the open brackets and by the indentation of each line.
 */
function mayBeDeep(text: string): boolean {
  let open = 0;
  let indent = 0;
  let leading = true;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 10) [indent, leading] = [0, true];
    else if (leading && (code === 32 || code === 45 || code === 63)) indent += 1;
    else leading = false;
    // Outside of brackets, a bracket within a text is a part of it: `$.items[`.
    if (code === 91 || code === 123) open += open > 0 || i === 0 || " \t\n\r:".includes(text[i - 1]!) ? 1 : 0;
    else if ((code === 93 || code === 125) && open > 0) open -= 1;
    // For JSON this can be determined exactly, because brackets in strings do not count.
    if (open > LEVELS || indent > 2 * LEVELS) return !isFlatJson(text);
  }
  return false;
}

function isFlatJson(text: string): boolean {
  try {
    return !isDeep(JSON.parse(text));
  } catch {
    return false;
  }
}

/** Returns the value of a YAML document. Refuses aliases that multiply without end, and values that are nested too deeply. */
export function valueOfDocument(document: Document): unknown {
  let value: unknown;
  try {
    value = document.toJS();
  } catch (error) {
    throw error instanceof RangeError ? new RangeError("its values are nested too deeply") : error;
  }
  if (isDeep(value)) throw new RangeError("its values are nested too deeply");
  return value;
}

/** Returns whether a value is nested more deeply than any JSON parser accepts here. */
function isDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depth > DEPTH || Object.values(value).some((inner) => isDeep(inner, depth + 1));
}

/**
 * Returns the placeholders of a YAML text, as `jsonPlaceholders` does for JSON. A whole value without quotes is `plain`. If the brackets
 * around it give its own another meaning, it is bare.
 */
export function yamlPlaceholders(text: string): Placeholder[] {
  const holes = [...text.matchAll(PLACEHOLDER)].map((match) => ({
    name: (match[1] ?? "").trim(),
    start: match.index,
    end: match.index + match[0].length,
  }));
  if (holes.length === 0 || mayBeDeep(text)) return [];
  // Words of the same length are text everywhere.
  const masked = text.replace(PLACEHOLDER, (whole) => "x".repeat(whole.length));
  const found = new Map<object, Pick<Placeholder, "quoted" | "plain" | "pointer">>();
  eachScalar(masked, (token, flow, pointer) => {
    const end = token.offset + token.source.length;
    for (const hole of holes) {
      if (hole.start < token.offset || hole.end > end) continue;
      const whole = token.type === "scalar" && hole.start === token.offset && hole.end === end;
      found.set(hole, { pointer, ...quotingOf(token, whole, flow) });
    }
  });
  return holes.flatMap((hole) => {
    const about = found.get(hole);
    return about === undefined ? [] : [{ ...hole, ...about }];
  });
}

/** Returns how a placeholder is written in a scalar: in quotes, as a whole value without quotes, or as a part of one. */
function quotingOf({ type }: CST.FlowScalar | CST.BlockScalar, whole: boolean, flow: boolean): Pick<Placeholder, "quoted" | "plain"> {
  if (type === "double-quoted-scalar") return { quoted: '"' };
  if (type === "single-quoted-scalar") return { quoted: "'" };
  if (whole) return { quoted: undefined, plain: !flow };
  return flow ? { quoted: undefined, plain: false } : { quoted: "plain" };
}

/** Calls `report` with each scalar of a text, whether it is inside of brackets, and its JSON Pointer. */
function eachScalar(text: string, report: (token: CST.FlowScalar | CST.BlockScalar, flow: boolean, pointer: string) => void): void {
  const walk = (token: CST.Token | null | undefined, flow: boolean, pointer: string) => {
    if (token === null || token === undefined) return;
    if (!("items" in token)) {
      if (CST.isScalar(token)) report(token, flow, pointer);
      return;
    }
    const inside = flow || token.type === "flow-collection";
    token.items.forEach(({ key, value }, i) => {
      const name = key && "source" in key ? key.source.replace(/^(["'])(.*)\1$/, "$2") : String(i);
      const inner = pointerTo(pointer, name);
      for (const part of [key, value]) walk(part, inside, inner);
    });
  };
  for (const document of yamlTokens(text)) {
    if (document.type === "document") walk(document.value, false, "");
  }
}
