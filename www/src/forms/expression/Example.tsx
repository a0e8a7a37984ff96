// Sample data for a state that has not run. The interpreter generates it, and the user can edit it.

import { type Signal, useSignal } from "@preact/signals";
import type { Sample } from "../../model/field.ts";
import { say } from "../../store/notifications.ts";
import { type Field, askField, samples } from "./queries.ts";

interface Props {
  field: Field;
  /** The name of the state. */
  state: string;
  changing: Signal<boolean>;
}

/** A button that opens the sample data of a state that has not run. */
export function Example({ field, state, changing }: Props) {
  const sample = samples.value.get(field.state);
  const problem = useSignal("");
  const begin = (): void => {
    if (sample) {
      changing.value = true;
      return;
    }
    askField("example", field, {}).then(
      (made) => {
        keep(field.state, made);
        say(`${state} has example data.`);
      },
      (error: Error) => (problem.value = error.message),
    );
  };
  if (changing.value && sample) return <Change at={field.state} state={state} sample={sample} done={() => (changing.value = false)} />;
  return (
    <>
      <button type="button" class="link" onClick={begin}>
        {sample ? "Change the example" : "Try with example data"}
      </button>
      <Wrong problem={problem.value} />
    </>
  );
}

function keep(at: string, sample: Sample | undefined): void {
  const next = new Map(samples.value);
  if (sample) next.set(at, sample);
  else next.delete(at);
  samples.value = next;
}

function Change({ at, state, sample, done }: { at: string; state: string; sample: Sample; done(): void }) {
  const draft = useSignal(JSON.stringify(sample, null, 2));
  const problem = useSignal("");
  const use = (event: Event): void => {
    event.preventDefault();
    try {
      const made = JSON.parse(draft.value) as Sample;
      if (typeof made !== "object" || made === null || !("input" in made)) throw new SyntaxError("It needs a member input.");
      keep(at, made);
      done();
    } catch (error) {
      problem.value = (error as Error).message;
    }
  };
  const remove = (): void => {
    keep(at, undefined);
    done();
  };
  return (
    <form class="xf-sample" onSubmit={use}>
      <textarea
        aria-label={`Example data of ${state} (JSON)`}
        rows={6}
        spellcheck={false}
        value={draft.value}
        onInput={(event) => (draft.value = event.currentTarget.value)}
      />
      <Wrong problem={problem.value} />
      <p class="inspect-line">
        <button type="submit" class="small primary">
          Use it
        </button>
        <button type="button" class="small" onClick={remove}>
          Remove the example
        </button>
      </p>
    </form>
  );
}

function Wrong({ problem }: { problem: string }) {
  return problem === "" ? null : (
    <p class="is-bad" role="alert">
      {problem}
    </p>
  );
}
