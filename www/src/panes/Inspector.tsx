// What is selected, whole: a state with its visits, or an event with its details; without either, the machine.

import { keyHint } from "../keys/keymap.ts";
import { type GraphNode, isState } from "../model/graph.ts";
import * as prefs from "../prefs.ts";
import * as analysis from "../store/analysis.ts";
import * as execution from "../store/execution.ts";
import * as playback from "../store/playback.ts";
import * as selection from "../store/selection.ts";
import * as workspace from "../store/workspace.ts";
import { pen } from "../graph/pen.ts";
import { overrideOf, shownOf, signOf } from "../graph/status.ts";
import { TypeTile } from "../ui/Icon.tsx";
import { markOf } from "../debugger/model.ts";
import { toggleBreakpoint } from "../debugger/session.ts";
import { goToDefinition } from "../editor/place.ts";
import { count } from "../ui/format.ts";
import { lazy } from "../ui/lazy.tsx";

const Hints = lazy(() => import("../debugger/Hints.tsx").then((module) => module.Hints));
const AfterRun = lazy(() => import("./AfterRun.tsx").then((module) => module.AfterRun));
const EventDetails = lazy(() => import("./Visits.tsx").then((module) => module.EventDetails));
const Visits = lazy(() => import("./Visits.tsx").then((module) => module.Visits));
const CallStack = lazy(() => import("../debugger/CallStack.tsx").then((module) => module.CallStack));
const Started = lazy(() => import("../debugger/Inside.tsx").then((module) => module.Started));
const Around = lazy(() => import("../debugger/CallStack.tsx").then((module) => module.Around));

export function Inspector() {
  const state = selection.selectedState.value;
  const index = analysis.graph.value;
  const node = state === null ? undefined : index?.node(index.byName.get(state) ?? -1);
  const paused = selection.selectedEvent.value === null && execution.run.value?.phase === "paused";
  // The tabs come beside the data: who writes in a field of it then goes on writing.
  const form = pen.value?.form;
  const away = form?.shown.value === true;
  return (
    <>
      {form && <form.View />}
      <div id="inspect-data" role={form && "tabpanel"} aria-labelledby={form && "inspect-tab-data"} hidden={away}>
        {!away && (
          <div class={paused ? "inspector paused" : "inspector"}>
            {paused && <CallStack />}
            {selection.selectedEvent.value !== null && <EventDetails id={selection.selectedEvent.value} />}
            {node ? <StateDetails node={node} paused={paused} /> : selection.selectedEvent.value === null && <Machine />}
            {paused && <Around />}
          </div>
        )}
      </div>
    </>
  );
}

function Machine() {
  const index = analysis.graph.value;
  if (!index) return <p class="quiet pad">Nothing to inspect yet.</p>;
  const counts = new Map<string, number>();
  for (const node of index.graph.nodes) if (isState(node)) counts.set(node.type, (counts.get(node.type) ?? 0) + 1);
  return (
    <>
      {execution.run.value?.phase === "ended" && <AfterRun />}
      <header class="inspect-head">
        <h3>{analysis.inside.value?.machine ?? workspace.title.value}</h3>
        {index.graph.comment && index.graph.comment !== workspace.title.value && <p class="quiet">{index.graph.comment}</p>}
        {workspace.lesson.value && !analysis.inside.value && <p class="lesson">{workspace.lesson.value.lesson}</p>}
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
      {!prefs.welcomed.value && <Hints />}
    </>
  );
}

/// While a run is paused what is known of the state stands below its data.
function StateDetails({ node, paused }: { node: GraphNode; paused: boolean }) {
  const index = analysis.graph.value!;
  const { status, text } = shownOf(playback.runOf(node.id).value, overrideOf(node));
  const sign = signOf(status);
  const at = index.byId.get(node.id)!;
  const about = <About node={node} at={at} />;
  return (
    <>
      <header class="inspect-head">
        <div class="inspect-title">
          <TypeTile type={node.type} detail={node.detail} />
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
      {node.type === "Task" && execution.children.value.length > 0 && <Started state={node.name} />}
      <Visits key={node.id} node={node} />
      {paused && <div class="inspect-head">{about}</div>}
      <Ways at={at} />
    </>
  );
}

function About({ node, at }: { node: GraphNode; at: number }) {
  const index = analysis.graph.value!;
  const around = index.stateAround(at);
  return (
    <>
      {node.comment && <p>{node.comment}</p>}
      <p class="inspect-line">
        <span class="quiet">{node.detail ? `${node.type} · ${node.detail}` : node.type}</span>
        {around >= 0 && (
          <span class="quiet">
            in{" "}
            <button type="button" class="link" onClick={() => selection.selectState(index.node(around)!.name, "inspector")}>
              {index.node(around)!.name}
            </button>
          </span>
        )}
        <button type="button" class="link" onClick={() => goToDefinition(node.name)}>
          Go to the definition
        </button>
        {(node.type === "Parallel" || node.type === "Map") && (
          <button type="button" class="link" onClick={() => analysis.toggleFold(node.pointer)}>
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
    <button
      type="button"
      class="break-toggle"
      aria-pressed={on}
      title={on ? `${mark.title}. Click to remove it${keyHint("breakpoint")}` : `Pause before this state${keyHint("breakpoint")}`}
      onClick={() => toggleBreakpoint(state)}
    >
      <span class="break-dot" /> <span class="break-label">Breakpoint</span>
    </button>
  );
}

function Ways({ at }: { at: number }) {
  const index = analysis.graph.value!;
  const edges = index.out[at]!.map((e) => index.graph.edges[e]!);
  if (edges.length === 0) return null;
  return (
    <section>
      <h4>Transitions</h4>
      <ul class="ways">
        {edges.map((edge) => {
          const to = index.node(index.byId.get(edge.to) ?? -1);
          const taken = playback.takenOf(edge.id).value;
          return (
            <li key={edge.id} class={taken > 0 ? "taken" : ""}>
              <span class="way-when">
                {edge.kind === "end"
                  ? ""
                  : edge.kind === "next"
                    ? "Next"
                    : edge.kind === "default"
                      ? "Default"
                      : edge.kind === "catch"
                        ? `Catch ${edge.title ?? ""}`
                        : `If ${edge.title ?? edge.label ?? ""}`}
              </span>
              {to && isState(to) ? (
                <button type="button" class="link" onClick={() => selection.selectState(to.name, "inspector")}>
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
