// One stage: the values that it read, the expression that made it, and what came of it; each part of one lights what it came
// from in the other.

import { useSignal, useSignalEffect } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { Flow, Origin } from "../model/protocol.ts";
import {
  type Leaf,
  type Made,
  type Path,
  type Source,
  besideOf,
  jsonataText,
  labelOf,
  leavesOf,
  madeBy,
  pathText,
  valueAt,
} from "../model/stages.ts";
import * as interpreter from "../store/interpreter.ts";
import * as playback from "../store/playback.ts";
import { showToast } from "../store/words.ts";
import { Icon } from "../ui/Icon.tsx";
import type { Carried } from "../values/carried.ts";
import { pin, pins } from "../values/pins.ts";
import { Cut, SearchBox, Tree, findIn } from "../values/Tree.tsx";
import { bytes } from "../ui/format.ts";
import { toggleStop } from "./stageStops.ts";
import { Edit } from "./Edit.tsx";
import { liveValues, toggleLiveValues } from "./liveValues.ts";
import { Scratch } from "./Scratch.tsx";
import { type Line, equal, linesOf, nameOf } from "../values/diff.ts";
import * as model from "./model.ts";
import { goToPlace, setValue } from "./session.ts";
import { light, shining } from "./useLights.ts";

const LIMIT = 262_144;
const NONE: readonly Path[] = [];

interface Props {
  flow: Flow;
  /// The place among the stages; -1 for the state's input.
  at: number;
  value: unknown;
}

