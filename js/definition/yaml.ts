// @ts-nocheck: has no types yet.
// Definitions in YAML, with CloudFormation's tags and with placeholders.

import { CST, Parser, parseDocument } from "yaml";
import { intrinsicTags } from "./template.ts";
import { misuse } from "../base/errors.ts";
import { checkOptions, shown } from "../base/options.ts";
import { pointerTo } from "../base/pointer.ts";
import { Filled } from "./placeholders.ts";

const DEPTH = 128;
const LEVELS = 500;
const PLACEHOLDER = /\$\{([^{}"'\n]*)\}/g;

/** What a YAML text stands for, as an object for `new StateMachine()` and `validate()`. */
export function parseYaml(text, options = {}) {
  if (typeof text !== "string") throw misuse("INVALID_ARGUMENT", `parseYaml() takes a text, not ${shown(text)}`);
  checkOptions(options, ["substitutions"], "parseYaml()");
  let filled;
  try {
    filled = new Filled(text, yamlHoles(text), options.substitutions);
    const bare = filled.missing.map(({ name }) => `\${${name}}`);
    if (bare.length > 0) throw new SyntaxError(`no value for ${[...new Set(bare)].join(", ")}: give it in the option substitutions`);
    const document = yamlDocument(filled.text, { merge: true, prettyErrors: false, customTags: intrinsicTags });
    const [error] = document.errors;
    if (error === undefined) return valueOfDocument(document);
    const { line, column } = filled.range(error.pos[0], error.pos[1]).start;
    throw new SyntaxError(`${error.message} at line ${line}, column ${column}`);
  } catch (error) {
    throw misuse("NOT_YAML", `the text is not YAML: ${error.message}`, SyntaxError);
  }
}

/** `parseDocument` for texts from anywhere: it calls itself for each level, and V8 may end the process where its stack ends. */
export function yamlDocument(text, options) {
  if (mayBeDeep(text)) throw new RangeError("its values are nested too deeply");
  return parseDocument(text, options);
}

/** Whether so many brackets are open at once, or a line is so far indented, that the levels may be more than `LEVELS`. */
function mayBeDeep(text) {
  let open = 0;
  let indent = 0;
  let leading = true;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 10) [indent, leading] = [0, true];
    else if (leading && (code === 32 || code === 45 || code === 63)) indent += 1;
    else leading = false;
    if (code === 91 || code === 123) open += 1;
    else if ((code === 93 || code === 125) && open > 0) open -= 1;
    if (open > LEVELS || indent > 2 * LEVELS) return true;
  }
  return false;
}

/** What a YAML document stands for. Aliases that multiply without end, and values too deep in one another, are refused. */
export function valueOfDocument(document) {
  let value;
  try {
    value = document.toJS();
  } catch (error) {
    throw error instanceof RangeError ? new RangeError("its values are nested too deeply") : error;
  }
  if (isDeep(value)) throw new RangeError("its values are nested too deeply");
  return value;
}

/** More values in one another than any reader of JSON takes here. */
function isDeep(value, depth = 0) {
  if (typeof value !== "object" || value === null) return false;
  return depth > DEPTH || Object.values(value).some((inner) => isDeep(inner, depth + 1));
}

/**
 * The placeholders of a YAML text, as `jsonHoles` has those of JSON. One that is a whole value without quotes is `plain`, and
 * one that is not even that, because brackets around it give its own another meaning, is bare.
 */
export function yamlHoles(text) {
  const holes = [];
  for (const match of text.matchAll(PLACEHOLDER)) holes.push({ name: match[1].trim(), start: match.index, end: match.index + match[0].length });
  if (holes.length === 0 || mayBeDeep(text)) return [];
  // Words of the same length are text everywhere.
  const masked = text.replace(PLACEHOLDER, (whole) => "x".repeat(whole.length));
  const found = new Map();
  const tell = (token, flow, pointer) => {
    if (token === undefined || !CST.isScalar(token)) return;
    const quoted = { "double-quoted-scalar": '"', "single-quoted-scalar": "'" }[token.type];
    const end = token.offset + (token.source?.length ?? 0);
    for (const hole of holes) {
      if (hole.start < token.offset || hole.end > end) continue;
      const whole = token.type === "scalar" && hole.start === token.offset && hole.end === end;
      found.set(hole, { pointer, ...(quoted !== undefined ? { quoted } : whole ? { plain: !flow } : flow ? { plain: false } : { quoted: "plain" }) });
    }
  };
  const walk = (token, flow, pointer) => {
    if (token === null || token === undefined) return;
    if (!Array.isArray(token.items)) return tell(token, flow, pointer);
    const inside = flow || token.type === "flow-collection";
    token.items.forEach(({ key, value }, i) => {
      const name = key?.source === undefined ? String(i) : key.source.replace(/^(["'])(.*)\1$/, "$2");
      const inner = pointerTo(pointer, name);
      for (const part of [key, value]) walk(part, inside, inner);
    });
  };
  for (const document of new Parser().parse(masked)) {
    if (document.type === "document") walk(document.value, false, "");
  }
  return holes.filter((hole) => found.has(hole)).map((hole) => ({ ...hole, ...found.get(hole) }));
}
