// The machine as a tree grid: the same states, commands and selection as the graph, row by row.

import { type Signal, useSignal, useSignalEffect } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { goToDefinition } from "../editor/definitionEditor.ts";
import { type GraphIndex, type GraphNode, isState } from "../model/graph.ts";
import type { LastVisit } from "../model/protocol.ts";
import { textSize } from "../prefs.ts";
import * as analysis from "../store/analysis.ts";
import * as execution from "../store/execution.ts";
import * as interpreter from "../store/interpreter.ts";
import * as playback from "../store/playback.ts";
import * as selection from "../store/selection.ts";
import { Icon, TypeTile } from "../ui/Icon.tsx";
import { bytes, duration, elapsed, iterationPath } from "../ui/format.ts";
import { debounced } from "../ui/latestOnly.ts";
import { openMenu } from "./menuOpen.ts";
import { renameNode } from "./graphEditor.ts";
import { focused } from "./focus.ts";
import { targetsInWords } from "./targets.ts";
import { overrideOf, shownOf, signOf } from "./status.ts";

interface Row {
  at: number;
  level: number;
  /** The position among its siblings, from 1, and their number. */
  place: number;
  siblings: number;
}

const COLUMNS = [
  "Name",
  "Type",
  "Status",
  "Visits",
  "Attempts",
  "Failures",
  "Iteration",
  "Items",
  "In",
  "Out",
  "Start",
  "Duration",
  "Time",
] as const;
const HINTS: Partial<Record<string, string>> = {
  Attempts: "Attempts of the last visit",
  Failures: "Failed attempts of all visits",
  Iteration: "The Map's item that was visited last",
  Items: "Items of a Map that are done, of all",
  In: "Size of the input of the last visit, as JSON",
  Out: "Size of the output of the last visit, as JSON",
};
const HEIGHT = 30 * textSize;
const MARGIN = 14;
/** How far a key scrolls horizontally, in px. */
const COLUMN = 120;

/**
 * Returns the states in the order of the definition, nested states below their container. (The drawing breaks long rows into
 * columns.)
 */
function rowsOf(index: GraphIndex): Row[] {
  const { nodes } = index.graph;
  const rows: Row[] = [];
  const add = (states: number[], level: number): void => {
    states.forEach((at, i) => {
      rows.push({ at, level, place: i + 1, siblings: states.length });
      const inside = index.children[at]!.flatMap((scope) => index.children[scope]!).filter((inner) => isState(nodes[inner]!));
      if (inside.length > 0) add(inside, level + 1);
    });
  };
  add(
    nodes.flatMap((node, i) => (index.parent[i]! < 0 && isState(node) ? [i] : [])),
    1,
  );
  return rows;
}

/** The rows of a graph, and the movement of the focus among them by keys. */
class Rows {
  readonly all: Row[];
  readonly #places: ReadonlyMap<string, number>;

  constructor(
    readonly index: GraphIndex,
    private readonly scroller: RefObject<HTMLDivElement | null>,
  ) {
    this.all = rowsOf(index);
    this.#places = new Map(this.all.map(({ at }, i) => [index.graph.nodes[at]!.id, i]));
  }

  get chosen(): number {
    return this.placeOf(focused.value) ?? 0;
  }

  nodeOf(row: Row): GraphNode {
    return this.index.graph.nodes[row.at]!;
  }

  placeOf(id: string | null | undefined): number | undefined {
    return this.#places.get(id ?? "");
  }

  show(row: number): void {
    const element = this.scroller.current;
    if (!element) return;
    const [from, to] = [row * HEIGHT, (row + 1) * HEIGHT + 32];
    if (from < element.scrollTop) element.scrollTop = from;
    else if (to > element.scrollTop + element.clientHeight) element.scrollTop = to - element.clientHeight;
  }

  go(row: number): void {
    const to = this.all[Math.max(0, Math.min(row, this.all.length - 1))];
    if (!to) return;
    const node = this.nodeOf(to);
    focused.value = node.id;
    selection.selectState(node.name, "graph");
    this.show(row);
    requestAnimationFrame(() =>
      this.scroller.current?.querySelector<HTMLElement>('[aria-selected="true"]')?.focus({ preventScroll: true }),
    );
  }

  menu(node: GraphNode, element: HTMLElement): void {
    const box = element.getBoundingClientRect();
    openMenu(node, box.left + 40, box.top + 20, () => this.#focusable?.focus());
  }

  get #focusable(): HTMLElement | null | undefined {
    return this.scroller.current?.querySelector<HTMLElement>('[role="row"][tabindex="0"]');
  }

