// The frame of the page.

import { useRef } from "preact/hooks";
import { Toolbar } from "../debugger/Toolbar.tsx";
import { goingTo } from "../editor/definitionEditor.ts";
import { GraphView } from "../graph/GraphView.tsx";
import { menu } from "../graph/menuOpen.ts";
import { graphEditor } from "../graph/graphEditor.ts";
import { ErrorNames } from "../panes/ErrorNames.tsx";
import { Dock } from "../panes/Dock.tsx";
import { Inspector } from "../panes/Inspector.tsx";
import { Left } from "../panes/Left.tsx";
import * as prefs from "../prefs.ts";
import * as execution from "../store/execution.ts";
import * as panes from "../store/panes.ts";
import { alarm, announcement, failure, notices, silence, toast } from "../store/notifications.ts";
import * as workspace from "../store/workspace.ts";
import { Dialogs } from "./Dialogs.tsx";
import { Controls, Header } from "./Header.tsx";
import { Icon, type IconName } from "../ui/Icon.tsx";
import { Splitter } from "../ui/Splitter.tsx";
import { StatusBar } from "./StatusBar.tsx";
import { lazy } from "../ui/lazy.tsx";
import { strip } from "../ui/strip.ts";
import { focusGraph } from "../commands/focus.ts";

const Keys = lazy(() => import("./Keys.tsx").then((module) => module.Keys));
const NodeMenu = lazy(() => import("../graph/Menu.tsx").then((module) => module.NodeMenu));
const PauseLine = lazy(() => import("../debugger/PauseLine.tsx").then((module) => module.PauseLine));
const GoTo = lazy(() => import("../editor/GoTo.tsx").then((module) => module.GoTo));
const Sheet = lazy(() => import("./Sheet.tsx").then((module) => module.Sheet));
const Notices = lazy(() => import("./Notices.tsx").then((module) => module.Notices));
const RecordedStrip = lazy(() => import("./RecordedStrip.tsx").then((module) => module.RecordedStrip));

export function App() {
  const size = prefs.layoutSize();
  const Over = graphEditor.value?.Over;
  const Strip = strip.value;
  return (
    <div class={`app ${size}`}>
      <a class="skip-link" href="#graph-pane" onClick={(event) => (event.preventDefault(), focusGraph())}>
        Skip to the graph
      </a>
      <Header wide={size === "wide"} />
      {size === "medium" && <Controls />}
      {Strip && <Strip />}
      <Alarm />
      {alarm.value === "" && notices.value.length > 0 && <Notices />}
      {(execution.run.value?.recorded !== undefined || workspace.recordedAnswers.value !== null) && <RecordedStrip />}
      {execution.run.value !== null && <PauseLine narrow={size === "narrow"} />}
      <main class="work">
        {size === "narrow" ? <Narrow /> : <Columns size={size} />}
        {menu.value && <NodeMenu />}
        {Over && <Over />}
      </main>
      {size !== "narrow" && <StatusBar />}
      <Keys />
      <Dialogs />
      <ErrorNames />
      {goingTo.value && <GoTo />}
      {toast.value && (
        <section class="toast" aria-label="Message">
          {toast.value}
        </section>
      )}
      <div class="unseen" role="status" aria-live="polite">
        {announcement.value}
      </div>
      <div class="unseen" role="alert">
        {failure.value}
      </div>
    </div>
  );
}

function Columns({ size }: { size: "wide" | "medium" }) {
  const upper = useRef<HTMLDivElement>(null);
  const percent = (): number => (upper.current?.clientWidth ?? 1000) / 100;
  const left = size === "wide" ? prefs.leftWidth.value : Math.max(42, prefs.leftWidth.value);
  const columns =
    size === "wide"
      ? `minmax(0, ${left}fr) 5px minmax(0, ${100 - left - prefs.rightWidth.value}fr) 5px minmax(0, ${prefs.rightWidth.value}fr)`
      : `minmax(0, ${left}fr) 5px minmax(0, ${100 - left}fr)`;
  return (
    <>
      <div class="upper" ref={upper} style={{ gridTemplateColumns: columns }}>
        <Left />
        <Splitter
          label="Width of the code"
          size={prefs.leftWidth}
          min={12}
          max={60}
          initial={30}
          orientation="vertical"
          scale={percent}
          controls="left"
        />
        <GraphPane />
        {size === "wide" && (
          <>
            <Splitter
              label="Width of the inspector"
              size={prefs.rightWidth}
              min={12}
              max={45}
              initial={26}
              orientation="vertical"
              after
              scale={percent}
              controls="inspector-pane"
            />
            <InspectorPane />
          </>
        )}
      </div>
      <Lower />
    </>
  );
}

