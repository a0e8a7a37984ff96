// A list with one selected row, for mouse and keys. The keyboard focus stays on the list.

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface Props {
  label: string;
  /** The id is unique in the page. The ids of the rows are made of it and their index. */
  id: string;
  rows: number;
  chosen: number;
  choose(row: number): void;
  /** Returns the contents of a row. */
  row(at: number): { class?: string; content: ComponentChildren };
}

const PAGE = 10;
/** The maximum number of rows that are rendered. */
const MOST = 2000;

export function ListBox({ label, id, rows, chosen, choose, row }: Props) {
  const list = useRef<HTMLOListElement>(null);
  const shown = Math.min(rows, MOST);
  useEffect(() => list.current?.children[chosen]?.scrollIntoView({ block: "nearest" }), [chosen]);
  const keys = (event: KeyboardEvent): void => {
    const to = { ArrowDown: chosen + 1, ArrowUp: chosen - 1, PageDown: chosen + PAGE, PageUp: chosen - PAGE, Home: 0, End: shown - 1 }[
      event.key
    ];
    if (to === undefined || shown === 0) return;
    event.preventDefault();
    choose(Math.max(0, Math.min(to, shown - 1)));
  };
  return (
    <ol
      class="list-box"
      role="listbox"
      aria-label={label}
      tabIndex={0}
      ref={list}
      aria-activedescendant={chosen >= 0 && chosen < shown ? `${id}-${chosen}` : undefined}
      onKeyDown={keys}
    >
      {Array.from({ length: shown }, (_, i) => {
        const { class: kind = "", content } = row(i);
        return (
          <li
            key={i}
            id={`${id}-${i}`}
            role="option"
            aria-selected={i === chosen}
            aria-posinset={i + 1}
            aria-setsize={rows}
            class={`list-row ${kind}`}
            onClick={() => choose(i)}
          >
            {content}
          </li>
        );
      })}
    </ol>
  );
}
