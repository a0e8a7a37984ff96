// The interpreter in two parts, for the page: what opening and running the gallery's examples needs, and the rest.
//
//   node scripts/parts.mjs      makes dist/parts of dist/stepglass.wasm
//
// The first part comes with the page, the rest with the visitor's first deed. Which function belongs where is measured
// with the examples themselves; what was guessed wrong costs a load, never an answer.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parse } from "yaml";
import { gallery, handlersOf } from "../pkg-tests/api/examples.mjs";
import { fingerprint, root } from "./steps.mjs";

const whole = join(root, "dist/stepglass.wasm");
const folder = join(root, "dist/parts");
const marked = join(folder, "marked.wasm");
const called = join(folder, "called.txt");
const stamp = join(folder, ".made.txt");
const parts = { first: join(folder, "first.wasm"), rest: join(folder, "rest.wasm") };

/** Makes the parts where they are not of the present module. */
export function makeParts() {
  if (!existsSync(whole)) throw new Error("there is no dist/stepglass.wasm yet: npm run build");
  const of = createHash("sha256")
    .update(readFileSync(whole))
    .update(fingerprint(["xtask/src", "scripts/parts.mjs", "www/examples"]))
    .digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === of) return;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const xtask = (...task) => execFileSync("cargo", ["xtask", ...task], { cwd: root, stdio: "inherit" });
  xtask("mark", whole, marked);
  // In a process of its own: this one may have the interpreter loaded already.
  execFileSync(process.execPath, [import.meta.filename, "--open-examples"], { stdio: ["ignore", "ignore", "inherit"] });
  xtask("cut", whole, called, parts.first, parts.rest);
  rmSync(marked);
  writeFileSync(stamp, of);
}

/** Does what a visitor's page does with every example, and writes down which functions were called. */
async function openExamples() {
  let instance;
  WebAssembly.Instance = class extends WebAssembly.Instance {
    constructor(...given) {
      super(...given);
      // The marked one comes first; handlers may load another.
      instance ??= this;
    }
  };
  const { initSync, language, layout, validate, version } = await import(pathToFileURL(join(root, "dist/slim.js")).href);
  const { DebugSession } = await import(pathToFileURL(join(root, "dist/debug.js")).href);
  initSync(readFileSync(marked));
  version();
  const ROW = {
    StartAt: "S0",
    States: Object.fromEntries(
      Array.from({ length: 30 }, (_, i) => [`S${i}`, i < 29 ? { Type: "Pass", Next: `S${i + 1}` } : { Type: "Succeed" }]),
    ),
  };
  for (const { id, definition, format, inputs, tasks } of gallery()) {
    const text = format === "yaml" ? JSON.stringify(parse(definition, { merge: true })) : definition;
    for (const direction of ["TB", "LR"]) {
      layout(text, {
        collapsed: [],
        expanded: [],
        foldLarge: true,
        direction,
        selectors: true,
        aspect: 1,
        widths: { chars: "aé", name: [556, 556], text: [556, 556] },
      });
      // A row that is long enough for columns.
      layout(ROW, { direction, aspect: 1 });
    }
    // Some examples are there to be mended: they are looked at, and don't run.
    language.outline(text);
    const problems = validate(text);
    if (problems.length > 0) language.codeActions(text);
    if (problems.some(({ severity }) => severity === "error")) continue;
    for (const { input } of inputs) await debug(new DebugSession(text, { input, tasks: await handlersOf(tasks), ask: true }), id);
  }
  const marks = Object.entries(instance.exports).filter(([name, mark]) => name.startsWith("mark ") && mark.value === 1);
  if (marks.length === 0) throw new Error("no function was called");
  writeFileSync(called, marks.map(([name]) => name.slice("mark ".length)).join("\n"));
}

/** Runs an example as somebody does who steps, looks around and then lets it run. */
async function debug(session, id) {
  const steps = ["stepIn", "stepStage", "next", "stepOut"];
  const look = () => {
    session.threads();
    session.timers();
    session.runs();
    session.executions();
    session.childSteps(0);
    for (const { visit, state } of session.stackTrace()) {
      session.scopes(visit);
      session.stages(visit);
      session.visits(state);
    }
    session.history(0);
  };
  // Also while it runs: what is on the way then is not there when it rests.
  for (const name of ["progress", "tasks"]) session.on(name, look);
  look();
  for (const step of steps) {
    session[step]();
    await rest(session);
    look();
  }
  if (session.outcome === undefined) session.continue({ ignoreBreakpoints: true });
  await rest(session);
  look();
  // By hand, where nobody else answers.
  for (let i = 0; i < 20 && session.outcome === undefined; i++) {
    for (const { task, input } of session.waiting()) session.answer(task, { kind: "succeed", output: input });
    await rest(session);
  }
  if (session.status === "running") console.warn(`parts: the example ${id} still runs`);
  session.dispose();
}

/** Waits until the session stands, or waits for somebody. */
async function rest(session) {
  for (let i = 0; i < 200 && session.status === "running" && session.waiting().length === 0; i++)
    await new Promise((resolve) => setTimeout(resolve, 1));
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  if (process.argv.includes("--open-examples")) await openExamples();
  else makeParts();
}
