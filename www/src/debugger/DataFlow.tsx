// The data of a visit on its way through a state: the strip of its stages, and the selected one.

import { useSignal } from "@preact/signals";
import type { Flow, FlowStage } from "../model/protocol.ts";
import { DECISIONS, besideOf, madeBy, plannedStages } from "../model/stages.ts";
import { Icon } from "../ui/Icon.tsx";
import { bytes, grouped } from "../ui/format.ts";
import { equal } from "../values/diff.ts";
import { ChoiceTable } from "./ChoiceTable.tsx";
import { ErrorCard } from "./ErrorCard.tsx";
import { RetryTable } from "./RetryTable.tsx";
import * as model from "./model.ts";
import { stageLabel, stopsAt, toggleStop } from "./stageStops.ts";
import { Values } from "./Values.tsx";

/** A stage in the strip. A stage that is not reached yet has no value. */
interface Step {
  name: string;
  label: string;
  stage?: FlowStage;
  kind: "" | "changed" | "same" | "decision" | "bad";
  words: string;
  size?: number;
  ahead: boolean;
}

/**
 * `busy` is set while the data of another visit or attempt is loading. `choose` selects another item, for stages that a Map has
 * for each item.
 */
export function DataFlow({ flow, busy, choose }: { flow: Flow; busy: boolean; choose(item: number): void }) {
  const chosen = useSignal<string | null>(null);
  const { stages, place } = flow;
  // This is the current stage of the run, or the one that the user has selected.
  const seen = stages.filter((stage) => stage.place < place);
  const here =
    model.position.value && !model.position.value.atRest && seen.length > 0 && seen.length < stages.length ? seen.at(-1)! : undefined;
  const before = model.position.value && !model.position.value.atRest && seen.length === 0 && stages.length > 0;
  const byHand =
    chosen.value === null ? undefined : chosen.value === "input" ? "input" : stages.findLast(({ stage }) => stage === chosen.value);
  const shown = byHand ?? here ?? (before ? "input" : (stages.findLast(({ stage }) => stage === "output") ?? stages.at(-1) ?? "input"));
  const steps = stepsOf(flow, shown);
  const at = steps.findIndex(({ stage, name }) => (shown === "input" ? name === "input" : stage === shown));
  const keys = (event: KeyboardEvent): void => {
    const { target } = event;
    if (!(target instanceof HTMLElement) || !target.classList.contains("stage-chip")) return;
    const strip = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>(".stage-chip")];
    const from = strip.indexOf(target);
    const to = { ArrowRight: from + 1, ArrowDown: from + 1, ArrowLeft: from - 1, ArrowUp: from - 1, Home: 0, End: steps.length - 1 }[
      event.key
    ];
    const step = steps[to ?? from];
    if (!step) return;
    if (event.key === "Enter") toggleStop(flow.state, step.name, event.shiftKey ? "before" : "after");
    else if (to === undefined) return;
    else {
      if (step.stage || step.name === "input") chosen.value = step.name;
      strip[to]?.focus();
    }
    event.preventDefault();
  };
  return (
    <section class="flow" aria-label="Data flow" aria-busy={busy}>
      <div class="stage-strip" role="radiogroup" aria-label="Stages" onKeyDown={keys}>
        {steps.map((step, i) => (
          <Chip
            key={step.stage?.place ?? step.name}
            state={flow.state}
            step={step}
            chosen={i === at}
            choose={() => (step.stage || step.name === "input") && (chosen.value = step.name)}
          />
        ))}
      </div>
      {shown === "input" ? (
        <Values key="input" flow={flow} at={-1} value={flow.input} />
      ) : (
        <Stage key={shown.index === undefined ? shown.place : shown.stage} flow={flow} stage={shown} choose={choose} />
      )}
    </section>
  );
}

