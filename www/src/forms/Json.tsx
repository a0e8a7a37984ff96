// A field for any value in JSON, with completions at the caret.

import { useRef } from "preact/hooks";
import { useForm } from "./context.ts";
import { type Given, MOST_LINES, keys, useHeight } from "./controls.tsx";
import type { Field } from "./expression/queries.ts";
import { placeholders } from "./expression/moreCompletions.ts";
import { Offered, useProposals } from "./expression/proposals.tsx";
import { type Replace, enter, replaceIn } from "./expression/text.ts";
import { Row, idOf } from "./Row.tsx";
import { useTyped } from "./useTyped.ts";
import { shownJson, typedJson } from "./values.ts";
import { put } from "./write.ts";

const besides = async (written: string, caret: number): Promise<ReturnType<typeof placeholders>> => placeholders(written, caret);

export function JsonRow({ at, name, value, absent }: Given) {
  const { formed } = useForm();
  const typed = useTyped(value, shownJson, typedJson, (next) => put(at, next, value));
  const area = useRef<HTMLTextAreaElement>(null);
  const field: Field = { state: formed.pointer, pointer: at, language: formed.language, form: "template" };
  const offered = useProposals(field, area, { besides });
  const replace: Replace = (...put) => replaceIn(area.current!, put, typed.type);
  const id = idOf(at);
  useHeight(area, typed.text);
  return (
    <Row at={at} name={name} control={id} problem={typed.problem}>
      <div class="xf-place">
        <textarea
          ref={area}
          id={id}
          class="form-area mono"
          rows={Math.min(MOST_LINES, typed.text.split("\n").length)}
          aria-label={name}
          aria-invalid={typed.problem !== undefined}
          aria-describedby={`${id}-problems`}
          spellcheck={false}
          placeholder={absent}
          value={typed.text}
          {...offered.aria}
          onInput={(event) => {
            typed.type(event.currentTarget.value);
            offered.typed();
          }}
          onBlur={() => {
            offered.close();
            typed.settle();
          }}
          onKeyDown={(event) => {
            if (offered.keys(event)) return;
            keys(event, typed);
            if (!event.defaultPrevented) enter(event, "template", replace);
          }}
        />
        <Offered offered={offered} take={replace} label={name} />
      </div>
    </Row>
  );
}
