// A field of a form: its name, its control, its problems, and a link to its text.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Diagnostic } from "../model/protocol.ts";
import { Icon } from "../ui/Icon.tsx";
import { sentence, unticked } from "../ui/format.ts";
import { useForm } from "./context.ts";
import { caretAt, problemsAt, toText } from "./current.ts";
import { explained } from "./explained.ts";

interface Props {
  /** The pointer of the field. */
  at: string;
  name: string;
  children: ComponentChildren;
  /** The id of the control that the name labels. Without it, the row is a group. */
  control?: string;
  /** The problem of the typed text. */
  problem?: string | undefined;
  /** Whether the control shows its name and its problems itself. */
  bare?: boolean;
  /** Whether the problems of nested values are shown here too. */
  deep?: boolean;
  /** The selector between alternative fields. It replaces the name. */
  ways?: ComponentChildren;
}

export const idOf = (at: string): string => `form-${at.replaceAll(/[^\w-]/g, (c) => `_${c.codePointAt(0)!.toString(16)}`)}`;

export function Row({ at, name, children, control, problem, deep = true, bare = false, ways }: Props) {
  const { formed } = useForm();
  const row = useRef<HTMLDivElement>(null);
  const lit = caretAt.value === at || (deep && (caretAt.value?.startsWith(`${at}/`) ?? false));
  const was = useSignal(false);
  useEffect(() => {
    if (lit && !was.peek()) row.current?.scrollIntoView({ block: "nearest" });
    was.value = lit;
  }, [lit]);
  const problems = problemsAt(at, deep);
  const written = formed.places[at] !== undefined;
  const worst = problem !== undefined || problems.some(({ severity }) => severity === "error") ? "bad" : problems.length > 0 ? "warn" : "";
  return (
    <div
      ref={row}
      class={`form-row ${bare ? "is-bare" : ""} ${ways ? "has-ways" : ""} ${worst && `is-${worst}`} ${lit ? "is-lit" : ""} ${written ? "is-set" : ""}`}
      data-field={at}
      {...(control === undefined && !bare && { role: "group", "aria-label": name })}
      onFocusIn={(event) => {
        event.stopPropagation();
        explained.value = at;
      }}
    >
      <div class="form-name">
        {bare ? null : control === undefined ? (
          <span class="form-label">{name}</span>
        ) : (
          <label for={control} class={ways ? "unseen" : ""}>
            {name}
          </label>
        )}
        {ways}
        {written && (
          <button
            type="button"
            class="plain square small form-jump"
            aria-label={`Show ${name} in the text`}
            title="Show in the text"
            onClick={() => toText(at)}
          >
            <Icon name="code" size={13} />
          </button>
        )}
      </div>
      {children}
      <Problems at={at} shown={bare ? "none" : deep ? "all" : "own"} {...(problem !== undefined && { typed: problem })} />
    </div>
  );
}

/** The problems of the typed text and of the value in the definition. */
function Problems({ at, shown, typed }: { at: string; shown: "all" | "own" | "none"; typed?: string }) {
  return (
    <Messages
      problems={shown === "none" ? [] : problemsAt(at, shown === "all")}
      id={`${idOf(at)}-problems`}
      {...(typed !== undefined && { typed })}
    />
  );
}

/** The maximum number of problems, because more would hide the form. */
const MOST = 5;

export function Messages({ problems, id, typed }: { problems: readonly Diagnostic[]; id: string; typed?: string }) {
  if (typed === undefined && problems.length === 0) return null;
  return (
    <ul class="form-problems" id={id}>
      {typed !== undefined && (
        <li class="is-bad" role="status">
          <Icon name="error" size={13} /> <span>{typed} The text stays as it was.</span>
        </li>
      )}
      {problems.slice(0, MOST).map((problem, i) => (
        <li key={i} class={problem.severity === "error" ? "is-bad" : "is-warn"}>
          <Icon name={problem.severity === "error" ? "error" : "warning"} size={13} />
          <span>
            {unticked(sentence(problem.message))}
            {problem.help && <span class="quiet"> {unticked(sentence(problem.help))}</span>}
          </span>
        </li>
      ))}
    </ul>
  );
}
