// The completions at the caret of a field, from the interpreter, in a list below it.

import { type ReadonlySignal, type Signal, useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import type { Proposal } from "../../model/protocol.ts";
import { type Field, askField } from "./queries.ts";
import type { Replace } from "./text.ts";

/** A completion, and the range of the text that it replaces. */
export interface Offer extends Proposal {
  from: number;
  to: number;
}

interface Open {
  items: Offer[];
  at: number;
  /** The text that the completions belong to. */
  written: string;
}

export interface Proposals {
  id: string;
  open: ReadonlySignal<Open | null>;
  aria: Record<string, string | undefined>;
  typed(): void;
  /** Handles a key. Returns whether it was one of the list's. */
  keys(event: KeyboardEvent): boolean;
  close(): void;
  /** Applies a completion of the list for a text. */
  taken: { take?: (item: Offer, written: string) => void };
  /** Returns the completion adjusted to the current text. */
  present(item: Offer, written: string): Offer | undefined;
}

interface Options {
  /** Returns further completions. */
  besides?(written: string, caret: number): Promise<readonly Offer[]>;
  /** Whether the list opens for any letter, and not only where an expression can have completions. */
  eager?: boolean;
}

const MOST = 60;

type Written = RefObject<HTMLTextAreaElement | HTMLInputElement | null>;

export function useProposals(field: Field, box: Written, { besides, eager = false }: Options = {}): Proposals {
  const id = useId();
  const open = useSignal<Open | null>(null);
  const asked = useRef(0);
  const taken = useRef<Proposals["taken"]>({}).current;
  const close = (): void => {
    asked.current += 1;
    open.value = null;
  };
  const show = (items: readonly Offer[], written: string, caret: number): void => {
    const fits = fitting(items, written, caret);
    open.value = fits.length === 0 ? null : { items: fits, at: 0, written };
  };
  const ask = (explicit: boolean): void => {
    const area = box.current!;
    const [written, caret] = [area.value, area.selectionStart ?? 0];
    const mine = ++asked.current;
    if (!explicit && !(eager ? written !== "" : /[\p{L}\p{N}_$.`"{]$/u.test(written.slice(0, caret)))) return close();
    // Until the new completions arrive, the old ones are adjusted: the characters typed since then are part of the range that
    // they replace.
    if (open.value) show(moved(open.value.items, open.value.written, written), written, caret);
    Promise.all([besides?.(written, caret) ?? [], askField("proposals", field, { written, caret })]).then(
      ([
        own,
        {
          items,
          replace: { start: from, end: to },
        },
      ]) => {
        if (mine === asked.current) show([...own, ...items.map((item) => ({ ...item, from, to }))], written, caret);
      },
      () => mine === asked.current && close(),
    );
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
    present: (item, written) => moved([item], written, box.current!.value)[0],
    keys: (event) => listKeys(event, { open, ask, close, take: taken.take, eager }),
  };
}

/** Returns the completions after typing or deleting within the range that they replace. */
function moved(items: readonly Offer[], before: string, now: string): Offer[] {
  const grown = now.length - before.length;
  return items
    .filter(({ from, to }) => to + grown >= from && now.startsWith(before.slice(0, from)) && now.slice(to + grown) === before.slice(to))
    .map((item) => ({ ...item, to: item.to + grown }));
}

const plain = (text: string): string => text.toLowerCase().replace(/^["'`]/, "");

/** Returns the completions that match the typed characters, the best first. If the only match is complete, there are none. */
function fitting(items: readonly Offer[], written: string, caret: number): Offer[] {
  const rank = ({ label, from }: Offer): number => {
    const at = plain(label).indexOf(plain(written.slice(from, caret)));
    return at < 0 ? 2 : at === 0 ? 0 : 1;
  };
  const seen = new Set<string>();
  const fits = items
    .map((item) => ({ item, rank: rank(item) }))
    .filter(({ item, rank: own }) => own < 2 && !seen.has(item.label) && seen.add(item.label))
    .sort((a, b) => a.rank - b.rank)
    .slice(0, MOST)
    .map(({ item }) => item);
  const [first] = fits;
  return fits.length === 1 && first!.insert === written.slice(first!.from, first!.to) ? [] : fits;
}

interface List {
  open: Signal<Open | null>;
  ask(explicit: boolean): void;
  close(): void;
  take: Proposals["taken"]["take"];
  eager: boolean;
}

function listKeys(event: KeyboardEvent, { open, ask, close, take, eager }: List): boolean {
  if (event.isComposing) return false;
  if ((event.key === " " && event.ctrlKey) || (eager && event.key === "ArrowDown" && !open.value)) {
    ask(true);
    event.preventDefault();
    return true;
  }
  const shown = open.value;
  if (!shown) return false;
  const choose = (at: number): void => void (open.value = { ...shown, at: (at + shown.items.length) % shown.items.length });
  if (event.key === "ArrowDown") choose(shown.at + 1);
  else if (event.key === "ArrowUp") choose(shown.at - 1);
  else if (event.key === "Enter" || event.key === "Tab") take?.(shown.items[shown.at]!, shown.written);
  else if (event.key === "Escape") close();
  else return false;
  event.preventDefault();
  event.stopPropagation();
  return true;
}

export function Offered({ offered, take, label }: { offered: Proposals; take: Replace; label: string }) {
  const shown = offered.open.value;
  const list = useRef<HTMLUListElement>(null);
  offered.taken.take = (old, written) => {
    const item = offered.present(old, written);
    offered.close();
    if (!item) return;
    take(item.from, item.to, item.insert, item.from + (item.caret ?? item.insert.length));
  };
  useEffect(() => list.current?.children[shown?.at ?? 0]?.scrollIntoView({ block: "nearest" }), [shown?.at]);
  if (!shown) return null;
  return (
    <ul ref={list} class="xf-offered" role="listbox" id={offered.id} aria-label={`What ${label} may have here`}>
      {shown.items.map((item, i) => (
        <li
          key={`${item.kind} ${item.from} ${item.label}`}
          id={`${offered.id}-${i}`}
          role="option"
          aria-selected={i === shown.at}
          // The field keeps the focus.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => offered.taken.take?.(item, shown.written)}
        >
          <code>{item.label}</code>
          <small>{item.detail}</small>
        </li>
      ))}
    </ul>
  );
}
