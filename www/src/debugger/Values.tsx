// A stage: the values that it read, its expression, and its result. Pointing at a part of one highlights the parts of the others
// that belong to it.

import { type Signal, useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { Flow } from "../model/protocol.ts";
import { type StageField, type Path, type Source, besideOf, labelOf, leavesOf, madeBy, valueAt } from "../model/stages.ts";
import * as execution from "../store/execution.ts";
import { Icon } from "../ui/Icon.tsx";
import type { DraggedValue } from "../values/draggedValue.ts";
import { Cut, SearchBox, Tree, findIn } from "../values/Tree.tsx";
import { bytes } from "../ui/format.ts";
import { toggleStop } from "./stageStops.ts";
import { Edit } from "./Edit.tsx";
import { copy } from "./copy.ts";
import { Provenance } from "./Provenance.tsx";
import { Scratch } from "./Scratch.tsx";
import { Why } from "./Why.tsx";
import { type Line, equal, linesOf, nameOf } from "../values/diff.ts";
import * as model from "./model.ts";
import { goToPlace, setValue } from "./session.ts";
import { highlight, shining } from "./useLights.ts";

const LIMIT = 262_144;
const NONE: readonly Path[] = [];

interface Props {
  flow: Flow;
  /** The index of the stage; -1 for the state's input. */
  at: number;
  value: unknown;
}

export function Values({ flow, at, value }: Props) {
  const open = useSignal<ReadonlySet<string>>(new Set());
  const whole = useSignal(false);
  const picked = useSignal<Path | null>(null);
  const search = useSignal("");
  const stage = flow.stages[at];
  const name = stage?.stage ?? "input";
  const made = stage && madeBy(flow.fields, flow.language, flow.stages, at);
  const { sources, compared: base, whole: overall } = besideOf(flow.fields, flow.type, flow.language, flow.input, flow.stages, at, equal);
  const compared = base && valueOf(flow, base.at);
  const searching = search.value !== "";
  const after = useMemo(
    () => linesOf(compared, value, base !== undefined, searching ? "all" : open.value, whole.value || searching),
    [compared, value, open.value, whole.value, searching],
  );
  const befores = useMemo(
    () => sources.map((source) => linesOf(undefined, valueOf(flow, source.at), false, "all", whole.value || searching)),
    [flow, at, whole.value, searching],
  );
  const hits = useHits(search, [...befores, after]);
  const shines = shining.value?.visit === flow.visit && shining.value.stage === at ? shining.value : null;
  const size = stage?.size ?? new Blob([JSON.stringify(value) ?? ""]).size;
  const all = (): void => void (whole.value = true);
  return (
    <>
      <Why flow={flow} at={at} made={made} overall={overall} />
      <div class="panes">
        {sources.map((source, i) => (
          <Before key={source.role} flow={flow} source={source} base={base} made={befores[i]!} shines={shines} hits={hits} all={all} />
        ))}
        <figure class="pane-value after">
          <figcaption>
            {at < 0 ? "State input" : "After"} <b>{at < 0 ? "" : labelOf(name === "assignedVariables" ? "Assign" : name)}</b>
            <code class="quiet">{name}</code>
          </figcaption>
          <Tree
            label={at < 0 ? "Input" : name}
            lines={after.lines}
            lit={shines?.makes && !shines.part ? [shines.makes] : NONE}
            found={hits.found}
            current={hits.current}
            picked={picked.value}
            point={(path) => highlight(flow, at, path ? { path } : null)}
            pick={(path) => (picked.value = picked.value && nameOf(picked.value) === nameOf(path) ? null : path)}
            unfold={(path) => (open.value = new Set([...open.value, nameOf(path)]))}
            words="Press Enter or click to see where it came from"
            carries={carrying(roleOf(name), value)}
          />
          {after.cut && <Cut size={size} all={all} />}
        </figure>
      </div>
      <p class="lights quiet" role="status">
        {shines && lightWords(shines.places.filter((place) => sources.some((source) => source.at === place.at)).length, shines, sources)}
      </p>
      <Foot name={name} value={value} size={size} search={search} hits={hits} />
      {picked.value && <Provenance flow={flow} at={at} path={picked.value} value={value} name={name} close={() => (picked.value = null)} />}
      <Actions flow={flow} at={at} value={value} made={made} />
    </>
  );
}

type Lines = ReturnType<typeof linesOf>;

/** The matching lines, and the current one. */
interface Hits {
  list: readonly Line[];
  found: ReadonlySet<Line>;
  current: Line | undefined;
  go(by: number): void;
  again(): void;
}

function useHits(search: Signal<string>, all: readonly Lines[]): Hits {
  const nth = useSignal(0);
  const list = search.value === "" ? [] : all.flatMap(({ lines }) => findIn(lines, search.value));
  const at = Math.min(nth.value, list.length - 1);
  return {
    list,
    found: new Set(list),
    current: list[at],
    go: (by) => (nth.value = (at + by + list.length) % Math.max(1, list.length)),
    again: () => (nth.value = 0),
  };
}

interface BeforeProps {
  flow: Flow;
  source: Source;
  /** The value that the stage's value is compared with. */
  base: Source | undefined;
  made: Lines;
  shines: typeof shining.value;
  hits: Hits;
  all(): void;
}

/** A value that the stage has read. */
function Before({ flow, source, base, made, shines, hits, all }: BeforeProps) {
  return (
    <figure class="pane-value">
      <figcaption>
        Before <b>{source.role === "raw" && source !== base ? "State input, replaced" : source.label}</b>
      </figcaption>
      <Tree
        label={`Before: ${source.label}`}
        lines={made.lines}
        lit={shines ? shines.places.filter((place) => place.at === source.at).map(({ path }) => path) : NONE}
        approximate={shines?.approximate === true}
        found={hits.found}
        current={hits.current}
        carries={carrying(roleOf(source.at < 0 ? "input" : flow.stages[source.at]!.stage), valueOf(flow, source.at))}
      />
      {made.cut && <Cut size={sizeOf(flow, source.at)} all={all} />}
    </figure>
  );
}

/** The size of the value, the search in all values, and a button that copies the value. */
function Foot({ name, value, size, search, hits }: { name: string; value: unknown; size: number; search: Signal<string>; hits: Hits }) {
  return (
    <div class="flow-foot">
      <Gauge size={size} />
      <SearchBox
        label="Search in these values"
        text={search.value}
        at={hits.list.indexOf(hits.current!)}
        of={hits.list.length}
        search={(text) => ((search.value = text), hits.again())}
        go={hits.go}
      />
      <button
        type="button"
        class="plain square small"
        aria-label={`Copy the value of ${name}`}
        title="Copy the value"
        onClick={() => copy(JSON.stringify(value, null, 2), "Value copied.")}
      >
        <Icon name="copy" size={13} />
      </button>
    </div>
  );
}

/** The actions at a stage: go there, evaluate an expression, set its value, stop there. */
function Actions({ flow, at, value, made }: Props & { made: StageField | undefined }) {
  const editing = useSignal<string | null>(null);
  const trying = useSignal<Path | "free" | null>(null);
  const stage = flow.stages[at];
  const name = stage?.stage ?? "input";
  // A recorded execution cannot be moved or changed.
  const fixed = execution.run.value?.recorded !== undefined;
  const target = fixed ? undefined : at < 0 ? "input" : name === "result" && flow.type === "Task" ? "result" : undefined;
  return (
    <>
      <p class="inspect-line flow-actions">
        {stage && !fixed && stage.place + 1 !== flow.place && (
          <button type="button" class="link" onClick={() => goToPlace(stage.place + 1)}>
            Go to this moment
          </button>
        )}
        <button
          type="button"
          class="link"
          aria-expanded={trying.value !== null}
          onClick={() => (trying.value = trying.value === null ? (firstLeaf(made) ?? "free") : null)}
        >
          Try an expression
        </button>
        {target && editing.value === null && (
          <button type="button" class="link" onClick={() => (editing.value = JSON.stringify(value, null, 2))}>
            <Icon name="pencil" size={12} /> Set {target}
          </button>
        )}
        {stage && (
          <>
            <StopButton flow={flow} stage={name} when="before" />
            <StopButton flow={flow} stage={name} when="after" />
          </>
        )}
      </p>
      {editing.value !== null && target && (
        <Edit
          text={editing.value}
          what={`${target} of ${flow.state}`}
          done={() => (editing.value = null)}
          set={(next) => setValue(target, next, undefined, flow.visit)}
        />
      )}
      {trying.value !== null && <Scratch flow={flow} at={at} made={made} value={value} />}
    </>
  );
}

/** Returns the role that the data after a stage has in the state's expressions. */
function roleOf(stage: string): DraggedValue["role"] {
  return stage === "input" || stage === "result" || stage === "output" ? stage : stage === "error" ? "errorOutput" : "data";
}

const carrying =
  (role: DraggedValue["role"], value: unknown) =>
  (path: Path): DraggedValue => ({ role, path, value: valueAt(value, path) });

function firstLeaf(made: StageField | undefined): Path | undefined {
  return made && leavesOf(made)[0]?.path;
}

function valueOf(flow: Flow, at: number): unknown {
  return at < 0 ? flow.input : flow.stages[at]?.value;
}

function sizeOf(flow: Flow, at: number): number {
  return flow.stages[at]?.size ?? new Blob([JSON.stringify(flow.input) ?? ""]).size;
}

function lightWords(
  n: number,
  {
    approximate,
    variables,
    context,
    literal,
    text,
  }: { approximate: boolean; variables: string[]; context: boolean; literal: boolean; text?: string },
  sources: Source[],
): string {
  if (literal) return "Written in the definition.";
  const parts = [
    n > 0 && sources.length > 0 ? `${n === 1 ? "1 value" : `${n} values`} highlighted above` : "",
    ...variables.map((name) => `the variable $${name}`),
    context ? "the Context Object" : "",
  ].filter(Boolean);
  if (parts.length === 0) return text === undefined ? "" : "It reads no input.";
  return `${text === undefined ? "From" : `${text}:`} ${parts.join(", ")}${approximate ? " (approximate: it depends on more than paths)" : ""}.`;
}

function StopButton({ flow, stage, when }: { flow: Flow; stage: string; when: "before" | "after" }) {
  const on = (model.byState.value.get(flow.state) ?? []).some(
    (one) => one.kind === "stage" && one.stage === stage && (one.when ?? "after") === when,
  );
  return (
    <button type="button" class="link" aria-pressed={on} onClick={() => toggleStop(flow.state, stage, when)}>
      <Icon name={on ? "dot" : "ring"} size={12} /> Stop {when} it
    </button>
  );
}

/** The size of a payload relative to AWS's limit. */
export function Gauge({ size }: { size: number }) {
  const share = size / LIMIT;
  return (
    <p class={`gauge ${share > 1 ? "bad" : share >= 0.8 ? "warn" : ""}`}>
      <meter min={0} max={LIMIT} high={LIMIT * 0.8} value={Math.min(size, LIMIT)} aria-label="Size of the payload" />
      <span>
        {bytes(size)} of 256 KiB
        {share > 1 ? ": States.DataLimitExceeded on AWS" : share >= 0.8 ? `: ${Math.floor(share * 100)} % of the limit` : ""}
      </span>
    </p>
  );
}