export function Values({ flow, at, value }: Props) {
  const open = useSignal<ReadonlySet<string>>(new Set());
  const whole = useSignal(false);
  const picked = useSignal<Path | null>(null);
  const editing = useSignal<string | null>(null);
  const trying = useSignal<Path | "free" | null>(null);
  const search = useSignal("");
  const nth = useSignal(0);
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
  const hits = searching ? [...befores.flatMap(({ lines }) => findIn(lines, search.value)), ...findIn(after.lines, search.value)] : [];
  const found = new Set<Line>(hits);
  const current = hits[Math.min(nth.value, hits.length - 1)];
  const shines = shining.value?.visit === flow.visit && shining.value.stage === at ? shining.value : null;
  const target = at < 0 ? "input" : name === "result" && flow.type === "Task" ? "result" : undefined;
  const size = stage?.size ?? new Blob([JSON.stringify(value) ?? ""]).size;
  const litAfter = shines?.makes && !shines.part ? [shines.makes] : NONE;
  return (
    <>
      <Why flow={flow} at={at} made={made} overall={overall} />
      <div class="panes">
        {sources.map((source, i) => (
          <figure key={source.role} class="pane-value">
            <figcaption>
              Before <b>{source.role === "raw" && source !== base ? "State input, replaced" : source.label}</b>
            </figcaption>
            <Tree
              label={`Before: ${source.label}`}
              lines={befores[i]!.lines}
              lit={shines ? shines.places.filter((place) => place.at === source.at).map(({ path }) => path) : NONE}
              approximate={shines?.approximate === true}
              found={found}
              current={current}
              carries={carrying(roleOf(source.at < 0 ? "input" : flow.stages[source.at]!.stage), valueOf(flow, source.at))}
            />
            {befores[i]!.cut && <Cut size={sizeOf(flow, source.at)} all={() => (whole.value = true)} />}
          </figure>
        ))}
        <figure class="pane-value after">
          <figcaption>
            {at < 0 ? "State input" : "After"} <b>{at < 0 ? "" : labelOf(name === "assignedVariables" ? "Assign" : name)}</b>
            <code class="quiet">{name}</code>
          </figcaption>
          <Tree
            label={at < 0 ? "Input" : name}
            lines={after.lines}
            lit={litAfter}
            found={found}
            current={current}
            picked={picked.value}
            point={(path) => light(flow, at, path ? { path } : null)}
            pick={(path) => (picked.value = picked.value && nameOf(picked.value) === nameOf(path) ? null : path)}
            unfold={(path) => (open.value = new Set([...open.value, nameOf(path)]))}
            words="Press Enter or click to see where it came from"
            carries={carrying(roleOf(name), value)}
          />
          {after.cut && <Cut size={size} all={() => (whole.value = true)} />}
        </figure>
      </div>
      <p class="lights quiet" role="status">
        {shines && lightWords(shines.places.filter((place) => sources.some((source) => source.at === place.at)).length, shines, sources)}
      </p>
      <div class="flow-foot">
        <Gauge size={size} />
        <SearchBox
          label="Search in these values"
          text={search.value}
          at={hits.indexOf(current!)}
          of={hits.length}
          search={(text) => ((search.value = text), (nth.value = 0))}
          go={(by) => (nth.value = (Math.min(nth.value, hits.length - 1) + by + hits.length) % Math.max(1, hits.length))}
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
      {picked.value && <Provenance flow={flow} at={at} path={picked.value} value={value} name={name} close={() => (picked.value = null)} />}
      <p class="inspect-line flow-actions">
        {stage && stage.place + 1 !== flow.place && (
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

/// What the data after a stage is to the state's expressions.
function roleOf(stage: string): Carried["role"] {
  return stage === "input" || stage === "result" || stage === "output" ? stage : stage === "error" ? "errorOutput" : "data";
}

const carrying =
  (role: Carried["role"], value: unknown) =>
  (path: Path): Carried => ({ role, path, value: valueAt(value, path) });

function firstLeaf(made: Made | undefined): Path | undefined {
  return made && leavesOf(made)[0]?.path;
}

function valueOf(flow: Flow, at: number): unknown {
  return at < 0 ? flow.input : flow.stages[at]?.value;
}

function sizeOf(flow: Flow, at: number): number {
  return flow.stages[at]?.size ?? new Blob([JSON.stringify(flow.input) ?? ""]).size;
}

function copy(text: string, said: string): void {
  void navigator.clipboard.writeText(text).then(
    () => showToast(said),
    () => showToast("The browser did not allow copying."),
  );
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

/// The field that made the stage: each expression in it lights what it reads.
function Why({ flow, at, made, overall }: { flow: Flow; at: number; made: Made | undefined; overall: boolean }) {
  const stage = flow.stages[at]?.stage;
  if (stage === undefined) return null;
  if (overall)
    return (
      <p class="why quiet">
        {made ? `${pathWords(made.path)} is not set, so this stage changes nothing. ` : ""}The state's input is compared with its output.
      </p>
    );
  if (stage === "result" && flow.type !== "Pass") {
    const mock = model.mocks.value[flow.state];
    const words =
      flow.type === "Task"
        ? mock && mock.mode !== "handler"
          ? `The result of the mock (${mock.mode}).`
          : "The result of the task."
        : flow.type === "Map"
          ? "The outputs of the iterations."
          : "The outputs of the branches.";
    return <p class="why quiet">{words}</p>;
  }
  const field = made ? pathWords(made.path) : labelOf(stage);
  if (made?.written === undefined)
    return (
      <p class="why quiet">{stage === "result" ? "The result is the input." : `${field} is not set, so this stage changes nothing.`}</p>
    );
  const leaves = leavesOf(made);
  if (leaves.length === 0 || leaves.length > 40) {
    return (
      <p class="why">
        <span class="quiet">{field}</span> <code>{typeof made.written === "string" ? made.written : brief(made.written)}</code>
      </p>
    );
  }
  const literals = leaves.length > 0 && typeof made.written === "object";
  return (
    <ul class="why" aria-label={`Expressions of ${field}`}>
      {leaves.map((leaf) => (
        <li key={nameOf(leaf.path)}>
          <span class="quiet">{literals ? pathWords(leaf.path) : field}</span> <Expression flow={flow} at={at} leaf={leaf} />
        </li>
      ))}
    </ul>
  );
}

/// A place in a template, as it is written there.
function pathWords(path: Path): string {
  return path.map((step, i) => (typeof step === "number" ? `[${step}]` : i === 0 ? step : `.${step}`)).join("");
}

function brief(value: unknown): string {
  const text = JSON.stringify(value) ?? "";
  return text.length > 600 ? `${text.slice(0, 600)}…` : text;
}

function Expression({ flow, at, leaf }: { flow: Flow; at: number; leaf: Leaf }) {
  const shines = shining.value;
  const lit =
    shines?.visit === flow.visit &&
    shines.stage === at &&
    shines.expression !== undefined &&
    nameOf(shines.expression) === nameOf(leaf.path);
  const on = (): void => light(flow, at, { expression: leaf.path });
  const off = (): void => light(flow, at, null);
  return (
    <code
      class={lit ? "expression lit" : "expression"}
      tabIndex={0}
      role="note"
      aria-label={`${leaf.text}, highlights what it reads`}
      onPointerEnter={on}
      onPointerLeave={off}
      onFocus={on}
      onBlur={off}
    >
      {leaf.text}
    </code>
  );
}

/// Where a part of a value came from, back to the execution's input.
function Provenance({
  flow,
  at,
  path,
  value,
  name,
  close,
}: {
  flow: Flow;
  at: number;
  path: Path;
  value: unknown;
  name: string;
  close(): void;
}) {
  const origins = useSignal<Origin[] | null>(null);
  const asked = useSignal(path);
  if (asked.peek() !== path) asked.value = path;
  useSignalEffect(() => {
    const part = asked.value;
    let stale = false;
    interpreter.query("origin", { visit: flow.visit, attempt: flow.attempt, stage: at, item: flow.item, path: part }).then(
      (found) => !stale && (origins.value = found),
      () => {},
    );
    return () => {
      stale = true;
    };
  });
  const root =
    at < 0 || name === "afterInputPath"
      ? "$states.input"
      : name === "result"
        ? "$states.result"
        : name === "assignedVariables"
          ? "$"
          : "$states.input";
  const jsonata = name === "assignedVariables" ? `$${jsonataText(path, "").replace(/^\./, "")}` : jsonataText(path, root);
  return (
    <section class="origin" aria-label={`Where ${pathText(path)} came from`}>
      <p class="inspect-line">
        <code>{pathText(path)}</code>
        <button type="button" class="link" onClick={() => copy(pathText(path), "Path copied.")}>
          Copy path
        </button>
        <button type="button" class="link" title={jsonata} onClick={() => copy(jsonata, "JSONata path copied.")}>
          Copy as JSONata
        </button>
        <button type="button" class="link" onClick={() => copy(JSON.stringify(valueAt(value, path), null, 2), "Value copied.")}>
          Copy value
        </button>
        {name === "output" && <PinLink state={flow.state} path={path} />}
        <span class="gap" />
        <button type="button" class="plain square small" aria-label="Close where it came from" onClick={close}>
          <Icon name="close" size={13} />
        </button>
      </p>
      <ol aria-label="Where it came from">
        {origins.value?.map((origin, i) => (
          <li key={i} class={origin.approximate ? "quiet" : ""} style={{ marginInlineStart: `${origin.depth * 12}px` }}>
            {origin.event !== undefined ? (
              <button type="button" class="link" onClick={() => playback.selectEvent(origin.event!, origin.state ?? null, "inspector")}>
                {origin.text}
              </button>
            ) : (
              origin.text
            )}
            {origin.approximate && " (approximate)"}
          </li>
        ))}
      </ol>
    </section>
  );
}

/// Shows a part of the output on the state's card.
function PinLink({ state, path }: { state: string; path: Path }) {
  const there = pins.value.get(state);
  const on = there !== undefined && nameOf(there) === nameOf(path);
  return (
    <button
      type="button"
      class="link"
      aria-pressed={on}
      onClick={() => {
        pin(state, on ? null : path);
        if (!on && !liveValues.value) toggleLiveValues();
      }}
    >
      {on ? "Show the whole output on the graph" : "Show on the graph"}
    </button>
  );
}

/// A payload beside the most that AWS takes.
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
