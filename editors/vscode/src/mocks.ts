// Results that the user has given to tasks, by document and state. They take the place of made-up results in later runs.

import { debug, window, type ExtensionContext, type Memento, type Uri } from "vscode";
import { TYPE } from "./configuration.ts";

type Results = Record<string, unknown>;

const KEY = "stepglass.mocks";

export class GivenResults {
  #memory: Memento;

  constructor({ workspaceState }: ExtensionContext) {
    this.#memory = workspaceState;
  }

  /** The results of a document's tasks, by the names of the states. */
  of(path: string): Results {
    return this.#memory.get<Record<string, Results>>(KEY, {})[path] ?? {};
  }

  /** Asks for the result of a task, and keeps it. An empty answer removes it. */
  async ask(path: string, state: string): Promise<boolean> {
    const known = this.of(path)[state];
    const text = await window.showInputBox({
      title: `The result of ${state}`,
      prompt: "JSON. Runs of this definition get it instead of a made-up result. Empty: a made-up result again.",
      value: known === undefined ? "" : JSON.stringify(known),
      validateInput: (given) => (given.trim() === "" || isJson(given) ? undefined : 'This is not JSON. Write, for example, {"paid": 5}'),
    });
    if (text === undefined) return false;
    const { [state]: _, ...others } = this.of(path);
    const results = text.trim() === "" ? others : { ...others, [state]: JSON.parse(text) as unknown };
    const { [path]: _old, ...rest } = this.#memory.get<Record<string, Results>>(KEY, {});
    await this.#memory.update(KEY, Object.keys(results).length === 0 ? rest : { ...rest, [path]: results });
    return true;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns the launch argument `mocks`: generated results, except for the tasks that were given one. */
export function mocksWith(results: Results): "generated" | Record<string, unknown> {
  const own = Object.entries(results).map(([state, result]) => [state, { mode: "result", result }]);
  return own.length === 0 ? "generated" : { ...Object.fromEntries(own), "*": "generated" };
}

/** Goes back to the last visit of a state in the run that is debugged, and runs it again from there. */
export async function rerunFrom(_uri: Uri, state: string): Promise<void> {
  const session = debug.activeDebugSession;
  if (session?.type !== TYPE) {
    void window.showInformationMessage("Debug the state machine first: a state runs again from where it was visited.");
    return;
  }
  try {
    await session.customRequest("stepglass/goto", { state });
    const { threads } = (await session.customRequest("threads")) as { threads: { id: number }[] };
    const threadId = threads[0]?.id;
    const { stackFrames } = (await session.customRequest("stackTrace", { threadId })) as { stackFrames: { id: number; name: string }[] };
    const frame = stackFrames.find(({ name }) => name === state) ?? stackFrames[0];
    if (frame === undefined) return;
    await session.customRequest("restartFrame", { frameId: frame.id });
    await session.customRequest("continue", { threadId });
  } catch (error) {
    void window.showInformationMessage(error instanceof Error ? error.message : String(error));
  }
}
