// The option --input of the commands that run definitions.

import { messageOf } from "../core/base/errors.ts";
import { Unusable } from "../language/files/problem.ts";
import { read } from "../language/files/reading.ts";
import { KnownText } from "../core/tasks/known-text.ts";

/** Returns an input as JSON text. `@FILE` is the content of a file. Throws Unusable for anything that is not JSON. */
export function inputOf(option = "{}"): KnownText {
  const text = option.startsWith("@") ? read(option.slice(1)) : option;
  try {
    JSON.parse(text);
    return new KnownText(text);
  } catch (error) {
    throw new Unusable(`the input is not JSON: ${messageOf(error)}`);
  }
}
