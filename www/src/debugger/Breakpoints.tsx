// All breakpoints, each with its kind, condition, hit count and text.

import { isState } from "../model/graph.ts";
import type { Breakpoint, Exceptions } from "../model/protocol.ts";
import * as analysis from "../store/analysis.ts";
import * as selection from "../store/selection.ts";
import { showToast } from "../store/words.ts";
import * as workspace from "../store/workspace.ts";
import { Icon } from "../ui/Icon.tsx";
import * as model from "./model.ts";
import { addBreakpoint, changeBreakpoint, removeBreakpoint } from "./session.ts";

const KINDS: [Breakpoint["kind"], string][] = [
  ["entry", "Before the state"],
  ["exit", "After the state"],
  ["stage", "At a data-flow stage"],
  ["error", "On an error"],
  ["retry", "Before a retry"],
  ["catch", "When an error is caught"],
  ["transition", "On a transition"],
  ["iteration", "At a Map iteration"],
  ["change", "When data changes"],
];

export const STAGES = [
  "afterInputPath",
  "afterParameters",
  "afterArguments",
  "afterItemsPath",
  "afterItems",
  "afterItemSelector",
  "afterItemBatcher",
  "choice",
  "result",
  "afterResultSelector",
  "afterResultPath",
  "assignedVariables",
  "output",
];

export function Breakpoints() {
  const list = model.breakpoints.value;
  const hits = model.position.value?.hits ?? {};
  const state = selection.selectedState.value;
  return (
    <div class="breakpoints scroll">
      <div class="pane-bar">
        <button
          type="button"
          onClick={() => (model.editing.value = addBreakpoint({ kind: "entry", ...(state !== null && { state }) }).id!)}
        >
          <Icon name="plus" size={13} /> Add
        </button>
        <label class="check">
          <input type="checkbox" checked={model.stops.value} onChange={(event) => (model.stops.value = event.currentTarget.checked)} /> All
          on
        </label>
        <label class="field">
          <span>Stop on errors</span>
          <select value={model.exceptions.value} onChange={(event) => (model.exceptions.value = event.currentTarget.value as Exceptions)}>
            <option value="none">Never</option>
            <option value="uncaught">Uncaught errors</option>
            <option value="all">All</option>
          </select>
        </label>
        <span class="gap" />
        {list.length > 0 && (
          <button type="button" class="plain" onClick={() => (model.breakpoints.value = [])}>
            Remove all
          </button>
        )}
      </div>
      {list.length === 0 ? (
        <div class="empty small">
          <p>
            No breakpoints yet. A run pauses at each breakpoint. Click in the margin next to a state in the definition, or select a state
            and press <kbd>F9</kbd>.
          </p>
        </div>
      ) : (
        <ul>
          {list.map((one) => (
            <Row key={one.id} one={one} hits={hits[one.id!] ?? 0} />
          ))}
        </ul>
      )}
    </div>
  );
}

function Row({ one, hits }: { one: Breakpoint; hits: number }) {
  const open = model.editing.value === one.id;
  const state = one.state ?? one.to ?? "";
  const id = `breakpoint-${one.id}`;
  return (
    <li class={one.enabled === false || !model.stops.value ? "off" : ""}>
      <div class="breakpoint-row">
        <input
          type="checkbox"
          aria-label={`Breakpoint on ${state || "any state"}`}
          checked={one.enabled !== false}
          onChange={(event) => changeBreakpoint(one.id!, { enabled: event.currentTarget.checked })}
        />
        <span class={`bp-dot ${one.log ? "log" : one.condition || one.hit ? "condition" : "plain"}`} aria-hidden="true" />
        <button
          type="button"
          class="link strong"
          onClick={() => state && model.here.value.includes(one) && selection.selectState(state, "page")}
        >
          {state || "Any state"}
        </button>
        {one.machine !== undefined && <span class="quiet">of {one.machine}</span>}
        <span class="quiet breakpoint-what">{model.describe(one)}</span>
        <span class="gap" />
        {hits > 0 && (
          <span class="badge">
            {hits} hit{hits === 1 ? "" : "s"}
          </span>
        )}
        <button
          type="button"
          class="plain small"
          aria-expanded={open}
          aria-controls={id}
          onClick={() => (model.editing.value = open ? null : one.id!)}
        >
          {open ? "Done" : "Edit"}
        </button>
        <button
          type="button"
          class="plain square small"
          aria-label={`Remove the breakpoint on ${state || "any state"}`}
          title="Remove"
          onClick={() => removeBreakpoint(one.id!)}
        >
          <Icon name="close" size={13} />
        </button>
      </div>
      {open && <Form one={one} id={id} />}
    </li>
  );
}

