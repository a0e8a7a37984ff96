// Reads the JSON texts of a store, which may be damaged.

import { messageOf } from "../../core/base/errors.ts";
import { StoreError } from "./errors.ts";

/** Returns the value of a stored JSON text; `what` names it in the error. Throws STORE_DAMAGED. */
export function storedJson(text: string, what: string): any {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new StoreError("STORE_DAMAGED", `${what} is damaged: ${messageOf(error)}`, { cause: error });
  }
}
