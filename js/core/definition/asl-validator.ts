// Reports the problems of a definition in the form of the package asl-validator.

import type { AslValidatorError, AslValidatorOptions, AslValidatorResult } from "../api/asl-validator.d.ts";
import type { Diagnostic } from "../api/index.d.ts";
import { misuse } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import { pointerSteps } from "../base/pointer.ts";
import { shown } from "../base/shown.ts";
import { validate } from "./definition.ts";

/** Codes that the option `checkPaths` controls. */
const PATHS = new Set(["invalid-path", "invalid-reference-path", "invalid-template", "invalid-intrinsic", "intrinsic-arguments"]);

/** Codes that the option `checkArn` controls. */
const ARNS = new Set(["invalid-resource", "unrecognized-resource"]);

const ARN = /^arn:[^:\s]+:[^:\s]+:[^:\s]*:[^:\s]*:\S+$/;

const SCHEMA = "SCHEMA_VALIDATION_FAILED";

/** The codes of asl-validator for diagnostics that always have the same one. */
const CODES: Record<string, string | undefined> = {
  "duplicate-state": "DUPLICATE_STATE_NAMES",
  "duplicate-template-field": "DUPLICATE_FIELD_NAME",
  "missing-transition": "TERMINAL_STATE_WITH_NEXT",
  "no-terminal-state": "MISSING_TERMINAL_STATE",
  "unreachable-state": "MISSING_TRANSITION_TARGET",
};

/** The codes for fields that are missing or that must not be there. */
const FIELDS: readonly (readonly [fields: RegExp, code: string])[] = [
  [/^(Next|End)$/, "TERMINAL_STATE_WITH_NEXT"],
  [/^TimeoutSeconds(Path)?$/, "TASK_TIMEOUT"],
  [/^HeartbeatSeconds(Path)?$/, "TASK_HEARTBEAT"],
  [/^(Seconds|Timestamp)(Path)?$/, "WAIT_DURATION"],
  [/^(Iterator|ItemProcessor)$/, "MAP_ITEM_PROCESSOR"],
  [/^(ItemSelector|Parameters)$/, "MAP_ITEM_SELECTOR"],
  [/^Items(Path)?$/, "MAP_ITEMS_ERROR"],
  [/^MaxConcurrency(Path)?$/, "MAP_CONCURRENCY_ERROR"],
  [/^ToleratedFailure(Count|Percentage)(Path)?$/, "MAP_TOLERATED_FAILURE"],
  [/^MaxItems(Path)?$/, "MAP_ITEMREADER_MAXITEM"],
  [/^Max(Items|InputBytes)PerBatch(Path)?$/, "MAP_ITEM_BATCHER"],
  [/^Cause(Path)?$/, "FAIL_CAUSE_PROPERTY"],
  [/^Error(Path)?$/, "FAIL_ERROR_PROPERTY"],
];

/** Implements the function of the package: returns whether a definition is valid, with its problems. */
export function aslValidator(definition: object, options?: AslValidatorOptions): AslValidatorResult {
  const { checkPaths = false, checkArn = false } = options ?? { checkPaths: true, checkArn: true };
  if (definition === undefined || definition === null)
    throw misuse("INVALID_ARGUMENT", `aslValidator() takes a definition, not ${shown(definition)}`);
  // `validate` would parse a text, but that package accepts only values.
  const found = typeof definition === "object" ? validate(definition) : validate(JSON.stringify(definition));
  const errors = found
    .filter((diagnostic) => diagnostic.severity === "error" || isReported(diagnostic, definition))
    .filter(({ code }) => (checkPaths || !PATHS.has(code)) && (checkArn || !ARNS.has(code)))
    .map((diagnostic) => errorOf(diagnostic, definition));
  return {
    isValid: errors.length === 0,
    errors,
    errorsText: (separator = "\n") => errors.map((error) => `${error["Error code"]}: ${error.Message}`).join(separator),
  };
}

/**
 * Returns whether a diagnostic is a problem there. Two warnings are: a call that fails each time, and a resource that only handlers
 * outside of AWS can serve.
 */
function isReported({ code, pointer }: Diagnostic, definition: object): boolean {
  if (code === "unrecognized-resource") return !ARN.test(String(valueAt(definition, pointerSteps(pointer))));
  return code === "intrinsic-arguments";
}

function errorOf(diagnostic: Diagnostic, definition: object): AslValidatorError {
  const { pointer, code, message, help, fix } = diagnostic;
  const advice = [help, fix?.title].filter((one) => one !== undefined);
  const sentence = advice.length === 0 ? message : `${message} (${advice.join("; ")})`;
  const known = codeOf(diagnostic, definition);
  if (known !== SCHEMA) return { "Error code": known, Message: `${sentence}, at ${pointer === "" ? "/" : pointer}` };
  const schemaError = { instancePath: pointer, schemaPath: `stepglass#${code}` };
  return { "Error code": SCHEMA, Message: `${pointer} is invalid. ${sentence}`, schemaError };
}

function codeOf({ code, pointer }: Diagnostic, definition: object): string {
  const steps = pointerSteps(pointer);
  if (code === "unknown-target") return targetCode(steps, definition);
  if (code === "missing-one-of") {
    const type = (valueAt(definition, steps) as { Type?: unknown } | undefined)?.Type;
    return type === "Wait" ? "WAIT_DURATION" : type === "Map" ? "MAP_ITEM_PROCESSOR" : SCHEMA;
  }
  if (code === "exclusive-fields") {
    const field = steps.at(-1) ?? "";
    return FIELDS.find(([fields]) => fields.test(field))?.[1] ?? SCHEMA;
  }
  return CODES[code] ?? SCHEMA;
}

/** Returns the code for a transition out of a branch or iteration to a state elsewhere, or to a state that does not exist. */
function targetCode(steps: readonly string[], definition: object): string {
  const target = valueAt(definition, steps);
  const around = steps.findLast((step) => step === "Branches" || step === "Iterator" || step === "ItemProcessor");
  if (around === undefined || typeof target !== "string" || !hasState(definition, target)) return "MISSING_TRANSITION_TARGET";
  return around === "Branches" ? "BRANCH_OUTBOUND_TRANSITION_TARGET" : "MAP_OUTBOUND_TRANSITION_TARGET";
}

function valueAt(value: unknown, steps: readonly string[]): unknown {
  let here = value;
  for (const step of steps) here = isObject(here) || Array.isArray(here) ? (here as Record<string, unknown>)[step] : undefined;
  return here;
}

/** Returns whether a machine has a state with that name at any depth. The compiler has limited the depth. */
function hasState(machine: unknown, name: string): boolean {
  if (!isObject(machine) || !isObject(machine.States)) return false;
  if (Object.hasOwn(machine.States, name)) return true;
  return Object.values(machine.States).some((state) => {
    if (!isObject(state)) return false;
    const branches: unknown[] = Array.isArray(state.Branches) ? state.Branches : [];
    return [...branches, state.Iterator, state.ItemProcessor].some((inner) => hasState(inner, name));
  });
}