function Form({ one, id }: { one: Breakpoint; id: string }) {
  // The states of another machine than that on the graph are written by hand.
  const known = model.here.value.includes(one);
  const nodes = known ? (analysis.graph.value?.graph.nodes.filter(isState) ?? []) : [];
  const machines = [
    ...new Set([
      ...workspace.machines.value.map(({ name }) => name.slice(name.lastIndexOf(":") + 1)),
      ...(one.machine === undefined ? [] : [one.machine]),
    ]),
  ].filter((name) => name !== "");
  const set = (change: Partial<Breakpoint>): void => changeBreakpoint(one.id!, change);
  const maps = one.kind === "iteration" ? nodes.filter(({ type }) => type === "Map") : nodes;
  const any = one.kind === "error" || one.kind === "retry" || one.kind === "catch" || one.kind === "change";
  const text = (label: string, value: string | undefined, change: (text: string) => void, hint: string) => (
    <label>
      {label}
      <input value={value ?? ""} placeholder={hint} spellcheck={false} onChange={(event) => change(event.currentTarget.value.trim())} />
    </label>
  );
  const states = (label: string, value: string, choose: (name: string) => void) =>
    !known ? (
      text(label, value, choose, any ? "empty: any" : "its name")
    ) : (
      <label>
        {label}
        <select value={value} onChange={(event) => choose(event.currentTarget.value)}>
          {(any || value === "") && <option value="">{any ? "Any state" : "Choose a state"}</option>}
          {maps.map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
    );
  return (
    <div class="breakpoint-form" id={id}>
      {machines.length > 0 && (
        <label>
          Machine
          <select
            value={one.machine ?? ""}
            onChange={(event) => {
              const { machine: _, ...rest } = one;
              const name = event.currentTarget.value;
              model.breakpoints.value = model.breakpoints.value.map((other) =>
                other === one ? { ...rest, ...(name !== "" && { machine: name }) } : other,
              );
            }}
          >
            <option value="">{workspace.title.value}</option>
            {machines.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      <label>
        Stops
        <select value={one.kind} onChange={(event) => set({ kind: event.currentTarget.value as Breakpoint["kind"] })}>
          {KINDS.map(([kind, label]) => (
            <option key={kind} value={kind}>
              {label}
            </option>
          ))}
        </select>
      </label>
      {one.kind === "transition" ? (
        <>
          {states("From", one.from ?? "", (from) => set({ from }))}
          {states("To", one.to ?? "", (to) => set({ to, state: to }))}
        </>
      ) : (
        states("State", one.state ?? "", (state) => set({ state }))
      )}
      {one.kind === "stage" && (
        <>
          <label>
            Stage
            <select value={one.stage ?? ""} onChange={(event) => set({ stage: event.currentTarget.value })}>
              <option value="">Choose a stage</option>
              {STAGES.map((stage) => (
                <option key={stage} value={stage}>
                  {stage}
                </option>
              ))}
            </select>
          </label>
          <label>
            When
            <select value={one.when ?? "after"} onChange={(event) => set({ when: event.currentTarget.value as "before" | "after" })}>
              <option value="after">After it</option>
              <option value="before">Before it</option>
            </select>
          </label>
        </>
      )}
      {one.kind === "error" && (
        <>
          {text(
            "Error names",
            one.errors?.join(", "),
            (names) => set({ errors: names === "" ? [] : names.split(/\s*,\s*/) }),
            "States.Timeout, MyError; empty: all",
          )}
          <label class="check">
            <input type="checkbox" checked={one.uncaught === true} onChange={(event) => set({ uncaught: event.currentTarget.checked })} />{" "}
            Uncaught only
          </label>
        </>
      )}
      {one.kind === "iteration" && (
        <>
          {text("Iterations", one.indices, (indices) => set({ indices }), "0, 2-4, 7+; empty: all")}
          <label>
            When
            <select value={one.at ?? "start"} onChange={(event) => set({ at: event.currentTarget.value as "start" | "end" })}>
              <option value="start">It begins</option>
              <option value="end">It ends</option>
            </select>
          </label>
        </>
      )}
      {one.kind === "change" && text("Variable or path", one.path, (path) => set({ path }), "$total or $.order.total")}
      {text(
        "Condition",
        one.condition,
        (condition) => set({ condition }),
        one.language === "jsonpath" ? "$.total > 100" : "$.total > 100 and $iteration = 2",
      )}
      <label>
        Language
        <select
          value={one.language ?? "jsonata"}
          onChange={(event) => set({ language: event.currentTarget.value as "jsonata" | "jsonpath" })}
        >
          <option value="jsonata">JSONata</option>
          <option value="jsonpath">JSONPath</option>
        </select>
      </label>
      {text(
        "Hit count",
        one.hit,
        (hit) => (/^\s*((=|==|>=|>|%)?\s*\d+)?\s*$/.test(hit) ? set({ hit }) : showToast('A hit count is "3", ">= 3" or "% 3".')),
        "3, >= 3, % 3",
      )}
      {text("Log instead of stopping", one.log, (log) => set({ log }), "total is {% $.total %}")}
    </div>
  );
}
