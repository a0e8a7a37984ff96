// The documentation of fields, which the core has. It is requested once for each field, with a minimal machine.

import { pointerSteps } from "stepglass/pointer";
import type { QueryLanguage } from "../model/form.ts";
import * as interpreter from "../store/interpreter.ts";
import { unticked } from "../ui/format.ts";
import { textOf } from "./sample.ts";

export interface Doc {
  title: string;
  text: string;
}

const known = new Map<string, Promise<Doc | null>>();

/** `at` is the field's pointer in the state, or in the machine if the type is empty. */
export function docOf(type: string, language: QueryLanguage, at: string): Promise<Doc | null> {
  const steps = pointerSteps(at);
  const key = `${type} ${language} ${steps.map((step) => (/^\d+$/.test(step) ? "0" : step)).join("/")}`;
  let found = known.get(key);
  if (!found) {
    const { text, offset } = textOf(type, language, steps);
    found = interpreter.query("hover", { text, format: "json", offset }).then(
      (hover) => hover && { title: hover.title, text: unticked(hover.text) },
      () => {
        known.delete(key);
        return null;
      },
    );
    known.set(key, found);
  }
  return found;
}
