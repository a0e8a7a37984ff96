// The data in the scope of a field, as a tree to select a value from. It is the alternative to dragging for keyboard and touch.

import { type ReadonlySignal, useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { FieldData, FieldRoot } from "../../model/field.ts";
import type { Path } from "../../model/stages.ts";
import { type Line, linesOf, nameOf } from "../../values/diff.ts";
import { SearchBox, Tree, findIn } from "../../values/Tree.tsx";
import { type Field, askField, samples } from "./queries.ts";
import type { Named } from "./naming.ts";

interface Props {
  field: Field;
  label: string;
  pick(named: Named): void;
  close(): void;
}

export function DataPicker({ field, label, pick, close }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const data = useData(field);
  const roots = data.value?.roots ?? [];
  const lines = useMemo(() => roots.flatMap(linesOfRoot), [data.value]);
  useEffect(() => {
    box.current?.querySelector<HTMLElement>('[role="treeitem"][tabindex="0"]')?.focus({ preventScroll: true });
    box.current?.scrollIntoView({ block: "nearest" });
  }, [data.value]);
  const choose = (path: Path): void => {
    const root = roots.find(({ name }) => name === path[0]);
    if (root && nameOf(path) !== "[]") pick({ root, path: path.slice(1) });
  };
  return (
    <div
      ref={box}
      class="xf-picker"
      role="group"
      aria-label={`Values for ${label}`}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        close();
      }}
    >
      {data.value && roots.length === 0 ? (
        <p class="quiet">There is no data yet: run the machine up to here, or try the expression with example data.</p>
      ) : (
        <Searched lines={lines} label={label} choose={choose} />
      )}
      <p class="inspect-line">
        <button type="button" class="link" onClick={close}>
          Close
        </button>
      </p>
    </div>
  );
}

/** Loads the data in the field's scope; null until it is known. */
function useData(field: Field): ReadonlySignal<FieldData | null> {
  const data = useSignal<FieldData | null>(null);
  const sample = samples.value.get(field.state);
  useEffect(() => {
    let here = true;
    askField("data", field, {}).then(
      (found) => here && (data.value = found),
      () => here && (data.value = { roots: [], from: "run", lacks: "not visited" }),
    );
    return () => {
      here = false;
    };
  }, [sample]);
  return data;
}

function linesOfRoot(root: FieldRoot): Line[] {
  return linesOf(undefined, root.value, false, "all").lines.map((line) => ({
    ...line,
    path: [root.name, ...line.path],
    // The first line shows the name that the expression uses.
    ...(line.path.length === 0 && !line.end && { key: `${root.name}: ` }),
  }));
}

/** The tree, with a search. */
function Searched({ lines, label, choose }: { lines: readonly Line[]; label: string; choose(path: Path): void }) {
  const search = useSignal("");
  const nth = useSignal(0);
  const hits = findIn(lines, search.value);
  const at = Math.min(nth.value, Math.max(0, hits.length - 1));
  return (
    <>
      <SearchBox
        label="Search in the data"
        text={search.value}
        at={at}
        of={hits.length}
        search={(wanted) => ((search.value = wanted), (nth.value = 0))}
        go={(by) => (nth.value = (at + by + hits.length) % Math.max(1, hits.length))}
      />
      <Tree
        label="Data"
        lines={lines}
        found={new Set(hits)}
        current={search.value === "" ? undefined : hits[at]}
        pick={choose}
        words={`Press Enter or click to use it in ${label}`}
      />
    </>
  );
}
