// While a run is paused: the states around each other, the other branches, and the variables in reach.

import { useSignal, useSignalEffect } from "@preact/signals";
import type { Variable } from "../model/protocol.ts";
import * as store from "../store.ts";
import { iterationPath } from "../ui/format.ts";
import { Edit } from "./Edit.tsx";
import * as model from "./model.ts";
import { setValue } from "./session.ts";

/// The way from the execution to where it is paused, each step of which can be looked at.
export function CallStack() {
  const at = model.position.value;
  // Where there is no more than one state, its head says all.
  if (!at || at.stack.length < 2 || store.run.value?.recorded !== undefined) return null;
  const last = at.stack.length - 1;
  return (
    <nav class="call-stack" aria-label="Call stack">
      <ol>
        <li class="quiet">Execution</li>
        {at.stack.toReversed().map((frame, i) => (
          <li key={frame.visit}>
            {frame.isIteration && <span class="quiet">item {iterationPath(frame.iterations.slice(-1))} › </span>}
            <button type="button" class={i === last ? "link strong" : "link"} aria-current={i === last ? "step" : undefined} onClick={() => store.selectState(frame.state, "inspector")}>
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

/// What else is there where it is paused: variables, and the other branches, which stand still as well.
export function Around() {
  const at = model.position.value;
  const top = at?.stack[0];
  if (!at || !top || store.run.value?.recorded !== undefined) return null;
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
                  <button type="button" class="frame" onClick={() => store.selectEvent(thread.event, thread.state, "inspector")}>
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

function Variables({ visit }: { visit: number }) {
  const found = useSignal<Record<string, Variable>>({});
  const editing = useSignal<string | null>(null);
  useSignalEffect(() => {
    model.stopped.value;
    let stale = false;
    store.query("variables", {}).then((variables) => !stale && (found.value = variables), () => {});
    return () => {
      stale = true;
    };
  });
  const all = Object.entries(found.value);
  if (all.length === 0) return null;
  return (
    <section aria-label="Variables">
      <h4>Variables</h4>
      <table class="variables">
        <tbody>
          {all.map(([name, { value, state, event, outer }]) => (
            <tr key={name}>
              <th scope="row">${name}</th>
              <td>
                <code>{JSON.stringify(value).slice(0, 300)}</code>
                <span class="quiet">
                  {" "}
                  by{" "}
                  <button type="button" class="link" onClick={() => store.selectEvent(event, state, "inspector")}>
                    {state}
                  </button>
                  {outer && ", outer scope"}
                </span>
                {editing.value === name && <Edit text={JSON.stringify(value, null, 2)} what={`value of $${name}`} done={() => (editing.value = null)} set={(next) => setValue("variable", next, name, visit)} />}
              </td>
              <td>
                <button type="button" class="plain square small" aria-label={`Set $${name}`} title="Set its value" onClick={() => (editing.value = editing.value === name ? null : name)}>
                  ✎
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
