// Loads how the retriers and catchers of a form's state handle the errors of the last run, whenever the run or the state changes.

import { type ReadonlySignal, useSignal, useSignalEffect } from "@preact/signals";
import type { Formed, Handled } from "../model/form.ts";
import { listOf } from "../model/rule.ts";
import * as analysis from "../store/analysis.ts";
import * as execution from "../store/execution.ts";
import * as interpreter from "../store/interpreter.ts";
import * as workspace from "../store/workspace.ts";

export function useHandled(formed: Formed): ReadonlySignal<Handled | null> {
  const found = useSignal<Handled | null>(null);
  const [retriers, catchers] = [listOf(formed.fields["Retry"]), listOf(formed.fields["Catch"])];
  const { pointer: state, name, language } = formed;
  const key = JSON.stringify([state, language, retriers, catchers]);
  const asked = useSignal({ key: "", state, name, language, retriers, catchers });
  if (asked.peek().key !== key) asked.value = { key, state, name, language, retriers, catchers };
  useSignalEffect(() => {
    const { key: _, ...of } = asked.value;
    void execution.run.value?.phase;
    void execution.run.value?.id;
    void analysis.latest.value;
    let stale = false;
    interpreter
      .query("handled", {
        ...of,
        text: workspace.definition.peek(),
        format: workspace.format.peek(),
        input: workspace.input.value,
      })
      .then(
        (handled) => !stale && (found.value = handled),
        () => !stale && (found.value = null),
      );
    return () => {
      stale = true;
    };
  });
  return found;
}
