// Measures what tests notice: changes one place of a source file at a time, and counts the changes that make the tests fail.
//
//   node scripts/mutants.mjs --files a.ts,b.ts --run "node --test pkg-tests/api/x.test.mjs" [--build "npm run build:page"]
//       [--count 60] [--seed 1] [--seconds 300] [--list]
//
// The seed draws the changes, so that the same ones can be made before and after tests have been rewritten. A change is killed if
// `--run` fails or takes longer than `--seconds`. `--build` runs after each change and must succeed; a change that cannot be built
// does not count. `--list` only prints the changes. Changes of types alone are not drawn, because they change nothing at run time.
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { transformSync } from "esbuild";
import { generator } from "./random.mjs";
import { root, windows } from "./steps.mjs";

/** What may be changed: the pattern of a token, and its replacements. */
const CHANGES = [
  [/===/g, ["!=="]],
  [/!==/g, ["==="]],
  [/ < /g, [" <= ", " >= "]],
  [/ > /g, [" >= ", " <= "]],
  [/ <= /g, [" < "]],
  [/ >= /g, [" > "]],
  [/ && /g, [" || "]],
  [/ \|\| /g, [" && "]],
  [/ \?\? /g, [" && "]],
  [/ \+ /g, [" - "]],
  [/ - /g, [" + "]],
  [/\btrue\b/g, ["false"]],
  [/\bfalse\b/g, ["true"]],
  [/(?<![\w.])\d+\b/g, [(digits) => String(Number(digits) + 1)]],
  [/(?<=[(\s])!(?=[\w(])/g, [""]],
  [/(?<=\bif )\((?=[^)]*\)(?: |$))/gm, ["(true || ", "(false && "]],
  [/\.some\(/g, [".every("]],
  [/\.every\(/g, [".some("]],
  [/\.findLast\(/g, [".find("]],
  [/\.(?:start|from)\b/g, [(name) => (name === ".start" ? ".end" : ".to")]],
  [/(?<=\breturn )(?=[\w[{(])/g, ["undefined && "]],
];

/** Returns all changes of a file: `{ file, line, from, to, index }`. */
function changesOf(file, text) {
  const code = blank(text);
  const original = compiled(text);
  const found = [];
  for (const [pattern, replacements] of CHANGES)
    for (const match of code.matchAll(pattern))
      for (const replacement of replacements) {
        const to = typeof replacement === "string" ? replacement : replacement(match[0]);
        found.push({ file, index: match.index, from: match[0], to, line: text.slice(0, match.index).split("\n").length });
      }
  return found.filter((change) => {
    const after = compiled(changed(text, change));
    return after !== undefined && after !== original;
  });
}

function changed(text, { index, from, to }) {
  return text.slice(0, index) + to + text.slice(index + from.length);
}

/** Returns the JavaScript of a module; undefined if it cannot be compiled. */
function compiled(text) {
  try {
    return transformSync(text, { loader: "tsx", jsx: "automatic", minifySyntax: true, logLevel: "silent" }).code;
  } catch {
    return undefined;
  }
}

/** Returns the text with comments, strings and regular expressions blanked, at the same length. */
function blank(text) {
  const token =
    /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\$]|\\.|\$(?!\{))*`|(?<=[(,=:[!&|?{};]\s*)\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/\w*/g;
  return text.replaceAll(token, (part) => part.replaceAll(/[^\n]/g, " "));
}

const { values } = parseArgs({
  options: {
    files: { type: "string" },
    run: { type: "string" },
    build: { type: "string" },
    count: { type: "string", default: "60" },
    seed: { type: "string", default: "1" },
    seconds: { type: "string", default: "300" },
    list: { type: "boolean", default: false },
  },
});
if (values.files === undefined || (values.run === undefined && !values.list)) {
  console.error(
    'usage: node scripts/mutants.mjs --files FILE,… --run "COMMAND" [--build "COMMAND"] [--count N] [--seed N] [--seconds N] [--list]',
  );
  process.exit(2);
}

const texts = new Map(values.files.split(",").map((file) => [file, readFileSync(join(root, file), "utf8")]));
const all = [...texts].flatMap(([file, text]) => changesOf(file, text));
const random = generator(Number(values.seed));
const drawn = [];
while (drawn.length < Number(values.count) && all.length > 0) drawn.push(...all.splice(Math.floor(random() * all.length), 1));

const outcomes = { killed: 0, survived: 0, "not built": 0 };
const restore = () => {
  for (const [file, text] of texts) if (readFileSync(join(root, file), "utf8") !== text) writeFileSync(join(root, file), text);
};
let running;
for (const signal of ["SIGINT", "SIGTERM"])
  process.on(signal, () => {
    end();
    process.exit(1);
  });
process.on("exit", restore);
if (!values.list && !((values.build === undefined || (await succeeds(values.build))) && (await succeeds(values.run)))) {
  console.error("mutants: the command fails without any change");
  process.exit(1);
}
for (const change of drawn) {
  const name = `${change.file}:${change.line} ${JSON.stringify(change.from)} → ${JSON.stringify(change.to)}`;
  if (values.list) {
    console.log(name);
    continue;
  }
  writeFileSync(join(root, change.file), changed(texts.get(change.file), change));
  const built = values.build === undefined || (await succeeds(values.build));
  const outcome = !built ? "not built" : (await succeeds(values.run)) ? "survived" : "killed";
  writeFileSync(join(root, change.file), texts.get(change.file));
  outcomes[outcome] += 1;
  console.log(`${outcome.padEnd(10)}${name}`);
}
if (!values.list) {
  const counted = outcomes.killed + outcomes.survived;
  console.log(
    `${outcomes.killed} of ${counted} changes killed (${((100 * outcomes.killed) / Math.max(1, counted)).toFixed(0)} %), ${outcomes["not built"]} not built`,
  );
}

/** Runs a command of the shell without output; resolves to whether it succeeded in time. */
function succeeds(command) {
  return new Promise((resolve) => {
    const child = spawn(command, { cwd: root, shell: true, stdio: "ignore", detached: !windows });
    running = child;
    const timer = setTimeout(end, 1_000 * Number(values.seconds));
    child.on("close", (code) => {
      clearTimeout(timer);
      running = undefined;
      resolve(code === 0);
    });
  });
}

/** Ends the running command with all its processes. */
function end() {
  if (running === undefined) return;
  if (windows) running.kill("SIGKILL");
  else process.kill(-running.pid, "SIGKILL");
}
