// A person plays a task: the input, and every way to answer.

import { useSignal } from "@preact/signals";
import { exampleFor, remarkOn } from "../debugger/responses.ts";
import { setMock } from "../debugger/session.ts";
import type { Mock, WaitingTask } from "../model/protocol.ts";
import * as prefs from "../prefs.ts";
import * as execution from "../store/execution.ts";
import * as interpreter from "../store/interpreter.ts";
import * as runner from "../store/runner.ts";
import * as selection from "../store/selection.ts";
import { showToast } from "../store/words.ts";
import * as workspace from "../store/workspace.ts";
import { Icon } from "../ui/Icon.tsx";
import { JsonView } from "../values/JsonView.tsx";
import { count, duration, iterationPath } from "../ui/format.ts";

/// What was answered last for a state.
const answered = new Map<string, string>();
/// Errors that services have, with words that they use.
const PRESETS: [string, string][] = [
  ["States.TaskFailed", ""],
  ["States.Timeout", ""],
  ["Lambda.TooManyRequestsException", "Rate Exceeded."],
  ["Lambda.ServiceException", "The service encountered an internal error."],
  ["Lambda.Unknown", "The cause could not be determined because Lambda did not return an error type."],
];
const OTHER = "other";

const text = (value: unknown): string => JSON.stringify(value, null, 2) ?? "null";

