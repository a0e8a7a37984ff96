// Edits a mock: how it answers, and with what.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import type { Mock } from "../model/protocol.ts";
import * as execution from "../store/execution.ts";
import { showToast } from "../store/notifications.ts";
import * as workspace from "../store/workspace.ts";
import { testStateOf } from "./mockFiles.ts";
import { Icon } from "../ui/Icon.tsx";
import { count } from "../ui/format.ts";
import { setMock } from "./session.ts";
import { Refusal } from "./Refusal.tsx";
import { exampleFor, isWrapped, remarkOn } from "./responses.ts";

export const MODES: [Mock["mode"], string, string][] = [
  ["handler", "Handler", "The JavaScript in the Tasks tab. Without a handler, the page asks you"],
  ["ask", "Ask me", "The page shows you the input, and you answer"],
  ["echo", "Echo", "The input is the result"],
  ["result", "Fixed result", "Always the same result"],
  ["error", "Error", "Always the same error"],
  ["script", "Script", "By attempt, item and call"],
  ["expression", "Expression", "JSONata over $states.input, $attempt, $iteration"],
  ["javascript", "JavaScript", "A function, in the sandbox"],
  ["recorded", "Recorded", "The answers of the imported execution"],
];

export const labelOf = (mode: Mock["mode"]): string => MODES.find(([known]) => known === mode)?.[1] ?? mode;

/** Returns the initial mock for a mode. */
function beginning(mode: Mock["mode"], name: string, resource: string): Mock {
  switch (mode) {
    case "result":
      return { mode, result: exampleFor(resource) };
    case "error":
      return { mode, error: "States.TaskFailed", cause: "" };
    case "script":
      return {
        mode,
        steps: [
          { attempt: "0", error: "States.TaskFailed" },
          { result: exampleFor(resource), after: 1000 },
        ],
      };
    case "expression":
      return { mode, expression: '{ "ok": true, "of": $states.input }' };
    case "javascript":
      return { mode, code: "async (input, task) => {\n  return { ok: true, attempt: task.attempt };\n}" };
    case "recorded":
      return { mode, answers: recordedFor(name) };
    default:
      return { mode };
  }
}

const recordedFor = (state: string) => workspace.recordedAnswers.value?.tasks.filter((task) => task.state === state) ?? [];

interface Props {
  /** The name of the state, or the pattern of the rule. */
  name: string;
  resource: string;
  mock: Mock | undefined;
  /** For a state without a mock of its own: what happens instead. */
  otherwise?: string;
  /** The elements before the choice of the mode. */
  children: ComponentChildren;
}

export function MockEditor({ name, resource, mock, otherwise, children }: Props) {
  const mode = mock?.mode ?? "";
  const recorded = recordedFor(name).length > 0 || mode === "recorded";
  const modes = MODES.filter(
    ([known]) =>
      (known !== "handler" || otherwise === undefined || !/^(Handler|No handler)$/.test(otherwise) || mode === "handler") &&
      (known !== "recorded" || recorded),
  );
  const choose = (chosen: string): void => setMock(name, chosen === "" ? undefined : beginning(chosen as Mock["mode"], name, resource));
  return (
    <>
      <div class="mock-head">
        {children}
        <select aria-label={`What answers for ${name}`} value={mode} onChange={(event) => choose(event.currentTarget.value)}>
          {otherwise !== undefined && <option value="">{otherwise}</option>}
          {modes.map(([known, label, title]) => (
            <option key={known} value={known} title={title}>
              {label}
            </option>
          ))}
        </select>
      </div>
      {mock && <Fields name={name} resource={resource} mock={mock} />}
    </>
  );
}

function Fields({ name, resource, mock }: { name: string; resource: string; mock: Mock }) {
  const set = (next: Mock): void => setMock(name, next);
  switch (mock.mode) {
    case "result":
      return (
        <>
          <Result name={name} resource={resource} mock={mock} set={set} />
          <More mock={mock} resource={resource} set={set} />
        </>
      );
    case "error":
      return (
        <>
          <div class="mock-fields">
            <label>
              Error <input list="error-names" value={mock.error} onChange={(event) => set({ ...mock, error: event.currentTarget.value })} />
            </label>
            <label>
              Cause <input value={mock.cause ?? ""} onChange={(event) => set({ ...mock, cause: event.currentTarget.value })} />
            </label>
          </div>
          <More mock={mock} resource={resource} set={set} />
        </>
      );
    case "expression":
      return (
        <>
          <textarea
            class="mono"
            rows={3}
            aria-label={`Expression for ${name}`}
            spellcheck={false}
            value={mock.expression}
            onChange={(event) => set({ ...mock, expression: event.currentTarget.value })}
          />
          <More mock={mock} resource={resource} set={set} />
        </>
      );
    case "echo":
      return <More mock={mock} resource={resource} set={set} />;
    case "javascript":
      return <Code name={name} mock={mock} set={set} />;
    case "recorded":
      return <p class="quiet">{count(mock.answers.length, "answer")} of the recorded execution, call by call. A further call fails.</p>;
    case "script":
      return <Script name={name} resource={resource} mock={mock} />;
    default:
      return null;
  }
}

