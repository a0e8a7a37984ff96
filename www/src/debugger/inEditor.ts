// What the page shows in the definition's editor, and what the editor tells the page.

import { type Signal, batch, effect, signal, untracked } from "@preact/signals";
import * as debug from "./model.ts";
import * as session from "./session.ts";
import { keyHint } from "../keys/keymap.ts";
import { isState } from "../model/graph.ts";
import { STATUS_TEXT } from "../model/log.ts";
import * as prefs from "../prefs.ts";
import * as analysis from "../store/analysis.ts";
import * as execution from "../store/execution.ts";
import * as interpreter from "../store/interpreter.ts";
import * as panes from "../store/panes.ts";
import * as playback from "../store/playback.ts";
import * as selection from "../store/selection.ts";
import * as workspace from "../store/workspace.ts";
import { STATUS_ICON, iconPath } from "../ui/Icon.tsx";
import type { EditorHandle } from "../editor/codemirror.ts";
import type { BreakpointMark, Lens, Sign } from "../editor/marks.ts";
import { path } from "../editor/place.ts";

/// More values are not asked for while somebody steps.
const NO_VALUES: { at: number; text: string }[] = [];

/// `inner`: of the text of a started execution's machine, which is shown while that is looked at, and the page's is not.
export function attachDefinition(editor: EditorHandle, inner = false): () => void {
  const at: Attached = {
    editor,
    inner,
    away: () => (analysis.inside.value !== null) !== inner,
    read: signal(0),
  };
  editor.onState((name) => selection.selectState(name, "editor"));
  editor.onPath((crumbs) => (path.value = crumbs));
  editor.onBreakpoint((state, edit) => (edit ? session.editBreakpoint(state) : session.toggleBreakpoint(state)));
  const ends = [...followText(at), ...showRun(at), ...showPause(at)];
  return () => {
    for (const end of ends) end();
    path.value = [];
  };
}

/// An editor as the effects below know it.
interface Attached {
  editor: EditorHandle;
  inner: boolean;
  /// Whether the other definition is looked at.
  away(): boolean;
  /// Grows when the text has been read, so that what waits for places looks again.
  read: Signal<number>;
}

/// What was found in the text, and the places in it that are looked at.
function followText({ editor, inner, away, read }: Attached): (() => void)[] {
  return [
    effect(() => {
      const found = inner ? analysis.inside.value?.analysis : analysis.latest.value;
      // What was found is of the text as it was sent; newer text gets newer findings in a moment.
      if (!found || editor.text() !== (inner ? analysis.inside.value!.definition : analysis.analyzed())) return;
      editor.setAnalysis(found);
      read.value = read.peek() + 1;
    }),
    effect(() => {
      const name = selection.selectedState.value;
      const origin = selection.selectionOrigin.value;
      if (away()) return;
      if (inner) void read.value;
      editor.show({ current: name });
      if (name === null || origin === "editor") return;
      const place = editor.placeOf(name);
      if (place && !(prefs.followPause.peek() && name === pausedAt())) editor.reveal(place.nameFrom, place.nameTo, false);
    }),
    effect(() => {
      const place = selection.reveal.value;
      if (!place || away()) return;
      requestAnimationFrame(() => {
        editor.measure();
        editor.reveal(place.from, place.to, true);
      });
      selection.revealed();
    }),
  ];
}

/// Time that a run leaves between two drawings of its signs beside the text: who drags the time line looks at the graph.
const SIGNS_APART = 120;

/// What the run has done to the states.
function showSigns({ editor, away }: Pick<Attached, "editor" | "away">): (() => void)[] {
  let last = -Infinity;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const draw = (): void => {
    timer = undefined;
    last = performance.now();
    const index = analysis.graph.peek();
    const signs = new Map<string, Sign>();
    if (away()) return;
    if (index && execution.run.peek()) {
      for (const [name, at] of index.byName) {
        const { status, entered } = playback.runOf(index.graph.nodes[at]!.id).peek();
        if (status !== "idle")
          signs.set(name, {
            sign: STATUS_ICON[status] === null ? "" : iconPath(STATUS_ICON[status]),
            count: entered,
            kind: status,
            title: `${name}: ${STATUS_TEXT[status]}${entered > 1 ? `, entered ${entered} times` : ""}`,
          });
      }
    }
    editor.show({ signs });
  };
  return [
    effect(() => {
      void analysis.graph.value;
      void execution.run.value;
      // Another run begins with no event, which is shown as nothing.
      void playback.cursor.value;
      void playback.shownAt.value;
      if (away() || timer !== undefined) return;
      const wait = last + SIGNS_APART - performance.now();
      if (wait <= 0) untracked(draw);
      else timer = setTimeout(draw, wait);
    }),
    () => clearTimeout(timer),
  ];
}

