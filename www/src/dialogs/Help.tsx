// The help dialog: what the page is, and its keys.

import { commands } from "../commands/commands.ts";
import { isSingle, shown } from "../keys/chord.ts";
import { keysOf } from "../commands/keys.ts";
import * as prefs from "../prefs.ts";
import * as panes from "../store/panes.ts";
import { Dialog } from "../ui/Dialog.tsx";
import { tour } from "../ui/tour.ts";
import { GROUPS } from "../commands/groups.ts";

const close = (): void => {
  panes.closeDialog();
};

/** The keys that are the same everywhere and cannot be changed. */
const FIXED: [string, [string, string[]][]][] = [
  [
    "On the button Run or Continue",
    [
      ["Run to the end, past all breakpoints", ["Shift+click"]],
      ["The same, by mouse or finger", ["Press for 0.8 s"]],
    ],
  ],
  [
    "Lists",
    [
      ["Remove the execution whose name has the focus", ["Del"]],
      ["Choose an event", ["↑", "↓", "PgUp", "PgDn", "Home", "End"]],
      ["Leave an event and return to the end of the run", ["Esc"]],
      ["Move on the timeline by one event; to the first, last event", ["←", "→", "Home", "End"]],
      ["Answer the nth waiting task", ["1 … 9"]],
      ["Into the graph, and out of it: it is one stop", ["Tab"]],
      ["Go to a state in the graph by its first letter", ["A … Z"]],
      ["Move the view of the graph", ["Space ↑ ↓ ← →"]],
    ],
  ],
];

const lower = (text: string): string => text[0]!.toLowerCase() + text.slice(1);

/** Merges commands with the same keys into one row. The key runs the command that is available. */
function joined(rows: [string, string[]][], [title, keys]: [string, string[]]): [string, string[]][] {
  const same = rows.findIndex(([, others]) => others.join() === keys.join());
  return same < 0 ? [...rows, [title, keys]] : rows.with(same, [`${title}; or: ${lower(rows[same]![0])}`, keys]);
}

export default function Help() {
  const usable = (key: string): boolean => prefs.singleKeys.value || !isSingle(key);
  const parts: [string, [string, string[]][]][] = GROUPS.map(({ id, title }) => [
    title,
    commands.value
      .filter((command) => command.group === id)
      .map((command): [string, string[]] => [command.title, keysOf(command).filter(usable).map(shown)])
      .filter(([, keys]) => keys.length > 0)
      .reduce(joined, []),
  ]);
  return (
    <Dialog
      title="Help"
      close={close}
      wide
      footer={
        <>
          <button
            type="button"
            onClick={() => {
              close();
              tour.begin();
            }}
          >
            Take the tour (30 seconds)
          </button>
          <button type="button" onClick={() => panes.openDialog("keys")}>
            Change keys…
          </button>
        </>
      }
    >
      <p>
        Write a state machine in Amazon States Language, give it an input, and run it here. Everything happens in this tab: nothing is sent
        anywhere. Tasks are answered by your JavaScript, or by you. Runs are kept in this browser: after a reload, continue them under
        Executions.
      </p>
      <div class="keys">
        {[...parts, ...FIXED].map(([title, rows]) => (
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
