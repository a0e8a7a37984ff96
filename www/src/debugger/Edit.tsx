// Edits a value of the run, which forks the run.

import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";

export function Edit({ text, what, done, set }: { text: string; what: string; done(): void; set(value: unknown): Promise<void> }) {
  const draft = useSignal(text);
  const problem = useSignal("");
  const id = useId();
  return (
    <form
      class="edit-value"
      onSubmit={(event) => {
        event.preventDefault();
        try {
          const value: unknown = JSON.parse(draft.value);
          set(value).then(done, (error: Error) => (problem.value = error.message));
        } catch (error) {
          problem.value = (error as Error).message;
        }
      }}
    >
      <textarea
        aria-label={`New ${what} (JSON)`}
        aria-invalid={problem.value !== ""}
        aria-describedby={id}
        rows={5}
        spellcheck={false}
        value={draft.value}
        onInput={(event) => (draft.value = event.currentTarget.value)}
      />
      <p class="field-problem" id={id} role="alert">
        {problem.value}
      </p>
      <p class="inspect-line">
        <button type="submit" class="primary small">
          Fork with this value
        </button>
        <button type="button" class="plain small" onClick={done}>
          Cancel
        </button>
      </p>
    </form>
  );
}
