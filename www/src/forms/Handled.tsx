// Shows how a retrier or a catcher handles the errors of the last run, and why.

import type { ComponentChildren } from "preact";
import type { FieldValue } from "../model/field.ts";
import type { Handled, HandledCatcher, HandledRetrier } from "../model/form.ts";
import { Icon } from "../ui/Icon.tsx";
import { duration, sentence, unticked } from "../ui/format.ts";
import { brief } from "./values.ts";

type Seen = Exclude<Handled, { lacks: "not visited" | "no error" }>;

/** The run whose errors are used. */
export function Against({ handled, noun }: { handled: Handled | null; noun: "retrier" | "catcher" }) {
  if (!handled) return null;
  if (handled.lacks === "not visited") return <p class="form-hint quiet">After a run, each {noun} shows here which errors it matched.</p>;
  if (handled.lacks) return <p class="form-hint quiet">The state had no error in run {handled.run}.</p>;
  const { errors, run } = handled;
  return (
    <p class="form-hint" role="status">
      In run {run} it failed {errors.length === 1 ? "once" : `${errors.length} times`}: <b>{unique(errors).join(", ")}.</b>
    </p>
  );
}

const unique = (names: readonly string[]): string[] => [...new Set(names.map((name) => (name === "" ? "no name" : name)))];

/** The maximum number of delays that are listed one by one. */
const MOST = 6;

export function RetrierVerdict({ handled, nth }: { handled: Handled | null; nth: number }) {
  if (!handled || handled.lacks) return null;
  const own = handled.retriers[nth];
  if (!own) return null;
  if (own.matched.length === 0)
    return <Verdict>{whyNot(handled, handled.retriers.slice(0, nth).some(({ matched }) => matched.length > 0) && "retrier")}</Verdict>;
  const names = unique(own.matched.map(({ error }) => error)).join(", ");
  const attempts = own.matched.map(({ attempt }) => attempt);
  return (
    <Verdict good={!own.usedUp} words="Matched">
      <span>
        {names} in {attempts.length === 1 ? "attempt" : "attempts"} {shortened(attempts)}
      </span>
      {own.waited && own.waited.length > 0 && <span>waited {shortened(own.waited.map((pause) => duration(pause)))}</span>}
      {own.usedUp && <span>{usedUp(own)}</span>}
    </Verdict>
  );
}

const usedUp = ({ most }: HandledRetrier): string => (most === 0 ? "no retry, as MaxAttempts is 0" : `no retry left after ${most}`);

const shortened = (list: readonly (string | number)[]): string =>
  `${list.slice(0, MOST).join(", ")}${list.length > MOST ? `, … (${list.length} in all)` : ""}`;

function whyNot({ errors }: Seen, earlier: "retrier" | "catcher" | false): string {
  const last = errors.at(-1)!;
  if (last === "States.Runtime") return "Nothing matches States.Runtime";
  return earlier ? `Not reached: an earlier ${earlier} takes ${unique(errors).join(", ")}` : `Does not match ${unique(errors).join(", ")}`;
}

export function CatcherVerdict({ handled, nth }: { handled: Handled | null; nth: number }) {
  if (!handled || handled.lacks) return null;
  const own = handled.catchers[nth];
  if (!own) return null;
  if (own.error === undefined) {
    if (handled.catchers.every(({ error }) => error === undefined) && isRetried(handled))
      return <Verdict>Not reached: each error was retried</Verdict>;
    return <Verdict>{whyNot(handled, handled.catchers.slice(0, nth).some(({ error }) => error !== undefined) && "catcher")}</Verdict>;
  }
  return (
    <Verdict good words="Caught">
      <span>
        {own.error || "an error without a name"}
        {own.cause ? <span class="quiet"> {cut(own.cause)}</span> : null}
      </span>
      <Gives catcher={own} />
    </Verdict>
  );
}

/** Returns whether a retrier matched the last error and still had attempts. */
const isRetried = ({ retriers, errors }: Seen): boolean =>
  retriers.some(({ matched, usedUp: done }) => !done && matched.length > 0) &&
  retriers.reduce((sum, one) => sum + one.matched.length, 0) === errors.length;

const cut = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}…` : text);

function Gives({ catcher: { output, assigned } }: { catcher: HandledCatcher }) {
  return (
    <>
      {output && <Given label="The next state gets" value={output} />}
      {assigned && <Given label="Variables" value={assigned} />}
    </>
  );
}

function Given({ label, value }: { label: string; value: FieldValue }) {
  if (value.lacks) return null;
  return (
    <span class="verdict-line">
      {label}{" "}
      {value.message === undefined ? (
        <code title={JSON.stringify(value.value)}>{brief(value.value)}</code>
      ) : (
        <span class="is-bad">{unticked(sentence(value.message))}</span>
      )}
    </span>
  );
}

/** `words` is the result if the element has handled an error. Without it the text is in a muted colour. */
function Verdict({ words, good = false, children }: { words?: string; good?: boolean; children: ComponentChildren }) {
  return (
    <div class={`form-verdict ${words === undefined ? "quiet" : good ? "is-good" : "is-bad"}`}>
      <span class="verdict-word">
        <Icon name={words === undefined ? "cross" : good ? "check" : "warning"} size={12} /> {words ?? children}
      </span>
      {words !== undefined && children}
    </div>
  );
}
