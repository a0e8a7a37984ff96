// What StartExecution asks of an execution's name and input.

/** The code and the message of AWS's error. */
type StartProblem = readonly [code: "ValidationException" | "InvalidName" | "InvalidExecutionInput", message: string];

/** Bytes of an input, where no other limit was set. */
export const PAYLOAD_LIMIT = 262_144;

// What a name may not have: white space, brackets, wildcards, and the characters that ARNs and URLs take for themselves.
const BAD_NAME = /[\s<>{}[\]?*"#%\\^|~`$&,;:/\u0000-\u001f\u007f-\u009f\ufffe\uffff\ud800-\udfff]/;
const NAME_LENGTH = 80;
const encoder = new TextEncoder();
// Codes of characters; the closing bracket and brace are two further on.
const [QUOTE, BACKSLASH, BRACKET, BRACE] = [0x22, 0x5c, 0x5b, 0x7b] as const;

/** Whether a name has characters that AWS refuses. */
export function isBadName(name: string): boolean {
  return BAD_NAME.test(name);
}

/** Why AWS would not start an execution with this name and this JSON text; undefined where it would. */
export function startProblem(name: string, input: string, limit = PAYLOAD_LIMIT): StartProblem | undefined {
  const length = (value: string, bound: string): StartProblem => [
    "ValidationException",
    `1 validation error detected: Value${value} failed to satisfy constraint: Member must have length ${bound}`,
  ];
  if (name.length === 0) return length(" '' at 'name'", "greater than or equal to 1");
  if (name.length > NAME_LENGTH) return length(` '${name}' at 'name'`, `less than or equal to ${NAME_LENGTH}`);
  if (isBadName(name)) return ["InvalidName", `Invalid Name: '${name}'`];
  // No character of a JavaScript string has more than three bytes.
  if (input.length * 3 > limit && encoder.encode(input).length > limit) return length(" at 'input'", `less than or equal to ${limit}`);
  return depthProblem(input);
}

/** Levels of arrays and objects in each other that the interpreter reads of a JSON text. */
export const DEPTH_LIMIT = 128;

/** Why an input with more levels is refused; undefined for one that has not. */
export function depthProblem(input: string): StartProblem | undefined {
  const at = tooDeepAt(input);
  return at === undefined
    ? undefined
    : [
        "InvalidExecutionInput",
        `Invalid State Machine Execution Input: 'the input is nested deeper than ${DEPTH_LIMIT} levels at character ${at}'`,
      ];
}

/** Where a JSON text goes below that depth, if it does. */
function tooDeepAt(text: string): number | undefined {
  if (text.length <= 2 * DEPTH_LIMIT) return undefined;
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (quoted) {
      if (code === BACKSLASH) at += 1;
      else quoted = code !== QUOTE;
    } else if (code === QUOTE) quoted = true;
    else if (code === BRACKET || code === BRACE) {
      depth += 1;
      if (depth > DEPTH_LIMIT) return at;
    } else if (code === BRACKET + 2 || code === BRACE + 2) depth -= 1;
  }
  return undefined;
}
