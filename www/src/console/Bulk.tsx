// Actions on the selected executions: the bar with its buttons, and the dialog with the preview.

import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { Dialog } from "../ui/Dialog.tsx";
import { count, grouped } from "../ui/format.ts";
import type { Action, BulkReport } from "./api.ts";
import { ACTION_TEXTS, type Target, concerns, narrowed, perform, statusesOf } from "./bulk.ts";
import { about, counts, deselect, executions, isAllSelected, message, next, refresh, selection, total, view } from "./state.ts";

/** The largest number of names, and of refusals, that the dialog lists. */
const MOST_LISTED = 12;

/** The bar with the actions; it is there while something is selected. */
export function BulkBar({ onAction }: { onAction: (action: Action) => void }) {
  const chosen = selection.value;
  if (chosen.length === 0) return null;
  const actions = about.value?.actions ?? [];
  const isPage = chosen.length === executions.value?.length && next.value !== undefined;
  return (
    <div class="bulk" role="toolbar" aria-label="Actions on the selected executions">
      <span>{isAllSelected.value ? `All ${grouped(total.value ?? chosen.length)} selected` : `${grouped(chosen.length)} selected`}</span>
      {isPage && !isAllSelected.value && (
        <button type="button" class="plain" onClick={() => (isAllSelected.value = true)}>
          Select all {total.value === undefined ? "" : grouped(total.value)} that match
        </button>
      )}
      {actions
        .filter((action) => action !== "resume" || chosen.some((one) => concerns(action, one)))
        .map((action) => (
          <button
            key={action}
            type="button"
            disabled={!isAllSelected.value && !chosen.some((one) => concerns(action, one))}
            onClick={() => onAction(action)}
          >
            {ACTION_TEXTS[action].label}…
          </button>
        ))}
      {actions.length === 0 && <span class="muted">This console only reads.</span>}
      <button type="button" class="plain" onClick={deselect}>
        Deselect
      </button>
    </div>
  );
}

/** The run of an action: what it has done so far, and what is wrong. */
function useRun(action: Action, target: Target) {
  const report = useSignal<BulkReport | undefined>(undefined);
  const isRunning = useSignal(false);
  const isCancelled = useSignal(false);
  const problem = useSignal("");
  const begin = async (fields: Record<string, string>): Promise<void> => {
    problem.value = payloadProblem(fields.payload) ?? "";
    if (problem.value !== "") return;
    isRunning.value = true;
    try {
      for await (const sum of perform(action, target, fields)) {
        report.value = sum;
        if (isCancelled.value) break;
      }
      report.value ??= { done: [], refused: [] };
    } catch (error) {
      problem.value = (error as Error).message;
    }
    isRunning.value = false;
    void refresh();
  };
  const cancel = (): void => void (isCancelled.value = true);
  return { report: report.value, isRunning: isRunning.value, problem: problem.value, begin, cancel };
}

