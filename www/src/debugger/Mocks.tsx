// What plays each task: its handler, a person, a fixed answer, a script, an expression.

import { useSignal } from "@preact/signals";
import type { Mock } from "../model/protocol.ts";
import * as store from "../store.ts";
import { Icon } from "../ui/Icon.tsx";
import * as model from "./model.ts";
import { setMock } from "./session.ts";

const MODES: [Mock["mode"], string, string][] = [
  ["handler", "Handler", "The JavaScript of the Tasks tab; without one, you are asked"],
  ["ask", "Ask me", "The input pops up, and you answer"],
  ["echo", "Echo", "The input is the result"],
  ["result", "Fixed result", "Always the same result"],
  ["error", "Error", "Always the same error"],
  ["script", "Script", "By attempt and iteration"],
  ["expression", "Expression", "JSONata over $states.input, $attempt, $iteration"],
];

const EMPTY: Record<Mock["mode"], Mock> = {
  handler: { mode: "handler" },
  ask: { mode: "ask" },
  echo: { mode: "echo" },
  result: { mode: "result", result: {} },
  error: { mode: "error", error: "States.TaskFailed", cause: "" },
  script: { mode: "script", steps: [{ attempt: "0", error: "States.TaskFailed" }, { result: {}, after: 1000 }] },
  expression: { mode: "expression", expression: "{ \"ok\": true, \"of\": $states.input }" },
  javascript: { mode: "javascript", code: "async (input, { attempt }) => {\n  return { ok: true, attempt };\n}" },
  recorded: { mode: "recorded", answers: [] },
};

export function Mocks() {
  const tasks = store.analysis.value?.tasks ?? [];
  if (tasks.length === 0) {
    return (
      <div class="empty small">
        <p>The definition has no Task states.</p>
      </div>
    );
  }
  const mocked = tasks.filter(({ state }) => model.isMocked(state)).length;
  return (
    <div class="mocks scroll">
      <p class="hint">
        <span>What answers for each task. A mock goes before the handler, and what it plays is marked.</span>
        {mocked > 0 && (
          <button type="button" class="link" onClick={() => (model.mocks.value = {})}>
            Remove {mocked === 1 ? "the mock" : `${mocked} mocks`}
          </button>
        )}
      </p>
      <ul>
        {tasks.map((task) => (
          <Task key={task.state} {...task} />
        ))}
      </ul>
    </div>
  );
}

