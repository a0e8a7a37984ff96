// The choices on an empty page.

import { Icon, type IconName } from "../ui/Icon.tsx";
import * as panes from "../store/panes.ts";
import { createIn, insertPattern } from "../graph-editor/kernel/adding.ts";
import { canEdit } from "./gesture.ts";
import { run } from "./host.ts";
import { pick } from "./picking.ts";

/** Asks for a pattern to begin with. */
async function choosePattern(at: { x: number; y: number }): Promise<void> {
  if (!canEdit()) return;
  const { patternOptions } = await import("../graph-editor/kernel/patterns.ts");
  const groups = [{ title: "", options: patternOptions }];
  const chosen = await pick({ title: "Begin with a pattern", placeholder: "Pattern", groups, at });
  if (chosen) await run(insertPattern(chosen.id.slice("pattern ".length), { scope: "" }, at));
}

const WAYS: readonly { icon: IconName; title: string; text: string; run(at: { x: number; y: number }): void }[] = [
  { icon: "plus", title: "Blank canvas", text: "Put the first state here, then build on it.", run: (at) => void run(createIn("", at)) },
  {
    icon: "graph",
    title: "A pattern",
    text: "Retry, saga, approval, fan-out and more, ready to fill in.",
    run: (at) => void choosePattern(at),
  },
  {
    icon: "gallery",
    title: "An example",
    text: "A whole machine with inputs, to run and to change.",
    run: () => panes.openDialog("examples"),
  },
  {
    icon: "upload",
    title: "A file",
    text: "Open a definition, a template or an execution’s history.",
    run: () => panes.openDialog("import"),
  },
];

export function EmptyPage() {
  return (
    <>
      <p>Build a state machine here, or write it in the definition. Both are the same text.</p>
      <ul class="beginning">
        {WAYS.map(({ icon, title, text, run }) => (
          <li key={title}>
            <button
              type="button"
              onClick={(event) => {
                const { left, bottom } = event.currentTarget.getBoundingClientRect();
                run({ x: left, y: bottom + 6 });
              }}
            >
              <b>
                <Icon name={icon} /> {title}
              </b>
              <span>{text}</span>
            </button>
          </li>
        ))}
      </ul>
      <p class="quiet">Paste a definition to open it.</p>
    </>
  );
}
