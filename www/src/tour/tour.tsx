// A tour of thirty seconds that performs its steps. It never blocks the page, asks for nothing, and continues by itself unless it
// is paused or the user prefers reduced motion.

import "../styles/tour.css";
import { signal } from "@preact/signals";
import { render } from "preact";
import { useEffect, useRef } from "preact/hooks";
import * as prefs from "../prefs.ts";
import { say, showToast } from "../store/notifications.ts";
import { Icon } from "../ui/Icon.tsx";
import { remember, restore } from "./before.ts";
import { steps } from "./steps.ts";
import { isGone } from "./wait.ts";

/** The pause between two steps, in milliseconds. */
const REST = 5_000;

interface Now {
  at: number;
  /** Whether the step is in progress. */
  busy: boolean;
}

const now = signal<Now | null>(null);
const paused = signal(false);
let ending = new AbortController();
let root: HTMLElement | undefined;
let back: Element | null = null;

/** Starts the tour, or restarts it. */
export function begin(): void {
  ending.abort();
  ending = new AbortController();
  back = document.activeElement;
  prefs.welcomed.value = true;
  paused.value = !prefs.motion();
  if (!root) {
    root = document.createElement("div");
    document.body.append(root);
  }
  now.value = { at: 0, busy: true };
  render(<Tour />, root);
  remember();
  void go(0);
}

function end(): void {
  ending.abort();
  void restore().catch(() => {});
  now.value = null;
  if (root) render(null, root);
  root?.remove();
  root = undefined;
  say("The tour has ended.");
  if (back instanceof HTMLElement && back.isConnected && back !== document.body) back.focus();
  else document.querySelector<HTMLElement>("button.run")?.focus();
}

async function go(at: number): Promise<void> {
  const { signal: gone } = ending;
  const step = steps[at];
  if (!step) return end();
  now.value = { at, busy: true };
  try {
    await step.run(gone);
    if (!gone.aborted) now.value = { at, busy: false };
  } catch (error) {
    if (gone.aborted || isGone(error)) return;
    end();
    showToast(`The tour has stopped: ${(error as Error).message}.`);
  }
}

const next = (): void => void go((now.peek()?.at ?? 0) + 1);

function Tour() {
  const state = now.value;
  const box = useRef<HTMLElement>(null);
  const { at = 0, busy = true } = state ?? {};
  useEffect(() => box.current?.querySelector<HTMLElement>(".primary")?.focus({ preventScroll: true }), []);
  const waits = !busy && !paused.value && at < steps.length - 1;
  useEffect(() => {
    if (!waits) return;
    const timer = setTimeout(next, REST);
    return () => clearTimeout(timer);
  }, [waits, at]);
  const step = steps[at];
  if (!state || !step) return null;
  const last = at === steps.length - 1;
  return (
    <>
      <Ring at={step.at} />
      <section
        class="tour"
        aria-label="Tour"
        ref={box}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          event.preventDefault();
          event.stopPropagation();
          end();
        }}
      >
        <p class="tour-count">
          {at + 1} of {steps.length}
        </p>
        <div role="status">
          <h2>{step.title}</h2>
          <p>{step.text}</p>
        </div>
        {waits && prefs.motion() && <div class="tour-time" key={at} aria-hidden="true" />}
        <Buttons busy={busy} last={last} />
      </section>
    </>
  );
}

function Buttons({ busy, last }: { busy: boolean; last: boolean }) {
  return (
    <div class="tour-buttons">
      <button
        type="button"
        class="primary small"
        aria-disabled={busy}
        onClick={() => {
          if (!busy) (last ? end : next)();
        }}
      >
        {last ? "Done" : "Next"}
      </button>
      {!last && (
        <button type="button" class="small" onClick={() => (paused.value = !paused.value)}>
          <Icon name={paused.value ? "play" : "pause"} size={13} /> {paused.value ? "Go on by itself" : "Pause"}
        </button>
      )}
      {!last && (
        <button type="button" class="plain small" onClick={end}>
          End the tour
        </button>
      )}
    </div>
  );
}

/** A frame around the element of the step. */
function Ring({ at }: { at: string }) {
  const ring = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const place = (): void => {
      const frame = ring.current;
      // The tour was ended before its frame was positioned.
      if (!frame) return clearInterval(timer);
      const there = at
        .split(", ")
        .map((one) => document.querySelector(one))
        .find((one) => one?.checkVisibility());
      const box = there?.getBoundingClientRect();
      frame.hidden = box === undefined;
      if (!box) return;
      const { style } = frame;
      style.left = `${box.left - 4}px`;
      style.top = `${box.top - 4}px`;
      style.width = `${box.width + 8}px`;
      style.height = `${box.height + 8}px`;
    };
    const timer = setInterval(place, 150);
    place();
    return () => clearInterval(timer);
  }, [at]);
  return <div class="tour-ring" ref={ring} aria-hidden="true" />;
}
