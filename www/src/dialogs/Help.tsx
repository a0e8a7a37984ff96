// What the page is, and its keys.

import * as store from "../store.ts";
import { Dialog } from "../ui/Dialog.tsx";
import { MOD } from "../ui/format.ts";

const close = (): void => {
  store.dialog.value = "";
};

const KEYS: [string, [string, string[]][]][] = [
  ["Run", [
    ["Run", [`${MOD} Enter`]],
    ["Continue, pause", ["F8", `${MOD} \\`]],
    ["Run to the end, past breakpoints", ["Shift F8"]],
    ["Let time pass to the next timer", [`${MOD} Alt .`]],
    ["Restart", [`${MOD} Shift Enter`]],
    ["Stop", [`${MOD} F2`]],
  ]],
  ["Debug", [
    ["Step over", ["F10", `${MOD} '`]],
    ["Step into", ["F11", `${MOD} ;`]],
    ["Step out", ["Shift F11", `${MOD} Shift ;`]],
    ["One stage of the data flow", [`${MOD} F11`, `${MOD} Shift '`]],
    ["Back, on", ["Alt [", "Alt ]"]],
    ["Back to the breakpoint before", ["Alt Shift ["]],
    ["Run to the selected state", [`${MOD} F10`]],
    ["Breakpoint, edit it", ["F9", "Shift F9"]],
    ["Breakpoints on or off", [`${MOD} F8`]],
    ["Map iteration before, after", ["[", "]"]],
  ]],
  ["Anywhere", [
    ["All commands", [`${MOD} K`, "F1"]],
    ["Next pane, pane before", ["Ctrl F6", "Ctrl Shift F6"]],
    ["Next problem, problem before", ["F4", "Shift F4"]],
    ["Copy a link", [`${MOD} S`]],
    ["This list", ["?"]],
  ]],
  ["Graph", [
    ["Along the transitions, to neighbours", ["↑", "↓", "←", "→"]],
    ["Into a Parallel or Map; to the definition", ["Enter"]],
    ["Out of it", ["Esc"]],
    ["Fold, unfold", ["−", "+"]],
    ["By first letter, by search", ["A … Z", "/"]],
    ["Menu of the state", ["Shift F10"]],
    ["Pan", ["Space ↑ ↓ ← →", "Shift ↑ ↓ ← →"]],
    ["Zoom", [`${MOD} +`, `${MOD} −`]],
    ["Fit, 100 %", ["Shift 1", "Shift 0"]],
  ]],
  ["Editor", [
    ["Complete", ["Ctrl Space"]],
    ["Quick fix", [`${MOD} .`]],
    ["Where a name is given, all its places", ["F12", "Shift F12"]],
    ["Rename a state or variable everywhere", ["F2"]],
    ["Go to a state", [`${MOD} Shift O`]],
    ["Lay the text out", ["Shift Alt F"]],
    ["Indent, less", [`${MOD} ]`, `${MOD} [`]],
    ["Find", [`${MOD} F`]],
    ["Undo, redo", [`${MOD} Z`, `${MOD} Y`]],
  ]],
  ["Events", [
    ["Choose", ["↑", "↓", "PgUp", "PgDn", "Home", "End"]],
    ["Back to the end of the run", ["Esc"]],
  ]],
];

export default function Help() {
  return (
    <Dialog title="Help" close={close} wide>
      <p>
        Write a state machine in Amazon States Language, give it an input, and run it here. Everything happens in this tab: nothing is sent anywhere.
        Tasks are answered by your JavaScript, or by you.
      </p>
      <div class="keys">
        {KEYS.map(([title, rows]) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {rows.map(([what, keys]) => (
                <div key={what}>
                  <dt>{what}</dt>
                  <dd>
                    {keys.map((key) => (
                      <kbd key={key}>{key}</kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
