/**
 * The interface of the package `asl-validator` 4, over Stepglass: the entry `stepglass/asl-validator`. The entry's default export is the
 * function, and with `require()` the entry itself.
 *
 * @packageDocumentation
 */

/** What {@link aslValidator} checks besides. A member that is left out is off, and both are on without options, as in that package. */
export interface AslValidatorOptions {
  /** Whether to check paths, payload templates and calls of intrinsic functions. */
  checkPaths?: boolean;
  /** Whether to check the `Resource` of tasks. */
  checkArn?: boolean;
}

/** A mistake in a definition. */
export interface AslValidatorError {
  /** The kind of mistake, in the words of asl-validator: `SCHEMA_VALIDATION_FAILED`, `MISSING_TRANSITION_TARGET` … */
  "Error code": string;
  /** A sentence with the place. */
  Message: string;
  /** The place, for `SCHEMA_VALIDATION_FAILED`. `schemaPath` is the code of the diagnostic: `stepglass#unknown-field`. */
  schemaError?: { instancePath: string; schemaPath: string };
}

/** What {@link aslValidator} returns. */
export interface AslValidatorResult {
  isValid: boolean;
  errors: AslValidatorError[];
  /** All errors as one text. `separator` stands between them; the default is a line break. */
  errorsText(separator?: string): string;
}

/**
 * Validates a definition and returns the result in the shape of asl-validator. The definition is not changed.
 *
 * @example
 * ```js
 * import aslValidator from "stepglass/asl-validator";
 *
 * const { isValid, errorsText } = aslValidator({ StartAt: "A", States: { A: { Type: "Pass", Next: "B" } } });
 * console.log(isValid, errorsText(", "));
 * ```
 */
export default function aslValidator(definition: object, options?: AslValidatorOptions): AslValidatorResult;