  /** Handles a key. Returns whether it was one of the table's. */
  key(event: KeyboardEvent): boolean {
    const row = this.all[this.chosen];
    const node = row && this.nodeOf(row);
    if (!node || event.altKey || event.ctrlKey || event.metaKey) return false;
    const to = this.#targetOf(event.key);
    if (to !== undefined) this.go(to);
    else if (event.key === "ArrowRight" || event.key === "+") this.#open(event.key, row, node);
    else if (event.key === "ArrowLeft" || event.key === "-") this.#close(event.key, row, node);
    else if (event.key === "Enter") goToDefinition(node.name);
    else if (event.key === " ") selection.selectState(node.name, "graph");
    else if (event.key === "ContextMenu" || (event.shiftKey && event.key === "F10")) this.menu(node, this.#focusable!);
    else if (event.key.length === 1 && /[\p{L}\p{N}]/u.test(event.key)) this.#goToLetter(event.key.toLowerCase());
    else return false;
    return true;
  }

  #targetOf(key: string): number | undefined {
    const { chosen } = this;
    switch (key) {
      case "ArrowDown":
        return chosen + 1;
      case "ArrowUp":
        return chosen - 1;
      case "Home":
        return 0;
      case "End":
        return this.all.length - 1;
      case "PageDown":
        return chosen + 10;
      case "PageUp":
        return chosen - 10;
      default:
        return undefined;
    }
  }

  #open(key: string, row: Row, node: GraphNode): void {
    if (folds(node) && node.collapsed) analysis.toggleFold(node.pointer);
    else if (key === "ArrowRight" && this.all[this.chosen + 1]?.level === row.level + 1) this.go(this.chosen + 1);
    // These keys scroll to the hidden columns and back.
    else if (key === "ArrowRight") this.scroller.current?.scrollBy({ left: COLUMN });
  }

  #close(key: string, row: Row, node: GraphNode): void {
    if (key === "ArrowLeft" && this.scroller.current!.scrollLeft > 0) this.scroller.current?.scrollBy({ left: -COLUMN });
    else if (folds(node) && !node.collapsed && node.states > 0) analysis.toggleFold(node.pointer);
    else if (key === "ArrowLeft") {
      const around = this.index.stateAround(row.at);
      if (around >= 0) this.go(this.placeOf(this.index.graph.nodes[around]!.id) ?? this.chosen);
    }
  }

  #goToLetter(letter: string): void {
    const count = this.all.length;
    const next = Array.from({ length: count }, (_, i) => (this.chosen + 1 + i) % count).find((i) =>
      this.nodeOf(this.all[i]!).name.toLowerCase().startsWith(letter),
    );
    if (next !== undefined) this.go(next);
  }
}

function folds({ type }: GraphNode): boolean {
  return type === "Parallel" || type === "Map";
}

