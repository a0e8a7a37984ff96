// The inspector: a state with its visits, an event with its details, or the machine if nothing is selected.

import { useLayoutEffect, useRef } from "preact/hooks";
import { type GraphNode, isState } from "../model/graph.ts";
import * as prefs from "../prefs.ts";
import * as analysis from "../store/analysis.ts";
import * as execution from "../store/execution.ts";
import * as selection from "../store/selection.ts";
import * as workspace from "../store/workspace.ts";
import { graphEditor } from "../graph/graphEditor.ts";
import { TypeTile } from "../ui/Icon.tsx";
import { count } from "../ui/format.ts";
import { lazy } from "../ui/lazy.tsx";

const Hints = lazy(() => import("../debugger/Hints.tsx").then((module) => module.Hints));
const AfterRun = lazy(() => import("./AfterRun.tsx").then((module) => module.AfterRun));
const EventDetails = lazy(() => import("./Visits.tsx").then((module) => module.EventDetails));
const CallStack = lazy(() => import("../debugger/CallStack.tsx").then((module) => module.CallStack));
const StateDetails = lazy(() => import("./StateDetails.tsx").then((module) => module.StateDetails));
const StateTitle = lazy(() => import("./StateDetails.tsx").then((module) => module.StateTitle));
const Around = lazy(() => import("../debugger/CallStack.tsx").then((module) => module.Around));

export function Inspector() {
  const state = selection.selectedState.value;
  const index = analysis.graph.value;
  const node = state === null ? undefined : index?.node(index.byName.get(state) ?? -1);
  const paused = selection.selectedEvent.value === null && execution.run.value?.phase === "paused";
  // The tabs are rendered next to the data, so that a field of the data keeps its focus when they are loaded.
  const form = graphEditor.value?.form;
  const away = form?.shown.value === true;
  const data = useRef<HTMLDivElement>(null);
  // When another state is selected, the pane scrolls to the top.
  useLayoutEffect(() => data.current?.closest(".scroll")?.scrollTo(0, 0), [state]);
  return (
    <>
      {form && <form.View title={node && <StateTitle node={node} />} />}
      <div ref={data} id="inspect-data" role={form && "tabpanel"} aria-labelledby={form && "inspect-tab-data"} hidden={away}>
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
