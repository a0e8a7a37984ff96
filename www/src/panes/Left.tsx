// The left pane: the definition, the input, the handlers, and the problems of the definition.

import { pointerName } from "stepglass/pointer";
import { useEffect } from "preact/hooks";
import * as debug from "../debugger/model.ts";
import { Editor } from "../editor/Editor.tsx";
import type { EditorHandle } from "../editor/codemirror.ts";
import { definitionEditor, goToDefinition, openGoTo, path } from "../editor/definitionEditor.ts";
import { keyHint } from "../keys/keymap.ts";
import type { Diagnostic, Fix } from "../model/protocol.ts";
import * as prefs from "../prefs.ts";
import { hasHandler } from "../debugger/handlers.ts";
import * as analysis from "../store/analysis.ts";
import * as panes from "../store/panes.ts";
import * as selection from "../store/selection.ts";
import { say, showToast } from "../store/notifications.ts";
import * as workspace from "../store/workspace.ts";
import { Icon } from "../ui/Icon.tsx";
import { GroupedTabs, type Tab, type TabGroup } from "../ui/Tabs.tsx";
import { lazy } from "../ui/lazy.tsx";
import { count, sentence, unticked } from "../ui/format.ts";
import { Inspector } from "./Inspector.tsx";

const Config = lazy(() => import("../debugger/Config.tsx").then((module) => module.Config));
const InnerDefinition = lazy(() => import("../debugger/InnerDefinition.tsx").then((module) => module.InnerDefinition));
const InputHead = lazy(() => import("./Inputs.tsx").then((module) => module.InputHead));
const Mocks = lazy(() => import("../debugger/Mocks.tsx").then((module) => module.Mocks));

type LeftTab = typeof panes.leftTab.value;

type LeftGroup = "definition" | "setup" | "inspector";

/** Returns the tabs with their badges: the definition, and what a run is set up with. */
function groupsOf(withInspector: boolean): TabGroup<LeftGroup, LeftTab>[] {
  const errors = analysis.errorCount.value;
  const warnings = analysis.problems.value.length - errors;
  const definitionTab: Tab<LeftTab> = { id: "definition", label: "Definition" };
  if (errors > 0) Object.assign(definitionTab, { badge: errors, tone: "bad", badgeText: errors === 1 ? "error" : "errors" });
  else if (warnings > 0)
    Object.assign(definitionTab, { badge: warnings, tone: "warn", badgeText: warnings === 1 ? "warning" : "warnings" });
  const inputTab: Tab<LeftTab> = { id: "input", label: "Input" };
  if (workspace.inputProblem.value) Object.assign(inputTab, { badge: "!", tone: "bad", badgeText: "not JSON" });
  const tasksTab: Tab<LeftTab> = { id: "tasks", label: "Tasks" };
  if (!workspace.tasksTrusted.value && workspace.tasks.value.trim() !== "") Object.assign(tasksTab, { badge: "review", tone: "warn" });
  const mocked = Object.values(debug.mocks.value).filter(({ mode }) => mode !== "handler").length;
  const mocksTab: Tab<LeftTab> = {
    id: "mocks",
    label: "Mocks",
    ...(mocked > 0 ? { badge: mocked, badgeText: "mocked", tone: "warn" as const } : {}),
  };
  const groups: TabGroup<LeftGroup, LeftTab>[] = [
    { id: "definition", label: "Definition", tabs: [definitionTab] },
    { id: "setup", label: "Set-up", tabs: [inputTab, tasksTab, mocksTab, { id: "config", label: "Config" }] },
  ];
  if (withInspector) groups.push({ id: "inspector", label: "Inspector", tabs: [{ id: "inspector", label: "Inspector" }] });
  return groups;
}

function LeftTabs({ groups, chosen }: { groups: TabGroup<LeftGroup, LeftTab>[]; chosen: LeftTab }) {
  return (
    <GroupedTabs label="Code" prefix="left" groups={groups} chosen={chosen} chooseGroup={panes.chooseSetup} choose={panes.chooseLeft} />
  );
}