/// What the run has done to the states, where it may stop, and what can be done above each.
function showRun({ editor, away }: Attached): (() => void)[] {
  return [
    ...showSigns({ editor, away }),
    effect(() => {
      const breakpoints = new Map<string, BreakpointMark>();
      if (away()) return;
      for (const state of debug.byState.value.keys()) {
        const mark = debug.markOf(state);
        if (mark) breakpoints.set(state, { ...mark, title: `${state}: ${mark.title}\n${clickOn(state)}` });
      }
      editor.show({ breakpoints });
    }),
    effect(() => editor.show({ lenses: prefs.lenses.value && prefs.layoutSize() !== "narrow" ? lensesOf : null })),
  ];
}

/// Where it runs, or stands, and the values there.
function showPause({ editor, inner, away, read }: Attached): (() => void)[] {
  return [
    effect(() => {
      if (away()) return;
      const paused = pausedAt();
      const state = paused ?? (execution.run.value?.phase === "running" ? activeState() : null);
      editor.show({ executing: state === null ? null : { state, paused: paused !== null } });
    }),
    effect(() => {
      void debug.stopped.value;
      void panes.narrowTab.value;
      void panes.leftTab.value;
      const state = pausedAt();
      if (inner) void read.value;
      if (state === null || !prefs.followPause.value || away()) return;
      // In a pane that has just come up the lines have their places a frame later.
      requestAnimationFrame(() => editor.center(state));
    }),
    effect(() => {
      void debug.stopped.value;
      void read.value;
      const state = pausedAt();
      if (away()) return;
      if (state === null || !prefs.inlineValues.value || execution.run.value?.recorded !== undefined) return editor.setValues(NO_VALUES);
      const text = editor.text();
      interpreter.query("values", { text, format: inner ? "json" : workspace.format.peek(), state }).then(
        (values) => pausedAt() === state && editor.text() === text && editor.setValues(values),
        () => {},
      );
    }),
  ];
}

function pausedAt(): string | null {
  return execution.run.value?.phase === "paused" ? debug.pausedState.value : null;
}

function activeState(): string | null {
  const index = analysis.graph.value;
  const node = index?.node(index.byId.get(playback.active.value ?? "") ?? -1);
  return node && isState(node) ? node.name : null;
}

/// What a click into the margin does where a breakpoint is.
function clickOn(state: string): string {
  const off = debug.byState.value.get(state)?.every(({ enabled }) => enabled === false);
  return `${off ? "Disabled. Click to enable it." : debug.stops.value ? "Click to remove it." : "All breakpoints are off. Click to remove this one."} Shift-click to edit it${keyHint("editBreakpoint")}.`;
}

function lensesOf(state: string): Lens[] {
  const index = analysis.graph.value;
  const node = index?.node(index.byName.get(state) ?? -1);
  if (!node) return [];
  const chosen = (run: (name: string) => void) => (): void => {
    selection.selectState(state, "page");
    run(state);
  };
  const found: Lens[] = [];
  if (!execution.busy.value || session.canGoOn())
    found.push({ id: "runTo", text: "Run to here", title: `Run until ${state} is entered${keyHint("runTo")}`, run: chosen(session.runTo) });
  if (session.canStep() && playback.runOf(node.id).value.entered > 0)
    found.push({
      id: "rerun",
      text: "Rerun from here",
      title: `Fork the run where ${state} was last entered, and run again from there`,
      run: chosen(session.rerunFrom),
    });
  if (node.type === "Task" && analysis.inside.value === null) {
    const mocked = debug.isMocked(state);
    found.push({
      id: "mock",
      text: mocked ? "Mocked" : "Mock",
      title: mocked ? `Change how ${state} is mocked` : `Choose what answers for ${state}`,
      run: chosen(() =>
        batch(() => {
          panes.showLeft("mocks");
        }),
      ),
    });
  }
  return found;
}
