// Generates what a machine needs for its first run from what its definition reads: an input, and mocks of its tasks.

import { batch, effect } from "@preact/signals";
import * as analysis from "../store/analysis.ts";
import * as interpreter from "../store/interpreter.ts";
import * as runner from "../store/runner.ts";
import { dismiss, notify, say, showAlarm } from "../store/notifications.ts";
import * as workspace from "../store/workspace.ts";
import { count } from "../ui/format.ts";
import { hasHandler } from "./handlers.ts";
import * as model from "./model.ts";
import { exampleFor, filledIn } from "./responses.ts";

/** Stores the current input in the list, under a new name. */
export function keepInput(wanted = `Input ${workspace.inputs.value.length + 1}`): void {
  workspace.flush();
  const text = workspace.input.value;
  if (workspace.inputs.value.some((input) => input.text === text)) return;
  const names = new Set(workspace.inputs.value.map(({ name }) => name));
  let name = wanted;
  for (let n = 2; names.has(name); n++) name = `${wanted} (${n})`;
  workspace.edit({ inputs: [...workspace.inputs.value, { name, text }] });
  say(`Saved as ${name}`);
}

/** Replaces the current input. The old one is stored in the list, unless it is empty. */
export function putInput(text: string, name: string): void {
  workspace.flush();
  batch(() => {
    if (!/^\s*(\{\s*\}\s*)?$/.test(workspace.input.value)) keepInput();
    workspace.edit({ input: text });
    keepInput(name);
  });
}

const written = () => ({ text: workspace.definition.value, format: workspace.format.value });

/** Returns whether the text of an input is empty. */
const isEmptyInput = (text: string): boolean => /^\s*(\{\s*\}\s*)?$/.test(text);

/** Generates an input with everything that the definition reads. Returns the number of its members. */
export async function generateInput(): Promise<number> {
  workspace.flush();
  const input = (await interpreter.query("exampleInput", written())) as object;
  putInput(`${JSON.stringify(input, null, 2)}\n`, "Generated");
  return Object.keys(input).length;
}

/** Adds a mock for each task without one. Its result has what later states read. Returns the number of mocks. */
export async function mockEvery(): Promise<number> {
  await analysis.settled();
  const results = await interpreter.query("exampleResults", written());
  const tasks = (analysis.latest.value?.tasks ?? []).filter(({ state }) => !model.isMocked(state));
  const made = tasks.map(
    ({ state, resource }) => [state, { mode: "result", result: filledIn(exampleFor(resource), results[state]) }] as const,
  );
  model.mocks.value = { ...model.mocks.value, ...Object.fromEntries(made) };
  return tasks.length;
}

/** Returns the members that the definition reads, if the input is empty. */
export async function lackingInput(): Promise<string[]> {
  if (!isEmptyInput(workspace.input.value)) return [];
  const input = await interpreter.query("exampleInput", written()).catch(() => ({}));
  return Object.keys(input as object);
}

/** Returns the number of tasks that have neither a mock nor a handler. */
const openTasks = (): number =>
  (analysis.latest.value?.tasks ?? []).filter((task) => !model.isMocked(task.state) && !hasHandler(task)).length;

/** Generates what is missing, and runs. */
export async function fillAndRun(): Promise<void> {
  try {
    if ((await lackingInput()).length > 0) await generateInput();
    if (openTasks() > 0) await mockEvery();
    dismiss("first");
    await runner.start();
  } catch (error) {
    showAlarm(`The run was not prepared: ${(error as Error).message}`);
  }
}

/** Shows a notice before the first run of a new machine if its input lacks what the definition reads. */
export async function offerFirstRun(): Promise<void> {
  const text = workspace.definition.value;
  const members = await lackingInput();
  if (members.length === 0 || analysis.errorCount.value > 0 || workspace.definition.value !== text) return;
  const tasks = openTasks();
  const read = members.length > 3 ? `${members.slice(0, 3).join(", ")} and more` : members.join(", ");
  notify({
    kind: "first",
    text: `The input is empty, and the definition reads ${read} of it${tasks > 0 ? `. ${count(tasks, "task")} ${tasks === 1 ? "has" : "have"} no mock` : ""}.`,
    actions: [
      { label: tasks > 0 ? "Generate both and run" : "Generate an input and run", run: () => void fillAndRun() },
      { label: "Only the input", run: () => void generateInput().then(() => dismiss("first")) },
    ],
  });
  // The notice is removed when the input changes.
  const stop = effect(() => {
    if (isEmptyInput(workspace.input.value) && workspace.definition.value === text) return;
    dismiss("first");
    queueMicrotask(() => stop());
  });
}