export function Left() {
  const withInspector = prefs.layoutSize() === "medium";
  const shown: LeftTab = !withInspector && panes.leftTab.value === "inspector" ? "definition" : panes.leftTab.value;
  return (
    <section class="pane left" id="left" aria-label="Code">
      <LeftTabs groups={groupsOf(withInspector)} chosen={shown} />
      <div class="panel" id="left-definition" role="tabpanel" aria-labelledby="left-tab-definition" hidden={shown !== "definition"}>
        <Definition visible={shown === "definition"} />
        <Problems />
      </div>
      <div class="panel" id="left-input" role="tabpanel" aria-labelledby="left-tab-input" hidden={shown !== "input"}>
        {shown === "input" && <InputHead />}
        <Editor
          id="input-editor"
          label="Input"
          text={workspace.input}
          edit={(input) => workspace.edit({ input })}
          language="json"
          visible={shown === "input"}
          placeholder="{}"
        />
        {workspace.inputProblem.value && (
          <p class="strip bad">
            <Icon name="error" />
            <span>{workspace.inputProblem.value.message}</span>
          </p>
        )}
      </div>
      <div class="panel" id="left-tasks" role="tabpanel" aria-labelledby="left-tab-tasks" hidden={shown !== "tasks"}>
        <TasksHead />
        <Editor
          id="tasks-editor"
          label="Task handlers, JavaScript"
          text={workspace.tasks}
          edit={(tasks) => workspace.edit({ tasks })}
          language="javascript"
          visible={shown === "tasks"}
          placeholder={
            "// Without handlers, the page asks you for each task's answer.\nexport default {\n  ChargeCard: async (input, task) => ({ paid: true }),\n};"
          }
        />
      </div>
      <div class="panel" id="left-mocks" role="tabpanel" aria-labelledby="left-tab-mocks" hidden={shown !== "mocks"}>
        {shown === "mocks" && <Mocks />}
      </div>
      <div class="panel" id="left-config" role="tabpanel" aria-labelledby="left-tab-config" hidden={shown !== "config"}>
        {shown === "config" && <Config />}
      </div>
      {withInspector && (
        <div class="panel scroll" id="left-inspector" role="tabpanel" aria-labelledby="left-tab-inspector" hidden={shown !== "inspector"}>
          <h2 class="unseen">Inspector</h2>
          <Inspector />
        </div>
      )}
    </section>
  );
}

function FormatSwitch() {
  return (
    <label class="mini">
      <span class="unseen">Format</span>
      <select value={workspace.format.value} onChange={(event) => void convert(event.currentTarget.value as "json" | "yaml")}>
        <option value="json">JSON</option>
        <option value="yaml">YAML</option>
      </select>
    </label>
  );
}

/** Converts the text to the other format, if it can be read. */
async function convert(to: "json" | "yaml"): Promise<void> {
  workspace.flush();
  const from = workspace.format.value;
  if (from === to) return;
  const before = workspace.definition.value;
  let text = before;
  try {
    const yaml = await import("yaml");
    if (before.trim() !== "")
      text =
        to === "yaml"
          ? yaml.stringify(JSON.parse(before), { lineWidth: 0 })
          : `${JSON.stringify(yaml.parse(before, { merge: true }), null, 2)}\n`;
  } catch {
    showToast(`The text is not valid ${from.toUpperCase()}, so it was not converted.`);
  }
  workspace.edit({ format: to, definition: text });
}

function TasksHead() {
  if (!workspace.tasksTrusted.value && workspace.tasks.value.trim() !== "") {
    return (
      <p class="strip warn">
        <Icon name="warning" />
        <span>This code came with a link. It does not run until you enable it.</span>
        <button type="button" onClick={() => workspace.edit({ tasksTrusted: true })}>
          Enable the code
        </button>
      </p>
    );
  }
  const missing = missingHandlers();
  return (
    <p class="hint">
      <span>
        An ES module whose default export has a handler for each task, by state, function or resource. It runs in a sandbox without network
        access.
      </span>
      {missing.length > 0 && (
        <button type="button" class="link" onClick={() => addHandlers(missing)}>
          Add {count(missing.length, "handler")}
        </button>
      )}
    </p>
  );
}

/** Returns the states whose tasks have no handler. */
function missingHandlers(): string[] {
  return [...new Set((analysis.latest.value?.tasks ?? []).filter((task) => !hasHandler(task)).map(({ state }) => state))];
}

function addHandlers(names: string[]): void {
  const key = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));
  const lines = names.map((name) => `  ${key(name)}: async (input, task) => {\n    return { ok: true };\n  },\n`).join("\n");
  const text = workspace.tasks.value;
  const end = text.lastIndexOf("};");
  workspace.edit({
    tasks:
      text.trim() === ""
        ? `export default {\n${lines}};\n`
        : /export\s+default\s*\{/.test(text) && end >= 0
          ? `${text.slice(0, end).replace(/\s*$/, "\n")}\n${lines}${text.slice(end)}`
          : `${text.replace(/\s*$/, "\n\n")}${names.map((name) => `// ${name} has no handler yet.\n`).join("")}`,
  });
}

function Definition({ visible }: { visible: boolean }) {
  const language = workspace.format.value === "yaml" ? "asl-yaml" : "asl-json";
  const inner = analysis.inside.value?.definition;
  return (
    <>
      <Breadcrumbs />
      {inner !== undefined && <InnerDefinition visible={visible} text={inner} />}
      <div class="own-definition" hidden={inner !== undefined}>
        <Editor
          id="definition-editor"
          label="Definition"
          text={workspace.definition}
          edit={(definition) => workspace.edit({ definition })}
          language={language}
          visible={visible && inner === undefined}
          attach={attach}
          placeholder={'{ "StartAt": …, "States": { … } }'}
        />
      </div>
    </>
  );
}

