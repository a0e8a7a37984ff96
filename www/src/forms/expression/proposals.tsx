// What may be written at the caret of a field, as the interpreter knows it, in a list below.

import { type ReadonlySignal, useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import type { Proposal } from "../../model/protocol.ts";
import { type Field, askField } from "./ask.ts";

interface Open {
  from: number;
  to: number;
  items: Proposal[];
  at: number;
}

export interface Proposals {
  id: string;
  open: ReadonlySignal<Open | null>;
  aria: Record<string, string | undefined>;
  typed(): void;
  /// Whether the key was for the list.
  keys(event: KeyboardEvent): boolean;
  close(): void;
  choose(at: number): void;
  taken: { take?: (at: number) => void };
}

const MOST = 60;

export function useProposals(field: Field, box: RefObject<HTMLTextAreaElement | null>): Proposals {
  const id = useId();
  const open = useSignal<Open | null>(null);
  const asked = useRef(0);
  const taken = useRef<Proposals["taken"]>({}).current;
  const close = (): void => {
    asked.current += 1;
    open.value = null;
  };
  const ask = (explicit: boolean): void => {
    const area = box.current!;
    const [written, caret] = [area.value, area.selectionStart];
    const mine = ++asked.current;
    if (!explicit && !/[\p{L}\p{N}_$.`"]$/u.test(written.slice(0, caret))) return close();
    askField("proposals", field, { written, caret }).then(
      ({ items, replace }) => {
        if (mine !== asked.current) return;
        const typed = written
          .slice(replace.start, caret)
          .toLowerCase()
          .replace(/^["'`]/, "");
        const rank = ({ label }: Proposal): number => {
          const at = label
            .toLowerCase()
            .replace(/^["'`]/, "")
            .indexOf(typed);
          return at < 0 ? 2 : at === 0 ? 0 : 1;
        };
        const fits = items
          .map((item) => ({ item, rank: rank(item) }))
          .filter((one) => one.rank < 2)
          .sort((a, b) => a.rank - b.rank)
          .slice(0, MOST)
          .map(({ item }) => item);
        // The only one that is written in full already proposes nothing.
        const done = fits.length === 1 && fits[0]!.insert === written.slice(replace.start, replace.end);
        open.value = fits.length === 0 || done ? null : { from: replace.start, to: replace.end, items: fits, at: 0 };
      },
      () => mine === asked.current && close(),
    );
  };
  const choose = (at: number): void => {
    const shown = open.value;
    if (shown) open.value = { ...shown, at: (at + shown.items.length) % shown.items.length };
  };
  return {
    id,
    open,
    taken,
    aria: {
      "aria-autocomplete": "list",
      "aria-haspopup": "listbox",
      ...(open.value && { "aria-controls": id, "aria-activedescendant": `${id}-${open.value.at}` }),
    },
    typed: () => ask(false),
    close,
    choose,
    keys(event) {
      if (event.isComposing) return false;
      if (event.key === " " && event.ctrlKey) {
        ask(true);
        event.preventDefault();
        return true;
      }
      const shown = open.value;
      if (!shown) return false;
      if (event.key === "ArrowDown") choose(shown.at + 1);
      else if (event.key === "ArrowUp") choose(shown.at - 1);
      else if (event.key === "Enter" || event.key === "Tab") taken.take?.(shown.at);
      else if (event.key === "Escape") close();
      else return false;
      event.preventDefault();
      event.stopPropagation();
      return true;
    },
  };
}

export function Offered({
  offered,
  take,
  label,
}: {
  offered: Proposals;
  take(from: number, to: number, text: string, caret: number): void;
  label: string;
}) {
  const shown = offered.open.value;
  const list = useRef<HTMLUListElement>(null);
  offered.taken.take = (at) => {
    const item = shown?.items[at];
    if (!shown || !item) return;
    offered.close();
    take(shown.from, shown.to, item.insert, shown.from + (item.caret ?? item.insert.length));
  };
  useEffect(() => list.current?.children[shown?.at ?? 0]?.scrollIntoView({ block: "nearest" }), [shown?.at]);
  if (!shown) return null;
  return (
    <ul ref={list} class="xf-offered" role="listbox" id={offered.id} aria-label={`What ${label} may have here`}>
      {shown.items.map((item, i) => (
        <li
          key={`${item.kind} ${item.label}`}
          id={`${offered.id}-${i}`}
          role="option"
          aria-selected={i === shown.at}
          // The field keeps the focus.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => offered.taken.take?.(i)}
        >
          <code>{item.label}</code>
          <small>{item.detail}</small>
        </li>
      ))}
    </ul>
  );
}
