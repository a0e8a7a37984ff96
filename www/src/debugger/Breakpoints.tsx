// The list of all breakpoints, each with its kind, condition, hit count and log text.

import { isState } from "../model/graph.ts";
import type { Breakpoint, Exceptions } from "../model/protocol.ts";
import * as analysis from "../store/analysis.ts";
import * as selection from "../store/selection.ts";
import { showToast } from "../store/notifications.ts";
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

const STAGES = [
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

/** The props that all fields of a breakpoint have: the breakpoint, and the function that changes it. */
interface Editing {
  one: Breakpoint;
  set(change: Partial<Breakpoint>): void;
}

function Form({ one, id }: { one: Breakpoint; id: string }) {
  const editing: Editing = { one, set: (change) => changeBreakpoint(one.id!, change) };
  const { set } = editing;
  return (
    <div class="breakpoint-form" id={id}>
      <MachineField one={one} />
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
          <StateField label="From" one={one} value={one.from} choose={(from) => set({ from })} />
          <StateField label="To" one={one} value={one.to} choose={(to) => set({ to, state: to })} />
        </>
      ) : (
        <StateField label="State" one={one} value={one.state} choose={(state) => set({ state })} />
      )}
      <KindFields {...editing} />
      <ConditionFields {...editing} />
    </div>
  );
}

function Text({ label, value, hint, change }: { label: string; value: string | undefined; hint: string; change(text: string): void }) {
  return (
    <label>
      {label}
      <input value={value ?? ""} placeholder={hint} spellcheck={false} onChange={(event) => change(event.currentTarget.value.trim())} />
    </label>
  );
}

/** Selects the machine of the breakpoint, if there are several. */
function MachineField({ one }: { one: Breakpoint }) {
  const names = workspace.machines.value.map(({ name }) => name.slice(name.lastIndexOf(":") + 1));
  const machines = [...new Set([...names, one.machine ?? ""])].filter((name) => name !== "");
  if (machines.length === 0) return null;
  return (
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
  );
}

interface StateFieldProps {
  label: string;
  one: Breakpoint;
  value: string | undefined;
  choose(name: string): void;
}

function StateField({ label, one, value = "", choose }: StateFieldProps) {
  const any = one.kind === "error" || one.kind === "retry" || one.kind === "catch" || one.kind === "change";
  // The states of a machine that is not on the graph are typed by hand.
  if (!model.here.value.includes(one)) return <Text label={label} value={value} hint={any ? "empty: any" : "its name"} change={choose} />;
  const states = analysis.graph.value?.graph.nodes.filter(isState) ?? [];
  return (
    <label>
      {label}
      <select value={value} onChange={(event) => choose(event.currentTarget.value)}>
        {(any || value === "") && <option value="">{any ? "Any state" : "Choose a state"}</option>}
        {states
          .filter(({ type }) => one.kind !== "iteration" || type === "Map")
          .map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
      </select>
    </label>
  );
}

/** The fields that only one kind of breakpoint has. */
function KindFields({ one, set }: Editing) {
  switch (one.kind) {
    case "stage":
      return (
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
      );
    case "error":
      return (
        <>
          <Text
            label="Error names"
            value={one.errors?.join(", ")}
            hint="States.Timeout, MyError; empty: all"
            change={(names) => set({ errors: names === "" ? [] : names.split(/\s*,\s*/) })}
          />
          <label class="check">
            <input type="checkbox" checked={one.uncaught === true} onChange={(event) => set({ uncaught: event.currentTarget.checked })} />{" "}
            Uncaught only
          </label>
        </>
      );
    case "iteration":
      return (
        <>
          <Text label="Iterations" value={one.indices} hint="0, 2-4, 7+; empty: all" change={(indices) => set({ indices })} />
          <label>
            When
            <select value={one.at ?? "start"} onChange={(event) => set({ at: event.currentTarget.value as "start" | "end" })}>
              <option value="start">It begins</option>
              <option value="end">It ends</option>
            </select>
          </label>
        </>
      );
    case "change":
      return <Text label="Variable or path" value={one.path} hint="$total or $.order.total" change={(path) => set({ path })} />;
    default:
      return null;
  }
}

/** The condition of a breakpoint, and whether it only logs a line. */
function ConditionFields({ one, set }: Editing) {
  const setHit = (hit: string): void => {
    if (/^\s*((=|==|>=|>|%)?\s*\d+)?\s*$/.test(hit)) set({ hit });
    else showToast('A hit count is "3", ">= 3" or "% 3".');
  };
  return (
    <>
      <Text
        label="Condition"
        value={one.condition}
        hint={one.language === "jsonpath" ? "$.total > 100" : "$.total > 100 and $iteration = 2"}
        change={(condition) => set({ condition })}
      />
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
      <Text label="Hit count" value={one.hit} hint="3, >= 3, % 3" change={setHit} />
      <Text label="Log instead of stopping" value={one.log} hint="total is {% $.total %}" change={(log) => set({ log })} />
    </>
  );
}
