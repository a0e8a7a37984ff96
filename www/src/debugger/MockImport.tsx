// Imports mocks from a MockConfigFile.json of Step Functions Local, or from the `mock` of TestState.

import { useSignal } from "@preact/signals";
import type { Mock } from "../model/protocol.ts";
import * as analysis from "../store/analysis.ts";
import * as selection from "../store/selection.ts";
import { showToast } from "../store/notifications.ts";
import { type MockFile, readMockFile } from "./mockFiles.ts";
import { Dialog } from "../ui/Dialog.tsx";
import { Icon } from "../ui/Icon.tsx";
import { count } from "../ui/format.ts";

/** The text that is read as a file of mocks. */
function useFile() {
  const text = useSignal("");
  const file = useSignal<MockFile | null>(null);
  const problem = useSignal("");
  /** The index of the selected test case. */
  const chosen = useSignal(0);
  const read = (given: string): void => {
    text.value = given;
    file.value = null;
    problem.value = "";
    chosen.value = 0;
    if (given.trim() === "") return;
    try {
      file.value = readMockFile(given);
    } catch (error) {
      problem.value = (error as Error).message;
    }
  };
  return { text, file, problem, chosen, read };
}

type File = ReturnType<typeof useFile>;

export function MockImport({ close, take }: { close(): void; take(mocks: Record<string, Mock>): void }) {
  const file = useFile();
  const tasks = analysis.latest.value?.tasks ?? [];
  const state = useSignal(tasks.find((task) => task.state === selection.selectedState.value)?.state ?? tasks[0]?.state ?? "");
  const found = file.file.value;
  const mocks =
    found?.kind === "config"
      ? (found.cases[file.chosen.value]?.mocks ?? {})
      : found && state.value !== ""
        ? { [state.value]: found.mock }
        : {};
  const names = Object.keys(mocks);
  const foreign = names.filter((name) => !tasks.some((task) => task.state === name));
  const use = (
    <button
      type="button"
      class="primary"
      disabled={names.length === 0}
      onClick={() => {
        take(mocks);
        close();
        showToast(`${count(names.length, "mock")} imported.`);
      }}
    >
      Use {count(names.length, "mock")}
    </button>
  );
  return (
    <Dialog title="Mocks of a file" close={close} footer={use}>
      <p>
        A <code>MockConfigFile.json</code> of Step Functions Local, or the <code>mock</code> of the TestState API.
      </p>
      <Text file={file} />
      <Cases file={file} />
      {found?.kind === "testState" && (
        <label class="stack">
          <span>For the state</span>
          <select value={state.value} onChange={(event) => (state.value = event.currentTarget.value)}>
            {tasks.map((task) => (
              <option key={task.state}>{task.state}</option>
            ))}
          </select>
        </label>
      )}
      {foreign.length > 0 && <p class="mock-remark">The definition has no task {foreign.join(", ")}.</p>}
    </Dialog>
  );
}

function Text({ file: { text, problem, read } }: { file: File }) {
  return (
    <>
      <p>
        <label class="file-button">
          <Icon name="upload" size={14} /> Choose a file
          <input
            type="file"
            class="unseen"
            accept=".json"
            onChange={(event) => {
              const [from] = event.currentTarget.files ?? [];
              event.currentTarget.value = "";
              if (from) void from.text().then(read);
            }}
          />
        </label>
      </p>
      <label class="stack">
        <span>Text</span>
        <textarea
          class="mono"
          rows={7}
          spellcheck={false}
          value={text.value}
          aria-invalid={problem.value !== ""}
          aria-describedby="mock-import-problem"
          onInput={(event) => read(event.currentTarget.value)}
        />
      </label>
      <p class="field-problem" id="mock-import-problem" role="alert">
        {problem.value}
      </p>
    </>
  );
}

/** The test cases of a configuration. */
function Cases({ file: { file, chosen } }: { file: File }) {
  if (file.value?.kind !== "config") return null;
  return (
    <fieldset class="choices">
      <legend>Test case</legend>
      {file.value.cases.map(({ machine, name, mocks }, i) => (
        <label key={`${machine} ${name}`}>
          <input type="radio" name="test-case" checked={i === chosen.value} onChange={() => (chosen.value = i)} /> {machine} › {name}{" "}
          <span class="quiet">{count(Object.keys(mocks).length, "state")}</span>
        </label>
      ))}
    </fieldset>
  );
}
