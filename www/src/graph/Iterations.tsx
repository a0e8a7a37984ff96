// Selects an iteration of a Map. The same controls are in the Map's box on the graph and in the inspector.

import { signal, useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { GraphNode } from "../model/graph.ts";
import { type Choice, Item, type View, choicesOf, pathOf, viewOf } from "../model/iterations.ts";
import * as debug from "../debugger/model.ts";
import * as playback from "../store/playback.ts";
import * as selection from "../store/selection.ts";
import { keyHint } from "../keys/keymap.ts";
import { Icon, type IconName } from "../ui/Icon.tsx";
import { count, grouped } from "../ui/format.ts";

const KINDS: readonly { status: number; name: string; style: string; icon: IconName }[] = [
  { status: Item.Failed, name: "Failed", style: "failed", icon: "cross" },
  { status: Item.Running, name: "Running", style: "running", icon: "dot" },
  { status: Item.Waiting, name: "Waiting", style: "waiting", icon: "clock" },
  { status: Item.None, name: "Queued", style: "queued", icon: "more" },
  { status: Item.Done, name: "Done", style: "succeeded", icon: "check" },
  { status: Item.Aborted, name: "Cancelled", style: "cancelled", icon: "cancelled" },
];
const KIND_OF = new Map(KINDS.map((kind) => [kind.status, kind]));
/** The maximum number of iterations with a cell each. If there are more, the strip shows proportions. */
const CELLS = 200;

/** The status that iterations are filtered by, by the Map's pointer. */
const filters = signal<ReadonlyMap<string, number>>(new Map());
/**
 * The Map whose iterations the keys `[` and `]` step through, and the iteration that they start from while all are shown
 * together.
 */
let present: { map: string; of: readonly number[] } | null = null;

/** Returns a Map's iterations and the functions to select one. */
function chooser(map: string, of: readonly number[] = []) {
  const look = playback.iterations();
  const view = look && viewOf(look, map);
  if (!look || !view || view.total === 0) return null;
  const path = (slot: number): string => (view.items[slot]! >= 0 ? pathOf(look.log, view.items[slot]!) : `#${slot}`);
  const of_ = of.length > 0 ? of.map((index) => `#${index}`).join(" › ") : "";
  // If all are shown together, the inspector's iteration is the starting point.
  const at = view.at >= 0 ? view.at : of_ === "" ? -1 : view.items.findIndex((item) => item >= 0 && pathOf(look.log, item) === of_);
  const kind = filters.value.get(map);
  const fits = (slot: number): boolean => kind === undefined || view.statuses[slot] === kind;
  const go = (slot: number): void => {
    if (slot >= 0 && slot < view.total) playback.choose(choicesOf(look, view, map, slot));
  };
  const step = (by: number): void => {
    for (let n = 1, slot = at; n <= view.total; n++) {
      slot = slot < 0 && by < 0 ? view.total - 1 : (slot + by + view.total) % view.total;
      if (fits(slot)) return go(slot);
    }
  };
  return { look, view, at, path, go, step, kind };
}

/** Steps to another iteration of the selected state's Map, or of the Map that has iterations now. */
export function stepIteration(by: number): void {
  const look = playback.iterations();
  if (!look) return;
  const { index, log } = look;
  const state = selection.selectedState.value;
  let map = "";
  for (let at = state === null ? -1 : (index.byName.get(state) ?? -1); at >= 0 && map === ""; at = index.stateAround(at))
    if (index.graph.nodes[at]!.type === "Map" && log.roundsOf.has(at)) map = index.graph.nodes[at]!.id;
  if (map === "") {
    const [first] = [...log.roundsOf.keys()].sort((a, b) => a - b);
    if (first === undefined) return;
    map = index.graph.nodes[first]!.id;
  }
  chooser(map, present?.map === map ? present.of : [])?.step(by);
}

/** Returns the text of a Map's gauge: "10 of at most 10 running, 96 queued". */
function gaugeOf(view: View, most: number | undefined): string {
  const busy = view.counts[Item.Running]! + view.counts[Item.Waiting]!;
  const queued = view.counts[Item.None]!;
  if (busy + queued === 0) return "";
  return `${busy}${most === undefined ? "" : ` of max ${most}`} running${queued > 0 ? `, ${queued} queued` : ""}`;
}

/** `of` is the path of the inspector's iteration while all iterations are shown together. */
export function Iterations({ node, place, of }: { node: GraphNode; place: "graph" | "inspector"; of?: readonly number[] }) {
  const map = node.id;
  if (place === "inspector" && of) present = { map, of };
  const found = chooser(map, of);
  const most = node.map?.maxConcurrency;
  if (!found) {
    return (
      <div class={`iterations ${place}`} role="group" aria-label={`Iterations of ${node.name}`}>
        <p class="quiet">No iterations yet{most === undefined ? "" : `, at most ${most} at once`}</p>
        <Stages node={node} total={0} />
      </div>
    );
  }
  const { view, at } = found;
  const all = playback.choices.value.get(map) === undefined;
  const parts: Parts = { node, place, found, all, tab: place === "graph" ? -1 : 0 };
  return (
    <div class={`iterations ${place}`} role="group" aria-label={`Iterations of ${node.name}`}>
      <Chooser {...parts} />
      <Kinds {...parts} />
      <Gauge {...parts} />
      <Strip {...parts} at={all ? -1 : at} />
      <Stages node={node} total={view.total} />
      {place === "inspector" && node.map?.distributed && <Children node={node} found={found} at={all ? -1 : at} />}
    </div>
  );
}

type Found = NonNullable<ReturnType<typeof chooser>>;

interface Parts {
  node: GraphNode;
  place: "graph" | "inspector";
  found: Found;
  /** Whether all iterations are shown together. */
  all: boolean;
  /** The graph has a single tab stop, so controls on it are for the mouse. The inspector and two keys do the same. */
  tab: number;
}

/** Returns the status of the iteration in a slot, as a word. */
function wordOf(view: View, slot: number): string {
  return KIND_OF.get(view.statuses[slot]!)!.name.toLowerCase();
}

/** Returns the index in the Map of a slot's iteration, if it has begun. */
function indexAt({ view, look }: Found, slot: number): number | undefined {
  const item = view.items[slot] ?? -1;
  return item >= 0 ? look.log.itemIndex[item]! : undefined;
}

/** Selects an iteration by its index, by its neighbours, or by a rule that follows the run. */
function Chooser({ node, place, found, all, tab }: Parts) {
  const { view, at, go, step } = found;
  const map = node.id;
  const choice = playback.choices.value.get(map);
  const follow = (how: Choice): void => playback.choose([[map, choice === how ? indexAt(found, view.at) : how]]);
  return (
    <div class="it-row" role="group" aria-label="Iteration">
      <button
        type="button"
        class="plain square small"
        tabIndex={tab}
        aria-label="Previous iteration"
        title={`Previous iteration${keyHint("iterationBefore")}`}
        onClick={() => step(-1)}
      >
        <Icon name="left" size={14} />
      </button>
      <label class={`it-index it-${at >= 0 && !all ? KIND_OF.get(view.statuses[at]!)!.style : "all"}`}>
        #
        <IndexInput node={node} found={found} tab={tab} shown={at >= 0 && (!all || place === "inspector")} />
      </label>
      <span class="it-of">of {grouped(view.total)}</span>
      <button
        type="button"
        class="plain square small"
        tabIndex={tab}
        aria-label="Next iteration"
        title={`Next iteration${keyHint("iterationAfter")}`}
        onClick={() => step(1)}
      >
        <Icon name="right" size={14} />
      </button>
      <span class="it-gap" />
      <Toggle on={choice === "failing"} tab={tab} name="Follow the failing one" go={() => follow("failing")}>
        <Icon name="cross" size={13} />
      </Toggle>
      <Toggle on={choice === "latest"} tab={tab} name="Follow the latest" go={() => follow("latest")}>
        <Icon name="last" size={13} />
      </Toggle>
      <Toggle
        on={all}
        tab={tab}
        name="All iterations together"
        go={() => (all ? go(firstOf(view)) : playback.choose([[map, undefined], ...innerOf(map)]))}
      >
        Σ
      </Toggle>
    </div>
  );
}

function IndexInput({ node, found, tab, shown }: { node: GraphNode; found: Found; tab: number; shown: boolean }) {
  const { view, at, path, go, look } = found;
  const field = useRef<HTMLInputElement>(null);
  /** The text that the user types. It stays until they leave the field, even if another iteration is selected. */
  const draft = useSignal<string | null>(null);
  const value = draft.value ?? (shown ? String(indexAt(found, at) ?? at) : "");
  /** Returns the slot of an index, or -1 if there is none. */
  const slotOf = (index: number): number => {
    const slot = view.items.findIndex((item) => item >= 0 && look.log.itemIndex[item] === index);
    return slot < 0 && Number.isInteger(index) && index < view.total ? index : slot;
  };
  const none = draft.value !== null && draft.value !== "" && slotOf(Number(draft.value)) < 0;
  useLayoutEffect(() => {
    // If the run changes the value while the field has the focus, the text is selected, so that typing replaces it.
    if (draft.peek() === null && document.activeElement === field.current) field.current?.select();
  }, [value]);
  return (
    <input
      ref={field}
      type="number"
      class="index"
      tabIndex={tab}
      aria-label={`Iteration of ${node.name}`}
      aria-invalid={none}
      title={none ? `There is no iteration #${draft.value}` : at >= 0 ? `${path(at)}, ${wordOf(view, at)}` : "Type an index"}
      min={0}
      max={view.total - 1}
      value={value}
      placeholder="all"
      onKeyDown={(event) => event.stopPropagation()}
      onInput={(event) => {
        draft.value = event.currentTarget.value;
        if (draft.value !== "") go(slotOf(event.currentTarget.valueAsNumber));
      }}
      onBlur={() => (draft.value = null)}
    />
  );
}

/** The number of iterations by status. Selecting a status restricts the steps to its iterations. */
function Kinds({ node, place, found: { view, kind, go }, tab }: Parts) {
  return (
    <div class="it-row it-kinds" role="group" aria-label="Which iterations">
      {KINDS.map(({ status, name, style, icon }) => {
        const n = view.counts[status]!;
        if (n === 0) return null;
        return (
          <button
            key={status}
            type="button"
            class={`chip-button it-${style}`}
            tabIndex={tab}
            aria-pressed={kind === status}
            aria-label={`${name} ${n}`}
            title={`${name} ${n}: show only these`}
            onClick={() => {
              const next = new Map(filters.value);
              if (kind === status) next.delete(node.id);
              else next.set(node.id, status);
              filters.value = next;
              if (kind !== status) go(view.statuses.indexOf(status));
            }}
          >
            <Icon name={icon} size={12} /> {place === "graph" ? "" : `${name} `}
            {grouped(n)}
          </button>
        );
      })}
    </div>
  );
}

/** How many iterations run, and how many may run at the same time. Without that limit it shows which iteration is selected. */
function Gauge({ node, place, found: { view, at, path }, all }: Parts) {
  const most = node.map?.maxConcurrency;
  const gauge = gaugeOf(view, most);
  if (gauge === "" && place === "inspector") return null;
  const one = at >= 0 && !all ? `${path(at)} ${wordOf(view, at)}` : "";
  return (
    <p class="it-gauge">
      {gauge !== "" && most !== undefined && (
        <meter
          min={0}
          max={most}
          value={Math.min(most, view.counts[Item.Running]! + view.counts[Item.Waiting]!)}
          aria-label="Running at once"
        />
      )}
      {gauge || one || (all ? "All iterations together" : "")}
    </p>
  );
}

/** The maximum number of listed child executions. The others can be found by the strip, the index and the statuses. */
const LISTED = 40;

/** The child executions of a Distributed Map, failed ones first. */
function Children({ node, found: { view, kind, go, look }, at }: { node: GraphNode; found: Found; at: number }) {
  const slots = KINDS.filter(({ status }) => status !== Item.None && (kind === undefined || kind === status)).flatMap(({ status }) =>
    [...view.statuses.keys()].filter((slot) => view.statuses[slot] === status && view.items[slot]! >= 0),
  );
  return (
    <ol class="it-children" aria-label={`Child executions of ${node.name}`}>
      {slots.slice(0, LISTED).map((slot) => {
        const { name, style, icon } = KIND_OF.get(view.statuses[slot]!)!;
        return (
          <li key={slot}>
            <button type="button" class="plain" aria-current={slot === at} onClick={() => go(slot)}>
              <span class={`it-${style}`}>
                <Icon name={icon} size={12} />
              </span>
              <b>#{look.log.itemIndex[view.items[slot]!]}</b> {name.toLowerCase()}{" "}
              <span class="quiet">{look.log.itemName.get(view.items[slot]!) ?? ""}</span>
            </button>
          </li>
        );
      })}
      {slots.length > LISTED && <li class="quiet">and {slots.length - LISTED} more</li>}
    </ol>
  );
}

function Toggle({
  on,
  tab,
  name,
  go,
  children,
}: {
  on: boolean;
  tab: number;
  name: string;
  go(): void;
  children: preact.ComponentChildren;
}) {
  return (
    <button type="button" class="plain square small it-toggle" tabIndex={tab} aria-pressed={on} aria-label={name} title={name} onClick={go}>
      {children}
    </button>
  );
}

/** Returns the first iteration to look at: the first that has failed, else the last that has begun. */
function firstOf(view: View): number {
  const failed = view.statuses.indexOf(Item.Failed);
  return failed >= 0 ? failed : view.items.findLastIndex((item) => item >= 0);
}

/**
 * Returns choices that clear the Maps inside a Map, because they have no selected iteration unless the enclosing one is selected.
 */
function innerOf(map: string): [string, undefined][] {
  return [...playback.choices.value.keys()].filter((other) => other.startsWith(`${map}/`)).map((other) => [other, undefined]);
}

const WIDTH = 1000;

/**
 * Returns a cell for each iteration or, if there are very many, the proportion of each status in each stretch. The result has one
 * path for each status.
 */
function cellsOf(view: View, cells: number): ReadonlyMap<number, string> {
  const width = WIDTH / cells;
  const gap = view.total <= 60 ? Math.min(6, width * 0.15) : view.total <= CELLS ? width * 0.12 : 0;
  const paths = new Map<number, string>();
  for (let cell = 0; cell < cells; cell++) {
    const from = Math.floor((cell * view.total) / cells);
    const to = Math.max(from + 1, Math.floor(((cell + 1) * view.total) / cells));
    const shares = [0, 0, 0, 0, 0, 0];
    for (let slot = from; slot < to; slot++) shares[view.statuses[slot]!]! += 1;
    // Failures get a minimum size, so that even a single one is visible.
    if (to - from > 1 && shares[Item.Failed]! > 0) shares[Item.Failed] = Math.max(shares[Item.Failed]!, (to - from) / 4);
    const sum = shares.reduce((a, b) => a + b, 0);
    let top = 0;
    for (const { status } of KINDS) {
      const height = (shares[status]! / sum) * 10;
      if (height === 0) continue;
      paths.set(
        status,
        `${paths.get(status) ?? ""}M${(cell * width).toFixed(1)} ${top.toFixed(1)}h${(width - gap).toFixed(1)}v${height.toFixed(1)}h${(gap - width).toFixed(1)}z`,
      );
      top += height;
    }
  }
  return paths;
}

/** Returns the slot that a key leads to. */
function slotBy(key: string, at: number, total: number): number | undefined {
  const to: Record<string, number> = {
    ArrowRight: at + 1,
    ArrowUp: at + 1,
    ArrowLeft: at - 1,
    ArrowDown: at - 1,
    Home: 0,
    End: total - 1,
    PageUp: at + 10,
    PageDown: at - 10,
  };
  return to[key];
}

/** All iterations as a strip, which is a slider. */
function Strip({ node, found: { view, path, go, kind }, at, tab }: Parts & { at: number }) {
  const { total } = view;
  const cells = Math.min(total, CELLS);
  const paths = cellsOf(view, cells);
  const marked = Math.max(WIDTH / cells, 8);
  const marker = at >= 0 ? Math.min(WIDTH - 4, ((at + 0.5) / total) * WIDTH - marked / 2) : 0;
  const goTo = (slot: number): void => go(Math.max(0, Math.min(total - 1, slot)));
  return (
    <div
      class={`it-strip${kind === undefined ? "" : ` only-${KIND_OF.get(kind)!.style}`}`}
      role="slider"
      tabIndex={tab}
      aria-label={`Iterations of ${node.name}`}
      aria-valuemin={0}
      aria-valuemax={total - 1}
      aria-valuenow={Math.max(0, at)}
      aria-valuetext={at >= 0 ? `${path(at)}, ${wordOf(view, at)}` : "all together"}
      onClick={(event) => {
        const box = event.currentTarget.getBoundingClientRect();
        goTo(Math.floor(((event.clientX - box.left) / box.width) * total));
      }}
      onKeyDown={(event) => {
        const slot = slotBy(event.key, at, total);
        if (slot === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        goTo(slot);
      }}
    >
      <svg viewBox={`0 0 ${WIDTH} 10`} preserveAspectRatio="none" aria-hidden="true">
        {KINDS.map(({ status, style }) => paths.has(status) && <path key={status} class={`it-${style}`} d={paths.get(status)} />)}
      </svg>
      {at >= 0 && <span class="it-here" style={{ left: `${(marker / WIDTH) * 100}%`, width: `${(marked / WIDTH) * 100}%` }} />}
      {breakpointsOf(node.name, total).map((stop) => (
        <span key={stop} class="it-stop" style={{ left: `${((stop + 0.5) / total) * 100}%` }} title={`Stops at iteration ${stop}`} />
      ))}
    </div>
  );
}

/** Returns the iterations that breakpoints name, limited to those that can be distinguished. */
function breakpointsOf(state: string, total: number): number[] {
  const found = new Set<number>();
  if (!debug.stops.value) return [];
  for (const one of debug.breakpoints.value) {
    if (one.kind !== "iteration" || one.enabled === false || (one.state !== undefined && one.state !== "" && one.state !== state)) continue;
    for (const part of (one.indices || `0-${total - 1}`).split(",")) {
      const [, from, range, to] = /^\s*(\d+)\s*([-+]?)\s*(\d*)\s*$/.exec(part) ?? [];
      if (from === undefined) continue;
      const last = range === "+" ? total - 1 : range === "-" ? Number(to) : Number(from);
      for (let index = Number(from); index <= Math.min(last, total - 1) && found.size < 40; index++) found.add(index);
    }
  }
  return [...found];
}

/** The source of a Distributed Map's items, its batches, and the destination of its results. */
function Stages({ node, total }: { node: GraphNode; total: number }) {
  const { reader, batcher, writer } = node.map ?? {};
  if (reader === undefined && batcher === undefined && writer === undefined) return null;
  const run = playback.runOf(node.id).value;
  const limits = [
    batcher?.items === undefined ? "" : `≤ ${batcher.items} items`,
    batcher?.bytes === undefined ? "" : `≤ ${batcher.bytes} bytes`,
  ]
    .filter(Boolean)
    .join(", ");
  const stages: [string, string, boolean][] = [];
  if (reader !== undefined) stages.push(["ItemReader", reader, total > 0]);
  if (batcher !== undefined) stages.push(["ItemBatcher", total > 0 ? count(total, "batch", "batches") : limits || "batches", total > 0]);
  if (writer !== undefined) stages.push(["ResultWriter", writer, run.exited > 0]);
  return (
    <ul class="it-stages" aria-label="Stages around the iterations">
      {stages.map(([name, text, done]) => (
        <li key={name} class={done ? "done" : ""} title={`${name}: ${text}${name === "ItemBatcher" && limits ? `, ${limits}` : ""}`}>
          <b>{name}</b> {text}
          {done && <span class="unseen">, done</span>}
        </li>
      ))}
    </ul>
  );
}