function Task({ state, resource }: { state: string; resource: string }) {
  const mock = model.mocks.value[state] ?? EMPTY.handler;
  const lacksPayload = mock.mode === "result" && /lambda:invoke/.test(resource) && typeof mock.result === "object" && mock.result !== null && "Payload" in mock.result;
  return (
    <li class={`mock${model.isMocked(state) ? " mocked" : ""}`}>
      <div class="mock-head">
        <button type="button" class="link strong" onClick={() => store.selectState(state, "page")}>
          {state}
        </button>
        <code class="resource">{resource}</code>
        <select aria-label={`What answers for ${state}`} value={mock.mode} onChange={(event) => setMock(state, event.currentTarget.value === "handler" ? undefined : EMPTY[event.currentTarget.value as Mock["mode"]])}>
          {MODES.map(([mode, label, title]) => (
            <option key={mode} value={mode} title={title}>
              {label}
            </option>
          ))}
        </select>
      </div>
      {mock.mode === "result" && <Json key="result" label={`Result of ${state}`} value={mock.result} change={(result) => setMock(state, { ...mock, result })} />}
      {lacksPayload && <p class="quiet">lambda:invoke wraps the result into Payload by itself: write the function's answer only.</p>}
      {mock.mode === "error" && (
        <div class="mock-fields">
          <label>
            Error <input list="error-names" value={mock.error} onChange={(event) => setMock(state, { ...mock, error: event.currentTarget.value })} />
          </label>
          <label>
            Cause <input value={mock.cause ?? ""} onChange={(event) => setMock(state, { ...mock, cause: event.currentTarget.value })} />
          </label>
        </div>
      )}
      {mock.mode === "expression" && (
        <textarea class="mono" rows={3} aria-label={`Expression for ${state}`} spellcheck={false} value={mock.expression} onChange={(event) => setMock(state, { ...mock, expression: event.currentTarget.value })} />
      )}
      {mock.mode === "script" && <Script state={state} mock={mock} />}
      {(mock.mode === "result" || mock.mode === "error" || mock.mode === "echo" || mock.mode === "expression") && (
        <label class="mock-after">
          after <input type="number" min={0} step={100} value={mock.after ?? 0} onChange={(event) => setMock(state, { ...mock, after: Math.max(0, event.currentTarget.valueAsNumber || 0) })} /> ms of the execution's time
        </label>
      )}
    </li>
  );
}

type ScriptMock = Extract<Mock, { mode: "script" }>;

function Script({ state, mock }: { state: string; mock: ScriptMock }) {
  const change = (at: number, next: Partial<ScriptMock["steps"][number]> | null): void => {
    const steps = next === null ? mock.steps.filter((_, i) => i !== at) : mock.steps.map((step, i) => (i === at ? { ...step, ...next } : step));
    setMock(state, { ...mock, steps });
  };
  return (
    <ol class="script" aria-label={`Script of ${state}`}>
      {mock.steps.map((step, i) => {
        const kind = step.silent ? "silent" : step.error !== undefined ? "error" : "result";
        return (
          <li key={i}>
            <label>
              attempt <input size={4} value={step.attempt ?? ""} placeholder="all" onChange={(event) => change(i, { attempt: event.currentTarget.value })} />
            </label>
            <label>
              item <input size={4} value={step.iteration ?? ""} placeholder="all" onChange={(event) => change(i, { iteration: event.currentTarget.value })} />
            </label>
            <select
              aria-label="Answer"
              value={kind}
              onChange={(event) => {
                const { error: _, cause: __, result: ___, silent: ____, ...rest } = step;
                const answer = event.currentTarget.value === "error" ? { error: "States.TaskFailed" } : event.currentTarget.value === "silent" ? { silent: true } : { result: {} };
                setMock(state, { ...mock, steps: mock.steps.map((one, at) => (at === i ? { ...rest, ...answer } : one)) });
              }}
            >
              <option value="result">Result</option>
              <option value="error">Error</option>
              <option value="silent">Silence</option>
            </select>
            {kind === "error" && <input class="grow" aria-label="Error" list="error-names" value={step.error} onChange={(event) => change(i, { error: event.currentTarget.value })} />}
            {kind === "result" && <Json label="Result" small value={step.result} change={(result) => change(i, { result })} />}
            {kind !== "silent" && (
              <label>
                after <input type="number" min={0} step={100} value={step.after ?? 0} onChange={(event) => change(i, { after: Math.max(0, event.currentTarget.valueAsNumber || 0) })} /> ms
              </label>
            )}
            <button type="button" class="plain square small" aria-label="Remove this step" onClick={() => change(i, null)}>
              <Icon name="close" size={13} />
            </button>
          </li>
        );
      })}
      <li>
        <button type="button" class="link" onClick={() => setMock(state, { ...mock, steps: [...mock.steps, { result: {} }] })}>
          Add a step
        </button>
        <span class="quiet">The first that fits counts. Attempts and items begin at 0: "0", "1-3", "4+".</span>
      </li>
    </ol>
  );
}

/// A JSON value as text; what is no JSON is said and not taken.
function Json({ label, value, change, small = false }: { label: string; value: unknown; change(value: unknown): void; small?: boolean }) {
  const text = useSignal(JSON.stringify(value, null, small ? 0 : 2) ?? "null");
  const problem = useSignal("");
  const take = (): void => {
    try {
      change(JSON.parse(text.value.trim() === "" ? "null" : text.value) as unknown);
      problem.value = "";
    } catch (error) {
      problem.value = (error as Error).message;
    }
  };
  const common = { "aria-label": `${label}, JSON`, "aria-invalid": problem.value !== "", spellcheck: false, value: text.value, onBlur: take };
  return (
    <>
      {small ? (
        <input class="grow mono" {...common} onInput={(event) => (text.value = event.currentTarget.value)} />
      ) : (
        <textarea class="mono" rows={4} {...common} onInput={(event) => { text.value = event.currentTarget.value; take(); }} />
      )}
      {problem.value && <p class="field-problem">{problem.value}</p>}
    </>
  );
}
