/** What Restate is not to try again: the caller has asked for something impossible. */
export class Refused extends Error {
  override name = "Refused";
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
