// The machine as a tree grid: the same states, commands and selection as the graph, row by row.

import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { goToDefinition } from "../editor/place.ts";
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
import { openMenu } from "./menuOpen.ts";
import { focused } from "./focus.ts";
import { waysOf } from "./waysOut.ts";
import { shownOf, signOf } from "./status.ts";

interface Row {
  at: number;
  level: number;
  /// Place among its siblings, from 1, and how many there are.
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
/// How far a key scrolls.
const COLUMN = 120;

/// States in the order of the definition, those inside of a state below it. (The drawing breaks long rows into columns.)
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

export function Table({ index }: { index: GraphIndex }) {
  const scroller = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  const height = useSignal(400);
  const rows = useMemo(() => rowsOf(index), [index]);
  const { nodes } = index.graph;
  const places = useMemo(() => new Map(rows.map(({ at }, i) => [nodes[at]!.id, i])), [rows]);
  useEffect(() => {
    const element = scroller.current!;
    const measure = (): void => void (height.value = element.clientHeight);
    measure();
    const observer = new ResizeObserver(() => requestAnimationFrame(measure));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  const chosen = places.get(focused.value ?? "") ?? 0;
  const show = (row: number): void => {
    const element = scroller.current;
    if (!element) return;
    const [from, to] = [row * HEIGHT, (row + 1) * HEIGHT + 32];
    if (from < element.scrollTop) element.scrollTop = from;
    else if (to > element.scrollTop + element.clientHeight) element.scrollTop = to - element.clientHeight;
  };
  useSignalEffect(() => {
    const state = selection.selectedState.value;
    if (state === null || selection.selectionOrigin.value === "graph") return;
    const row = places.get(nodes[index.byName.get(state) ?? -1]?.id ?? "");
    if (row !== undefined) show(row);
  });

  const go = (row: number): void => {
    const to = rows[Math.max(0, Math.min(row, rows.length - 1))];
    if (!to) return;
    const node = nodes[to.at]!;
    focused.value = node.id;
    selection.selectState(node.name, "graph");
    show(row);
    requestAnimationFrame(() => scroller.current?.querySelector<HTMLElement>('[aria-selected="true"]')?.focus({ preventScroll: true }));
  };
  const menu = (node: GraphNode, element: HTMLElement): void => {
    const box = element.getBoundingClientRect();
    openMenu(node, box.left + 40, box.top + 20, () => scroller.current?.querySelector<HTMLElement>('[role="row"][tabindex="0"]')?.focus());
  };
  const keys = (event: KeyboardEvent): void => {
    const row = rows[chosen];
    const node = row && nodes[row.at];
    if (!node || event.altKey || event.ctrlKey || event.metaKey) return;
    const folds = node.type === "Parallel" || node.type === "Map";
    if (event.key === "ArrowDown") go(chosen + 1);
    else if (event.key === "ArrowUp") go(chosen - 1);
    else if (event.key === "Home") go(0);
    else if (event.key === "End") go(rows.length - 1);
    else if (event.key === "PageDown") go(chosen + 10);
    else if (event.key === "PageUp") go(chosen - 10);
    else if (event.key === "ArrowRight" || event.key === "+") {
      if (folds && node.collapsed) analysis.toggleFold(node.pointer);
      else if (event.key === "ArrowRight" && rows[chosen + 1]?.level === row.level + 1) go(chosen + 1);
      // To the columns out of sight, and back.
      else if (event.key === "ArrowRight") scroller.current?.scrollBy({ left: COLUMN });
    } else if (event.key === "ArrowLeft" || event.key === "-") {
      if (event.key === "ArrowLeft" && scroller.current!.scrollLeft > 0) scroller.current?.scrollBy({ left: -COLUMN });
      else if (folds && !node.collapsed && node.states > 0) analysis.toggleFold(node.pointer);
      else if (event.key === "ArrowLeft") {
        const around = index.stateAround(row.at);
        if (around >= 0) go(places.get(nodes[around]!.id) ?? chosen);
      }
    } else if (event.key === "Enter") goToDefinition(node.name);
    else if (event.key === " ") selection.selectState(node.name, "graph");
    else if (event.key === "ContextMenu" || (event.shiftKey && event.key === "F10"))
      menu(node, scroller.current!.querySelector<HTMLElement>('[role="row"][tabindex="0"]')!);
    else if (event.key.length === 1 && /[\p{L}\p{N}]/u.test(event.key)) {
      const next = [...rows.keys()]
        .map((i) => (chosen + 1 + i) % rows.length)
        .find((i) => nodes[rows[i]!.at]!.name.toLowerCase().startsWith(event.key.toLowerCase()));
      if (next !== undefined) go(next);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const first = Math.max(0, Math.floor(top.value / HEIGHT) - MARGIN);
  const end = Math.min(rows.length, first + Math.ceil(height.value / HEIGHT) + 2 * MARGIN);
  const windowed = Array.from({ length: Math.max(0, end - first) }, (_, i) => first + i);
  // The row that has the focus is there also when it is out of sight.
  if (rows[chosen] && (chosen < first || chosen >= end)) windowed.push(chosen);
  // What only the history tells, of the rows in sight.
  const last = useSignal<ReadonlyMap<string, LastVisit>>(new Map());
  const shown = useSignal<string[]>([]);
  shown.value = useMemo(() => windowed.map((row) => nodes[rows[row]!.at]!.name), [rows, first, end, chosen]);
  useSignalEffect(() => {
    const states = shown.value;
    const upTo = playback.cursor.value;
    let stale = false;
    const timer = setTimeout(() => {
      if (!execution.run.peek()) last.value = new Map();
      else
        interpreter.query("lastVisits", { states, upTo }).then(
          (found) => !stale && (last.value = new Map(found.flatMap((visit, i) => (visit ? [[states[i]!, visit]] : [])))),
          () => {},
        );
    }, 60);
    return () => {
      stale = true;
      clearTimeout(timer);
    };
  });
  return (
    <div class="state-table" ref={scroller} onScroll={(event) => (top.value = event.currentTarget.scrollTop)}>
      <div
        role="treegrid"
        aria-label={index.graph.comment ?? "State machine"}
        aria-rowcount={rows.length + 1}
        aria-describedby="graph-keys"
        onKeyDown={keys}
      >
        <div role="row" aria-rowindex={1} class="head">
          {COLUMNS.map((title) => (
            <span role="columnheader" key={title} class={`col-${title.toLowerCase()}`} title={HINTS[title]}>
              {title}
            </span>
          ))}
        </div>
        <div role="rowgroup" class="body" style={{ height: `${rows.length * HEIGHT}px` }}>
          {windowed.map((number) => {
            const row = rows[number]!;
            const { id, name } = nodes[row.at]!;
            return (
              <TableRow
                key={id}
                index={index}
                row={row}
                number={number}
                chosen={chosen === number}
                last={last.value.get(name)}
                menu={menu}
                go={go}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

function TableRow({
  index,
  row,
  number,
  chosen,
  last,
  menu,
  go,
}: {
  index: GraphIndex;
  row: Row;
  number: number;
  chosen: boolean;
  last: LastVisit | undefined;
  menu: (node: GraphNode, element: HTMLElement) => void;
  go: (row: number) => void;
}) {
  const node = index.graph.nodes[row.at]!;
  const run = playback.runOf(node.id).value;
  const { status, text } = shownOf(node, run);
  const selected = selection.selectedState.value === node.name;
  const total = Math.max(1, playback.timeOf(playback.cursor.value));
  const begin = playback.startTime();
  const start = run.began > 0 ? run.began - begin : 0;
  const took = run.began > 0 ? run.last - run.began : 0;
  const sign = signOf(status);
  const folds = (node.type === "Parallel" || node.type === "Map") && node.states > 0;
  return (
    <div
      role="row"
      class={`is-${status}`}
      style={{ top: `${number * HEIGHT}px` }}
      aria-level={row.level}
      aria-posinset={row.place}
      aria-setsize={row.siblings}
      aria-rowindex={number + 2}
      aria-selected={selected}
      aria-expanded={folds ? !node.collapsed : undefined}
      tabIndex={chosen ? 0 : -1}
      onFocus={() => (focused.value = node.id)}
      onClick={() => go(number)}
      onDblClick={() => goToDefinition(node.name)}
      onContextMenu={(event) => {
        event.preventDefault();
        menu(node, event.currentTarget);
      }}
    >
      <span role="rowheader" class="col-name" style={{ paddingInlineStart: `${8 + (row.level - 1) * 18}px` }}>
        {folds && (
          <span class="twist" aria-hidden="true" onClick={(event) => (event.stopPropagation(), analysis.toggleFold(node.pointer))}>
            <Icon name={node.collapsed ? "right" : "chevron"} size={12} />
          </span>
        )}
        <TypeTile type={node.type} /> <b>{node.name}</b>
        <span class="unseen">, {waysOf(index, row.at, 6).join(", ")}</span>
      </span>
      <span role="gridcell" class="col-type">
        {node.caption || node.type}
      </span>
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
      <span role="gridcell" class="col-start">
        {run.began > 0 ? elapsed(start) : ""}
      </span>
      <span role="gridcell" class="col-duration">
        {run.began > 0 ? duration(took) : ""}
      </span>
      <span role="gridcell" class="col-time">
        {run.began > 0 && (
          <svg width="100%" height="10" preserveAspectRatio="none" viewBox="0 0 100 10" aria-hidden="true">
            <rect x={(start / total) * 100} width={Math.max((took / total) * 100, 1)} height="10" rx="1" />
          </svg>
        )}
      </span>
    </div>
  );
}