export function AnswerCard({ task, number }: { task: WaitingTask; number?: number }) {
  const output = useSignal(
    answered.get(task.state) ?? text(workspace.lesson.value?.answers.get(workspace.input.value)?.[task.state] ?? exampleFor(task.resource)),
  );
  const failing = useSignal(false);
  const preset = useSignal(PRESETS[0]![0]);
  const own = useSignal("");
  const cause = useSignal(PRESETS[0]![1]);
  const seconds = useSignal(0);
  const remembered = useSignal(false);
  const problem = useSignal("");
  const worker = useSignal("worker-1");
  const id = `answer-${task.id}`;
  const error = preset.value === OTHER ? own.value.trim() || "States.TaskFailed" : preset.value;
  const later = (): { after?: number } => (seconds.value > 0 ? { after: Math.round(seconds.value * 1000) } : {});
  const remember = (mock: Mock): void => {
    if (remembered.value) setMock(task.state, mock);
  };
  const submit = (): void => {
    if (failing.value) {
      remember({ mode: "error", error, cause: cause.value, ...later() });
      runner.answerTask(task.id, { kind: "fail", error, cause: cause.value, ...later() });
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
    runner.answerTask(task.id, { kind: "succeed", output: value, ...later() });
  };
  const left = task.timeoutAt === undefined || !execution.timer.value ? undefined : Math.max(0, task.timeoutAt - execution.timer.value.now);
  const last = answered.get(task.state);
  const fill = (given: string): void => {
    output.value = given;
    problem.value = "";
  };
  const untaken = task.kind === "activity" && !task.taken;
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
        {number !== undefined && number <= 9 && <kbd title={`Press ${number} to answer this task`}>{number}</kbd>}
        <Icon name="hand" />
        <button type="button" class="link strong" onClick={() => selection.selectState(task.state, "events")}>
          {task.state}
        </button>
        <span class="quiet">
          {task.silent
            ? "is waiting to time out"
            : task.kind === "token"
              ? "is waiting for its task token"
              : untaken
                ? "is waiting for a worker"
                : "is waiting for your answer"}
          {task.execution !== undefined && ` · in ${task.execution}`}
          {task.attempt > 0 && ` · attempt ${task.attempt + 1}`}
          {task.iterations.length > 0 && ` · item ${iterationPath(task.iterations)}`}
          {left !== undefined && ` · times out in ${duration(left)}`}
        </span>
        <code class="resource">{task.resource}</code>
      </header>
      <div class="answer-columns">
        <div class="answer-given">
          <JsonView label="Task input" value={task.input} />
          {task.token !== undefined && task.kind !== "ask" && (
            <p class="task-token">
              <span class="quiet">Token</span> <code>{task.token}</code>
              <button
                type="button"
                class="plain square small"
                aria-label={`Copy the token of ${task.state}`}
                title="Copy"
                onClick={() =>
                  void navigator.clipboard.writeText(task.token!).then(
                    () => showToast("Token copied."),
                    () => showToast("The browser did not allow copying."),
                  )
                }
              >
                <Icon name="copy" size={14} />
              </button>
            </p>
          )}
          {untaken && (
            <p class="answer-take">
              <label>
                Worker <input value={worker.value} maxLength={80} onInput={(event) => (worker.value = event.currentTarget.value)} />
              </label>
              <button type="button" onClick={() => runner.takeTask(task.id, worker.value.trim())}>
                Take the task
              </button>
            </p>
          )}
        </div>
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
            <button type="button" onClick={() => runner.answerTask(task.id, { kind: "heartbeat" })}>
              Heartbeat
            </button>
            <button
              type="button"
              title="Leaves the task without an answer, so that it fails when its TimeoutSeconds have passed"
              onClick={() => runner.answerTask(task.id, { kind: "silence" })}
            >
              Let it time out
            </button>
            <button type="submit" class={failing.value ? "danger" : "primary"}>
              {seconds.value > 0
                ? `${failing.value ? "Fail" : "Answer"} in ${duration(seconds.value * 1000)}`
                : failing.value
                  ? "Fail the task"
                  : "Answer"}
            </button>
          </div>
          {failing.value ? (
            <>
              <label for={`${id}-error`}>Error</label>
              <select
                id={`${id}-error`}
                value={preset.value}
                onChange={(event) => {
                  preset.value = event.currentTarget.value;
                  cause.value = PRESETS.find(([name]) => name === preset.value)?.[1] ?? "";
                }}
              >
                {PRESETS.map(([name]) => (
                  <option key={name}>{name}</option>
                ))}
                <option value={OTHER}>Other…</option>
              </select>
              {preset.value === OTHER && (
                <input
                  aria-label="Name of the error"
                  list="error-names"
                  value={own.value}
                  onInput={(event) => (own.value = event.currentTarget.value)}
                />
              )}
              <label for={`${id}-cause`}>Cause</label>
              <input id={`${id}-cause`} value={cause.value} onInput={(event) => (cause.value = event.currentTarget.value)} />
            </>
          ) : (
            <>
              <label for={`${id}-output`}>Result (JSON)</label>
              <textarea
                id={`${id}-output`}
                rows={3}
                spellcheck={false}
                value={output.value}
                aria-invalid={problem.value !== ""}
                aria-describedby={problem.value ? `${id}-problem` : undefined}
                onInput={(event) => fill(event.currentTarget.value)}
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
              <Remark resource={task.resource} text={output.value} />
              <p class="answer-fill">
                <span class="quiet">Fill in</span>
                {last !== undefined && (
                  <button type="button" class="link" onClick={() => fill(last)}>
                    The last answer
                  </button>
                )}
                <button type="button" class="link" onClick={() => fill(text(task.input))}>
                  The input
                </button>
                <button type="button" class="link" onClick={() => fill(text(exampleFor(task.resource)))}>
                  An example
                </button>
              </p>
            </>
          )}
          <p class="answer-more">
            <label>
              Wait{" "}
              <input
                type="number"
                min={0}
                step={1}
                value={seconds.value}
                onInput={(event) => (seconds.value = Math.max(0, event.currentTarget.valueAsNumber || 0))}
              />{" "}
              seconds, then
              {failing.value ? " fail" : " answer"}
            </label>
            <label class="check">
              <input type="checkbox" checked={remembered.value} onChange={(event) => (remembered.value = event.currentTarget.checked)} />{" "}
              Always answer like this for {task.state}
            </label>
          </p>
        </div>
      </div>
    </form>
  );
}

/// What is worth saying about a result while it is written.
function Remark({ resource, text: given }: { resource: string; text: string }) {
  let remark = "";
  try {
    remark = remarkOn(resource, JSON.parse(given), false);
  } catch {
    // Half written; the answer itself is checked.
  }
  return remark ? <p class="mock-remark">{remark}</p> : null;
}

