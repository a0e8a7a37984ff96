// JSON texts that a program passes instead of values, so that their numbers keep all digits.

import { messageOf, misuse } from "../base/errors.ts";
import { shown } from "../base/shown.ts";
import { KnownText } from "./known-text.ts";

/** A value that is given as its JSON text. */
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

  /** Inside another value, JSON.stringify() writes it as the value. */
  toJSON(): unknown {
    return this.value;
  }
}
