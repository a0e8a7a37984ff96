// Errors have codes and fields: a module outside of the core does not decide by the words of a message.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, test } from "node:test";
import { modulesIn } from "../floors.mjs";

const root = resolve(import.meta.dirname, "../..");
const FOLDERS = ["js", "www/src"];

/** `[module, part of the line, reason]` of each use that stays. */
const ALLOWED = [
  // Messages of other programs, which give nothing else.
  ["js/aws/clients.ts", "messageOf(error).includes(name)", "Node's MODULE_NOT_FOUND does not name the package in a field"],
  ["js/aws/errors.ts", "Deserialization error", "the AWS SDK appends its advice for programmers to the message"],
  ["js/cli/main.ts", "ERR_PARSE_ARGS_UNKNOWN_OPTION", "Node's parseArgs names the unknown option only in the message"],
  ["js/core/definition/yaml-syntax.ts", "unresolved alias", "the yaml package throws a ReferenceError without a code"],
  [
    "js/runtime/restate/ingress.ts",
    "service|handler",
    "Restate answers 404 for a service and for a handler that is missing, without a code",
  ],
  [
    "js/server/executions/destinations.ts",
    "thrown.message.includes(name)",
    "services and emulators write the error's name in different members",
  ],
  ["js/language/sources/template-machine.ts", "stack|recursion", "JavaScript engines throw a RangeError without a code"],
  ["js/runtime/store/sqlite-database.ts", "database is locked", "some drivers of SQLite give no result code"],
  ["www/src/forms/values.ts", "is not valid JSON", "browsers append the text to the message of JSON.parse"],
  ["www/src/model/field.ts", "/position (", "browsers give the position of a JSON error only in the message"],
  ["www/src/model/field.ts", "/line (", "browsers give the position of a JSON error only in the message"],
  ["www/src/model/field.ts", "end of (JSON|data)", "browsers give the kind of a JSON error only in the message"],
  // Messages of this package where nothing but a text can be passed on.
  [
    "js/runtime/restate/ingress.ts",
    "([A-Z][A-Z_]+)",
    "Restate passes on only the message of a handler's error, so the message begins with the code",
  ],
];

const SUBJECT = String.raw`(?:\bmessageOf\([^()]*\)|(?<![\w$])(?:message|cause|errorCause|said)\b(?!\())`;
const ENDS = String.raw`(?:\s+as \w+)?[!)]*\s*`;
const SEARCHES = new RegExp(`${SUBJECT}${ENDS}\\??\\.(?:match|matchAll|includes|startsWith|endsWith|search)\\([^\\n]*`, "g");
const CUTS = new RegExp(`${SUBJECT}${ENDS}\\??\\.(?:replace|replaceAll|split|indexOf|lastIndexOf)\\(([^\\n]*)`, "g");
const PATTERNS = new RegExp(`[\\w\\])/]\\??\\.(?:test|exec)\\([^\\n]*?${SUBJECT}[^\\n]*`, "g");
const EQUALS = new RegExp(`(typeof\\s+[\\w.?!()\\s]*)?${SUBJECT}${ENDS}[!=]==?\\s*["'\`][^\\n"'\`]*[A-Za-z][^\\n]*`, "g");
const SWITCHES = new RegExp(`\\bswitch\\s*\\([^\\n]*?${SUBJECT}${ENDS}\\{`, "g");

/** Returns the text without its comments. Lines keep their numbers. */
const code = (text) => text.replace(/(?<=^|[\s;{}(,])(?:\/\*[^]*?\*\/|\/\/[^\n]*)/g, (comment) => comment.replace(/[^\n]/g, " "));

/** Returns whether the first argument of a call is a text or a pattern with a word. A line break or a space is not one. */
function hasWord(argument) {
  const [literal] = /^\s*(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`|\/(?:\\.|[^/\\])*\/)/.exec(argument) ?? [];
  return literal !== undefined && /[A-Za-z]{2}/.test(literal.replace(/\\./g, " "));
}

/** Returns the expressions of a module that decide by the words of a message: `line: expression`. */
export function decisions(text) {
  const source = code(text);
  const found = [
    ...source.matchAll(SEARCHES),
    ...[...source.matchAll(CUTS)].filter(([, argument]) => hasWord(argument)),
    ...source.matchAll(PATTERNS),
    ...[...source.matchAll(EQUALS)].filter(([, typeOf]) => typeOf === undefined),
    ...source.matchAll(SWITCHES),
  ];
  const lines = new Set(found.map(({ index }) => source.slice(0, index).split("\n").length));
  return [...lines].sort((a, b) => a - b).map((line) => ({ line, expression: text.split("\n")[line - 1].trim() }));
}

const skip = existsSync(join(root, "js")) ? false : "the sources are not here";

describe("the words of a message", { skip }, () => {
  const found = FOLDERS.flatMap((folder) =>
    modulesIn(join(root, folder))
      .filter(({ name }) => !name.endsWith(".d.ts"))
      .flatMap(({ name, text }) => decisions(text).map((one) => ({ module: `${folder}/${name}`, ...one }))),
  );
  const isAllowed = ({ module, expression }) => ALLOWED.some(([where, part]) => where === module && expression.includes(part));

  test("decide nothing outside of the core", () => {
    assert.deepEqual(
      found.filter((one) => !isAllowed(one)).map(({ module, line, expression }) => `${module}:${line} ${expression}`),
      [],
      "Give the error a code or a field where it is made, and read that. A message of another program is named in ALLOWED.",
    );
  });

  test("are used in every listed place, for a stated reason", () => {
    assert.deepEqual(
      ALLOWED.filter(
        ([where, part, reason]) => reason === "" || !found.some(({ module, expression }) => where === module && expression.includes(part)),
      ),
      [],
    );
  });

  test("are found if a module reads them", () => {
    for (const line of [
      "const problem = /^Mock result: (.*)$/s.exec(messageOf(error))?.[1];",
      "if (/timed out/.test((thrown as Error).message)) retry();",
      "const step = STEP.exec(said)?.[1];",
      'if (error.message.includes("no handler")) stop();',
      'const hint = cause?.startsWith("No task handler") ? "" : advice;',
      "if ((error as Error).message.endsWith(MARK)) stop();",
      "if (outcome.cause!.match(/Lambda/)) stop();",
      "return cause.replace(/ Add one to the tasks option.*$/s, advice);",
      'return message.slice(message.indexOf("Execution Already Exists"));',
      'if (message === "closed") stop();',
      "switch (error.message) {",
    ])
      assert.equal(decisions(line).length, 1, line);
  });

  test("are not reported if a message is only shown", () => {
    for (const line of [
      'if (typeof error.message === "string") show(error.message);',
      'const [first] = message.split("\\n");',
      'const one = message.replace(/\\s+/g, " ");',
      "if (cause !== undefined && cause !== null) show(cause);",
      '// if (message === "closed") stop();',
      "show(`failed: ${error.message}`); names.includes(name);",
      'messages.includes("a");',
      'if (cause !== "" && inner(said) === "") show(cause);',
    ])
      assert.deepEqual(decisions(line), [], line);
  });
});
