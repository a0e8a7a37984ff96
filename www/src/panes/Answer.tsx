// Answers a task by hand: the input of the task, and every kind of answer.

import { type Signal, useSignal } from "@preact/signals";
import { exampleFor, remarkOn } from "../debugger/responses.ts";
import { setMock } from "../debugger/session.ts";
import type { Mock, WaitingTask } from "../model/protocol.ts";
import * as prefs from "../prefs.ts";
import * as execution from "../store/execution.ts";
import * as interpreter from "../store/interpreter.ts";
import * as runner from "../store/runner.ts";
import * as selection from "../store/selection.ts";
import { showToast } from "../store/notifications.ts";
import * as workspace from "../store/workspace.ts";
import { Icon } from "../ui/Icon.tsx";
import { JsonView } from "../values/JsonView.tsx";
import { count, duration, iterationPath } from "../ui/format.ts";

/** The last answer for each state. */
const answered = new Map<string, string>();
/** Errors of services, with their usual causes. */
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
  const draft = useDraft(task);
  return (
    <form
      class="answer"
      aria-label={`Answer of ${task.state}`}
      onSubmit={(event) => {
        event.preventDefault();
        submit(task, draft);
      }}
    >
      <Head task={task} number={number} />
      <div class="answer-columns">
        <Given task={task} />
        <div class="answer-form">
          <Buttons task={task} draft={draft} />
          {/* The text is the last element, because it grows with its contents. */}
          <More task={task} draft={draft} />
          {draft.failing.value ? <Failure id={`answer-${task.id}`} draft={draft} /> : <Result task={task} draft={draft} />}
        </div>
      </div>
    </form>
  );
}

/** The maximum number of visible lines of an answer's text. */
const MOST_LINES = 12;

/** The answer that the user is writing. */
interface Draft {
  output: Signal<string>;
  failing: Signal<boolean>;
  preset: Signal<string>;
  /** The name of an error that is not one of the presets. */
  own: Signal<string>;
  cause: Signal<string>;
  seconds: Signal<number>;
  remembered: Signal<boolean>;
  problem: Signal<string>;
}

function useDraft({ state, resource }: WaitingTask): Draft {
  const example = (): unknown => workspace.lesson.value?.answers.get(workspace.input.value)?.[state] ?? exampleFor(resource);
  return {
    output: useSignal(answered.get(state) ?? text(example())),
    failing: useSignal(false),
    preset: useSignal(PRESETS[0]![0]),
    own: useSignal(""),
    cause: useSignal(PRESETS[0]![1]),
    seconds: useSignal(0),
    remembered: useSignal(false),
    problem: useSignal(""),
  };
}

