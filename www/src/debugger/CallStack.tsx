// The call stack while a run is paused: the enclosing states, the other branches, and the variables in scope.

import { type Signal, useSignal, useSignalEffect } from "@preact/signals";
import type { VariableScope } from "../model/protocol.ts";
import * as execution from "../store/execution.ts";
import * as interpreter from "../store/interpreter.ts";
import * as playback from "../store/playback.ts";
import * as selection from "../store/selection.ts";
import { Icon } from "../ui/Icon.tsx";
import { elapsed, iterationPath } from "../ui/format.ts";
import { latestOnly } from "../ui/latestOnly.ts";
import { Edit } from "./Edit.tsx";
import { Callers } from "./Inside.tsx";
import * as model from "./model.ts";
import { setValue } from "./session.ts";

/** The path from the execution to the paused state. Each step of it can be selected. */
export function CallStack() {
  const at = model.position.value;
  // If there is only one state, the header already says everything.
  if (!at || at.stack.length + at.callers.length < 2 || execution.run.value?.recorded !== undefined) return null;
  const last = at.stack.length - 1;
  return (
    <nav class="call-stack" aria-label="Call stack">
      <ol>
        {at.callers.length > 0 ? <Callers /> : <li class="quiet">Execution</li>}
        {at.stack.toReversed().map((frame, i) => (
          <li key={frame.visit}>
            {frame.isIteration && <span class="quiet">item {iterationPath(frame.iterations.slice(-1))} › </span>}
            <button
              type="button"
              class={i === last ? "link strong" : "link"}
              aria-current={i === last ? "step" : undefined}
              onClick={() => selection.selectState(frame.state, "inspector")}
            >
              {frame.state}
            </button>
            {i < last && <span class="quiet"> ({frame.type})</span>}
            {frame.attempt > 0 && <span class="quiet"> › attempt {frame.attempt + 1}</span>}
            {i === last && frame.stage && <span class="quiet"> › after {model.stageName(frame.stage)}</span>}
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** The context of the paused state: its variables, and the other branches, which are paused as well. */
export function Around() {
  const at = model.position.value;
  const top = at?.stack[0];
  if (!at || !top || execution.run.value?.recorded !== undefined) return null;
  const others = at.threads.filter((thread) => thread.id !== top.thread && !at.stack.some((frame) => frame.visit === thread.visit));
  return (
    <>
      <Variables visit={top.visit} />
      {others.length > 0 && (
        <section aria-label="Other branches">
          <details open={others.length <= 6}>
            <summary>
              {others.length} other {others.length === 1 ? "branch" : "branches"} stopped too
            </summary>
            <ul class="threads">
              {others.slice(0, 100).map((thread) => (
                <li key={thread.id}>
                  <button type="button" class="frame" onClick={() => playback.selectEvent(thread.event, thread.state, "inspector")}>
                    <span>{thread.name}</span> <b>{thread.state}</b>
                  </button>
                </li>
              ))}
            </ul>
          </details>
        </section>
      )}
    </>
  );
}

/** Loads the variables that a visit sees at the position where the run has stopped. */
function useScopes(visit: number): VariableScope[] {
  const found = useSignal<VariableScope[]>([]);
  const asked = useSignal(visit);
  if (asked.peek() !== visit) asked.value = visit;
  useSignalEffect(() => {
    void model.stopped.value;
    return latestOnly(interpreter.query("scopes", { visit: asked.value }), (scopes) => (found.value = scopes));
  });
  return found.value;
}

/** The variables in scope, grouped by scope, with the state that assigned each and the changes of the previous state. */
function Variables({ visit }: { visit: number }) {
  const found = useScopes(visit);
  const editing = useSignal<string | null>(null);
  if (found.length === 0) return null;
  return (
    <section aria-label="Variables">
      <h4>Variables</h4>
      {found.map((scope) => (
        <table key={scope.name} class="variables" aria-label={`Variables of ${scope.name}`}>
          {(found.length > 1 || scope.outer) && (
            <caption>
              {scope.name}
              {scope.outer && <span class="quiet"> · outer scope</span>}
            </caption>
          )}
          <tbody>
            {scope.variables.map((variable) => (
              <Variable key={variable.name} variable={variable} outer={scope.outer} visit={visit} editing={editing} />
            ))}
          </tbody>
        </table>
      ))}
    </section>
  );
}

interface VariableProps {
  variable: VariableScope["variables"][number];
  outer: boolean;
  visit: number;
  /** The name of the variable that is being edited, or null. */
  editing: Signal<string | null>;
}

function Variable({ variable: { name, value, state, event, fresh, hidden, was }, outer, visit, editing }: VariableProps) {
  return (
    <tr class={fresh ? "fresh" : ""}>
      <th scope="row">${name}</th>
      <td>
        {fresh && was && <del>{brief(was.value)}</del>} <code>{brief(value)}</code>
        <span class="quiet">
          {" "}
          by{" "}
          <button type="button" class="link" onClick={() => playback.selectEvent(event, state, "inspector")}>
            {state}
          </button>
          {` at ${elapsed(playback.timeOf(event))}`}
          {outer && ", outer scope"}
          {hidden && ", shadowed by an inner variable"}
          {!fresh && was && `, before that ${brief(was.value)} by ${was.state}`}
        </span>
        {fresh && <b class="fresh-mark">{was ? " changed" : " new"}</b>}
        {editing.value === name && (
          <Edit
            text={JSON.stringify(value, null, 2)}
            what={`value of $${name}`}
            done={() => (editing.value = null)}
            set={(next) => setValue("variable", next, name, visit)}
          />
        )}
      </td>
      <td>
        {!hidden && (
          <button
            type="button"
            class="plain square small"
            aria-label={`Set $${name}`}
            title="Set its value"
            onClick={() => (editing.value = editing.value === name ? null : name)}
          >
            <Icon name="pencil" size={14} />
          </button>
        )}
      </td>
    </tr>
  );
}

function brief(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
