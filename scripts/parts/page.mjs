// What a visitor's page does with every example of the gallery, for the page's first part. What somebody looks at besides comes with the
// rest, which the first deed loads.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parse } from "yaml";
import { gallery, handlersOf } from "../../pkg-tests/api/examples.mjs";
import { root } from "../steps.mjs";

/** Opens and runs the examples with the package's copy `stepglass`. */
export async function open({ language, layout, validate }) {
  const { DebugSession } = await import(pathToFileURL(join(root, "dist/debug.js")).href);
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
    if (problems.some(({ severity }) => severity === "error")) continue;
    // The rest comes with the first run, before a Distributed Map is far.
    if (text.includes("DISTRIBUTED")) continue;
    for (const { input } of inputs) await debug(new DebugSession(text, { input, tasks: await handlersOf(tasks), ask: true }), id);
  }
}

/** Runs an example as somebody does who steps, and then lets it run. */
async function debug(session, id) {
  const steps = ["stepIn", "stepStage", "next", "stepOut"];
  const look = () => {
    session.threads();
    session.timers();
    session.runs();
    for (const { state } of session.stackTrace()) {
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
