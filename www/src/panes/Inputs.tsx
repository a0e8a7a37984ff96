// The list of inputs, and the ways to add another one.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { generateInput, keepInput, putInput } from "../debugger/firstRun.ts";
import { say, showToast } from "../store/notifications.ts";
import * as workspace from "../store/workspace.ts";
import { Icon } from "../ui/Icon.tsx";

export function InputHead() {
  const { value: inputs } = workspace.inputs;
  const chosen = inputs.findIndex(({ text }) => text === workspace.input.value);
  const open = useSignal<"" | "rename" | "history">("");
  const remove = (): void => {
    say(`${inputs[chosen]!.name} removed from the list`);
    workspace.edit({ inputs: inputs.filter((_, i) => i !== chosen) });
  };
  return (
    <>
      <div class="hint input-head">
        {inputs.length > 0 ? <Choice chosen={chosen} /> : <span>The execution's input as JSON. An empty field means {"{}"}.</span>}
        {chosen < 0 ? (
          <button type="button" class="link" onClick={() => keepInput()}>
            <Icon name="plus" size={12} /> Add to the list
          </button>
        ) : (
          <>
            <button
              type="button"
              class="link"
              aria-expanded={open.value === "rename"}
              onClick={() => (open.value = open.value === "rename" ? "" : "rename")}
            >
              Rename
            </button>
            <button type="button" class="link" onClick={remove}>
              Remove
            </button>
          </>
        )}
        <button
          type="button"
          class="link"
          title="Creates an input with everything that the definition reads"
          onClick={() => void generate()}
        >
          Generate from the definition
        </button>
        <button
          type="button"
          class="link"
          aria-expanded={open.value === "history"}
          onClick={() => (open.value = open.value === "history" ? "" : "history")}
        >
          From a history…
        </button>
      </div>
      {open.value === "rename" && chosen >= 0 && <Rename at={chosen} done={() => (open.value = "")} />}
      {open.value === "history" && <FromHistory done={() => (open.value = "")} />}
    </>
  );
}

/** Selects one of the inputs. */
function Choice({ chosen }: { chosen: number }) {
  const choose = (at: number): void => {
    workspace.flush();
    const next = workspace.inputs.value[at];
    if (next) workspace.edit({ input: next.text });
  };
  return (
    <label class="mini">
      <span class="unseen">Input to run with</span>
      <select value={chosen} onChange={(event) => choose(Number(event.currentTarget.value))}>
        {chosen < 0 && <option value={-1}>The text below</option>}
        {workspace.inputs.value.map(({ name }, i) => (
          <option key={name} value={i}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

async function generate(): Promise<void> {
  try {
    const members = await generateInput();
    showToast(
      members === 0
        ? "The definition does not seem to read its input."
        : `Generated an input with ${members === 1 ? "the member" : `the ${members} members`} that the definition reads.`,
    );
  } catch {
    showToast("The definition cannot be read right now.");
  }
}

function Rename({ at, done }: { at: number; done(): void }) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.select(), []);
  const name = workspace.inputs.value[at]?.name ?? "";
  const problem = useSignal("");
  return (
    <form
      class="input-form"
      onSubmit={(event) => {
        event.preventDefault();
        const next = field.current!.value.trim().slice(0, 200);
        if (next === "" || workspace.inputs.value.some((input, i) => i !== at && input.name === next)) {
          problem.value = next === "" ? "Enter a name." : "Another input has that name.";
          return;
        }
        workspace.edit({ inputs: workspace.inputs.value.map((input, i) => (i === at ? { ...input, name: next } : input)) });
        done();
      }}
      onKeyDown={(event) => event.key === "Escape" && done()}
    >
      <input ref={field} type="text" aria-label="Name of the input" aria-describedby="input-name-problem" defaultValue={name} />
      <button type="submit">Rename</button>
      <span class="field-problem" id="input-name-problem">
        {problem.value}
      </span>
    </form>
  );
}

/** Adds the input of an execution that was recorded elsewhere. */
function FromHistory({ done }: { done(): void }) {
  const field = useRef<HTMLTextAreaElement>(null);
  const problem = useSignal("");
  useEffect(() => field.current?.focus(), []);
  return (
    <form
      class="input-form"
      onSubmit={async (event) => {
        event.preventDefault();
        try {
          const { readRecorded } = await import("../model/recorded.ts");
          const { input, title } = readRecorded(JSON.parse(field.current!.value), "the history");
          if (input === undefined) throw new Error("This history has no input: it was recorded without execution data.");
          putInput(`${JSON.stringify(JSON.parse(input), null, 2)}\n`, `From ${title}`);
          done();
        } catch (error) {
          problem.value = (error as Error).message;
        }
      }}
      onKeyDown={(event) => event.key === "Escape" && done()}
    >
      <textarea
        ref={field}
        rows={4}
        spellcheck={false}
        aria-label="History, as get-execution-history prints it"
        aria-describedby="history-problem"
        placeholder={'{ "events": [ … ] }'}
      />
      <button type="submit">Take its input</button>
      <span class="field-problem" id="history-problem">
        {problem.value}
      </span>
    </form>
  );
}
