// What all controls of a form know.

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Formed } from "../model/form.ts";

export interface Form {
  formed: Formed;
  /// The state's type; empty for the machine.
  type: string;
}

export const FormContext = createContext<Form | null>(null);

export function useForm(): Form {
  const form = useContext(FormContext);
  if (!form) throw new Error("A control stands in a form.");
  return form;
}
