// The rules of StartExecution for an execution's name and input.

/** The code and the message of AWS's error. */
type StartProblem = readonly [code: "ValidationException" | "InvalidName" | "InvalidExecutionInput", message: string];

/** Maximum size of an input, in bytes, if no other limit is set. */
export const PAYLOAD_LIMIT = 262_144;

// Characters that a name must not contain: white space, brackets, wildcards, and characters with a meaning in ARNs and URLs.
const BAD_NAME = /[\s<>{}[\]?*"#%\\^|~`$&,;:/\u0000-\u001f\u007f-\u009f\ufffe\uffff\ud800-\udfff]/;
const NAME_LENGTH = 80;
const encoder = new TextEncoder();
// The codes of characters. The closing bracket and brace have codes that are higher by 2.
const [QUOTE, BACKSLASH, BRACKET, BRACE, DIGIT] = [0x22, 0x5c, 0x5b, 0x7b, 0x30] as const;
// Matches a number from its first digit.
const NUMBER = /[\d.eE+-]+/y;

/** Returns whether a name has characters that AWS refuses. */
export function isBadName(name: string): boolean {
  return BAD_NAME.test(name);
}

/** Returns why AWS would not start an execution with this name and this JSON text; undefined if it would. */
export function startProblem(name: string, input: string, limit = PAYLOAD_LIMIT): StartProblem | undefined {
  const length = (value: string, bound: string): StartProblem => [
    "ValidationException",
    `1 validation error detected: Value${value} failed to satisfy constraint: Member must have length ${bound}`,
  ];
  if (name.length === 0) return length(" '' at 'name'", "greater than or equal to 1");
  if (name.length > NAME_LENGTH) return length(` '${name}' at 'name'`, `less than or equal to ${NAME_LENGTH}`);
  if (isBadName(name)) return ["InvalidName", `Invalid Name: '${name}'`];
  // A code unit of a JavaScript string takes at most three bytes.
  if (input.length * 3 > limit && encoder.encode(input).length > limit) return length(" at 'input'", `less than or equal to ${limit}`);
  return inputProblem(input);
}

/** Maximum nesting of arrays and objects in a JSON text that the interpreter reads. */
const DEPTH_LIMIT = 128;

/** Why the interpreter refuses a text that is JSON, and at which character. */
interface Unreadable {
  /** The rest of a sentence whose subject is the input: "is nested…". */
  reason: string;
  at: number;
}

/** Returns why the interpreter refuses a text that is JSON: it has too many levels, or a number that is too large for a double. */
export function unreadable(text: string): Unreadable | undefined {
  const deep = tooDeepAt(text);
  if (deep !== undefined) return { reason: `is nested deeper than ${DEPTH_LIMIT} levels`, at: deep };
  const large = tooLargeAt(text);
  return large === undefined ? undefined : { reason: "has a number that is larger than any double", at: large };
}

/** Returns why such an input is refused; undefined if it is accepted. */
export function inputProblem(input: string): StartProblem | undefined {
  const problem = unreadable(input);
  return (
    problem && ["InvalidExecutionInput", `Invalid State Machine Execution Input: 'the input ${problem.reason} at character ${problem.at}'`]
  );
}

/** Returns the position at which a JSON text exceeds the maximum nesting; undefined if it does not. */
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

/** Returns the position of a number that JavaScript reads as infinite; undefined if there is none. */
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
