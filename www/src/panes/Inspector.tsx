// What is selected, whole: a state with its visits, or an event with its details; without either, the machine.

import { keyHint } from "../keys/keymap.ts";
import { type GraphNode, isState } from "../model/graph.ts";
import * as store from "../store.ts";
import { shownOf, signOf } from "../graph/status.ts";
import { TypeTile } from "../ui/Icon.tsx";
import { Hints } from "../debugger/Hints.tsx";
import { markOf } from "../debugger/model.ts";
import { toggleBreakpoint } from "../debugger/session.ts";
import { goToDefinition } from "../editor/place.ts";
import { count } from "../ui/format.ts";
import { lazy } from "../ui/lazy.tsx";

const AfterRun = lazy(() => import("./AfterRun.tsx").then((module) => module.AfterRun));
const EventDetails = lazy(() => import("./Visits.tsx").then((module) => module.EventDetails));
const Visits = lazy(() => import("./Visits.tsx").then((module) => module.Visits));
const CallStack = lazy(() => import("../debugger/CallStack.tsx").then((module) => module.CallStack));
const Started = lazy(() => import("../debugger/Inside.tsx").then((module) => module.Started));
const Around = lazy(() => import("../debugger/CallStack.tsx").then((module) => module.Around));

export function Inspector() {
  const state = store.selectedState.value;
  const index = store.graph.value;
  const node = state === null ? undefined : index?.node(index.byName.get(state) ?? -1);
  const paused = store.selectedEvent.value === null && store.run.value?.phase === "paused";
  return (
    <div class={paused ? "inspector paused" : "inspector"}>
      {paused && <CallStack />}
      {store.selectedEvent.value !== null && <EventDetails id={store.selectedEvent.value} />}
      {node ? <StateDetails node={node} paused={paused} /> : store.selectedEvent.value === null && <Machine />}
      {paused && <Around />}
    </div>
  );
}

function Machine() {
  const index = store.graph.value;
  if (!index) return <p class="quiet pad">Nothing to inspect yet.</p>;
  const counts = new Map<string, number>();
  for (const node of index.graph.nodes) if (isState(node)) counts.set(node.type, (counts.get(node.type) ?? 0) + 1);
  return (
    <>
      {store.run.value?.phase === "ended" && <AfterRun />}
      <header class="inspect-head">
        <h3>{store.inside.value?.machine ?? store.title.value}</h3>
        {index.graph.comment && index.graph.comment !== store.title.value && <p class="quiet">{index.graph.comment}</p>}
        {store.lesson.value && !store.inside.value && <p class="lesson">{store.lesson.value.lesson}</p>}
      </header>
      <section>
        <h4>{count(index.stateCount, "state")}</h4>
        <ul class="chips">
          {[...counts].map(([type, n]) => (
            <li key={type}>
              <TypeTile type={type as GraphNode["type"]} /> {type} <b>{n}</b>
            </li>
          ))}
        </ul>
      </section>
      <section>
        <p class="quiet">Select a state in the graph, the definition or the events to see its data here.</p>
      </section>
      <Hints />
    </>
  );
}

/// While a run is paused what is known of the state stands below its data.
function StateDetails({ node, paused }: { node: GraphNode; paused: boolean }) {
  const index = store.graph.value!;
  const { status, text } = shownOf(node, store.runOf(node.id).value);
  const sign = signOf(status);
  const at = index.byId.get(node.id)!;
  const about = <About node={node} at={at} />;
  return (
    <>
      <header class="inspect-head">
        <div class="inspect-title">
          <TypeTile type={node.type} />
          <h3>{node.name}</h3>
          <span class={`state-chip is-${status}`}>
            {sign && (
              <svg class="icon" width={12} height={12} viewBox="0 0 20 20" aria-hidden="true">
                <path d={sign} />
              </svg>
            )}{" "}
            {text}
          </span>
          <BreakpointToggle state={node.name} />
        </div>
        {!paused && about}
      </header>
      {node.type === "Task" && store.children.value.length > 0 && <Started state={node.name} />}
      <Visits key={node.id} node={node} />
      {paused && <div class="inspect-head">{about}</div>}
      <Ways at={at} />
    </>
  );
}

function About({ node, at }: { node: GraphNode; at: number }) {
  const index = store.graph.value!;
  const around = index.stateAround(at);
  return (
    <>
      {node.comment && <p>{node.comment}</p>}
      <p class="inspect-line">
        <span class="quiet">{node.detail ? `${node.type} · ${node.detail}` : node.type}</span>
        {around >= 0 && (
          <span class="quiet">
            in{" "}
            <button type="button" class="link" onClick={() => store.selectState(index.node(around)!.name, "inspector")}>
              {index.node(around)!.name}
            </button>
          </span>
        )}
        <button type="button" class="link" onClick={() => goToDefinition(node.name)}>
          Go to the definition
        </button>
        {(node.type === "Parallel" || node.type === "Map") && (
          <button type="button" class="link" onClick={() => store.toggleFold(node.pointer)}>
            {node.collapsed ? "Unfold" : "Fold"}
          </button>
        )}
      </p>
    </>
  );
}

/// The way to stop at a state where no margin and no F9 key is near, as on a phone.
function BreakpointToggle({ state }: { state: string }) {
  const mark = markOf(state);
  const on = mark !== null && mark.kind !== "off";
  return (
    <button type="button" class="break-toggle" aria-pressed={on} title={on ? `${mark.title}. Click to remove it${keyHint("breakpoint")}` : `Pause before this state${keyHint("breakpoint")}`} onClick={() => toggleBreakpoint(state)}>
      <span class="break-dot" /> <span class="break-label">Breakpoint</span>
    </button>
  );
}

function Ways({ at }: { at: number }) {
  const index = store.graph.value!;
  const edges = index.out[at]!.map((e) => index.graph.edges[e]!);
  if (edges.length === 0) return null;
  return (
    <section>
      <h4>Transitions</h4>
      <ul class="ways">
        {edges.map((edge) => {
          const to = index.node(index.byId.get(edge.to) ?? -1);
          const taken = store.takenOf(edge.id).value;
          return (
            <li key={edge.id} class={taken > 0 ? "taken" : ""}>
              <span class="way-when">{edge.kind === "end" ? "" : edge.kind === "next" ? "Next" : edge.kind === "default" ? "Default" : edge.kind === "catch" ? `Catch ${edge.title ?? ""}` : `If ${edge.title ?? edge.label ?? ""}`}</span>
              {to && isState(to) ? (
                <button type="button" class="link" onClick={() => store.selectState(to.name, "inspector")}>
                  {to.name}
                </button>
              ) : (
                <span>{edge.kind === "end" ? "End" : `${to?.name ?? "?"} (missing)`}</span>
              )}
              {taken > 0 && <span class="way-count">×{taken}</span>}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
