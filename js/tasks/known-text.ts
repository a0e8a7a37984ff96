// A value that is given as its JSON text.

const TEXT: unique symbol = Symbol.for("stepglass.JsonText");

/**
 * A value as its JSON text, which keeps all digits of its numbers: JavaScript would write 1.0 as 1 and round
 * 12345678901234567890. This one is of a text that is JSON; JsonText checks it.
 */
export class KnownText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** The value, parsed each time. */
  get value(): unknown {
    return JSON.parse(this.text);
  }

  get [TEXT](): boolean {
    return true;
  }
}

/** Whether a value is such a text, of this copy of the package or of another. */
export function isJsonText(value: unknown): value is KnownText {
  return typeof value === "object" && value !== null && (value as { [TEXT]?: unknown })[TEXT] === true;
}
