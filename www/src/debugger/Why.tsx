// The reason for a stage's data: the field that produced it, with its expressions.

import type { Flow } from "../model/protocol.ts";
import { type Leaf, type StageField, type Path, labelOf, leavesOf } from "../model/stages.ts";
import { nameOf } from "../values/diff.ts";
import * as model from "./model.ts";
import { highlight, shining } from "./useLights.ts";

/** The field that produced the stage. Pointing at an expression highlights the data that it reads. */
export function Why({ flow, at, made, overall }: { flow: Flow; at: number; made: StageField | undefined; overall: boolean }) {
  const stage = flow.stages[at]?.stage;
  if (stage === undefined) return null;
  if (overall)
    return (
      <p class="why quiet">
        {made ? `${pathWords(made.path)} is not set, so this stage changes nothing. ` : ""}The state's input is compared with its output.
      </p>
    );
  if (stage === "result" && flow.type !== "Pass") {
    const mock = model.mocks.value[flow.state];
    const words =
      flow.type === "Task"
        ? mock && mock.mode !== "handler"
          ? `The result of the mock (${mock.mode}).`
          : "The result of the task."
        : flow.type === "Map"
          ? "The outputs of the iterations."
          : "The outputs of the branches.";
    return <p class="why quiet">{words}</p>;
  }
  const field = made ? pathWords(made.path) : labelOf(stage);
  if (made?.written === undefined)
    return (
      <p class="why quiet">{stage === "result" ? "The result is the input." : `${field} is not set, so this stage changes nothing.`}</p>
    );
  const leaves = leavesOf(made);
  if (leaves.length === 0 || leaves.length > 40) {
    return (
      <p class="why">
        <span class="quiet">{field}</span> <code>{typeof made.written === "string" ? made.written : brief(made.written)}</code>
      </p>
    );
  }
  const literals = leaves.length > 0 && typeof made.written === "object";
  return (
    <ul class="why" aria-label={`Expressions of ${field}`}>
      {leaves.map((leaf) => (
        <li key={nameOf(leaf.path)}>
          <span class="quiet">{literals ? pathWords(leaf.path) : field}</span> <Expression flow={flow} at={at} leaf={leaf} />
        </li>
      ))}
    </ul>
  );
}

/** Returns a path in a template as it is written there. */
function pathWords(path: Path): string {
  return path.map((step, i) => (typeof step === "number" ? `[${step}]` : i === 0 ? step : `.${step}`)).join("");
}

function brief(value: unknown): string {
  const text = JSON.stringify(value) ?? "";
  return text.length > 600 ? `${text.slice(0, 600)}…` : text;
}

function Expression({ flow, at, leaf }: { flow: Flow; at: number; leaf: Leaf }) {
  const shines = shining.value;
  const lit =
    shines?.visit === flow.visit &&
    shines.stage === at &&
    shines.expression !== undefined &&
    nameOf(shines.expression) === nameOf(leaf.path);
  const on = (): void => highlight(flow, at, { expression: leaf.path });
  const off = (): void => highlight(flow, at, null);
  return (
    <code
      class={lit ? "expression lit" : "expression"}
      tabIndex={0}
      role="note"
      aria-label={`${leaf.text}, highlights what it reads`}
      onPointerEnter={on}
      onPointerLeave={off}
      onFocus={on}
      onBlur={off}
    >
      {leaf.text}
    </code>
  );
}
