// The definitions that tasks start with states:startExecution, and their executions.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ChildExecution, Machine } from "../model/protocol.ts";
import * as analysis from "../store/analysis.ts";
import * as execution from "../store/execution.ts";
import * as interpreter from "../store/interpreter.ts";
import * as workspace from "../store/workspace.ts";
import { Icon } from "../ui/Icon.tsx";
import { JsonView } from "../values/JsonView.tsx";
import { save } from "../ui/save.ts";
import { count } from "../ui/format.ts";
import { LookInto, StatusOf } from "./Inside.tsx";
import { serviceOf } from "./responses.ts";

const EMPTY = '{\n  "StartAt": "Work",\n  "States": {\n    "Work": { "Type": "Pass", "End": true }\n  }\n}\n';

const put = (at: number, change: Partial<Machine>): void => {
  workspace.edit({ machines: workspace.machines.value.map((machine, i) => (i === at ? { ...machine, ...change } : machine)) });
};

export function Machines() {
  const machines = workspace.machines.value;
  const starts = (analysis.latest.value?.tasks ?? []).filter(({ resource }) =>
    /^(?:aws-sdk:sfn:start(?:Sync)?Execution|states:startExecution)$/.test(serviceOf(resource)),
  );
  const children = execution.children.value;
  return (
    <section class="machines" aria-labelledby="machines-title">
      <h2 id="machines-title">Machines</h2>
      <p class="quiet">
        What <code>states:startExecution</code> starts, by name or ARN. They share the timeline, mocks and handlers of this run. Step into
        the task to debug them.
        {starts.length > 0 && machines.length === 0 && ` ${starts.map(({ state }) => state).join(", ")} would start one.`}
      </p>
      <ul>
        {machines.map((machine, i) => (
          <MachineEditor key={`${i} ${workspace.generation.value}`} machine={machine} at={i} />
        ))}
      </ul>
      <p>
        <button
          type="button"
          onClick={() =>
            workspace.edit({
              machines: [
                ...machines,
                { name: machines.length === 0 ? "Child" : `Child${machines.length + 1}`, type: "STANDARD", definition: EMPTY },
              ],
            })
          }
        >
          <Icon name="plus" size={14} /> Add a machine
        </button>
      </p>
      {children.length > 0 && (
        <>
          <h3>{count(children.length, "execution")} started by tasks</h3>
          <ul aria-label="Executions started by tasks">
            {children.map((child) => (
              <Child key={child.arn} child={child} />
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function MachineEditor({ machine, at }: { machine: Machine; at: number }) {
  const problem = useSignal("");
  const { name, type, definition } = machine;
  useEffect(() => {
    let wanted = true;
    interpreter.query("checkMachine", machine).then(
      (found) => wanted && (problem.value = found ?? ""),
      () => {},
    );
    return () => {
      wanted = false;
    };
  }, [name, type, definition]);
  return (
    <li class="machine">
      <div class="mock-head">
        <input
          class="grow"
          aria-label="Name or ARN of the machine"
          spellcheck={false}
          value={name}
          onChange={(event) => put(at, { name: event.currentTarget.value.trim() })}
        />
        <select
          aria-label={`Type of ${name}`}
          value={type}
          onChange={(event) => put(at, { type: event.currentTarget.value as Machine["type"] })}
        >
          <option value="STANDARD">Standard</option>
          <option value="EXPRESS">Express</option>
        </select>
        <button
          type="button"
          class="plain square small"
          aria-label={`Remove the machine ${name}`}
          onClick={() => workspace.edit({ machines: workspace.machines.value.filter((_, i) => i !== at) })}
        >
          <Icon name="close" size={13} />
        </button>
      </div>
      <textarea
        class="mono"
        rows={6}
        spellcheck={false}
        aria-label={`Definition of ${name} (JSON)`}
        aria-invalid={problem.value !== ""}
        aria-describedby={`machine-${at}-problem`}
        value={definition}
        onChange={(event) => put(at, { definition: event.currentTarget.value })}
      />
      <p class="field-problem" id={`machine-${at}-problem`}>
        {problem.value}
      </p>
    </li>
  );
}

function Child({ child }: { child: ChildExecution }) {
  const { name, arn, machine, by, status, output, error, cause, events } = child;
  const good = status === "SUCCEEDED";
  return (
    <li class="child-execution">
      <details>
        <summary>
          <b>{machine}</b> {name} <StatusOf one={child} />{" "}
          <span class="quiet">
            {count(events, "event")}, started by {by}
          </span>
        </summary>
        {good && <JsonView label={`Output of ${name}`} value={output} />}
        {error !== undefined && (
          <p class="is-bad">
            {error} <span class="quiet">{cause}</span>
          </p>
        )}
        <LookInto one={child} />{" "}
        <button
          type="button"
          class="link"
          onClick={() =>
            void interpreter
              .query("childHistory", { arn })
              .then((text) => save(`${machine}-${name}.history.json`, text, "application/json"))
          }
        >
          Save its history
        </button>
      </details>
    </li>
  );
}
