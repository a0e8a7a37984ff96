// The history as a list. All rows have the same height, so only the visible ones are rendered.

import { type Signal, useComputed, useSignal, useSignalEffect } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { EventFilter, EventRow, Facets } from "../model/protocol.ts";
import { isMocked } from "../debugger/model.ts";
import * as prefs from "../prefs.ts";
import * as execution from "../store/execution.ts";
import * as interpreter from "../store/interpreter.ts";
import * as panes from "../store/panes.ts";
import * as playback from "../store/playback.ts";
import * as selection from "../store/selection.ts";
import { Icon } from "../ui/Icon.tsx";
import { count, elapsed, iterationPath } from "../ui/format.ts";
import { oneAtATime, debounced, latestOnly } from "../ui/latestOnly.ts";

const ROW = 28 * prefs.textSize;
const MARGIN = 12;

export function Events() {
  if (execution.run.value === null || (execution.eventCount.value === 0 && execution.run.value.phase === "ended")) {
    return (
      <div class="empty small">
        <Icon name="list" size={22} />
        <p>{execution.run.value?.refused ? "Nothing has run." : "No events yet. Run the state machine to see its history here."}</p>
      </div>
    );
  }
  return (
    <div class="events">
      <FilterBar />
      <List />
    </div>
  );
}

/** Loads the types of events and the branches of the run so far. */
function useFacets(): Facets {
  const facets = useSignal<Facets>({ types: [], scopes: [] });
  useSignalEffect(() => {
    void execution.eventCount.value;
    void execution.run.value?.id;
    return debounced(
      200,
      () => interpreter.query("facets", {}),
      (found) => (facets.value = found),
    );
  });
  return facets.value;
}

function choose(key: "type" | "scope", value: string | number | undefined): void {
  const { [key]: _, ...rest } = panes.filter.value;
  panes.setFilter(value === undefined ? rest : { ...rest, [key]: value });
}

function set(change: Partial<EventFilter>): void {
  panes.setFilter({ ...panes.filter.value, ...change });
}

function FilterBar() {
  const { value: filter } = panes.filter;
  const state = selection.selectedState.value;
  // Another run has other branches.
  useSignalEffect(() => {
    void execution.run.value?.id;
    const { scope, ...rest } = panes.filter.peek();
    if (scope !== undefined) panes.setFilter(rest);
  });
  return (
    <div class="filter-bar" role="search">
      <label class="search">
        <Icon name="inspect" size={14} />
        <span class="unseen">Search the events</span>
        <input
          type="search"
          placeholder="Search type, state, data"
          value={filter.text}
          onInput={(event) => set({ text: event.currentTarget.value })}
        />
      </label>
      <div class="segments" role="group" aria-label="Which events">
        {(["all", "states", "errors"] as const).map((kind) => (
          <button key={kind} type="button" aria-pressed={filter.kind === kind} onClick={() => set({ kind })}>
            {kind === "all" ? "All" : kind === "states" ? "States" : "Errors"}
          </button>
        ))}
      </div>
      <FacetChoices />
      {(state !== null || filter.state !== "") && (
        <button
          type="button"
          class="chip-button"
          aria-pressed={filter.state !== ""}
          onClick={() => set({ state: filter.state === "" ? (state ?? "") : "" })}
        >
          {filter.state === "" ? `Only ${state}` : `Only ${filter.state}`}
          {filter.state !== "" && <Icon name="close" size={12} />}
        </button>
      )}
    </div>
  );
}

