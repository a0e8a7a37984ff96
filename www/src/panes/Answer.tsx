// A person plays a task: the input, and every way to answer.

import { useSignal } from "@preact/signals";
import { setMock } from "../debugger/session.ts";
import type { Mock, WaitingTask } from "../model/protocol.ts";
import * as store from "../store.ts";
import { Icon } from "../ui/Icon.tsx";
import { JsonView } from "../ui/JsonView.tsx";
import { duration, iterationPath } from "../ui/format.ts";

/// What was answered last for a state.
const answered = new Map<string, string>();

export function AnswerCard({ task }: { task: WaitingTask }) {
  const output = useSignal(answered.get(task.state) ?? (task.kind === "token" ? '{\n  "approved": true\n}' : "{}"));
  const failing = useSignal(false);
  const error = useSignal("States.TaskFailed");
  const cause = useSignal("");
  const seconds = useSignal(0);
  const remembered = useSignal(false);
  const problem = useSignal("");
  const id = `answer-${task.id}`;
  const later = (): { after?: number } => (seconds.value > 0 ? { after: Math.round(seconds.value * 1000) } : {});
  const remember = (mock: Mock): void => {
    if (remembered.value) setMock(task.state, mock);
  };
  const submit = (): void => {
    if (failing.value) {
      remember({ mode: "error", error: error.value, cause: cause.value, ...later() });
      store.answerTask(task.id, { kind: "fail", error: error.value, cause: cause.value, ...later() });
      return;
    }
    let value: unknown;
    try {
      value = JSON.parse(output.value.trim() === "" ? "null" : output.value);
    } catch (thrown) {
      problem.value = (thrown as Error).message;
      return;
    }
    answered.set(task.state, output.value);
    remember({ mode: "result", result: value, ...later() });
    store.answerTask(task.id, { kind: "succeed", output: value, ...later() });
  };
  const left = task.timeoutAt === undefined || !store.timer.value ? undefined : Math.max(0, task.timeoutAt - store.timer.value.now);
  return (
    <form
      class="answer"
      aria-label={`Answer of ${task.state}`}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <header>
        <Icon name="hand" />
        <button type="button" class="link strong" onClick={() => store.selectState(task.state, "events")}>
          {task.state}
        </button>
        <span class="quiet">
          {task.silent ? "is left to time out" : task.kind === "token" ? "waits for its token" : "asks you"}
          {task.attempt > 0 && ` · attempt ${task.attempt + 1}`}
          {task.iterations.length > 0 && ` · item ${iterationPath(task.iterations)}`}
          {left !== undefined && ` · times out in ${duration(left)}`}
        </span>
        <code class="resource">{task.resource}</code>
      </header>
      <div class="answer-columns">
        <JsonView label="Task input" value={task.input} />
        <div class="answer-form">
          <div class="answer-buttons">
            <div class="segments" role="group" aria-label="Kind of answer">
              <button type="button" aria-pressed={!failing.value} onClick={() => (failing.value = false)}>
                Succeed
              </button>
              <button type="button" aria-pressed={failing.value} onClick={() => (failing.value = true)}>
                Fail
              </button>
            </div>
            <span class="gap" />
            <button type="button" onClick={() => store.answerTask(task.id, { kind: "heartbeat" })}>
              Heartbeat
            </button>
            <button type="button" title="Nobody answers: time goes on, and TimeoutSeconds with it" onClick={() => store.answerTask(task.id, { kind: "silence" })}>
              Let it time out
            </button>
            <button type="submit" class={failing.value ? "danger" : "primary"}>
              {failing.value ? "Fail the task" : "Answer"}
            </button>
          </div>
          {failing.value ? (
            <>
              <label for={`${id}-error`}>Error</label>
              <input id={`${id}-error`} list="error-names" value={error.value} onInput={(event) => (error.value = event.currentTarget.value)} />
              <label for={`${id}-cause`}>Cause</label>
              <input id={`${id}-cause`} value={cause.value} onInput={(event) => (cause.value = event.currentTarget.value)} />
            </>
          ) : (
            <>
              <label for={`${id}-output`}>Result, JSON</label>
              <textarea
                id={`${id}-output`}
                rows={3}
                spellcheck={false}
                value={output.value}
                aria-invalid={problem.value !== ""}
                aria-describedby={problem.value ? `${id}-problem` : undefined}
                onInput={(event) => {
                  output.value = event.currentTarget.value;
                  problem.value = "";
                }}
                onKeyDown={(event) => {
                  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
                    event.preventDefault();
                    event.stopPropagation();
                    submit();
                  }
                }}
              />
              {problem.value && (
                <p class="field-problem" id={`${id}-problem`}>
                  {problem.value}
                </p>
              )}
            </>
          )}
          <p class="answer-more">
            <label>
              after <input type="number" min={0} step={1} value={seconds.value} onInput={(event) => (seconds.value = Math.max(0, event.currentTarget.valueAsNumber || 0))} /> s
            </label>
            <label class="check">
              <input type="checkbox" checked={remembered.value} onChange={(event) => (remembered.value = event.currentTarget.checked)} /> Always answer so
            </label>
            {!failing.value && (
              <button type="button" class="link" onClick={() => (output.value = JSON.stringify(task.input, null, 2))}>
                Take the input
              </button>
            )}
          </p>
        </div>
      </div>
    </form>
  );
}