/** The dock and its upper border. */
function Lower() {
  return (
    <>
      {panes.dockOpen.value && (
        <Splitter
          label="Height of the run"
          size={prefs.dockHeight}
          min={84}
          max={640}
          initial={248}
          orientation="horizontal"
          after
          scale={() => prefs.textSize}
          controls="dock"
        />
      )}
      <div
        class={panes.dockOpen.value ? "lower" : "lower slim"}
        style={panes.dockOpen.value ? { height: `min(${prefs.dockHeight.value / 16}rem, 70%, 100% - 12rem)` } : {}}
      >
        <Dock />
      </div>
    </>
  );
}

function GraphPane() {
  return (
    <section class="pane graph-pane" id="graph-pane" aria-label="Graph">
      <GraphView />
    </section>
  );
}

function InspectorPane() {
  return (
    <section class="pane" id="inspector-pane" aria-label="Inspector" tabIndex={-1}>
      <h2 class="pane-title">Inspector</h2>
      <div class="panel scroll">
        <Inspector />
      </div>
    </section>
  );
}

const NARROW: { id: typeof panes.narrowTab.value; tab?: typeof panes.leftTab.value; label: string; icon: IconName }[] = [
  { id: "code", label: "Code", icon: "code" },
  { id: "graph", label: "Graph", icon: "graph" },
  { id: "inspect", label: "Inspect", icon: "inspect" },
  { id: "events", label: "Run", icon: "list" },
  { id: "code", tab: "mocks", label: "Mocks", icon: "hand" },
];

function Narrow() {
  const shown = panes.narrowTab.value;
  const mocks = panes.leftTab.value === "mocks";
  return (
    <>
      <div class="narrow-panes">
        <div class="narrow-pane" hidden={shown !== "code"}>
          <Left />
        </div>
        <div class="narrow-pane" hidden={shown !== "graph"}>
          <GraphPane />
        </div>
        <div class="narrow-pane scroll" hidden={shown !== "inspect"}>
          <section class="pane" aria-label="Inspector">
            <h2 class="unseen">Inspector</h2>
            <div class="panel scroll" tabIndex={0} role="region" aria-label="Data of the state">
              <Inspector />
            </div>
          </section>
        </div>
        <div class="narrow-pane" hidden={shown !== "events"}>
          <Dock whole />
        </div>
      </div>
      {execution.waiting.value.length > 0 && <Sheet />}
      {execution.run.value?.phase !== "paused" && <StatusBar narrow />}
      <div class="narrow-foot">
        <Toolbar narrow />
        <nav class="bottom-bar" aria-label="Panes">
          {NARROW.map(({ id, tab, label, icon }) => (
            <button
              key={label}
              type="button"
              aria-current={id === shown && (id !== "code" || (tab === "mocks") === mocks) ? "page" : undefined}
              onClick={() => {
                panes.showNarrow(id);
                if (tab) panes.chooseLeft(tab);
                else if (id === "code" && mocks) panes.chooseLeft("definition");
              }}
            >
              <Icon name={icon} size={20} />
              {label}
              {id === "events" && execution.waiting.value.length > 0 && <span class="badge accent">{execution.waiting.value.length}</span>}
            </button>
          ))}
        </nav>
      </div>
    </>
  );
}

function Alarm() {
  const text = alarm.value;
  return (
    <div role="alert" class={text ? "alarm" : ""}>
      {text && (
        <>
          <Icon name="warning" />
          <span>{text}</span>
          <button type="button" class="plain square small" aria-label="Dismiss" onClick={() => silence()}>
            <Icon name="close" size={14} />
          </button>
        </>
      )}
    </div>
  );
}
