// A JSON value as a tree of lines. It can be navigated by keys and searched, and other views can highlight parts of it.

import { type Signal, useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { type Line, nameOf } from "./diff.ts";
import { type Path, pathText } from "../model/stages.ts";
import { type DraggedValue, startDragging, putDown } from "./draggedValue.ts";
import { Icon } from "../ui/Icon.tsx";
import { bytes, count } from "../ui/format.ts";

interface Props {
  label: string;
  lines: readonly Line[];
  /** The paths of the highlighted parts. Their contents are highlighted too. */
  lit?: readonly Path[];
  /** Whether the highlighting is only approximate. */
  approximate?: boolean;
  /** The lines that a search has found, and the current one. */
  found?: ReadonlySet<Line>;
  current?: Line | undefined;
  picked?: Path | null;
  /** Called when the pointer or the focus comes to a part, or has left. */
  point?(path: Path | null): void;
  pick?(path: Path): void;
  unfold?(path: Path): void;
  words?: string;
  /** Returns the data to drag for a part, if it can be dragged into an expression. */
  carries?(path: Path): DraggedValue;
}

/** The maximum number of rendered lines, because long values have more than a page can hold. */
const DRAWN = 800;

export function Tree(props: Props) {
  const { label, lines: all, lit = [], approximate = false, current, point } = props;
  const element = useRef<HTMLDivElement>(null);
  const at = useSignal(0);
  const { lines, before, rest, earlier, more } = useDrawn(all, current);
  const stops = lines.flatMap((line, i) => (line.end ? [] : [i]));
  const stop = stops.includes(at.value) ? at.value : (stops[0] ?? 0);
  useEffect(() => {
    show(element.current, element.current?.querySelector(".lit"));
  }, [lit]);
  useEffect(() => {
    show(element.current, element.current?.querySelector(".current"));
  }, [current]);
  const isLit = lights(lit);
  return (
    <div class="tree-frame">
      {before > 0 && (
        <button type="button" class="link" onClick={earlier}>
          {count(before, "line")} before
        </button>
      )}
      <div
        ref={element}
        class={approximate ? "tree roughly" : "tree"}
        role="tree"
        aria-label={label}
        onKeyDown={(event) => keys(event, { element: element.current, lines, stops, stop, at }, props)}
        onPointerLeave={() => point?.(null)}
        onFocusOut={(event) => !element.current?.contains(event.relatedTarget as Node) && point?.(null)}
      >
        {lines.map((line, i) => (
          <TreeLine key={i} line={line} shines={isLit(line)} isStop={i === stop} of={props} reach={() => (at.value = i)} />
        ))}
      </div>
      {rest > 0 && (
        <button type="button" class="link" onClick={more}>
          {count(rest, "more line")}
        </button>
      )}
    </div>
  );
}

interface Drawn {
  lines: readonly Line[];
  /** The numbers of lines before and after the rendered ones. */
  before: number;
  rest: number;
  earlier(): void;
  more(): void;
}

/** Returns the lines to render, which include the current search result. */
function useDrawn(all: readonly Line[], current: Line | undefined): Drawn {
  const from = useSignal(0);
  const most = useSignal(DRAWN);
  const sought = current ? all.indexOf(current) : -1;
  if (sought >= 0 && (sought < from.peek() || sought >= from.peek() + most.peek())) from.value = Math.max(0, sought - DRAWN / 2);
  const before = from.value < all.length ? from.value : 0;
  const lines = all.slice(before, before + most.value);
  return {
    lines,
    before,
    rest: all.length - before - lines.length,
    earlier: () => (from.value = Math.max(0, before - DRAWN)),
    more: () => (most.value += DRAWN),
  };
}

/** Returns whether a line is highlighted. A folded line is highlighted if something inside it is. */
function lights(lit: readonly Path[]): (line: Line) => boolean {
  const names = new Set(lit.map(nameOf));
  const isLit = (path: Path): boolean =>
    names.size > 0 && (names.has("[]") || path.some((_, i) => names.has(nameOf(path.slice(0, i + 1)))));
  return ({ path, folded }) =>
    isLit(path) ||
    (folded !== undefined && lit.some((one) => one.length > path.length && nameOf(one.slice(0, path.length)) === nameOf(path)));
}

function act(line: Line, { unfold, pick }: Props): void {
  if (line.folded !== undefined && line.folded > 0) unfold?.(line.path);
  else if (line.mark !== "-") pick?.(line.path);
}

interface Walk {
  element: HTMLElement | null;
  lines: readonly Line[];
  /** The lines that can have the focus, and the current one. */
  stops: readonly number[];
  stop: number;
  at: Signal<number>;
}

const PAGE = 12;

function keys(event: KeyboardEvent, { element, lines, stops, stop, at }: Walk, props: Props): void {
  const here = stops.indexOf(stop);
  const to = { ArrowDown: here + 1, ArrowUp: here - 1, PageDown: here + PAGE, PageUp: here - PAGE, Home: 0, End: stops.length - 1 }[
    event.key
  ];
  const line = lines[stop];
  if (to !== undefined) {
    const next = stops[Math.max(0, Math.min(stops.length - 1, to))];
    if (next === undefined) return;
    at.value = next;
    const place = element?.children[next];
    if (place instanceof HTMLElement) place.focus();
  } else if (line && (event.key === "Enter" || event.key === " " || (event.key === "ArrowRight" && (line.folded ?? 0) > 0)))
    act(line, props);
  else return;
  event.preventDefault();
}

const MARKS: Record<string, string> = { "+": " added", "-": " removed", "~": " changed" };

interface LineProps {
  line: Line;
  /** Whether the line is highlighted. */
  shines: boolean;
  /** Whether the line is the tab stop. */
  isStop: boolean;
  of: Props;
  /** Called when the user has moved to the line. */
  reach(): void;
}

function TreeLine({ line, shines, isStop, of, reach }: LineProps) {
  const { found, current, picked = null, point, words = "", carries } = of;
  const removed = line.mark === "-";
  const isPicked = picked !== null && !line.end && !removed && nameOf(picked) === nameOf(line.path);
  const classes = `tree-line${MARKS[line.mark] ?? ""}${shines ? " lit" : ""}${found?.has(line) ? " found" : ""}${line === current ? " current" : ""}${isPicked ? " picked" : ""}`;
  const style = { paddingInlineStart: `${14 + line.depth * 14}px` };
  const content = <Content line={line} lit={shines ? (of.approximate ? ", lit, approximately" : ", lit") : ""} />;
  if (line.end)
    return (
      <div class={classes} style={style} role="presentation">
        {content}
      </div>
    );
  return (
    <div
      role="treeitem"
      aria-level={line.depth + 1}
      aria-selected={isPicked}
      {...(line.folded ? { "aria-expanded": false } : {})}
      title={words && !removed ? words : undefined}
      {...(carries &&
        !removed && {
          draggable: true,
          onDragStart: (event: DragEvent) => startDragging(event, carries(line.path), pathText(line.path)),
          onDragEnd: putDown,
        })}
      tabIndex={isStop ? 0 : -1}
      class={classes}
      style={style}
      onClick={() => (reach(), act(line, of))}
      onPointerEnter={() => !removed && point?.(line.path)}
      onFocus={() => (reach(), !removed && point?.(line.path))}
    >
      {content}
    </div>
  );
}

function Content({ line, lit }: { line: Line; lit: string }) {
  const mark = MARKS[line.mark];
  return (
    <>
      <span class="tree-mark" aria-hidden="true">
        {line.mark}
      </span>
      <span class="j-key">{line.key}</span>
      {line.was !== undefined && <del>{line.was}</del>}
      <span class={`tree-leaf ${kindOf(line)}`}>{line.text}</span>
      {mark !== undefined && !line.end && <span class="unseen">, {mark}</span>}
      {lit !== "" && <span class="unseen">{lit}</span>}
    </>
  );
}

function kindOf({ text, leaf, folded }: Line): string {
  if (!leaf || folded !== undefined) return "";
  return text.startsWith('"') ? "j-string" : /^-?\d/.test(text) ? "j-number" : "j-word";
}

/** Scrolls a part of a box into view. Unlike `scrollIntoView`, it scrolls nothing else. */
function show(box: HTMLElement | null, part: Element | null | undefined): void {
  if (!box || !part) return;
  const [a, b] = [box.getBoundingClientRect(), part.getBoundingClientRect()];
  if (b.top < a.top) box.scrollTop -= a.top - b.top + 4;
  else if (b.bottom > a.bottom) box.scrollTop += b.bottom - a.bottom + 4;
}

/** Returns the lines that contain a text, ignoring case. */
export function findIn(lines: readonly Line[], text: string): Line[] {
  const wanted = text.toLowerCase();
  return wanted === ""
    ? []
    : lines.filter((line) => !line.end && `${line.key}${line.folded === undefined ? line.text : ""}`.toLowerCase().includes(wanted));
}

/** A search field with the number of matches and buttons for the next and the previous one. */
export function SearchBox({
  label,
  text,
  at,
  of,
  search,
  go,
  children,
}: {
  label: string;
  text: string;
  at: number;
  of: number;
  search(text: string): void;
  go(by: 1 | -1): void;
  children?: VNode;
}) {
  return (
    <div class="value-search" role="group" aria-label={label}>
      <input
        type="search"
        aria-label={label}
        placeholder="Search"
        spellcheck={false}
        value={text}
        onInput={(event) => search(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" || event.key === "F3") go(event.shiftKey ? -1 : 1);
          else if (event.key === "Escape" && text !== "") search("");
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <span class="quiet" role="status">
        {text === "" ? "" : of === 0 ? "none" : `${at + 1} of ${of}`}
      </span>
      {of > 0 && (
        <>
          <button
            type="button"
            class="plain square small"
            aria-label="Previous match"
            title="Previous (Shift+Enter)"
            onClick={() => go(-1)}
          >
            <Icon name="left" size={13} />
          </button>
          <button type="button" class="plain square small" aria-label="Next match" title="Next (Enter)" onClick={() => go(1)}>
            <Icon name="right" size={13} />
          </button>
        </>
      )}
      {children}
    </div>
  );
}

/** A notice that the value was truncated. */
export function Cut({ size, all }: { size: number; all(): void }) {
  return (
    <p class="cut quiet">
      Only the first 64 KiB are shown.{" "}
      <button type="button" class="link" onClick={all}>
        Show all {bytes(size)}
      </button>
    </p>
  );
}