function stepsOf(flow: Flow, shown: FlowStage | "input"): Step[] {
  const { stages, fields, place } = flow;
  let last: unknown = flow.input;
  const steps: Step[] = [
    { name: "input", label: "Input", kind: "", words: isEmpty(flow.input) ? "empty" : "", size: sizeOf(flow.input), ahead: false },
  ];
  stages.forEach((stage, i) => {
    const { stage: name, value, size } = stage;
    const decision = DECISIONS.has(name);
    const { compared, whole } = besideOf(fields, flow.type, flow.language, flow.input, stages, i, equal);
    const changed = !decision && !equal(compared && !whole ? (compared.at < 0 ? flow.input : stages[compared.at]?.value) : last, value);
    if (!decision) last = value;
    // Only stages that the state has are shown. A field that is absent and changes nothing is not a stage to show.
    const written = madeBy(fields, flow.language, stages, i)?.written !== undefined;
    if (!changed && !decision && !written && stage !== shown && name !== "output" && !(name === "result" && flow.type !== "Pass")) return;
    const kind = name === "error" ? "bad" : decision ? "decision" : changed ? "changed" : "same";
    const words =
      name === "error"
        ? "error"
        : decision && name !== "assignedVariables"
          ? ""
          : [isEmpty(value) ? "empty" : "", decision ? "" : changed ? "changed" : "unchanged"].filter(Boolean).join(", ");
    steps.push({
      name,
      label: stageLabel(name),
      stage,
      kind,
      words,
      ...(decision && name !== "assignedVariables" ? {} : { size }),
      ahead: stage.place >= place,
    });
  });
  for (const name of plannedStages(flow.type, flow.language, fields, stages))
    steps.push({ name, label: stageLabel(name), kind: "", words: "not reached", ahead: true });
  return steps;
}

function isEmpty(value: unknown): boolean {
  return value === null || value === "" || (typeof value === "object" && Object.keys(value).length === 0);
}

function sizeOf(value: unknown): number {
  return new Blob([JSON.stringify(value) ?? ""]).size;
}

function Chip({ state, step, chosen, choose }: { state: string; step: Step; chosen: boolean; choose(): void }) {
  const { name, label, kind, words, size, ahead } = step;
  const stops = stopsAt(state, name).filter(({ enabled }) => enabled !== false);
  const [early, late] = [
    stops.some((one) => one.kind === "entry" || one.when === "before"),
    stops.some((one) => one.kind === "stage" && one.when !== "before"),
  ];
  const told = [
    words,
    size === undefined ? "" : bytes(size),
    ahead && words !== "not reached" ? "not reached yet" : "",
    early ? "breakpoint before it" : "",
    late ? "breakpoint after it" : "",
  ].filter(Boolean);
  const sign = words.startsWith("empty") ? (
    <Icon name="empty" size={11} />
  ) : words === "changed" ? (
    "±"
  ) : words === "unchanged" ? (
    "="
  ) : words === "error" ? (
    <Icon name="cross" size={11} />
  ) : (
    ""
  );
  return (
    <div
      role="radio"
      aria-checked={chosen}
      tabIndex={chosen ? 0 : -1}
      class={`stage-chip ${kind}${ahead ? " ahead" : ""}`}
      title={`${told.join(", ")}${told.length > 0 ? ". " : ""}Press Enter to pause after it, Shift+Enter to pause before it`}
      onClick={choose}
    >
      {early && <span class="chip-stop" aria-hidden="true" />}
      {label}
      {sign !== "" && (
        <span class="chip-sign" aria-hidden="true">
          {sign}
        </span>
      )}
      {size !== undefined && (
        <span class="chip-size" aria-hidden="true">
          {bytes(size)}
        </span>
      )}
      {late && <span class="chip-stop" aria-hidden="true" />}
      {told.length > 0 && <span class="unseen"> {told.join(", ")}</span>}
    </div>
  );
}

function Stage({ flow, stage, choose }: { flow: Flow; stage: FlowStage; choose(item: number): void }) {
  const at = flow.stages.indexOf(stage);
  switch (stage.stage) {
    case "choice":
      return <ChoiceTable flow={flow} stage={stage} />;
    case "error":
      return <ErrorCard flow={flow} stage={stage} />;
    case "retry":
    case "catch":
      return <RetryTable flow={flow} at={at} />;
    default:
      return (
        <>
          {stage.index !== undefined && <Items stage={stage} choose={choose} />}
          <Values key={stage.place} flow={flow} at={at} value={stage.value} />
        </>
      );
  }
}

/** Selects the item, or the batch, of a stage. */
function Items({ stage: { stage, index = 0, of = 1 }, choose }: { stage: FlowStage; choose(item: number): void }) {
  const word = stage === "afterItemBatcher" ? "Batch" : "Item";
  return (
    <div class="visit-nav" role="group" aria-label={word}>
      <button
        type="button"
        class="plain square small"
        aria-label={`Previous ${word.toLowerCase()}`}
        disabled={index === 0}
        onClick={() => choose(index - 1)}
      >
        <Icon name="left" size={14} />
      </button>
      <span>
        {word} <b>#{index}</b> of {grouped(of)}
      </span>
      <button
        type="button"
        class="plain square small"
        aria-label={`Next ${word.toLowerCase()}`}
        disabled={index >= of - 1}
        onClick={() => choose(index + 1)}
      >
        <Icon name="right" size={14} />
      </button>
    </div>
  );
}
