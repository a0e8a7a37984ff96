// The handler of each task: a mock of its state, a rule for several tasks, or the task's handler; and the machines that tasks
// start.

import { useSignal } from "@preact/signals";
import type { TaskInfo } from "../model/protocol.ts";
import * as analysis from "../store/analysis.ts";
import * as selection from "../store/selection.ts";
import { showAlarm, showToast } from "../store/notifications.ts";
import * as workspace from "../store/workspace.ts";
import { mockEvery } from "./firstRun.ts";
import { mockConfigOf } from "./mockFiles.ts";
import { Icon } from "../ui/Icon.tsx";
import { count } from "../ui/format.ts";
import { save } from "../ui/save.ts";
import { Machines } from "./Machines.tsx";
import { MockEditor, labelOf } from "./MockEditor.tsx";
import { MockImport } from "./MockImport.tsx";
import { hasHandler } from "./handlers.ts";
import * as model from "./model.ts";
import { setMock } from "./session.ts";

/** A counter that grows when mocks are replaced other than by their fields. */
const version = { value: 0 };

export function Mocks() {
  const importing = useSignal(false);
  const tasks = analysis.latest.value?.tasks ?? [];
  const states = new Set(tasks.map(({ state }) => state));
  const mocks = model.mocks.value;
  const all = Object.keys(mocks);
  const rules = all.filter((name) => !states.has(name));
  return (
    <div class="mocks scroll">
      <div class="pane-bar">
        <button
          type="button"
          disabled={tasks.every(({ state }) => model.isMocked(state))}
          title="Gives each task without a mock a result that has what the definition reads of it"
          onClick={() => void mockAll()}
        >
          <Icon name="plus" size={14} /> Mock every task
        </button>
        <button type="button" onClick={() => (importing.value = true)}>
          <Icon name="upload" size={14} /> Mocks of a file
        </button>
        <button type="button" disabled={all.length === 0} onClick={() => exportMocks()}>
          <Icon name="download" size={14} /> MockConfigFile.json
        </button>
        {all.length > 0 && (
          <button type="button" class="link" onClick={() => (model.mocks.value = {})}>
            Remove {all.length === 1 ? "the mock" : `${all.length} mocks`}
          </button>
        )}
      </div>
      <p class="hint">A mock takes precedence over the handler, and a state's own mock over the rules. Mocked tasks are marked.</p>
      {tasks.length === 0 && <p class="hint quiet">The definition has no Task states.</p>}
      <ul aria-label="Tasks">
        {tasks.map((task) => (
          <Task key={`${task.state} ${version.value} ${workspace.generation.value}`} {...task} ruled={rules.length > 0} />
        ))}
      </ul>
      <Rules rules={rules} />
      <Machines />
      {importing.value && (
        <MockImport
          close={() => (importing.value = false)}
          take={(taken) => {
            version.value += 1;
            model.mocks.value = { ...model.mocks.value, ...taken };
          }}
        />
      )}
    </div>
  );
}

async function mockAll(): Promise<void> {
  try {
    const tasks = await mockEvery();
    version.value += 1;
    showToast(`${count(tasks, "task")} mocked, with results of what the definition reads.`);
  } catch (error) {
    showAlarm(`The tasks were not mocked: ${(error as Error).message}`);
  }
}

function Task({ ruled, ...task }: TaskInfo & { ruled: boolean }) {
  const { state, resource } = task;
  const handler = hasHandler(task) ? "Handler" : "No handler";
  const own = model.mocks.value[state];
  const rule = own === undefined ? model.ruled.value.get(state) : undefined;
  const otherwise = ruled
    ? rule === undefined
      ? `No rule: ${handler.toLowerCase()}`
      : `By rule: ${labelOf(model.mocks.value[rule]?.mode ?? "handler")} (${rule})`
    : handler;
  return (
    <li class={`mock${model.isMocked(state) ? " mocked" : ""}`}>
      <MockEditor name={state} resource={resource} mock={own} otherwise={otherwise}>
        <button type="button" class="link strong" onClick={() => selection.selectState(state, "page")}>
          {state}
        </button>
        <code class="resource">{resource}</code>
      </MockEditor>
    </li>
  );
}

/** Mocks for a resource, for a pattern, or for all other tasks. */
function Rules({ rules }: { rules: string[] }) {
  return (
    <section class="rules" aria-labelledby="rules-title">
      <h2 id="rules-title">Rules</h2>
      <p class="quiet">
        For all tasks of a resource, a function, or a pattern such as <code>dynamodb:*</code>; <code>*</code> matches all other tasks.
      </p>
      <ul>
        {rules.map((rule) => (
          <li key={`${rule} ${version.value} ${workspace.generation.value}`} class="mock mocked">
            <MockEditor name={rule} resource={resourceLike(rule)} mock={model.mocks.value[rule]}>
              <code class="resource strong">{rule}</code>
              <span class="quiet">{reach(rule)}</span>
              <button
                type="button"
                class="plain square small"
                aria-label={`Remove the rule ${rule}`}
                onClick={() => setMock(rule, undefined)}
              >
                <Icon name="close" size={13} />
              </button>
            </MockEditor>
          </li>
        ))}
      </ul>
      <AddRule />
    </section>
  );
}

function AddRule() {
  const name = useSignal("");
  const known = [
    ...new Set(
      (analysis.latest.value?.tasks ?? []).flatMap(({ resource, functionName }) => [
        resource,
        ...(functionName === undefined ? [] : [functionName]),
      ]),
    ),
  ];
  const add = (event: Event): void => {
    event.preventDefault();
    const given = name.value.trim();
    if (given === "" || given === "__proto__") return;
    if (model.mocks.value[given] === undefined) setMock(given, { mode: "echo" });
    name.value = "";
  };
  return (
    <form class="rule-add" onSubmit={add}>
      <input
        list="known-resources"
        aria-label="Resource, function or pattern"
        placeholder="Resource, function or pattern"
        spellcheck={false}
        value={name.value}
        onInput={(event) => (name.value = event.currentTarget.value)}
      />
      <datalist id="known-resources">
        {["*", ...known].map((resource) => (
          <option key={resource} value={resource} />
        ))}
      </datalist>
      <button type="submit" disabled={name.value.trim() === ""}>
        <Icon name="plus" size={14} /> Add a rule
      </button>
    </form>
  );
}

/** Returns a resource that a rule matches, for examples and remarks. */
const resourceLike = (rule: string): string => (rule.startsWith("arn:") || !/^[\w-]+:/.test(rule) ? rule : `arn:aws:states:::${rule}`);

function reach(rule: string): string {
  const own = (analysis.latest.value?.tasks ?? []).filter(({ state }) => model.ruled.value.get(state) === rule);
  return own.length === 0
    ? "for no task"
    : `for ${own
        .map(({ state }) => state)
        .slice(0, 3)
        .join(", ")}${own.length > 3 ? ` and ${own.length - 3} more` : ""}`;
}

function exportMocks(): void {
  const tasks = analysis.latest.value?.tasks ?? [];
  // The file has mocks by state, so each rule is repeated for its states.
  const byState = Object.fromEntries(tasks.flatMap(({ state }) => (model.mockOf(state) ? [[state, model.mockOf(state)!]] : [])));
  const { text, left } = mockConfigOf(byState, workspace.title.value, (state) => tasks.find((task) => task.state === state)?.resource);
  save("MockConfigFile.json", text, "application/json");
  if (left.length > 0)
    showToast(
      `A mock file cannot express the mocks of ${left.slice(0, 3).join(", ")}${left.length > 3 ? " …" : ""}, so they were left out.`,
    );
}