/** Tracks the scroll position and the height of the table. */
function useView(scroller: RefObject<HTMLDivElement | null>): { top: Signal<number>; height: Signal<number> } {
  const top = useSignal(0);
  const height = useSignal(400);
  useEffect(() => {
    const element = scroller.current!;
    const measure = (): void => void (height.value = element.clientHeight);
    measure();
    const observer = new ResizeObserver(() => requestAnimationFrame(measure));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { top, height };
}

/** Loads the facts about states that only the history has. */
function useLastVisits(names: string[]): ReadonlyMap<string, LastVisit> {
  const last = useSignal<ReadonlyMap<string, LastVisit>>(new Map());
  const shown = useSignal<string[]>([]);
  shown.value = names;
  useSignalEffect(() => {
    const states = shown.value;
    const upTo = playback.cursor.value;
    return debounced(
      60,
      () => (execution.run.peek() ? interpreter.query("lastVisits", { states, upTo }) : Promise.resolve([])),
      (found) => (last.value = new Map(found.flatMap((visit, i) => (visit ? [[states[i]!, visit]] : [])))),
    );
  });
  return last.value;
}

export function Table({ index }: { index: GraphIndex }) {
  const scroller = useRef<HTMLDivElement>(null);
  const { top, height } = useView(scroller);
  const rows = useMemo(() => new Rows(index, scroller), [index]);
  const { nodes } = index.graph;
  useSignalEffect(() => {
    const state = selection.selectedState.value;
    if (state === null || selection.selectionOrigin.value === "graph") return;
    const row = rows.placeOf(nodes[index.byName.get(state) ?? -1]?.id);
    if (row !== undefined) rows.show(row);
  });

  const { all, chosen } = rows;
  const first = Math.max(0, Math.floor(top.value / HEIGHT) - MARGIN);
  const end = Math.min(all.length, first + Math.ceil(height.value / HEIGHT) + 2 * MARGIN);
  const windowed = Array.from({ length: Math.max(0, end - first) }, (_, i) => first + i);
  // The focused row is rendered even if it is scrolled out of view.
  if (all[chosen] && (chosen < first || chosen >= end)) windowed.push(chosen);
  const last = useLastVisits(useMemo(() => windowed.map((row) => rows.nodeOf(all[row]!).name), [rows, first, end, chosen]));
  return (
    <div class="state-table" ref={scroller} onScroll={(event) => (top.value = event.currentTarget.scrollTop)}>
      <div
        role="treegrid"
        aria-label={index.graph.comment ?? "State machine"}
        aria-rowcount={all.length + 1}
        aria-describedby="graph-keys"
        onKeyDown={(event) => {
          if (!rows.key(event)) return;
          event.preventDefault();
          event.stopPropagation();
        }}
      >
        <div role="row" aria-rowindex={1} class="head">
          {COLUMNS.map((title) => (
            <span role="columnheader" key={title} class={`col-${title.toLowerCase()}`} title={HINTS[title]}>
              {title}
            </span>
          ))}
        </div>
        <div role="rowgroup" class="body" style={{ height: `${all.length * HEIGHT}px` }}>
          {windowed.map((number) => {
            const { id, name } = rows.nodeOf(all[number]!);
            return <TableRow key={id} rows={rows} number={number} chosen={chosen === number} last={last.get(name)} />;
          })}
        </div>
      </div>
    </div>
  );
}

function TableRow({ rows, number, chosen, last }: { rows: Rows; number: number; chosen: boolean; last: LastVisit | undefined }) {
  const row = rows.all[number]!;
  const node = rows.nodeOf(row);
  const folding = folds(node) && node.states > 0;
  return (
    <div
      role="row"
      class={`is-${shownOf(playback.runOf(node.id).value, overrideOf(node)).status}`}
      style={{ top: `${number * HEIGHT}px` }}
      aria-level={row.level}
      aria-posinset={row.place}
      aria-setsize={row.siblings}
      aria-rowindex={number + 2}
      aria-selected={selection.selectedState.value === node.name}
      aria-expanded={folding ? !node.collapsed : undefined}
      tabIndex={chosen ? 0 : -1}
      onFocus={() => (focused.value = node.id)}
      onClick={() => rows.go(number)}
      onDblClick={() => void renameNode(node.id)}
      onContextMenu={(event) => {
        event.preventDefault();
        rows.menu(node, event.currentTarget);
      }}
    >
      <span role="rowheader" class="col-name" style={{ paddingInlineStart: `${8 + (row.level - 1) * 18}px` }}>
        {folding && (
          <span class="twist" aria-hidden="true" onClick={(event) => (event.stopPropagation(), analysis.toggleFold(node.pointer))}>
            <Icon name={node.collapsed ? "right" : "chevron"} size={12} />
          </span>
        )}
        <TypeTile type={node.type} detail={node.detail} /> <b>{node.name}</b>
        <span class="unseen">, {targetsInWords(rows.index, row.at, 6).join(", ")}</span>
      </span>
      <span role="gridcell" class="col-type">
        {node.caption || node.type}
      </span>
      <Counts node={node} last={last} />
      <Times node={node} />
    </div>
  );
}

/** The current status of a state, the number of its visits, and the sizes of its last visit. */
function Counts({ node, last }: { node: GraphNode; last: LastVisit | undefined }) {
  const run = playback.runOf(node.id).value;
  const { status, text } = shownOf(run, overrideOf(node));
  const sign = signOf(status);
  return (
    <>
      <span role="gridcell" class="col-status">
        {sign !== "" && (
          <svg width="14" height="14" viewBox="0 0 20 20" aria-hidden="true">
            <path d={sign} />
          </svg>
        )}
        {text}
      </span>
      <span role="gridcell" class="col-visits">
        {run.entered > 0 ? run.entered : ""}
      </span>
      <span role="gridcell" class="col-attempts">
        {run.attempts > 0 ? run.attempts : ""}
      </span>
      <span role="gridcell" class="col-failures">
        {run.failures > 0 ? run.failures : ""}
      </span>
      <span role="gridcell" class="col-iteration">
        {last ? iterationPath(last.iterations) : ""}
      </span>
      <span role="gridcell" class="col-items">
        {run.iterations > 0 ? `${run.iterationsDone + run.iterationsFailed}/${run.iterations + run.queued}` : ""}
      </span>
      <span role="gridcell" class="col-in">
        {last ? bytes(last.input) : ""}
      </span>
      <span role="gridcell" class="col-out">
        {last?.output === undefined ? "" : bytes(last.output)}
      </span>
    </>
  );
}

/** When a state began, how long it took, and a bar for both. */
function Times({ node }: { node: GraphNode }) {
  const { began, last } = playback.runOf(node.id).value;
  const total = Math.max(1, playback.timeOf(playback.cursor.value));
  const start = began > 0 ? began - playback.startTime() : 0;
  const took = began > 0 ? last - began : 0;
  return (
    <>
      <span role="gridcell" class="col-start">
        {began > 0 ? elapsed(start) : ""}
      </span>
      <span role="gridcell" class="col-duration">
        {began > 0 ? duration(took) : ""}
      </span>
      <span role="gridcell" class="col-time">
        {began > 0 && (
          <svg width="100%" height="10" preserveAspectRatio="none" viewBox="0 0 100 10" aria-hidden="true">
            <rect x={(start / total) * 100} width={Math.max((took / total) * 100, 1)} height="10" rx="1" />
          </svg>
        )}
      </span>
    </>
  );
}
