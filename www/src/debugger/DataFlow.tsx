// The data of a visit on its way through its state: each stage with what it changed, why, and where values came from.

import { useSignal, useSignalEffect } from "@preact/signals";
import type { Flow, FlowStage, Origin } from "../model/protocol.ts";
import * as store from "../store.ts";
import { Icon } from "../ui/Icon.tsx";
import { duration } from "../ui/format.ts";
import { type Path, equal, linesOf, nameOf, pathText } from "./diff.ts";
import { ChoiceTable, ErrorCard, RetryTable } from "./decisions.tsx";
import * as model from "./model.ts";
import { addBreakpoint, goToPlace, setValue } from "./session.ts";

const LIMIT = 262_144;

/// How a stage is called on the page, and the field that makes it.
const STAGES: Record<string, [label: string, field: string]> = {
  afterInputPath: ["InputPath", "InputPath"],
  afterParameters: ["Parameters", "Parameters"],
  afterArguments: ["Arguments", "Arguments"],
  afterItemsPath: ["Items", "ItemsPath"],
  afterItemSelector: ["ItemSelector", "ItemSelector"],
  afterItemBatcher: ["ItemBatcher", "ItemBatcher"],
  result: ["Result", "Result"],
  afterResultSelector: ["ResultSelector", "ResultSelector"],
  afterResultPath: ["ResultPath", "ResultPath"],
  assignedVariables: ["Assign", "Assign"],
  output: ["Output", "Output"],
  choice: ["Rules", "Choices"],
  error: ["Error", ""],
  retry: ["Retry", "Retry"],
  catch: ["Catch", "Catch"],
  maxConcurrency: ["MaxConcurrency", "MaxConcurrency"],
  toleratedFailureCount: ["Tolerated", "ToleratedFailureCount"],
  toleratedFailurePercentage: ["Tolerated %", "ToleratedFailurePercentage"],
};

const DECISIONS = new Set(["choice", "error", "retry", "catch", "maxConcurrency", "toleratedFailureCount", "toleratedFailurePercentage", "assignedVariables"]);

