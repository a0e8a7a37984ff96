// The context that all controls of a form share.

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Formed } from "../model/form.ts";

export interface Form {
  formed: Formed;
  /** The type of the state; empty for the machine. */
  type: string;
}

export const FormContext = createContext<Form | null>(null);

export function useForm(): Form {
  const form = useContext(FormContext);
  if (!form) throw new Error("A control stands in a form.");
  return form;
}
