/**
 * The interface of the package `asl-validator` 4, implemented by Stepglass: the entry `stepglass/asl-validator`. The function is
 * the default export; with `require()`, it is the module itself.
 *
 * @packageDocumentation
 */

/** What else {@link aslValidator} checks. As in that package, an omitted member is off, but without options both are on. */
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
  /** All errors as one text. `separator` is put between them; the default is a line break. */
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
