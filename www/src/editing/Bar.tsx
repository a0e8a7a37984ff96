// The buttons beside the graph: add, undo, redo, and commands for several states. They are for the mouse and for touch.

import { useComputed } from "@preact/signals";
import { liveValues, toggleLiveValues } from "../debugger/liveValues.ts";
import { keyHint } from "../keys/keymap.ts";
import { loaders } from "../graph/graphEditor.ts";
import * as analysis from "../store/analysis.ts";
import * as execution from "../store/execution.ts";
import * as selection from "../store/selection.ts";
import { Icon, type IconName } from "../ui/Icon.tsx";
import { count } from "../ui/format.ts";
import { Palette, paletteOpen, togglePalette } from "./Palette.tsx";
import { appendHere, createHere } from "../graph-editor/kernel/adding.ts";
import { COMMANDS } from "../graph-editor/kernel/commands.ts";
import { clear } from "../graph-editor/kernel/selecting.ts";
import { host, run } from "./host.ts";
import { multiSelect } from "./selectedStates.ts";
import { takeBack } from "./text.ts";

/** The icons that only this part of the page uses. */
const SIGNS = {
  wrap: "M3 3H17V17H3ZM7.5 7.5H12.5V12.5H7.5Z",
  values:
    "M7.5 3.5C5.5 3.5 5.5 4.5 5.5 6.5S5 10 3.5 10C5 10 5.5 11.5 5.5 13.5S5.5 16.5 7.5 16.5M12.5 3.5C14.5 3.5 14.5 4.5 14.5 6.5S15 10 16.5 10C15 10 14.5 11.5 14.5 13.5S14.5 16.5 12.5 16.5",
  palette: "M3 3H8.5V8.5H3ZM11.5 3H17V8.5H11.5ZM3 11.5H8.5V17H3ZM14.25 11.5V17M11.5 14.25H17",
  bin: "M4 6H16M8 6V4H12V6M5.5 6L6.3 16.5H13.7L14.5 6M8.5 9V13.5M11.5 9V13.5",
};

interface ToolOf {
  icon: IconName | keyof typeof SIGNS;
  title: string;
  command?: string;
  run(): void;
  flip?: boolean;
  /** The state of a toggle button. */
  pressed?: boolean;
}

function Tool({ icon, title, command, run, flip = false, pressed }: ToolOf) {
  return (
    <button
      type="button"
      class={flip ? "square flip" : "square"}
      aria-label={title}
      title={`${title}${command ? keyHint(command) : ""}`}
      aria-pressed={pressed}
      onClick={run}
    >
      {icon === "wrap" || icon === "bin" || icon === "values" || icon === "palette" ? (
        <svg class="icon" width="1rem" height="1rem" viewBox="0 0 20 20" aria-hidden="true">
          <path d={SIGNS[icon]} />
        </svg>
      ) : (
        <Icon name={icon} />
      )}
    </button>
  );
}

/** Executes a command on the selected states. */
function start(id: string): void {
  const command = COMMANDS.find((one) => one.id === id)!;
  void run(command.plan(host.state()));
}

export function Bar() {
  const several = useComputed(() => selection.alsoSelected.value.size).value;
  if (analysis.inside.value) return null;
  const done = (): void => {
    multiSelect.value = false;
    void run(clear());
  };
  return (
    <>
      {paletteOpen.value && <Palette />}
      <div class={several > 1 || multiSelect.value ? "edit-bar with-several" : "edit-bar"} role="toolbar" aria-label="Edit the graph">
        <Tool
          icon="plus"
          title="Add a state"
          command="appendState"
          run={() => void run(selection.selectedState.peek() === null ? createHere(host.state()) : appendHere(host.state()))}
        />
        <Tool icon="palette" title="Palette of states, patterns and services" pressed={paletteOpen.value} run={togglePalette} />
        <Tool icon="undo" title="Undo the change" command="undoGraph" run={() => void takeBack(false)} />
        <Tool icon="undo" title="Redo the change" command="redoGraph" run={() => void takeBack(true)} flip />
        <Tool icon="list" title="What was done" command="steps" run={() => void loaders.project().then(({ showSteps }) => showSteps())} />
        {execution.run.value !== null && (
          <Tool icon="values" title="Outputs on the graph" pressed={liveValues.value} run={toggleLiveValues} />
        )}
        {(several > 1 || multiSelect.value) && (
          <>
            <span class="edit-count">{several > 1 ? count(several, "state") : "Press states to select them"}</span>
            {several > 1 && <Tool icon="copy" title="Copy the states" run={() => start("copyStates")} />}
            {several > 1 && (
              <Tool icon="wrap" title="Put the states into a Parallel or Map" command="wrapStates" run={() => start("wrapStates")} />
            )}
            {several > 1 && <Tool icon="bin" title="Delete the states" command="deleteStates" run={() => start("deleteStates")} />}
            <Tool icon="close" title="Clear the selection" run={done} />
          </>
        )}
      </div>
    </>
  );
}
