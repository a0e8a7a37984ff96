// The executions that this browser stores. They can be viewed, resumed and removed.

import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { MOST_ENDED, elsewhere, executions, removeAll, resume, view, onScreen, refresh, trouble } from "../exchange/executions.ts";
import type { StoredExecution } from "../exchange/storedExecutions.ts";
import { outcomeTone, outcomeWord } from "../model/log.ts";
import * as execution from "../store/execution.ts";
import { say } from "../store/notifications.ts";
import { Icon } from "../ui/Icon.tsx";
import { count, duration } from "../ui/format.ts";
import { TONE_CLASS } from "../ui/tone.ts";

type Undo = { words: string; undo: () => Promise<void> };

export function Executions() {
  const all = executions.value;
  const undo = useSignal<Undo | null>(null);
  const pane = useRef<HTMLDivElement>(null);
  useEffect(() => {
    void refresh();
    // A tab that is closed does not notify the others.
    const look = (): void => void refresh();
    addEventListener("focus", look);
    return () => removeEventListener("focus", look);
  }, []);
  if (all === null) return null;
  const ended = all.filter(({ id, status }) => status !== "RUNNING" && !elsewhere.value.has(id));

  const remove = async (some: readonly StoredExecution[]): Promise<void> => {
    const at = all.indexOf(some[0]!);
    const next = all.filter((one) => !some.includes(one)).at(some.length === 1 ? Math.min(at, all.length - 2) : 0);
    const words = some.length === 1 ? `Removed ${some[0]!.name} of “${some[0]!.machine}”.` : `Removed ${count(some.length, "execution")}.`;
    undo.value = { words, undo: await removeAll(some) };
    await refresh();
    say(words);
    // The focused element was removed.
    requestAnimationFrame(() => pane.current?.querySelector<HTMLElement>(next ? `[data-execution="${next.id}"]` : "button")?.focus());
  };

  return (
    <div class="executions scroll" ref={pane}>
      {trouble.value && (
        <p class="executions-trouble" role="alert">
          <Icon name="warning" size={14} /> {trouble.value}
        </p>
      )}
      {undo.value && <Undone undo={undo} words={undo.value.words} />}
      {all.length === 0 ? (
        <div class="empty small">
          <p>
            No executions yet. Each run is kept here while it goes on, so that it can be continued after the page was closed or reloaded,
            and stays here when it has ended.
          </p>
        </div>
      ) : (
        <>
          <Table all={all} remove={remove} />
          <p class="quiet executions-words">
            The last {MOST_ENDED} that have ended are kept. They stay in this browser.{" "}
            {ended.length > 1 && (
              <button type="button" class="link" onClick={() => void remove(ended)}>
                Remove all that have ended
              </button>
            )}
          </p>
        </>
      )}
    </div>
  );
}

type Remove = (some: readonly StoredExecution[]) => Promise<void>;

/** The notice about removed executions, with a button that restores them. */
function Undone({ undo, words }: { undo: Signal<Undo | null>; words: string }) {
  return (
    <p class="quiet executions-words" role="status">
      {words}{" "}
      <button
        type="button"
        class="link"
        onClick={() => {
          void undo.value!.undo();
          undo.value = null;
        }}
      >
        Undo
      </button>
    </p>
  );
}

function Table({ all, remove }: { all: readonly StoredExecution[]; remove: Remove }) {
  return (
    <table>
      <caption class="unseen">Executions kept in this browser</caption>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">State machine</th>
          <th scope="col">Status</th>
          <th scope="col">Started</th>
          <th scope="col" class="number">
            Duration
          </th>
          <th scope="col">
            <span class="unseen">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {all.map((one) => (
          <Row key={one.id} one={one} remove={remove} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ one, remove }: { one: StoredExecution; remove: Remove }) {
  const { id, name, machine, status, started, began, now } = one;
  const shown = onScreen.value === id;
  const away = elsewhere.value.has(id);
  const runs = shown && !execution.run.value?.elsewhere && execution.run.value?.phase === "running";
  const what = `${name} of ${machine}`;
  return (
    <tr aria-current={shown ? "true" : undefined}>
      <th scope="row">
        <button
          type="button"
          class="link strong"
          data-execution={id}
          title="Show this execution"
          onClick={() => void view(id)}
          onKeyDown={(event) => {
            if (event.key !== "Delete" || away) return;
            event.preventDefault();
            void remove([one]);
          }}
        >
          {name}
        </button>
      </th>
      <td class="col-machine">{machine}</td>
      <td>
        <span class={TONE_CLASS[outcomeTone(status)]}>{status !== "RUNNING" || shown || away ? outcomeWord(status) : "Interrupted"}</span>
        <span class="quiet"> {away ? "in another tab" : shown ? "on the page" : ""}</span>
        {status === "RUNNING" && <span class="quiet executions-waits">{waitsFor(one)}</span>}
      </td>
      <td class="col-started">
        <time dateTime={new Date(started).toISOString()}>{when(started)}</time>
      </td>
      <td class="number col-duration">{duration(Math.max(0, now - began))}</td>
      <td class="col-actions">
        {status === "RUNNING" && !runs && !away && (
          <button type="button" class="small" aria-label={`Continue ${what}`} onClick={() => void resume(id)}>
            <Icon name="play" size={12} /> Continue
          </button>
        )}
        <button
          type="button"
          class="plain square small"
          aria-label={`Remove ${what}`}
          title={away ? "Another tab has it" : "Remove this execution"}
          disabled={away}
          onClick={() => void remove([one])}
        >
          <Icon name="close" size={13} />
        </button>
      </td>
    </tr>
  );
}

function waitsFor({ waits, timer, at, now, speed }: StoredExecution): string {
  if (waits[0] !== undefined) return `${waits.join(", ")} ${waits.length === 1 ? "waits" : "wait"} for an answer`;
  if (!timer) return "";
  return speed > 0 ? `${timer.state} until ${when(at + (timer.at - now) / speed)}` : `in ${timer.state}`;
}

/** Returns a time in the user's language, with the date if it is not today. */
function when(at: number): string {
  const date = new Date(at);
  const today = date.toDateString() === new Date().toDateString();
  return new Intl.DateTimeFormat(undefined, today ? { timeStyle: "medium" } : { dateStyle: "medium", timeStyle: "short" }).format(date);
}
