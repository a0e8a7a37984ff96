// Parses the bodies of requests.

import { isObject } from "../../core/base/json.ts";
import { ApiError } from "./errors.ts";

// Maximum nesting of a body. The deepest request of the API has seven levels.
const DEPTH = 100;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Parses the body of a request. */
export function parse(body: Buffer): Record<string, unknown> {
  const refuse = (why: string): ApiError => new ApiError("SerializationException", why);
  if (body.length === 0) return {};
  let text: string;
  try {
    text = utf8.decode(body);
  } catch {
    throw refuse("the body is not UTF-8");
  }
  if (isDeep(text)) throw refuse(`the body nests more than ${DEPTH} levels deep`);
  let input: unknown;
  try {
    input = JSON.parse(text);
  } catch {
    throw refuse("the body is not JSON");
  }
  if (!isObject(input)) throw refuse("Start of structure or map found where not expected.");
  return input;
}

/** Returns whether the text nests deeper than any request of the API. */
function isDeep(text: string): boolean {
  let depth = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (quoted) {
      if (code === 92) i += 1;
      else if (code === 34) quoted = false;
    } else if (code === 34) quoted = true;
    else if (code === 91 || code === 123) {
      depth += 1;
      if (depth > DEPTH) return true;
    } else if (code === 93 || code === 125) depth -= 1;
  }
  return false;
}