function submit(task: WaitingTask, { output, failing, preset, own, cause, seconds, remembered, problem }: Draft): void {
  const later = seconds.value > 0 ? { after: Math.round(seconds.value * 1000) } : {};
  const remember = (mock: Mock): void => {
    if (remembered.value) setMock(task.state, mock);
  };
  if (failing.value) {
    const error = preset.value === OTHER ? own.value.trim() || "States.TaskFailed" : preset.value;
    remember({ mode: "error", error, cause: cause.value, ...later });
    runner.answerTask(task.id, { kind: "fail", error, cause: cause.value, ...later });
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
  remember({ mode: "result", result: value, ...later });
  runner.answerTask(task.id, { kind: "succeed", output: value, ...later });
}

/** Returns whether the task belongs to an activity and no worker has polled it. */
const isUntaken = (task: WaitingTask): boolean => task.kind === "activity" && !task.taken;

function waitsFor(task: WaitingTask): string {
  if (task.silent) return "is waiting to time out";
  if (task.kind === "token") return "is waiting for its task token";
  return isUntaken(task) ? "is waiting for a worker" : "is waiting for your answer";
}

function Head({ task, number }: { task: WaitingTask; number: number | undefined }) {
  const left = task.timeoutAt === undefined || !execution.timer.value ? undefined : Math.max(0, task.timeoutAt - execution.timer.value.now);
  return (
    <header>
      {number !== undefined && number <= 9 && <kbd title={`Press ${number} to answer this task`}>{number}</kbd>}
      <Icon name="hand" />
      <button type="button" class="link strong" onClick={() => selection.selectState(task.state, "events")}>
        {task.state}
      </button>
      <span class="quiet">
        {waitsFor(task)}
        {task.execution !== undefined && ` · in ${task.execution}`}
        {task.attempt > 0 && ` · attempt ${task.attempt + 1}`}
        {task.iterations.length > 0 && ` · item ${iterationPath(task.iterations)}`}
        {left !== undefined && ` · times out in ${duration(left)}`}
      </span>
      <code class="resource">{task.resource}</code>
    </header>
  );
}

/** The task: its input, its token, and its worker. */
function Given({ task }: { task: WaitingTask }) {
  const worker = useSignal("worker-1");
  return (
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
      {isUntaken(task) && (
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
  );
}

function Buttons({ task, draft: { failing, seconds } }: { task: WaitingTask; draft: Draft }) {
  const now = failing.value ? "Fail the task" : "Answer";
  return (
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
        {seconds.value > 0 ? `${failing.value ? "Fail" : "Answer"} in ${duration(seconds.value * 1000)}` : now}
      </button>
    </div>
  );
}

function Failure({ id, draft: { preset, own, cause } }: { id: string; draft: Draft }) {
  return (
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
  );
}

function Result({ task, draft }: { task: WaitingTask; draft: Draft }) {
  const { output, problem } = draft;
  const id = `answer-${task.id}`;
  const last = answered.get(task.state);
  const fill = (given: string): void => {
    output.value = given;
    problem.value = "";
  };
  return (
    <>
      <label for={`${id}-output`}>Result (JSON)</label>
      <textarea
        id={`${id}-output`}
        rows={Math.max(3, Math.min(MOST_LINES, output.value.split("\n").length))}
        spellcheck={false}
        value={output.value}
        aria-invalid={problem.value !== ""}
        aria-describedby={problem.value ? `${id}-problem` : undefined}
        onInput={(event) => fill(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            event.stopPropagation();
            submit(task, draft);
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
  );
}

function More({ task, draft: { failing, seconds, remembered } }: { task: WaitingTask; draft: Draft }) {
  return (
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
        <input type="checkbox" checked={remembered.value} onChange={(event) => (remembered.value = event.currentTarget.checked)} /> Always
        answer like this for {task.state}
      </label>
    </p>
  );
}

/** A remark about a result while it is typed. */
function Remark({ resource, text: given }: { resource: string; text: string }) {
  let remark = "";
  try {
    remark = remarkOn(resource, JSON.parse(given), false);
  } catch {
    // The text is incomplete. The answer itself is checked later.
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

/** Handles a digit key: it moves to the answer of that task, unless the user is typing. */
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

/** The call that a holder of a task token makes. */
interface Said {
  token: Signal<string>;
  method: Signal<"succeed" | "fail" | "heartbeat">;
  output: Signal<string>;
  error: Signal<string>;
  cause: Signal<string>;
  problem: Signal<string>;
}

async function send({ token, method, output, error, cause, problem }: Said): Promise<void> {
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
}

/** Calls of SendTaskSuccess, SendTaskFailure and SendTaskHeartbeat. */
function Inbox({ tokens }: { tokens: string[] }) {
  const said: Said = {
    token: useSignal(""),
    method: useSignal<"succeed" | "fail" | "heartbeat">("succeed"),
    output: useSignal("{}"),
    error: useSignal("States.TaskFailed"),
    cause: useSignal(""),
    problem: useSignal(""),
  };
  const { token, method, problem } = said;
  return (
    <details class="inbox">
      <summary>Answer by token</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send(said);
        }}
      >
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
        <SaidFields said={said} />
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

/** The parameters of the selected call, besides the token. */
function SaidFields({ said: { method, output, error, cause } }: { said: Said }) {
  if (method.value === "succeed") {
    return (
      <label class="stack">
        <span>Output (JSON)</span>
        <input class="mono" spellcheck={false} value={output.value} onInput={(event) => (output.value = event.currentTarget.value)} />
      </label>
    );
  }
  if (method.value === "heartbeat") return null;
  return (
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
  );
}
