// An explorer for a value: it can be searched, shown as a tree or as text, and its parts can be copied with their paths.

import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { type Line, SHOWN, linesOf, nameOf } from "./diff.ts";
import { type Path, jsonataText, pathText, valueAt } from "../model/stages.ts";
import { showToast } from "../store/notifications.ts";
import { coloured } from "./colouredJson.tsx";
import { Cut, SearchBox, Tree, findIn } from "./Tree.tsx";

interface Props {
  label: string;
  value: unknown;
  /** The value as indented JSON. */
  text: string;
}

export function Explorer({ label, value, text }: Props) {
  const tree = useSignal(true);
  const search = useSignal("");
  const nth = useSignal(0);
  const whole = useSignal(false);
  const picked = useSignal<Path | null>(null);
  const all = whole.value || search.value !== "";
  const { lines, cut } = useMemo(() => linesOf(undefined, value, false, "all", all), [value, all]);
  const hits = findIn(lines, search.value);
  const places = useMemo(() => (search.value === "" ? [] : offsetsOf(text, search.value)), [text, search.value]);
  const of = tree.value ? hits.length : places.length;
  const at = Math.min(nth.value, Math.max(0, of - 1));
  const current: Line | undefined = hits[at];
  return (
    <div class="explorer">
      <div class="flow-foot">
        <SearchBox
          label={`Search in ${label}`}
          text={search.value}
          at={at}
          of={of}
          search={(wanted) => ((search.value = wanted), (nth.value = 0))}
          go={(by) => (nth.value = (at + by + of) % Math.max(1, of))}
        />
        <div class="segments" role="group" aria-label={`How ${label} is shown`}>
          <button type="button" aria-pressed={tree.value} onClick={() => (tree.value = true)}>
            Tree
          </button>
          <button type="button" aria-pressed={!tree.value} onClick={() => (tree.value = false)}>
            Text
          </button>
        </div>
      </div>
      {tree.value ? (
        <Tree
          label={label}
          lines={lines}
          found={new Set(hits)}
          current={current}
          picked={picked.value}
          pick={(path) => (picked.value = picked.value && nameOf(picked.value) === nameOf(path) ? null : path)}
          words="Press Enter or click to copy it or its path"
          carries={(path) => ({ role: "data", path, value: valueAt(value, path) })}
        />
      ) : (
        <Text label={label} text={all ? text : text.slice(0, SHOWN)} places={places} at={at} length={search.value.length} />
      )}
      {!all && (cut || text.length > SHOWN) && <Cut size={new Blob([text]).size} all={() => (whole.value = true)} />}
      {picked.value && tree.value && (
        <p class="inspect-line">
          <code>{pathText(picked.value)}</code>
          <CopyLink what="path" text={pathText(picked.value)} />
          <CopyLink what="JSONata path" text={jsonataText(picked.value, "$")} />
          <CopyLink what="value" text={JSON.stringify(valueAt(value, picked.value), null, 2)} />
        </p>
      )}
    </div>
  );
}

function CopyLink({ what, text }: { what: string; text: string }) {
  return (
    <button
      type="button"
      class="link"
      title={text.slice(0, 200)}
      onClick={() =>
        void navigator.clipboard.writeText(text).then(
          () => showToast(`Copied the ${what}.`),
          () => showToast("The browser did not allow copying."),
        )
      }
    >
      Copy {what}
    </button>
  );
}

function Text({ label, text, places, at, length }: { label: string; text: string; places: readonly number[]; at: number; length: number }) {
  if (places.length === 0) {
    return (
      <pre tabIndex={0} role="group" aria-label={label}>
        <code>{coloured(text)}</code>
      </pre>
    );
  }
  let from = 0;
  return (
    <pre tabIndex={0} role="group" aria-label={label}>
      <code>
        {places.map((place, i) => {
          const before = text.slice(from, place);
          from = place + length;
          return [
            before,
            <mark
              key={place}
              class={i === at ? "current" : ""}
              ref={i === at ? (element) => element?.scrollIntoView({ block: "nearest" }) : undefined}
            >
              {text.slice(place, from)}
            </mark>,
          ];
        })}
        {text.slice(from)}
      </code>
    </pre>
  );
}

/** Returns the offsets at which a text occurs, ignoring case. */
function offsetsOf(text: string, wanted: string): number[] {
  const [low, part] = [text.toLowerCase(), wanted.toLowerCase()];
  const found: number[] = [];
  // Lower case can change the length of a text. Then the offsets would be wrong, so the case is not ignored.
  const [where, what] = low.length === text.length ? [low, part] : [text, wanted];
  for (let at = where.indexOf(what); at >= 0 && found.length < 2000; at = where.indexOf(what, at + what.length)) found.push(at);
  return found;
}
