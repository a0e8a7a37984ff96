/** An error that Restate must not retry, because the request can never succeed. */
export class Refused extends Error {
  override name = "Refused";
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
