// A state in the inspector: its name and status, its visits, and its transitions.

import { toggleBreakpoint } from "../debugger/session.ts";
import { markOf } from "../debugger/model.ts";
import { goToDefinition } from "../editor/definitionEditor.ts";
import { overrideOf, shownOf, signOf } from "../graph/status.ts";
import { keyHint } from "../keys/keymap.ts";
import { type GraphNode, isState } from "../model/graph.ts";
import * as analysis from "../store/analysis.ts";
import * as execution from "../store/execution.ts";
import * as playback from "../store/playback.ts";
import * as selection from "../store/selection.ts";
import { TypeTile } from "../ui/Icon.tsx";
import { lazy } from "../ui/lazy.tsx";

const Visits = lazy(() => import("./Visits.tsx").then((module) => module.Visits));
const Started = lazy(() => import("../debugger/Inside.tsx").then((module) => module.Started));

/** While a run is paused, the facts about the state are below its data. */
export function StateDetails({ node, paused }: { node: GraphNode; paused: boolean }) {
  const index = analysis.graph.value!;
  const at = index.byId.get(node.id)!;
  const about = <About node={node} at={at} />;
  return (
    <>
      <div class="inspect-title">
        <StateTitle node={node} />
        <BreakpointToggle state={node.name} />
      </div>
      {!paused && <header class="inspect-head">{about}</header>}
      {node.type === "Task" && execution.children.value.length > 0 && <Started state={node.name} />}
      <Visits key={node.id} node={node} />
      {paused && <div class="inspect-head">{about}</div>}
      <Ways at={at} />
    </>
  );
}

/** The title: the state's type, name, and status. */
export function StateTitle({ node }: { node: GraphNode }) {
  const { status, text } = shownOf(playback.runOf(node.id).value, overrideOf(node));
  const sign = signOf(status);
  return (
    <>
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

/** A button that toggles a breakpoint, for devices without a margin and an F9 key, such as a phone. */
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