export function Waiting() {
  const tasks = execution.waiting.value;
  if (tasks.length === 0) {
    return (
      <div class="empty small">
        <Icon name="hand" size={22} />
        <p>No task is waiting. Tasks without a handler, and tasks that wait for a task token or a worker, appear here.</p>
      </div>
    );
  }
  return (
    <div
      class="waiting-pane"
      tabIndex={0}
      role="group"
      aria-label={`${count(tasks.length, "task")} waiting, the oldest first`}
      onKeyDown={answerNth}
    >
      <ul class="waiting">
        {tasks.map((task, i) => (
          <li key={task.id}>
            <AnswerCard task={task} number={i + 1} />
          </li>
        ))}
      </ul>
      {tasks.some(({ token }) => token !== undefined) && (
        <Inbox tokens={tasks.flatMap(({ token }) => (token === undefined ? [] : [token]))} />
      )}
    </div>
  );
}

/// A digit goes to the answer of that task, where nobody types.
function answerNth(event: KeyboardEvent): void {
  if (
    !/^[1-9]$/.test(event.key) ||
    !prefs.singleKeys.value ||
    event.ctrlKey ||
    event.altKey ||
    event.metaKey ||
    (event.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName))
  )
    return;
  const card = (event.currentTarget as HTMLElement).querySelectorAll("form.answer")[Number(event.key) - 1];
  card?.querySelector<HTMLElement>("textarea, select, .answer-form input")?.focus();
  event.preventDefault();
}

/// What somebody says who holds a task's token: SendTaskSuccess, SendTaskFailure, SendTaskHeartbeat.
function Inbox({ tokens }: { tokens: string[] }) {
  const token = useSignal("");
  const method = useSignal<"succeed" | "fail" | "heartbeat">("succeed");
  const output = useSignal("{}");
  const error = useSignal("States.TaskFailed");
  const cause = useSignal("");
  const problem = useSignal("");
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    problem.value = "";
    let value: unknown;
    if (method.value === "fail") value = { error: error.value, cause: cause.value };
    else if (method.value === "succeed") {
      try {
        value = JSON.parse(output.value.trim() === "" ? "null" : output.value);
      } catch (thrown) {
        problem.value = `The output is not JSON: ${(thrown as Error).message}`;
        return;
      }
    }
    const found = await interpreter.query("answerToken", { token: token.value.trim(), method: method.value, value });
    if (!found) problem.value = "No task is waiting for this token.";
    else {
      showToast(method.value === "heartbeat" ? "Heartbeat sent." : "Answer sent.");
      if (method.value !== "heartbeat") token.value = "";
    }
  };
  return (
    <details class="inbox">
      <summary>Answer by token</summary>
      <form onSubmit={(event) => void send(event)}>
        <label class="stack">
          <span>Token</span>
          <input
            list="known-tokens"
            spellcheck={false}
            value={token.value}
            onInput={(event) => (token.value = event.currentTarget.value)}
          />
        </label>
        <datalist id="known-tokens">
          {tokens.map((known) => (
            <option key={known} value={known} />
          ))}
        </datalist>
        <label class="stack">
          <span>Send</span>
          <select value={method.value} onChange={(event) => (method.value = event.currentTarget.value as "succeed")}>
            <option value="succeed">SendTaskSuccess</option>
            <option value="fail">SendTaskFailure</option>
            <option value="heartbeat">SendTaskHeartbeat</option>
          </select>
        </label>
        {method.value === "succeed" && (
          <label class="stack">
            <span>Output (JSON)</span>
            <input class="mono" spellcheck={false} value={output.value} onInput={(event) => (output.value = event.currentTarget.value)} />
          </label>
        )}
        {method.value === "fail" && (
          <>
            <label class="stack">
              <span>Error</span>
              <input list="error-names" value={error.value} onInput={(event) => (error.value = event.currentTarget.value)} />
            </label>
            <label class="stack">
              <span>Cause</span>
              <input value={cause.value} onInput={(event) => (cause.value = event.currentTarget.value)} />
            </label>
          </>
        )}
        <button type="submit" disabled={token.value.trim() === ""}>
          Send
        </button>
        <p class="field-problem" role="alert">
          {problem.value}
        </p>
      </form>
    </details>
  );
}
