// On a phone: the task that waits for an answer, over whatever pane is shown.

import { useSignal } from "@preact/signals";
import { AnswerCard } from "../panes/Answer.tsx";
import * as execution from "../store/execution.ts";
import * as panes from "../store/panes.ts";
import { Icon } from "../ui/Icon.tsx";

export function Sheet() {
  /** The tasks that the user has postponed. */
  const later = useSignal<ReadonlySet<number>>(new Set());
  const tasks = execution.waiting.value;
  const [task] = tasks.filter(({ id }) => !later.value.has(id));
  // The list of all waiting tasks is visible.
  if (!task || (panes.narrowTab.value === "events" && panes.dockTab.value === "waiting")) return null;
  const close = (): void => {
    later.value = new Set([...later.value, ...tasks.map(({ id }) => id)]);
  };
  return (
    <section
      class="sheet"
      aria-label="A task waits for your answer"
      onKeyDown={(event) => {
        if (event.key === "Escape") close();
      }}
    >
      <div class="sheet-head">
        <h2>{tasks.length === 1 ? "A task waits for your answer" : `${tasks.length} tasks wait for your answer`}</h2>
        <button type="button" class="plain square" aria-label="Later" title="Later: it stays under Run, Waiting tasks" onClick={close}>
          <Icon name="close" />
        </button>
      </div>
      <div class="sheet-body" tabIndex={0} role="region" aria-label="The answer">
        <AnswerCard key={task.id} task={task} />
      </div>
    </section>
  );
}