type CodeMock = Extract<Mock, { mode: "javascript" }>;

function Code({ name, mock, set }: { name: string; mock: CodeMock; set(mock: Mock): void }) {
  const problem = execution.mockProblems.value[name];
  const id = useId();
  return (
    <>
      {!workspace.mocksTrusted.value && (
        <p class="strip warn">
          <Icon name="warning" />
          <span>Disabled: this code came with a link or a file. Review it first.</span>
          <button type="button" onClick={() => workspace.edit({ mocksTrusted: true })}>
            Enable the code
          </button>
        </p>
      )}
      <textarea
        class="mono"
        rows={5}
        aria-label={`JavaScript for ${name}`}
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-problem`}
        spellcheck={false}
        value={mock.code}
        onChange={(event) => set({ ...mock, code: event.currentTarget.value })}
      />
      <p class="field-problem" id={`${id}-problem`}>
        {problem}
      </p>
      <p class="quiet">
        A function of the input and the task: <code>attempt</code>, <code>iterations</code>, <code>sleep(ms)</code>,{" "}
        <code>heartbeat()</code>. It throws <code>new TaskError("Error", "cause")</code> to fail.
      </p>
    </>
  );
}

type TimedMock = Extract<Mock, { mode: "result" | "error" | "echo" | "expression" }>;

/** The delay of a mock, and the same mock for the TestState API. */
function More({ mock, resource, set }: { mock: TimedMock; resource: string; set(mock: Mock): void }) {
  return (
    <p class="mock-more">
      <label class="mock-after">
        after{" "}
        <input
          type="number"
          min={0}
          step={100}
          value={mock.after ?? 0}
          onChange={(event) => set({ ...mock, after: Math.max(0, event.currentTarget.valueAsNumber || 0) })}
        />{" "}
        ms of virtual time
      </label>
      {(mock.mode === "result" || mock.mode === "error") && resource !== "" && (
        <button
          type="button"
          class="link"
          title="The mock object of the TestState API"
          onClick={() =>
            void navigator.clipboard.writeText(testStateOf(mock, resource)!).then(
              () => showToast("Mock for TestState copied."),
              () => showToast("The browser did not allow copying."),
            )
          }
        >
          Copy for TestState
        </button>
      )}
    </p>
  );
}

type ResultMock = Extract<Mock, { mode: "result" }>;

function Result({ name, resource, mock, set }: { name: string; resource: string; mock: ResultMock; set(mock: Mock): void }) {
  const whole = mock.response !== undefined;
  const value = whole ? mock.response : (mock.result ?? null);
  const { result: _, response: __, ...rest } = mock;
  const put = (given: unknown, asWhole: boolean): void => set({ ...rest, ...(asWhole ? { response: given } : { result: given }) });
  const remark = remarkOn(resource, value, whole);
  return (
    <>
      <Json key={String(whole)} label={`Result of ${name}`} value={value} change={(given) => put(given, whole)} />
      {remark && <p class="mock-remark">{remark}</p>}
      {(whole || !isWrapped(resource)) && <Refusal resource={resource} value={value} />}
      {(whole || isWrapped(resource)) && (
        <label class="check">
          <input type="checkbox" checked={whole} onChange={(event) => put(value, event.currentTarget.checked)} /> This is the service's
          whole response
        </label>
      )}
    </>
  );
}

type ScriptMock = Extract<Mock, { mode: "script" }>;
type Step = ScriptMock["steps"][number];

function Script({ name, resource, mock }: { name: string; resource: string; mock: ScriptMock }) {
  const put = (steps: Step[]): void => setMock(name, { ...mock, steps });
  return (
    <ol class="script" aria-label={`Script of ${name}`}>
      {mock.steps.map((step, i) => (
        <ScriptStep
          key={i}
          step={step}
          resource={resource}
          put={(next) => put(mock.steps.map((one, at) => (at === i ? next : one)))}
          remove={() => put(mock.steps.filter((_, at) => at !== i))}
        />
      ))}
      <li>
        <button type="button" class="link" onClick={() => put([...mock.steps, { result: exampleFor(resource) }])}>
          Add a step
        </button>
        <span class="quiet">The first step that matches is used. Attempts, items and calls are counted from 0: "0", "1-3", "4+".</span>
      </li>
    </ol>
  );
}

type Answer = "result" | "response" | "error" | "silent";

function answerOf({ silent, error, response }: Step): Answer {
  if (silent) return "silent";
  if (error !== undefined) return "error";
  return response === undefined ? "result" : "response";
}

/** Returns the step with another kind of answer. A value that was entered stays. */
function withAnswer({ error: _, cause: __, result, response, silent: ___, ...rest }: Step, kind: Answer, resource: string): Step {
  const given = result ?? response ?? exampleFor(resource);
  if (kind === "error") return { ...rest, error: "States.TaskFailed" };
  if (kind === "silent") return { ...rest, silent: true };
  return { ...rest, [kind]: given };
}

interface ScriptStepProps {
  step: Step;
  resource: string;
  put(step: Step): void;
  remove(): void;
}

function ScriptStep({ step, resource, put, remove }: ScriptStepProps) {
  const kind = answerOf(step);
  const hasValue = kind === "result" || kind === "response";
  const value = kind === "response" ? step.response : step.result;
  const remark = hasValue ? remarkOn(resource, value, kind === "response") : "";
  return (
    <li>
      {(["attempt", "iteration", "call"] as const).map((which) => (
        <label key={which}>
          {which === "iteration" ? "item" : which}{" "}
          <input
            size={4}
            value={step[which] ?? ""}
            placeholder="all"
            onChange={(event) => put({ ...step, [which]: event.currentTarget.value })}
          />
        </label>
      ))}
      <select aria-label="Answer" value={kind} onChange={(event) => put(withAnswer(step, event.currentTarget.value as Answer, resource))}>
        <option value="result">Result</option>
        <option value="response">Whole response</option>
        <option value="error">Error</option>
        <option value="silent">Silence</option>
      </select>
      {kind === "error" && (
        <input
          class="grow"
          aria-label="Error"
          list="error-names"
          value={step.error}
          onChange={(event) => put({ ...step, error: event.currentTarget.value })}
        />
      )}
      {kind === "error" && (
        <input
          class="grow"
          aria-label="Cause"
          placeholder="Cause"
          value={step.cause ?? ""}
          onChange={(event) => put({ ...step, cause: event.currentTarget.value })}
        />
      )}
      {hasValue && <Json key={kind} label="Result" small value={value} change={(given) => put({ ...step, [kind]: given })} />}
      {kind !== "silent" && <After step={step} put={put} />}
      <button type="button" class="plain square small" aria-label="Remove this step" onClick={remove}>
        <Icon name="close" size={13} />
      </button>
      {remark && <p class="mock-remark">{remark}</p>}
      {(kind === "response" || (kind === "result" && !isWrapped(resource))) && <Refusal resource={resource} value={value} />}
    </li>
  );
}

function After({ step, put }: { step: Step; put(step: Step): void }) {
  return (
    <label>
      after{" "}
      <input
        type="number"
        min={0}
        step={100}
        value={step.after ?? 0}
        onChange={(event) => put({ ...step, after: Math.max(0, event.currentTarget.valueAsNumber || 0) })}
      />{" "}
      ms
    </label>
  );
}

/** A field for a JSON value. Invalid JSON is reported and not applied. */
export function Json({
  label,
  value,
  change,
  small = false,
}: {
  label: string;
  value: unknown;
  change(value: unknown): void;
  small?: boolean;
}) {
  const text = useSignal(JSON.stringify(value, null, small ? 0 : 2) ?? "null");
  const problem = useSignal("");
  const id = useId();
  const take = (): void => {
    try {
      change(JSON.parse(text.value.trim() === "" ? "null" : text.value) as unknown);
      problem.value = "";
    } catch (error) {
      problem.value = (error as Error).message;
    }
  };
  const common = {
    "aria-label": `${label} (JSON)`,
    "aria-invalid": problem.value !== "",
    "aria-describedby": id,
    spellcheck: false,
    value: text.value,
    onBlur: take,
  };
  return (
    <>
      {small ? (
        <input class="grow mono" {...common} onInput={(event) => (text.value = event.currentTarget.value)} />
      ) : (
        <textarea
          class="mono"
          rows={4}
          {...common}
          onInput={(event) => {
            text.value = event.currentTarget.value;
            take();
          }}
        />
      )}
      <p class="field-problem" id={id}>
        {problem.value}
      </p>
    </>
  );
}
