// The changes of a machine: its lines, its states, and their effects on running executions.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { DefinitionComparison } from "stepglass";
import * as workspace from "../store/workspace.ts";
import { Dialog } from "../ui/Dialog.tsx";
import { Icon } from "../ui/Icon.tsx";
import { count, sentence, unticked } from "../ui/format.ts";
import { before, changesShown, compared, showOnGraph } from "./changes.ts";
import { differing, linesOf } from "./lines.ts";
import { unified } from "./model.ts";

const close = (): void => {
  changesShown.value = false;
};

export function Changes() {
  const found = useSignal<DefinitionComparison | { problem: string } | null>(null);
  const { text, whose } = before();
  const now = workspace.definition.value;
  useEffect(() => {
    let wanted = true;
    void compared().then((comparison) => wanted && (found.value = comparison));
    return () => {
      wanted = false;
    };
  }, []);
  const comparison = found.value;
  const isSame = unified(text) === now;
  return (
    <Dialog
      title="Changes"
      close={close}
      wide
      footer={
        comparison && !("problem" in comparison) && !comparison.identical ? (
          <button type="button" class="primary" onClick={() => void showOnGraph(comparison)}>
            <Icon name="graph" /> Show on the graph
          </button>
        ) : undefined
      }
    >
      {isSame ? (
        <p>The definition is the same as in {whose}.</p>
      ) : (
        <>
          <p>What is different from {whose}.</p>
          <Lines before={unified(text)} now={now} />
        </>
      )}
      {comparison && !isSame && <States of={comparison} />}
    </Dialog>
  );
}

/** The number of lines around a change that are shown with it. */
const AROUND = 3;

interface Row {
  kind: "same" | "removed" | "added" | "gap";
  text: string;
  old?: number;
  now?: number;
}

export function rowsOf(before: string, now: string): Row[] {
  const [a, b] = [linesOf(before), linesOf(now)];
  const rows: Row[] = [];
  let at = 0;
  let shift = 0;
  const same = (from: number, to: number): void => {
    for (let i = from; i < to; i++) rows.push({ kind: "same", text: a[i]!, old: i + 1, now: i + 1 + shift });
  };
  const hunks = differing(a, b);
  hunks.forEach(({ from, to, start, end }, i) => {
    const head = i === 0 ? Math.max(at, from - AROUND) : from - at > 2 * AROUND ? from - AROUND : at;
    if (i > 0 && head > at) same(at, Math.min(at + AROUND, head));
    if (head > (i === 0 ? 0 : at + AROUND)) rows.push({ kind: "gap", text: "" });
    same(head, from);
    for (let line = from; line < to; line++) rows.push({ kind: "removed", text: a[line]!, old: line + 1 });
    for (let line = start; line < end; line++) rows.push({ kind: "added", text: b[line]!, now: line + 1 });
    at = to;
    shift = end - to;
  });
  const end = Math.min(at + AROUND, a.length);
  same(at, end);
  if (end < a.length) rows.push({ kind: "gap", text: "" });
  return rows;
}

const SIGNS = { same: "", removed: "−", added: "+", gap: "…" };
const WORDS = { same: "", removed: "removed: ", added: "added: ", gap: "lines that are the same" };
/** The maximum number of shown lines. */
const MOST = 2_000;

function Lines({ before, now }: { before: string; now: string }) {
  const rows = rowsOf(before, now);
  return (
    <>
      <ol class="change-lines" aria-label="Changed lines" tabIndex={0}>
        {rows.slice(0, MOST).map((row, i) => (
          <li key={i} class={`change-${row.kind}`}>
            <span class="change-number" aria-hidden="true">
              {row.old}
            </span>
            <span class="change-number" aria-hidden="true">
              {row.now}
            </span>
            <span class="change-sign" aria-hidden="true">
              {SIGNS[row.kind]}
            </span>
            {WORDS[row.kind] !== "" && <span class="unseen">{WORDS[row.kind]}</span>}
            <code>{row.text.replace(/\n$/, "")}</code>
          </li>
        ))}
      </ol>
      {rows.length > MOST && <p class="quiet">{count(rows.length - MOST, "more line")} of changes.</p>}
    </>
  );
}

const DONE = { added: "added", removed: "removed", renamed: "renamed", moved: "moved", changed: "changed" };

function States({ of }: { of: DefinitionComparison | { problem: string } }) {
  if ("problem" in of) return <p class="quiet">The states cannot be compared while one of the two cannot be read: {of.problem}</p>;
  const { states, machine, running, identical } = of;
  if (identical) return <p class="quiet">The two mean the same: only the layout of the text has changed.</p>;
  return (
    <>
      <h3>States</h3>
      <ul class="bullets">
        {states.map(({ state, change, to, fields = [] }) => (
          <li key={`${state} ${change}`}>
            <b>{to ?? state}</b> {DONE[change]}
            {to !== undefined && `, was ${state}`}
            {fields.length > 0 && (
              <span class="quiet">: {[...new Set(fields.map(({ pointer }) => pointer.split("/")[1]))].join(", ")}</span>
            )}
          </li>
        ))}
        {machine.length > 0 && (
          <li>Fields of the machine: {[...new Set(machine.map(({ pointer }) => pointer.split("/")[1]))].join(", ")}</li>
        )}
      </ul>
      <h3>Executions that run</h3>
      {running.length === 0 ? (
        <p>An execution that began with the old definition would not notice the change.</p>
      ) : (
        <ul class="bullets">
          {running.map(({ severity, message, state }, i) => (
            <li key={i} class={severity === "breaks" ? "is-bad" : "is-warn"}>
              <b>{state}</b> {severity === "breaks" ? "cannot go on" : "goes on with other data"}: {unticked(sentence(message))}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
