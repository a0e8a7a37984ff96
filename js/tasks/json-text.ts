// What a program gives in place of a value whose numbers are to keep their digits.

import { messageOf, misuse } from "../base/errors.ts";
import { shown } from "../base/shown.ts";
import { KnownText } from "./known-text.ts";

/** A value as its JSON text. */
export class JsonText extends KnownText {
  constructor(text: string) {
    if (typeof text !== "string") throw misuse("INVALID_ARGUMENT", `new JsonText() takes a JSON text, not ${shown(text)}`);
    try {
      JSON.parse(text);
    } catch (error) {
      throw misuse("NOT_JSON", `the text is not JSON: ${messageOf(error)}`, SyntaxError);
    }
    super(text);
  }

  /** Inside of another value it is written as what it says. */
  toJSON(): unknown {
    return this.value;
  }
}
