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
const [QUOTE, BACKSLASH, BRACKET, BRACE, DIGIT] = [0x22, 0x5c, 0x5b, 0x7b, 0x30] as const;
// A number from its first digit on.
const NUMBER = /[\d.eE+-]+/y;

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
  return inputProblem(input);
}

/** Levels of arrays and objects in each other that the interpreter reads of a JSON text. */
const DEPTH_LIMIT = 128;

/** Why the interpreter does not read a text that is JSON, and at which character. */
interface Unreadable {
  /** What the input does: "is nested…". */
  reason: string;
  at: number;
}

/** What the interpreter does not read of a text that is JSON: more levels, and numbers beyond those of a double. */
export function unreadable(text: string): Unreadable | undefined {
  const deep = tooDeepAt(text);
  if (deep !== undefined) return { reason: `is nested deeper than ${DEPTH_LIMIT} levels`, at: deep };
  const large = tooLargeAt(text);
  return large === undefined ? undefined : { reason: "has a number that is larger than any double", at: large };
}

/** Why such an input is refused; undefined for one that is read. */
export function inputProblem(input: string): StartProblem | undefined {
  const problem = unreadable(input);
  return (
    problem && ["InvalidExecutionInput", `Invalid State Machine Execution Input: 'the input ${problem.reason} at character ${problem.at}'`]
  );
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

/** Where it has a number that JavaScript reads as infinite, if it has. */
function tooLargeAt(text: string): number | undefined {
  if (!/[eE]\+?\d{3}|\d{309}/.test(text)) return undefined;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at += 1;
    else if (code === QUOTE) quoted = !quoted;
    else if (!quoted && code >= DIGIT && code <= DIGIT + 9) {
      NUMBER.lastIndex = at;
      const [number] = NUMBER.exec(text)!;
      if (Number(number) === Infinity) return at;
      at += number.length - 1;
    }
  }
  return undefined;
}