/** The path to the state at the cursor. */
function Breadcrumbs() {
  return (
    <nav class="breadcrumbs" aria-label="States around the cursor">
      <button type="button" class="plain" title={`Go to a state${keyHint("goToState")}`} onClick={openGoTo}>
        States
      </button>
      {path.value.map(({ text, state }, i) => (
        <span key={i}>
          <span aria-hidden="true">›</span>
          {state === undefined ? (
            <span class="crumb">{text}</span>
          ) : (
            <button type="button" class="plain" onClick={() => goToDefinition(state)}>
              {text}
            </button>
          )}
        </span>
      ))}
    </nav>
  );
}

/** Attaches the editor before the page's marks and values are shown in it. */
function attach(editor: EditorHandle): () => void {
  definitionEditor.value = editor;
  let end: (() => void) | null | undefined;
  void import("../debugger/inEditor.ts").then(({ attachDefinition }) => {
    if (end === undefined) end = attachDefinition(editor);
  });
  return () => {
    end?.();
    end = null;
    if (definitionEditor.peek() === editor) definitionEditor.value = null;
  };
}

function Problems() {
  const problems = analysis.problems.value;
  const errors = analysis.errorCount.value;
  const open = prefs.problemsOpen.value && problems.length > 0;
  useEffect(() => {
    if (errors > 0) say(`${count(errors, "error")} in the definition`);
  }, [errors]);
  const summary =
    analysis.latest.value === null
      ? "Reading…"
      : problems.length === 0
        ? workspace.definition.value.trim() === ""
          ? "Nothing to check yet"
          : "No problems"
        : [errors ? count(errors, "error") : "", problems.length - errors ? count(problems.length - errors, "warning") : ""]
            .filter(Boolean)
            .join(", ");
  return (
    <section class={`problems${open ? " open" : ""}`} aria-label="Problems">
      <div class="problems-bar">
        <button
          type="button"
          class="problems-head"
          aria-expanded={open}
          disabled={problems.length === 0}
          onClick={() => (prefs.problemsOpen.value = !prefs.problemsOpen.value)}
        >
          <Icon name={errors > 0 ? "error" : problems.length > 0 ? "warning" : "check"} />
          <span class={errors > 0 ? "is-bad" : problems.length > 0 ? "is-warn" : "is-good"}>{summary}</span>
          {problems.length > 0 && <Icon name="chevron" size={14} />}
        </button>
        <FormatSwitch />
      </div>
      {open && (
        <div class="problem-groups">
          {grouped(problems.slice(0, 200)).map(([state, list]) => (
            <section key={state} aria-label={state === "" ? "Machine" : state}>
              <h2>
                {state === "" ? "Machine" : state} <span class="badge">{list.length}</span>
              </h2>
              <ul>
                {list.map((problem, i) => (
                  <Problem key={`${problem.pointer} ${problem.code} ${i}`} problem={problem} />
                ))}
              </ul>
            </section>
          ))}
        </div>
      )}
    </section>
  );
}

/** Groups problems by the innermost state around each, in the order of the first problem of each state. */
function grouped(problems: readonly Diagnostic[]): [string, Diagnostic[]][] {
  const groups = new Map<string, Diagnostic[]>();
  for (const problem of problems) {
    const states = [...problem.pointer.matchAll(/\/States\/([^/]*)/g)];
    const state = pointerName(states.at(-1)?.[1] ?? "");
    const group = groups.get(state);
    if (group) group.push(problem);
    else groups.set(state, [problem]);
  }
  return [...groups];
}

function Problem({ problem }: { problem: Diagnostic }) {
  const { range, fixes = [] } = problem;
  return (
    <li class={problem.severity === "error" ? "is-bad" : "is-warn"}>
      <button type="button" class="problem" onClick={() => range && selection.revealRange(range.start.offset, range.end.offset)}>
        <Icon name={problem.severity === "error" ? "error" : "warning"} size={14} />
        <span>
          <span class="problem-text">
            <Words text={sentence(problem.message)} />
          </span>
          {problem.help && (
            <span class="problem-help">
              <Words text={sentence(problem.help)} />
            </span>
          )}
          <span class="problem-place">
            {range ? `Line ${range.start.line}` : problem.pointer} · {problem.code}
            {problem.aws?.[0] && <span title={problem.aws[0].message}> · AWS: {problem.aws[0].code}</span>}
          </span>
        </span>
      </button>
      {fixes.slice(0, 4).map((fix) => (
        <button key={fix.title} type="button" class="fix" onClick={() => applyFix(fix)}>
          <Icon name="bulb" size={14} />
          <span>
            <Words text={sentence(fix.title)} />
          </span>
        </button>
      ))}
    </li>
  );
}

/** Renders a text. The parts between back ticks are code. */
function Words({ text }: { text: string }) {
  return <>{text.split("`").map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part))}</>;
}

function applyFix({ title, edits }: Fix): void {
  const editor = definitionEditor.value;
  if (editor) {
    if (!editor.apply(edits, analysis.problems.value)) return say("The text has changed. Try again.");
  } else {
    let text = workspace.definition.value;
    for (const { from, to, text: put } of [...edits].reverse()) text = text.slice(0, from) + put + text.slice(to);
    workspace.edit({ definition: text });
  }
  say(`Done: ${unticked(title)}`);
}
