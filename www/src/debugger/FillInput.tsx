// A button for a run that failed because its input was empty: it generates an input and runs again.

import { useSignal, useSignalEffect } from "@preact/signals";
import * as execution from "../store/execution.ts";
import * as workspace from "../store/workspace.ts";
import { Icon } from "../ui/Icon.tsx";
import { latestOnly } from "../ui/latestOnly.ts";
import { fillAndRun, lackingInput } from "./firstRun.ts";

export function FillInput() {
  const lacks = useSignal(false);
  useSignalEffect(() => {
    void [workspace.input.value, workspace.definition.value];
    return latestOnly(lackingInput(), ({ length }) => (lacks.value = length > 0));
  });
  if (!lacks.value || execution.run.value?.recorded !== undefined) return null;
  return (
    <button type="button" class="small" onClick={() => void fillAndRun()}>
      <Icon name="bulb" size={13} /> Generate an input and run again
    </button>
  );
}
