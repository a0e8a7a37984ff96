// Values that are given as their JSON texts.

const TEXT: unique symbol = Symbol.for("stepglass.JsonText");

/**
 * A value that is given as its JSON text, which keeps all digits of its numbers: JavaScript would write 1.0 as 1 and round
 * 12345678901234567890. The text must be JSON; JsonText checks that.
 */
export class KnownText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** The value, parsed anew at each access. */
  get value(): unknown {
    return JSON.parse(this.text);
  }

  get [TEXT](): boolean {
    return true;
  }
}

/** Returns whether a value is such a text, of this copy of the package or of another. */
export function isJsonText(value: unknown): value is KnownText {
  return typeof value === "object" && value !== null && (value as { [TEXT]?: unknown })[TEXT] === true;
}
