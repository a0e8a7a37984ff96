// While a run is paused: the states around each other, the other branches, and the variables in reach.

import { useSignal, useSignalEffect } from "@preact/signals";
import type { Variable } from "../model/protocol.ts";
import * as store from "../store.ts";
import { Icon } from "../ui/Icon.tsx";
import { iterationPath } from "../ui/format.ts";
import { Edit } from "./DataFlow.tsx";
import * as model from "./model.ts";
import { setValue } from "./session.ts";

export function CallStack() {
  const at = model.position.value;
  if (!at || at.stack.length === 0 || store.run.value?.recorded !== undefined) return null;
  const top = at.stack[0]!;
  const others = at.threads.filter((thread) => thread.id !== top.thread && !at.stack.some((frame) => frame.visit === thread.visit));
  return (
    <section class="call-stack" aria-label="Call stack">
      <h3 class="small-head">Call stack</h3>
      <ol>
        {at.stack.map((frame, i) => (
          <li key={frame.visit} class={i === 0 ? "here" : ""}>
            <button type="button" class="frame" onClick={() => store.selectState(frame.state, "inspector")}>
              {i === 0 && <Icon name="right" size={12} />}
              <b>{frame.state}</b>
              <span class="quiet">
                {frame.type}
                {frame.isIteration && ` · item ${iterationPath(frame.iterations)}`}
                {frame.attempt > 0 && ` · attempt ${frame.attempt + 1}`}
                {i === 0 && frame.stage && ` · after ${model.stageName(frame.stage)}`}
              </span>
            </button>
          </li>
        ))}
        <li class="quiet frame">Execution</li>
      </ol>
      {others.length > 0 && (
        <details open={others.length <= 6}>
          <summary>
            {others.length} other {others.length === 1 ? "branch" : "branches"} stopped too
          </summary>
          <ul>
            {others.slice(0, 100).map((thread) => (
              <li key={thread.id}>
                <button type="button" class="frame" onClick={() => store.selectEvent(thread.event, thread.state, "inspector")}>
                  <span>{thread.name}</span> <b>{thread.state}</b>
                </button>
              </li>
            ))}
          </ul>
        </details>
      )}
      <Variables visit={top.visit} />
    </section>
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
    <>
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
    </>
  );
}