export function DataFlow({ flow }: { flow: Flow }) {
  const chosen = useSignal<string | null>(null);
  const { stages, place } = flow;
  // The stage at which the run stands, or the one that was chosen by hand.
  const seen = stages.filter((stage) => stage.place < place);
  const here = model.position.value && !model.position.value.atRest && seen.length > 0 && seen.length < stages.length ? seen.at(-1)! : undefined;
  const byHand = chosen.value === null ? undefined : chosen.value === "input" ? "input" : stages.findLast(({ stage }) => stage === chosen.value);
  const shown = byHand ?? here ?? stages.findLast(({ stage }) => stage === "output") ?? stages.at(-1) ?? "input";
  const keys = (event: KeyboardEvent): void => {
    const all: (FlowStage | "input")[] = ["input", ...chips.map(({ stage }) => stage)];
    const at = all.indexOf(shown);
    const to = event.key === "ArrowRight" ? at + 1 : event.key === "ArrowLeft" ? at - 1 : -1;
    const next = all[to];
    if (event.key === "Enter" && shown !== "input" && event.target instanceof HTMLElement && event.target.classList.contains("stage-chip") && event.shiftKey) {
      addBreakpoint({ kind: "stage", state: flow.state, stage: shown.stage });
      store.showToast(`Breakpoint after ${shown.stage} of ${flow.state}.`);
    } else if (next !== undefined) {
      chosen.value = next === "input" ? "input" : next.stage;
      (event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>(".stage-chip")[to]?.focus();
    } else return;
    event.preventDefault();
  };
  let before: unknown = flow.input;
  const chips = stages.map((stage) => {
    const decision = DECISIONS.has(stage.stage);
    const changed = !decision && !equal(before, stage.value);
    if (!decision) before = stage.value;
    // Only what the state has: a field that is not written and changes nothing is no stage to look at.
    const field = STAGES[stage.stage]?.[1] ?? "";
    const written = flow.fields[field] !== undefined || flow.fields[`${field}Path`] !== undefined;
    const shows = changed || decision || written || stage === shown || stage.stage === "output" || (stage.stage === "result" && flow.fields["Type"] !== "Pass");
    return { stage, changed, decision, shows };
  }).filter(({ shows }) => shows);
  return (
    <section class="flow" aria-label="Data flow">
      <div class="stage-strip" role="radiogroup" aria-label="Stages" onKeyDown={keys}>
        <Chip label="Input" chosen={shown === "input"} kind="" choose={() => (chosen.value = "input")} size={undefined} ahead={false} />
        {chips.map(({ stage, changed, decision }) => (
          <Chip
            key={stage.place}
            label={STAGES[stage.stage]?.[0] ?? stage.stage}
            chosen={shown === stage}
            kind={stage.stage === "error" ? "bad" : decision ? "decision" : changed ? "changed" : "same"}
            size={decision ? undefined : stage.size}
            ahead={stage.place >= place}
            choose={() => (chosen.value = stage.stage)}
          />
        ))}
      </div>
      {shown === "input" ? <Values flow={flow} at={-1} value={flow.input} before={undefined} /> : <Stage key={shown.place} flow={flow} stage={shown} />}
    </section>
  );
}

function Chip({ label, chosen, kind, size, ahead, choose }: { label: string; chosen: boolean; kind: string; size: number | undefined; ahead: boolean; choose(): void }) {
  const words = kind === "changed" ? "changed" : kind === "same" ? "unchanged" : kind === "bad" ? "failed" : "";
  return (
    <div role="radio" aria-checked={chosen} tabIndex={chosen ? 0 : -1} class={`stage-chip ${kind}${ahead ? " ahead" : ""}`} title={[words, size === undefined ? "" : `${size} bytes`, ahead ? "to come" : ""].filter(Boolean).join(", ")} onClick={choose}>
      {label}
      {kind === "changed" && <span class="unseen"> changed</span>}
    </div>
  );
}

function Stage({ flow, stage }: { flow: Flow; stage: FlowStage }) {
  const at = flow.stages.indexOf(stage);
  const field = STAGES[stage.stage]?.[1] ?? "";
  const name = stage.stage;
  if (name === "choice") return <ChoiceTable flow={flow} stage={stage} />;
  if (name === "error") return <ErrorCard flow={flow} stage={stage} />;
  if (name === "retry" || name === "catch") return <RetryTable flow={flow} at={at} />;
  let before: unknown = flow.input;
  if (name !== "afterResultPath") for (let i = at - 1; i >= 0; i--) if (!DECISIONS.has(flow.stages[i]!.stage)) { before = flow.stages[i]!.value; break; }
  // What a state has made of its input altogether is told where the last stage changes nothing.
  const overall = name === "output" && equal(before, stage.value);
  if (overall) before = flow.input;
  const written = flow.fields[field] ?? (name === "afterArguments" ? undefined : flow.fields[`${field}Path`]);
  const only = name === "result" || name === "assignedVariables";
  return (
    <>
      {overall && written === undefined ? <p class="why quiet">What leaves the state, beside what came in.</p> : <Why field={field} written={written} stage={name} flow={flow} />}
      <Values flow={flow} at={at} value={stage.value} before={only ? undefined : before} compare={!only} />
    </>
  );
}

function Why({ field, written, stage, flow }: { field: string; written: unknown; stage: string; flow: Flow }) {
  if (stage === "result") {
    const mock = model.mocks.value[flow.state];
    return <p class="why quiet">{flow.fields["Type"] === "Task" ? (mock && mock.mode !== "handler" ? `What the mock (${mock.mode}) has answered` : "What the task has answered") : written === undefined ? "The result is the input" : "Written in the definition"}</p>;
  }
  if (written === undefined) return <p class="why quiet">{field} is not written: nothing changes here.</p>;
  return (
    <p class="why">
      <span class="quiet">{field}</span> <code>{typeof written === "string" ? written : JSON.stringify(written)}</code>
    </p>
  );
}

function Values({ flow, at, value, before, compare = before !== undefined }: { flow: Flow; at: number; value: unknown; before: unknown; compare?: boolean }) {
  const open = useSignal<ReadonlySet<string>>(new Set());
  const picked = useSignal<Path | null>(null);
  const origins = useSignal<Origin[]>([]);
  const editing = useSignal<string | null>(null);
  const trying = useSignal(false);
  const lines = linesOf(before, value, compare, open.value);
  const pick = (path: Path): void => {
    picked.value = path;
    origins.value = [];
    store.query("origin", { visit: flow.visit, attempt: flow.attempt, stage: at, path }).then((found) => {
      if (picked.value === path) origins.value = found;
    }, () => {});
  };
  const stage = flow.stages[at];
  const target = at < 0 ? "input" : stage?.stage === "result" && flow.fields["Type"] === "Task" ? "result" : undefined;
  const size = stage?.size ?? new Blob([JSON.stringify(value) ?? ""]).size;
  return (
    <>
      <div class="tree" role="tree" aria-label={at < 0 ? "Input" : (stage?.stage ?? "")} tabIndex={0}>
        {lines.map((line, i) => (
          <div
            key={i}
            role="treeitem"
            aria-level={line.depth + 1}
            class={`tree-line ${line.mark === "+" ? "added" : line.mark === "-" ? "removed" : line.mark === "~" ? "changed" : ""}${picked.value && line.leaf && nameOf(picked.value) === nameOf(line.path) ? " picked" : ""}`}
            style={{ paddingInlineStart: `${14 + line.depth * 14}px` }}
            onClick={() => (line.folded ? (open.value = new Set([...open.value, nameOf(line.path)])) : line.mark !== "-" && pick(line.path))}
          >
            <span class="tree-mark">{line.mark}</span>
            <span class="j-key">{line.key}</span>
            {line.was !== undefined && <del>{line.was}</del>}
            <span class={line.leaf ? "tree-leaf" : ""}>{line.text}</span>
          </div>
        ))}
      </div>
      <Gauge size={size} />
      {picked.value && (
        <div class="origin">
          <p class="inspect-line">
            <code>{pathText(picked.value)}</code>
            <button type="button" class="link" onClick={() => void navigator.clipboard.writeText(pathText(picked.value!)).then(() => store.showToast("Path copied."))}>
              Copy path
            </button>
          </p>
          <ol aria-label="Where it came from">
            {origins.value.map((origin, i) => (
              <li key={i} class={origin.approximate ? "quiet" : ""}>
                {origin.event !== undefined ? (
                  <button type="button" class="link" onClick={() => store.selectEvent(origin.event!, origin.state ?? null, "inspector")}>
                    {origin.text}
                  </button>
                ) : (
                  origin.text
                )}
                {origin.approximate && " (approximate)"}
              </li>
            ))}
          </ol>
        </div>
      )}
      <p class="inspect-line flow-actions">
        {stage && stage.place + 1 !== flow.place && (
          <button type="button" class="link" onClick={() => goToPlace(stage.place + 1)}>
            Look at this moment
          </button>
        )}
        <button type="button" class="link" aria-expanded={trying.value} onClick={() => (trying.value = !trying.value)}>
          Try an expression
        </button>
        {target && editing.value === null && (
          <button type="button" class="link" onClick={() => (editing.value = JSON.stringify(value, null, 2))}>
            ✎ Set {target}
          </button>
        )}
        {stage && (
          <button type="button" class="link" onClick={() => { addBreakpoint({ kind: "stage", state: flow.state, stage: stage.stage }); store.showToast(`Breakpoint after ${stage.stage} of ${flow.state}.`); }}>
            ● Break here
          </button>
        )}
      </p>
      {editing.value !== null && target && <Edit text={editing.value} what={`${target} of ${flow.state}`} done={() => (editing.value = null)} set={(next) => setValue(target, next, undefined, flow.visit)} />}
      {trying.value && <Scratch value={value} language={flow.language === "JSONata" ? "jsonata" : "jsonpath"} visit={flow.visit} />}
    </>
  );
}

function Gauge({ size }: { size: number }) {
  const share = size / LIMIT;
  const kib = size < 1024 ? `${size} B` : `${(size / 1024).toFixed(1)} KiB`;
  return (
    <p class={`gauge ${share > 1 ? "bad" : share > 0.8 ? "warn" : ""}`}>
      <meter min={0} max={LIMIT} high={LIMIT * 0.8} value={Math.min(size, LIMIT)} aria-label="Size of the payload" />
      <span>
        {kib} of 256 KiB{share > 1 ? ": too large for AWS" : share > 0.8 ? ": close to the limit" : ""}
      </span>
    </p>
  );
}

/// Changes a value, which forks the run.
export function Edit({ text, what, done, set }: { text: string; what: string; done(): void; set(value: unknown): Promise<void> }) {
  const draft = useSignal(text);
  const problem = useSignal("");
  return (
    <form
      class="edit-value"
      onSubmit={(event) => {
        event.preventDefault();
        try {
          const value: unknown = JSON.parse(draft.value);
          set(value).then(done, (error: Error) => (problem.value = error.message));
        } catch (error) {
          problem.value = (error as Error).message;
        }
      }}
    >
      <textarea aria-label={`New ${what}, JSON`} rows={5} spellcheck={false} value={draft.value} onInput={(event) => (draft.value = event.currentTarget.value)} />
      {problem.value && <p class="field-problem">{problem.value}</p>}
      <p class="inspect-line">
        <button type="submit" class="primary small">
          Fork with it
        </button>
        <button type="button" class="plain small" onClick={done}>
          Cancel
        </button>
      </p>
    </form>
  );
}

/// An expression, tried on a value as it is typed.
function Scratch({ value, language, visit }: { value: unknown; language: "jsonata" | "jsonpath"; visit: number }) {
  const question = useSignal("$");
  const dialect = useSignal<"jsonata" | "jsonpath" | "template">(language);
  const answer = useSignal<{ text: string; bad: boolean; took: number }>({ text: "", bad: false, took: 0 });
  useSignalEffect(() => {
    const asked = question.value;
    const how = dialect.value;
    let stale = false;
    const begun = performance.now();
    store.query("evaluate", { question: asked, language: how, visit, input: value }).then(
      ({ value: found, nothing, message }) => {
        if (!stale) answer.value = { text: message ?? (nothing ? "nothing" : JSON.stringify(found, null, 2)), bad: message !== undefined, took: performance.now() - begun };
      },
      () => {},
    );
    return () => {
      stale = true;
    };
  });
  return (
    <div class="scratch">
      <p class="inspect-line">
        <textarea class="mono" rows={2} aria-label="Expression" spellcheck={false} value={question.value} onInput={(event) => (question.value = event.currentTarget.value)} />
        <select aria-label="Language" value={dialect.value} onChange={(event) => (dialect.value = event.currentTarget.value as "jsonata" | "jsonpath" | "template")}>
          <option value="jsonata">JSONata</option>
          <option value="jsonpath">JSONPath</option>
          <option value="template">Template</option>
        </select>
      </p>
      <pre class={answer.value.bad ? "is-bad" : ""} role="status" aria-label="Value of the expression">
        {answer.value.text}
      </pre>
      <p class="inspect-line quiet">
        {duration(answer.value.took)}
        {!answer.value.bad && (
          <button type="button" class="link" onClick={() => void navigator.clipboard.writeText(dialect.value === "jsonata" ? `{% ${question.value} %}` : question.value).then(() => store.showToast("Copied for the definition."))}>
            <Icon name="copy" size={12} /> Copy for the definition
          </button>
        )}
      </p>
    </div>
  );
}
