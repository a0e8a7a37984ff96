// A JSON value as a tree of lines: gone through by keys, searched, and lit where something else points at it.

import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { type Line, nameOf } from "./diff.ts";
import { type Path, pathText } from "../model/stages.ts";
import { type Carried, carry, putDown } from "./carried.ts";
import { Icon } from "../ui/Icon.tsx";
import { bytes, count } from "../ui/format.ts";

interface Props {
  label: string;
  lines: readonly Line[];
  /// Places that are lit, with what is in them.
  lit?: readonly Path[];
  /// Why they are lit is only known roughly.
  approximate?: boolean;
  /// Lines that a search has found, and the one that is looked at.
  found?: ReadonlySet<Line>;
  current?: Line | undefined;
  picked?: Path | null;
  /// The pointer or the focus has come to a part, or has left.
  point?(path: Path | null): void;
  pick?(path: Path): void;
  unfold?(path: Path): void;
  words?: string;
  /// What a part is, where it may be dragged into an expression.
  carries?(path: Path): Carried;
}

/// So many lines are drawn at once: long values have more than a page can hold.
const DRAWN = 800;

export function Tree({
  label,
  lines: all,
  lit = [],
  approximate = false,
  found,
  current,
  picked = null,
  point,
  pick,
  unfold,
  words = "",
  carries,
}: Props) {
  const element = useRef<HTMLDivElement>(null);
  const at = useSignal(0);
  const from = useSignal(0);
  const most = useSignal(DRAWN);
  const sought = current ? all.indexOf(current) : -1;
  // What a search looks at is drawn.
  if (sought >= 0 && (sought < from.peek() || sought >= from.peek() + most.peek())) from.value = Math.max(0, sought - DRAWN / 2);
  const start = from.value < all.length ? from.value : 0;
  const lines = all.slice(start, start + most.value);
  const rest = all.length - start - lines.length;
  const lights = new Set(lit.map(nameOf));
  const chosen = picked && nameOf(picked);
  const isLit = (path: Path): boolean =>
    lights.size > 0 && (lights.has("[]") || path.some((_, i) => lights.has(nameOf(path.slice(0, i + 1)))));
  // A folded line shows what is lit inside of it.
  const holdsLit = (line: Line): boolean =>
    line.folded !== undefined &&
    lit.some((path) => path.length > line.path.length && nameOf(path.slice(0, line.path.length)) === nameOf(line.path));
  const stops = lines.flatMap((line, i) => (line.end ? [] : [i]));
  const stop = stops.includes(at.value) ? at.value : (stops[0] ?? 0);
  useEffect(() => {
    show(element.current, element.current?.querySelector(".lit"));
  }, [lit]);
  useEffect(() => {
    show(element.current, element.current?.querySelector(".current"));
  }, [current]);
  const act = (line: Line): void => {
    if (line.folded !== undefined && line.folded > 0) unfold?.(line.path);
    else if (line.mark !== "-") pick?.(line.path);
  };
  const keys = (event: KeyboardEvent): void => {
    const here = stops.indexOf(stop);
    const page = 12;
    const to = { ArrowDown: here + 1, ArrowUp: here - 1, PageDown: here + page, PageUp: here - page, Home: 0, End: stops.length - 1 }[
      event.key
    ];
    const line = lines[stop];
    if (to !== undefined) {
      const next = stops[Math.max(0, Math.min(stops.length - 1, to))];
      if (next === undefined) return;
      at.value = next;
      const line = element.current?.children[next];
      if (line instanceof HTMLElement) line.focus();
    } else if (line && (event.key === "Enter" || event.key === " " || (event.key === "ArrowRight" && (line.folded ?? 0) > 0))) act(line);
    else return;
    event.preventDefault();
  };
  return (
    <div class="tree-frame">
      {start > 0 && (
        <button type="button" class="link" onClick={() => (from.value = Math.max(0, start - DRAWN))}>
          {count(start, "line")} before
        </button>
      )}
      <div
        ref={element}
        class={approximate ? "tree roughly" : "tree"}
        role="tree"
        aria-label={label}
        onKeyDown={keys}
        onPointerLeave={() => point?.(null)}
        onFocusOut={(event) => !element.current?.contains(event.relatedTarget as Node) && point?.(null)}
      >
        {lines.map((line, i) => {
          const mark = line.mark === "+" ? " added" : line.mark === "-" ? " removed" : line.mark === "~" ? " changed" : "";
          const shines = isLit(line.path) || holdsLit(line);
          const classes = `tree-line${mark}${shines ? " lit" : ""}${found?.has(line) ? " found" : ""}${line === current ? " current" : ""}${chosen !== null && !line.end && line.mark !== "-" && chosen === nameOf(line.path) ? " picked" : ""}`;
          const content = (
            <>
              <span class="tree-mark" aria-hidden="true">
                {line.mark}
              </span>
              <span class="j-key">{line.key}</span>
              {line.was !== undefined && <del>{line.was}</del>}
              <span class={`tree-leaf ${kindOf(line)}`}>{line.text}</span>
              {mark !== "" && !line.end && <span class="unseen">, {mark}</span>}
              {shines && <span class="unseen">, lit{approximate ? ", approximately" : ""}</span>}
            </>
          );
          const style = { paddingInlineStart: `${14 + line.depth * 14}px` };
          if (line.end) {
            return (
              <div key={i} class={classes} style={style} role="presentation">
                {content}
              </div>
            );
          }
          return (
            <div
              key={i}
              role="treeitem"
              aria-level={line.depth + 1}
              aria-selected={classes.endsWith(" picked")}
              {...(line.folded ? { "aria-expanded": false } : {})}
              title={words && line.mark !== "-" ? words : undefined}
              {...(carries &&
                line.mark !== "-" && {
                  draggable: true,
                  onDragStart: (event: DragEvent) => carry(event, carries(line.path), pathText(line.path)),
                  onDragEnd: putDown,
                })}
              tabIndex={i === stop ? 0 : -1}
              class={classes}
              style={style}
              onClick={() => ((at.value = i), act(line))}
              onPointerEnter={() => line.mark !== "-" && point?.(line.path)}
              onFocus={() => ((at.value = i), line.mark !== "-" && point?.(line.path))}
            >
              {content}
            </div>
          );
        })}
      </div>
      {rest > 0 && (
        <button type="button" class="link" onClick={() => (most.value += DRAWN)}>
          {count(rest, "more line")}
        </button>
      )}
    </div>
  );
}

function kindOf({ text, leaf, folded }: Line): string {
  if (!leaf || folded !== undefined) return "";
  return text.startsWith('"') ? "j-string" : /^-?\d/.test(text) ? "j-number" : "j-word";
}

/// Scrolls a part of a box into its view, and nothing else.
function show(box: HTMLElement | null, part: Element | null | undefined): void {
  if (!box || !part) return;
  const [a, b] = [box.getBoundingClientRect(), part.getBoundingClientRect()];
  if (b.top < a.top) box.scrollTop -= a.top - b.top + 4;
  else if (b.bottom > a.bottom) box.scrollTop += b.bottom - a.bottom + 4;
}

/// The lines in which a text stands, whatever its case.
export function findIn(lines: readonly Line[], text: string): Line[] {
  const wanted = text.toLowerCase();
  return wanted === ""
    ? []
    : lines.filter((line) => !line.end && `${line.key}${line.folded === undefined ? line.text : ""}`.toLowerCase().includes(wanted));
}

/// A box to search in, with its count and the way to the next and the one before.
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

/// Where a value was cut.
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
