// The card with details of a node. It is shown when the pointer or the focus rests on the node.

import { signal, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { detailsOf } from "../model/details.ts";
import { type GraphIndex, type GraphNode, isState } from "../model/graph.ts";
import * as execution from "../store/execution.ts";
import * as interpreter from "../store/interpreter.ts";
import * as playback from "../store/playback.ts";
import { bytes, count } from "../ui/format.ts";
import { lazy } from "../ui/lazy.tsx";
import { overrideOf, shownOf } from "./status.ts";
import { view } from "./viewport.ts";
import { targetsInWords } from "./targets.ts";

const NodeFailure = lazy(() => import("../debugger/ErrorCard.tsx").then((module) => module.NodeFailure));
const FAILED: ReadonlySet<string> = new Set(["failed", "timedOut", "caught", "retrying"]);
const REST = 400;
const GRACE = 250;

const card = signal<{ id: string; box: DOMRect } | null>(null);
let timer: ReturnType<typeof setTimeout> | undefined;

/** Called when the pointer or the focus comes to a node. */
export function rest(id: string, element: Element): void {
  clearTimeout(timer);
  if (card.value?.id === id) return;
  timer = setTimeout(() => (card.value = { id, box: element.getBoundingClientRect() }), card.value ? 120 : REST);
}

/** Called when the pointer or the focus has left. The card stays for a moment, so that the pointer can reach it. */
export function leave(): void {
  clearTimeout(timer);
  timer = setTimeout(() => (card.value = null), GRACE);
}

/** Hides the card. Returns false if there was none. */
export function dismiss(): boolean {
  clearTimeout(timer);
  const there = card.value !== null;
  card.value = null;
  return there;
}

export function Card({ index }: { index: GraphIndex }) {
  const element = useRef<HTMLDivElement>(null);
  const shown = card.value;
  const at = shown ? (index.byId.get(shown.id) ?? -1) : -1;
  const node = index.node(at);
  useSignalEffect(() => {
    // If the view moves, the card is no longer beside its node.
    void view.value;
    if (card.peek()) dismiss();
  });
  useEffect(() => {
    // If the window has another size, the card's position is wrong.
    addEventListener("resize", dismiss);
    return () => removeEventListener("resize", dismiss);
  }, []);
  useLayoutEffect(() => {
    const frame = element.current?.offsetParent?.getBoundingClientRect();
    if (!element.current || !frame || !shown) return;
    const { box } = shown;
    const { offsetWidth: width, offsetHeight: height } = element.current;
    const right = box.right + 10 + width <= frame.right;
    const left = right
      ? box.right + 10 - frame.left
      : box.left - 10 - width >= frame.left
        ? box.left - 10 - width - frame.left
        : Math.min(Math.max(box.left - frame.left, 8), frame.width - width - 8);
    const beside = right || box.left - 10 - width >= frame.left;
    const top = beside
      ? box.top - frame.top
      : box.bottom + 8 - frame.top + height > frame.height
        ? box.top - frame.top - height - 8
        : box.bottom - frame.top + 8;
    element.current.style.left = `${left}px`;
    element.current.style.top = `${Math.max(8, Math.min(top, frame.height - height - 8))}px`;
  }, [shown]);
  if (!node || !isState(node)) return null;
  return (
    <div class="card" ref={element} role="tooltip" onPointerEnter={() => clearTimeout(timer)} onPointerLeave={leave}>
      <Content index={index} node={node} at={at} />
    </div>
  );
}

function Content({ index, node, at }: { index: GraphIndex; node: GraphNode; at: number }) {
  const run = playback.runOf(node.id).value;
  const { text } = shownOf(run, overrideOf(node));
  const sizes = useSignal<{ input?: number; output?: number }>({});
  useSignalEffect(() => {
    const upTo = playback.cursor.value;
    let gone = false;
    if (upTo > 0 && run.entered > 0) void lastSizes(node.name, upTo).then((found) => !gone && (sizes.value = found));
    return () => (gone = true);
  });
  const { input, output } = sizes.value;
  return (
    <>
      <b>{node.name}</b>
      <span class="what">
        {node.type}
        {node.detail && ` · ${node.detail}`}
        {node.states > 0 && ` · ${count(node.states, "state")} inside`}
      </span>
      {node.comment && <p>{node.comment}</p>}
      <ul>
        {targetsInWords(index, at, 6).map((way) => (
          <li key={way}>{way}</li>
        ))}
      </ul>
      <span class="what">
        {text}
        {run.entered > 1 && `, ${run.entered} visits`}
        {run.failures > 0 && `, ${count(run.failures, "failed attempt")}`}
      </span>
      {FAILED.has(run.status) && execution.run.value?.recorded === undefined && <NodeFailure state={node.name} />}
      {(input !== undefined || output !== undefined) && (
        <span class="what">
          {input !== undefined && `In ${bytes(input)}`}
          {output !== undefined && ` · out ${bytes(output)}`}
        </span>
      )}
    </>
  );
}

/** Returns the sizes of the input and output of the last visible visit, in bytes. */
async function lastSizes(state: string, upTo: number): Promise<{ input?: number; output?: number }> {
  try {
    const visit = (await interpreter.query("visits", { state })).filter(({ enter }) => enter <= upTo).at(-1);
    if (!visit) return {};
    const size = async (id: number, member: string): Promise<number | undefined> => {
      const event = id > 0 && id <= upTo ? await interpreter.query("event", { id }) : null;
      const text = event ? detailsOf(event)[member] : undefined;
      return typeof text === "string" ? new TextEncoder().encode(text).length : undefined;
    };
    const [input, output] = await Promise.all([size(visit.enter, "input"), size(visit.exit, "output")]);
    return { ...(input === undefined ? {} : { input }), ...(output === undefined ? {} : { output }) };
  } catch {
    return {};
  }
}
