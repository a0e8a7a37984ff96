// The search box above the graph.

import { useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "../ui/Icon.tsx";
import { count } from "../ui/format.ts";
import { close, hits, look, open, position, query, step } from "./search.ts";

export function SearchBox({ back }: { back: () => void }) {
  const field = useRef<HTMLInputElement>(null);
  const shown = open.value;
  const was = useRef(shown);
  useLayoutEffect(() => {
    // Opening the search moves the focus into it. If the graph is drawn again while the search is open, the focus stays where it
    // is.
    if (shown && !was.current) {
      field.current?.focus();
      field.current?.select();
    }
    was.current = shown;
  }, [shown]);
  if (!shown) {
    return (
      <button type="button" class="square" aria-label="Search the graph" title="Search the graph (/)" onClick={() => (open.value = true)}>
        <Icon name="inspect" />
      </button>
    );
  }
  const total = hits.value.length;
  const end = (): void => {
    close();
    back();
  };
  return (
    <div class="graph-search" role="search">
      <input
        ref={field}
        type="text"
        aria-label="Search the graph"
        placeholder="Name, type or service"
        spellcheck={false}
        value={query.value}
        onInput={(event) => look(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
          else if (event.key === "Escape") end();
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <Hits total={total} />
      <button type="button" class="square" aria-label="Previous match" disabled={total < 2} onClick={() => step(-1)}>
        <Icon name="left" />
      </button>
      <button type="button" class="square" aria-label="Next match" disabled={total < 2} onClick={() => step(1)}>
        <Icon name="right" />
      </button>
      <button type="button" class="square" aria-label="Close the search" onClick={end}>
        <Icon name="close" />
      </button>
    </div>
  );
}

/** The number of states found, and which of them is selected. */
function Hits({ total }: { total: number }) {
  const said = query.value.trim() === "" ? "" : total === 0 ? "none" : `${position.value} of ${total}`;
  return (
    <span
      class="hits"
      role="status"
      aria-label={said === "" ? undefined : total === 0 ? "No match" : `${said}: ${count(total, "state")} found`}
    >
      {said}
    </span>
  );
}
