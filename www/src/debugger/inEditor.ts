// The connection between the page and the definition's editor.

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
import { path } from "../editor/definitionEditor.ts";

/** While the user steps, values are not requested. */
const NO_VALUES: { at: number; text: string }[] = [];

/**
 * `inner` is set for the definition of a child execution's machine. It is active while that execution is selected, and the page's
 * own editor is inactive then.
 */
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
  const ends = [...followText(at), ...showRun(at), ...showFailing(at), ...showPause(at)];
  return () => {
    for (const end of ends) end();
    path.value = [];
  };
}

/** An editor, as the effects below use it. */
interface Attached {
  editor: EditorHandle;
  inner: boolean;
  /** Returns whether the other definition is shown. */
  away(): boolean;
  /** A counter that grows when the text was analysed, so that effects that need positions run again. */
  read: Signal<number>;
}

/** Shows the analysis of the text, and follows the positions that are selected elsewhere. */
function followText({ editor, inner, away, read }: Attached): (() => void)[] {
  return [
    effect(() => {
      const found = inner ? analysis.inside.value?.analysis : analysis.latest.value;
      // The analysis belongs to the text that was sent. If the text has changed, a newer analysis will follow.
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

/**
 * The minimum time between two updates of the signs beside the text, in milliseconds. While the user drags the time line, the
 * graph has priority.
 */
const SIGNS_APART = 120;

/** Shows the status of the states in the run. */
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
      // Another run begins without events, which clears the signs.
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

/** Shows the status of the states, the breakpoints, and the commands above each state. */
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

/** Marks the failing part of the field with which the run on screen has ended. */
function showFailing({ editor, inner, away, read }: Attached): (() => void)[] {
  return [
    effect(() => {
      const run = execution.run.value;
      void read.value;
      if (away()) return;
      const isKnown = run?.result?.status === "FAILED" && run.id > 0 && (run.recorded === undefined || run.replayed === true);
      if (!isKnown || inner) return editor.setFailing(null);
      const text = editor.text();
      interpreter.query("failing", { text, format: workspace.format.peek() }).then(
        (found) => execution.run.peek()?.id === run.id && editor.text() === text && editor.setFailing(found),
        () => {},
      );
    }),
  ];
}

/** Shows the active or paused state, and the values there. */
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
      // In a pane that has just been shown, the lines have their positions one frame later.
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

/** Returns the effect of a click in the margin where a breakpoint is. */
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
  if (!execution.busy.value || session.canContinue())
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