function FacetChoices() {
  const { value: filter } = panes.filter;
  const { types, scopes } = useFacets();
  return (
    <>
      <select
        class="facet"
        aria-label="Type of event"
        value={filter.type ?? ""}
        onChange={(event) => choose("type", event.currentTarget.value || undefined)}
      >
        <option value="">Any type</option>
        {types.map((type) => (
          <option key={type}>{type}</option>
        ))}
      </select>
      {scopes.length > 0 && (
        <select
          class="facet"
          aria-label="Branch or iteration"
          value={filter.scope ?? ""}
          onChange={(event) => choose("scope", event.currentTarget.value === "" ? undefined : Number(event.currentTarget.value))}
        >
          <option value="">Any branch</option>
          {scopes.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
    </>
  );
}

/** The rows in view, and some around them. */
interface Part {
  from: number;
  total: number;
  rows: EventRow[];
}

type Scroller = RefObject<HTMLDivElement | null>;

/** Tracks the height of the list, which changes with its pane. */
function useHeight(scroller: Scroller): Signal<number> {
  const height = useSignal(200);
  useEffect(() => {
    const element = scroller.current!;
    const observer = new ResizeObserver(() => requestAnimationFrame(() => (height.value = element.clientHeight)));
    observer.observe(element);
    height.value = element.clientHeight;
    return () => observer.disconnect();
  }, []);
  return height;
}

function useRows(top: Signal<number>, height: Signal<number>): Part {
  const part = useSignal<Part>({ from: 0, total: 0, rows: [] });
  const first = useComputed(() => Math.max(0, Math.floor(top.value / ROW) - MARGIN));
  const length = useComputed(() => Math.ceil(height.value / ROW) + 2 * MARGIN);
  const ask = useMemo(() => oneAtATime<Part>((found) => (part.value = found)), []);
  useSignalEffect(() => {
    const from = first.value;
    const rows = length.value;
    const filter = panes.filter.value;
    void execution.eventCount.value;
    void execution.run.value?.id;
    ask(() => interpreter.query("rows", { filter, from, count: rows }));
  });
  return part.value;
}

/** Loads the chain of events that led to the selected one. */
function useChain(): Chain {
  const chain = useSignal<Chain>({ ids: new Set(), first: 0, last: 0 });
  useSignalEffect(() => {
    const id = selection.selectedEvent.value ?? playback.cursor.value;
    void execution.run.value?.id;
    return debounced(
      30,
      () => (id > 0 ? interpreter.query("chain", { id }) : Promise.resolve([])),
      (found) => (chain.value = { ids: new Set(found), first: found[0] ?? 0, last: found.at(-1) ?? 0 }),
    );
  });
  return chain.value;
}

/** Returns whether the list has every event, so that the place of an event is known without the worker. */
const isWhole = ({ text, kind, state, type, scope }: EventFilter): boolean =>
  text === "" && kind === "all" && state === "" && type === undefined && scope === undefined;

/**
 * Keeps the last displayed event visible during a run and while it is played again, and the selected event when it changes. The
 * worker is only asked about a filtered list: its answers come later than the next events.
 */
function useFollowing(scroller: Scroller, total: number): void {
  const wanted = useComputed(() => selection.selectedEvent.value ?? playback.cursor.value);
  const show = (place: number): void => {
    const element = scroller.current;
    if (!element || place < 0) return;
    const at = place * ROW;
    if (at < element.scrollTop) element.scrollTop = at;
    else if (at + ROW > element.scrollTop + element.clientHeight) element.scrollTop = at + ROW - element.clientHeight;
  };
  const ask = useMemo(() => oneAtATime<number>(show), []);
  useSignalEffect(() => {
    const id = wanted.value;
    const filter = panes.filter.value;
    if (id <= 0) return;
    if (isWhole(filter)) show(id - 1);
    else ask(() => interpreter.query("place", { filter, id }));
  });
  // A list that was too short for the event has grown.
  useLayoutEffect(() => {
    if (isWhole(panes.filter.peek())) show(wanted.peek() - 1);
  }, [total]);
}

/** When a state is selected elsewhere, its last visit is shown. */
function useChosenState(scroller: Scroller): void {
  useSignalEffect(() => {
    const state = selection.selectedState.value;
    if (
      state === null ||
      selection.selectionOrigin.value === "events" ||
      selection.selectedEvent.peek() !== null ||
      execution.run.peek() === null
    )
      return;
    const find = async (): Promise<number> => {
      const upTo = playback.cursor.peek();
      const visit = (await interpreter.query("visits", { state })).findLast(({ enter }) => enter <= upTo);
      return visit ? interpreter.query("place", { filter: panes.filter.peek(), id: visit.enter }) : -1;
    };
    return latestOnly(find(), (place) => {
      const element = scroller.current;
      if (!element || place < 0) return;
      const at = place * ROW;
      if (at < element.scrollTop || at + 2 * ROW > element.scrollTop + element.clientHeight) element.scrollTop = Math.max(0, at - ROW);
    });
  });
}

function select(row: EventRow | undefined): void {
  if (row) playback.selectEvent(row.id, row.state, "events");
}

function walk(event: KeyboardEvent, { rows, total }: Part, height: number): void {
  const now = rows.findIndex((row) => row.id === (selection.selectedEvent.value ?? playback.cursor.value));
  const page = Math.max(1, Math.floor(height / ROW) - 1);
  const step = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page }[event.key];
  if (step !== undefined) {
    const to = now < 0 ? 0 : Math.max(0, Math.min(rows.length - 1, now + (selection.selectedEvent.value === null ? 0 : step)));
    select(rows[to]);
  } else if (event.key === "Home" || event.key === "End") {
    const place = event.key === "Home" ? 0 : total - 1;
    void interpreter.query("rows", { filter: panes.filter.value, from: place, count: 1 }).then((found) => select(found.rows[0]));
  } else if (event.key === "Escape" && selection.selectedEvent.value !== null) playback.returnToLive();
  else if (event.key === "Enter" && selection.selectedEvent.value !== null) panes.showNarrow("inspect");
  else return;
  event.preventDefault();
}

function List() {
  const scroller = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  const height = useHeight(scroller);
  const part = useRows(top, height);
  const chain = useChain();
  useFollowing(scroller, part.total);
  useChosenState(scroller);
  const { from, total, rows } = part;
  const chosen = selection.selectedEvent.value;
  return (
    <>
      <div
        class="event-list"
        ref={scroller}
        role="listbox"
        tabIndex={0}
        aria-label={`History, ${count(total, "event")}`}
        aria-activedescendant={chosen !== null && rows.some((row) => row.id === chosen) ? `event-${chosen}` : undefined}
        onScroll={(event) => (top.value = event.currentTarget.scrollTop)}
        onKeyDown={(event) => walk(event, part, height.value)}
      >
        <div class="event-space" role="presentation" style={{ height: `${total * ROW}px` }}>
          {rows.map((row, i) => (
            <Row key={row.id} row={row} place={from + i} total={total} chain={chain} />
          ))}
        </div>
      </div>
      {total === 0 && <p class="quiet pad">{execution.eventCount.value === 0 ? "No events yet." : "No event matches the filter."}</p>}
    </>
  );
}

function Row({ row, place, total, chain }: { row: EventRow; place: number; total: number; chain: Chain }) {
  const isChosen = row.id === selection.selectedEvent.value;
  const state = selection.selectedState.value;
  const ofState = state !== null && row.state === state ? " of-state" : "";
  const ahead = row.id > playback.cursor.value ? " ahead" : "";
  return (
    <div
      id={`event-${row.id}`}
      role="option"
      aria-selected={isChosen}
      aria-posinset={place + 1}
      aria-setsize={total}
      class={`event-row ${row.tone}${isChosen ? " chosen" : ""}${ofState}${ahead}`}
      style={{ transform: `translateY(${place * ROW}px)` }}
      onClick={() => select(row)}
    >
      <Link row={row} chain={chain} />
      <span class="event-n">{row.id}</span>
      <span class="event-time" title="Time since the run began">
        {elapsed(row.at)}
      </span>
      <span class="event-sign" aria-hidden="true">
        {row.tone !== "" && <Icon name={row.tone === "bad" ? "cross" : row.tone === "good" ? "check" : "caught"} size={12} />}
      </span>
      <span class="event-type">{row.type}</span>
      <span class="event-state">
        {row.state}
        {row.iterations.length > 0 && <span class="event-item"> {iterationPath(row.iterations)}</span>}
      </span>
      <span class="event-note">
        {/^(Task|LambdaFunction|Activity)/.test(row.type) && !/State/.test(row.type) && isMocked(row.state) && (
          <span class="tag mock-tag">mock</span>
        )}{" "}
        {row.note}
      </span>
    </div>
  );
}

interface Chain {
  ids: ReadonlySet<number>;
  first: number;
  last: number;
}

/** A part of the line that connects events: each with its predecessor, and the chain to the selected event. */
function Link({ row, chain: { ids, first: begin, last } }: { row: EventRow; chain: Chain }) {
  const on = ids.has(row.id);
  const first = row.previous === 0;
  const through = row.id >= begin && row.id < last;
  return (
    <span class={`event-link${on ? " on" : ""}`} title={first ? "This event names no previous event" : `After event ${row.previous}`}>
      <svg width="18" height="28" viewBox="0 0 18 28" aria-hidden="true">
        {(on || through) && row.id > begin && <path class="before" d="M9 0V14" />}
        {through && <path class="after" d="M9 14V28" />}
        {on ? <circle cx="9" cy="14" r="4" /> : row.previous === row.id - 1 || first ? null : <path class="jump" d="M13 8V14H17" />}
      </svg>
      <span class="unseen">
        {on ? "leads to the selected event, " : ""}
        {first ? "" : `after event ${row.previous}`}
      </span>
    </span>
  );
}
