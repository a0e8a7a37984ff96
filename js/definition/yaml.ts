// Definitions in YAML, with CloudFormation's tags and with placeholders.

import { CST, type Document } from "yaml";
import { messageOf, misuse } from "../base/errors.ts";
import { checkOptions } from "../base/options.ts";
import { shown } from "../base/shown.ts";
import { pointerTo } from "../base/pointer.ts";
import { Filled, type Hole } from "./placeholders.ts";
import { intrinsicTags } from "./tags.ts";
import { readYaml, yamlErrors, yamlTokens, type YamlOptions } from "./yaml-document.ts";

const DEPTH = 128;
const LEVELS = 500;
const PLACEHOLDER = /\$\{([^{}"'\n]*)\}/g;

/** What a YAML text stands for, as an object for `new StateMachine()` and `validate()`. */
export function parseYaml(text: string, options: { substitutions?: Record<string, unknown> } = {}): object {
  if (typeof text !== "string") throw misuse("INVALID_ARGUMENT", `parseYaml() takes a text, not ${shown(text)}`);
  checkOptions(options, ["substitutions"], "parseYaml()");
  try {
    const filled = new Filled(text, yamlHoles(text), options.substitutions);
    const bare = filled.missing.map(({ name }) => `\${${name}}`);
    if (bare.length > 0) throw new SyntaxError(`no value for ${[...new Set(bare)].join(", ")}: give it in the option substitutions`);
    const document = yamlDocument(filled.text, { merge: true, prettyErrors: false, customTags: intrinsicTags() });
    const [error] = yamlErrors(document);
    // What is no object is refused by those who take definitions.
    if (error === undefined) return valueOfDocument(document) as object;
    const { line, column } = filled.range(error.pos[0], error.pos[1]).start;
    throw new SyntaxError(`${error.message} at line ${line}, column ${column}`);
  } catch (error) {
    throw misuse("NOT_YAML", `the text is not YAML: ${messageOf(error)}`, SyntaxError);
  }
}

/** `readYaml` for texts from anywhere: it calls itself for each level, and V8 may end the process where its stack ends. */
export function yamlDocument(text: string, options: YamlOptions = {}): Document {
  if (mayBeDeep(text)) throw new RangeError("its values are nested too deeply");
  return readYaml(text, options);
}

/** Whether so many brackets are open at once, or a line is so far indented, that the levels may be more than `LEVELS`. */
function mayBeDeep(text: string): boolean {
  let open = 0;
  let indent = 0;
  let leading = true;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 10) [indent, leading] = [0, true];
    else if (leading && (code === 32 || code === 45 || code === 63)) indent += 1;
    else leading = false;
    // Outside of brackets one within a text is a part of it: `$.items[`.
    if (code === 91 || code === 123) open += open > 0 || i === 0 || " \t\n\r:".includes(text[i - 1]!) ? 1 : 0;
    else if ((code === 93 || code === 125) && open > 0) open -= 1;
    // Of JSON it is known: brackets in its strings are none.
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

/** What a YAML document stands for. Aliases that multiply without end, and values too deep in one another, are refused. */
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

/** More values in one another than any reader of JSON takes here. */
function isDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depth > DEPTH || Object.values(value).some((inner) => isDeep(inner, depth + 1));
}

/**
 * The placeholders of a YAML text, as `jsonHoles` has those of JSON. One that is a whole value without quotes is `plain`, and
 * one that is not even that, because brackets around it give its own another meaning, is bare.
 */
export function yamlHoles(text: string): Hole[] {
  const holes = [...text.matchAll(PLACEHOLDER)].map((match) => ({
    name: (match[1] ?? "").trim(),
    start: match.index,
    end: match.index + match[0].length,
  }));
  if (holes.length === 0 || mayBeDeep(text)) return [];
  // Words of the same length are text everywhere.
  const masked = text.replace(PLACEHOLDER, (whole) => "x".repeat(whole.length));
  const found = new Map<object, Pick<Hole, "quoted" | "plain" | "pointer">>();
  eachScalar(masked, (token, flow, pointer) => {
    const end = token.offset + token.source.length;
    for (const hole of holes) {
      if (hole.start < token.offset || hole.end > end) continue;
      const whole = token.type === "scalar" && hole.start === token.offset && hole.end === end;
      found.set(hole, { pointer, ...written(token, whole, flow) });
    }
  });
  return holes.flatMap((hole) => {
    const about = found.get(hole);
    return about === undefined ? [] : [{ ...hole, ...about }];
  });
}

/** How a placeholder stands in a scalar: in quotes, as a whole value without quotes, or as a part of one. */
function written({ type }: CST.FlowScalar | CST.BlockScalar, whole: boolean, flow: boolean): Pick<Hole, "quoted" | "plain"> {
  if (type === "double-quoted-scalar") return { quoted: '"' };
  if (type === "single-quoted-scalar") return { quoted: "'" };
  if (whole) return { quoted: undefined, plain: !flow };
  return flow ? { quoted: undefined, plain: false } : { quoted: "plain" };
}

/** Calls `tell` with the scalars of a text, whether brackets are around them, and their JSON Pointers. */
function eachScalar(text: string, tell: (token: CST.FlowScalar | CST.BlockScalar, flow: boolean, pointer: string) => void): void {
  const walk = (token: CST.Token | null | undefined, flow: boolean, pointer: string) => {
    if (token === null || token === undefined) return;
    if (!("items" in token)) {
      if (CST.isScalar(token)) tell(token, flow, pointer);
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
