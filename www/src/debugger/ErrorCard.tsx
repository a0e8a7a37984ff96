// The card of an error: its cause, its position in the definition, the data that was read, and what handles it.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { FailureInfo, Flow, FlowStage } from "../model/protocol.ts";
import { fateOf } from "../model/retries.ts";
import * as interpreter from "../store/interpreter.ts";
import { Icon } from "../ui/Icon.tsx";
import { latestOnly } from "../ui/latestOnly.ts";
import { linesOf } from "../values/diff.ts";
import { JsonView } from "../values/JsonView.tsx";
import { Tree } from "../values/Tree.tsx";
import { FillInput } from "./FillInput.tsx";
import { change } from "./apply.ts";
import { RetryTable } from "./RetryTable.tsx";
import { Underlined } from "./Scratch.tsx";

/** Loads the reason why an attempt has failed. */
function useFailure({ visit, attempt }: Flow): FailureInfo | null {
  const info = useSignal<FailureInfo | null>(null);
  useEffect(() => latestOnly(interpreter.query("failure", { visit, attempt }), (found) => (info.value = found)), [visit, attempt]);
  return info.value;
}

/** The cause of an error: the expression that failed, its data, and the retrier or catcher that handles the error. */
export function ErrorCard({ flow, stage }: { flow: Flow; stage: FlowStage }) {
  const { Error: error, Cause: cause } = stage.value as { Error: string | null; Cause: string | null };
  const at = flow.stages.indexOf(stage);
  const found = useFailure(flow);
  const fate = fateOf(flow, stage, found?.outer);
  const words = found?.said ?? cause;
  return (
    <div class="failure" role="group" aria-label="Error">
      <p class="failure-name">
        <Icon name="error" size={14} /> {error ?? "Failed"}
      </p>
      {words &&
        (isJson(words) ? (
          <JsonView label="Cause" text={words} />
        ) : (
          <p class="failure-cause">{words.length > 2000 ? `${words.slice(0, 2000)}…` : words}</p>
        ))}
      {found?.expression !== undefined && (
        <p class="failure-where">
          <span class="quiet">{found.field}</span>{" "}
          {found.from !== undefined ? (
            <Underlined text={found.expression} offset={found.from} {...(found.to !== undefined && { end: found.to })} />
          ) : (
            <code class="underlined">{found.expression}</code>
          )}
        </p>
      )}
      {found?.why && <p class="failure-why">{found.why}</p>}
      <p class="failure-fate">{fate.words}</p>
      {fate.note && <p class="quiet">{fate.note}</p>}
      {fate.open && <AddCatch state={flow.state} error={error} />}
      {fate.open && <FillInput />}
      {found?.saw.map(({ label, value }) => (
        <figure key={label} class="pane-value">
          <figcaption>
            Data at that point <b>{label}</b>
          </figcaption>
          <Tree label={`Data at that point: ${label}`} lines={linesOf(undefined, value, false, "all").lines} />
        </figure>
      ))}
      <RetryTable flow={flow} at={at} />
    </div>
  );
}

/** A button that adds a catcher if nothing handles the error. */
function AddCatch({ state, error }: { state: string; error: string | null }) {
  const done = useSignal("");
  return (
    <p class="inspect-line">
      <button
        type="button"
        class="small"
        onClick={() =>
          void change((where) => interpreter.query("addCatch", { ...where, state, error: error ?? "States.ALL" })).then(
            (problem) => (done.value = problem ?? `Added a catcher to ${state}. Apply the definition, or run again.`),
          )
        }
      >
        <Icon name="bulb" size={13} /> Add a Catch
      </button>
      <span role="status">{done.value}</span>
    </p>
  );
}

/** The last error of a state, for the card on its node. */
export function NodeFailure({ state }: { state: string }) {
  const flow = useSignal<Flow | null>(null);
  const info = useSignal<FailureInfo | null>(null);
  useEffect(() => {
    const asked = interpreter
      .query("flow", { state })
      .then(
        async (found) => found && ([found, await interpreter.query("failure", { visit: found.visit, attempt: found.attempt })] as const),
      );
    return latestOnly(asked, (found) => {
      if (found) [flow.value, info.value] = found;
    });
  }, [state]);
  const stage = flow.value?.stages.findLast((one) => one.stage === "error");
  if (!flow.value || !stage) return null;
  const { Error: error, Cause: cause } = stage.value as { Error: string | null; Cause: string | null };
  const words = info.value?.said ?? cause ?? "";
  return (
    <div class="node-failure">
      <b class="is-bad">
        <Icon name="cross" size={11} /> {error ?? "Failed"}
      </b>
      {words && <p>{words.length > 160 ? `${words.slice(0, 160)}…` : words}</p>}
      <p>{fateOf(flow.value, stage, info.value?.outer).words}</p>
    </div>
  );
}

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