/** What an action would do, its fields, and then what it has done. */
export function BulkDialog({ action, close }: { action: Action; close: () => void }) {
  const target: Target = isAllSelected.value ? { view: view.value } : { executions: selection.value };
  // Executions that change their status while the action runs stay in its target.
  const { current: chosen } = useRef(target);
  const { report, isRunning, problem, begin, cancel } = useRun(action, chosen);
  const fields = useSignal<Record<string, string>>({});
  const { label, done } = ACTION_TEXTS[action];
  const { concerned, names, left } = previewOf(action, chosen);
  const finish = (): void => {
    cancel();
    if (report !== undefined) {
      message.value = `${count(report.done.length, "execution")} ${done}.`;
      deselect();
    }
    close();
  };
  return (
    <Dialog
      title={`${label} executions`}
      close={finish}
      footer={
        report !== undefined && !isRunning ? (
          <button type="button" class="primary" onClick={finish}>
            Done
          </button>
        ) : (
          <>
            <button type="button" onClick={finish}>
              {isRunning ? "Stop here" : "Back"}
            </button>
            <button form="bulk-form" class={action === "stop" ? "primary danger" : "primary"} disabled={isRunning || concerned === 0}>
              {label} {count(concerned, "execution")}
            </button>
          </>
        )
      }
    >
      <form
        id="bulk-form"
        onSubmit={(event) => {
          event.preventDefault();
          void begin(fields.value);
        }}
      >
        {report === undefined ? (
          <Preview {...{ action, concerned, names, left }} fields={fields.value} onFields={(value) => (fields.value = value)} />
        ) : (
          <Report report={report} done={done} concerned={concerned} isRunning={isRunning} />
        )}
        {problem !== "" && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
      </form>
    </Dialog>
  );
}

/** Returns how many executions an action concerns, the names of the first ones, and how many it leaves as they are. */
function previewOf(action: Action, target: Target): { concerned: number; names: string[]; left: number } {
  const known = "view" in target ? (executions.value ?? []) : target.executions;
  const fitting = known.filter((one) => concerns(action, one));
  const names = fitting.slice(0, MOST_LISTED).map(({ name }) => name);
  if (!("view" in target)) return { concerned: fitting.length, names, left: known.length - fitting.length };
  const statuses = narrowed(target.view, statusesOf(action))?.statuses ?? [];
  const concerned = statuses.reduce((sum, status) => sum + (counts.value?.statuses[status] ?? 0), 0);
  return { concerned, names, left: (total.value ?? concerned) - concerned };
}

function Preview({
  action,
  concerned,
  names,
  left,
  fields,
  onFields,
}: {
  action: Action;
  concerned: number;
  names: string[];
  left: number;
  fields: Record<string, string>;
  onFields: (fields: Record<string, string>) => void;
}) {
  const field = (name: string) => ({
    name,
    value: fields[name] ?? "",
    autocomplete: "off",
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) => onFields({ ...fields, [name]: currentTarget.value }),
  });
  return (
    <>
      <p>{ACTION_TEXTS[action].about}</p>
      {concerned > 0 && (
        <ul class="preview">
          {names.map((name) => (
            <li key={name}>{name}</li>
          ))}
          {concerned > names.length && <li class="muted">and {grouped(concerned - names.length)} more</li>}
        </ul>
      )}
      {left > 0 && (
        <p class="muted">{count(left, "execution is", "executions are")} left unchanged: the action does not apply to their status.</p>
      )}
      {action === "signal" && (
        <>
          <label class="field">
            Name <input {...field("name")} required />
          </label>
          <label class="field">
            Payload, JSON <textarea {...field("payload")} rows={3} spellcheck={false} placeholder="null" />
          </label>
        </>
      )}
      {action === "stop" && (
        <label class="field">
          Error <input {...field("error")} maxLength={256} />
        </label>
      )}
      {(action === "stop" || action === "cancel") && (
        <label class="field">
          Cause <input {...field("cause")} maxLength={32_768} />
        </label>
      )}
    </>
  );
}

function Report({ report, done, concerned, isRunning }: { report: BulkReport; done: string; concerned: number; isRunning: boolean }) {
  const { refused } = report;
  return (
    <>
      <p role="status">
        {isRunning
          ? `${grouped(report.done.length + refused.length)} of ${grouped(concerned)}…`
          : `${count(report.done.length, "execution")} ${done}.`}
      </p>
      {isRunning && <progress max={concerned} value={report.done.length + refused.length} aria-label="Progress" />}
      {refused.length > 0 && (
        <>
          <p>
            {count(refused.length, "execution was", "executions were")} not {done}:
          </p>
          <ul class="preview">
            {refused.slice(0, MOST_LISTED).map(({ executionArn, reason }) => (
              <li key={executionArn}>
                {executionArn.slice(executionArn.lastIndexOf(":") + 1)}: {reason}
              </li>
            ))}
            {refused.length > MOST_LISTED && <li class="muted">and {grouped(refused.length - MOST_LISTED)} more</li>}
          </ul>
        </>
      )}
    </>
  );
}

/** Returns what is wrong with a payload. */
function payloadProblem(payload: string | undefined): string | undefined {
  if (payload === undefined || payload.trim() === "") return undefined;
  try {
    JSON.parse(payload);
    return undefined;
  } catch (error) {
    return `The payload is not JSON: ${(error as Error).message}`;
  }
}
